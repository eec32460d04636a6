"""Tokens that players hand over in a message: kept in a file, and nowhere else.

``token PLATFORM TOKEN``, or without the platform where there is only one; ``token PLATFORM forget`` takes
it back. Whatever begins with that word is not stored as a text, wherever it comes from and however it is
written, because what follows may be a secret.
"""

from __future__ import annotations

import asyncio
import logging
import re
from collections.abc import Awaitable, Callable, Collection, Coroutine
from typing import Any, Final

from lrgpnode.limit import Limit
from storage.errors import CannotOpen

from .accounts import OWN, AccountError, Accounts
from .seat import Account, AccountRefused, PlatformError, Unreachable

log = logging.getLogger(__name__)

FORGET: Final = "forget"
CHECKS_PER_HOUR: Final = 6
"""Of one player: a platform may take many wrong tokens for an attack, and shut the gateway out."""

_MEANT: Final = re.compile(r"\W*token\b", re.IGNORECASE)
_HOW: Final = "Write: token PLATFORM TOKEN, or token PLATFORM forget. Platforms: {}."


class Handover:
    """Implements ``lrgpnode.node.texts.Discreet``. ``answer`` writes to a player, some time later.

    ``check`` asks the platform whether it takes an account; it raises as ``Platform.check`` does.
    """

    def __init__(
        self,
        accounts: Accounts,
        identity: Callable[[], str],
        platforms: Callable[[], Collection[str]],
        wanted: Callable[[str], bool],
        answer: Callable[[str, str], Coroutine[Any, Any, None]],
        spawn: Callable[[Coroutine[Any, Any, None]], None],
        check: Callable[[Account], Awaitable[None]],
        now: Callable[[], float],
    ) -> None:
        self._accounts = accounts
        self._identity = identity
        self._platforms = platforms
        self._wanted = wanted
        self._answer = answer
        self._spawn = spawn
        self._check = check
        self._now = now
        self._tries = Limit(CHECKS_PER_HOUR, seconds=3600.0)

    def meant(self, identity: str, text: str) -> bool:
        return identity == self._identity() and _MEANT.match(text) is not None

    async def take(self, identity: str, peer: str, text: str) -> None:
        """Keep a token, or take it back. Raises ``StorageError`` where its file cannot be written."""
        if not self._wanted(peer):
            log.info("a token of %s was not taken: that player gets no seat", peer)
            return
        try:
            said = await asyncio.to_thread(self._done, peer, text)
        except OSError as error:
            raise CannotOpen(f"The token of {peer} cannot be kept: {error.strerror}.") from None
        # Later: the identity's lane is ours until this returns.
        self._spawn(self._answer(peer, said) if isinstance(said, str) else self._try(peer, said))

    async def _try(self, peer: str, account: Account) -> None:
        """Ask the platform about a token that is kept, and tell the player what it says."""
        platform = account.platform
        try:
            if not self._tries.allow(peer, self._now()):
                raise Unreachable("you have sent me many")
            await self._check(account)
        except AccountRefused as error:
            log.info("%s does not take the token of %s: %s", platform, peer, error)
            try:
                await asyncio.to_thread(self._forget, peer, account)
            except (AccountError, OSError) as problem:
                log.warning("the token of %s for %s is not removed: %s", peer, platform, problem)
            said = f"{platform} does not take your token, so I have not kept it. Send me another one."
        except PlatformError as error:
            log.info("the token of %s for %s is not tried: %s", peer, platform, error)
            said = f"I have your token for {platform}, but could not try it: {error}."
        else:
            said = f"I have your token for {platform}, which takes it: you play there as yourself now."
        await self._answer(peer, said)

    def _forget(self, peer: str, account: Account) -> None:
        """Unless the player has sent another one meanwhile."""
        kept = self._accounts.own(account.platform, peer)
        if kept is not None and kept.token.reveal() == account.token.reveal():
            self._accounts.remove(account.platform, account.name)

    def _done(self, peer: str, text: str) -> str | Account:
        """What is to be said, or the account that is to be tried."""
        words = text.split()[1:]
        platforms = sorted(self._platforms())
        if len(words) == 1 and len(platforms) == 1 and words[0].lower() not in (*platforms, "help"):
            words = [platforms[0], *words]
        if len(words) != 2 or words[0].lower() not in platforms:
            return _HOW.format(", ".join(platforms) or "none")
        platform, token = words[0].lower(), words[1]
        try:
            if token.lower() == FORGET:
                self._accounts.remove(platform, OWN + peer)
                return f"Your token for {platform} is forgotten."
            self._accounts.put_own(platform, peer, token)
        except AccountError as error:
            return f"That did not work: {error}."
        log.info("%s has handed over a token for %s", peer, platform)
        return self._accounts.own(platform, peer) or f"Your token for {platform} cannot be read again."
