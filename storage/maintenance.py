"""Check, back up and export a database, also while a node works with it.

Nothing here changes the database: it is opened read-only, and in WAL mode a reader neither waits for
the node nor stops it. These functions serve ``lrgpnode db``; sqlite-utils is imported only here.
"""

from __future__ import annotations

import json
import os
import sqlite3
import tempfile
from collections.abc import Iterator
from contextlib import closing, contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path
from typing import IO, TYPE_CHECKING, Any, Literal

from lrgpnode.protocol.value import Value

from . import database, errors, schema
from .errors import translated

if TYPE_CHECKING:
    import sqlite_utils

Path_ = str | os.PathLike[str]

LISTED = 20
"""Problems of one kind that a report lists."""

# Each gives one text for each problem. Word for word what is promised of a whole database.
_RULES: tuple[str, ...] = (
    """
    SELECT 'session ' || session_id || ' of ' || identity_id
           || ': its actions are not numbered from 1 without a gap'
    FROM game_actions GROUP BY session_id, identity_id
    HAVING min(action_num) <> 1 OR max(action_num) <> count(*)
    """,
    """
    SELECT 'action ' || action_num || ' of session ' || session_id || ' of ' || identity_id
           || ' has no session'
    FROM game_actions AS a WHERE NOT EXISTS
        (SELECT 1 FROM game_sessions AS s WHERE s.session_id = a.session_id AND s.identity_id = a.identity_id)
    """,
    """
    SELECT 'outbox row ' || id || ' (session ' || session_id || ') has no action ' || action_num
    FROM outbox AS o WHERE action_num IS NOT NULL AND NOT EXISTS
        (SELECT 1 FROM game_actions AS a WHERE a.session_id = o.session_id AND a.identity_id = o.identity_id
         AND a.action_num = o.action_num)
    """,
    """
    SELECT 'outbox row ' || id || ' (session ' || session_id || ') is not what its action says'
    FROM outbox AS o JOIN game_actions AS a USING (session_id, identity_id, action_num)
    WHERE a.envelope IS NOT o.envelope
    """,
    """
    SELECT 'session ' || session_id || ' of ' || identity_id || ': its metadata is no JSON object'
    FROM game_sessions WHERE NOT json_valid(metadata) OR json_type(metadata) <> 'object'
    """,
    """
    SELECT 'action ' || action_num || ' of session ' || session_id || ': its payload is no JSON'
    FROM game_actions WHERE NOT json_valid(payload_json)
    """,
)

# Our own clock at the time of writing, never what a peer says of its own.
_NEWEST = (
    "SELECT max(updated_at) FROM game_sessions",
    "SELECT max(at) FROM seen",
    "SELECT max(heard_at) FROM peers",
    "SELECT max(created_at) FROM identities",
)

_SESSIONS = "SELECT * FROM game_sessions ORDER BY identity_id, created_at, session_id"
_ACTIONS = """
SELECT action_num, command, payload_json, sender, timestamp, nonce, envelope, message_hash, signed
FROM game_actions WHERE session_id = ? AND identity_id = ? ORDER BY action_num
"""


@dataclass(frozen=True, slots=True, kw_only=True, repr=False)
class Report(Value):
    """What a check found. Sizes in bytes; ``rows`` per table; ``problems`` are sentences."""

    path: str
    version: int
    size: int
    log_size: int
    rows: dict[str, int]
    problems: tuple[str, ...]

    @property
    def ok(self) -> bool:
        return not self.problems


def check(path: Path_) -> Report:
    """Everything that can be checked without changing the file; reads all of it.

    Raises ``StorageError`` where the file cannot be opened, is newer or another program's; whatever
    is wrong inside is in the report.
    """
    name = os.fspath(path)
    with translated(name), _reading(name) as connection:
        version = schema.version(connection)
        log = Path(name + "-wal")
        sizes = {"size": Path(name).stat().st_size, "log_size": log.stat().st_size if log.exists() else 0}
        try:
            problems = _integrity(connection)
            rows: dict[str, int] = {}
            if not problems:
                db = _utils(connection)
                problems = _schema_problems(db)
                rows = {table: db[table].count for table in db.table_names() if table in _expected()}
            if not problems:
                problems = _rule_problems(connection)
        except sqlite3.DatabaseError as error:
            problems, rows = [str(errors.translate(name, error))], {}
        return Report(path=name, version=version, rows=rows, problems=tuple(problems), **sizes)


def newest_time(path: Path_) -> float | None:
    """The latest moment that the database has anything of, in Unix seconds; None in an empty one.

    Raises ``StorageError``.
    """
    name = os.fspath(path)
    with translated(name), _reading(name) as connection:
        rows = [connection.execute(query).fetchone()[0] for query in _NEWEST]
    return max((row for row in rows if row is not None), default=None)


def backup(path: Path_, target: Path_) -> Report:
    """Copy a database, live or not, and check the copy; the report is of the copy.

    The target appears only when it is whole and checked, with mode 0600, and replaces an older file
    of that name. Raises ``Damaged`` if the copy is not sound: then the target is as before.
    """
    name, goal = os.fspath(path), Path(target)
    _refuse_target(name, goal)
    with translated(str(goal)):
        descriptor, temporary = tempfile.mkstemp(prefix=f".{goal.name}.", suffix=".part", dir=goal.parent)
        os.close(descriptor)
    try:
        with translated(name), _reading(name) as source:
            _copy(source, temporary, str(goal))
        report = check(temporary)
        if not report.ok:
            raise errors.damaged(name, f"the copy is not sound: {report.problems[0]}")
        with translated(str(goal)):
            _sync(temporary)
            Path(temporary).replace(goal)
            _sync(goal.parent)
    finally:
        for left in (temporary, f"{temporary}-wal", f"{temporary}-shm", f"{temporary}-journal"):
            with suppress(FileNotFoundError):
                Path(left).unlink()
    return Report(
        path=str(goal),
        version=report.version,
        size=report.size,
        log_size=0,
        rows=report.rows,
        problems=(),
    )


