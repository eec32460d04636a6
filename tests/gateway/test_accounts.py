"""Tokens are files that only their owner can read, and nothing shows them."""

from __future__ import annotations

import copy
import pickle
from pathlib import Path

import pytest

from gateway.accounts import AccountError, Accounts
from gateway.secret import Secret
from lrgpnode.config import TOKENS_NAME
from lrgpnode.logs.redact import REDACTOR

TOKEN = "tok_SENTINEL_12345"
PEER = "a" * 32


@pytest.fixture
def accounts(tmp_path: Path) -> Accounts:
    return Accounts(tmp_path, environ={})


def test_a_secret_shows_itself_to_nobody() -> None:
    secret = Secret(TOKEN)
    for shown in (repr(secret), str(secret), f"{secret}", f"{secret!r:>40}", repr({"a": [secret]})):
        assert "SENTINEL" not in shown
    for write in (pickle.dumps, copy.copy, copy.deepcopy):
        with pytest.raises(TypeError):
            write(secret)  # type: ignore[operator]
    assert secret.reveal() == TOKEN


def test_a_token_is_kept_and_found(accounts: Accounts, tmp_path: Path) -> None:
    accounts.put("rcadia", "main", f" {TOKEN}\n")
    file = tmp_path / TOKENS_NAME / "rcadia" / "main"
    assert file.stat().st_mode & 0o777 == 0o600
    assert file.parent.stat().st_mode & 0o777 == 0o700
    account = accounts.get("rcadia", "main")
    assert account is not None
    assert account.token.reveal() == TOKEN
    assert "SENTINEL" not in repr(account)
    assert "SENTINEL" not in REDACTOR.clean(f"bearer is {TOKEN}")
    accounts.put("rcadia", "main", "tok_another_1")
    assert [path.name for path in file.parent.iterdir()] == ["main"]


@pytest.mark.parametrize("token", ["", "short", "with space in it", "x" * 5000, "tok\x00en_1234"])
def test_what_is_no_token(accounts: Accounts, tmp_path: Path, token: str) -> None:
    with pytest.raises(AccountError) as error:
        accounts.put("rcadia", "main", token)
    assert token == "" or token not in str(error.value)
    assert accounts.sources() == []


@pytest.mark.parametrize("name", ["", "../x", "a/b", "UP", ".hidden", "x" * 65])
def test_names_lead_nowhere_else(accounts: Accounts, name: str) -> None:
    with pytest.raises(AccountError):
        accounts.put("rcadia", name, TOKEN)
    with pytest.raises(AccountError):
        accounts.put(name, "main", TOKEN)


def test_a_file_that_others_may_read_is_not_used(accounts: Accounts, tmp_path: Path) -> None:
    accounts.put("rcadia", "main", TOKEN)
    (tmp_path / TOKENS_NAME / "rcadia" / "main").chmod(0o644)
    assert accounts.get("rcadia", "main") is None
    assert [source.loose for source in accounts.sources()] == [True]


def test_a_credential_of_systemd(tmp_path: Path) -> None:
    folder = tmp_path / "credentials"
    folder.mkdir()
    (folder / "lrgpnode.rcadia.club").write_text(TOKEN + "\n")
    (folder / "something-else").write_text("x")
    accounts = Accounts(tmp_path, environ={"CREDENTIALS_DIRECTORY": str(folder)})
    (source,) = accounts.sources()
    assert (source.name, source.kind) == ("club", "credential")
    account = accounts.get("rcadia", "club")
    assert account is not None
    assert account.token.reveal() == TOKEN
    with pytest.raises(AccountError, match="credential"):
        accounts.remove("rcadia", "club")


def test_a_removed_token_is_overwritten(accounts: Accounts, tmp_path: Path) -> None:
    accounts.put("rcadia", "main", TOKEN)
    file = tmp_path / TOKENS_NAME / "rcadia" / "main"
    with file.open("rb") as kept:
        accounts.remove("rcadia", "main")
        assert b"SENTINEL" not in kept.read()
    assert not file.exists()
    with pytest.raises(AccountError):
        accounts.remove("rcadia", "main")


def test_who_plays_with_which_account(accounts: Accounts) -> None:
    assert accounts.pick("rcadia", PEER, {}, ()) is None
    for name in ("one", "two", "host"):
        accounts.put("rcadia", name, TOKEN + name)
    picked = accounts.pick("rcadia", PEER, {"one": 2, "two": 1}, ())
    assert picked is not None
    assert picked.name == "two"
    picked = accounts.pick("rcadia", PEER, {"one": 2, "two": 1}, ("two",))
    assert picked is not None
    assert picked.name == "one", "the platform wants a pause of the other one"
    assert "host" not in {account.name for account in accounts.pool("rcadia")}
    accounts.put_own("rcadia", PEER, TOKEN + "own")
    picked = accounts.pick("rcadia", PEER, {}, ())
    assert picked is not None
    assert picked.own
    assert accounts.own("rcadia", "b" * 32) is None
