"""The ladder and replays by text: one packet each, whatever the names, and a number steps on."""

from __future__ import annotations

import asyncio
from pathlib import Path
from typing import Any

import pytest

from gateway.agentgames.ladder.here import Here
from gateway.agentgames.ladder.ladders import ArcadeLadders
from gateway.agentgames.server import rules
from tests.gateway.agentgames.matches import OPERA, WON, arcade, played, season
from tests.text.stage import ANN, PACKET, Stage, on_stage

LONG = {"Ann": "Ann the extraordinarily long-winded one", "one": "ö" * 40, "two": "𝔛" * 40}


@pytest.mark.usefixtures("inline")
def test_standings_and_a_match_step_by_step(tmp_path: Path) -> None:
    async def scene(stage: Stage) -> None:
        ann = stage.phone(ANN)
        assert await ann.says("ladder") == (
            "~Ladders:\n1 Tic-Tac-Toe: Ann 1516, two 1499\n2 Connect 4: Ann 1516, two 1501\n"
            "3 Chess: one 1516, two 1484\nA number shows one."
        )
        assert await ann.says("2") == (
            "~Ladder of Connect 4:\n1 Ann 1516, 1-0-0\n2 two 1501, 1-0-1\n3 one 1483, 0-0-1\n"
            "6: Ann v two, void\n5: two 1-0 one\n3: Ann 1-0 two\nreplay NUMBER shows a match."
        )
        assert await ann.says("replay 3") == (
            "~Match 3 Ann v two: 7 of 7, 7.4\n- - - - - - -\n- - - - - - -\n- - - A - - -\nB - - A - - -\n"
            "B - - A - - -\nB - - A - - -\n1 2 3 4 5 6 7\nAnn won.\n1 back, 2 start."
        )
        assert await ann.says("2") == (
            "~Match 3 Ann v two: 0 of 7\n- - - - - - -\n- - - - - - -\n- - - - - - -\n- - - - - - -\n"
            "- - - - - - -\n- - - - - - -\n1 2 3 4 5 6 7\n1 next."
        )
        # The whole match by answering 1, then back by answering 2.
        for ply in range(1, 8):
            assert f": {ply} of 7" in await ann.says("1")
        assert ": 6 of 7" in await ann.says("1")
        assert ": 5 of 7" in await ann.says("2")
        assert await ann.says("Replay #5 3!") == (
            "~Match 5 two v one: 3 of 3, 3.3\n- - - - - - -\n- - - - - - -\n- - - - - - -\n- - - - - - -\n"
            "- - - B - - -\n- - A A - - -\n1 2 3 4 5 6 7\ntwo won (forfeit: move timeout).\n1 back, 2 start."
        )
        assert (await ann.says("replay 6")).endswith("\nVoid: it counts for nothing.")
        assert (await ann.says("replay 1 2")).splitlines()[1:4] == ["X - -", "O - -", "- - -"]

    with arcade(tmp_path) as (arena, accounts):
        season(arena.store, accounts)
        on_stage(scene, ladders=ArcadeLadders(Here(arena)))


@pytest.mark.usefixtures("inline")
def test_what_cannot_be_shown(tmp_path: Path) -> None:
    async def scene(stage: Stage) -> None:
        ann = stage.phone(ANN)
        which = "~Which match? replay 12, or replay 12 3 for after 3 moves; ladder GAME names the last ones."
        for said, answered in (
            ("ladder checkers", "~Which game? ladder alone lists them."),
            ("ladder of chess please", "~Ladder of Chess: nobody yet."),
            ("replay", which),
            ("replay first", which),
            ("replay -1", which),
            ("replay 1 2 3", which),
            ("replay 99999999999999999999", which),
            ("replay 99", "~There is no match 99."),
            ("replay 0", "~There is no match 0."),
            ("replay 999999999999999", "~There is no match 999999999999999."),
        ):
            assert await ann.says(said) == answered, said
        assert await ann.says("ladder") == (
            "~Ladders:\n1 Tic-Tac-Toe: nobody yet\n2 Connect 4: nobody yet\n3 Chess: nobody yet\n"
            "A number shows one."
        )

    with arcade(tmp_path) as (arena, _):
        on_stage(scene, ladders=ArcadeLadders(Here(arena)))

    async def none(stage: Stage) -> None:
        ann = stage.phone(ANN)
        for said in ("ladder", "ladder ttt", "replay 1"):
            assert await ann.says(said) == "~This node shows no ladder."

    on_stage(none)


@pytest.mark.usefixtures("inline")
def test_every_position_fits_into_a_packet_whatever_the_names(tmp_path: Path) -> None:
    async def scene(stage: Stage) -> None:
        ann = stage.phone(ANN)
        for said in ("ladder", "ladder ttt", "ladder chess"):
            answered = await ann.says(said)
            assert 0 < len(answered.encode()) <= PACKET
        for game in ("ttt", "c4", "chess"):
            positions = rules.replay(game, WON[game].split())
            letters = {"A": "X", "B": "O"} if game == "c4" else {}
            for ply in range(0, len(positions), 1 if game != "chess" else 5):
                answered = await ann.says(f"replay {numbers[game]} {ply}")
                assert len(answered.encode()) <= PACKET
                rows = [
                    line.replace(" ", "")[-len(row) :]
                    for line, row in zip(answered.splitlines()[1:], positions[ply].rows(), strict=False)
                ]
                shown = ["".join(letters.get(cell, cell) for cell in row).replace("-", ".") for row in rows]
                assert shown == list(positions[ply].rows()), (game, ply, answered)

    with arcade(tmp_path, LONG) as (arena, accounts):
        numbers = season(arena.store, accounts)
        for _ in range(20):
            played(arena.store, "chess", (accounts["one"], accounts["two"]), OPERA)
        on_stage(scene, ladders=ArcadeLadders(Here(arena)), text_commands_per_minute=1000)


def test_an_arcade_that_does_not_answer_keeps_nobody_waiting(tmp_path: Path) -> None:
    class Asleep:
        async def show(self, game: str | None, *, skip: int, limit: int) -> Any:
            await asyncio.sleep(3600.0)

        matches = replay = show

    async def scene(stage: Stage) -> None:
        ann = stage.phone(ANN)
        before = stage.loop.time()
        assert await ann.says("ladder") == "~That takes too long now. Try again later."
        assert stage.loop.time() - before < 60
        assert (await ann.says("help")).startswith("~play GAME")

    on_stage(scene, ladders=Asleep())