def export(path: Path_, out: IO[str], format: Literal["json", "ndjson"] = "json") -> int:
    """Write every session with its actions as text; how many. Binary columns are written as hex.

    ``json``: one object ``{"version": 1, "sessions": [...]}``; ``ndjson``: one session a line. A session
    is a row of spec §16 with ``metadata`` as an object and ``actions`` as a list.
    """
    name = os.fspath(path)
    with translated(name), _reading(name) as connection:
        connection.execute("BEGIN")  # one moment for all of it
        db = _utils(connection)
        count = 0
        if format == "json":
            out.write('{"version": 1, "sessions": [')
        for session in db.query(_SESSIONS):
            if format == "json":
                out.write(",\n" if count else "\n")
            out.write(json.dumps(_exported(name, db, session), ensure_ascii=False))
            if format == "ndjson":
                out.write("\n")
            count += 1
        if format == "json":
            out.write("\n]}\n")
        return count


def _exported(path: str, db: sqlite_utils.Database, session: dict[str, Any]) -> dict[str, Any]:
    ids = (session["session_id"], session["identity_id"])
    try:
        session["metadata"] = json.loads(session["metadata"])
        session["actions"] = [_exported_action(action) for action in db.query(_ACTIONS, ids)]
    except ValueError as error:
        raise errors.damaged(path, f"session {ids[0]} cannot be read: {error}") from error
    return session


def _exported_action(action: dict[str, Any]) -> dict[str, Any]:
    action["payload"] = json.loads(action.pop("payload_json"))
    return {name: value.hex() if isinstance(value, bytes) else value for name, value in action.items()}


@contextmanager
def _reading(path: str) -> Iterator[sqlite3.Connection]:
    database.probe(path, writing=False)
    uri = Path(path).absolute().as_uri()
    connection = sqlite3.connect(
        f"{uri}?mode=ro", uri=True, isolation_level=None, timeout=database.BUSY_SECONDS
    )
    try:
        try:
            schema.version(connection)
        except sqlite3.OperationalError:
            # A reader of a WAL database makes two files beside it. Where it may not, nobody else can
            # be writing either, unless there is a log already.
            if errors.may(Path(path).absolute().parent, os.W_OK) or Path(path + "-wal").exists():
                raise
            connection.close()
            connection = sqlite3.connect(f"{uri}?immutable=1", uri=True, isolation_level=None)
        if schema.version(connection) == 0:
            raise errors.foreign(path)
        yield connection
    finally:
        connection.close()


def _copy(source: sqlite3.Connection, temporary: str, goal: str) -> None:
    with translated(goal), closing(_plain_connection(temporary)) as copy:
        # In one step: it sees one moment, and a busy node cannot make it start again.
        source.backup(copy, pages=-1)
        # One file instead of a file and a log; the node switches back when it opens it.
        copy.execute("PRAGMA journal_mode=DELETE").fetchall()


def _plain_connection(path: str) -> sqlite3.Connection:
    return sqlite3.connect(path, isolation_level=None)


def _utils(connection: sqlite3.Connection) -> sqlite_utils.Database:
    from sqlite_utils import Database  # noqa: PLC0415 - 70 ms and 10 MB that a node never needs

    return Database(connection, execute_plugins=False)


def _integrity(connection: sqlite3.Connection) -> list[str]:
    rows = connection.execute(f"PRAGMA integrity_check({LISTED:d})").fetchall()
    return [line for (text,) in rows for line in str(text).splitlines() if line != "ok"]


def _expected() -> dict[str, set[str]]:
    """Tables and columns of a fresh database."""
    with closing(_plain_connection(database.MEMORY)) as fresh:
        schema.migrate(fresh, database.MEMORY)
        db = _utils(fresh)
        return {table: {column.name for column in db[table].columns} for table in db.table_names()}


def _schema_problems(db: sqlite_utils.Database) -> list[str]:
    expected = _expected()
    present = set(db.table_names())
    problems = [f"the table {table} is missing" for table in expected if table not in present]
    for table in sorted(present & set(expected)):
        missing = expected[table] - {column.name for column in db[table].columns}
        problems += [f"the table {table} has no column {column}" for column in sorted(missing)]
    return problems


def _rule_problems(connection: sqlite3.Connection) -> list[str]:
    problems: list[str] = []
    for rule in _RULES:
        found = [str(row[0]) for row in connection.execute(f"{rule} LIMIT {LISTED + 1:d}")]
        problems += found[:LISTED]
        if len(found) > LISTED:
            problems.append("... and more of this kind")
    return problems


def _refuse_target(path: str, goal: Path) -> None:
    if not goal.parent.is_dir() or goal.is_dir():
        raise errors.cannot_open(str(goal), "no file can be made there")
    if goal.exists() and Path(path).exists() and goal.samefile(path):
        raise errors.Invalid(f"{goal}: this is the database itself. Name another file.")
    log = Path(f"{goal}-wal")
    if log.exists() and log.stat().st_size > 0:
        # The log of the file that was there would be taken for the log of the new one.
        raise errors.Busy(f"{goal}: a program works with this file, or it crashed. Name another file.")


def _sync(path: Path_) -> None:
    descriptor = os.open(path, os.O_RDONLY)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)
