"""The tables, and how a database of an older version becomes one of this version.

``PRAGMA user_version`` is the number of the last migration that ran. Migrations are plain SQL run by
a loop of ten lines, all in one transaction: a fresh database takes about a millisecond and opening
an up-to-date one imports nothing. A later migration may be a function; it gets the connection inside
that transaction and can wrap it in ``sqlite_utils.Database`` (``execute_plugins=False``), imported only
there. Not for ``transform``, though: that loses CHECK constraints and partial indexes, and cannot copy
tables WITHOUT ROWID.

Times are Unix seconds of the local wall clock unless a comment says otherwise. ``identity_id``,
``contact_hash``, ``peer``, ``sender`` and ``initiator`` are LXMF delivery hashes, 32 hex characters.
"""

from __future__ import annotations

import sqlite3
from collections.abc import Callable, Sequence

from . import errors

APPLICATION_ID = 0x4C524750
"""``LRGP``: tells our databases from those of other programs (SQLite header, offset 68)."""

Migration = str | Callable[[sqlite3.Connection], None]

_FIRST = """
-- Spec §16, column by column.
CREATE TABLE game_sessions (
    session_id     TEXT    NOT NULL,
    identity_id    TEXT    NOT NULL,
    app_id         TEXT    NOT NULL,
    app_version    INTEGER NOT NULL,
    contact_hash   TEXT    NOT NULL,
    initiator      TEXT    NOT NULL,
    status         TEXT    NOT NULL CHECK (status IN ('pending','active','completed','expired','declined')),
    metadata       TEXT    NOT NULL,
    unread         INTEGER NOT NULL CHECK (unread IN (0, 1)),
    created_at     REAL    NOT NULL,
    updated_at     REAL    NOT NULL,
    last_action_at REAL    NOT NULL,
    PRIMARY KEY (session_id, identity_id)
);

-- Partial indexes: a move touches the small index of what is alive and nothing that grows with
-- finished games. A query uses one only if it repeats the WHERE term word for word.
CREATE INDEX sessions_live ON game_sessions (identity_id, status, last_action_at, session_id)
    WHERE status IN ('pending','active');
CREATE INDEX sessions_pending ON game_sessions (identity_id, contact_hash, last_action_at)
    WHERE status = 'pending';
CREATE INDEX sessions_ended ON game_sessions (identity_id, last_action_at, session_id)
    WHERE status IN ('completed','expired','declined');

-- Spec §16, then our own: the envelope as packed on the wire and the signed LXMF message around it.
CREATE TABLE game_actions (
    session_id   TEXT    NOT NULL,
    identity_id  TEXT    NOT NULL,
    action_num   INTEGER NOT NULL CHECK (action_num >= 0),
    command      TEXT    NOT NULL,
    payload_json TEXT    NOT NULL,
    sender       TEXT    NOT NULL,
    timestamp    REAL    NOT NULL,
    nonce        BLOB,
    envelope     BLOB,
    message_hash BLOB,
    signed       BLOB,
    UNIQUE (session_id, identity_id, action_num)
);
-- Unique: whatever goes wrong above, one envelope is committed at most once.
CREATE UNIQUE INDEX actions_nonce ON game_actions (identity_id, session_id, nonce) WHERE nonce IS NOT NULL;

-- Nonces of refused actions that stay refused for the life of the session.
CREATE TABLE kept_nonces (
    identity_id TEXT NOT NULL,
    session_id  TEXT NOT NULL,
    nonce       BLOB NOT NULL,
    PRIMARY KEY (identity_id, session_id, nonce)
) WITHOUT ROWID;

-- Local remarks about a session ('out_of_sync'); never on the wire.
CREATE TABLE session_flags (
    identity_id TEXT NOT NULL,
    session_id  TEXT NOT NULL,
    flag        TEXT NOT NULL,
    reason      TEXT NOT NULL DEFAULT '',
    at          REAL NOT NULL,
    PRIMARY KEY (identity_id, session_id, flag)
) WITHOUT ROWID;

-- AUTOINCREMENT: an id is the reference of a send attempt and must never be used again.
-- action_num is NULL for what is no action (an error answer).
CREATE TABLE outbox (
    id              INTEGER PRIMARY KEY AUTOINCREMENT,
    identity_id     TEXT    NOT NULL,
    session_id      TEXT    NOT NULL,
    action_num      INTEGER,
    peer            TEXT    NOT NULL,
    command         TEXT    NOT NULL,
    envelope        BLOB    NOT NULL,
    content         TEXT    NOT NULL,
    delivery        TEXT    NOT NULL,
    state           TEXT    NOT NULL,
    reason          TEXT    NOT NULL DEFAULT '',
    attempts        INTEGER NOT NULL DEFAULT 0,
    created_at      REAL    NOT NULL,
    updated_at      REAL    NOT NULL,
    next_attempt_at REAL
);
CREATE INDEX outbox_session ON outbox (identity_id, session_id);
CREATE INDEX outbox_open ON outbox (state) WHERE state NOT IN ('confirmed','dropped');
CREATE INDEX outbox_open_session ON outbox (identity_id, session_id)
    WHERE state NOT IN ('confirmed','dropped');

-- Messages that came too early; tried again after every commit of their session.
CREATE TABLE parked (
    id           INTEGER PRIMARY KEY AUTOINCREMENT,
    identity_id  TEXT NOT NULL,
    session_id   TEXT NOT NULL,
    sender       TEXT NOT NULL,
    command      TEXT NOT NULL,
    nonce        BLOB NOT NULL,
    envelope     BLOB NOT NULL,
    content      TEXT NOT NULL DEFAULT '',
    message_hash BLOB,
    signed       BLOB,
    timestamp    REAL NOT NULL,
    parked_at    REAL NOT NULL,
    until        REAL NOT NULL,
    UNIQUE (identity_id, session_id, nonce)
);
CREATE INDEX parked_sender ON parked (identity_id, sender);
CREATE INDEX parked_until ON parked (until);

-- LXMF messages whose source is not known yet.
CREATE TABLE waiting (
    id           INTEGER PRIMARY KEY AUTOINCREMENT,
    identity_id  TEXT NOT NULL,
    source       TEXT NOT NULL,
    message_hash BLOB NOT NULL,
    packed       BLOB NOT NULL,
    received_at  REAL NOT NULL,
    UNIQUE (identity_id, message_hash)
);
CREATE INDEX waiting_source ON waiting (source);

-- LXMF messages handled already.
CREATE TABLE seen (
    message_hash BLOB NOT NULL,
    identity_id  TEXT NOT NULL,
    at           REAL NOT NULL,
    PRIMARY KEY (message_hash, identity_id)
) WITHOUT ROWID;
CREATE INDEX seen_at ON seen (at);

-- The replay cache (spec §3.1). recorded: CLOCK_BOOTTIME seconds of boot_id; id follows it.
CREATE TABLE replay_nonces (
    id          INTEGER PRIMARY KEY,
    identity_id TEXT NOT NULL,
    session_id  TEXT NOT NULL,
    nonce       BLOB NOT NULL,
    boot_id     TEXT NOT NULL,
    recorded    REAL NOT NULL,
    UNIQUE (identity_id, session_id, nonce)
);

-- Deleted sessions: late mail for them is dropped silently.
CREATE TABLE tombstones (
    identity_id TEXT NOT NULL,
    session_id  TEXT NOT NULL,
    deleted_at  REAL NOT NULL,
    PRIMARY KEY (identity_id, session_id)
) WITHOUT ROWID;
CREATE INDEX tombstones_at ON tombstones (deleted_at);

-- One address book a node: whoever may use its socket may act for every identity anyway.
CREATE TABLE contacts (
    peer       TEXT PRIMARY KEY,
    name       TEXT NOT NULL,
    public_key BLOB CHECK (public_key IS NULL OR length(public_key) = 64),
    added_at   REAL NOT NULL,
    trust      TEXT NOT NULL DEFAULT 'known' CHECK (trust IN ('known','trusted','blocked')),
    note       TEXT NOT NULL DEFAULT ''
) WITHOUT ROWID;

-- Announces heard. games is NULL where the announce does not say.
CREATE TABLE peers (
    peer       TEXT PRIMARY KEY,
    name       TEXT NOT NULL,
    public_key BLOB NOT NULL CHECK (length(public_key) = 64),
    hops       INTEGER NOT NULL,
    interface  TEXT NOT NULL,
    heard_at   REAL NOT NULL,
    games      INTEGER CHECK (games IN (0, 1))
) WITHOUT ROWID;
CREATE INDEX peers_heard ON peers (heard_at);

CREATE TABLE identities (
    hash       TEXT PRIMARY KEY,
    name       TEXT NOT NULL,
    created_at REAL NOT NULL,
    enabled    INTEGER NOT NULL DEFAULT 1 CHECK (enabled IN (0, 1))
) WITHOUT ROWID;

CREATE TABLE meta (
    key   TEXT PRIMARY KEY,
    value TEXT NOT NULL
) WITHOUT ROWID;
"""

