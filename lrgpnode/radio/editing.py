"""Putting a section into the text of Reticulum's configuration, all other bytes of which stay.

The file is in ConfigObj's format: sections by brackets, deeper ones by more of them; comments; values that
may go over several lines in triple quotes.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator, Mapping
from dataclasses import dataclass
from typing import Final

_HEADER: Final = re.compile(rb"\s*(?P<open>\[+)\s*(?P<name>.*?)\s*(?P<close>\]+)\s*(#.*)?")
_OPTION: Final = re.compile(rb"(?P<indent>\s*)(?P<name>[^\s=#\[][^=]*?)\s*=\s*(?P<value>.*?)\s*")
_TRIPLE: Final = (b'"""', b"'''")
_INTERFACES: Final = b"interfaces"


class EditError(ValueError):
    """The text cannot be changed safely, and why."""


@dataclass(frozen=True, slots=True)
class _Line:
    """``start`` to ``end`` of the text; ``depth`` and ``name`` of a section's header; ``option``: its name;
    ``blank``: empty or a comment; ``continued``: more of a value in triple quotes."""

    start: int
    end: int
    depth: int = 0
    name: bytes = b""
    option: bytes = b""
    blank: bool = False
    continued: bool = False


def put_section(
    content: bytes, name: str, rendered: str, options: Mapping[str, str], drop: Collection[str] = ()
) -> bytes:
    """``content`` with the interface ``name``: changed option by option where it is, else ``rendered``.

    Options in ``drop`` that are not among ``options`` are taken out of an existing section. Raises
    ``EditError``.
    """
    lines = list(_lines(content))
    newline = b"\r\n" if b"\r\n" in content else b"\n"
    block = _block(lines, 0, len(lines), 1, _INTERFACES)
    if block is None:
        text = b"[interfaces]" + newline + _bytes(rendered, newline)
        return _inserted(content, len(content), newline + text if content.strip() else text, newline)
    found = _block(lines, *block, 2, name.encode())
    if found is not None:
        return _changed(content, lines, found, options, drop, newline)
    used = [line for line in lines[block[0] : block[1]] if not line.blank]
    last = used[-1] if used else lines[block[0] - 1]
    at = len(content) if block[1] == len(lines) else last.end
    return _inserted(content, at, newline + _bytes(rendered, newline), newline)


def _block(lines: list[_Line], first: int, last: int, depth: int, name: bytes) -> tuple[int, int] | None:
    """The lines below a header, up to the next header that is no deeper; indices of a half-open range."""
    for number in range(first, last):
        if lines[number].depth == depth and lines[number].name == name:
            end = number + 1
            while end < last and not 0 < lines[end].depth <= depth:
                end += 1
            return number + 1, end
    return None


def _changed(
    content: bytes,
    lines: list[_Line],
    block: tuple[int, int],
    options: Mapping[str, str],
    drop: Collection[str],
    newline: bytes,
) -> bytes:
    own = lines[block[0] : block[1]]
    if any(line.depth for line in own):
        raise EditError("the section has sections of its own")
    edits: list[tuple[int, int, bytes]] = []
    indent, missing, at = b"    ", dict(options), lines[block[0] - 1].end
    for line in own:
        if line.option or line.continued:
            at = line.end
        if not line.option:
            continue
        text = content[line.start : line.end]
        match = _OPTION.fullmatch(text.rstrip(b"\r\n"))
        assert match is not None
        indent = match["indent"]
        key = line.option.decode(errors="replace")
        if key in missing:
            value = missing.pop(key)
            if _bare(match["value"]) != value.encode():
                ending = text[len(text.rstrip(b"\r\n")) :]
                comment = _comment(match["value"])
                fresh = text[: match.start("value")] + value.encode() + comment + ending
                edits.append((line.start, line.end, fresh))
        elif key in drop:
            edits.append((line.start, line.end, b""))
    new = b"".join(indent + f"{key} = {value}".encode() + newline for key, value in missing.items())
    if new:
        gap = b"" if content[:at].endswith(b"\n") else newline
        edits.append((at, at, gap + new))
    for start, end, text in sorted(edits, key=lambda edit: edit[0], reverse=True):
        content = content[:start] + text + content[end:]
    return content


def _bare(value: bytes) -> bytes:
    """A value without its comment and quotes."""
    if value[:1] in (b'"', b"'"):
        return value[1 : value.find(value[:1], 1)]
    return value.partition(b"#")[0].rstrip()


def _comment(value: bytes) -> bytes:
    """The comment behind a value, with the space before it."""
    if value[:1] in (b'"', b"'"):
        value = value[value.find(value[:1], 1) + 1 :]
    bare = value.partition(b"#")[0].rstrip()
    return value[len(bare) :] if b"#" in value else b""


def _inserted(content: bytes, at: int, text: bytes, newline: bytes) -> bytes:
    before = content[:at]
    if before and not before.endswith(b"\n"):
        text = newline + text
    return before + text + content[at:]


def _bytes(text: str, newline: bytes) -> bytes:
    return text.encode().replace(b"\n", newline)


def _lines(content: bytes) -> Iterator[_Line]:
    position, quote = 0, b""
    for text in content.splitlines(keepends=True):
        start, position = position, position + len(text)
        if quote:
            if quote in text:
                quote = b""
            yield _Line(start, position, continued=True)
            continue
        bare = text.rstrip(b"\r\n").removeprefix(b"\xef\xbb\xbf" if start == 0 else b"")
        stripped = bare.strip()
        if not stripped or stripped.startswith(b"#"):
            yield _Line(start, position, blank=True)
            continue
        header = _HEADER.fullmatch(bare)
        if header is not None:
            name = header["name"].strip(b"\"'")
            yield _Line(start, position, depth=len(header["open"]), name=name)
            continue
        option = _OPTION.fullmatch(bare)
        if option is not None:
            value = option["value"]
            quote = next((mark for mark in _TRIPLE if value.startswith(mark) and mark not in value[3:]), b"")
            yield _Line(start, position, option=option["name"].strip(b"\"'"))
            continue
        yield _Line(start, position)
    if quote:
        raise EditError("a value in triple quotes does not end")
