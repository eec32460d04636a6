"""What was synced and not closed is there after a crash at any byte; nothing else is."""

from __future__ import annotations

import errno
import os
import stat
import tempfile
import threading
from pathlib import Path

import pytest
from hypothesis import given, settings, strategies as st

from lrgpnode.mesh.inbox import HEADER_BYTES, Entry, Inbox, InboxFull

steps = st.lists(
    st.tuples(st.just("append"), st.binary(min_size=1, max_size=60), st.booleans())
    | st.tuples(st.just("close"), st.integers(0, 30), st.just(False)),
    max_size=30,
)


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "inbox" / "alice.log"


@settings(max_examples=300)
@given(steps, st.data())
def test_a_crash_at_any_byte_leaves_exactly_the_open_entries(
    actions: list[tuple[str, bytes | int, bool]], data: st.DataObject
) -> None:
    with tempfile.TemporaryDirectory() as directory:
        path = Path(directory) / "alice.log"
        inbox = Inbox(path)
        opened: list[tuple[Entry, int]] = []
        closed: dict[int, int] = {}
        for action, value, keyed in actions:
            if action == "append":
                assert isinstance(value, bytes)
                key = b"k" * 64 if keyed else b""
                number = inbox.append(value, 2, key)
                opened.append((Entry(number, 2, value, key), path.stat().st_size))
            else:
                assert isinstance(value, int)
                inbox.close_entry(value)
                if value not in closed and any(entry.id == value for entry, _ in opened):
                    closed[value] = path.stat().st_size
        inbox.close()
        whole = path.read_bytes()
        cut = data.draw(st.integers(0, len(whole)))
        tail = data.draw(st.binary(max_size=40))
        if cut < len(whole):
            # The tail must not complete the record by chance.
            tail = bytes([whole[cut] ^ 0xFF]) + tail
        path.write_bytes(whole[:cut] + tail)

        again = Inbox(path)
        expected = [
            entry
            for entry, end in opened
            if end <= cut and not (entry.id in closed and closed[entry.id] <= cut)
        ]
        assert list(again.left_over()) == expected
        fresh = again.append(b"after the crash", 1)
        assert fresh > max((entry.id for entry in expected), default=0)
        again.close()
        assert [entry.raw for entry in Inbox(path).left_over()] == [
            *(entry.raw for entry in expected),
            b"after the crash",
        ]


@given(steps, st.integers(200, 1500), st.integers(0, 300))
def test_emptying_and_compacting_lose_nothing(
    actions: list[tuple[str, bytes | int, bool]], max_file: int, compact: int
) -> None:
    with tempfile.TemporaryDirectory() as directory:
        path = Path(directory) / "alice.log"
        inbox = Inbox(path, max_file=max_file, compact=compact)
        model: dict[int, bytes] = {}
        for action, value, _ in actions:
            if action == "append":
                assert isinstance(value, bytes)
                try:
                    model[inbox.append(value, 1)] = value
                except InboxFull:
                    assert (
                        sum(map(len, model.values())) + HEADER_BYTES * (len(model) + 2) + len(value)
                        > max_file / 2
                    )
            else:
                assert isinstance(value, int)
                inbox.close_entry(value)
                model.pop(value, None)
            # What is in the file can be closed even when the file is full.
            assert path.stat().st_size <= max_file + max_file // HEADER_BYTES * HEADER_BYTES
            assert inbox.open_count() == len(model)
        # As after kill -9: the file is read by someone else while it is still open here.
        assert {entry.id: entry.raw for entry in Inbox(path).left_over()} == model
        assert not path.with_suffix(".new").exists()


def test_left_over_entries_can_be_closed(path: Path) -> None:
    inbox = Inbox(path)
    first, second = inbox.append(b"one", 1), inbox.append(b"two", 2)
    inbox.sync()
    inbox.close()
    again = Inbox(path)
    again.close_entry(first)
    assert [entry.id for entry in again.left_over()] == [second]
    again.close()
    assert [entry.raw for entry in Inbox(path).left_over()] == [b"two"]


def test_the_file_is_private(path: Path) -> None:
    Inbox(path)
    assert stat.S_IMODE(path.stat().st_mode) == 0o600
    path.chmod(0o644)
    Inbox(path)
    assert stat.S_IMODE(path.stat().st_mode) == 0o600


