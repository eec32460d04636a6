"""A tab of the browser: what a person does there, and what can be asked of it."""

from __future__ import annotations

import asyncio
import base64
import json
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from tests.gateway.web.chromium import Browser

DEADLINE = 60.0
_NAVIGATED = ("Inspected target navigated", "Execution context was destroyed", "Cannot find context")


class BrowserError(Exception):
    """The browser refused a command, or a script in a page threw."""


@dataclass
class Page:
    """A tab. ``complaints``: errors and warnings of its console, exceptions, violated policies."""

    browser: Browser
    session: str
    complaints: list[str] = field(default_factory=list)
    requests: list[str] = field(default_factory=list)

    async def send(self, method: str, **params: Any) -> dict[str, Any]:
        return await self.browser.send(method, session=self.session, **params)

    async def open(self, url: str) -> None:
        loaded = self.browser.event("Page.loadEventFired", self.session)
        answer = await self.send("Page.navigate", url=url)
        if "errorText" in answer:
            raise BrowserError(f"{url}: {answer['errorText']}")
        await asyncio.wait_for(loaded, DEADLINE)

    async def eval(self, expression: str) -> Any:
        """The value of an expression, awaited where it is a promise."""
        answer = await self.send(
            "Runtime.evaluate", expression=expression, awaitPromise=True, returnByValue=True, userGesture=True
        )
        if "exceptionDetails" in answer:
            details = answer["exceptionDetails"]
            raise BrowserError(details.get("exception", {}).get("description") or details["text"])
        return answer["result"].get("value")

    async def until(self, condition: str, deadline: float = DEADLINE) -> Any:
        """The value of a condition as soon as it is true; looked at after every frame the page draws."""
        script = f"""new Promise((resolve, reject) => {{
            const end = Date.now() + {int(deadline * 1000)};
            const look = () => {{
                let value;
                try {{ value = ({condition}); }} catch (error) {{ value = null; }}
                if (value) resolve(value);
                else if (Date.now() > end) reject(new Error({json.dumps(f"never true: {condition}")}
                    + " in " + document.body.innerText.slice(0, 600)));
                else setTimeout(look, 40);
            }};
            look();
        }})"""
        while True:
            try:
                return await self.eval(script)
            except BrowserError as error:
                if not any(word in str(error) for word in _NAVIGATED):
                    raise

    async def complaint(self, words: str) -> str:
        """The first complaint with these words; waits for it."""
        async with asyncio.timeout(DEADLINE):
            while True:
                for one in self.complaints:
                    if words in one:
                        return one
                await self.browser.something()

    async def text(self, selector: str = "body") -> str:
        return str(await self.eval(f"document.querySelector({json.dumps(selector)}).innerText"))

    async def click(self, selector: str) -> None:
        """A real click with the pointer in the middle of an element, which must be the one on top there."""
        place = await self.until(f"""(() => {{
            const found = document.querySelector({json.dumps(selector)});
            if (!found || found.disabled) return null;
            found.scrollIntoView({{ block: "center" }});
            const box = found.getBoundingClientRect();
            const at = {{ x: box.left + box.width / 2, y: box.top + box.height / 2 }};
            const top = document.elementFromPoint(at.x, at.y);
            return top !== null && (top === found || found.contains(top)) ? at : null;
        }})()""")
        for kind in ("mousePressed", "mouseReleased"):
            await self.send("Input.dispatchMouseEvent", type=kind, button="left", clickCount=1, **place)

    async def type(self, selector: str, text: str) -> None:
        await self.until(f"document.querySelector({json.dumps(selector)})")
        await self.eval(f"document.querySelector({json.dumps(selector)}).focus()")
        await self.send("Input.insertText", text=text)

    async def key(self, key: str) -> None:
        codes = {
            "Enter": 13,
            "Escape": 27,
            "Tab": 9,
            "End": 35,
            "Home": 36,
            "ArrowLeft": 37,
            "ArrowUp": 38,
            "ArrowRight": 39,
            "ArrowDown": 40,
        }
        common = {"key": key, "code": key, "windowsVirtualKeyCode": codes[key]}
        text = {"text": "\r"} if key == "Enter" else {}
        await self.send("Input.dispatchKeyEvent", type="keyDown", **common, **text)
        await self.send("Input.dispatchKeyEvent", type="keyUp", **common)

    async def size(self, width: int, height: int, *, phone: bool = False) -> None:
        await self.send(
            "Emulation.setDeviceMetricsOverride",
            width=width,
            height=height,
            deviceScaleFactor=2 if phone else 1,
            mobile=phone,
        )

    async def dark(self, dark: bool) -> None:
        scheme = {"name": "prefers-color-scheme", "value": "dark" if dark else "light"}
        await self.send("Emulation.setEmulatedMedia", features=[scheme])

    async def picture(self, path: Path) -> bytes:
        answer = await self.send("Page.captureScreenshot", format="png")
        data = base64.b64decode(answer["data"])
        _write(path, data)
        return data


def _write(path: Path, data: bytes) -> None:
    path.write_bytes(data)
