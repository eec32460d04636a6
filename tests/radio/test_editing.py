"""Only one section of the text changes, and Reticulum's own parser reads the result as it was meant."""

from __future__ import annotations

import pytest
from hypothesis import given, settings, strategies as st
from RNS.vendor.configobj import ConfigObj

from lrgpnode.radio.editing import EditError, put_section
from lrgpnode.radio.plan import Role, Wishes, make_plan
from lrgpnode.radio.section import OWNED, ROLE_OPTIONS, empty_configuration, options, render

CONFIG = b"""\
# mine
[reticulum]
  enable_transport = no  # stays
\tshare_instance = Yes

[logging]
loglevel = 4

[interfaces]
  # all of them
  [[Home]]
    type = AutoInterface
    enabled = Yes

  [[Radio]]
    type = RNodeInterface
    enabled = False   # until tomorrow
    port = "/dev/ttyACM0" # old
    frequency=867200000
    bandwidth = 125000
    # it whispers
    txpower = 2
    airtime_limit_long = 0.5
    network_name = ours
    passphrase = "not # a comment"

  # a thought at the end
[other]
x = 1
"""


def lora(region: str = "EU868", name: str = "Radio", role: Role = Role.NODE) -> tuple[str, dict[str, str]]:
    plan = make_plan(Wishes(region=region, port="/dev/serial/by-id/usb-X", name=name, role=role))
    return render(plan), options(plan)


def put(content: bytes, region: str = "EU868", name: str = "Radio", role: Role = Role.NODE) -> bytes:
    text, wanted = lora(region, name, role)
    return put_section(content, name, text, wanted, (*OWNED, *(() if role is Role.NODE else ROLE_OPTIONS)))


def parsed(content: bytes) -> dict[str, dict[str, object]]:
    result: dict[str, dict[str, object]] = ConfigObj(content.decode(errors="replace").splitlines()).dict()
    return result


def test_an_older_section_is_changed_option_by_option() -> None:
    after = put(CONFIG)
    changed = [
        (old, new) for old, new in zip(CONFIG.splitlines(), after.splitlines(), strict=False) if old != new
    ][:4]
    assert changed == [
        (b"    enabled = False   # until tomorrow", b"    enabled = yes   # until tomorrow"),
        (b'    port = "/dev/ttyACM0" # old', b"    port = /dev/serial/by-id/usb-X # old"),
        (b"    frequency=867200000", b"    frequency=869525000"),
        (b"    bandwidth = 125000", b"    bandwidth = 250000"),
    ]
    radio = parsed(after)["interfaces"]["Radio"]
    assert isinstance(radio, dict)
    assert radio["passphrase"] == "not # a comment"
    assert radio["airtime_limit_long"] == "10"
    assert b"    # it whispers\n" in after
    assert after.endswith(b"  # a thought at the end\n[other]\nx = 1\n")
    assert put(after) == after


def test_a_region_without_a_duty_cycle_takes_the_limits_out() -> None:
    radio = parsed(put(put(CONFIG), "US915"))["interfaces"]["Radio"]
    assert isinstance(radio, dict)
    assert not set(OWNED) & set(radio)
    assert radio["network_name"] == "ours"


def test_a_new_section_goes_behind_the_last() -> None:
    after = put(CONFIG, name="Second")
    added = lora(name="Second")[0].encode()
    at = CONFIG.index(b"\n  # a thought")
    assert after == CONFIG[:at] + b"\n" + added + CONFIG[at:]


def test_windows_lines_and_a_last_line_without_an_end() -> None:
    content = CONFIG.partition(b"\n  # a thought")[0].rstrip(b"\n").replace(b"\n", b"\r\n")
    after = put(content, name="Second")
    assert after.startswith(content + b"\r\n\r\n[[Second]]\r\n")
    assert after.count(b"\n") == after.count(b"\r\n")


def test_no_interfaces_and_no_file() -> None:
    after = put(b"[reticulum]\nshare_instance = no")
    assert after.startswith(b"[reticulum]\nshare_instance = no\n\n[interfaces]\n[[Radio]]\n")
    fresh = parsed(put(empty_configuration().encode(), name="LoRa"))
    assert set(fresh["interfaces"]) == {"Default Interface", "LoRa"}
    assert put(b"").startswith(b"[interfaces]\n[[Radio]]")


def test_a_role_replaces_the_older_one() -> None:
    after = put(put(CONFIG, role=Role.GATEWAY), role=Role.ACCESS_POINT)
    radio = parsed(after)["interfaces"]["Radio"]
    assert isinstance(radio, dict)
    assert radio["mode"] == "access_point"
    assert "announce_cap" not in radio
    # Without a role asked for, what is there stays.
    assert b"mode = access_point" in put(after)


def test_text_in_triple_quotes_is_no_section() -> None:
    content = CONFIG.replace(b"network_name = ours\n", b'note = """\n[[Radio]]\nfrequency = 1\n"""\n')
    radio = parsed(put(content))["interfaces"]["Radio"]
    assert isinstance(radio, dict)
    assert radio["note"] == "\n[[Radio]]\nfrequency = 1\n"
    assert radio["frequency"] == "869525000"
    with pytest.raises(EditError, match="does not end"):
        put(CONFIG + b'x = """\n')


def test_a_radio_of_several_parts_is_left_alone() -> None:
    with pytest.raises(EditError, match="sections of its own"):
        put(CONFIG.replace(b"    network_name = ours\n", b"    [[[High]]]\n"))


VISIBLE = st.characters(codec="utf-8", exclude_categories=["C", "Z"], exclude_characters="\"'#,[]=")
VALUES = st.text(VISIBLE, min_size=1, max_size=8)
NAMES = st.from_regex(r"[a-z_]{1,12}", fullmatch=True)
SECTIONS = st.from_regex(r"[A-Za-z0-9]{1,8}", fullmatch=True)


@settings(max_examples=60)
@given(
    sections=st.dictionaries(SECTIONS, st.dictionaries(NAMES, VALUES, max_size=4), max_size=3),
    general=st.dictionaries(NAMES, VALUES, max_size=3),
    comment=st.text(VISIBLE, max_size=8),
    behind=st.booleans(),
    newline=st.sampled_from(["\n", "\r\n"]),
)
def test_everything_else_stays(
    sections: dict[str, dict[str, str]],
    general: dict[str, str],
    comment: str,
    behind: bool,
    newline: str,
) -> None:
    pairs = (f"{key} = {value}  # {comment}" for key, value in general.items())
    lines = [f"# {comment}", "[reticulum]", *pairs]
    body = ["[interfaces]"]
    for name, items in sections.items():
        body += [f"  [[{name}]]", *(f"  {key} = {value}" for key, value in items.items()), f"  # {comment}"]
    lines = [*body, *lines] if behind else [*lines, *body]
    content = newline.join(lines).encode()
    name = next(iter(sections), "Radio")
    before, after = parsed(content), parsed(put(content, name=name))
    ours = after["interfaces"].pop(name)
    old = before["interfaces"].pop(name, {})
    assert after == before
    assert isinstance(ours, dict)
    assert isinstance(old, dict)
    wanted = lora(name=name)[1]
    assert ours == old | wanted
