"""The ladder, replays move by move, and playing in the browser: a queued agent, and the house."""

from __future__ import annotations

import asyncio
import contextlib
import json
from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any

import aiohttp
import chess
import pytest

from gateway.agentgames.server import rules
from tests.gateway.agentgames.matches import OPERA, WON, season
from tests.gateway.web.arcade import DEADLINE, Village
from tests.gateway.web.chromium import Browser
from tests.gateway.web.conftest import Runner
from tests.gateway.web.page import Page
from tests.gateway.web.test_looks import fits

LABELS = {"0": "row 1, column 1", "1": "row 1, column 2", "8": "row 3, column 3"}
SLOW = pytest.mark.slow
CELLS = "[...document.querySelectorAll('.cell')].map((one) => one.ariaLabel)"
NAMES = {"empty": ".", "X": "X", "O": "O", "first player": "X", "second player": "O"}


async def board(page: Page, game: str) -> list[str]:
    """The rows that a reader of the page is told."""
    labels = [str(label) for label in await page.eval(CELLS)]
    wide = {"ttt": 3, "c4": 7, "chess": 8}[game]
    letters = [_man(label) if game == "chess" else NAMES[label.rsplit(", ", 1)[1]] for label in labels]
    return ["".join(letters[start : start + wide]) for start in range(0, len(letters), wide)]


def _man(label: str) -> str:
    if ", " not in label:
        return "."
    colour, kind = label.split(", ")[1].split(" ")
    letter = {"knight": "n"}.get(kind, kind[0])
    return letter.upper() if colour == "white" else letter


@pytest.mark.parametrize("game", ["ttt", pytest.param("c4", marks=SLOW), pytest.param("chess", marks=SLOW)])
def test_a_replay_shows_every_position(in_browser: Runner, tmp_path: Path, game: str) -> None:
    async def test(there: Village, browser: Browser) -> None:
        number = season(*there.ladder())[game]
        page = await browser.page()
        await page.open(f"{there.base}/replay/{number}")
        await page.until("document.querySelector('.board')")
        positions = rules.replay(game, WON[game].split())
        for ply, position in enumerate(positions):
            if ply:
                # By the button, by the keyboard, by the list.
                if ply % 3 == 0:
                    await page.click(f".plies li:not(.number):nth-of-type({ply + (ply + 1) // 2}) .ply")
                elif ply % 3 == 1:
                    await page.click("[aria-label='One move on']")
                else:
                    await page.key("ArrowRight")
            await page.until(f"location.hash === '#{ply}'")
            assert await board(page, game) == list(position.rows()), ply
            assert await page.eval("document.querySelectorAll('.ply[aria-current]').length") == min(ply, 1)
        says = await page.text(".says")
        assert says.startswith(f"After move {len(positions) - 1} of {len(positions) - 1}")
        await page.key("Home")
        assert (await page.text(".says")).startswith("The beginning")
        await page.key("ArrowLeft")
        assert await board(page, game) == list(positions[0].rows())
        await page.key("End")
        assert await board(page, game) == list(positions[-1].rows())
        assert page.complaints == []

    in_browser(tmp_path, test)


@pytest.mark.slow
def test_the_ladder_leads_to_players_and_matches(in_browser: Runner, tmp_path: Path) -> None:
    async def test(there: Village, browser: Browser) -> None:
        numbers = season(*there.ladder())
        page = await browser.page()
        await page.open(f"{there.base}/ladder/c4")
        await page.until("document.querySelectorAll('.ranks tbody tr').length === 3")
        rows = await page.eval(
            "[...document.querySelectorAll('.ranks tbody tr')].map((one) => one.innerText)"
        )
        assert " ".join(rows[0].split()) == "1. Ann 1516 1 won · 0 drawn · 0 lost"
        matches = await page.eval("[...document.querySelectorAll('.match')].map((one) => one.innerText)")
        wanted = ("Ann – two Void", "two won on time", "Ann won.")
        assert [words in shown for words, shown in zip(wanted, matches, strict=True)] == [True] * 3
        await page.click(".name[aria-label='Matches of one']")
        await page.until("document.querySelectorAll('.match').length === 1")
        assert await page.text("#matches-title") == "Matches of one"
        loaded = browser.event("Page.loadEventFired", page.session)
        await page.click(".match")
        await asyncio.wait_for(loaded, DEADLINE)
        await page.until("document.querySelector('.board')")
        assert await page.eval("location.pathname") == f"/replay/{numbers['late']}"
        assert await page.text(".result") == "two won on time."
        assert page.complaints == []
        assert all(url.startswith(there.base) for url in page.requests)

    in_browser(tmp_path, test)


