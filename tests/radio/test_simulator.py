"""``lrgpnode radio simulate`` as a process: ports, control socket, trace, end."""

from __future__ import annotations

import json
import os
import select
import signal
import socket
import subprocess
import sys
import termios
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from lrgpnode.cli.root import main
from tests.e2e.nodes import until
from tests.radio import protocol
from tests.radio.air import Air
from tests.radio.protocol import ON, Host, Wire, packet, settings

pytestmark = pytest.mark.node

SCALE = 20.0


@pytest.fixture(scope="module")
def air(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Air]:
    with Air(tmp_path_factory.mktemp("air"), "alice", "bob", "carol", "--scale", str(SCALE)) as air:
        yield air


class Serial:
    """A host at a port, with nothing but the system's calls."""

    def __init__(self, port: str) -> None:
        self.handle = os.open(port, os.O_RDWR | os.O_NOCTTY | os.O_NONBLOCK)
        self.host = Host()

    def write(self, data: bytes) -> None:
        assert os.write(self.handle, data) == len(data)

    def read(self, seconds: float) -> None:
        """Whatever comes in this time."""
        end = time.monotonic() + seconds
        while (left := end - time.monotonic()) > 0 and select.select([self.handle], [], [], left)[0]:
            self.host.take(os.read(self.handle, 4096))

    def until(self, command: int) -> bytes:
        """The first answer of this kind, now or later."""
        until(lambda: self.read(0.01) or self.host.all(command), f"an answer {command:02x}")
        return self.host.all(command)[0]

    def close(self) -> None:
        os.close(self.handle)


class PortWire(Wire):
    """Whatever is asked is followed by a last question; before its answer come all the others."""

    LAST = "c06004c0"

    def __init__(self, serial: Serial) -> None:
        super().__init__(serial.write, serial.read, serial.host)
        self._serial = serial

    def ask(self, *parts: str | bytes) -> list[tuple[int, bytes]]:
        self.host.clear()
        self.write(protocol.words(*parts, self.LAST))

        def last() -> bool:
            self._serial.read(0.01)
            return bool(self.host.frames) and self.host.frames[-1][1][:1] == b"\x04"

        until(lambda: last() and self.host.frames[-1][0] == 0x60, "the last answer")
        return self.host.frames[:-1]


@pytest.fixture
def serial(air: Air) -> Iterator[Serial]:
    serial = Serial(air.ports["carol"])
    yield serial
    serial.write(bytes.fromhex("c055f8c0"))  # as it was, for the next test
    serial.until(0x55)
    serial.close()


@pytest.mark.parametrize(
    "check", [protocol.check_detection, protocol.check_settings, protocol.check_extras, protocol.check_memory]
)
def test_the_protocol_on_a_port(serial: Serial, check: object) -> None:
    """The same check as in virtual time, as long as the machine may need for it."""
    check(PortWire(serial))  # type: ignore[operator]


def test_a_packet_from_port_to_port(air: Air) -> None:
    alice, bob = Serial(air.ports["alice"]), Serial(air.ports["bob"])
    content = bytes(range(256)) + b"\xc0\xdb" * 20
    for side in (alice, bob):
        side.write(settings() + ON)
        side.until(0x06)
    mark = air.tell("mark go")["time"]
    alice.write(packet(content))
    assert bob.until(0x00) == content
    assert bob.host.frames[-1][0] in {0x00, 0x25}
    sent = until(lambda: air.trace("frame", since=mark), "it is in the trace")
    assert [row["host"] for row in sent] == [content.hex()] * 2
    (handed,) = air.trace("packet", since=mark)
    (received,) = air.trace("received", since=mark)
    assert (handed["node"], received["node"], received["bytes"]) == ("alice", "bob", len(content))
    assert air.tell("stats alice")["stats"]["alice"]["packets_sent"] == 1
    alice.close()
    bob.close()


def test_unplugged_and_plugged_in_again(air: Air) -> None:
    port = Path(air.ports["bob"])
    serial = Serial(str(port))
    air.tell("unplug bob")
    assert not port.is_symlink()
    with pytest.raises(OSError, match="Input/output error"):
        os.write(serial.handle, b"x")
    serial.close()
    air.tell("plug bob")
    again = Serial(str(port))
    again.write(bytes.fromhex(protocol.DETECT))
    assert again.until(0x08) == b"\x46"
    again.close()


