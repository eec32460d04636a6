from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import ExitStack
from typing import Any

import pytest

from tests.mesh.nodes import Node


@pytest.fixture
def start() -> Iterator[Callable[..., Node]]:
    """Start nodes that are killed at the end of the test."""
    with ExitStack() as stack:

        def started(*args: Any, **settings: Any) -> Node:
            return stack.enter_context(Node(*args, **settings))

        yield started
