"""What gateway and arcade need, and settings that name what is not there."""

from __future__ import annotations

import pytest

from lrgpnode.doctor.checks import web
from tests.doctor.conftest import Ward


def write(ward: Ward, text: str) -> None:
    ward.checks = web.CHECKS
    with (ward.data / "lrgpnode.toml").open("a") as file:
        file.write(text)


def test_without_aiohttp(ward: Ward, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(web, "find_spec", lambda name: None)
    write(ward, "[gateway]\nenabled = true\n[arcade]\nenabled = true\n")
    found = ward.all()
    assert [finding.id for finding in found] == ["web-module", "web-module"]
    assert found[0].cause.startswith("gateway.enabled is on")
    assert found[1].cause.startswith("arcade.enabled is on")
    assert "-m pip install 'lrgpnode[gateway]'" in found[0].fix


def test_who_uses_neither_needs_nothing(ward: Ward, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(web, "find_spec", lambda name: None)
    write(ward, '[gateway]\nroutes = ["chess=arcade"]\n')
    assert ward.all() == ()


def test_platforms_that_are_not_set_up(ward: Ward) -> None:
    write(
        ward,
        '[gateway]\nenabled = true\nroutes = ["chess=rcadia", "ttt=rcadia"]\n[hosting]\ngames = ["chess"]\n',
    )
    routes, hosting = ward.all()
    assert routes.id == hosting.id == "platform-unset"
    assert routes.cause == "gateway.routes names the platform rcadia, which is not set up."
    assert "config set rcadia.url https://" in routes.fix
    assert hosting.cause == "hosting.platform names the platform arcade, which is not set up."
    assert "config set arcade.enabled true" in hosting.fix


def test_platforms_that_are_set_up(ward: Ward) -> None:
    more = '[arcade]\nenabled = true\n[rcadia]\nurl = "https://games.example"\n[hosting]\ngames = ["chess"]\n'
    write(ward, '[gateway]\nenabled = true\nroutes = ["chess=rcadia", "ttt=arcade"]\n' + more)
    assert ward.all() == ()


def test_agentgames_like_the_others(ward: Ward, monkeypatch: pytest.MonkeyPatch) -> None:
    write(ward, '[gateway]\nenabled = true\nroutes = ["ttt=agentgames"]\n')
    (unset,) = ward.all()
    assert unset.cause == "gateway.routes names the platform agentgames, which is not set up."
    assert "config set agentgames.url wss://" in unset.fix
    write(ward, '[agentgames]\nssh = "games.example"\n')
    assert ward.all() == ()
    monkeypatch.setattr(web, "find_spec", lambda name: None if name == "asyncssh" else name)
    (module,) = ward.all()
    assert (module.id, "agentgames.ssh is set" in module.cause) == ("ssh-module", True)
    assert "lrgpnode[ssh]" in module.fix
    write(ward, '[arcade]\nenabled = true\nssh_listen = "127.0.0.1:8822"\n')
    assert [one.cause.split(" ")[0] for one in ward.all()] == ["agentgames.ssh", "arcade.ssh_listen"]
