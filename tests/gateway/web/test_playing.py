"""A person plays in the browser: at boards by pointer and keyboard, at unknown games by buttons."""

from __future__ import annotations

import asyncio
from pathlib import Path
from typing import Any

import chess
import pytest

from tests.gateway.web.arcade import Caller, Village
from tests.gateway.web.chromium import Browser
from tests.gateway.web.conftest import Runner
from tests.gateway.web.page import Page

PROMOTING = "rn1qkbnr/pP2pppp/8/2pp4/8/8/P1PPPPPP/RNBQKBNR w KQkq - 0 5"


def chess_ops(board: chess.Board, player: str, **state: Any) -> list[dict[str, Any]]:
    legal = [{"type": "move", "uci": move.uci()} for move in board.legal_moves]
    return [
        {"op": "state", "state": {"fen": board.fen(), **state}},
        {"op": "legal_actions", "playerId": player, "actions": legal},
    ]


async def sit_down(there: Village, browser: Browser, session: str) -> tuple[Page, str, str]:
    """Ann at the first seat, by the page; an agent at the second. The page and both players' ids."""
    page = await browser.page()
    await there.sign_in(page, f"/table/{session}")
    await page.until("document.querySelector('#as-name').value === 'Ann'")
    await page.click(".join button")
    await page.until("document.body.innerText.includes('Ann (you)')")
    other = await there.caller("one").join(session, "Fish")
    return page, other["players"][0]["playerId"], other["players"][1]["playerId"]


async def action(host: Caller, session: str, after: int) -> tuple[Any, int]:
    entry = await host.next_entry(session, after)
    while entry["type"] != "action":
        entry = await host.next_entry(session, entry["seq"])
    return entry["action"], entry["seq"]


def test_chess_by_pointer_and_keyboard(in_browser: Runner, tmp_path: Path) -> None:
    async def test(there: Village, browser: Browser) -> None:
        host = there.caller("host")
        session = await host.open()
        page, ann, fish = await sit_down(there, browser, session)
        sides = {"white": ann, "black": fish, "otherActions": [{"type": "resign"}]}

        # The pointer: a pawn that takes and becomes a knight.
        board = chess.Board(PROMOTING)
        await host.ops(session, *chess_ops(board, ann, **sides))
        await page.until("document.querySelector('.says').innerText === 'Your move.'")
        assert await page.eval("document.title") == "Your move · Chess · Arcade"
        await page.click("[aria-label^='b7']")
        assert await page.eval("document.querySelectorAll('.target').length") == 1
        await page.click("[aria-label^='a8']")
        assert await page.eval("[...document.querySelectorAll('.choice')].map((one) => one.ariaLabel)") == [
            "white queen",
            "white rook",
            "white bishop",
            "white knight",
            None,
        ]
        await page.key("Escape")
        assert await page.eval("document.querySelector('.promotion').hidden")
        await page.click("[aria-label^='b7']")
        await page.click("[aria-label^='a8']")
        await page.click(".choice[aria-label='white knight']")
        sent, seq = await action(host, session, 0)
        assert sent == {"type": "move", "uci": "b7a8n"}

        # The game refuses: the page says why, and it is still Ann's move.
        await host.ops(session, {"op": "reject", "playerId": ann, "reason": "not today"})
        await page.until("document.querySelector('#note').innerText === 'Not accepted: not today'")

        # The keyboard: to the board, to the pawn, press, two up, press.
        await page.until("document.querySelector('.says').innerText === 'Your move.'")
        await page.eval("document.querySelector('.board .cell[tabindex=\"0\"]').focus()")
        here = await page.eval("document.activeElement.ariaLabel")
        file, rank = here[0], int(here[1])
        for key in ["ArrowRight"] * (ord("e") - ord(file)) + ["ArrowLeft"] * (ord(file) - ord("e")):
            await page.key(key)
        for key in ["ArrowDown"] * (rank - 2):
            await page.key(key)
        assert (await page.eval("document.activeElement.ariaLabel")).startswith("e2, white pawn")
        await page.key("Enter")
        await page.key("ArrowUp")
        await page.key("ArrowUp")
        assert await page.eval("document.activeElement.ariaLabel") == "e4, can move here"
        await page.key("Enter")
        sent, seq = await action(host, session, seq)
        assert sent == {"type": "move", "uci": "e2e4"}
        board.push_uci("e2e4")
        await host.ops(session, *chess_ops(board, fish, **sides, lastMove="e2e4"))
        await page.until("document.querySelector('.says').innerText === 'Fish is to move.'")
        assert await page.eval("document.querySelectorAll('.last').length") == 2

        # Black sits below where the reader plays Black, and resigning asks twice.
        await host.ops(
            session, *chess_ops(chess.Board(), ann, black=ann, white=fish, otherActions=[{"type": "resign"}])
        )
        await page.until("document.querySelector('.cell').ariaLabel.startsWith('h1')")
        await page.until(
            "[...document.querySelectorAll('.side .grave')].some((one) => one.innerText === 'Resign')"
        )
        await page.click(".side .buttons .grave")
        await page.until(
            "document.querySelector('.side .buttons .grave').innerText === 'Resign? Press again'"
        )
        await page.click(".side .buttons .grave")
        sent, seq = await action(host, session, seq)
        assert sent == {"type": "resign"}
        await host.ops(session, {"op": "end", "result": {"winner": fish, "reason": "resignation"}})
        await page.until("document.querySelector('.says').innerText === 'Fish wins by resignation.'")
        assert page.complaints == []

    in_browser(tmp_path, test)


