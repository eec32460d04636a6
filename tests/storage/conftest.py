from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from storage.store import Store


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "node.db"


@pytest.fixture
def store(path: Path) -> Iterator[Store]:
    with Store(path, boot_id="boot-1") as opened:
        yield opened


@pytest.fixture
def memory() -> Iterator[Store]:
    with Store(":memory:") as opened:
        yield opened
