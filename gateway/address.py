"""The address of a platform's server: which ones a token may be sent to.

Encrypted always. Without encryption (``http``, ``ws``) to this computer, and, if the operator has said so, to
private addresses: an arcade in the village network has no certificate. A name that is used so is looked up
when it is used, and only private addresses that come of it are taken (``resolver``), so that no name leads a
token outside.
"""

from __future__ import annotations

import ipaddress
from dataclasses import dataclass
from urllib.parse import quote, urlsplit

from lrgpnode.protocol.value import Value

MAX_LENGTH = 300
WEB = ("https", "http")
STREAM = ("wss", "ws")
"""Schemes: the encrypted one, and the other."""

_LOCAL_NAMES = frozenset(("localhost", "ip6-localhost"))


class BadAddress(Exception):
    """The address of the platform cannot be used; a setting has to change."""


@dataclass(frozen=True, slots=True, repr=False)
class Address(Value):
    """``base`` without a slash at its end; ``plain``: no TLS, private addresses only."""

    base: str
    host: str
    plain: bool

    def url(self, *parts: str) -> str:
        """The URL of a path below the base; each part is quoted, so none can leave its place."""
        return "/".join((self.base, *(quote(part, safe="") for part in parts)))


def parse_address(text: str, *, allow_plain: bool = False, schemes: tuple[str, str] = WEB) -> Address:
    """Read the operator's setting. ``allow_plain``: unencrypted to private addresses.

    Raises ``BadAddress``.
    """
    encrypted, open_scheme = schemes
    like = f"The address of the platform must be one like {encrypted}://api.example.org"
    if len(text) > MAX_LENGTH or not text.isascii() or not text.isprintable() or " " in text:
        raise BadAddress(like)
    try:
        parts = urlsplit(text)
        host, port = parts.hostname or "", parts.port
    except ValueError:
        raise BadAddress(like) from None
    if parts.scheme not in schemes or not host:
        begin = f"{encrypted}:// (or {open_scheme}:// for a local one)"
        raise BadAddress(f"The address of the platform must begin with {begin}")
    if parts.username is not None or parts.query or parts.fragment or "?" in text or "#" in text:
        raise BadAddress("The address of the platform must not contain a user, a password or a query")
    plain = parts.scheme == open_scheme
    if plain:
        _check_plain(host, allow_plain, schemes)
    netloc = f"[{host}]" if ":" in host else host
    if port is not None:
        netloc = f"{netloc}:{port}"
    return Address(f"{parts.scheme}://{netloc}{parts.path.rstrip('/')}", host, plain)


def is_private(address: str) -> bool:
    """Whether an IP address is of this computer or of a network that the internet does not route."""
    try:
        ip = ipaddress.ip_address(address.split("%", 1)[0])
    except ValueError:
        return False
    mapped = getattr(ip, "ipv4_mapped", None)
    ip = mapped or ip
    return (ip.is_private or ip.is_loopback or ip.is_link_local) and not (
        ip.is_unspecified or ip.is_multicast
    )


def _check_plain(host: str, allowed: bool, schemes: tuple[str, str]) -> None:
    if host in _LOCAL_NAMES:
        return
    encrypted, scheme = schemes
    refused = f"{scheme}://{host} is not encrypted: use {encrypted}, or allow plain http"
    try:
        ip = ipaddress.ip_address(host)
    except ValueError:
        if not allowed:
            raise BadAddress(refused) from None
        return
    if ip.is_loopback:
        return
    if not is_private(host):
        raise BadAddress(f"{scheme}://{host} is on the internet and not encrypted: use {encrypted}")
    if not allowed:
        raise BadAddress(refused)
