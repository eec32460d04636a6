"""Software RNodes in real time: each on a pseudo-terminal, with a control socket and a trace file.

The world's time is the machine's monotonic clock times the scale. Between two events of the world, and with
nothing from a host or the control socket, the process sleeps.
"""

from __future__ import annotations

import asyncio
import contextlib
import os
import signal
from collections.abc import AsyncIterator, Callable
from dataclasses import dataclass
from io import FileIO
from pathlib import Path
from typing import IO, Any, Final

from interfaces.radio import commands
from interfaces.radio.pty import Port
from interfaces.radio.sim.topology import Topology
from interfaces.radio.sim.trace import Event, line
from interfaces.radio.sim.world import World
from lrgpnode.protocol.value import Value

CONTROL: Final = "control.sock"
TRACE: Final = "trace.jsonl"
LONGEST_LINE: Final = 4096
SOCKET_PATH_BYTES: Final = 107


class SimulatorError(Exception):
    """Why the simulator cannot run, in a sentence."""


@dataclass(frozen=True, slots=True, repr=False)
class Places(Value):
    """``folder`` holds the ports and the control socket; ``trace`` is written anew."""

    folder: Path
    trace: Path

    @property
    def control(self) -> Path:
        return self.folder / CONTROL

    def port(self, name: str) -> Path:
        return self.folder / name