_ROLES = """
-- Who plays as this identity: a person, or the house (an opponent that the node itself plays).
ALTER TABLE identities ADD COLUMN role TEXT NOT NULL DEFAULT 'person' CHECK (role IN ('person','house'));
"""

_ADMISSION = """
-- Whose challenges an identity takes; app_id '' stands for every game without a row of its own.
CREATE TABLE accept_policies (
    identity_id TEXT NOT NULL,
    app_id      TEXT NOT NULL,
    policy      TEXT NOT NULL CHECK (policy IN ('open','everyone','known','contacts','nobody')),
    PRIMARY KEY (identity_id, app_id)
) WITHOUT ROWID;

-- Peers nobody of this node listens to. until is NULL for good.
CREATE TABLE blocks (
    peer       TEXT PRIMARY KEY,
    reason     TEXT NOT NULL DEFAULT '',
    blocked_at REAL NOT NULL,
    until      REAL
) WITHOUT ROWID;
INSERT INTO blocks (peer, reason, blocked_at)
    SELECT peer, note, added_at FROM contacts WHERE trust = 'blocked';
UPDATE contacts SET trust = 'known' WHERE trust = 'blocked';

-- Challenges of strangers, as they came; no session of theirs exists yet.
CREATE TABLE requests (
    id           INTEGER PRIMARY KEY AUTOINCREMENT,
    identity_id  TEXT NOT NULL,
    session_id   TEXT NOT NULL,
    peer         TEXT NOT NULL,
    app_id       TEXT NOT NULL,
    envelope     BLOB NOT NULL,
    content      TEXT NOT NULL,
    message_hash BLOB NOT NULL,
    signed       BLOB NOT NULL,
    timestamp    REAL NOT NULL,
    received_at  REAL NOT NULL,
    until        REAL NOT NULL,
    UNIQUE (identity_id, session_id)
);
CREATE INDEX requests_peer ON requests (peer);
CREATE INDEX requests_until ON requests (until);

-- Whether there were dealings with a peer. Both columns stay as they are for the life of a session.
CREATE INDEX sessions_peer ON game_sessions (contact_hash, identity_id);

-- When the first valid envelope of a peer was received.
ALTER TABLE peers ADD COLUMN played_at REAL;
"""

