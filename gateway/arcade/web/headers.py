"""What browsers are told about the pages: what may run there, who may frame them, how long they keep."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

_COMMON: Final = {
    "X-Content-Type-Options": "nosniff",
    "Referrer-Policy": "no-referrer",
    # Asked again each time, answered with 304: after an update no page runs yesterday's scripts.
    "Cache-Control": "no-cache",
}

PAGE: Final[Mapping[str, str]] = {
    **_COMMON,
    "Content-Security-Policy": "; ".join(
        (
            "default-src 'none'",
            "script-src 'self'",
            "style-src 'self'",
            "img-src 'self'",
            "connect-src 'self'",
            # Also holds a game's frame on this origin: it cannot take its messages elsewhere by navigating.
            "frame-src 'self'",
            "base-uri 'none'",
            "form-action 'none'",
            "frame-ancestors 'none'",
            "require-trusted-types-for 'script'",
            "trusted-types 'none'",
        )
    ),
    "X-Frame-Options": "DENY",
    "Permissions-Policy": "camera=(), microphone=(), geolocation=(), payment=(), usb=()",
}
"""Pages that hold a token. No script but our files, no markup from texts, in nobody's frame."""

GAME: Final[Mapping[str, str]] = {
    **_COMMON,
    "Content-Security-Policy": "; ".join(
        (
            "sandbox allow-scripts",
            "default-src 'none'",
            "script-src 'self'",
            "style-src 'self'",
            "img-src 'self' data:",
            "font-src 'self'",
            "media-src 'self'",
            "base-uri 'none'",
            "form-action 'none'",
            "frame-ancestors 'self'",
        )
    ),
    # A sandboxed document has no origin, so its own modules are another's to it.
    "Access-Control-Allow-Origin": "*",
}
"""Documents of games: sandboxed wherever they are opened, without network, framed by our pages only."""

FILE: Final[Mapping[str, str]] = {**_COMMON, "Access-Control-Allow-Origin": "*"}
"""Scripts, styles and pictures, which are the same for everybody."""
