"""A browser tab hosts chess: real Chromium, the real arcade, two agents over plain HTTP."""

from __future__ import annotations

import asyncio
from pathlib import Path
from typing import Any

import pytest

from tests.gateway.web.arcade import AGENT, Caller, Village
from tests.gateway.web.chromium import Browser
from tests.gateway.web.conftest import Runner
from tests.gateway.web.page import Page

# White's pawn becomes a queen on the fifth move, which mates on the sixth.
PROMOTION = ["h2h4", "g7g5", "h4g5", "h7h6", "g5h6", "b7b5", "h6h7", "f7f5", "h7g8q", "h8h2", "g8g6"]
GAME = "/web/games/chess/index.html"
FOOL = ["f2f3", "e7e5", "g2g4", "d8h4"]


async def play(caller: Caller, session: str, script: list[str]) -> Any:
    """The agents' loop of the protocol (§5); each plays its moves of the script. The snapshot of the end."""
    while True:
        snapshot = await caller.state(session)
        if snapshot["status"] == "finished":
            return snapshot
        if not snapshot["yourTurn"]:
            continue
        wanted = script[snapshot["state"]["ply"]]
        action = next(one for one in snapshot["legalActions"] if one.get("uci") == wanted)
        answer = await caller.act(session, action, snapshot["turn"])
        assert answer["outcome"] == "applied", answer


HIDDEN = "Object.defineProperty(document, 'hidden', { get: () => true });"
"""What a tab says of itself that nobody looks at."""


async def open_table(there: Village, browser: Browser, script: str = "") -> tuple[Page, str]:
    page = await browser.page()
    await page.send("Page.addScriptToEvaluateOnNewDocument", source=script)
    await there.sign_in(page, "/host/chess")
    await page.until("document.body.innerText.includes('Your table is open')")
    (table,) = await there.tables()
    assert (table["gameTitle"], table["host"], table["joinable"]) == ("Chess", "player", True)
    assert f"/table/{table['sessionId']}" in await page.text(".share")
    return page, table["sessionId"]


def test_a_tab_hosts_a_whole_game_with_promotion_and_the_next_round(
    in_browser: Runner, tmp_path: Path
) -> None:
    async def test(there: Village, browser: Browser) -> None:
        page, session = await open_table(there, browser)
        one, two = there.caller("one"), there.caller("two")
        await one.join(session, "Fish")
        await two.join(session, "Rook")

        first, second = await asyncio.gather(play(one, session, PROMOTION), play(two, session, PROMOTION))

        ids = [player["playerId"] for player in first["players"]]
        assert first["result"]["winner"] == ids[0]
        assert first["result"]["reason"] == "checkmate"
        assert first["state"]["san"][-3:] == ["hxg8=Q", "Rh2", "Qg6#"]
        following = first["nextSessionId"]
        assert following == second["nextSessionId"]
        assert following is not None

        # Round 2: the same players, colours exchanged.
        last = (await asyncio.gather(play(one, following, FOOL), play(two, following, FOOL)))[0]
        assert (last["round"], last["state"]["white"]) == (2, ids[1])
        assert last["result"]["winner"] == ids[0]
        await page.until("document.body.innerText.includes('Round 2: Fish wins by checkmate.')")
        results = (await there.get("/api/v1/arcade/results"))["results"]
        assert [one["round"] for one in results] == [2, 1]
        assert page.complaints == []
        assert [url for url in page.requests if not url.startswith((there.base, "data:"))] == []

    in_browser(tmp_path, test)


