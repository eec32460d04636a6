"""What is taken for a token that a player hands over, and what is answered."""

from __future__ import annotations

import asyncio
from collections.abc import Coroutine
from pathlib import Path
from typing import Any

import pytest

from gateway.accounts import Accounts
from gateway.handover import Handover

ME = "11" * 16
PEER = "22" * 16
TOKEN = "arc_SENTINEL_0123456789"


def answered(folder: Path, text: str, *platforms: str) -> tuple[Accounts, str]:
    """Hand a text over; the accounts, and what the player is told."""
    accounts = Accounts(folder)
    said: list[str] = []
    later: list[Coroutine[Any, Any, None]] = []

    async def answer(peer: str, words: str) -> None:
        said.append(words)

    async def main() -> None:
        handover = Handover(accounts, lambda: ME, lambda: platforms, lambda peer: True, answer, later.append)
        assert handover.meant(ME, text)
        await handover.take(ME, PEER, text)
        for work in later:
            await work

    asyncio.run(main())
    (only,) = said
    return accounts, only


@pytest.mark.parametrize("text", [f"token arcade {TOKEN}", f"Token: {TOKEN}"])
def test_a_token_is_kept(tmp_path: Path, text: str) -> None:
    accounts, said = answered(tmp_path, text, "arcade")
    assert said.startswith("I have your token for arcade")
    kept = accounts.own("arcade", PEER)
    assert kept is not None
    assert kept.token.reveal() == TOKEN


@pytest.mark.parametrize(
    "text", ["token", "token arcade", "TOKEN Arcade", "token help", f"token nowhere {TOKEN}"]
)
def test_what_hands_nothing_over_is_told_how(tmp_path: Path, text: str) -> None:
    accounts, said = answered(tmp_path, text, "arcade")
    assert said == "Write: token PLATFORM TOKEN, or token PLATFORM forget. Platforms: arcade."
    assert not accounts.sources("arcade")


def test_it_is_taken_back(tmp_path: Path) -> None:
    answered(tmp_path, f"token arcade {TOKEN}", "arcade", "rcadia")
    accounts, said = answered(tmp_path, "token arcade forget", "arcade", "rcadia")
    assert said == "Your token for arcade is forgotten."
    assert not accounts.sources("arcade")
