"""Accounts at the platforms: a pool of the operator's, and players' own.

A token is a file of mode 0600 below the data directory, or a credential that systemd hands over. It is in
nothing else: not in the database, the settings, an answer or the log, where it is registered to be taken out.
"""

from __future__ import annotations

import os
import re
import stat
import tempfile
from collections.abc import Collection, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from lrgpnode.config import TOKENS_NAME
from lrgpnode.logs.redact import register_secret
from lrgpnode.protocol.value import Value

from .seat import Account
from .secret import Secret

CREDENTIAL: Final = re.compile(
    r"lrgpnode\.(?P<platform>[a-z][a-z0-9_]{0,31})\.(?P<name>[a-z0-9][a-z0-9_-]{0,31})"
)
"""Names of systemd credentials, as `LoadCredential=lrgpnode.rcadia.main:/path` gives them."""

MOST_BYTES: Final = 4096
HOST: Final = "host"
"""The account with which tables of our own are hosted; nobody is seated with it."""

OWN: Final = "player-"
"""Begins the name of a player's own account; the address follows."""

_NAME: Final = re.compile(r"[a-z0-9][a-z0-9_-]{0,63}")
_TOKEN: Final = re.compile(r"[\x21-\x7e]{6,4096}")
_KEY: Final = re.compile(
    r"-----BEGIN (?P<kind>(?:[A-Z]{1,20} )?PRIVATE KEY)-----\n"
    r"(?:[A-Za-z0-9+/=:, -]{1,100}\n){1,100}"
    r"-----END (?P=kind)-----"
)
"""An SSH key without a passphrase, for platforms that are reached by SSH."""

_WORD: Final = re.compile(r"[A-Za-z]{1,19}[.,;:!?]?")
"""What nobody can mean as a token. Kept as one, it would be taken out of every line of the log."""


class AccountError(Exception):
    """``str()`` is one sentence for a person, without the token."""


@dataclass(frozen=True, slots=True, kw_only=True, repr=False)
class Source(Value):
    """``loose``: others than the owner may read the file, which is not used then."""

    platform: str
    name: str
    kind: str
    path: Path
    loose: bool = False

    @property
    def own_of(self) -> str:
        return self.name.removeprefix(OWN) if self.name.startswith(OWN) else ""


