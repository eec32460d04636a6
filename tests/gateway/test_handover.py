"""What is taken for a token that a player hands over, and what is answered."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Coroutine
from pathlib import Path
from typing import Any

import pytest

from gateway.accounts import Accounts
from gateway.handover import Handover
from gateway.seat import Account, AccountRefused, Unreachable
from lrgpnode.logs.redact import REDACTOR

ME = "11" * 16
PEER = "22" * 16
TOKEN = "arc_SENTINEL_0123456789"


async def taken(account: Account) -> None:
    """A platform that takes every token."""


def answered(
    folder: Path, text: str, *platforms: str, check: Callable[[Account], Awaitable[None]] = taken
) -> tuple[Accounts, str]:
    """Hand a text over; the accounts, and what the player is told."""
    accounts = Accounts(folder)
    said: list[str] = []
    later: list[Coroutine[Any, Any, None]] = []

    async def answer(peer: str, words: str) -> None:
        said.append(words)

    async def main() -> None:
        handover = Handover(
            accounts,
            lambda: ME,
            lambda: platforms,
            lambda peer: True,
            answer,
            later.append,
            check,
            lambda: 0.0,
        )
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


def test_the_platform_is_asked_with_the_token_itself(tmp_path: Path) -> None:
    asked: list[Account] = []

    async def check(account: Account) -> None:
        asked.append(account)

    _, said = answered(tmp_path, f"token arcade {TOKEN}", "arcade", check=check)
    assert said == "I have your token for arcade, which takes it: you play there as yourself now."
    assert [(one.platform, one.own, one.token.reveal()) for one in asked] == [("arcade", True, TOKEN)]


def test_a_token_that_is_refused_is_not_kept(tmp_path: Path) -> None:
    async def check(account: Account) -> None:
        raise AccountRefused("The platform does not take the token")

    accounts, said = answered(tmp_path, f"token arcade {TOKEN}", "arcade", check=check)
    assert said == "arcade does not take your token, so I have not kept it. Send me another one."
    assert not accounts.sources("arcade")


def test_a_better_one_that_came_meanwhile_stays(tmp_path: Path) -> None:
    async def check(account: Account) -> None:
        Accounts(tmp_path).put_own("arcade", PEER, "arc_better_9876543210")
        raise AccountRefused("The platform does not take the token")

    accounts, _ = answered(tmp_path, f"token arcade {TOKEN}", "arcade", check=check)
    kept = accounts.own("arcade", PEER)
    assert kept is not None
    assert kept.token.reveal() == "arc_better_9876543210"


def test_where_the_platform_is_away_the_token_is_kept_and_the_player_told(tmp_path: Path) -> None:
    async def check(account: Account) -> None:
        raise Unreachable("the platform does not answer")

    accounts, said = answered(tmp_path, f"token arcade {TOKEN}", "arcade", check=check)
    assert said == "I have your token for arcade, but could not try it: the platform does not answer."
    assert accounts.own("arcade", PEER) is not None


@pytest.mark.parametrize(
    "text", ["token", "token arcade", "TOKEN Arcade", "token help", f"token nowhere {TOKEN}"]
)
def test_what_hands_nothing_over_is_told_how(tmp_path: Path, text: str) -> None:
    accounts, said = answered(tmp_path, text, "arcade")
    assert said == "Write: token PLATFORM TOKEN, or token PLATFORM forget. Platforms: arcade."
    assert not accounts.sources("arcade")


@pytest.mark.parametrize("text", ["token please", "token arcade gateway", "token arcade Connected!"])
def test_a_word_is_no_token_and_stays_in_the_log(tmp_path: Path, text: str) -> None:
    accounts, said = answered(tmp_path, text, "arcade")
    assert said == "That did not work: that is a word and no token."
    assert not accounts.sources("arcade")
    assert REDACTOR.clean("please, the gateway is Connected!") == "please, the gateway is Connected!"


def test_it_is_taken_back(tmp_path: Path) -> None:
    answered(tmp_path, f"token arcade {TOKEN}", "arcade", "rcadia")
    accounts, said = answered(tmp_path, "token arcade forget", "arcade", "rcadia")
    assert said == "Your token for arcade is forgotten."
    assert not accounts.sources("arcade")
