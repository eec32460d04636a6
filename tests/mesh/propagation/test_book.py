"""Which propagation node is tried, and what of that lasts."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from lrgpnode.mesh.propagation.announced import NodeAnnounce
from lrgpnode.mesh.propagation.book import (
    HEARD_FOR,
    MAX_HEARD,
    PASSED_OVER,
    NodeBook,
    NotListed,
)
from lrgpnode.mesh.propagation.state import Remembered, StateFile, Synced

ONE, TWO, THREE, OWN = ("1" * 32, "2" * 32, "3" * 32, "f" * 32)
ON = NodeAnnounce(
    enabled=True,
    timebase=1,
    message_kb=256,
    transfer_kb=10_240,
    stamp_cost=16,
    flexibility=3,
    peering_cost=18,
    name="House",
)
OFF = replace(ON, enabled=False)
NOW = 1_800_000_000.0


class Shelf:
    """A book and what it last saved; ``again`` is the book after a restart."""

    def __init__(self, state: Remembered | None = None, now: float = NOW, **options: Any) -> None:
        self.saved = state or Remembered()
        self.writes = 0
        self.options = {"max_cost": 22} | options
        self.book = NodeBook(self.saved, self._save, now=now, **self.options)

    def _save(self, state: Remembered) -> None:
        self.saved = state
        self.writes += 1

    def again(self, now: float = NOW, **options: Any) -> NodeBook:
        return Shelf(self.saved, now, **(self.options | options)).book


def test_without_any_node_there_is_none() -> None:
    assert Shelf().book.current(NOW) == ""


def test_listed_nodes_come_first_and_in_order() -> None:
    book = Shelf(listed=(TWO, ONE)).book
    book.heard(THREE, ON, 1, NOW)
    assert book.candidates(NOW) == (TWO, ONE, THREE)
    assert book.current(NOW) == TWO


def test_heard_nodes_are_used_only_where_allowed() -> None:
    book = Shelf(auto=False).book
    book.heard(THREE, ON, 1, NOW)
    assert book.current(NOW) == ""


def test_of_the_heard_the_nearest_is_taken_then_the_cheapest() -> None:
    book = Shelf().book
    book.heard(ONE, ON, 3, NOW)
    book.heard(TWO, ON, 1, NOW)
    book.heard(THREE, replace(ON, stamp_cost=13), 1, NOW)
    assert book.candidates(NOW) == (THREE, TWO, ONE)


@pytest.mark.parametrize("said", [OFF, replace(ON, stamp_cost=23)])
def test_a_node_that_is_off_or_too_dear_is_not_used(said: NodeAnnounce) -> None:
    book = Shelf().book
    book.heard(ONE, said, 1, NOW)
    assert book.current(NOW) == ""


def test_a_node_not_heard_for_a_week_is_not_used() -> None:
    book = Shelf().book
    book.heard(ONE, ON, 1, NOW)
    assert book.current(NOW + HEARD_FOR - 1) == ONE
    assert book.current(NOW + HEARD_FOR + 1) == ""


def test_a_listed_node_is_passed_over_from_when_it_says_it_is_off() -> None:
    book = Shelf(listed=(ONE, TWO)).book
    assert book.heard(ONE, ON, 1, NOW)
    assert book.heard(ONE, OFF, 1, NOW)
    assert book.current(NOW) == TWO
    assert book.heard(ONE, ON, 1, NOW)
    assert book.current(NOW) == ONE


def test_two_failures_lead_to_the_next_for_an_hour() -> None:
    book = Shelf(listed=(ONE, TWO)).book
    book.failed(ONE, "no path", NOW)
    assert book.current(NOW) == ONE
    book.failed(ONE, "no path", NOW + 1)
    assert book.current(NOW + 1) == TWO
    assert book.current(NOW + 1 + PASSED_OVER) == ONE


def test_a_success_between_two_failures_keeps_the_node() -> None:
    book = Shelf(listed=(ONE, TWO)).book
    book.failed(ONE, "no path", NOW)
    book.worked(ONE, NOW)
    book.failed(ONE, "no path", NOW)
    assert book.current(NOW) == ONE


def test_a_node_that_is_heard_again_is_tried_again() -> None:
    book = Shelf(listed=(ONE, TWO)).book
    for _ in range(2):
        book.failed(ONE, "no path", NOW)
    book.heard(ONE, ON, 1, NOW)
    assert book.current(NOW) == ONE


def test_when_all_have_failed_the_one_that_failed_first_is_tried() -> None:
    book = Shelf(listed=(ONE, TWO)).book
    for at, node in enumerate((TWO, TWO, ONE, ONE)):
        book.failed(node, "no path", NOW + at)
    assert book.current(NOW + 4) == TWO


def test_the_last_good_one_is_remembered_over_a_restart() -> None:
    shelf = Shelf(listed=(ONE, TWO))
    for _ in range(2):
        shelf.book.failed(ONE, "no path", NOW)
    shelf.book.worked(TWO, NOW)
    assert shelf.again(NOW + 60).current(NOW + 60) == TWO
    later = NOW + PASSED_OVER + 1
    assert shelf.again(later).current(later) == ONE


def test_the_last_good_one_of_the_heard_stays_although_another_is_nearer() -> None:
    shelf = Shelf()
    shelf.book.heard(ONE, ON, 3, NOW)
    shelf.book.worked(ONE, NOW)
    shelf.book.heard(TWO, ON, 1, NOW)
    assert shelf.book.current(NOW) == ONE
    assert shelf.again().current(NOW) == ONE


def test_what_works_is_written_once_not_each_time() -> None:
    shelf = Shelf(listed=(ONE,))
    for at in range(100):
        shelf.book.worked(ONE, NOW + at)
        shelf.book.heard(ONE, ON, 1, NOW + at)
    assert shelf.writes == 2


def test_strangers_cannot_fill_the_book_or_wear_out_the_card() -> None:
    shelf = Shelf(listed=(ONE,))
    book = shelf.book
    book.heard(ONE, ON, 9, NOW)
    book.heard(TWO, ON, 1, NOW)
    for number in range(200):
        book.heard(f"{number:032x}", ON, 5, NOW + number)
    assert len(book.status(NOW + 200)) <= MAX_HEARD + 1
    assert shelf.writes == 1
    assert book.candidates(NOW + 200)[:2] == (ONE, TWO)


def test_the_first_node_heard_is_known_after_a_restart() -> None:
    shelf = Shelf()
    shelf.book.heard(ONE, ON, 1, NOW)
    assert shelf.again().current(NOW) == ONE


def test_a_client_that_says_it_is_no_node_is_not_noted() -> None:
    book = Shelf().book
    assert not book.heard(ONE, OFF, 1, NOW)
    assert book.status(NOW) == ()


def test_our_own_is_the_last_resort() -> None:
    book = Shelf(own=OWN).book
    assert book.current(NOW) == OWN
    book.heard(ONE, ON, 5, NOW)
    assert book.candidates(NOW) == (ONE, OWN)
    assert Shelf(own=OWN, listed=(OWN, ONE)).book.candidates(NOW) == (OWN, ONE)


def test_nodes_are_added_chosen_and_removed_for_good() -> None:
    shelf = Shelf(listed=(ONE,))
    shelf.book.add(TWO)
    shelf.book.use(THREE)
    assert shelf.again().candidates(NOW) == (THREE, ONE, TWO)
    shelf.book.remove(THREE)
    shelf.book.remove(TWO)
    assert shelf.again().candidates(NOW) == (ONE,)


def test_what_cannot_be_changed_says_why() -> None:
    book = Shelf(listed=(ONE,)).book
    with pytest.raises(NotListed, match="in the list already"):
        book.add(ONE)
    with pytest.raises(NotListed, match=r"propagation\.nodes"):
        book.remove(ONE)
    with pytest.raises(NotListed, match="has not been added"):
        book.remove(TWO)


def test_the_status_says_where_a_node_comes_from_and_what_ails_it() -> None:
    book = Shelf(listed=(ONE,), own=OWN).book
    book.add(TWO)
    book.heard(THREE, ON, 2, NOW)
    book.failed(ONE, "no path to the node", NOW)
    found = {node.hash: node for node in book.status(NOW)}
    assert [found[node].source for node in (ONE, TWO, THREE, OWN)] == ["settings", "added", "heard", "own"]
    assert [node.hash for node in found.values() if node.current] == [ONE]
    assert (found[ONE].failures, found[ONE].reason) == (1, "no path to the node")
    assert (found[THREE].name, found[THREE].hops, found[THREE].stamp_cost) == ("House", 2, 16)


def test_the_file_holds_all_that_lasts(tmp_path: Path) -> None:
    file = StateFile(tmp_path / "data" / "propagation.json")
    book = NodeBook(file.load(), file.save, max_cost=22, now=NOW)
    book.heard(ONE, ON, 1, NOW)
    book.add(TWO)
    book.note_synced(OWN, Synced(at=NOW, node=ONE, received=3))
    book.note_hosting(True)
    state = StateFile(tmp_path / "data" / "propagation.json").load()
    assert state.added == (TWO,)
    assert [node.hash for node in state.heard] == [ONE]
    assert state.synced[OWN].received == 3
    assert state.hosting
    assert (tmp_path / "data" / "propagation.json").stat().st_mode & 0o777 == 0o600


@pytest.mark.parametrize("content", [b"", b"\xff", b"[]", b'{"added": 1}', b'{"added": ["' + b"x" * 100])
def test_a_damaged_file_is_set_aside(tmp_path: Path, content: bytes) -> None:
    path = tmp_path / "propagation.json"
    path.write_bytes(content)
    assert StateFile(path).load() == Remembered()
    assert path.with_suffix(".damaged").read_bytes() == content