class Accounts:
    """Files are looked at whenever they are asked for: the operator may put one there at any time."""

    def __init__(self, data: Path, environ: Mapping[str, str] = os.environ) -> None:
        self._folder = data / TOKENS_NAME
        credentials = environ.get("CREDENTIALS_DIRECTORY", "")
        self._credentials = Path(credentials) if credentials else None

    # Looking

    def sources(self, platform: str | None = None) -> list[Source]:
        """What there is, by platform and name; a file before a credential of its name."""
        found = {(source.platform, source.name): source for source in self._handed_over()}
        found |= {(source.platform, source.name): source for source in self._files()}
        return [found[key] for key in sorted(found) if platform in (None, key[0])]

    def get(self, platform: str, name: str) -> Account | None:
        """The account of this name, None if it is not there or cannot be used."""
        source = next((one for one in self.sources(platform) if one.name == name), None)
        return None if source is None else _account(source)

    def own(self, platform: str, peer: str) -> Account | None:
        """A player's own account."""
        return self.get(platform, OWN + peer)

    def pool(self, platform: str) -> list[Account]:
        """The operator's, by name."""
        named = (one for one in self.sources(platform) if not one.own_of and one.name != HOST)
        found = map(_account, named)
        return [account for account in found if account is not None]

    def pick(
        self, platform: str, peer: str, busy: Mapping[str, int], tired: Collection[str]
    ) -> Account | None:
        """The account for a new seat: the player's own, else the least busy of the pool that is not tired.

        ``busy``: seats by account name; ``tired``: those that the platform wants no request of.
        """
        own = self.own(platform, peer)
        if own is not None:
            return own
        pool = self.pool(platform)
        rested = [account for account in pool if account.name not in tired] or pool
        return min(rested, key=lambda account: (busy.get(account.name, 0), account.name), default=None)

    # Changing

    def put(self, platform: str, name: str, token: str) -> Source:
        """Keep a token; on the disk when this returns. Raises ``AccountError`` or ``OSError``."""
        if not _NAME.fullmatch(name) or not _NAME.fullmatch(platform):
            raise AccountError("an account's name has lower-case letters, digits, - and _, at most 64")
        token = token.strip().replace("\r\n", "\n")
        if not _fits(token):
            raise AccountError("a token has 6 to 4096 characters, without spaces; or give a private SSH key")
        if _WORD.fullmatch(token):
            raise AccountError("that is a word and no token")
        _hide(token)
        folder = self._folder / platform
        for each in (self._folder, folder):
            each.mkdir(mode=0o700, parents=True, exist_ok=True)
            each.chmod(0o700)
        # mkstemp makes it 0600 before anything is in it.
        descriptor, partial = tempfile.mkstemp(prefix=".", dir=folder)
        try:
            with os.fdopen(descriptor, "w") as file:
                file.write(token + "\n")
                file.flush()
                os.fsync(file.fileno())
            Path(partial).replace(folder / name)
        except BaseException:
            Path(partial).unlink(missing_ok=True)
            raise
        _sync(folder)
        return Source(platform=platform, name=name, kind="file", path=folder / name)

    def put_own(self, platform: str, peer: str, token: str) -> Source:
        """Keep a player's own token. Raises as ``put``."""
        return self.put(platform, OWN + peer, token)

    def remove(self, platform: str, name: str) -> Source:
        """Overwrite and remove a token's file. Raises ``AccountError`` or ``OSError``."""
        source = next((one for one in self.sources(platform) if one.name == name), None)
        if source is None:
            raise AccountError(f"there is no account {name} for {platform}")
        if source.kind != "file":
            raise AccountError(f"{name} is a credential of systemd; take it out of the service's unit")
        size = source.path.stat().st_size
        with source.path.open("r+b") as file:
            file.write(bytes(size))
            file.flush()
            os.fsync(file.fileno())
        source.path.unlink()
        _sync(source.path.parent)
        return source

    # Inside

    def _files(self) -> Iterator[Source]:
        for folder in _listed(self._folder):
            if not folder.is_dir():
                continue
            for path in _listed(folder):
                if _NAME.fullmatch(path.name) and path.is_file():
                    loose = bool(stat.S_IMODE(path.stat().st_mode) & 0o077)
                    yield Source(platform=folder.name, name=path.name, kind="file", path=path, loose=loose)

    def _handed_over(self) -> Iterator[Source]:
        for path in _listed(self._credentials) if self._credentials is not None else ():
            match = CREDENTIAL.fullmatch(path.name)
            if match is not None:
                yield Source(platform=match["platform"], name=match["name"], kind="credential", path=path)


def _listed(folder: Path) -> list[Path]:
    try:
        return sorted(folder.iterdir())
    except OSError:
        return []


def _account(source: Source) -> Account | None:
    if source.loose:
        return None
    try:
        with source.path.open("rb") as file:
            text = file.read(MOST_BYTES + 1).decode("ascii").strip()
    except (OSError, UnicodeDecodeError):
        return None
    text = text.replace("\r\n", "\n")
    if not _fits(text):
        return None
    _hide(text)
    return Account(platform=source.platform, name=source.name, token=Secret(text), own=bool(source.own_of))


def _fits(token: str) -> bool:
    return len(token) <= MOST_BYTES and bool(_TOKEN.fullmatch(token) or _KEY.fullmatch(token))


def _hide(token: str) -> None:
    """Keep a token out of the logs, a key also line by line."""
    register_secret(token)
    if "\n" in token:
        for line in token.splitlines()[1:-1]:
            register_secret(line)


def _sync(folder: Path) -> None:
    descriptor = os.open(folder, os.O_RDONLY)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)
