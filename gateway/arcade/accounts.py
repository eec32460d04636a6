"""Accounts and tokens as the command line manages them, whether the arcade runs or not."""

from __future__ import annotations

import time
from collections.abc import Sequence
from typing import Final

from gateway.arcade import secret
from gateway.arcade.store import Account, ArcadeStore, StoreError, Token
from gateway.rcadia.server import slugs

SCOPES: Final = ("play", "host")
MAX_NAME: Final = 40
MAX_LABEL: Final = 60


class Accounts:
    """Every method raises ``StoreError``."""

    def __init__(self, store: ArcadeStore) -> None:
        self._store = store

    def add(self, name: str, *, house: bool = False, password: str | None = None) -> Account:
        """A new account. The password is checked for its length only."""
        plain = slugs.label(name)
        if plain is None or len(plain) > MAX_NAME:
            raise StoreError(f"A name has 1 to {MAX_NAME} printable characters.")
        id = secret.new_id()
        hashed = None if password is None else _hashed(password)
        self._store.add_account(id, plain, house=house, password=hashed, now=time.time())
        return self.find(plain)

    def all(self) -> list[Account]:
        return self._store.accounts()

    def find(self, name: str) -> Account:
        """By its name, in upper or lower case, or by its id."""
        wanted = name.strip().casefold()
        for account in self._store.accounts():
            if wanted in (account.name.casefold(), account.id):
                return account
        raise StoreError(f"There is no account {name}.")

    def set_disabled(self, name: str, *, disabled: bool) -> Account:
        account = self.find(name)
        self._store.set_disabled(account.id, disabled=disabled)
        return self.find(account.id)

    def set_password(self, name: str, password: str | None) -> Account:
        """None takes it away: then nobody can sign in to the pages with this account."""
        account = self.find(name)
        self._store.set_password(account.id, None if password is None else _hashed(password))
        return self.find(account.id)

    def new_token(self, name: str, scopes: Sequence[str], label: str = "") -> tuple[str, Token]:
        """The token, which cannot be shown again, and what is kept of it."""
        account = self.find(name)
        if not scopes or any(scope not in SCOPES for scope in scopes):
            raise StoreError(f"Scopes are {' and '.join(SCOPES)}; a token has at least one.")
        token, id = secret.new_token(), secret.new_id()
        self._store.add_token(
            id,
            account.id,
            secret.token_hash(token),
            [scope for scope in SCOPES if scope in scopes],
            kind="agent",
            label=(slugs.label(label) or "")[:MAX_LABEL],
            now=time.time(),
        )
        return token, next(one for one in self._store.tokens(live=False) if one.id == id)

    def tokens(self, name: str | None = None) -> list[Token]:
        """Of one account, else of all; sign-ins of browsers as well."""
        account = None if name is None else self.find(name)
        return [one for one in self._store.tokens(live=False) if account is None or one.account == account.id]

    def revoke(self, id: str) -> Token:
        """By its id, or the beginning of it that no other has."""
        found = [one for one in self._store.tokens(live=False) if id and one.id.startswith(id.lower())]
        if len(found) != 1:
            raise StoreError(f"There is {'no' if not found else 'more than one'} token {id}.")
        self._store.remove_token(found[0].id)
        return found[0]


def _hashed(password: str) -> str:
    if not secret.MIN_PASSWORD <= len(password) <= secret.MAX_PASSWORD:
        raise StoreError(f"A password has {secret.MIN_PASSWORD} to {secret.MAX_PASSWORD} characters.")
    return secret.password_hash(password)
