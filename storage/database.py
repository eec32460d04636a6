"""Opening a database file, and its two connections.

All writing goes through one connection (``Database.transaction``), which the writer thread uses;
reading goes through another (``all``, ``one``), which the loop's thread uses. In WAL mode neither
waits for the other. ``:memory:`` has one connection for both and a lock between them.

Opening an existing file looks before it writes: the header tells damage, another program's database
and a newer version; after that, what is cheap is checked at once (``_look``). The rest of a large file
is checked by ``lrgpnode db check``, and by SQLite when it reads the page.
"""

from __future__ import annotations

import os
import sqlite3
import threading
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any

from . import errors, schema
from .errors import translate, translated

MEMORY = ":memory:"

BUSY_SECONDS = 5.0
"""How long a statement waits for another program's lock before it is ``Busy``."""

CHECKED_AT_OPEN = 4 * 1024 * 1024
CHECKED_AFTER_CRASH = 32 * 1024 * 1024
"""Files up to this size (bytes) are checked completely when opened; measured 1.5 ms a MB on x86-64.
A log beside the file means that the node did not end cleanly, which is when cards lose pages."""

_HEADER = 100
_MAGIC = b"SQLite format 3\x00"


class Database:
    """One open database. Raises ``StorageError`` for everything that fails."""

    def __init__(self, path: str | os.PathLike[str], *, busy_seconds: float = BUSY_SECONDS) -> None:
        self.path = os.fspath(path)
        self.memory = self.path == MEMORY
        self._write_lock = threading.RLock()
        self._read_lock = self._write_lock if self.memory else threading.RLock()
        with translated(self.path):
            if self.memory:
                self._writer = self._reader = _connect(MEMORY, busy_seconds)
                schema.migrate(self._writer, self.path)
            else:
                self._open(busy_seconds)

    def _open(self, busy_seconds: float) -> None:
        unclean = _has_log(self.path)
        created = _create(self.path)
        if not created:
            probe(self.path)
        self._writer = _connect(self.path, busy_seconds)
        try:
            schema.refuse_foreign(self._writer, self.path)
            created = created or schema.version(self._writer) == 0
            self._writer.execute("PRAGMA journal_mode=WAL").fetchall()
            self._writer.execute("PRAGMA synchronous=FULL")
            self._writer.execute("PRAGMA journal_size_limit=8388608")
            schema.migrate(self._writer, self.path)
            if created:
                _sync_directory(self.path)
            else:
                _look(self._writer, self.path, CHECKED_AFTER_CRASH if unclean else CHECKED_AT_OPEN)
            self._reader = _connect(self.path, busy_seconds)
            self._reader.execute("PRAGMA query_only=1")
        except BaseException:
            self._writer.close()
            raise

    @contextmanager
    def transaction(
        self, *, durable: bool = True, waiting: Callable[[], None] | None = None
    ) -> Iterator[sqlite3.Connection]:
        """One write transaction: committed at the end, rolled back if anything is raised.

        When it returns, the data is on the disk. Without ``durable`` it is there with the next durable
        transaction at the latest; a power cut before that loses it whole. This spares cards the
        writing of what can be learned again. ``waiting`` is called when only the disk is waited for
        any more. Transactions do not nest.
        """
        connection = self._writer
        with self._write_lock:
            try:
                if not durable:
                    connection.execute("PRAGMA synchronous=NORMAL")
                connection.execute("BEGIN IMMEDIATE")
                yield connection
                if waiting is not None:
                    waiting()
                connection.execute("COMMIT")
            except errors.STORAGE_FAULTS as error:
                self._roll_back()
                raise translate(self.path, error) from error
            except BaseException:
                self._roll_back()
                raise
            finally:
                if not durable:
                    self._be_durable()

    def _roll_back(self) -> None:
        # After some faults (disk full, I/O) SQLite has rolled back by itself already.
        with suppress(sqlite3.Error):  # what was raised first is what the caller must hear
            if self._writer.in_transaction:
                self._writer.execute("ROLLBACK")

    def _be_durable(self) -> None:
        with suppress(sqlite3.Error):  # only if closed meanwhile; then there is nothing more to write
            self._writer.execute("PRAGMA synchronous=FULL")

    def all(self, sql: str, parameters: Sequence[Any] | dict[str, Any] = ()) -> list[tuple[Any, ...]]:
        """Every row of a query on the committed state."""
        with self._read_lock:
            try:
                return self._reader.execute(sql, parameters).fetchall()
            except errors.STORAGE_FAULTS as error:
                raise translate(self.path, error) from error

    def one(self, sql: str, parameters: Sequence[Any] | dict[str, Any] = ()) -> tuple[Any, ...] | None:
        """The only row of a query on the committed state, or None."""
        rows = self.all(sql, parameters)
        return rows[0] if rows else None

    def close(self) -> None:
        """Close both connections; the log is merged into the file. May be called twice."""
        with self._read_lock, self._write_lock:
            self._reader.close()
            with translated(self.path):
                self._writer.close()


