from __future__ import annotations

from collections.abc import Iterator

import pytest

from tests.e2e.nodes import NodeProcess
from tests.tui.harness import lone_node


@pytest.fixture(scope="module")
def ann(tmp_path_factory: pytest.TempPathFactory) -> Iterator[NodeProcess]:
    """A node with nobody but the house."""
    with lone_node(tmp_path_factory.mktemp("tui") / "ann") as node:
        yield node
