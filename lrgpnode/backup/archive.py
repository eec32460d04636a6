"""The file of a backup: a plain tar that can be looked into with any tar, but is read strictly.

The first member is ``manifest.json`` with name, size and SHA-256 of each of the others, which follow in
that order. The last, ``sha256``, is the SHA-256 of every byte before it, so that a change anywhere in
the file is found, also in headers and padding. It is a check against damage, no signature.
"""

from __future__ import annotations

import hashlib
import io
import json
import tarfile
from collections.abc import Iterator, Mapping
from dataclasses import asdict, dataclass
from typing import IO, Any, Final

from .errors import BadBackup

FORMAT: Final = "lrgpnode-backup"
VERSION: Final = 1
MANIFEST: Final = "manifest.json"
SEAL: Final = "sha256"

SECOND: Final = 1_000_000_000
BLOCK: Final = tarfile.BLOCKSIZE
CHUNK: Final = 1 << 20
MAX_MANIFEST: Final = 4 << 20
MAX_MEMBERS: Final = 10_000
MAX_MEMBER: Final = 8 << 30
"""The most that a tar header of the plain kind can say."""

MAX_SECONDS: Final = (1 << 33) - 1
"""The same of its time."""

_SEAL_BYTES: Final = 64


@dataclass(frozen=True, slots=True, kw_only=True)
class Member:
    """One file of the backup. ``name`` is its path in the data directory, with ``/``.

    ``mtime_ns`` is when it was last changed: the oldest identity is the one that is meant by default.
    """

    name: str
    size: int
    sha256: str
    mtime_ns: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Manifest:
    """What the backup says of itself. ``schema`` is the version of the database, times are Unix seconds."""

    created_at: float
    program: str
    schema: int
    identities: tuple[str, ...]
    members: tuple[Member, ...]
    version: int = VERSION

    def encode(self) -> bytes:
        return json.dumps({"format": FORMAT, **asdict(self)}, indent=1).encode()


def header(name: str, size: int, mtime: int) -> bytes:
    """The tar header of a member: a plain file of mode 0600 that belongs to nobody in particular."""
    info = tarfile.TarInfo(name)
    info.size, info.mtime, info.mode = size, mtime, 0o600
    return info.tobuf(tarfile.USTAR_FORMAT, "ascii", "strict")


def padding(size: int) -> bytes:
    return bytes(-size % BLOCK)


