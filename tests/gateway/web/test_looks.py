"""Every page fits a phone and a desktop, light and dark, and can be touched."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.gateway.web.arcade import Village
from tests.gateway.web.chromium import Browser
from tests.gateway.web.conftest import Runner
from tests.gateway.web.page import Page
from tests.gateway.web.scenery import furnish

MEASURE = """(() => {
    const small = [...document.querySelectorAll("a, button, input, summary")]
        .filter((one) => one.offsetParent !== null && !one.closest("p") && !one.classList.contains("skip"))
        .filter((one) => one.getBoundingClientRect().height < 40)
        .map((one) => one.outerHTML.slice(0, 90));
    return {
        wide: document.documentElement.scrollWidth - document.documentElement.clientWidth,
        small,
        unnamed: [...document.querySelectorAll("button, input")].filter(
            (one) => !(one.textContent || one.ariaLabel || (one.labels && one.labels.length))).length,
        background: getComputedStyle(document.body).backgroundColor
    };
})()"""


async def fits(page: Page, path: str) -> None:
    """What is open now, light and dark."""
    backgrounds = set()
    for dark in (False, True):
        await page.dark(dark)
        found = await page.eval(MEASURE)
        assert (found["wide"], found["small"], found["unnamed"]) == (0, [], 0), path
        backgrounds.add(found["background"])
    assert len(backgrounds) == 2, "light and dark"


@pytest.mark.parametrize(
    ("width", "height", "phone"), [(375, 740, True), pytest.param(1200, 850, False, marks=pytest.mark.slow)]
)
def test_pages_fit(in_browser: Runner, tmp_path: Path, width: int, height: int, phone: bool) -> None:
    async def test(there: Village, browser: Browser) -> None:
        tables = await furnish(there)
        page = await browser.page()
        await page.size(width, height, phone=phone)
        await there.sign_in(page, "/")
        for path, ready in (
            ("/", ".cards"),
            (f"/table/{tables['chess']}", ".board"),
            (f"/table/{tables['four']}", ".board"),
            (f"/table/{tables['other']}", ".state"),
            ("/results", "h1"),
            ("/sign-in", "form"),
            ("/host", ".cards"),
        ):
            await page.open(there.base + path)
            await page.until(
                f"document.querySelector({ready!r}) && !document.body.innerText.includes('Looking')"
            )
            await fits(page, path)
        assert page.complaints == []

    in_browser(tmp_path, test)
