"""Software RNodes in a process of their own, and nodes of the mesh that use them."""

from __future__ import annotations

import json
import os
import select
import socket
import subprocess
import sys
from pathlib import Path
from types import TracebackType
from typing import Any, Self

from tests.e2e.nodes import ROOT, NodeProcess

Json = dict[str, Any]

READY_SECONDS = 30.0


class Air:
    """``lrgpnode radio simulate``: words are its arguments."""

    def __init__(self, folder: Path, *words: str) -> None:
        self.folder = folder
        folder.mkdir(parents=True, exist_ok=True)
        self.trace_file = folder / "trace.jsonl"
        self._log = (folder / "air.log").open("ab")
        self.process = subprocess.Popen(
            [
                *(str(Path(sys.executable).with_name("lrgpnode")), "radio", "simulate"),
                *("--json", "--stdin", "--dir", str(folder), *words),
            ],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=self._log,
            env=os.environ | {"PYTHONPATH": str(ROOT)},
        )
        assert self.process.stdout is not None
        if not select.select([self.process.stdout], [], [], READY_SECONDS)[0]:
            self.close()
            raise AssertionError(f"no software RNodes within {READY_SECONDS:g} s: {self.log}")
        first = self.process.stdout.readline()
        assert first, f"no software RNodes: {self.log}"
        self.ready: Json = json.loads(first)
        self.ports: dict[str, str] = self.ready["ports"]

    @property
    def log(self) -> str:
        return (self.folder / "air.log").read_text()

    def tell(self, order: str) -> Json:
        """One command over the control socket; its answer."""
        with socket.socket(socket.AF_UNIX) as control:
            control.settimeout(READY_SECONDS)
            control.connect(self.ready["control"])
            control.sendall(order.encode() + b"\n")
            with control.makefile() as answers:
                answer: Json = json.loads(answers.readline())
        assert answer["ok"], answer
        return answer

    def trace(self, *kinds: str, since: float = -1.0) -> list[Json]:
        """What is in the trace, of these kinds of event or of all; whole lines only."""
        text = self.trace_file.read_text()
        rows = [json.loads(row) for row in text[: text.rfind("\n") + 1].splitlines()]
        return [row for row in rows if row["time"] >= since and (not kinds or row["event"] in kinds)]

    def close(self) -> None:
        """As when whoever started it is gone."""
        assert self.process.stdin is not None
        assert self.process.stdout is not None
        self.process.stdin.close()
        try:
            self.process.wait(10)
        except subprocess.TimeoutExpired:
            self.process.kill()
            self.process.wait(10)
        self.process.stdout.close()
        self._log.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()


def interface_settings(port: str) -> Json:
    return {
        "port": port,
        "frequency": 868_100_000,
        "bandwidth": 125_000,
        "txpower": 14,
        "spreadingfactor": 8,
        "codingrate": 5,
    }


def configure(folder: Path, port: str, *, transport: bool = False, **options: Any) -> Path:
    """A private Reticulum configuration with one RNode; ``options`` of the interface replace these."""
    settings = {"type": "RNodeInterface", "enabled": "yes"} | interface_settings(port) | options
    folder.mkdir(parents=True, exist_ok=True)
    lines = "".join(f"    {key} = {value}\n" for key, value in settings.items())
    (folder / "config").write_text(
        "[reticulum]\n  share_instance = no\n"
        f"  enable_transport = {'yes' if transport else 'no'}\n"
        f"[logging]\n  loglevel = 4\n[interfaces]\n  [[Radio]]\n{lines}"
    )
    return folder


class RadioNode(NodeProcess):
    """A node whose only interface is a software RNode.

    It may send all the time: on air that is faster than the clock an hour's budget lasts for minutes.
    """

    def __init__(self, data: Path, port: str, *, transport: bool = False, **options: Any) -> None:
        config = configure(data / "reticulum", port, transport=transport, **options)
        super().__init__(data, "--rns-config", str(config))
        with (data / "lrgpnode.toml").open("a") as settings:
            settings.write("[airtime]\nlimit_percent = 100\n")