_ATTEMPTS = """
-- Attempts to send of the last day, so that a restart does not make anybody send more (architecture §5).
CREATE TABLE attempts (
    outbox_id INTEGER NOT NULL,
    at        REAL    NOT NULL
);
CREATE INDEX attempts_at ON attempts (at);
"""

_NO_WAITING = """
-- Messages of unknown senders wait in the inbox file; nothing was ever written here.
DROP TABLE waiting;
"""

_MESSAGES = """
-- Texts between people. at: when it came here or was written here; sent_at: as its sender says.
-- held: of a stranger, whose challenge waits to be let in. state, reason: of a text of ours.
CREATE TABLE messages (
    id           INTEGER PRIMARY KEY AUTOINCREMENT,
    identity_id  TEXT    NOT NULL,
    peer         TEXT    NOT NULL,
    own          INTEGER NOT NULL CHECK (own IN (0, 1)),
    text         TEXT    NOT NULL,
    cut          INTEGER NOT NULL DEFAULT 0 CHECK (cut IN (0, 1)),
    at           REAL    NOT NULL,
    sent_at      REAL    NOT NULL,
    unread       INTEGER NOT NULL CHECK (unread IN (0, 1)),
    message_hash BLOB,
    outbox_id    INTEGER,
    state        TEXT    NOT NULL DEFAULT '',
    reason       TEXT    NOT NULL DEFAULT '',
    held         INTEGER NOT NULL DEFAULT 0 CHECK (held IN (0, 1)),
    UNIQUE (identity_id, message_hash)
);
CREATE INDEX messages_peer ON messages (identity_id, peer, id);
CREATE INDEX messages_unread ON messages (identity_id, peer) WHERE unread = 1;
CREATE INDEX messages_held ON messages (identity_id, peer) WHERE held = 1;
CREATE UNIQUE INDEX messages_outbox ON messages (outbox_id) WHERE outbox_id IS NOT NULL;
"""

