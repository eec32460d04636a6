from __future__ import annotations

from pathlib import Path

from lrgpnode.radio.reference import page

ROOT = Path(__file__).parents[2]


def test_the_page_is_fresh() -> None:
    written = (ROOT / "docs/radio-law.md").read_text()
    assert written == page(), "run: python -m lrgpnode.radio.reference > docs/radio-law.md"