class Writer:
    """Writes an archive to ``out``: the manifest, then each member, then ``finish``."""

    def __init__(self, out: IO[bytes], manifest: Manifest) -> None:
        self._out = out
        self._hash = hashlib.sha256()
        self._mtime = int(manifest.created_at)
        content = manifest.encode()
        self._add(MANIFEST, len(content), self._mtime, io.BytesIO(content))

    def add(self, member: Member, content: IO[bytes]) -> None:
        """Append a member, which must be the next of the manifest."""
        self._add(member.name, member.size, member.mtime_ns // SECOND, content)

    def _add(self, name: str, size: int, mtime: int, content: IO[bytes]) -> None:
        self._write(header(name, size, mtime))
        left = size
        while left and (chunk := content.read(min(left, CHUNK))):
            self._write(chunk)
            left -= len(chunk)
        if left:
            raise BadBackup(f"{name} became shorter while it was being copied", "Try again.")
        self._write(padding(size))

    def finish(self) -> None:
        seal = self._hash.hexdigest().encode()
        self._out.write(header(SEAL, len(seal), self._mtime) + seal + padding(len(seal)) + bytes(2 * BLOCK))

    def _write(self, data: bytes) -> None:
        self._hash.update(data)
        self._out.write(data)


class Reader:
    """Reads an archive from its beginning, once. Everything unexpected raises ``BadBackup``.

    What ``members`` yields is read block by block and believed only when the iteration has ended: the
    hash of a member is compared when it has been read, the seal at the end.
    """

    def __init__(self, file: IO[bytes], path: str) -> None:
        self._file = file
        self._path = path
        self._hash = hashlib.sha256()
        name, size = self._header()
        if name != MANIFEST:
            raise BadBackup(f"{path} is no backup of lrgpnode")
        if size > MAX_MANIFEST:
            raise self._bad("its list of contents is too long")
        content = b"".join(self._content(size))
        self.manifest = _manifest(content, path)

    def members(self) -> Iterator[tuple[Member, Iterator[bytes]]]:
        """Each member with its content in pieces, which must be taken before the next member."""
        for member in self.manifest.members:
            name, size = self._header()
            if (name, size) != (member.name, member.size):
                raise self._bad(f"it holds {name!r} where its list has {member.name!r}")
            yield member, self._checked(member)
        self._check_seal()

    def _checked(self, member: Member) -> Iterator[bytes]:
        digest = hashlib.sha256()
        for chunk in self._content(member.size):
            digest.update(chunk)
            yield chunk
        if digest.hexdigest() != member.sha256:
            raise self._bad(f"the content of {member.name} has changed")

    def _check_seal(self) -> None:
        expected = self._hash.hexdigest().encode()
        name, size = self._header()
        if (name, size) != (SEAL, _SEAL_BYTES):
            raise self._bad("its end is missing")
        if b"".join(self._content(size)) != expected:
            raise self._bad("its checksum is wrong")
        rest = self._file.read(2 * BLOCK + 1)
        if rest != bytes(2 * BLOCK):
            raise self._bad("there is something behind its end, or the end is missing")

    def _header(self) -> tuple[str, int]:
        block = self._read(BLOCK)
        try:
            info = tarfile.TarInfo.frombuf(block, "ascii", "strict")
        except (tarfile.HeaderError, UnicodeError, ValueError):
            if not self._hash_begun:
                raise BadBackup(f"{self._path} is no backup of lrgpnode") from None
            raise self._bad("a header in it is damaged") from None
        # A header in any other spelling than ours is not ours: no links, no devices, no extensions.
        if not 0 <= info.size <= MAX_MEMBER or header(info.name, info.size, int(info.mtime)) != block:
            if not self._hash_begun:
                raise BadBackup(f"{self._path} is no backup of lrgpnode")
            raise self._bad(f"{info.name!r} in it is no plain file")
        self._hash.update(block)
        self._hash_begun = True
        return info.name, info.size

    _hash_begun = False

    def _content(self, size: int) -> Iterator[bytes]:
        left = size
        while left:
            chunk = self._read(min(left, CHUNK))
            self._hash.update(chunk)
            yield chunk
            left -= len(chunk)
        pad = self._read(len(padding(size)))
        self._hash.update(pad)
        if pad.strip(b"\0"):
            raise self._bad("there is something between its members")

    def _read(self, size: int) -> bytes:
        data = self._file.read(size)
        if len(data) != size:
            if not self._hash_begun:
                raise BadBackup(f"{self._path} is no backup of lrgpnode")
            raise self._bad("it is cut off")
        return data

    def _bad(self, why: str) -> BadBackup:
        return BadBackup(f"the backup {self._path} is damaged: {why}", "Use another backup.")


def _manifest(content: bytes, path: str) -> Manifest:
    try:
        found = json.loads(content)
        if found["format"] != FORMAT:
            raise BadBackup(f"{path} is no backup of lrgpnode")
        version = found["version"]
        if type(version) is not int or version < 1:
            raise ValueError
        if version > VERSION:
            raise BadBackup(
                f"the backup {path} has format {version}; this lrgpnode reads up to {VERSION}",
                "Restore it with the lrgpnode that made it, or a newer one.",
            )
        members = tuple(_member(item) for item in found["members"])
        names = {member.name for member in members}
        if len(members) > MAX_MEMBERS or len(names) != len(members) or names & {MANIFEST, SEAL}:
            raise ValueError
        return Manifest(
            created_at=_moment(found["created_at"]),
            program=_text(found["program"]),
            schema=_whole(found["schema"], 1 << 31),
            identities=tuple(_text(item) for item in found["identities"]),
            members=members,
            version=version,
        )
    except (ValueError, KeyError, TypeError, RecursionError, OverflowError):
        raise BadBackup(
            f"the backup {path} is damaged: its list of contents cannot be read", "Use another backup."
        ) from None


def _member(item: Mapping[str, Any]) -> Member:
    return Member(
        name=_text(item["name"]),
        size=_whole(item["size"], MAX_MEMBER),
        sha256=_text(item["sha256"]),
        mtime_ns=_whole(item["mtime_ns"], MAX_SECONDS * SECOND),
    )


def _moment(value: object) -> float:
    if not isinstance(value, int | float) or not 0 <= value <= MAX_SECONDS:  # NaN is not, either
        raise ValueError
    return float(value)


def _whole(value: object, most: int) -> int:
    if type(value) is not int or not 0 <= value <= most:
        raise ValueError
    return value


def _text(value: object) -> str:
    if not isinstance(value, str) or len(value) > 200:
        raise ValueError
    return value