_GATEWAY = """
-- A third role. SQLite changes no CHECK, so the table is made anew.
CREATE TABLE new_identities (
    hash       TEXT PRIMARY KEY,
    name       TEXT NOT NULL,
    created_at REAL NOT NULL,
    enabled    INTEGER NOT NULL DEFAULT 1 CHECK (enabled IN (0, 1)),
    role       TEXT NOT NULL DEFAULT 'person' CHECK (role IN ('person','house','gateway'))
) WITHOUT ROWID;
INSERT INTO new_identities (hash, name, created_at, enabled, role)
    SELECT hash, name, created_at, enabled, role FROM identities;
DROP TABLE identities;
ALTER TABLE new_identities RENAME TO identities;

-- One seat of a mesh player at a table of a platform. What the table is like is never stored: it is asked
-- for anew. seat: JSON that reopens the seat, without secrets; account: a name, the token is a file.
CREATE TABLE gateway_bridges (
    id          INTEGER PRIMARY KEY AUTOINCREMENT,
    identity_id TEXT    NOT NULL,
    peer        TEXT    NOT NULL,
    app_id      TEXT    NOT NULL,
    platform    TEXT    NOT NULL,
    account     TEXT    NOT NULL DEFAULT '',
    table_id    TEXT    NOT NULL DEFAULT '',
    stage       TEXT    NOT NULL
                CHECK (stage IN ('invited','opening','waiting','playing','settling','over')),
    session_id  TEXT,
    seat        TEXT    NOT NULL DEFAULT '',
    notes       TEXT    NOT NULL DEFAULT '{}' CHECK (json_valid(notes)),
    hosted      INTEGER NOT NULL DEFAULT 0 CHECK (hosted IN (0, 1)),
    result      TEXT    CHECK (result IN ('won','lost','drawn','none')),
    reason      TEXT    NOT NULL DEFAULT '',
    created_at  REAL    NOT NULL,
    updated_at  REAL    NOT NULL,
    ended_at    REAL
);
CREATE INDEX bridges_live ON gateway_bridges (id) WHERE stage <> 'over';
CREATE INDEX bridges_session ON gateway_bridges (identity_id, session_id) WHERE session_id IS NOT NULL;
-- A game has one seat.
CREATE UNIQUE INDEX bridges_one ON gateway_bridges (identity_id, session_id)
    WHERE session_id IS NOT NULL AND stage <> 'over';

-- What the limits count. accepted_at: when the game began; a slot given back before does not count.
CREATE TABLE gateway_slots (
    bridge_id   INTEGER PRIMARY KEY,
    identity_id TEXT NOT NULL,
    platform    TEXT NOT NULL,
    peer        TEXT NOT NULL,
    taken_at    REAL NOT NULL,
    accepted_at REAL,
    freed_at    REAL
);
CREATE INDEX slots_taken ON gateway_slots (platform, peer) WHERE freed_at IS NULL;
CREATE INDEX slots_peer ON gateway_slots (peer, taken_at);

-- Until when a platform is not asked anything, because it said so or failed.
CREATE TABLE gateway_pauses (
    platform TEXT    NOT NULL,
    account  TEXT    NOT NULL,
    until    REAL    NOT NULL,
    failures INTEGER NOT NULL DEFAULT 0,
    reason   TEXT    NOT NULL DEFAULT '',
    PRIMARY KEY (platform, account)
) WITHOUT ROWID;
"""