def test_too_large_packets_and_a_full_file_are_refused(path: Path) -> None:
    inbox = Inbox(path, max_file=1000, max_entry=300)
    with pytest.raises(InboxFull):
        inbox.append(bytes(301), 1)
    for _ in range(3):
        inbox.append(bytes(300), 1)
    with pytest.raises(InboxFull):
        inbox.append(bytes(300), 1)
    assert len(Inbox(path).left_over()) == 3


def test_room_comes_back_when_entries_are_closed(path: Path) -> None:
    inbox = Inbox(path, max_file=1000, max_entry=300)
    numbers = [inbox.append(bytes(300), 1) for _ in range(3)]
    for number in numbers[:2]:
        inbox.close_entry(number)
    fourth = inbox.append(b"fits again", 1)
    assert [entry.id for entry in Inbox(path).left_over()] == [numbers[2], fourth]


def test_a_full_disk_keeps_nothing_and_recovers(path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    inbox = Inbox(path)
    kept = inbox.append(b"before", 1)
    real = os.pwrite

    def half(file: int, data: bytes, offset: int) -> int:
        return real(file, data[: len(data) // 2], offset)

    def none(file: int, data: bytes, offset: int) -> int:
        raise OSError(errno.ENOSPC, "No space left on device")

    monkeypatch.setattr(os, "pwrite", half)
    with pytest.raises(InboxFull):
        inbox.append(b"torn", 1)
    monkeypatch.setattr(os, "pwrite", none)
    with pytest.raises(OSError, match="No space"):
        inbox.append(b"none", 1)
    inbox.close_entry(kept)  # is only logged
    monkeypatch.undo()
    inbox.append(b"after", 1)
    # The closing could not be written: after a crash "before" comes again.
    assert [entry.raw for entry in Inbox(path).left_over()] == [b"before", b"after"]


def test_closing_from_another_thread_while_appending(path: Path) -> None:
    inbox = Inbox(path, max_file=20_000, compact=500)
    numbers: list[int] = []
    finished = threading.Event()

    def close() -> None:
        while not finished.is_set() or numbers:
            if numbers:
                inbox.close_entry(numbers.pop(0))

    closer = threading.Thread(target=close)
    closer.start()
    for number in range(2000):
        while True:
            try:
                entry = inbox.append(b"%d" % number * 20, 1)
                break
            except InboxFull:
                continue
        numbers.append(entry)
        if number % 100 == 0:
            inbox.sync()
    finished.set()
    closer.join()
    assert inbox.open_count() == 0
    assert Inbox(path).left_over() == ()


def test_after_closing_the_inbox_nothing_is_taken(path: Path) -> None:
    inbox = Inbox(path)
    number = inbox.append(b"open", 1)
    inbox.close()
    inbox.close()
    inbox.close_entry(number)
    with pytest.raises(InboxFull):
        inbox.append(b"late", 1)
    assert len(Inbox(path).left_over()) == 1


def test_a_wiped_entry_leaves_nothing_in_the_file(path: Path) -> None:
    inbox = Inbox(path)
    secret, key = b"token rcadia tok_SENTINEL", b"k" * 64
    first = inbox.append(b"first", 1)
    second = inbox.append(secret, 2, key)
    third = inbox.append(b"third", 1)
    inbox.sync()
    size = path.stat().st_size
    inbox.wipe_entry(second)
    assert path.stat().st_size == size
    assert b"SENTINEL" not in path.read_bytes()
    inbox.wipe_entry(second)  # once is enough
    inbox.close()
    again = Inbox(path)
    assert [entry.id for entry in again.left_over()] == [first, third]
    assert [entry.raw for entry in again.left_over()] == [b"first", b"third"]
    assert again.append(b"fourth", 1) == third + 1
    again.close()


def test_an_entry_is_wiped_where_a_compaction_has_put_it(path: Path) -> None:
    inbox = Inbox(path, max_file=600, max_entry=300)
    kept = inbox.append(b"kept", 1)
    secret = inbox.append(b"tok_SENTINEL", 1)
    for _ in range(6):  # closed ones fill the file until it is rewritten
        inbox.close_entry(inbox.append(b"x" * 120, 1))
    inbox.wipe_entry(secret)
    assert b"SENTINEL" not in path.read_bytes()
    inbox.close()
    again = Inbox(path)
    assert [entry.id for entry in again.left_over()] == [kept]
    again.close()
