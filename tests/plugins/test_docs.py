"""docs/writing-a-game.md shows the tested files and nothing else."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from lrgpnode.protocol.errors import ErrorCode
from lrgpnode.protocol.game import Game, SessionType, Validation
from tests.plugins.pair import SALT, Pair

ROOT = Path(__file__).parents[2]
PAGE = (ROOT / "docs/writing-a-game.md").read_text()
NAMED = re.findall(r"^`([^`\n]+)`:\n\n```\w+\n(.*?)^```$", PAGE, re.MULTILINE | re.DOTALL)
BLOCKS = re.findall(r"^```\w+\n(.*?)^```$", PAGE, re.MULTILINE | re.DOTALL)


def test_the_page_shows_the_whole_package() -> None:
    package = ROOT / "tests/example_game"
    shown = {name for name, _ in NAMED}
    files = [p for p in package.rglob("*") if p.suffix in (".py", ".toml") and p.name != "__init__.py"]
    assert {str(p.relative_to(ROOT)) for p in files} <= shown


@pytest.mark.parametrize(("name", "code"), NAMED, ids=[name for name, _ in NAMED])
def test_a_block_that_names_a_file_is_that_file(name: str, code: str) -> None:
    assert code == (ROOT / name).read_text()


def test_every_other_block_is_an_excerpt_of_a_test() -> None:
    tested = (ROOT / "tests/plugins/test_rounds.py").read_text()
    whole = {code for _, code in NAMED}
    excerpts = [code for code in BLOCKS if code not in whole]
    assert len(excerpts) == 2
    assert all(code in tested for code in excerpts)


def test_its_links_lead_somewhere() -> None:
    headings = re.findall(r"^##+ (.+)$", PAGE, re.MULTILINE)
    anchors = {heading.lower().replace(" ", "-") for heading in headings}
    assert set(re.findall(r"\]\(#([^)]+)\)", PAGE)) <= anchors


def test_it_names_every_member_code_type_and_model() -> None:
    members = {name for name in vars(Game) if not name.startswith("_")} | {"manifest"}
    words = members | set(ErrorCode) | set(SessionType) | set(Validation)
    assert {word for word in words if f"`{word}`" not in PAGE} == set()


@pytest.mark.slow
def test_the_sizes_it_tells(pair: Pair) -> None:
    opened = {"f": 4, "g": 10, "k": SALT}
    sizes, texts, session_id = [], [], ""
    for who, command, intent in (
        (pair.ann, "challenge", opened),
        (pair.ben, "accept", {"f": 5, "g": 9}),
        (pair.ann, "reveal", opened),
    ):
        prepared = who.act("morra", command, intent, session_id)
        raw, session_id = prepared.envelope.pack(), prepared.envelope.session_id
        (pair.ben if who is pair.ann else pair.ann).receive(raw)
        sizes.append(len(raw))
        texts.append(len(prepared.fallback))
    assert "{}, {} and {} bytes".format(*sizes) in PAGE
    assert f"plus {min(texts)} to {max(texts)} of text" in PAGE
