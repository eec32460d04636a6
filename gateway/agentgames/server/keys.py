"""SSH keys of accounts: with one, a program plays over SSH without a token."""

from __future__ import annotations

import base64
import binascii
import hashlib
import sqlite3
import time
from dataclasses import dataclass
from typing import Final

from cryptography.exceptions import UnsupportedAlgorithm
from cryptography.hazmat.primitives.asymmetric import dsa, rsa
from cryptography.hazmat.primitives.serialization import load_ssh_public_key

from gateway.arcade import secret
from gateway.arcade.database import Database, StoreError
from gateway.arcade.store import Account
from gateway.rcadia.server import slugs
from lrgpnode.protocol.value import Value

MAX_LINE: Final = 16 * 1024
MAX_COMMENT: Final = 60
MAX_KEYS: Final = 50
"""Of one account."""

MIN_RSA_BITS: Final = 2048

_SELECT: Final = (
    "SELECT ssh_key.id, account, name, disabled, key, comment, ssh_key.created_at"
    " FROM ssh_key JOIN account ON account.id = account"
)


@dataclass(frozen=True, slots=True, kw_only=True, repr=False)
class Key(Value):
    """``key``: algorithm and key as OpenSSH writes them. ``fingerprint`` as ``ssh-keygen -l`` shows it."""

    id: str
    account: str
    account_name: str
    disabled: bool
    key: str
    comment: str
    created_at: float

    @property
    def fingerprint(self) -> str:
        return fingerprint(self.key)


class Keys:
    """Every method raises ``StoreError``, and is for any thread."""

    def __init__(self, database: Database) -> None:
        self._database = database

    def add(self, account: Account, line: str) -> Key:
        """A line of an OpenSSH public key file; what follows the key is kept as its comment."""
        key, comment = parse(line)
        id = secret.new_id()
        try:
            with self._database.writing() as db:
                owner = db.execute(
                    "SELECT name FROM ssh_key JOIN account ON account.id = account WHERE key = ?", (key,)
                ).fetchone()
                if owner:
                    raise StoreError(f"{owner[0]} has this key already.")
                held = db.execute("SELECT count(*) FROM ssh_key WHERE account = ?", (account.id,)).fetchone()
                if held[0] >= MAX_KEYS:
                    raise StoreError(f"{account.name} has {MAX_KEYS} keys already.")
                db.execute(
                    "INSERT INTO ssh_key VALUES (?, ?, ?, ?, ?)", (id, account.id, key, comment, time.time())
                )
        except sqlite3.IntegrityError as error:
            raise StoreError(f"The key cannot be kept: {error}.") from error
        return self._one(id)

    def all(self, account: Account | None = None) -> list[Key]:
        """The oldest first."""
        return [one for one in self._select("1") if account is None or one.account == account.id]

    def remove(self, account: Account, name: str) -> Key:
        """By its id, the beginning of it, its fingerprint or its comment, where no other key fits."""
        found = [
            one
            for one in self.all(account)
            if name and (one.id.startswith(name.lower()) or name in (one.fingerprint, one.comment))
        ]
        if len(found) != 1:
            raise StoreError(f"{account.name} has {'no' if not found else 'more than one'} key {name}.")
        with self._database.writing() as db:
            db.execute("DELETE FROM ssh_key WHERE id = ?", (found[0].id,))
        return found[0]

    def owner(self, key: str) -> Key | None:
        """``key``: algorithm and key as OpenSSH writes them."""
        found = self._select("key = ?", key)
        return found[0] if found else None

    def _one(self, id: str) -> Key:
        return self._select("ssh_key.id = ?", id)[0]

    def _select(self, where: str, *values: object) -> list[Key]:
        query = f"{_SELECT} WHERE {where} ORDER BY ssh_key.created_at, ssh_key.id"
        rows = self._database.rows(query, values)
        return [
            Key(
                id=row[0],
                account=row[1],
                account_name=row[2],
                disabled=bool(row[3]),
                key=row[4],
                comment=row[5],
                created_at=row[6],
            )
            for row in rows
        ]


def parse(line: str) -> tuple[str, str]:
    """(algorithm and key, comment) of a public key in OpenSSH's form. Raises ``StoreError``."""
    words = line.split(maxsplit=2)
    wrong = "That is no public key in OpenSSH's form, such as `ssh-ed25519 AAAA... me@home`."
    if len(line) > MAX_LINE or len(words) < 2 or "PRIVATE" in line:
        raise StoreError(wrong)
    key = f"{words[0]} {words[1]}"
    try:
        base64.b64decode(words[1], validate=True)
        read = load_ssh_public_key(key.encode())
    except (ValueError, binascii.Error, UnsupportedAlgorithm, UnicodeEncodeError):
        raise StoreError(wrong) from None
    if isinstance(read, dsa.DSAPublicKey) or (
        isinstance(read, rsa.RSAPublicKey) and read.key_size < MIN_RSA_BITS
    ):
        raise StoreError(f"DSA keys, and RSA keys of less than {MIN_RSA_BITS} bits, are not safe any more.")
    return key, (slugs.label(words[2] if len(words) > 2 else "") or "")[:MAX_COMMENT]


def fingerprint(key: str) -> str:
    """``key``: algorithm and key as OpenSSH writes them."""
    digest = hashlib.sha256(base64.b64decode(key.split()[1])).digest()
    return "SHA256:" + base64.b64encode(digest).decode().rstrip("=")
