"""What arguments may look like; whatever is wrong with them is found before the node is asked."""

from __future__ import annotations

import click


class SessionId(click.ParamType[str]):
    """A session id or a prefix of one."""

    name = "id"

    def convert(self, value: str, param: click.Parameter | None, ctx: click.Context | None) -> str:
        lowered = value.strip().lower()
        if not 1 <= len(lowered) <= 16 or not set(lowered) <= set("0123456789abcdef"):
            self.fail(f"{value[:40]!r} is no session id: `lrgpnode games` lists them.", param, ctx)
        return lowered


class Words(click.ParamType[str]):
    """A text of limited length; spaces around it do not count."""

    name = "text"

    def __init__(self, most: int) -> None:
        self._most = most

    def convert(self, value: str, param: click.Parameter | None, ctx: click.Context | None) -> str:
        value = value.strip(" ")
        if not 1 <= len(value) <= self._most:
            self.fail(f"it must have 1 to {self._most} characters.", param, ctx)
        if not value.isprintable():
            self.fail("it must consist of printable characters.", param, ctx)
        return value


SESSION = SessionId()
NAME = Words(256)
APP = Words(64)
