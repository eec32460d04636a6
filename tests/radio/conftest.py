from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path

import pytest

from tests.radio.air import Air, RadioNode

Start = Callable[..., tuple[Air, dict[str, RadioNode]]]


@contextmanager
def mesh(
    folder: Path, *words: str, transport: tuple[str, ...] = (), scale: float = 10.0
) -> Iterator[tuple[Air, dict[str, RadioNode]]]:
    """Software RNodes with these arguments, and a node on each, all started at once.

    ``transport``: the nodes that pass on what is not for them. On a failure the trace is printed.
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
            node.spawn()
        try:
            for node in nodes.values():
                node.ready()
            yield air, nodes
        except BaseException:
            for node in nodes.values():
                print(f"--- log of {node.name}\n{node.log}")
            print(f"--- trace\n{summary(air)}")
            raise


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
