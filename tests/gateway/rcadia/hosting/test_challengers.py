"""Players of the mesh who challenge while somebody waits at a table of ours, and the house that gives way."""

import asyncio
from dataclasses import replace
from pathlib import Path

import pytest

from tests.gateway.rcadia.hosting.arcade import Agent, first_legal
from tests.gateway.rcadia.hosting.house import FakeMesh, gives_up, house
from tests.gateway.rcadia.hosting.test_house_host import PEER, TTT, joined

GAME = "00000000000000aa"
PATIENT = replace(TTT, house_after=600.0)


def test_somebody_who_waits_gets_who_challenges_and_the_house_stays_away(tmp_path: Path) -> None:
    async def play() -> None:
        mesh = FakeMesh(gives_up)
        async with house(tmp_path, replace(PATIENT, rematch=False), mesh) as one:
            assert not await one.host.take(PEER, "ttt", GAME), "nobody is there"
            ann = await joined(one)
            await one.town.until(lambda: any(table.players for table in one.host.tables()))
            assert not await one.host.take(PEER, "chess", GAME)
            assert await one.host.take(PEER, "ttt", GAME)
            assert [(seek.peer, seek.app, seek.session) for seek in mesh.seated] == [(PEER, "ttt", GAME)]
            assert not await one.host.take("d4" * 16, "ttt", GAME), "the seat is taken"
            assert (await ann.play(first_legal))[0]["reason"] == "resignation"

    asyncio.run(play())


def test_who_cannot_be_seated_leaves_the_seat_to_the_house(tmp_path: Path) -> None:
    async def play() -> None:
        mesh = FakeMesh(refuses="you play already")
        async with house(tmp_path, replace(PATIENT, rematch=False), mesh) as one:
            ann = await joined(one)
            await one.town.until(lambda: any(table.players for table in one.host.tables()))
            assert not await one.host.take(PEER, "ttt", GAME)
            assert (await ann.play(first_legal))[0]["reason"] in ("win", "board_full")

    asyncio.run(play())


def test_who_plays_elsewhere_stays_in_line_until_he_is_free(tmp_path: Path) -> None:
    async def play() -> None:
        mesh = FakeMesh(gives_up, busy={PEER})
        async with house(tmp_path, replace(PATIENT, rematch=False), mesh) as one:
            await one.host.seek(PEER, "ttt")
            ann = await joined(one)
            await one.town.until(lambda: any(table.players for table in one.host.tables()))
            assert [seek.peer for seek in one.host.seeks()] == [PEER]
            assert mesh.seated == []
            mesh.busy.clear()
            one.host.changed()
            assert (await ann.play(first_legal))[0]["reason"] == "resignation"
            assert one.host.seeks() == ()

    asyncio.run(play())


def test_a_challenge_at_start_finds_who_has_waited_over_a_kill(tmp_path: Path) -> None:
    """The tables are known only when the platform has said who sits there."""

    async def play() -> None:
        mesh = FakeMesh(gives_up)
        async with house(tmp_path, replace(PATIENT, rematch=False), mesh) as one:
            ann = await joined(one)
            await one.town.until(lambda: any(table.players for table in one.host.tables()))
            await one.kill()
            await one.start()
            async with one.host.still():
                assert await one.host.take(PEER, "ttt", GAME)
            assert (await ann.play(first_legal))[0]["reason"] == "resignation"

    asyncio.run(play())


def test_no_table_is_opened_while_somebody_looks_for_another_s(tmp_path: Path) -> None:
    """Else a table that we are just opening could be taken for a stranger's, and played against ourselves."""

    async def play() -> None:
        async with house(tmp_path, replace(PATIENT, house=False)) as one:
            (first,) = await one.town.open_tables()
            async with one.host.still():
                assert [table.id for table in one.host.tables()] == [first["sessionId"]]
                await Agent(one.town, "ann").join(first["sessionId"])
                await Agent(one.town, "eve").join(first["sessionId"])
                await one.town.until(lambda: one.host.tables()[0].stage == "playing")
                listed = await one.town.available(all=1)
                assert [table["sessionId"] for table in listed] == [first["sessionId"]]
            await one.town.open_tables()

    asyncio.run(play())


@pytest.mark.slow
def test_where_no_table_is_left_the_house_gives_way_after_its_game(tmp_path: Path) -> None:
    async def play() -> None:
        settings = replace(TTT, max_tables=1, house_after=2.0)
        async with house(tmp_path, settings) as one:
            ann, eve = await joined(one), Agent(one.town, "eve")
            await ann.play(first_legal)
            ann.results.clear()
            ann.session = ann.snapshots[-1]["nextSessionId"]
            await ann.state()
            (listed,) = await one.town.open_tables()
            await eve.join(listed["sessionId"])
            await asyncio.gather(ann.play(first_legal), eve.play(first_legal))
            assert ann.results == eve.results
            names = {player["asName"] for player in ann.snapshots[-1]["players"]}
            assert names == {"ann", "eve"}

    asyncio.run(play())
