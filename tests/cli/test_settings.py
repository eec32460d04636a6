"""``lrgpnode config``: through the running node, and without one."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from lrgpnode.control import models
from lrgpnode.control.server import ControlError
from tests.cli.conftest import Run
from tests.cli.fakes import FakeNode


def info(key: str, value: Any, **more: Any) -> models.SettingInfo:
    fields: dict[str, Any] = {"default": value, "origin": "default", "limits": "a thing", "unit": ""}
    fields |= {"help": "What it is.", "live": False, "secret": False, "pending": False, "next_value": value}
    return models.SettingInfo(key=key, value=value, **{**fields, **more})


SHOWN = models.ConfigShown(
    file="/srv/lrgpnode.toml",
    settings=(
        info("node.name", "pi\x1b[2J", origin="--name", default="vm"),
        info("announce.pause", 180, unit="minutes", origin="file", pending=True, next_value=7),
        info("web.token", None, secret=True, origin="file", limits="a text"),
        info("web.other", None, secret=True),
        info("web.on", False, live=True),
        info("web.peers", ["a", "b"]),
        info("web.none", []),
    ),
    problem="/srv/lrgpnode.toml: there is no setting x",
)


def changed(acts: Any, origin: str = "file") -> models.ConfigChanged:
    return models.ConfigChanged(key="node.name", file="/srv/lrgpnode.toml", acts=acts, origin=origin)


def test_show_prints_a_table(node: FakeNode, run: Run) -> None:
    node.results["node.config_show"] = SHOWN
    ran = run("config", "show")
    assert (ran.code, ran.err) == (0, "")
    assert ran.out.splitlines() == [
        "SETTING         VALUE        DEFAULT      FROM     A CHANGE ACTS",
        "node.name       pi[2J        vm           --name   at the next start",
        "announce.pause  180 minutes  180 minutes  file     at the next start, then 7 minutes",
        "web.token       (secret)                  file     at the next start",
        "web.other       not set                   default  at the next start",
        "web.on          false        false        default  at once",
        "web.peers       a, b         a, b         default  at the next start",
        "web.none        none         none         default  at the next start",
        "",
        "Settings file: /srv/lrgpnode.toml",
        "Problem, for the next start: /srv/lrgpnode.toml: there is no setting x",
    ]
    assert run("config", "show", "--json").json["settings"][1]["next_value"] == 7


def test_a_negative_number_is_a_value_and_no_option(node: FakeNode, run: Run) -> None:
    node.results["node.config_set"] = changed("now")
    assert run("config", "set", "node.name", "-5", "--json").json["acts"] == "now"
    assert run("config", "set", "propagation.host_stamp_cost", "-5").code == 0
    assert [params["value"] for _, params in node.calls] == ["-5", -5]


def test_show_of_one_setting(node: FakeNode, run: Run) -> None:
    node.results["node.config_show"] = models.ConfigShown(file="/f", settings=(SHOWN.settings[1],))
    assert run("config", "show", "announce.pause").out.splitlines() == [
        "announce.pause: 180 minutes",
        "What it is.",
        "from       file",
        "must be    a thing, in minutes",
        "default    180 minutes",
        "acts       at the next start",
        "next start 7 minutes",
        "",
        "Settings file: /f",
    ]
    assert node.calls[-1] == ("node.config_show", {"key": "announce.pause"})
    node.results["node.config_show"] = models.ConfigShown(file="/f", settings=(SHOWN.settings[2],))
    assert "default" not in run("config", "show", "web.token").out


@pytest.mark.parametrize(
    ("result", "words"),
    [
        (changed("now"), "node.name is changed and acts now."),
        (changed("next_start"), "node.name is changed; it acts when the node starts next."),
        (changed("overridden", "--name"), "the node was started with --name, which goes before."),
    ],
)
def test_a_change_says_when_it_acts(
    node: FakeNode, run: Run, result: models.ConfigChanged, words: str
) -> None:
    node.results["node.config_set"] = result
    node.results["node.config_unset"] = result
    assert words in run("config", "set", "node.name", "x").out
    assert words in run("config", "unset", "node.name").out
    assert run("config", "set", "node.name", "x", "--json").json["acts"] == result.acts


def test_what_is_typed_has_the_type_of_the_setting(node: FakeNode, run: Run) -> None:
    node.results["node.config_set"] = changed("now")
    run("config", "set", "announce.interval_minutes", "7")
    run("config", "set", "node.name", "7")
    run("config", "set", "rns.config_dir", "x")
    assert [call[1]["value"] for call in node.calls] == [7, "7", str(Path("x").absolute())]


def test_what_is_wrong_does_not_reach_the_node(node: FakeNode, run: Run) -> None:
    ran = run("config", "set", "announce.interval_minutes", "soon")
    assert ran.code == 5
    assert "announce.interval_minutes must be a whole number from 0 to 10080, not 'soon'" in ran.err
    ran = run("config", "set", "node.nmae", "x", "--json")
    assert ran.code == 5
    assert ran.json["error"]["kind"] == "config"
    assert "did you mean node.name?" in ran.json["error"]["message"].lower()
    assert node.calls == []
    node.results["node.config_set"] = ControlError("config", "the file is read-only", "Change that.")
    ran = run("config", "set", "node.name", "x")
    assert (ran.code, ran.err) == (5, "lrgpnode: The file is read-only. Change that.\n")


def test_without_a_node_the_file_is_changed(short_path: Path, run: Run) -> None:
    file = short_path / "lrgpnode.toml"
    ran = run("config", "set", "node.name", "Harbour")
    assert (ran.code, ran.out) == (0, f"node.name is changed in {file}; no node is running.\n")
    assert file.read_text() == '[node]\nname = "Harbour"\n'
    shown = run("config", "show", "node", "--json").json
    assert [one["value"] for one in shown["settings"] if one["key"] == "node.name"] == ["Harbour"]
    assert shown["settings"][0]["origin"] == "file"
    assert run("config", "unset", "node.name").code == 0
    assert file.read_text() == "[node]\n"


def test_without_a_node_a_wrong_file_can_be_mended(short_path: Path, run: Run) -> None:
    file = short_path / "lrgpnode.toml"
    file.write_text("[node]\nnmae = 'x'\n")
    ran = run("config", "show")
    assert ran.code == 5
    assert "there is no setting node.nmae; did you mean node.name?" in ran.err
    assert run("config", "set", "node.name", "y").code == 5
    assert run("config", "unset", "node.nmae").code == 0
    assert run("config", "set", "node.name", "y").code == 0
    assert file.read_text() == '[node]\nname = "y"\n'
    ran = run("config", "unset", "node.nmae")
    assert ran.code == 5
    assert "no setting node.nmae" in ran.err


def test_a_node_that_may_not_be_asked_is_not_worked_around(
    short_path: Path, run: Run, monkeypatch: pytest.MonkeyPatch
) -> None:
    def refuse(*_: object) -> None:
        raise PermissionError(13, "Permission denied")

    monkeypatch.setattr("socket.socket.connect", refuse)
    ran = run("config", "set", "node.name", "x")
    assert ran.code == 3
    assert "You may not open the node's socket" in ran.err
    assert not (short_path / "lrgpnode.toml").exists()
