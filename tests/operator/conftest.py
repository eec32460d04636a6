from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any

import pytest

from lrgpnode.cli.root import main
from tests.e2e.nodes import NodeProcess, free_port


@pytest.fixture(scope="module")
def node(tmp_path_factory: pytest.TempPathFactory) -> Iterator[NodeProcess]:
    """One real node, on its own."""
    data = tmp_path_factory.mktemp("operator") / "pi"
    with NodeProcess(data, "--listen", f"127.0.0.1:{free_port()}") as process:
        yield process


@dataclass(frozen=True)
class Ran:
    code: int
    out: str
    err: str

    @property
    def json(self) -> Any:
        assert self.code == 0, self.err
        return json.loads(self.out)


Command = Callable[..., Ran]


@pytest.fixture
def command(node: NodeProcess, capfd: pytest.CaptureFixture[str]) -> Command:
    """A command of the command line, in this process, for that node."""

    def command(*words: str) -> Ran:
        capfd.readouterr()
        code = main(["--data", str(node.data), "--socket", str(node.socket), *words])
        return Ran(int(code), *capfd.readouterr())

    return command
