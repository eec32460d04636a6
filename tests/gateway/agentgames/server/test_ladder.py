"""The ladder over HTTP, on the command line and in the control API; keys; settings and environment."""

from __future__ import annotations

import asyncio
import json
from pathlib import Path
from typing import Any

import asyncssh
import pytest

from gateway.agentgames.ladder.here import Here
from gateway.agentgames.ladder.ladders import ArcadeLadders
from gateway.arcade.mounted import arcade_settings
from lrgpnode.api.ladder import LadderMethods
from lrgpnode.config import Settings
from lrgpnode.control import models
from lrgpnode.control.methods import ControlError
from lrgpnode.protocol.errors import CallerError
from tests.gateway.agentgames.server.rig import Rig, accounts, play
from tests.gateway.arcade.served import run

KEY = asyncssh.generate_private_key("ssh-ed25519").export_public_key("openssh").decode().strip()


async def matches(rig: Rig) -> None:
    """One of each game: a win, a forfeit, and one of chess."""
    for game, moves in (
        ("ttt", ["0", "3", "1", "4", "2"]),
        ("c4", ["3", "7"]),
        ("chess", ["f2f3", "e7e5", "g2g4", "d8h4"]),
    ):
        pair = await rig.pair(f"game={game}")
        for number, token in enumerate(moves):
            await pair[number % 2].move(token)
            if number < len(moves) - 1:
                for each in pair:
                    await each.get()
        for each in pair:
            assert (await each.get())["type"] == "result"


def test_over_http(tmp_path: Path) -> None:
    async def scene(rig: Rig) -> None:
        await matches(rig)
        ladder = await rig.api("ladder?game=chess")
        assert ladder == {
            "game": "chess",
            "total": 2,
            "players": [
                {"rank": 1, "name": "ben", "rating": 1516.0, "played": 1, "won": 1, "drawn": 0, "lost": 0},
                {"rank": 2, "name": "ann", "rating": 1484.0, "played": 1, "won": 0, "drawn": 0, "lost": 1},
            ],
        }
        assert (await rig.api("ladder?game=chess&skip=1&limit=5"))["players"] == ladder["players"][1:]
        page = await rig.api("matches?limit=2")
        assert [one["game"] for one in page["matches"]] == ["chess", "c4"]
        rest = await rig.api(f"matches?limit=2&before={page['before']}")
        assert ([one["game"] for one in rest["matches"]], rest["before"]) == (["ttt"], None)
        forfeit = page["matches"][1]
        assert forfeit["reason"] == "forfeit: illegal move"
        assert (forfeit["winner"], forfeit["plies"]) == (0, 1)
        assert [one["number"] for one in (await rig.api("matches?game=c4&player=Ben"))["matches"]] == [
            forfeit["number"]
        ]
        shown = await rig.api("matches/3")
        assert shown["fen"] == "rnb1kbnr/pppp1ppp/8/4p3/6Pq/5P2/PPPPP2P/RNBQKBNR w KQkq - 1 3"
        assert [step["label"] for step in shown["steps"]] == ["f3", "e5", "g4", "Qh4#"]
        assert shown["rows"][0] == "rnbqkbnr"
        assert shown["steps"][-1]["rows"][4] == "......Pq"
        for path, status in (
            ("ladder", 400),
            ("ladder?game=go", 400),
            ("ladder?game=ttt&limit=51", 400),
            ("ladder?game=ttt&skip=-1", 400),
            ("matches?before=0", 400),
            ("matches?limit=x", 400),
            ("matches/99", 404),
            ("matches/x", 404),
            ("matches/%D9%A3", 404),
            ("matches/" + "9" * 40, 404),
        ):
            got, text = await rig.get(f"/api/v1/arcade/{path}")
            assert got == status, path
            assert json.loads(text)["code"] in ("bad_request", "unknown_match")

    play(tmp_path, scene)
    on_the_command_line(tmp_path)


def on_the_command_line(data: Path) -> None:
    def said(*words: str) -> str:
        done = run(data, *words)
        assert (done.returncode, done.stderr) == (0, "")
        return done.stdout

    assert "   1  ben                        1516.0  1 won, 0 drawn, 0 lost" in said("ladder", "chess")
    assert json.loads(said("ladder", "ttt", "--json"))["players"][0]["name"] == "ann"
    listed = said("matches", "--limit", "2")
    assert "chess" in listed
    assert "ann won (forfeit: illegal move)" in listed
    assert "Older ones: --before 2" in listed
    assert len(json.loads(said("matches", "--json"))["matches"]) == 3
    shown = said("replay", "3")
    assert "   2. g4        Qh4#" in shown
    assert "  . . . . . . P q" in shown
    first = said("replay", "1", "--at", "1")
    assert "  X . .\n  . . .\n" in first
    assert "b1" not in first
    assert json.loads(said("replay", "3", "--json"))["fen"].startswith("rnb1kbnr")
    assert run(data, "replay", "9").returncode == 1
    assert run(data, "replay", "1", "--at", "9").returncode == 2
    assert run(data, "ladder", "go").returncode == 2


