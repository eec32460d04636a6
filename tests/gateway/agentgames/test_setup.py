"""AgentGames out of the settings: which transport, which address, what is said where it cannot be."""

from __future__ import annotations

import io
import logging
import sys
from pathlib import Path

import pytest

from gateway.accounts import AccountError, Accounts
from gateway.agentgames.client.ssh import SshDialer
from gateway.agentgames.client.websocket import WebSocketDialer
from gateway.agentgames.platform import AgentGamesPlatform
from gateway.start import _agentgames
from lrgpnode.cli.gateway import _token
from lrgpnode.config import SETTINGS, Settings
from lrgpnode.config.kinds import host_and_maybe_port, remote, web_address
from lrgpnode.logs.redact import REDACTOR
from tests.gateway.agentgames.serving import CLIENT_KEY, PEM


def test_nothing_is_set_up_of_itself(tmp_path: Path) -> None:
    assert _agentgames(Settings(), tmp_path) is None


def test_over_websocket_with_the_limits_of_the_settings(tmp_path: Path) -> None:
    settings = Settings(agentgames_url="wss://bbs.example.org", agentgames_move_seconds=60)
    platform = _agentgames(settings, tmp_path)
    assert isinstance(platform, AgentGamesPlatform)
    assert isinstance(platform._dialer, WebSocketDialer)
    assert platform._dialer._url == "wss://bbs.example.org/play"
    assert (platform.name, platform.move_seconds, platform.queue_seconds) == ("agentgames", 60.0, 120.0)
    other = _agentgames(Settings(agentgames_url="wss://bbs.example.org/games/play"), tmp_path)
    assert isinstance(other, AgentGamesPlatform)
    assert isinstance(other._dialer, WebSocketDialer)
    assert other._dialer._url == "wss://bbs.example.org/games/play"


def test_over_ssh_where_that_is_set(tmp_path: Path) -> None:
    settings = Settings(agentgames_url="wss://bbs.example.org", agentgames_ssh="bbs.example.org:2222")
    platform = _agentgames(settings, tmp_path)
    assert isinstance(platform, AgentGamesPlatform)
    assert isinstance(platform._dialer, SshDialer)
    assert (platform._dialer._host, platform._dialer._port) == ("bbs.example.org", 2222)
    assert list(tmp_path.iterdir()) == []


def test_what_cannot_be_is_said_in_the_log(
    tmp_path: Path, caplog: pytest.LogCaptureFixture, monkeypatch: pytest.MonkeyPatch
) -> None:
    caplog.set_level(logging.ERROR)
    assert _agentgames(Settings(agentgames_url="ws://192.168.1.9"), tmp_path) is None
    assert "is not encrypted: use wss, or allow plain http" in caplog.text
    plain = Settings(agentgames_url="ws://192.168.1.9", agentgames_plain_http=True)
    assert _agentgames(plain, tmp_path) is not None
    monkeypatch.setitem(sys.modules, "gateway.agentgames.client.ssh", None)
    assert _agentgames(Settings(agentgames_ssh="bbs.example.org"), tmp_path) is None
    assert "`lrgpnode[ssh]`" in caplog.text


@pytest.mark.parametrize(
    ("typed", "parts"),
    [
        ("bbs.example.org", ("bbs.example.org", 22)),
        ("bbs.example.org:2222", ("bbs.example.org", 2222)),
        ("[fd00::1]:2222", ("fd00::1", 2222)),
        ("[fd00::1]", ("fd00::1", 22)),
        ("10.0.0.1", ("10.0.0.1", 22)),
    ],
)
def test_hosts(typed: str, parts: tuple[str, int]) -> None:
    assert remote().parse(typed) == typed
    assert host_and_maybe_port(typed, 22) == parts


@pytest.mark.parametrize(
    "typed", ["game@host", "a b", "host:", "host:0", "host:70000", "ssh://host", "fd00::1", 7]
)
def test_what_is_no_host(typed: object) -> None:
    with pytest.raises(ValueError, match=r"^$"):
        remote().parse(typed)


def test_addresses_have_their_schemes() -> None:
    assert web_address("ws", "wss").parse("wss://host/play/") == "wss://host/play"
    assert web_address().parse("") == ""
    for kind, typed in ((web_address("ws", "wss"), "https://host"), (web_address(), "wss://host")):
        with pytest.raises(ValueError, match=r"^$"):
            kind.parse(typed)
    assert SETTINGS["agentgames.url"].kind.words == "an address that begins with ws:// or wss://, or empty"


# Accounts that are keys


def test_an_ssh_key_is_an_account_like_a_token(tmp_path: Path) -> None:
    accounts = Accounts(tmp_path, environ={})
    source = accounts.put("agentgames", "main", PEM.replace("\n", "\r\n"))
    assert source.path.stat().st_mode & 0o777 == 0o600
    account = accounts.get("agentgames", "main")
    assert account is not None
    assert account.token.reveal() == PEM.strip()
    for line in PEM.splitlines()[1:-1]:
        if len(line) >= 6:
            assert line not in REDACTOR.clean(f"the key has {line} in it")
    old = CLIENT_KEY.export_private_key("pkcs8-pem").decode()
    accounts.put("agentgames", "old", old)
    assert len(accounts.pool("agentgames")) == 2


@pytest.mark.parametrize(
    "text",
    [
        "-----BEGIN OPENSSH PRIVATE KEY-----\nb3B\x00\n-----END OPENSSH PRIVATE KEY-----",
        "-----BEGIN OPENSSH PRIVATE KEY-----\n" + "A" * 5000 + "\n-----END OPENSSH PRIVATE KEY-----",
        "-----BEGIN OPENSSH PRIVATE KEY-----\nb3Bl\n-----END RSA PRIVATE KEY-----",
        "-----BEGIN OPENSSH PUBLIC KEY-----\nb3Bl\n-----END OPENSSH PUBLIC KEY-----",
        "two\nlines-of-text",
    ],
)
def test_what_is_neither_token_nor_key(tmp_path: Path, text: str) -> None:
    with pytest.raises(AccountError, match="private SSH key"):
        Accounts(tmp_path, environ={}).put("agentgames", "main", text)


def test_a_key_is_read_whole_from_standard_input(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "stdin", io.StringIO(PEM))
    assert _token() == PEM.strip()
    monkeypatch.setattr(sys, "stdin", io.StringIO("token\nsecond line\n"))
    assert _token() == "token"
