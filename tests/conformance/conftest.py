from __future__ import annotations

from collections.abc import Iterator

import pytest

from tests.conformance.driver import Driver


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
