"""What a node runs with, beside what its file says."""

from __future__ import annotations

from pathlib import Path

import pytest

from lrgpnode.config import ConfigError, RunOptions, load
from lrgpnode.config.configuration import Configuration, Shown
from lrgpnode.config.editing import REMOVE, write_setting


def make(tmp_path: Path, content: str = "", **options: str) -> Configuration:
    (tmp_path / "lrgpnode.toml").write_text(content)
    return Configuration(load(RunOptions(data=tmp_path, **options), {"LRGPNODE_SOCKET": "/s"}))


def one(configuration: Configuration, key: str) -> Shown:
    (shown,) = configuration.report(key).settings
    return shown


def test_where_values_come_from(tmp_path: Path) -> None:
    configuration = make(tmp_path, "[announce]\ninterval_minutes = 7\n[node]\nname = 'x'", name="y")
    assert one(configuration, "announce.interval_minutes").origin == "file"
    assert one(configuration, "announce.at_start_seconds").origin == "default"
    shown = one(configuration, "node.name")
    assert (shown.value, shown.origin, shown.pending) == ("y", "--name", False)
    assert {s.row.section for s in configuration.report("announce").settings} == {"announce"}
    with pytest.raises(ConfigError, match=r"did you mean node\.name"):
        configuration.report("node.nam")


def test_what_acts_now_and_what_at_the_next_start(tmp_path: Path) -> None:
    configuration = make(tmp_path)
    levels: list[str] = []
    configuration.on_change("node.log_level", levels.append)
    write_setting(configuration.paths.config, "node.log_level", "debug")
    assert one(configuration, "node.log_level").pending
    assert configuration.adopt("node.log_level") == "now"
    assert levels == ["debug"]
    assert configuration.settings.node_log_level == "debug"
    assert one(configuration, "node.log_level").origin == "file"
    write_setting(configuration.paths.config, "announce.interval_minutes", 7)
    assert configuration.adopt("announce.interval_minutes") == "next_start"
    shown = one(configuration, "announce.interval_minutes")
    assert (shown.value, shown.pending, shown.next_value) == (180, True, 7)
    write_setting(configuration.paths.config, "node.log_level", REMOVE)
    assert configuration.adopt("node.log_level") == "now"
    assert levels == ["debug", "info"]
    assert one(configuration, "node.log_level").origin == "default"


def test_options_go_before_a_change(tmp_path: Path) -> None:
    configuration = make(tmp_path, log_level="error")
    configuration.on_change("node.log_level", lambda _: pytest.fail("an option goes before the file"))
    write_setting(configuration.paths.config, "node.log_level", "debug")
    assert configuration.adopt("node.log_level") == "overridden"
    shown = one(configuration, "node.log_level")
    assert (shown.value, shown.origin, shown.pending) == ("error", "--log-level", False)


def test_a_file_that_was_spoilt_since(tmp_path: Path) -> None:
    configuration = make(tmp_path, "[node]\nname = 'x'")
    configuration.paths.config.write_text("[nod]\nname = 'y'")
    report = configuration.report("node.name")
    assert report.settings[0].value == "x"
    assert "did you mean node.name?" in report.problem


def test_only_live_settings_act_at_once(tmp_path: Path) -> None:
    with pytest.raises(ValueError, match="not marked live"):
        make(tmp_path).on_change("node.name", print)