_TEXT = """
-- Games of people who play by plain texts (storage/text.py). The house has no identity_id at its seats.
-- Of a seat whose LRGP is spoken here ('wire'), unsent: its last envelope; heard: nonces of those that came.
CREATE TABLE text_seats (
    game_id        TEXT    NOT NULL,
    player         TEXT    NOT NULL,
    identity_id    TEXT    NOT NULL,
    number         INTEGER NOT NULL,
    kind           TEXT    NOT NULL CHECK (kind IN ('table','lrgp','wire')),
    opponent       TEXT    NOT NULL,
    app_id         TEXT    NOT NULL,
    app_version    INTEGER NOT NULL,
    initiator      TEXT    NOT NULL,
    status         TEXT    NOT NULL CHECK (status IN ('pending','active','completed','expired','declined')),
    metadata       TEXT    NOT NULL,
    created_at     REAL    NOT NULL,
    last_action_at REAL    NOT NULL,
    unsent         BLOB    NOT NULL DEFAULT x'',
    heard          BLOB    NOT NULL DEFAULT x'',
    PRIMARY KEY (game_id, player)
) WITHOUT ROWID;
CREATE INDEX text_seats_player ON text_seats (identity_id, player);
CREATE INDEX text_seats_live ON text_seats (status) WHERE status IN ('pending','active');

-- shown: JSON, what the numbers of the last list stand for.
CREATE TABLE text_players (
    identity_id TEXT    NOT NULL,
    player      TEXT    NOT NULL,
    current     TEXT    NOT NULL,
    shown       TEXT    NOT NULL,
    said        TEXT    NOT NULL,
    muted       INTEGER NOT NULL CHECK (muted IN (0, 1)),
    seen_at     REAL    NOT NULL,
    PRIMARY KEY (identity_id, player)
) WITHOUT ROWID;
CREATE INDEX text_players_seen ON text_players (seen_at);

CREATE TABLE text_seeks (
    identity_id TEXT NOT NULL,
    player      TEXT NOT NULL,
    app_id      TEXT NOT NULL,
    at          REAL NOT NULL,
    PRIMARY KEY (identity_id, player, app_id)
) WITHOUT ROWID;

-- AUTOINCREMENT: whoever has sent a row deletes it by its id, and must not hit one that came later.
CREATE TABLE text_due (
    id          INTEGER PRIMARY KEY AUTOINCREMENT,
    identity_id TEXT    NOT NULL,
    player      TEXT    NOT NULL,
    slot        TEXT    NOT NULL,
    text        TEXT    NOT NULL,
    asked       INTEGER NOT NULL CHECK (asked IN (0, 1)),
    UNIQUE (identity_id, player, slot)
);

-- handled: number of the last of the messages to an identity that was judged as a command.
CREATE TABLE text_desks (
    identity_id TEXT    PRIMARY KEY,
    handled     INTEGER NOT NULL
) WITHOUT ROWID;
"""

