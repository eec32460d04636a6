"""The durable inbox: what LXMF proves to the sender survives a crash (architecture §5).

LXMF proves a packet before the application sees it, and the sender never repeats a proved one. So
each packet is appended to this file and synced before the proof. The application closes the entry
when the message is committed; entries that are still open at the next start are delivered again.

The file is a sequence of records: a header with a checksum, then the data of an opening record. A
closing record is a bare header. Reading stops at the first record that is not whole, which after a
crash is the torn end; the file is cut there. Closing needs no sync: at worst a message is delivered
twice, and whoever receives it recognises it by its hash.

Two threads use it: Reticulum's inbound thread appends and syncs, the node's loop closes. The loop
must not wait for the disk, so syncing happens outside the lock that closing takes.
"""

from __future__ import annotations

import logging
import os
import struct
import zlib
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from threading import Lock
from typing import Final

from lrgpnode.protocol.value import Value

from .identity import sync_directory

MAX_ENTRY_BYTES: Final = 16 * 1024
"""A packet on a slow medium has 500 bytes; on a fast link one packet can be larger."""

MAX_FILE_BYTES: Final = 4 * 1024 * 1024
"""About ten thousand packets that nobody has dealt with: then no more is accepted."""

COMPACT_BYTES: Final = 64 * 1024
"""The file is emptied when nothing is open and it is larger than this, not sooner: each change of
a file's size costs the SD card another write."""

KEY_BYTES: Final = 64

# kind, method, length of key, entry, length of data; then the CRC of those and key and data.
_HEADER = struct.Struct(">cBBQI")
_CRC = struct.Struct(">I")
HEADER_BYTES: Final = _HEADER.size + _CRC.size
_OPEN: Final = b"O"
_CLOSE: Final = b"C"

_log = logging.getLogger(__name__)


class InboxFull(Exception):
    """The packet must not be proved: there is no room to keep it."""


@dataclass(frozen=True, slots=True, repr=False)
class Entry(Value):
    """One packet: ``raw`` is destination, source, signature, payload as LXMF unpacks it.

    ``key`` is the sender's public key where it was known on arrival: after a crash Reticulum may
    have forgotten it, and the signature could not be checked again.
    """

    id: int
    method: int
    raw: bytes
    key: bytes = b""