@pytest.mark.slow
def test_places_buttons_and_the_next_round(in_browser: Runner, tmp_path: Path) -> None:
    async def test(there: Village, browser: Browser) -> None:
        host = there.caller("host")
        session = await host.open("Tic-Tac-Toe", autoRematch=True)
        page, ann, fish = await sit_down(there, browser, session)
        cells: list[str | None] = ["X", None, "O", *[None] * 6]
        free = [{"type": "move", "cell": cell} for cell in range(9) if cells[cell] is None]
        await host.ops(
            session,
            {"op": "state", "state": {"board": cells, "X": ann, "O": fish}},
            {"op": "legal_actions", "playerId": ann, "actions": free},
        )
        await page.click("[aria-label='row 2, column 2, empty, can be played']")
        assert (await action(host, session, 0))[0] == {"type": "move", "cell": 4}

        # A game nobody has heard of: its state as it is, its actions as buttons.
        await host.ops(
            session,
            {"op": "state", "state": {"pot": 12}},
            {"op": "legal_actions", "playerId": fish, "actions": [1]},
            {
                "op": "legal_actions",
                "playerId": ann,
                "actions": [{"type": "bid", "amount": 5}, {"type": "pass"}],
            },
        )
        await page.until("document.querySelector('.state').innerText.includes('\"pot\": 12')")
        await page.until("document.querySelectorAll('.side > .buttons .button').length === 3")
        await page.click(".side > .buttons .button:nth-child(1)")
        assert (await action(host, session, 2))[0] == {"type": "bid", "amount": 5}

        # The next round is played by those who say so.
        await host.ops(session, {"op": "end", "result": {"winner": ann, "reason": "high bid"}})
        await page.until("document.querySelector('.says').innerText === 'You win (high bid).'")
        following = (await there.public(session))["nextSessionId"]
        assert [one["ready"] for one in (await there.public(following))["players"]] == [False, False]
        await page.click(".side > .buttons .main")
        await page.until(f"location.pathname === '/table/{following}'")
        await page.until("document.body.innerText.includes('Ann (you)')")
        assert [one["ready"] for one in (await there.public(following))["players"]] == [True, False]

        # Giving up asks twice and ends the game for the other player as well.
        await there.caller("one").state(following, 0)
        await there.until(following, "active")
        await page.until("[...document.querySelectorAll('.side .grave')].length === 1")
        await page.click(".side .grave")
        await page.click(".side .grave")
        result = (await there.until(following, "finished"))["result"]
        assert (result["winner"], result["reason"]) == (fish, "left")
        assert page.complaints == []

    in_browser(tmp_path, test)


@pytest.mark.slow
def test_a_spectator_sees_moves_as_they_happen_and_follows_the_series(
    in_browser: Runner, tmp_path: Path
) -> None:
    async def test(there: Village, browser: Browser) -> None:
        host, one, two = there.caller("host"), there.caller("one"), there.caller("two")
        session = await host.open("Connect Four", autoRematch=True)
        page = await browser.page()
        await page.open(f"{there.base}/table/{session}")
        await page.until("document.querySelector('.says').innerText === 'Nobody sits here yet.'")
        first = (await one.join(session, "Fish"))["playerId"]
        second = (await two.join(session, "Rook"))["playerId"]
        board: list[list[str | None]] = [[None] * 7 for _ in range(6)]
        for row, column, player in ((5, 3, first), (4, 3, second)):
            board[row][column] = "A" if player == first else "B"
            other = second if player == first else first
            await host.ops(
                session,
                {
                    "op": "state",
                    "state": {"board": board, "A": first, "B": second, "lastMove": {"column": column}},
                },
                {"op": "legal_actions", "playerId": other, "actions": [0, 1, 2, 3, 4, 5, 6]},
            )
            await page.until(
                f"document.querySelectorAll('.connectfour .cell')[{row * 7 + column}].querySelector('svg')"
            )
        assert (
            await page.eval("document.querySelector('.connectfour .last').ariaLabel")
            == "column 4, row 2 from below, second player"
        )
        assert await page.eval("document.querySelectorAll('.playable').length") == 0
        await host.ops(session, {"op": "end", "result": {"winner": second, "reason": "four in a row"}})
        following = (await there.public(session))["nextSessionId"]
        await page.until(f"location.pathname === '/table/{following}'")
        await page.until("document.body.innerText.includes('Round 1: Rook wins (four in a row).')")

        await page.open(there.base + "/table/ses_000000000000")
        await page.until("document.querySelector('#note').innerText !== ''")
        await asyncio.gather(one.state(following, 0), two.state(following, 0))

    in_browser(tmp_path, test)


def test_a_table_that_is_gone_says_so(in_browser: Runner, tmp_path: Path) -> None:
    async def test(there: Village, browser: Browser) -> None:
        page = await browser.page()
        await page.open(f"{there.base}/table/ses_0000ffff0000")
        await page.until("document.querySelector('.says').innerText === 'This table is gone.'")
        assert await page.eval("document.querySelector('.side .buttons a').getAttribute('href')") == "/"
        assert "Looking" not in await page.eval("document.body.innerText")

    in_browser(tmp_path, test)
