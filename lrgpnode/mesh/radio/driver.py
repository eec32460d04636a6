"""Reticulum's RNode driver, watched: it tells nobody how a radio is, so its methods are wrapped.

The driver itself does what it always does, with three exceptions. A radio of the configuration is brought
up in a thread of its own, so that several dead ones do not make the node wait for each in turn. What it
knows of a board is forgotten before each attempt, since another may have been plugged in. And a bitrate
of 0, which it has until a board has answered and which Reticulum divides by, reads as what the
parameters of the section make.
"""

from __future__ import annotations

import logging
import threading
import time
from collections.abc import Callable
from importlib.util import find_spec
from typing import Any, Final, Protocol

from RNS.Interfaces.RNodeInterface import KISS, RNodeInterface

from lrgpnode.airtime.modem import Modem
from lrgpnode.rnode.troubles import Attempt, Settings

from . import port
from .ears import Report

_log = logging.getLogger("lrgpnode.radio")


class Told(Protocol):
    """Is told from threads of Reticulum, and must return at once."""

    def attempt(self, interface: Any, attempt: Attempt) -> None:
        """The radio could not be brought up."""

    def up(self, interface: Any) -> None: ...
    def lost(self, interface: Any) -> None:
        """The driver has given up the port and will open it again."""

    def reading(self, interface: Any, begins: bool) -> None:
        """A thread of the driver begins to read from the board, or has ended."""

    def sign(self, interface: Any) -> None:
        """The board has said something."""

    def switched_off(self, interface: Any) -> None:
        """The board says that its radio is off, which should be on."""

    def report(self, interface: Any, report: Report) -> None: ...
    def packet(self, interface: Any) -> None:
        """A packet was received; the driver's attributes have its RSSI and SNR."""


class _Unopened:
    """Stands in for the port until the radio's own thread opens it."""

    is_open: Final = True

    def close(self) -> None:
        """There is nothing to close."""


def watch(told: Told) -> Driver:
    """Wrap the driver's class. Before the first radio is made."""
    driver = Driver(told)
    _wrap_opening(driver)
    _wrap_life(told)
    _wrap_attributes(told)
    return driver


class Driver:
    """Brings radios up: those that are made ``apart`` each in a thread of its own."""

    def __init__(self, told: Told) -> None:
        self.told = told
        self._apart = threading.local()
        self._starting: list[threading.Thread] = []

    def make_apart(self, make: Callable[[], None]) -> None:
        """Call ``make``, which makes a radio's interface; the radio is brought up meanwhile."""
        self._apart.on = True
        try:
            make()
        finally:
            self._apart.on = False

    def wait(self, seconds: float) -> None:
        """Until every radio made apart is up or has failed once; no longer than ``seconds``."""
        until = time.monotonic() + seconds
        for thread in self._starting:
            thread.join(max(0.0, until - time.monotonic()))

    @property
    def is_apart(self) -> bool:
        return bool(getattr(self._apart, "on", False))

    def start(self, interface: Any) -> None:
        name = f"radio-{interface.name}"
        thread = threading.Thread(target=_bring_up, args=(interface,), name=name, daemon=True)
        self._starting.append(thread)
        thread.start()


def _bring_up(interface: Any) -> None:
    """As the driver's constructor does it."""
    try:
        interface.open_port()
        if interface.serial.is_open:
            interface.configure_device()
        else:
            raise OSError("Could not open serial port")
    except Exception:  # noqa: BLE001 - as the driver; the wrappers have told of it
        if not interface.detached and not interface.reconnecting:
            threading.Thread(target=interface.reconnect_port, daemon=True).start()


def _wrap_opening(driver: Driver) -> None:
    open_port, configure = RNodeInterface.open_port, RNodeInterface.configure_device
    told = driver.told

    def opening(interface: Any) -> None:
        if driver.is_apart:
            interface.serial = _Unopened()
            return
        try:
            open_port(interface)
        except Exception as error:
            told.attempt(interface, _attempt(interface, opened=False, error=error))
            raise
        if not interface.serial.is_open:
            told.attempt(interface, _attempt(interface, opened=False, error=None))

    def configuring(interface: Any) -> None:
        if isinstance(interface.serial, _Unopened):
            driver.start(interface)
            return
        interface.maj_version, interface.min_version, interface.firmware_ok = 0, 0, False
        failed: Exception | None = None
        try:
            configure(interface)
        except Exception as error:
            failed = error
            raise
        finally:
            if interface.online:
                told.up(interface)
            else:
                told.attempt(interface, _attempt(interface, opened=True, error=failed))

    RNodeInterface.open_port, RNodeInterface.configure_device = opening, configuring


