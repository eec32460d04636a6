from __future__ import annotations

from collections.abc import Iterator

import pytest

from tests.e2e.nodes import NodeProcess, free_port

Pair = tuple[NodeProcess, NodeProcess]


@pytest.fixture(scope="module")
def pair(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Pair]:
    """Alice and Bob, connected, each of whom has heard the other."""
    base = tmp_path_factory.mktemp("pair")
    endpoint = f"127.0.0.1:{free_port()}"
    alice = NodeProcess(base / "alice", "--listen", endpoint)
    bob = NodeProcess(base / "bob", "--connect", endpoint)
    try:
        # Reticulum tries a refused connection again only after five seconds.
        alice.start()
        bob.start()
        alice.hears(bob)
        bob.hears(alice)
        yield alice, bob
    finally:
        alice.kill()
        bob.kill()