def test_only_the_frame_is_heard_and_it_has_no_rights(in_browser: Runner, tmp_path: Path) -> None:
    async def test(there: Village, browser: Browser) -> None:
        page, session = await open_table(there, browser)
        frame = await browser.frame(page, GAME)

        # Foreign windows: this very page, and a second frame of the same game, whose origin is as opaque.
        over = '{ type: "AGENT_GAME_OVER", data: { result: { winner: null } } }'
        await page.eval("""void addEventListener("message", (event) => {
            if (event.data.type === "AGENT_GAME_OVER") window.heard = (window.heard || 0) + 1;
        })""")
        await page.eval(f"""(() => {{
            const other = document.createElement("iframe");
            other.setAttribute("sandbox", "allow-scripts");
            other.src = "{GAME}?foreign";
            document.body.append(other);
            postMessage({over}, "*");
        }})()""")
        foreign = await browser.frame(page, f"{GAME}?foreign")
        await foreign.eval(f"parent.postMessage({over}, '*')")
        await page.until("window.heard === 2")
        # What the frame itself says comes after whatever those might have done.
        await frame.eval(
            'parent.postMessage({ type: "AGENT_STATE", data: { state: "from the frame" } }, "*")'
        )
        while (seen := await there.public(session))["state"] is None:
            await there.get(f"{AGENT}/sessions/{session}/public?since={seen['version']}&wait=20")
        assert (seen["state"], seen["status"]) == ("from the frame", "waiting")
        assert len(await there.tables()) == 1
        assert page.complaints == []

        # What the game's frame may not do.
        assert await page.eval("document.querySelector('.gameframe').sandbox.value") == "allow-scripts"
        assert await page.eval("document.querySelector('.gameframe').contentDocument") is None
        assert await frame.eval("window.origin") == "null"
        for forbidden in (
            "document.cookie",
            "sessionStorage",
            "localStorage",
            "parent.document",
            "top.location.href",
        ):
            assert (
                await frame.eval(
                    f"(() => {{ try {{ return [{forbidden}]; }} catch (error) {{ return null; }} }})()"
                )
                is None
            )
        reached = f"fetch({there.base + AGENT + '/sessions/available'!r}).then(() => 1, () => 0)"
        assert await frame.eval(reached) == 0

        # It cannot take its place in the page to another site either.
        await frame.eval("void setTimeout(() => { location.href = 'http://localhost:9/'; })")
        await page.complaint("frame-src")

    in_browser(tmp_path, test)


@pytest.mark.slow
def test_a_restarted_arcade_gets_a_new_table_also_from_a_tab_nobody_looks_at(
    in_browser: Runner, tmp_path: Path
) -> None:
    async def test(there: Village, browser: Browser) -> None:
        page, session = await open_table(there, browser, HIDDEN)
        await there.restart()
        await page.until(f"!document.querySelector('.share').innerText.includes('{session}')")
        (table,) = await there.tables()
        assert table["sessionId"] != session
        one, two = there.caller("one"), there.caller("two")
        await one.join(table["sessionId"], "Fish")
        await two.join(table["sessionId"], "Rook")
        done = await asyncio.gather(*(play(agent, table["sessionId"], FOOL) for agent in (one, two)))
        assert done[0]["result"]["reason"] == "checkmate"

    in_browser(tmp_path, test)


@pytest.mark.slow
def test_closing_the_table_or_the_tab_ends_it_at_once(in_browser: Runner, tmp_path: Path) -> None:
    async def test(there: Village, browser: Browser) -> None:
        page, session = await open_table(there, browser)
        await page.click("#host .grave")
        assert (await there.public(session))["status"] == "waiting"
        await page.click("#host .grave")
        assert (await there.until(session, "finished"))["result"]["reason"] == "host_left"

        page, session = await open_table(there, browser)
        await page.open(there.base + "/")
        assert (await there.until(session, "finished"))["result"]["reason"] == "host_left"

    in_browser(tmp_path, test)


@pytest.mark.slow
def test_whoever_hosts_may_play_at_the_own_table(in_browser: Runner, tmp_path: Path) -> None:
    async def test(there: Village, browser: Browser) -> None:
        page, session = await open_table(there, browser)
        await page.click(".join button")
        await page.until("document.body.innerText.includes('Ann (you)')")
        two = there.caller("two")
        await two.join(session, "Rook")
        game = asyncio.create_task(play(two, session, FOOL))
        for number, (origin, target) in enumerate((("f2", "f3"), ("g2", "g4"))):
            await page.until(f"document.querySelectorAll('.moves .latest').length === {number and 1}")
            await page.until("document.querySelector('.table .says').innerText === 'Your move.'")
            await page.click(f"[aria-label^='{origin}']")
            await page.click(f"[aria-label^='{target}']")
        assert (await game)["result"]["reason"] == "checkmate"
        await page.until("document.querySelector('.table .says').innerText === 'Rook wins by checkmate.'")

        # The next round: colours exchanged, so Ann has Black and sees the board from there.
        following = (await there.public(session))["nextSessionId"]
        await page.click(".side > .buttons .main")
        game = asyncio.create_task(play(two, following, FOOL))
        await page.until("document.querySelector('.cell').ariaLabel.startsWith('h1, white rook')")
        await page.until("document.querySelector('.table .says').innerText === 'Your move.'")
        await page.picture(tmp_path / "black.png")
        await page.click("[aria-label^='e7']")
        await page.click("[aria-label^='e5']")
        await page.until("document.querySelectorAll('.moves li').length >= 5")
        game.cancel()
        assert page.complaints == []

    in_browser(tmp_path, test)