class Inbox:
    """The inbox file of one identity. Entry ids start at 1 and are never used twice."""

    def __init__(
        self,
        path: Path,
        *,
        max_file: int = MAX_FILE_BYTES,
        max_entry: int = MAX_ENTRY_BYTES,
        compact: int = COMPACT_BYTES,
    ) -> None:
        self._path = path
        self._max_file = max_file
        self._compact = compact
        self._max_entry = max_entry
        self._state = Lock()  # the fields below and the file's content
        self._appending = Lock()  # held through a compaction, so that syncing sees one file
        path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
        new = not path.exists()
        self._file = os.open(path, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o600)
        os.fchmod(self._file, 0o600)
        if new:
            sync_directory(path.parent)
        data = path.read_bytes()
        self._open: dict[int, Entry] = {}
        self._places: dict[int, int] = {}  # of open entries
        self._last = self._size = 0
        for position, kind, entry in _records(data):
            if kind == _OPEN:
                self._open[entry.id] = entry
                self._places[entry.id] = self._size
            else:
                self._forget(entry.id)
            self._size = position
            self._last = max(self._last, entry.id)
        if self._size != len(data):
            _log.warning(
                "%s: %d bytes at its end are no whole entry and are dropped", path, len(data) - self._size
            )
            os.ftruncate(self._file, self._size)
        self._opened = tuple(self._open.values())

    def left_over(self) -> tuple[Entry, ...]:
        """The entries that were open when the file was opened and still are, in order of arrival."""
        with self._state:
            return tuple(entry for entry in self._opened if entry.id in self._open)

    def open_count(self) -> int:
        return len(self._open)

    def append(self, raw: bytes, method: int, key: bytes = b"") -> int:
        """Write one packet and return its entry id. It is durable only after ``sync``.

        Raises ``InboxFull`` or ``OSError``; then nothing has been kept.
        """
        if len(raw) > self._max_entry:
            raise InboxFull(f"a packet of {len(raw)} bytes is larger than the inbox takes")
        with self._appending:
            self._make_room(HEADER_BYTES + len(raw) + len(key))
            with self._state:
                entry = Entry(self._last + 1, method, raw, key)
                place = self._size
                self._write(_encode(_OPEN, entry))
                self._last = entry.id
                self._open[entry.id] = entry
                self._places[entry.id] = place
                return entry.id

    def sync(self) -> None:
        """Wait until everything appended is on the disk. Raises ``OSError``."""
        with self._appending:
            os.fdatasync(self._file)

    def close_entry(self, entry: int) -> None:
        """The entry needs no replay any more. Unknown or closed entries are ignored."""
        with self._state:
            if self._forget(entry) is None or self._file < 0:
                return
            try:
                if not self._open and self._size > self._compact:
                    # The last id stays in the file, so that ids go on from it after a restart.
                    os.ftruncate(self._file, 0)
                    self._size = 0
                    self._write(_encode(_CLOSE, Entry(self._last, 0, b"")))
                else:
                    self._write(_encode(_CLOSE, Entry(entry, 0, b"")))
            except OSError as error:
                # Only a replay after a crash would show it.
                _log.warning("%s: an entry could not be closed: %s", self._path, error.strerror)

    def wipe_entry(self, entry: int) -> None:
        """As ``close_entry``, and its packet is overwritten, on the disk too. Raises ``OSError``."""
        with self._appending:
            with self._state:
                place, known = self._places.get(entry, 0), self._forget(entry)
                if known is None or self._file < 0:
                    return
                # Of the same length, so that what follows is found; as a close, so that it is not open.
                blank = Entry(entry, 0, bytes(len(known.raw)), bytes(len(known.key)))
                os.pwrite(self._file, _encode(_CLOSE, blank), place)
            os.fdatasync(self._file)

    def _forget(self, entry: int) -> Entry | None:
        self._places.pop(entry, None)
        return self._open.pop(entry, None)

    def close(self) -> None:
        """Let go of the file. Open entries stay in it."""
        with self._appending, self._state:
            if self._file >= 0:
                os.close(self._file)
                self._file = -1

    def _write(self, record: bytes) -> None:
        """Write at the end, whole or not at all. Needs ``_state``."""
        if self._file < 0:
            raise InboxFull("the inbox is closed")
        try:
            written = os.pwrite(self._file, record, self._size)
        except OSError:
            written = 0
            raise
        finally:
            if written != len(record):
                os.ftruncate(self._file, self._size)
        if written != len(record):
            raise InboxFull("the disk is full")
        self._size += len(record)

    def _make_room(self, needed: int) -> None:
        """Rewrite the file with only its open entries when it has grown. Needs ``_appending``."""
        if self._size + needed <= self._max_file:
            return
        with self._state:
            kept = list(self._open.values())
            last = Entry(self._last, 0, b"")
        content = _encode(_CLOSE, last) + b"".join(_encode(_OPEN, entry) for entry in kept)
        if len(content) + needed > self._max_file // 2:
            # Also when half is free no more: rewriting for each packet would wear out the card.
            raise InboxFull(f"{len(kept)} messages wait to be dealt with")
        partial = self._path.with_suffix(".new")
        fresh = os.open(partial, os.O_RDWR | os.O_CREAT | os.O_TRUNC | os.O_CLOEXEC, 0o600)
        try:
            if os.write(fresh, content) != len(content):
                raise InboxFull("the disk is full")
            os.fsync(fresh)
            with self._state:
                # What was closed meanwhile is closed in the new file too.
                size, place = len(content), len(_encode(_CLOSE, last))
                for entry in kept:
                    if entry.id in self._open:
                        self._places[entry.id] = place
                    place += len(_encode(_OPEN, entry))
                    if entry.id not in self._open:
                        size += os.pwrite(fresh, _encode(_CLOSE, Entry(entry.id, 0, b"")), size)
                partial.replace(self._path)
                self._file, fresh, self._size = fresh, self._file, size
            sync_directory(self._path.parent)
        finally:
            os.close(fresh)
            partial.unlink(missing_ok=True)


def _encode(kind: bytes, entry: Entry) -> bytes:
    head = _HEADER.pack(kind, entry.method, len(entry.key), entry.id, len(entry.raw))
    return b"".join(
        (
            head,
            _CRC.pack(zlib.crc32(entry.raw, zlib.crc32(entry.key, zlib.crc32(head)))),
            entry.key,
            entry.raw,
        )
    )


def _records(data: bytes) -> Iterator[tuple[int, bytes, Entry]]:
    """(position after it, kind, entry) of each whole record from the start."""
    position = 0
    while position + HEADER_BYTES <= len(data):
        kind, method, key_length, entry, length = _HEADER.unpack_from(data, position)
        (checksum,) = _CRC.unpack_from(data, position + _HEADER.size)
        body = position + HEADER_BYTES
        end = body + key_length + length
        if kind not in (_OPEN, _CLOSE) or end > len(data):
            return
        actual = zlib.crc32(data[body:end], zlib.crc32(data[position : position + _HEADER.size]))
        if actual != checksum:
            return
        position = end
        yield (
            position,
            kind,
            Entry(entry, method, data[body + key_length : end], data[body : body + key_length]),
        )
