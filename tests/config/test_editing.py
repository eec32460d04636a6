"""Changing a settings file keeps everything else in it, and never leaves half a file."""

from __future__ import annotations

import os
import threading
import tomllib
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, strategies as st

from lrgpnode.config import ConfigError, editing, parse_settings
from lrgpnode.config.editing import REMOVE, edited, write_setting

FILE = Path("/etc/x/lrgpnode.toml")

AUTHORED = """\
# Node of the harbour office.

[node] # the box by the door
# painted on it
name = 'Harbour'   # as on the chart

[announce]
interval_minutes=360
"""


def test_everything_else_stays_as_it_was_written() -> None:
    result = edited(AUTHORED.encode(), "node.name", "Pier", FILE).decode()
    assert result == AUTHORED.replace("'Harbour'", '"Pier"')
    result = edited(AUTHORED.encode(), "announce.at_start_seconds", 9, FILE).decode()
    assert result == AUTHORED + "at_start_seconds = 9\n"
    result = edited(AUTHORED.encode(), "node.name", REMOVE, FILE).decode()
    assert result == AUTHORED.replace("name = 'Harbour'   # as on the chart\n", "")
    result = edited(AUTHORED.encode(), "rns.config_dir", "/r", FILE).decode()
    assert result == AUTHORED + '\n[rns]\nconfig_dir = "/r"\n'


@pytest.mark.parametrize(
    "content",
    [
        "",
        "# nothing but a comment",
        "node.name = 'a'\n",
        "node = {name = 'a'} # inline\n",
        "[node]\r\nname = 'a'\r\n",
        "[node]\nname = 'a'\n[announce]\n[rns]\n",
        "[ node ]\n'name' = '''\na'''\n",
    ],
)
def test_every_layout_of_toml(content: str) -> None:
    for key, value in (("node.name", "b"), ("node.log_level", "debug"), ("announce.interval_minutes", 7)):
        before = parse_settings(content.encode(), FILE)
        changed = edited(content.encode(), key, value, FILE)
        field = key.replace(".", "_", 1)
        after = parse_settings(changed, FILE)
        assert getattr(after, field) == value
        for other in ("node_name", "node_log_level", "announce_interval_minutes", "rns_config_dir"):
            assert other == field or getattr(after, other) == getattr(before, other)
        removed = edited(changed, key, REMOVE, FILE)
        assert key.partition(".")[2] not in _flat(tomllib.loads(removed.decode()))


def _flat(table: dict[str, Any]) -> set[str]:
    names: set[str] = set()
    for name, value in table.items():
        names |= _flat(value) if isinstance(value, dict) else {name}
    return names


@given(st.text(alphabet="[]{}=.\"'\n\t #nodeamlg1,", max_size=60))
def test_no_file_is_spoilt(content: str) -> None:
    """Whatever the file is: either a clear refusal, or exactly the one change."""
    try:
        result = edited(content.encode(), "node.name", "b", FILE)
    except ConfigError as error:
        assert str(FILE) in str(error)
    else:
        assert parse_settings(result, FILE).node_name == "b"


def test_a_new_file_is_private_and_an_old_one_keeps_its_mode(tmp_path: Path) -> None:
    file = tmp_path / "new" / "lrgpnode.toml"
    write_setting(file, "node.name", "x")
    assert file.read_text() == '[node]\nname = "x"\n'
    assert file.stat().st_mode & 0o777 == 0o600
    file.chmod(0o644)
    write_setting(file, "node.name", "y")
    assert file.stat().st_mode & 0o777 == 0o644
    assert [path.name for path in file.parent.iterdir()] == ["lrgpnode.toml"]


def test_a_link_stays_a_link(tmp_path: Path) -> None:
    (tmp_path / "real.toml").write_text("")
    (tmp_path / "lrgpnode.toml").symlink_to("real.toml")
    write_setting(tmp_path / "lrgpnode.toml", "node.name", "x")
    assert (tmp_path / "lrgpnode.toml").is_symlink()
    assert "x" in (tmp_path / "real.toml").read_text()


@pytest.mark.skipif(os.geteuid() != 0, reason="needs root")
def test_root_does_not_take_the_file_from_its_owner(tmp_path: Path) -> None:
    os.chown(tmp_path, 1234, 1235)
    file = tmp_path / "lrgpnode.toml"
    write_setting(file, "node.name", "x")
    assert (file.stat().st_uid, file.stat().st_gid) == (1234, 1235)
    os.chown(file, 4321, 5432)
    write_setting(file, "node.name", "y")
    assert (file.stat().st_uid, file.stat().st_gid) == (4321, 5432)


def test_what_is_refused_leaves_the_file_alone(tmp_path: Path) -> None:
    file = tmp_path / "lrgpnode.toml"
    file.write_text(AUTHORED)
    with pytest.raises(ConfigError, match=r"no setting node\.nmae; did you mean node\.name\?"):
        write_setting(file, "node.nmae", "x")
    with pytest.raises(ConfigError, match=r"no setting node\.nmae; did you mean node\.name\?"):
        write_setting(file, "node.nmae", REMOVE)
    with pytest.raises(ConfigError, match=r"node\.log_level must be one of"):
        write_setting(file, "node.log_level", "loud")
    with pytest.raises(ConfigError, match=r"node is a table"):
        write_setting(file, "node", REMOVE)
    assert file.read_text() == AUTHORED
    with pytest.raises(ConfigError, match="cannot change the settings file"):
        write_setting(file / "x", "node.name", "x")


def test_a_slip_can_be_mended(tmp_path: Path) -> None:
    file = tmp_path / "lrgpnode.toml"
    file.write_text("[node]\nnmae = 'x'\nlog_level = 'info'\n")
    with pytest.raises(ConfigError, match=r"there is no setting node\.nmae"):
        write_setting(file, "node.name", "x")
    write_setting(file, "node.nmae", REMOVE)
    assert file.read_text() == "[node]\nlog_level = 'info'\n"
    file.write_text("[node]\nlog_level = 'loud'\n")
    write_setting(file, "node.log_level", "debug")
    assert file.read_text() == '[node]\nlog_level = "debug"\n'


def test_a_crash_leaves_the_old_file(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    file = tmp_path / "lrgpnode.toml"
    file.write_text(AUTHORED)

    def full(_: int) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(editing.os, "fsync", full)
    with pytest.raises(ConfigError, match="No space left"):
        write_setting(file, "node.name", "x")
    assert file.read_text() == AUTHORED
    assert list(tmp_path.iterdir()) == [file]


def test_two_at_once_lose_nothing(tmp_path: Path) -> None:
    file = tmp_path / "lrgpnode.toml"
    changes = [("node.name", "x"), ("announce.interval_minutes", 7), ("node.log_level", "debug")]
    threads = [threading.Thread(target=write_setting, args=(file, *change)) for change in changes]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    settings = parse_settings(file.read_bytes(), file)
    assert (settings.node_name, settings.announce_interval_minutes) == ("x", 7)
    assert settings.node_log_level == "debug"
