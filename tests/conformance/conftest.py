from __future__ import annotations

from collections.abc import Iterator

import pytest

from tests.conformance.driver import Driver, Node, seat


@pytest.fixture(scope="session")
def process() -> Iterator[Driver]:
    """One process for the whole session; a test must take ``driver``, which is reset."""
    driver = Driver()
    yield driver
    assert driver.close() == 0


@pytest.fixture
def driver(process: Driver) -> Driver:
    assert process("reset") == {}
    return process


class Quiet:
    """Seats that are made once, in a process that is never reset, for what must change nothing."""

    def __init__(self) -> None:
        self.driver = Driver()
        self._seats: dict[tuple[str, str, str], Node] = {}
        self._empty: dict[str, Node] = {}

    def seat(self, app: str, identity: str, status: str) -> Node:
        key = (app, identity, status)
        if key not in self._seats:
            self._seats[key] = seat(self.driver, *key)
        return self._seats[key]

    def node(self, identity: str) -> Node:
        """A node without sessions."""
        if identity not in self._empty:
            self._empty[identity] = self.driver.node(identity)
        return self._empty[identity]


@pytest.fixture(scope="session")
def quiet() -> Iterator[Quiet]:
    seats = Quiet()
    yield seats
    assert seats.driver.close() == 0
