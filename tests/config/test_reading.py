"""The settings file, by the table."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

import pytest
from hypothesis import given, strategies as st

from lrgpnode.config import (
    ConfigError,
    RunOptions,
    Settings,
    hostname,
    load,
    parse_settings,
    problems,
    read_settings,
)
from lrgpnode.config.kinds import text, whole
from lrgpnode.config.reading import check_private, read_table
from lrgpnode.config.table import setting

FILE = Path("/etc/x/lrgpnode.toml")


def test_defaults_and_every_setting() -> None:
    assert parse_settings(b"", FILE) == Settings(
        node_name=hostname(),
        node_log_level="info",
        rns_config_dir=None,
        announce_interval_minutes=180,
        announce_at_start_seconds=5,
    )
    content = b"""
        [node]
        name = "caf\xc3\xa9"
        log_level = "debug"
        [rns]
        config_dir = "rns"
        [announce]
        interval_minutes = 0
        at_start_seconds = 60
    """
    assert parse_settings(content, FILE) == Settings(
        node_name="café",
        node_log_level="debug",
        rns_config_dir=Path("/etc/x/rns"),
        announce_interval_minutes=0,
        announce_at_start_seconds=60,
    )
    assert parse_settings(b"[node]\n[announce]", FILE) == parse_settings(b"", FILE)


@pytest.mark.parametrize(
    ("content", "words"),
    [
        ('[node]\nnmae = "x"', "there is no setting node.nmae; did you mean node.name?"),
        ('[nod]\nname = "x"', "there is no setting nod.name; did you mean node.name?"),
        ('log_level = "info"', "there is no setting log_level; did you mean node.log_level?"),
        ("[zzz]", "there is no setting zzz"),
        ("[node.name]\nx = 1", "there is no setting node.name.x; did you mean node.name?"),
        ("node = 5", "node is a table: write its settings under [node]"),
        ("[[node]]\nname = 'x'", "node is a table: write its settings under [node]"),
        ("[node]\nname = 5", "node.name must be a text of 1 to 64 printable characters, not 5"),
        ("[node]\nname = ''", "node.name must be a text of 1 to 64 printable characters, not ''"),
        ("[node]\nname = 'a\\nb'\nname = 'b'", "is not valid TOML: "),
        ('[node]\nname = "a\\nb"', "node.name must be a text of 1 to 64 printable characters, not 'a\\nb'"),
        ("[node.name]", "node.name must be a text"),
        (
            "[node]\nlog_level = 'loud'",
            "node.log_level must be one of debug, info, warning, error, not 'loud'",
        ),
        ("[node]\nlog_level = []", "node.log_level must be one of debug, info, warning, error, not []"),
        ("[rns]\nconfig_dir = 1", "rns.config_dir must be the path of a directory, not 1"),
        ("[rns]\nconfig_dir = '~nobody-here/x'", "rns.config_dir must be the path of a directory"),
        (
            "[announce]\ninterval_minutes = true",
            "announce.interval_minutes must be a whole number from 0 to 10080, not True",
        ),
        ("[announce]\ninterval_minutes = 1.5", "announce.interval_minutes must be a whole number"),
        ("[announce]\ninterval_minutes = -1", "announce.interval_minutes must be a whole number"),
        ("[announce]\ninterval_minutes = 0x" + "f" * 9000, "not that"),
        ("[node", "is not valid TOML: "),
        ("x = " + "[" * 9000, "is not valid TOML: "),
    ],
)
def test_errors_name_file_key_and_remedy(content: str, words: str) -> None:
    with pytest.raises(ConfigError) as failed:
        parse_settings(content.encode(), FILE)
    assert str(failed.value).startswith(str(FILE))
    assert words in str(failed.value)


@given(st.binary(max_size=60) | st.text(alphabet="[]{}=.\"'\n #ndeoam01", max_size=40).map(str.encode))
def test_no_file_makes_it_fail_in_another_way(content: bytes) -> None:
    try:
        parse_settings(content, FILE)
    except ConfigError as error:
        assert str(FILE) in str(error)


def test_files(tmp_path: Path) -> None:
    assert read_settings(tmp_path / "none").node_log_level == "info"
    with pytest.raises(ConfigError, match="there is no settings file"):
        read_settings(tmp_path / "none", required=True)
    with pytest.raises(ConfigError, match="cannot read the settings file"):
        read_settings(tmp_path)


def test_options_go_before_the_file(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    environ = {"XDG_RUNTIME_DIR": "/r"}
    (tmp_path / "lrgpnode.toml").write_text("[node]\nname = 'file'\nlog_level = 'error'\n")
    (tmp_path / "other.toml").write_text("[node]\nname = 'other'\n")
    monkeypatch.chdir(tmp_path)
    loaded = load(RunOptions(data=tmp_path), environ)
    settings = loaded.settings
    assert loaded.paths.data == tmp_path.resolve()
    assert (settings.node_name, settings.node_log_level) == ("file", "error")
    assert loaded.origins == {"node.name": "file", "node.log_level": "file"}
    loaded = load(RunOptions(data=tmp_path, name="flag", rns_config=Path("rns")), environ)
    settings = loaded.settings
    assert (settings.node_name, settings.node_log_level) == ("flag", "error")
    assert settings.rns_config_dir == tmp_path / "rns"
    assert loaded.origins == {
        "node.name": "--name",
        "node.log_level": "file",
        "rns.config_dir": "--rns-config",
    }
    loaded = load(RunOptions(data=tmp_path, config=Path("other.toml")), environ)
    assert (loaded.paths.config, loaded.settings.node_name) == (tmp_path / "other.toml", "other")
    with pytest.raises(ConfigError, match=r"missing\.toml"):
        load(RunOptions(data=tmp_path, config=Path("missing.toml")), environ)
    with pytest.raises(ConfigError, match="--log-level must be one of debug"):
        load(RunOptions(data=tmp_path, log_level="loud"), environ)


def test_all_problems_of_a_file_at_once(tmp_path: Path) -> None:
    content = b"[node]\nnmae = 'x'\nlog_level = 'loud'\n[announce]\ninterval_minutes = 30"
    assert problems(content, FILE) == (
        f"{FILE}: there is no setting node.nmae; did you mean node.name?",
        f"{FILE}: node.log_level must be one of debug, info, warning, error, not 'loud'",
    )
    assert problems(b"[announce]", FILE) == ()
    assert "not valid TOML" in problems(b"[", FILE)[0]


@dataclass(frozen=True, kw_only=True)
class Guarded:
    """A table with a secret."""

    web_token: str = setting(text(20), "", "To get in.", secret=True)
    web_port: int = setting(whole(1, 9), 1, "Where.")


def test_a_secret_is_not_shown_and_only_read_from_a_private_file() -> None:
    content = b"[web]\ntoken = 'abc123'"
    found = read_table(Guarded, content, FILE).table
    assert found.web_token == "abc123"
    assert "abc123" not in repr(found)
    with pytest.raises(ConfigError, match=r"holds the secret web.token .* chmod 600") as failed:
        check_private(Guarded, content, FILE)
    assert "abc123" not in str(failed.value)
    check_private(Guarded, b"[web]\nport = 2", FILE)
    with pytest.raises(ConfigError, match=r"web.token must be .*, not that"):
        read_table(Guarded, b"[web]\ntoken = 'abc123abc123abc123abc123'", FILE)
