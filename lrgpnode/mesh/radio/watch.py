"""Every radio of this process: how it is and why, told once when it changes, and helped up when it hangs.

What the driver does comes in from its threads (``driver.Told``). One thread of our own, which runs only
where there is a radio, looks at each when its last sign of life is old enough, asks the board, and closes
the port of one that has hung: then the driver opens it anew, as after it was unplugged.
"""

from __future__ import annotations

import logging
import re
import threading
import time
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any, Final

from lrgpnode.protocol.value import Value
from lrgpnode.rnode import troubles
from lrgpnode.rnode.troubles import Attempt, Diagnosis

from . import port
from .ears import Heard, Report
from .life import ASK_AFTER, Life, Step

_log = logging.getLogger("lrgpnode.radio")

_GRACE: Final = 6.0
"""Seconds in which the driver's reader has certainly seen that its port was closed."""

_STUCK: Final = 30.0
"""Seconds after which a driver that is neither up nor trying again has lost its thread."""

_HARDWARE: Final = re.compile(
    r"RNodeInterface\[(?P<name>.*)\] hardware (?P<what>initialisation error|TX error|error) "
    r"\(code (?P<code>\w+)\)(?P<harmless>: .*)?"
)
_WORDS: Final = {"initialisation error": "it could not start its radio chip", "TX error": "it could not send"}

_OF_THE_DRIVER: Final = re.compile(
    r"(Could not open serial port for interface|Could not detect device for|After configuring|The interface) "
    r"RNodeInterface\[|(TX power|Frequency|Bandwidth|Spreading factor|Radio state) mismatch|"
    r"Make sure that your hardware actually supports the parameters|Aborting RNode startup|"
    r"The firmware version of the connected RNode|This version of Reticulum requires at least version|"
    r"An error occurred while detaching RNodeInterface\["
)
"""Lines of which a sentence of ours says more."""

_OF_SERIAL: Final = (
    "A serial port error occurred, the contained exception was",
    "Reticulum will attempt to reconnect the interface periodically",
)
"""Begin lines that name no interface; those of a radio come when it has just gone."""

_JUST: Final = 10.0

_AGAIN: Final = "Error while reconnecting port"
"""Begins one that is, if it names the port of a radio."""


@dataclass(frozen=True, slots=True, kw_only=True, repr=False)
class RadioState(Value):
    """``up``: it can send and receive. ``trouble`` is why it is not; None while it is being brought up
    for the first time. ``since``: Unix seconds. ``reopened``: how often its port was closed to have it
    opened anew."""

    name: str
    up: bool
    since: float
    trouble: Diagnosis | None = None
    heard: Heard = field(default_factory=Heard)
    signed_at: float | None = None
    reopened: int = 0


class _Radio:
    """Guarded by the lock of the watch."""

    def __init__(self, interface: Any, now: float) -> None:
        self.interface = interface
        self.state = RadioState(name=str(interface.name), up=False, since=time.time())
        self.life = Life(now)
        self.sent = 0
        self.tried = now
        self.closed: float | None = None
        self.readers = 0