def test_the_port_stays_raw_and_a_host_that_does_not_read_stops_nobody(air: Air) -> None:
    """Frames are dropped whole when there is no room."""
    serial = Serial(air.ports["alice"])
    serial.write(settings() + ON)
    for _ in range(30):
        serial.write(bytes.fromhex("c06600c0"))  # 1024 bytes each
        air.tell("stats alice")
    serial.read(0.3)
    screens = serial.host.all(0x66)
    assert 1 <= len(screens) < 30
    assert all(len(screen) == 1024 for screen in screens)
    serial.close()
    again = Serial(air.ports["alice"])
    assert not termios.tcgetattr(again.handle)[3] & (termios.ICANON | termios.ECHO)
    again.close()


def test_orders_that_are_wrong(air: Air) -> None:
    with socket.socket(socket.AF_UNIX) as control, control.makefile("rw") as lines:
        control.settimeout(10)
        control.connect(air.ready["control"])
        lines.write("unplug dave\nstats\n" + "x" * 5000 + "\n")
        lines.flush()
        answers = [json.loads(lines.readline()) for _ in range(3)]
    assert [answer["ok"] for answer in answers] == [False, True, False]
    assert "at most 4096 bytes" in answers[2]["error"]
    air.tell("stats")


@pytest.mark.parametrize("way", ["eof", "quit", "sigterm", "sigint"])
def test_it_ends_and_takes_its_ports_along(tmp_path: Path, way: str) -> None:
    air = Air(tmp_path / "air")
    assert list(air.ports) == ["alice", "bob"]
    if way == "eof":
        assert air.process.stdin is not None
        air.process.stdin.close()
    elif way == "quit":
        air.tell("quit")
    else:
        air.process.send_signal(getattr(signal, way.upper()))
    assert air.process.wait(10) == 0
    assert sorted(path.name for path in (tmp_path / "air").iterdir()) == ["air.log", "trace.jsonl"]
    assert air.log == ""
    air.close()


def test_orders_by_hand_are_answered(tmp_path: Path) -> None:
    run = subprocess.run(
        [Path(sys.executable).with_name("lrgpnode"), "radio", "simulate", "--stdin", "--dir", tmp_path],
        input="stats\nunplug dave\n",
        capture_output=True,
        text=True,
        timeout=60,
        check=True,
    )
    first, second = (json.loads(row) for row in run.stdout.splitlines() if row.startswith("{"))
    assert sorted(first["stats"]) == ["alice", "bob"]
    assert second == {"ok": False, "error": "There is no node 'dave'; there are alice, bob."}
    assert run.stderr == ""


def test_what_cannot_run_is_said(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    def run(*words: str) -> tuple[int, str]:
        return main(["radio", "simulate", *words]), capsys.readouterr().err

    none = tmp_path / "none.toml"
    assert run("--topology", str(none)) == (
        5,
        f"lrgpnode: {none} cannot be read: No such file or directory.\n",
    )
    code, said = run("--topology", "x.toml", "alice")
    assert code == 2
    assert "names and --line go without it" in said
    code, said = run("--dir", str(tmp_path / ("x" * 100)))
    assert code == 1
    assert "too long for a socket; choose another --dir." in said
    code, said = run("--dir", "/proc/air")
    assert code == 1
    assert said == "lrgpnode: /proc/air cannot be made: No such file or directory.\n"
    code, said = run("--dir", str(tmp_path), "--trace", "/none/trace")
    assert (code, said) == (1, "lrgpnode: /none/trace cannot be written: No such file or directory.\n")
    assert run("a", "a") == (5, "lrgpnode: Two nodes have the same name.\n")


def test_what_is_there_already_is_left_alone(
    air: Air, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """Another simulator, or somebody's file."""
    trace = air.trace()
    assert main(["radio", "simulate", "--dir", str(air.folder)]) == 1
    assert "Another simulator uses" in capsys.readouterr().err
    assert air.tell("stats")["ok"]
    assert air.trace()[: len(trace)] == trace
    (tmp_path / "alice").write_text("precious")
    assert main(["radio", "simulate", "--dir", str(tmp_path)]) == 1
    assert f"no port for alice at {tmp_path / 'alice'}: File exists." in capsys.readouterr().err
    assert (tmp_path / "alice").read_text() == "precious"


def test_a_trace_that_cannot_be_written_ends_it(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    """Rather than a simulation of which nobody knows what happened."""
    assert main(["radio", "simulate", "--dir", str(tmp_path), "--trace", "/dev/full"]) == 1
    assert "/dev/full cannot be written: No space left on device." in capsys.readouterr().err
