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
from typing import Any

import RNS
from RNS.Interfaces import TCPInterface

_log = logging.getLogger(__name__)


class MeshError(Exception):
    """Reticulum could not be started, and why, in one sentence for a person."""


class _Panic(Exception):
    """Raised where Reticulum would end the process."""


@dataclass(frozen=True, slots=True)
class InterfaceStatus:
    """``error`` is set for an interface of the configuration that could not be brought up."""

    name: str
    kind: str
    online: bool
    error: str = ""


class Instance:
    """The running Reticulum. ``failed`` holds the interfaces that could not be created, and why."""

    def __init__(self, config_dir: Path | None, log: Callable[[str], None], level: int) -> None:
        self.failed: dict[str, str] = {}
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

    def interfaces(self) -> tuple[InterfaceStatus, ...]:
        up = tuple(
            InterfaceStatus(interface_name(item), type(item).__name__, bool(item.online))
            for item in list(RNS.Transport.interfaces)
        )
        return up + tuple(InterfaceStatus(name, "", False, error) for name, error in self.failed.items())

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
            try:
                original(reticulum, config, name, *args, **kwargs)
            except Exception as error:  # noqa: BLE001 - interfaces raise anything, even KeyError
                self.failed[name] = _cause(error)
                _log.error("interface %s is left out: %s", name, self.failed[name])

        RNS.Reticulum._synthesize_interface = synthesize


@contextmanager
def quiet_signals() -> Iterator[None]:
    """Keep Reticulum and LXMF from installing signal handlers: theirs end the process at once."""
    original = signal.signal
    signal.signal = lambda *_: None
    try:
        yield
    finally:
        signal.signal = original


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