@contextlib.asynccontextmanager
async def agent(
    there: Village, game: str, name: str = "one"
) -> AsyncIterator[aiohttp.ClientWebSocketResponse]:
    """A program that waits at the ladder."""
    headers = {"Authorization": f"Bearer {there.tokens[name]}"}
    async with there.http.ws_connect(f"{there.base}/play?game={game}", headers=headers) as socket:
        yield socket


async def hear(socket: aiohttp.ClientWebSocketResponse, kind: str) -> Any:
    """The next message of that type."""
    async with asyncio.timeout(DEADLINE):
        while True:
            message = json.loads(await socket.receive_str())
            if message["type"] == kind:
                return message


async def my_turn(socket: aiohttp.ClientWebSocketResponse) -> Any:
    while True:
        state = await hear(socket, "state")
        if state["yourTurn"]:
            return state["observation"]


async def says(page: Page, words: str) -> None:
    await page.until(f"document.querySelector('.says').innerText.startsWith({json.dumps(words)})")


def test_a_person_plays_a_queued_agent(in_browser: Runner, tmp_path: Path) -> None:
    async def test(there: Village, browser: Browser) -> None:
        page = await browser.page()
        await page.size(375, 740, phone=True)
        async with agent(there, "ttt") as one:
            await hear(one, "queued")
            await there.sign_in(page, "/ladder/ttt")
            await page.until("document.querySelector('.now p').innerText === 'one waits for an opponent.'")
            loaded = browser.event("Page.loadEventFired", page.session)
            await page.click(".now .button")
            await asyncio.wait_for(loaded, DEADLINE)
            await page.click(".choices .button.main")
            hello = await hear(one, "hello")
            assert (hello["player"], hello["opponent"]) == (0, "Ann")
            for agents, anns in (
                ("0", "row 2, column 2"),
                ("1", "row 1, column 3"),
                ("8", "row 3, column 1"),
            ):
                observation = await my_turn(one)
                assert agents in observation["legal"]
                await one.send_json({"type": "move", "move": agents})
                await says(page, "Your move.")
                assert (await page.eval("document.title")).startswith("Your move")
                last = await page.eval(
                    f"{CELLS}.filter((_, i) => document.querySelectorAll('.cell')[i]"
                    ".classList.contains('last'))"
                )
                assert last == [f"{LABELS[agents]}, X"]
                assert await page.eval("document.documentElement.scrollWidth") == 375
                await page.click(f"[aria-label='{anns}, empty, can be played']")
            result = await hear(one, "result")
            assert (result["outcome"], result["winner"], result["rating"]) == ("loss", 1, 1484.0)
            await says(page, "You won.")
            await page.until("document.body.innerText.includes('Your rating is 1516 now.')")
            await page.until("document.querySelector('.buttons a[href^=\\'/replay/\\']')")
        loaded = browser.event("Page.loadEventFired", page.session)
        await page.click(".buttons a[href^='/replay/']")
        await asyncio.wait_for(loaded, DEADLINE)
        await page.until("document.querySelector('.board')")
        await page.key("End")
        assert await board(page, "ttt") == ["XXO", ".O.", "O.X"]
        assert page.complaints == []

    in_browser(tmp_path, test)


@pytest.mark.slow
def test_practice_against_the_house_is_kept_nowhere(in_browser: Runner, tmp_path: Path) -> None:
    async def test(there: Village, browser: Browser) -> None:
        page = await browser.page()
        await there.sign_in(page, "/match/ttt")
        await page.click(".choices section:nth-child(2) .button")
        for _ in range(5):
            await page.until("/Your move|won|lost|draw/.test(document.querySelector('.says').innerText)")
            if await page.text(".says") != "Your move.":
                break
            # By the keyboard: to the board, to a free cell, press.
            await page.eval("document.querySelector('.cell.target').focus()")
            await page.key("Enter")
            await page.until(
                "document.querySelector('.says').innerText !== 'Your move.'"
                " || document.querySelectorAll('.cell.empty').length < 8"
            )
        await page.until("/won|lost|draw/.test(document.querySelector('.says').innerText)")
        assert "Practice counts for nothing." in await page.text(".side")
        assert (await there.get("/api/v1/arcade/matches"))["matches"] == []
        await page.click(".buttons .main")
        await page.until("document.querySelector('.choices')")
        assert page.complaints == []

    in_browser(tmp_path, test)


