"""The line and the words that players compare."""

from __future__ import annotations

from dataclasses import replace
from hashlib import sha256
from pathlib import Path

import pytest

from lrgpnode.mesh.probe import parse_config
from lrgpnode.radio.tuned import Tuned, radios
from lrgpnode.radio.word import line, word, words


def tuned(text: str) -> list[Tuned]:
    from pathlib import Path

    return list(radios(parse_config(text.splitlines(), Path("/etc/reticulum/config")).interfaces))


RADIO = tuned(
    """
[interfaces]
[[LoRa]]
type = RNodeInterface
enabled = yes
port = /dev/x
frequency = 869525000
bandwidth = 250000
spreadingfactor = 9
codingrate = 5
txpower = 14
[[Net]]
type = AutoInterface
"""
)[0]


def test_the_published_example() -> None:
    # docs/radio.md says how it is made; here it is made again, from the text there.
    digest = sha256(b"869525000/250000/9//0/0").digest()
    bits = f"{digest[0]:08b}{digest[1]:08b}"
    pairs = words()
    assert word(RADIO) == f"{pairs[int(bits[:6], 2)][0]} {pairs[int(bits[6:12], 2)][1]}" == "icy falcon"
    page = (Path(__file__).parents[2] / "docs/radio.md").read_text()
    assert f"\n  compare   {line(RADIO)}\n  words     {word(RADIO)}\n" in page
    assert "`869525000/250000/9//0/0`" in page


def test_the_words_are_a_list_that_never_changes() -> None:
    assert len(words()) == 64
    assert len({first for first, _ in words()} | {second for _, second in words()}) == 128
    text = "".join(f"{first} {second}\n" for first, second in words())
    assert sha256(text.encode()).hexdigest()[:16] == "1dbe7105b7b46949"


@pytest.mark.parametrize(
    ("change", "same"),
    [
        ({"frequency": 869_525_001}, False),
        ({"bandwidth": 125_000}, False),
        ({"spreading_factor": 8}, False),
        ({"network": "ours"}, False),
        ({"locked": True}, False),
        ({"locked": True, "ifac_size": 128}, False),
        ({"ifac_size": 128}, True),  # of no access code
        ({"coding_rate": 8}, True),
        ({"txpower": 2}, True),
        ({"name": "Other", "port": "/dev/y", "limit_long": 10.0, "mode": "gateway"}, True),
    ],
)
def test_what_makes_other_words(change: dict[str, object], same: bool) -> None:
    other = replace(RADIO, **change)  # type: ignore[arg-type]
    assert (word(other) == word(RADIO)) == same


def test_the_line() -> None:
    assert line(RADIO) == "869.525 MHz / BW 250 kHz / SF 9 / CR 4/5 / no access code"
    assert line(replace(RADIO, network="ours", locked=True)).endswith(
        "access code: network ours, with a passphrase"
    )


def test_a_passphrase_is_not_kept() -> None:
    text = "[interfaces]\n[[A]]\ntype = RNodeInterface\npassphrase = swordfish\nnetwork_name = None\n"
    (radio,) = tuned(text)
    assert radio.locked
    assert radio.network == ""
    assert "swordfish" not in str([getattr(radio, name) for name in Tuned.__slots__])


def test_the_parts_of_a_radio_with_several() -> None:
    text = "[interfaces]\n[[M]]\ntype = RNodeMultiInterface\nport = /dev/x\n"
    text += "[[[A]]]\nfrequency = 868e6\n[[[B]]]\nfrequency = x\n"
    first, second = tuned(text)
    assert (first.name, first.port, first.frequency) == ("M/A", "/dev/x", 868_000_000)
    assert (second.name, second.frequency, second.complete) == ("M/B", None, False)