def test_in_the_control_api(tmp_path: Path) -> None:
    async def scene(rig: Rig) -> None:
        await matches(rig)
        ladders = ArcadeLadders(Here(rig.arena))
        handlers: dict[str, Any] = LadderMethods(lambda: ladders).handlers()
        ladder = await handlers["ladder.show"](models.LadderParams(game="ttt"))
        assert [one.game for one in ladder.games] == ["ttt", "c4", "chess"]
        assert [one.name for one in ladder.rows] == ["ann", "ben"]
        page = await handlers["ladder.matches"](models.LadderMatchesParams(player="ann", limit=2))
        assert ([one.number for one in page.matches], page.more) == ([3, 2], True)
        shown = await handlers["ladder.replay"](models.ReplayParams(number=1, first=5))
        assert shown.frames[-1].grid == (("X", "X", "X"), ("O", "O", ""), ("", "", ""))
        with pytest.raises(CallerError, match="no match 9"):
            await handlers["ladder.replay"](models.ReplayParams(number=9))

    play(tmp_path, scene)
    closed = LadderMethods(lambda: None).handlers()
    with pytest.raises(ControlError, match="no ladder"):
        asyncio.run(closed["ladder.show"](models.LadderParams()))


def test_keys_of_accounts(tmp_path: Path) -> None:
    accounts(tmp_path, ("ann", "ben"))
    file = tmp_path / "id.pub"
    file.write_text(f"{KEY} ann's \x1b[31mlaptop\n")
    made = json.loads(run(tmp_path, "key", "add", "ann", str(file), "--json").stdout)
    assert made["account"] == "ann"
    assert made["key"] == " ".join(KEY.split()[:2])
    assert made["fingerprint"].startswith("SHA256:")
    assert made["comment"] == "ann's [31mlaptop"
    assert f"{made['id']}  ann" in run(tmp_path, "key", "list").stdout
    assert "There are no keys." in run(tmp_path, "key", "list", "ben").stdout
    again = run(tmp_path, "key", "add", "ben", "-", typed=KEY)
    assert (again.returncode, "ann has this key already" in again.stderr) == (1, True)
    other = run(tmp_path, "key", "remove", "ben", made["id"])
    assert "ben has no key" in other.stderr
    for name in (made["id"][:4], made["fingerprint"]):
        assert run(tmp_path, "key", "remove", "ann", name).returncode == 0
        assert run(tmp_path, "key", "add", "ben", "-", typed=KEY).returncode == 0
        assert run(tmp_path, "key", "remove", "ben", made["fingerprint"]).returncode == 0
        assert run(tmp_path, "key", "add", "ann", str(file)).returncode == 0
        made["id"] = json.loads(run(tmp_path, "key", "list", "--json").stdout)["keys"][0]["id"]
    for wrong in (
        "",
        "ssh-ed25519",
        "ssh-ed25519 AAAA",
        "ssh-rsa !!!",
        "x" * 99_999,
        KEY.replace(" AAAA", " BBBB"),
    ):
        assert run(tmp_path, "key", "add", "ann", "-", typed=wrong).returncode == 1
    small = asyncssh.generate_private_key("ssh-rsa", key_size=1024).export_public_key("openssh").decode()
    assert "not safe" in run(tmp_path, "key", "add", "ann", "-", typed=small).stderr
    assert run(tmp_path, "key", "add", "ann", str(tmp_path / "none")).returncode == 1


@pytest.mark.parametrize(
    ("environ", "expected"),
    [
        ({}, (20.0, 30.0, None)),
        ({"AGENTBBS_GAME_MOVE_TIMEOUT": "2", "AGENTBBS_GAME_QUEUE_WAIT": " 3 "}, (2.0, 3.0, None)),
        ({"AGENTBBS_GAME_MOVE_TIMEOUT": "0", "AGENTBBS_GAME_QUEUE_WAIT": "-5"}, (15.0, 120.0, None)),
        ({"AGENTBBS_GAME_MOVE_TIMEOUT": "1.5", "AGENTBBS_GAME_QUEUE_WAIT": "soon"}, (20.0, 30.0, None)),
        ({"AGENTBBS_GAME_WS_ADDR": "127.0.0.1:8090"}, (20.0, 30.0, ("127.0.0.1", 8090))),
        ({"AGENTBBS_GAME_WS_ADDR": ":8090"}, (20.0, 30.0, ("0.0.0.0", 8090))),
        ({"AGENTBBS_GAME_WS_ADDR": "nowhere"}, (20.0, 30.0, None)),
    ],
)
def test_settings_and_environment(tmp_path: Path, environ: dict[str, str], expected: Any) -> None:
    chosen = Settings(arcade_games_move_seconds=20, arcade_games_queue_seconds=30)
    made = arcade_settings(chosen, tmp_path, environ)
    assert made.arena is not None
    assert (made.arena.move_seconds, made.arena.queue_seconds, made.play) == expected
    assert made.ssh is None
    listening = Settings(arcade_ssh_listen="[::1]:8822")
    assert arcade_settings(listening, tmp_path, environ).ssh == ("::1", 8822)
    plain = arcade_settings(Settings(), tmp_path, {}).arena
    assert plain is not None
    assert (plain.move_seconds, plain.queue_seconds) == (15.0, 120.0)