class RadioWatch:
    """Implements ``driver.Told``. ``changed`` is called from any thread with the new state of a radio."""

    def __init__(self, changed: Callable[[RadioState], None], clock: Callable[[], float] = time.monotonic):
        self._changed = changed
        self._clock = clock
        self._radios: dict[int, _Radio] = {}
        self._lock = threading.Lock()
        self._news = threading.Condition(self._lock)
        self._listeners: list[Callable[[str], None]] = []
        self._thread: threading.Thread | None = None
        self._ended = False

    # --- asked, from any thread

    def state(self, interface: Any) -> RadioState | None:
        with self._lock:
            radio = self._radios.get(id(interface))
            return None if radio is None else radio.state

    def interfaces(self) -> list[Any]:
        """The driver's objects."""
        with self._lock:
            return [radio.interface for radio in self._radios.values()]

    def listen(self, called: Callable[[str], None]) -> Callable[[], None]:
        """Have ``called`` called with the name of a radio at each packet; what ends that."""
        with self._lock:
            self._listeners.append(called)

        def end() -> None:
            with self._lock, suppress(ValueError):
                self._listeners.remove(called)

        return end

    def stop(self) -> None:
        with self._news:
            self._ended = True
            self._news.notify_all()

    # --- told by the driver, from its threads

    def attempt(self, interface: Any, attempt: Attempt) -> None:
        found = troubles.diagnose(attempt)
        with self._lock:
            radio = self._of(interface)
            radio.tried = self._clock()
            before = radio.state.trouble
            if before is not None and before.id in _EXPLAIN and found.id == troubles.SILENT.id:
                found = before
        self._set(interface, up=False, trouble=found)

    def up(self, interface: Any) -> None:
        now = self._clock()
        with self._news:
            radio = self._of(interface)
            radio.life, radio.sent, radio.closed = Life(now), interface.txb, None
            self._news.notify_all()
        self._set(interface, up=True, trouble=None)

    def lost(self, interface: Any) -> None:
        with self._lock:
            radio = self._of(interface)
            radio.tried = self._clock()
            if not radio.state.up:
                return
        gone = not port.is_remote(interface) and not Path(port.name(interface)).exists()
        self._set(interface, up=False, trouble=_fault(troubles.ABSENT if gone else troubles.LOST, interface))

    def reading(self, interface: Any, begins: bool) -> None:
        with self._lock:
            self._of(interface).readers += 1 if begins else -1

    def sign(self, interface: Any) -> None:
        with self._lock:
            radio = self._of(interface)
            radio.life.sign(self._clock())
            radio.state = replace(radio.state, signed_at=time.time())

    def switched_off(self, interface: Any) -> None:
        self._give_up(interface, troubles.SWITCHED_OFF)

    def report(self, interface: Any, report: Report) -> None:
        with self._lock:
            radio = self._of(interface)
            radio.life.sign(self._clock())
            heard = radio.state.heard.report(report)
            radio.state = replace(radio.state, signed_at=time.time(), heard=heard)

    def packet(self, interface: Any) -> None:
        with self._lock:
            radio = self._of(interface)
            radio.life.sign(self._clock())
            heard = radio.state.heard.packet(interface.r_stat_rssi, interface.r_stat_snr, time.time())
            radio.state = replace(radio.state, signed_at=time.time(), heard=heard)
            listeners = tuple(self._listeners)
        for listener in listeners:
            listener(radio.state.name)

    def line(self, text: str) -> bool:
        """A line of Reticulum's log, in the thread that writes them; whether it is worth no more."""
        match = _HARDWARE.fullmatch(text)
        if match is None:
            ours = text.startswith(_AGAIN) and any(port.name(one) in text for one in self.interfaces())
            return ours or _OF_THE_DRIVER.match(text) is not None or self._just_gone(text)
        reason = _WORDS.get(match["what"], f"error {match['code']}")
        named = [one for one in self.interfaces() if str(one.name) == match["name"]]
        if match["harmless"] is None:
            for interface in named:
                self._set(interface, up=False, trouble=_fault(troubles.HARDWARE, interface, reason=reason))
        return bool(named) and match["harmless"] is None

    # --- inside

    def _just_gone(self, text: str) -> bool:
        """Whether a line that names no interface is about a radio."""
        if not text.startswith(_OF_SERIAL):
            return False
        with self._lock:
            now = self._clock()
            return any(
                not radio.interface.online and (radio.state.up or now - radio.tried < _JUST)
                for radio in self._radios.values()
            )

    def _of(self, interface: Any) -> _Radio:
        """With the lock."""
        radio = self._radios.get(id(interface))
        if radio is None:
            radio = self._radios[id(interface)] = _Radio(interface, self._clock())
            if self._thread is None and not self._ended:
                self._thread = threading.Thread(target=self._run, name="radio-watch", daemon=True)
                self._thread.start()
        return radio

    def _set(self, interface: Any, *, up: bool, trouble: Diagnosis | None) -> None:
        with self._lock:
            radio = self._of(interface)
            before = radio.state
            since = before.since if before.up == up else time.time()
            radio.state = replace(before, up=up, trouble=trouble, since=since)
            told = radio.state
        if before.up == up and before.trouble == trouble:
            return
        if trouble is not None:
            _log.warning("%s %s", trouble.cause, trouble.fix)
        elif up:
            _log.info("the radio of %s is up", told.name)
        self._changed(told)

    def _give_up(self, interface: Any, trouble: troubles.Trouble) -> None:
        with self._lock:
            radio = self._of(interface)
            if radio.closed is not None:
                return
            radio.closed = self._clock()
            radio.state = replace(radio.state, reopened=radio.state.reopened + 1)
        self._set(interface, up=False, trouble=_fault(trouble, interface))
        port.close(interface)

    def _run(self) -> None:
        pause = ASK_AFTER
        while True:
            with self._news:
                self._news.wait(pause)
                if self._ended:
                    return
                radios = list(self._radios.values())
            pauses = [self._look(radio) for radio in radios]
            pause = max(0.1, min(pauses, default=ASK_AFTER))

    def _look(self, radio: _Radio) -> float:
        """See after one radio; in how many seconds to do so again."""
        interface, now = radio.interface, self._clock()
        if interface.detached:
            return ASK_AFTER
        if radio.closed is not None or not radio.state.up:
            self._revive(radio, now)
            return ASK_AFTER
        with self._lock:
            sent, radio.sent = interface.txb - radio.sent, interface.txb
            radio.life.handed(now, sent)
            look = radio.life.look(now, float(interface.bitrate))
        if look.step is Step.ASK:
            port.ask(interface)
        elif look.step is Step.GIVE_UP:
            self._give_up(interface, troubles.HUNG)
        return look.again

    def _revive(self, radio: _Radio, now: float) -> None:
        """Begin to open a port again where the driver's own thread for that has ended."""
        interface = radio.interface
        if radio.readers:
            return  # two would take each other's bytes
        left_up = radio.closed is not None and interface.online and now - radio.closed > _GRACE
        stuck = not interface.online and not interface.reconnecting and now - radio.tried > _STUCK
        if left_up or stuck:
            radio.closed, radio.tried = None, now
            interface.online = False
            threading.Thread(target=interface.reconnect_port, daemon=True).start()


def _fault(trouble: troubles.Trouble, interface: Any, **more: object) -> Diagnosis:
    return trouble(interface=interface.name, port=port.name(interface), **more)


_EXPLAIN: Final = frozenset({troubles.HUNG.id, troubles.HARDWARE.id, troubles.SWITCHED_OFF.id})
"""A board that is silent when its port is opened again after one of these: the story is still that."""
