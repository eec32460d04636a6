"""Tokens that players hand over in a message: kept in a file, and nowhere else.

``token PLATFORM TOKEN``, or without the platform where there is only one; ``token PLATFORM forget`` takes
it back. Whatever begins with that word is not stored as a text, wherever it comes from and however it is
written, because what follows may be a secret.
"""

from __future__ import annotations

import asyncio
import logging
import re
from collections.abc import Callable, Collection, Coroutine
from typing import Any, Final

from storage.errors import CannotOpen

from .accounts import OWN, AccountError, Accounts

log = logging.getLogger(__name__)

FORGET: Final = "forget"

_MEANT: Final = re.compile(r"\W*token\b", re.IGNORECASE)
_HOW: Final = "Write: token PLATFORM TOKEN, or token PLATFORM forget. Platforms: {}."


class Handover:
    """Implements ``lrgpnode.node.texts.Discreet``. ``answer`` writes to a player, some time later."""

    def __init__(
        self,
        accounts: Accounts,
        identity: Callable[[], str],
        platforms: Callable[[], Collection[str]],
        wanted: Callable[[str], bool],
        answer: Callable[[str, str], Coroutine[Any, Any, None]],
        spawn: Callable[[Coroutine[Any, Any, None]], None],
    ) -> None:
        self._accounts = accounts
        self._identity = identity
        self._platforms = platforms
        self._wanted = wanted
        self._answer = answer
        self._spawn = spawn

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
        self._spawn(self._answer(peer, said))

    def _done(self, peer: str, text: str) -> str:
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
        return f"I have your token for {platform}: you play there as yourself now."
