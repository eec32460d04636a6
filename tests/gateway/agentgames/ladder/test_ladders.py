"""The ladder of this node's arena and of another arcade: the same, bounded, and believed only where it makes
sense."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Awaitable, Callable
from pathlib import Path
from typing import Any

import pytest
from aiohttp import web
from aiohttp.test_utils import TestServer
from hypothesis import given, settings, strategies as st

from gateway.address import parse_address
from gateway.agentgames.ladder.here import Here
from gateway.agentgames.ladder.ladders import ArcadeLadders
from gateway.agentgames.ladder.remote import MOST_BYTES, Remote
from gateway.agentgames.ladder.views import FIRST, SECOND, Film
from gateway.agentgames.server import rules
from lrgpnode.protocol.errors import CallerError
from tests.gateway.agentgames.matches import OPERA, WON, arcade, played, season
from tests.gateway.web.arcade import village

Json = dict[str, Any]
LIMIT = 50


class Clock:
    def __init__(self) -> None:
        self.now = 0.0

    def __call__(self) -> float:
        return self.now


# Views


@pytest.mark.parametrize("game", ["ttt", "c4", "chess"])
def test_a_film_is_the_rules_with_the_games_own_words(game: str) -> None:
    moves = WON[game].split()
    film = Film(game, moves)
    assert film.last == len(moves)
    positions = rules.replay(game, moves)
    letters = {"A": "X", "B": "O"} if game == "c4" else {}
    for ply, position in enumerate(positions):
        view = film.view(ply)
        assert (
            tuple("".join(letters.get(cell, cell) or "." for cell in row) for row in view.grid)
            == position.rows()
        )
        assert len(view.history) == ply
        if ply:
            assert view.history[-1] == positions[ply - 1].say(moves[ply - 1])
    end = film.view(film.last)
    assert end.result is not None
    assert (end.result.winner, end.turned) == (FIRST, False)


@settings(max_examples=25, deadline=None)
@given(st.sampled_from(["ttt", "c4"]), st.randoms(use_true_random=False))
def test_any_match_can_be_filmed(game: str, rng: Any) -> None:
    positions = [rules.GAMES[game].start()]
    moves: list[str] = []
    while positions[-1].legal:
        # Also as leniently as servers read them.
        moves.append(rng.choice(("", "+", "0")) + rng.choice(positions[-1].legal))
        positions.append(positions[-1].play(moves[-1]))
    film = Film(game, moves)
    result = film.view(film.last).result
    assert result is not None
    winner = {0: FIRST, 1: SECOND, -1: ""}[positions[-1].winner if positions[-1].winner is not None else -1]
    assert result.winner == winner


def test_chess_beyond_what_must_be_claimed_and_castling_in_both_spellings() -> None:
    shuffle = "g1f3 g8f6 f3g1 f6g8 " * 2
    assert Film("chess", shuffle.split()).last == 8
    castled = "g1f3 g8f6 g2g3 g7g6 f1g2 f8g7 e1h1 e8g8"
    assert Film("chess", castled.split()).view(8).history[-2:] == ("O-O", "O-O")


# Both sources


def test_another_arcade_shows_the_same(tmp_path: Path) -> None:
    async def test(here: ArcadeLadders, there: ArcadeLadders, numbers: dict[str, int]) -> None:
        for game in (None, "ttt", "Connect 4", "four_in_a_row", "chess"):
            one = await here.show(game, skip=0, limit=LIMIT)
            two = await there.show(game, skip=0, limit=LIMIT)
            assert two.source.startswith("http://127.0.0.1:")
            assert (one.games, one.game, one.rows, one.more) == (two.games, two.game, two.rows, two.more)
        for limit in (1, 2, LIMIT):
            one_page = await here.matches("c4", None, before=None, limit=limit)
            two_page = await there.matches("c4", None, before=None, limit=limit)
            assert (one_page.matches, one_page.more) == (two_page.matches, two_page.more)
            assert one_page.more is (limit < 3)
        older = await there.matches("c4", "TWO", before=numbers["late"], limit=LIMIT)
        assert [match.number for match in older.matches] == [numbers["c4"]]
        for number in numbers.values():
            first = await here.replay(number, first=0, limit=4)
            second = await there.replay(number, first=0, limit=4)
            assert (first.match, first.views, first.last, first.more) == (
                second.match,
                second.views,
                second.last,
                second.more,
            )
        skipped = await here.show("c4", skip=1, limit=1)
        assert ([row.rank for row in skipped.rows], skipped.more) == ([2], True)
        for ladders in (here, there):
            with pytest.raises(CallerError, match="There is no match 99"):
                await ladders.replay(99, first=0, limit=1)
            with pytest.raises(CallerError, match="only for ttt, c4, chess"):
                await ladders.show("go", skip=0, limit=1)
            assert not (await ladders.replay(numbers["ttt"], first=5000, limit=4)).views

    _both(tmp_path, test)


def _both(
    folder: Path, test: Callable[[ArcadeLadders, ArcadeLadders, dict[str, int]], Awaitable[None]]
) -> None:
    async def main() -> None:
        async with village(folder) as there:
            assert there.arcade is not None
            assert there.arcade.arena is not None
            numbers = season(*there.ladder())
            here = ArcadeLadders(Here(there.arcade.arena))
            remote = ArcadeLadders(Remote(parse_address(there.base)))
            try:
                await test(here, remote, numbers)
            finally:
                await remote.close()

    asyncio.run(main())


def test_a_match_that_goes_on_is_not_shown(tmp_path: Path) -> None:
    from gateway.agentgames.server.records import NewMatch

    with arcade(tmp_path) as (arena, accounts):
        (number,) = arena.store.begin(
            [NewMatch(game="ttt", first=accounts["Ann"], second=accounts["one"], at=1.0)]
        )
        with pytest.raises(CallerError, match="still being played"):
            asyncio.run(ArcadeLadders(Here(arena)).replay(number, first=0, limit=1))


def test_stepping_through_a_long_match_plays_it_again_once(tmp_path: Path) -> None:
    with arcade(tmp_path) as (arena, accounts):
        numbers = [played(arena.store, "chess", (accounts["Ann"], accounts["one"]), OPERA) for _ in range(6)]
        asked: list[int] = []
        real = arena.store.match

        def match(number: int) -> Any:
            asked.append(number)
            return real(number)

        arena.store.match = match  # type: ignore[method-assign]

        async def test() -> None:
            ladders = ArcadeLadders(Here(arena))
            for first in range(0, 33, 5):
                assert (await ladders.replay(numbers[0], first=first, limit=5)).views
            assert asked == numbers[:1]
            for number in numbers:
                await ladders.replay(number, first=0, limit=1)
            assert len(ladders._films) == 4

        asyncio.run(test())


# An arcade that cannot be trusted


class Strange:
    """Answers whatever a test says, by the end of the path."""

    def __init__(self) -> None:
        self.answers: dict[str, Any] = {}
        self.asked: list[str] = []

    async def handle(self, request: web.Request) -> web.StreamResponse:
        self.asked.append(request.path_qs)
        assert "Authorization" not in request.headers
        answer = self.answers.get(request.path.rpartition("/")[2])
        if callable(answer):
            found: web.StreamResponse = await answer(request)
            return found
        if answer is None:
            return web.json_response({"error": "no", "code": "not_found"}, status=404)
        return web.Response(text=answer if isinstance(answer, str) else json.dumps(answer))


def at_strange(test: Callable[[Strange, ArcadeLadders, Clock], Awaitable[None]]) -> None:
    async def main() -> None:
        strange, clock = Strange(), Clock()
        app = web.Application()
        app.router.add_get("/{path:.*}", strange.handle)
        async with TestServer(app) as server:
            ladders = ArcadeLadders(Remote(parse_address(str(server.make_url("")).rstrip("/")), now=clock))
            try:
                await test(strange, ladders, clock)
            finally:
                await ladders.close()

    asyncio.run(main())


MATCH: Json = {
    "number": 1,
    "game": "ttt",
    "state": "over",
    "players": [
        {"name": "ann", "ratingBefore": 1500.0, "ratingAfter": 1516.0},
        {"name": "ben", "ratingBefore": 1500.0, "ratingAfter": 1484.0},
    ],
    "winner": 0,
    "reason": None,
    "plies": 5,
    "startedAt": "2026-11-30T12:00:00.000Z",
    "endedAt": "2026-11-30T12:01:00.000Z",
}
STEPS = [{"move": move, "label": "?", "rows": []} for move in WON["ttt"].split()]
ROW: Json = {"rank": 1, "name": "ann", "rating": 1516.0, "played": 1, "won": 1, "drawn": 0, "lost": 0}
SECONDS: Json = {"moveSeconds": 15.0, "practiceSeconds": 300.0, "queueSeconds": 120.0}
ARENA: Json = {
    "games": [{"game": "ttt", "title": "x", "waiting": None, "playing": 1, "levels": []}]
} | SECONDS


def test_what_is_sound_is_shown_without_what_steers_a_terminal() -> None:
    async def test(strange: Strange, ladders: ArcadeLadders, _: Clock) -> None:
        name = "\x1b[2Jann\u202e" + "x" * 500
        strange.answers = {
            "arena": {"games": [*ARENA["games"], {"game": "go", "playing": 3}], "more": {"than": "expected"}}
            | SECONDS,
            "ladder": {"game": "ttt", "total": 1, "players": [ROW | {"name": name}] * 70},
            "matches": {"matches": [MATCH | {"reason": name}] * 70, "before": None},
            "1": {"match": MATCH, "rows": ["\x1b[2J"] * 9000, "steps": STEPS, "fen": None},
        }
        found = await ladders.show(None, skip=0, limit=LIMIT)
        assert [game.game for game in found.games] == ["ttt"]
        assert len(found.rows) == LIMIT
        assert len(found.rows[0].name) <= 64
        assert found.rows[0].name.startswith("[2Jann")
        matches = await ladders.matches(None, None, before=None, limit=LIMIT)
        assert len(matches.matches) == LIMIT
        assert "\x1b" not in matches.matches[0].reason
        replay = await ladders.replay(1, first=5, limit=1)
        assert replay.views[0].grid == (("X", "X", "X"), ("O", "O", ""), ("", "", ""))
        assert replay.match.after == (1516.0, 1484.0)

    at_strange(test)


BAD_MATCHES: list[tuple[str, Json]] = [
    ("another game", {"game": "go"}),
    ("another state", {"state": "lost"}),
    ("three players", {"players": MATCH["players"] * 2}),
    ("no winner", {"winner": None}),
    ("a third winner", {"winner": 2}),
    ("negative", {"plies": -1}),
    ("no time", {"startedAt": "yesterday"}),
    ("no number", {"number": 0}),
]


@pytest.mark.parametrize(("what", "change"), BAD_MATCHES, ids=[what for what, _ in BAD_MATCHES])
def test_a_match_that_makes_no_sense(what: str, change: Json) -> None:
    async def test(strange: Strange, ladders: ArcadeLadders, _: Clock) -> None:
        strange.answers = {
            "matches": {"matches": [MATCH, MATCH | change], "before": None},
            "1": {"match": MATCH | change, "rows": [], "steps": STEPS, "fen": None},
        }
        with pytest.raises(CallerError, match="makes no sense"):
            await ladders.matches(None, None, before=None, limit=5)
        with pytest.raises(CallerError, match="makes no sense"):
            await ladders.replay(1, first=0, limit=1)

    at_strange(test)


def test_moves_that_are_none_and_numbers_that_are_others() -> None:
    async def test(strange: Strange, ladders: ArcadeLadders, _: Clock) -> None:
        def replay(steps: list[Any], **change: Any) -> Json:
            return {"match": MATCH | change, "rows": [], "steps": steps, "fen": None}

        illegal = [STEPS[0], STEPS[0], *STEPS[2:]]
        after_the_end = [*STEPS, {"move": "8", "label": "", "rows": []}]
        strange.answers = {
            "1": replay(illegal),
            "2": replay(STEPS),
            "3": replay(STEPS[:4], number=3),
            "4": replay(after_the_end, number=4, plies=6),
            "6": replay([{"move": "4", "label": "", "rows": []}] * 1501, number=6, plies=1501),
            "5": replay([{"move": "x" * 1000, "label": "", "rows": []}], number=5, plies=1),
        }
        for number, why in (
            (1, "illegal"),
            (2, "no sense"),
            (3, "no sense"),
            (4, "illegal"),
            (5, "illegal"),
            (6, "1500 moves"),
        ):
            with pytest.raises(CallerError, match=why):
                await ladders.replay(number, first=0, limit=1)

    at_strange(test)


@pytest.mark.parametrize(
    ("answer", "why"),
    [
        ("<html>", "not JSON"),
        ("[]", "something else"),
        ('{"players": 7}', "lacks players"),
        (json.dumps({"players": [ROW | {"rank": -1}]}), "no sense"),
        (
            '{"players": [{"rank": 1, "name": "a", "rating": 1e999, "won": 0, "drawn": 0, "lost": 0}]}',
            "not JSON|lacks",
        ),
        ("x" * (MOST_BYTES + 1), "longer than"),
    ],
    ids=["html", "list", "type", "rank", "infinite", "long"],
)
def test_answers_that_are_none(answer: str, why: str) -> None:
    async def test(strange: Strange, ladders: ArcadeLadders, _: Clock) -> None:
        strange.answers = {"arena": ARENA, "ladder": answer}
        with pytest.raises(CallerError, match=why) as refused:
            await ladders.show(None, skip=0, limit=5)
        assert len(refused.value.message) <= 300

    at_strange(test)


def test_it_is_asked_once_in_a_while_and_may_ask_for_a_pause() -> None:
    async def test(strange: Strange, ladders: ArcadeLadders, clock: Clock) -> None:
        strange.answers = {"arena": ARENA, "ladder": {"players": [ROW]}}
        for _ in range(20):
            await ladders.show("ttt", skip=0, limit=5)
        assert len(strange.asked) == 2
        clock.now += 60
        await ladders.show("ttt", skip=0, limit=5)
        assert len(strange.asked) == 4

        async def busy(_: web.Request) -> web.StreamResponse:
            return web.json_response({"error": "later"}, status=429, headers={"Retry-After": "30"})

        clock.now += 60
        strange.answers["ladder"] = busy
        for why in ("later", "pause of 30"):
            with pytest.raises(CallerError, match=why):
                await ladders.show("ttt", skip=1, limit=5)
        assert len(strange.asked) == 6

    at_strange(test)


def test_nobody_is_there() -> None:
    async def main() -> None:
        ladders = ArcadeLadders(Remote(parse_address("http://127.0.0.1:9")))
        try:
            with pytest.raises(CallerError, match=r"The arcade at http://127.0.0.1:9 cannot be reached"):
                await ladders.show(None, skip=0, limit=1)
        finally:
            await ladders.close()

    asyncio.run(main())
