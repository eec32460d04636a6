from __future__ import annotations

import tempfile
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.control.served import Served


@pytest.fixture
def socket_path() -> Iterator[Path]:
    # Not tmp_path: under a long base directory its paths exceed what a socket may have.
    with tempfile.TemporaryDirectory(prefix="lrgp") as folder:
        yield Path(folder) / "node" / "s.sock"


@pytest.fixture
def served(socket_path: Path) -> Iterator[Served]:
    served = Served(socket_path)
    yield served
    served.stop()
