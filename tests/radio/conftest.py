from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path

import pytest

from tests.e2e.nodes import until
from tests.radio.air import Air, RadioNode
from tests.radio.cost import kind, totals

Start = Callable[..., tuple[Air, dict[str, RadioNode]]]


@contextmanager
def mesh(
    folder: Path, *words: str, transport: tuple[str, ...] = (), scale: float = 10.0
) -> Iterator[tuple[Air, dict[str, RadioNode]]]:
    """Software RNodes with these arguments, and a node on each.

    ``transport``: the nodes that pass on what is not for them. They are there first, and the others come
    one after the other: who has not heard an announce cannot pass it on, and the next is an hour away.
    """
    with ExitStack() as stack:
        air = stack.enter_context(Air(folder / "air", *words, "--scale", f"{scale:g}"))
        nodes = {
            name: RadioNode(
                folder / name,
                port,
                transport=name in transport,
                # Announces that are passed on would wait by the real clock for the scaled air.
                announce_cap=100,
            )
            for name, port in air.ports.items()
        }
        for node in nodes.values():
            stack.callback(node.kill)
        try:
            if transport:
                for name in sorted(nodes, key=lambda name: name not in transport):
                    nodes[name].start()
                    until(lambda name=name: announced(air, name), f"{name} is announced")
            else:
                for node in nodes.values():
                    node.spawn()
                for node in nodes.values():
                    node.ready()
            yield air, nodes
        finally:
            # Shown where the test has failed.
            for node in nodes.values():
                print(f"--- log of {node.name}\n{node.log}")
            print(f"--- trace\n{summary(air)}\n{totals(air.trace('frame'))}")


def announced(air: Air, name: str) -> bool:
    return any(
        row["node"] == name and kind(bytes.fromhex(row["host"])) == "announce" for row in air.trace("frame")
    )


def summary(air: Air) -> str:
    """The trace without the bytes."""
    left_out = {"host", "frame", "frequency", "bandwidth", "sf", "cr", "power", "event"}
    return "\n".join(
        f"{row['event']:8} { {key: value for key, value in row.items() if key not in left_out} }"
        for row in air.trace()
    )


@pytest.fixture
def start(tmp_path: Path) -> Iterator[Start]:
    """``mesh`` that ends with the test."""
    with ExitStack() as stack:

        def started(*words: str, **options: object) -> tuple[Air, dict[str, RadioNode]]:
            return stack.enter_context(mesh(tmp_path, *words, **options))  # type: ignore[arg-type]

        yield started