@pytest.mark.slow
def test_leaving_giving_up_and_being_alone(in_browser: Runner, tmp_path: Path) -> None:
    async def test(there: Village, browser: Browser) -> None:
        page = await browser.page()
        # Nobody is signed in.
        await page.open(f"{there.base}/match/chess")
        await page.until("document.body.innerText.includes('Sign in to play')")
        assert await page.eval("document.querySelector('#match .button.main').getAttribute('href')") == (
            "/sign-in#%2Fmatch%2Fchess"
        )
        await there.sign_in(page, "/match/chess")
        # Alone in the queue, and out of it again.
        await page.click(".choices .button.main")
        await says(page, "Looking for an opponent")
        await page.until("/You wait for 1:\\d\\d more/.test(document.body.innerText)")
        games = (await there.get("/api/v1/arcade/arena"))["games"]
        assert [one["waiting"] for one in games] == [None, None, "Ann"]
        await page.click(".side .button")
        await page.until("document.querySelector('.choices')")
        games = (await there.get("/api/v1/arcade/arena"))["games"]
        assert [one["waiting"] for one in games] == [None, None, None]
        # Black sits below; giving up asks twice.
        async with agent(there, "chess") as one:
            await hear(one, "queued")
            await page.click(".choices .button.main")
            await my_turn(one)
            await one.send_json({"type": "move", "move": "e2e4"})
            await says(page, "Your move.")
            assert (await page.eval(CELLS))[0].startswith("h1")
            await page.click("[aria-label^='e7']")
            await page.click("[aria-label^='e5']")
            observation = await my_turn(one)
            assert observation["moves"] == ["e2e4", "e7e5"]
            await page.click(".side .grave")
            await page.click(".side .grave")
            assert (await hear(one, "result"))["reason"] == "forfeit: connection closed"
            await says(page, "You gave up.")
        # The arcade goes away: the page says so.
        async with agent(there, "chess") as one:
            await page.click(".buttons .main")
            await page.click(".choices .button.main")
            await my_turn(one)
            await says(page, "one is to move.")
            assert there.arcade is not None
            await there.arcade.stop()
            await page.until("/closing|lost/.test(document.querySelector('.says').innerText)")

    in_browser(tmp_path, test)


@pytest.mark.slow
def test_unknown_matches_and_games_are_told(in_browser: Runner, tmp_path: Path) -> None:
    async def test(there: Village, browser: Browser) -> None:
        numbers = season(*there.ladder())
        page = await browser.page()
        for path, words in (
            ("/replay/4711", "There is no such match."),
            ("/replay/%3Cscript%3E", "There is no such match."),
            ("/replay/-1", "There is no such match."),
            ("/match/go", "There is no such game here."),
            (f"/replay/{numbers['void']}", "No moves are kept."),
            (f"/replay/{numbers['ttt']}#999", "After move 5 of 5"),
        ):
            await page.open("about:blank")
            await page.open(there.base + path)
            await page.until(f"document.body.innerText.includes({json.dumps(words)})")

    in_browser(tmp_path, test)


@pytest.mark.parametrize(
    ("width", "height", "phone"),
    [
        pytest.param(375, 740, True, marks=pytest.mark.slow),
        pytest.param(1200, 850, False, marks=pytest.mark.slow),
    ],
)
def test_pages_fit(in_browser: Runner, tmp_path: Path, width: int, height: int, phone: bool) -> None:
    async def test(there: Village, browser: Browser) -> None:
        numbers = season(*there.ladder())
        page = await browser.page()
        await page.size(width, height, phone=phone)
        await there.sign_in(page, "/ladder")
        for path, ready in (
            ("/ladder", ".ranks tbody tr"),
            ("/ladder/chess", ".ranks tbody tr"),
            *((f"/replay/{numbers[game]}#3", ".board") for game in ("ttt", "c4", "chess")),
            ("/match/chess", ".choices"),
        ):
            await page.open("about:blank")
            await page.open(there.base + path)
            await page.until(f"document.querySelector({ready!r})")
            await fits(page, path)
        assert page.complaints == []

    in_browser(tmp_path, test)


def test_the_opera_is_what_was_played() -> None:
    """The longest of the matches above ends in mate, by another program's rules."""
    position = chess.Board()
    for move in OPERA.split():
        position.push_uci(move)
    assert position.is_checkmate()