def _wrap_life(told: Told) -> None:
    reconnect, incoming = RNodeInterface.reconnect_port, RNodeInterface.process_incoming
    detach, read_loop = RNodeInterface.detach, RNodeInterface.readLoop

    def reading(interface: Any) -> None:
        told.reading(interface, True)
        try:
            read_loop(interface)
        finally:
            told.reading(interface, False)

    def reconnecting(interface: Any) -> None:
        told.lost(interface)
        reconnect(interface)

    def received(interface: Any, data: bytes) -> None:
        if data:
            told.packet(interface)
        incoming(interface, data)

    def detaching(interface: Any) -> None:
        try:
            detach(interface)
        except Exception as error:  # noqa: BLE001 - of a radio that never came up nothing can be closed
            _log.debug("the radio of %s was left as it was: %r", interface.name, error)

    RNodeInterface.reconnect_port, RNodeInterface.process_incoming = reconnecting, received
    RNodeInterface.detach, RNodeInterface.readLoop = detaching, reading


def _wrap_attributes(told: Told) -> None:
    """What the driver's reader does with a board's words is to set attributes."""

    def detected(interface: Any, value: Any) -> None:
        if value:
            told.sign(interface)

    def state(interface: Any, value: Any) -> None:
        wanted = interface.__dict__.get("state")
        if value is not None:
            told.sign(interface)
        if value == KISS.RADIO_STATE_OFF and wanted == KISS.RADIO_STATE_ON and interface.online:
            told.switched_off(interface)

    def interference(interface: Any, value: Any) -> None:
        # The last attribute of a statistics report.
        if interface.__dict__.get("r_current_rssi") is not None:
            told.report(interface, _report(interface, value))

    for name, changed in {
        "detected": detected,
        "r_state": state,
        "r_interference": interference,
    }.items():
        setattr(RNodeInterface, name, _Attribute(name, changed))
    RNodeInterface.bitrate = _Bitrate()


class _Attribute:
    """An attribute of every instance that tells when it is set."""

    def __init__(self, name: str, changed: Callable[[Any, Any], None]) -> None:
        self._name = name
        self._changed = changed

    def __get__(self, instance: Any, owner: type | None = None) -> Any:
        if instance is None:
            return self
        try:
            return instance.__dict__[self._name]
        except KeyError:
            raise AttributeError(self._name) from None

    def __set__(self, instance: Any, value: Any) -> None:
        instance.__dict__[self._name] = value
        self._changed(instance, value)


class _Bitrate:
    """Never 0 where the parameters are known."""

    def __get__(self, instance: Any, owner: type | None = None) -> Any:
        if instance is None:
            return self
        return instance.__dict__.get("bitrate") or nominal_bitrate(instance)

    def __set__(self, instance: Any, value: Any) -> None:
        instance.__dict__["bitrate"] = value


def nominal_bitrate(interface: Any) -> float:
    """Bits a second by the parameters of the section; 0 where they are none."""
    try:
        return Modem(interface.bandwidth, interface.sf, interface.cr).bitrate
    except (AttributeError, ValueError, TypeError):
        return 0.0


def _attempt(interface: Any, *, opened: bool, error: BaseException | None) -> Attempt:
    return Attempt(
        interface=str(interface.name),
        port=port.name(interface),
        remote=port.is_remote(interface),
        opened=opened,
        detected=bool(interface.detected),
        firmware=(interface.maj_version, interface.min_version),
        asked=Settings(
            frequency=interface.frequency,
            bandwidth=interface.bandwidth,
            spreading_factor=interface.sf,
            tx_power=interface.txpower,
        ),
        answered=Settings(
            frequency=interface.r_frequency,
            bandwidth=interface.r_bandwidth,
            spreading_factor=interface.r_sf,
            tx_power=interface.r_txpower,
        ),
        error=_missing(interface) or error,
    )


def _missing(interface: Any) -> ModuleNotFoundError | None:
    """For Bluetooth the driver needs a package that Reticulum does not bring along."""
    if interface.use_ble and find_spec("bleak") is None:
        return ModuleNotFoundError(name="bleak")
    return None


def _report(interface: Any, interference: int | None) -> Report:
    return Report(
        airtime=interface.r_airtime_short,
        load=interface.r_channel_load_short,
        rssi=interface.r_current_rssi,
        noise_floor=interface.r_noise_floor,
        interference=interference,
    )
