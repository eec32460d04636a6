"""Tokens and passwords: made, hashed, compared."""

from __future__ import annotations

import hashlib
import hmac
import secrets
from typing import Final

from lrgpnode.logs.redact import register_secret

PREFIX: Final = "arc_"
"""What every token begins with; the log takes out whatever does."""

MIN_PASSWORD: Final = 8
MAX_PASSWORD: Final = 200

# 16 MiB and some hundredths of a second on a Raspberry Pi: OWASP's smallest choice for scrypt with r = 8
# is larger, but would not fit beside a node on 512 MB.
_COST: Final = 2**14
_BLOCK: Final = 8
_MEMORY: Final = 64 * 1024 * 1024


def new_token() -> str:
    """A token of 256 random bits, which the log never shows."""
    token = PREFIX + secrets.token_urlsafe(32)
    register_secret(token)
    return token


def new_id() -> str:
    return secrets.token_hex(6)


def token_hash(token: str) -> bytes:
    """A token is random and long, so a plain hash keeps it."""
    return hashlib.sha256(token.encode("utf-8", "surrogatepass")).digest()


def password_hash(password: str) -> str:
    """Slow on purpose: not in the event loop."""
    salt = secrets.token_bytes(16)
    return f"scrypt${salt.hex()}${_scrypt(password, salt).hex()}"


def password_matches(password: str, hashed: str) -> bool:
    """As slow as ``password_hash``."""
    _, salt, expected = hashed.split("$")
    return hmac.compare_digest(_scrypt(password, bytes.fromhex(salt)), bytes.fromhex(expected))


NOBODY: Final = f"scrypt${'00' * 16}${'00' * 32}"
"""No password has this hash; compared where there is no account, so that it takes as long."""


def _scrypt(password: str, salt: bytes) -> bytes:
    given = password.encode("utf-8", "surrogatepass")
    return hashlib.scrypt(given, salt=salt, n=_COST, r=_BLOCK, p=1, dklen=32, maxmem=_MEMORY)
