"""Starting, watching and stopping the one Reticulum instance of this process.

Reticulum is made for programs that it may end: a bad interface or a configuration error calls
``os._exit``, SIGTERM is taken over, ``sys.stdout`` is closed at the end. All of that is switched off
here, before it starts (rns-lxmf facts §1, §11). Importing this module loads Reticulum.
"""

from __future__ import annotations

import logging
import signal
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from threading import get_ident
from typing import Any, Final

import RNS
from RNS.Interfaces import LocalInterface, TCPInterface
from RNS.Interfaces.Interface import Interface

from lrgpnode.protocol.value import Value
from lrgpnode.rnode.troubles import Diagnosis

from .floor import SLOW_BITRATE, Medium
from .radio import driver, sections
from .radio.watch import RadioWatch

_log = logging.getLogger(__name__)


class MeshError(Exception):
    """Reticulum could not be started, and why, in one sentence for a person."""


class _Panic(Exception):
    """Raised where Reticulum would end the process."""


@dataclass(frozen=True, slots=True, repr=False)
class InterfaceStatus(Value):
    """``error`` is set for an interface of the configuration that could not be made.

    ``trouble`` is why a radio is not online.
    """

    name: str
    kind: str
    online: bool
    error: str = ""
    trouble: Diagnosis | None = None


class Instance:
    """The running Reticulum. ``failed`` holds the interfaces that could not be created, and why.

    ``radios`` is told how its radios are.
    """

    def __init__(
        self, config_dir: Path | None, log: Callable[[str], None], level: int, radios: RadioWatch
    ) -> None:
        self.failed: dict[str, str] = {}
        self.faulty: dict[str, Diagnosis] = {}
        self.radios = radios
        self._driver = driver.watch(radios)
        self._reticulum: Any = None
        self._prepare()
        if config_dir is not None and not (config_dir / "config").is_file():
            # Reticulum would make a default one, with interfaces nobody asked for.
            raise MeshError(f"there is no Reticulum configuration in {config_dir}")
        try:
            with quiet_signals():
                self._reticulum = RNS.Reticulum(
                    configdir=str(config_dir) if config_dir else None, loglevel=level, logdest=log
                )
        except Exception as error:
            raise MeshError(f"Reticulum could not be started: {_cause(error)}") from error

    @property
    def kind(self) -> str:
        """``client`` of a shared instance, the ``shared`` instance itself, or ``own``."""
        if self._reticulum.is_connected_to_shared_instance:
            return "client"
        return "shared" if self._reticulum.is_shared_instance else "own"

    def settle(self, seconds: float) -> None:
        """Give the radios time to come up for the first time, all at once."""
        self._driver.wait(seconds)

    @property
    def reticulum(self) -> Any:
        return self._reticulum

    def interfaces(self) -> tuple[InterfaceStatus, ...]:
        up = tuple(self._status(item) for item in list(RNS.Transport.interfaces))
        left_out = (
            InterfaceStatus(name, "", False, error, self.faulty.get(name))
            for name, error in self.failed.items()
        )
        return (*up, *left_out)

    def _status(self, interface: Any) -> InterfaceStatus:
        radio = self.radios.state(interface)
        # A board that has hung is online to its driver until that sees its port closed.
        online = bool(interface.online) and (radio is None or radio.up)
        trouble = radio.trouble if radio is not None and not online else None
        return InterfaceStatus(interface_name(interface), type(interface).__name__, online, trouble=trouble)

    def media(self, *, shared_is_slow: bool = True) -> tuple[Medium, ...]:
        """The interfaces that an announce goes out on now.

        Of those of another program's instance nothing is known here: they are one medium, and
        ``shared_is_slow`` says of what kind.
        """
        shared = self.kind == "client"
        return tuple(
            Medium(interface_name(item), shared_is_slow, item)
            if shared
            else Medium(interface_name(item), is_slow(item), item, _spread(item), _channel(item))
            for item in list(RNS.Transport.interfaces)
            if item.OUT and item.online and getattr(item, "mode", None) != Interface.MODE_ACCESS_POINT
        )

    def on_online(self, callback: Callable[[Any], None]) -> None:
        """Be told, from any thread, when an interface of the machine's configuration comes up again.

        Reticulum has no event for that, only the attribute ``online`` that every interface sets.
        """
        ours = (LocalInterface.LocalClientInterface, LocalInterface.LocalServerInterface)

        def get(interface: Any) -> bool:
            return bool(interface.__dict__.get("online", False))

        def put(interface: Any, online: bool) -> None:
            before = get(interface)
            interface.__dict__["online"] = online
            if online and not before and not isinstance(interface, ours):
                callback(interface)

        Interface.online = property(get, put)

    def on_interface_up(self, callback: Callable[[Any], None]) -> None:
        """Be told when a TCP connection is made by a peer or made again. For private configurations."""
        add_interface, synthesize_tunnel = RNS.Transport.add_interface, RNS.Transport.synthesize_tunnel

        def added(interface: Any) -> None:
            add_interface(interface)
            if interface.parent_interface is not None:
                callback(interface)

        def tunnelled(interface: Any) -> None:
            # Once Reticulum runs, it does this only after a connection that it made again.
            synthesize_tunnel(interface)
            callback(interface)

        RNS.Transport.add_interface = staticmethod(added)
        RNS.Transport.synthesize_tunnel = staticmethod(tunnelled)

    @staticmethod
    def set_log_level(level: int) -> None:
        RNS.loglevel = level

    def stop(self) -> None:
        """Save what Reticulum knows and close the interfaces."""
        RNS.Reticulum.exit_handler()

    def _prepare(self) -> None:
        RNS.panic = _panic
        RNS._detach_stdout = lambda: None
        RNS.logtimestamps = False
        # Without this, stopping waits for the peers of an IPv6 listener.
        TCPInterface.ThreadingTCP6Server.daemon_threads = True
        original = RNS.Reticulum._synthesize_interface

        def synthesize(reticulum: Any, config: Any, name: str, *args: Any, **kwargs: Any) -> None:
            """Record an interface that fails instead of ending the process over it."""
            self.failed.pop(name, None)
            self.faulty.pop(name, None)
            # Set from the configuration before; an interface's thread would end over it.
            RNS.Reticulum.panic_on_interface_error = False

            def make() -> None:
                original(reticulum, config, name, *args, **kwargs)

            try:
                if config.get("type") == RADIO:
                    self._driver.make_apart(make)
                else:
                    make()
            except Exception as error:  # noqa: BLE001 - interfaces raise anything, even KeyError
                fault = sections.fault(name, config, _cause(error)) if config.get("type") == RADIO else None
                if fault is not None:
                    self.faulty[name] = fault
                self.failed[name] = fault.cause if fault is not None else _cause(error)
                _log.error("interface %s is left out: %s", name, self.failed[name])

        RNS.Reticulum._synthesize_interface = synthesize