_SCORES = """
-- How an identity's games with each peer have ended (storage/scores.py), those deleted since included.
CREATE TABLE scores (
    identity_id TEXT    NOT NULL,
    peer        TEXT    NOT NULL,
    app_id      TEXT    NOT NULL,
    won         INTEGER NOT NULL CHECK (won >= 0),
    drawn       INTEGER NOT NULL CHECK (drawn >= 0),
    lost        INTEGER NOT NULL CHECK (lost >= 0),
    PRIMARY KEY (identity_id, peer, app_id)
) WITHOUT ROWID;

-- The games that are over already, once. A flag that came after the end does not count.
INSERT INTO scores (identity_id, peer, app_id, won, drawn, lost)
    SELECT identity_id, contact_hash, app_id,
           sum(winner = identity_id), sum(winner = ''), sum(winner = contact_hash)
    FROM (
        SELECT identity_id, contact_hash, app_id,
               CASE WHEN json_valid(metadata) THEN json_extract(metadata, '$.winner') END AS winner
        FROM game_sessions AS s
        WHERE status = 'completed' AND NOT EXISTS (
            SELECT 1 FROM session_flags AS f
            WHERE f.identity_id = s.identity_id AND f.session_id = s.session_id
              AND f.flag = 'out_of_sync' AND f.at <= s.updated_at))
    WHERE winner IN (identity_id, '', contact_hash)
    GROUP BY identity_id, contact_hash, app_id;
"""

MIGRATIONS: Sequence[Migration] = (
    *(_FIRST, _ROLES, _ADMISSION, _ATTEMPTS, _NO_WAITING, _MESSAGES),
    _GATEWAY,
    _TEXT,
    _SCORES,
)
"""Migration n is element n - 1. A published one is never edited: add another."""

VERSION = len(MIGRATIONS)


def version(connection: sqlite3.Connection) -> int:
    """The number of the last migration that ran on this database; 0 for an empty one."""
    found: int = connection.execute("PRAGMA user_version").fetchone()[0]
    return found


def refuse_foreign(connection: sqlite3.Connection, path: str) -> None:
    """Raise ``Foreign`` for tables without a version: another program made them."""
    if version(connection) == 0 and connection.execute("SELECT 1 FROM sqlite_master LIMIT 1").fetchall():
        raise errors.foreign(path)


def migrate(connection: sqlite3.Connection, path: str, migrations: Sequence[Migration] = MIGRATIONS) -> None:
    """Bring the database to the newest version, in one transaction; all of it or nothing.

    Raises ``NewerVersion`` and ``Foreign`` and leaves such a database alone.
    """
    if version(connection) == len(migrations):
        return
    connection.execute("BEGIN IMMEDIATE")
    try:
        # Read again under the lock: another process may have just done it.
        found = version(connection)
        if found > len(migrations):
            raise errors.newer(path, found, len(migrations))
        refuse_foreign(connection, path)
        for migration in migrations[found:]:
            if callable(migration):
                migration(connection)
            else:
                _run(connection, migration)
        # PRAGMA takes no parameters; both are our own integers.
        connection.execute(f"PRAGMA application_id = {APPLICATION_ID:d}")
        connection.execute(f"PRAGMA user_version = {len(migrations):d}")
        connection.execute("COMMIT")
    except BaseException:
        if connection.in_transaction:
            connection.execute("ROLLBACK")
        raise


def _run(connection: sqlite3.Connection, script: str) -> None:
    # Not executescript(): that commits the transaction it finds.
    statement = ""
    for line in script.splitlines(keepends=True):
        statement += line
        if line.rstrip().endswith(";") and sqlite3.complete_statement(statement):
            connection.execute(statement)
            statement = ""