def _connect(path: str, busy_seconds: float) -> sqlite3.Connection:
    connection = sqlite3.connect(path, timeout=busy_seconds, isolation_level=None, check_same_thread=False)
    connection.execute("PRAGMA cell_size_check=1")
    connection.execute("PRAGMA temp_store=MEMORY")
    return connection


def _has_log(path: str) -> bool:
    try:
        return Path(path + "-wal").stat().st_size > 0
    except OSError:
        return False


def _create(path: str) -> bool:
    """Make the file with mode 0600, before SQLite would with the umask's; False if it exists."""
    try:
        descriptor = os.open(path, os.O_CREAT | os.O_EXCL | os.O_RDWR | os.O_CLOEXEC, 0o600)
    except FileExistsError:
        return False
    os.close(descriptor)
    return True


def _sync_directory(path: str) -> None:
    descriptor = os.open(Path(path).parent, os.O_RDONLY | os.O_DIRECTORY)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)


def probe(path: str, *, writing: bool = True) -> None:
    """Refuse, without touching it, a file that is damaged, of another program or of a newer version.

    An empty file passes: a crash may have come between its creation and its first transaction.
    """
    if writing and not errors.may(path, os.W_OK):
        raise errors.cannot_open(path, "no write permission")
    if not Path(path).is_file():
        raise errors.cannot_open(path, "it is no regular file")
    size = Path(path).stat().st_size
    if size == 0:
        return
    header = _read_header(path)
    if len(header) < _HEADER or not header.startswith(_MAGIC):
        raise errors.damaged(path, "it does not begin like a database")
    if _has_log(path):
        # What counts may still be in the log; only SQLite can read that.
        connection = sqlite3.connect(f"{Path(path).absolute().as_uri()}?mode=ro", uri=True)
        try:
            found = schema.version(connection)
            owner: int = connection.execute("PRAGMA application_id").fetchone()[0]
        finally:
            connection.close()
    else:
        found = int.from_bytes(header[60:64], "big")
        owner = int.from_bytes(header[68:72], "big")
        _check_length(path, header, size)
    if owner != schema.APPLICATION_ID and (owner or found):
        raise errors.foreign(path)
    if found > schema.VERSION:
        raise errors.newer(path, found, schema.VERSION)


def _read_header(path: str) -> bytes:
    with Path(path).open("rb") as file:
        return file.read(_HEADER)


def _check_length(path: str, header: bytes, size: int) -> None:
    page = int.from_bytes(header[16:18], "big")
    page = 65536 if page == 1 else page
    if page < 512 or page & (page - 1):
        raise errors.damaged(path, "its header is overwritten")
    pages = int.from_bytes(header[28:32], "big")
    counted = header[24:28] == header[92:96]  # else the number of pages was not kept up to date
    if counted and size < pages * page:
        raise errors.damaged(path, f"it is cut off: {size} of {pages * page} bytes")


def _look(connection: sqlite3.Connection, path: str, limit: int) -> None:
    """The checks that are cheap enough for every start."""
    # Fails at once where the file is read-only or locked, instead of at the first move.
    connection.execute("BEGIN IMMEDIATE")
    connection.execute("ROLLBACK")
    if Path(path).stat().st_size <= limit:
        found = connection.execute("PRAGMA quick_check(1)").fetchone()[0]
        if found != "ok":
            raise errors.damaged(path, str(found).replace("\n", " "))