@contextmanager
def quiet_signals() -> Iterator[None]:
    """Keep Reticulum and LXMF from installing signal handlers: theirs end the process at once.

    Only for the calling thread, which need not be the main one: with this, a router can be made
    where Python itself would refuse to set a handler, while the main thread goes on setting its own.
    """
    original, quiet = signal.signal, get_ident()

    def only_others(number: int, handler: Any) -> Any:
        return None if get_ident() == quiet else original(number, handler)

    signal.signal = only_others  # type: ignore[assignment]  # narrower
    try:
        yield
    finally:
        signal.signal = original


RADIO = "RNodeInterface"

ANNOUNCE_BITS: Final = 8 * 210

_SLOW_KINDS = ("RNode", "Serial", "KISS", "AX25", "Weave")


def is_slow(interface: Any) -> bool:
    """Whether an interface is a radio or as slow as one, where an announce is dear."""
    kind = type(interface).__name__
    return kind.startswith(_SLOW_KINDS) or int(interface.bitrate or 0) < SLOW_BITRATE


def _spread(interface: Any) -> float:
    """Seconds within which to begin to announce: sixteen times what an announce takes, but two minutes at
    most. Of two that begin at random moments one in eight pairs still meets."""
    bitrate = int(interface.bitrate or 0)
    if not is_slow(interface) or bitrate <= 0:
        return 0.0
    return float(min(16 * ANNOUNCE_BITS / bitrate, 120.0))


def _channel(interface: Any) -> str:
    """Frequency, bandwidth and spreading factor of an RNode; "" for anything else."""
    numbers = [getattr(interface, name, None) for name in ("frequency", "bandwidth", "sf")]
    return "/".join(map(str, numbers)) if all(numbers) else ""


def interface_name(interface: Any) -> str:
    return str(getattr(interface, "name", None) or interface)


def _panic() -> None:
    raise _Panic


def _cause(error: BaseException) -> str:
    """The reason behind a panic: what was being handled when Reticulum wanted to end the process."""
    while isinstance(error, _Panic) and error.__context__ is not None:
        error = error.__context__
    if isinstance(error, _Panic):
        return "its configuration is not usable; the log says why"
    return str(error) or type(error).__name__
