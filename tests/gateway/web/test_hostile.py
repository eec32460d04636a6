"""Names, titles, states, actions and results of strangers are text wherever they are shown."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from tests.gateway.web.arcade import Village
from tests.gateway.web.chromium import Browser
from tests.gateway.web.conftest import Runner

NAME = "<img src=x onerror=pwned()>"
TITLE = "<script>pwned()</script><svg onload=pwned()>\u202e"
STATE: dict[str, Any] = {
    "<b>key</b>": "<iframe src=javascript:pwned()>",
    "__proto__": {"polluted": True},
    "constructor": {"prototype": {"polluted": True}},
    "otherActions": [{"type": "<img src=x onerror=pwned()>"}, None, 7],
    "html": "</pre><script>pwned()</script>",
}
STATES: list[Any] = [
    STATE,
    "<img src=x onerror=pwned()>",
    [NAME] * 50,
    {
        "fen": "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1",
        "san": [NAME, {}],
        "lastMove": {"from": NAME, "to": {}},
        "white": NAME,
    },
    {
        "fen": "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w - - 0 1",
        "san": ["<b>"],
        "lastMove": "z9z9",
        "check": True,
        "turn": {},
    },
    {"board": [NAME] * 9},
    {"board": ["X", *[None] * 8], "lastMove": {"cell": 1e99}, "X": NAME},
    {"board": [[None] * 7] * 6, "lastMove": {"column": -1}},
    [],
    0,
    None,
]


BUTTONS = "[...document.querySelectorAll('.side > .buttons .button')]"


def test_hostile_texts_stay_texts(in_browser: Runner, tmp_path: Path) -> None:
    async def test(there: Village, browser: Browser) -> None:
        host = there.caller("host")
        session = await host.open(TITLE)
        page = await browser.page()
        await page.send(
            "Page.addScriptToEvaluateOnNewDocument", source="window.pwned = () => { window.got = true; };"
        )
        await there.sign_in(page, "/")
        await page.until(f"document.querySelector('.cards h3').innerText.startsWith({TITLE[:20]!r})")

        await page.open(f"{there.base}/table/{session}")
        await page.eval("document.querySelector('#as-name')") or await page.until(
            "document.querySelector('#as-name')"
        )
        await page.eval(f"document.querySelector('#as-name').value = {NAME!r}")
        await page.click(".join button")
        await page.until(f"document.querySelector('.seat').innerText.includes({NAME!r})")
        two = await there.caller("two").join(session, NAME)
        me = two["players"][0]["playerId"]
        for number, state in enumerate(STATES):
            actions = [NAME, {"type": NAME, "label": NAME}, {"from": NAME, "to": NAME}, number]
            await host.ops(
                session,
                {"op": "state", "state": state},
                {"op": "legal_actions", "playerId": two["playerId"], "actions": [0]},
                {"op": "legal_actions", "playerId": me, "actions": actions},
            )
            # The number of the state is its last action, so the page has taken this one in.
            await page.until(f"{BUTTONS}.some((one) => one.innerText === '{number}')")
        await page.until(
            f"[...document.querySelectorAll('.button')].some((one) => one.innerText === {NAME!r})"
        )
        await page.click(".side > .buttons .button")
        entry = await host.next_entry(session)
        while entry["type"] != "action":
            entry = await host.next_entry(session, entry["seq"])
        await host.ops(session, {"op": "reject", "playerId": me, "reason": NAME})
        await page.until(f"document.querySelector('#note').innerText.includes({NAME!r})")
        await host.ops(session, {"op": "end", "result": {"winner": NAME, "reason": "<svg onload=pwned()>"}})
        await page.until("document.querySelector('.says').innerText.includes('<svg onload=pwned()>')")

        await page.open(f"{there.base}/results")
        await page.until("document.querySelector('td')")
        text = await page.text("#results")
        assert NAME in text
        assert "<svg onload=pwned()>" in text

        # Addresses are strangers' too.
        for path in (
            "/table/%3Cscript%3Epwned()%3C%2Fscript%3E",
            "/host/__proto__",
            "/host/constructor",
            "/sign-in#javascript:pwned()",
        ):
            await page.open(there.base + path)
            await page.until("document.querySelector('h1, .empty')")
        assert await page.eval("window.got === undefined && ({}).polluted === undefined")
        assert (
            await page.eval("document.querySelectorAll('script:not([src]), [onerror], [onload]').length") == 0
        )
        assert page.complaints == []

    in_browser(tmp_path, test)


@pytest.mark.slow
def test_signing_in_leads_nowhere_else(in_browser: Runner, tmp_path: Path) -> None:
    async def test(there: Village, browser: Browser) -> None:
        page = await browser.page()
        await page.open(f"{there.base}/sign-in#{'//localhost:9/'.replace('/', '%2F')}")
        token = there.tokens["two"]
        await page.click("summary")
        await page.type("#token", token)
        await page.click("#by-token button")
        await page.until(
            "location.pathname === '/' && document.querySelector('#who').innerText.includes('two')"
        )

        # The token is in this tab's store and in headers, and nowhere else that can be read.
        assert token not in await page.eval(
            "document.documentElement.outerHTML + location.href + document.cookie"
        )
        assert await page.eval("Object.keys(localStorage).length") == 0
        assert all(token not in url for url in page.requests)

        # It may play but not host; and signing out takes it away.
        await page.open(f"{there.base}/host/chess")
        await page.until("document.body.innerText.includes('may play, but not host')")
        await page.click("#who button")
        await page.until("document.querySelector('#who a')")
        assert await page.eval("sessionStorage.length") == 0

        # The cookie of a sign-in by password is not for scripts.
        await there.sign_in(page, "/results")
        assert await page.eval("document.cookie + JSON.stringify(sessionStorage)") == "{}"
        await page.open(f"{there.base}/sign-in")
        await page.type("#name", "Ann")
        await page.type("#password", "wrong password")
        await page.click("#by-password button")
        await page.until("document.querySelector('#note').innerText === 'The name or the password is wrong.'")

    in_browser(tmp_path, test)