class Simulator:
    """``run`` it once. Implements ``commands.Plugs``."""

    def __init__(self, topology: Topology, places: Places) -> None:
        self._scale = topology.scale
        self._places = places
        self._trace: FileIO
        self._untold: list[Event] = []
        self._failure: Exception | None = None
        self.world = World(topology, self._tell)
        self._ports: dict[str, Port] = {}
        self._end = asyncio.Event()
        self._loop: asyncio.AbstractEventLoop
        self._began = 0.0
        self._timer: asyncio.TimerHandle | None = None

    # --- time

    def _advance(self) -> None:
        """Bring the world to now."""
        self.world.schedule.run_until((self._loop.time() - self._began) * self._scale)

    def _rearm(self) -> None:
        """Wake up when the next thing happens in the world."""
        if self._timer is not None:
            self._timer.cancel()
            self._timer = None
        due = self.world.schedule.next()
        if due is not None:
            self._timer = self._loop.call_at(self._began + due / self._scale, self._step)

    def _step(self, act: Callable[..., Any] | None = None, *args: Any) -> Any:
        """Everything from outside comes in here, at its time in the world."""
        self._advance()
        result = act(*args) if act is not None else None
        self._advance()
        self._rearm()
        self._write()
        return result

    def _tell(self, event: Event) -> None:
        self._untold.append(event)

    def _write(self) -> None:
        if not self._untold:
            return
        lines = "".join(f"{line(event)}\n" for event in self._untold).encode()
        self._untold.clear()
        try:
            whole = self._trace.write(lines) == len(lines)
            reason = "" if whole else "there is no room"
        except OSError as error:
            reason = str(error.strerror)
        if reason:
            raise SimulatorError(f"The trace {self._places.trace} cannot be written: {reason}.")

    # --- ports

    def plug(self, name: str) -> None:
        """Raises ``SimulatorError`` if there can be no port."""
        if name in self._ports:
            return
        try:
            port = Port(self._places.port(name))
        except OSError as error:
            raise SimulatorError(
                f"There is no port for {name} at {self._places.port(name)}: {error.strerror}."
            ) from None
        self._ports[name] = port
        self.world.devices[name].send = port.write
        self._loop.add_reader(port.master, self._readable, name)
        self.world.power(name, on=True)

    def unplug(self, name: str) -> None:
        port = self._ports.pop(name, None)
        if port is not None:
            self.world.power(name, on=False)
            self._loop.remove_reader(port.master)
            port.close()

    def _readable(self, name: str) -> None:
        data = self._ports[name].read()
        if data:
            self._step(self.world.devices[name].feed, data)

    def quit(self) -> None:
        self._end.set()

    # --- running

    async def run(
        self,
        ready: Callable[[dict[str, Any]], None],
        orders: IO[bytes] | None = None,
        answered: Callable[[dict[str, Any]], None] = lambda answer: None,
    ) -> None:
        """Until ``quit``, SIGTERM or SIGINT, or until ``orders`` ends, from which commands are read.

        ``ready`` is told where the ports are as soon as they can be opened, ``answered`` the answer to each
        of the ``orders``. Raises ``SimulatorError``.
        """
        self._loop = asyncio.get_running_loop()
        self._loop.set_exception_handler(self._failed)
        self._began = self._loop.time()
        plugged = [name for name, device in self.world.devices.items() if device.powered]
        async with contextlib.AsyncExitStack() as stack:
            server = await self._serve()
            stack.callback(self._places.control.unlink, missing_ok=True)
            stack.callback(server.close)
            # Not before it is known that nobody else writes it.
            self._trace = stack.enter_context(_opened(self._places.trace))
            stack.callback(self._close)
            for name in plugged:
                self.plug(name)
            for number in (signal.SIGTERM, signal.SIGINT):
                self._loop.add_signal_handler(number, self.quit)
            if orders is not None:
                stack.callback(asyncio.create_task(self._follow(orders, answered)).cancel)
            self._step()
            await server.start_serving()
            ready(self._ready())
            await self._end.wait()
        if self._failure is not None:
            raise self._failure

    def _failed(self, loop: asyncio.AbstractEventLoop, context: dict[str, Any]) -> None:
        """A world in which something went wrong is none to test in."""
        error = context.get("exception")
        self._failure = error if isinstance(error, Exception) else SimulatorError(str(context["message"]))
        self.quit()

    def _ready(self) -> dict[str, Any]:
        return {
            "ready": True,
            "pid": os.getpid(),
            "ports": {name: str(self._places.port(name)) for name in self.world.devices},
            "control": str(self._places.control),
            "trace": str(self._places.trace),
            "scale": self._scale,
        }

    async def _serve(self) -> asyncio.Server:
        path = self._places.control
        if len(os.fsencode(path)) > SOCKET_PATH_BYTES:
            raise SimulatorError(f"{path} is too long for a socket; choose another --dir.")
        try:
            path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
        except OSError as error:
            raise SimulatorError(f"{error.filename} cannot be made: {error.strerror}.") from None
        if await _answers(path):
            raise SimulatorError(f"Another simulator uses {path.parent}; choose another --dir.")
        path.unlink(missing_ok=True)
        try:
            return await asyncio.start_unix_server(
                self._converse, path, limit=LONGEST_LINE, start_serving=False
            )
        except OSError as error:
            raise SimulatorError(f"{path} cannot be opened: {error.strerror}.") from None

    async def _converse(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        with contextlib.suppress(ConnectionError, asyncio.CancelledError):
            async for answer in self._answers(reader):
                writer.write(f"{line(answer)}\n".encode())
                await writer.drain()
        writer.close()

    async def _follow(self, orders: IO[bytes], answered: Callable[[Event], None]) -> None:
        reader = asyncio.StreamReader(limit=LONGEST_LINE)
        await self._loop.connect_read_pipe(lambda: asyncio.StreamReaderProtocol(reader), orders)
        async for answer in self._answers(reader):
            answered(answer)
        self.quit()

    async def _answers(self, reader: asyncio.StreamReader) -> AsyncIterator[Event]:
        """Carry out line by line what comes in, and what becomes of each."""
        while True:
            try:
                order = await reader.readline()
            except ValueError:  # longer than the limit
                yield {"ok": False, "error": f"A line has at most {LONGEST_LINE} bytes."}
                return
            if not order:
                return
            yield self._order(order.decode(errors="replace"))

    def _order(self, text: str) -> Event:
        try:
            answer: Event = self._step(commands.carry_out, text, self)
        except SimulatorError as error:
            return {"ok": False, "error": str(error)}
        return answer

    def _close(self) -> None:
        for name in list(self._ports):
            self.unplug(name)
        if self._timer is not None:
            self._timer.cancel()
        if self._failure is None:
            self._write()


async def _answers(path: Path) -> bool:
    """Whether somebody listens at a socket."""
    try:
        _, writer = await asyncio.open_unix_connection(path)
    except OSError:
        return False
    writer.close()
    return True


def _opened(path: Path) -> FileIO:
    try:
        return FileIO(path, "w")
    except OSError as error:
        raise SimulatorError(f"{path} cannot be written: {error.strerror}.") from None
