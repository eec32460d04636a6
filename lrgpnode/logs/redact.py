"""What must never be in a log, taken out of it.

Two nets. What a room knows to be secret it registers, and it is found however it is spelled. What merely
looks like a key or a token goes as well: addresses and message hashes (up to 64 hexadecimal digits) stay,
a private key of Reticulum has 128.
"""

from __future__ import annotations

import base64
import re
import threading
from typing import Final
from urllib.parse import quote

GONE: Final = "[redacted]"

MIN_SECRET: Final = 6
"""A shorter secret protects nothing, and taking it out would spoil every line."""

_NAMED: Final = r"""
    ( \b (?: \w{0,32}
          (?: token | api_?key | secret | password | passphrase | private_?key | netkey | rpc_key )
      | authorization | cookie )
      ["']? \s* [=:] \s* (?: (?: bearer | basic ) \s+ )? ["']? )
    (?! (?<= token:\ ) (?-i: [A-Za-z][a-z]{0,14} (?! [\w=/+~-] ) ) )
    [^\s"'&,;)}\]]+
"""
"""The lookahead spares a sentence: "does not take the token: it has expired". No token is such a word."""

_PATTERNS: Final = tuple(
    (re.compile(pattern, re.VERBOSE | re.IGNORECASE | re.DOTALL), replacement)
    for pattern, replacement in (
        (r"-----BEGIN\ [A-Z ]*PRIVATE\ KEY-----.*?(?:-----END\ [A-Z ]*PRIVATE\ KEY-----|\Z)", GONE),
        (_NAMED, rf"\1{GONE}"),
        (r"(\b(?:bearer|basic)\ +)(?=[\w.~+/=-]*(?-i:[A-Z0-9]))[\w.~+/=-]{8,}", rf"\1{GONE}"),
        (r"(://)[^/\s@]*:[^/\s@]*@", rf"\1{GONE}@"),
        (r"\beyJ[\w-]{8,}\.[\w-]{8,}\.[\w-]*", GONE),
        (r"\b(?:sk|pk|lip|ghp|gho|arc|xox[abp])[-_][\w-]{16,}", GONE),
        (r"(?<![0-9a-f])[0-9a-f]{96,}(?![0-9a-f])", GONE),
        (r"(?<![\w+/])[A-Za-z0-9+/_-]{86}==", GONE),
    )
)

_BYTES: Final = re.compile(r"""b(?:'(?:\\.|[^'\\])*'|"(?:\\.|[^"\\])*")""")


class Redactor:
    """May be used from any thread."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._secrets: set[str] = set()
        # Where a secret may begin, and how long it may be then. Entries are only ever added or replaced
        # whole, after the secret itself is there, so that ``clean`` needs no lock.
        self._lengths: dict[str, tuple[int, ...]] = {}

    def register(self, secret: str | bytes) -> None:
        """Never let this into a log, in any of its usual spellings.

        What it costs does not grow with the number of secrets.
        """
        with self._lock:
            for spelling in _spellings(secret):
                self._secrets.add(spelling)
                beginning, length = spelling[:MIN_SECRET], len(spelling)
                lengths = self._lengths.get(beginning, ())
                if length not in lengths:
                    # The longest first: one secret may begin with another.
                    self._lengths[beginning] = tuple(sorted((*lengths, length), reverse=True))

    def clean(self, text: str) -> str:
        """``text`` without secrets."""
        if self._lengths:
            text = self._without_known(text)
        for pattern, replacement in _PATTERNS:
            text = pattern.sub(replacement, text)
        return _BYTES.sub(_no_raw_key, text)

    def _without_known(self, text: str) -> str:
        beginnings, secrets = self._lengths, self._secrets
        kept: list[str] = []
        done = 0
        for at in range(len(text) - MIN_SECRET + 1):
            if at < done or text[at : at + MIN_SECRET] not in beginnings:
                continue
            for length in beginnings[text[at : at + MIN_SECRET]]:
                if text[at : at + length] in secrets:
                    kept += (text[done:at], GONE)
                    done = at + length
                    break
        return "".join((*kept, text[done:])) if kept else text


def _no_raw_key(match: re.Match[str]) -> str:
    literal = match[0]
    # Packets and keys have many bytes that are no text.
    return GONE if literal.count("\\x") >= 8 and len(literal) >= 64 else literal


def _spellings(secret: str | bytes) -> frozenset[str]:
    raw = secret.encode() if isinstance(secret, str) else bytes(secret)
    if len(raw) < MIN_SECRET:
        return frozenset()
    found = {raw.hex(), raw.hex().upper(), repr(raw)[2:-1]}
    for encode in (base64.b64encode, base64.urlsafe_b64encode):
        text = encode(raw).decode()
        # Without the end: it depends on what follows.
        found |= {text, text.rstrip("=")}
    if isinstance(secret, str):
        found |= {secret, quote(secret, safe=""), repr(secret)[1:-1]}
    return frozenset(one for one in found if len(one) >= MIN_SECRET)


REDACTOR: Final = Redactor()
"""The one of this process."""


def register_secret(secret: str | bytes) -> None:
    """Never let this into a log of this process, in any of its usual spellings."""
    REDACTOR.register(secret)
