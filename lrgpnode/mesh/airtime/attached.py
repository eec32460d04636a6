"""The radios of the node as they come and go: each with its budget, its law, and a meter in its door.

An RNode that is added while the node runs is metered from its first packet. Where there was one of that name
before, it goes on with what that has used.
"""

from __future__ import annotations

import hashlib
import logging
import re
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from threading import Lock
from typing import Any

import RNS

from lrgpnode.airtime import cost
from lrgpnode.airtime.budget import MICRO, Budget
from lrgpnode.airtime.law import Law, law
from lrgpnode.airtime.modem import Modem

from ..floor import Moment
from ..instance import interface_name
from .ledger import Ledger
from .meter import Meter, modem_of, note_packets
from .settings import AirtimeSettings

_log = logging.getLogger(__name__)


@dataclass(slots=True, eq=False)
class Radio:
    """``interface`` and ``meter`` are None where the radio is another program's."""

    name: str
    law: Law
    budget: Budget
    ledger: Ledger
    interface: Any = None
    meter: Meter | None = None
    fixed: Modem | None = None

    @property
    def modem(self) -> Modem | None:
        return self.fixed if self.interface is None else modem_of(self.interface)

    def hop(self, hops: int) -> cost.Hop | None:
        modem = self.modem
        if modem is None:
            return None
        guarded = getattr(self.interface, "ifac_identity", None) is not None
        extra = int(getattr(self.interface, "ifac_size", 0) or 0) if guarded else 0
        # From behind a shared instance every packet names its next hop until that takes it off again.
        return cost.Hop(modem, extra, far=hops != 1)


class Attached:
    """``all`` in the order in which they came. ``clock`` in seconds since the boot; ``released`` is told when
    airtime that was held for something has been given back."""

    def __init__(
        self,
        settings: AirtimeSettings,
        data: Path,
        moment: Callable[[], Moment],
        clock: Callable[[], float],
        released: Callable[[], None],
    ) -> None:
        self.all: tuple[Radio, ...] = ()
        self._settings = settings
        self._data = data
        self._moment = moment
        self._clock = clock
        self._released = released
        self._by_interface: dict[Any, Radio] = {}
        self._adding = Lock()

    def start(self) -> None:
        """Find those of this process's Reticulum, now and from now on."""
        add_interface = RNS.Transport.add_interface

        def added(interface: Any) -> None:
            # Before Reticulum knows of it, so that nothing passes it uncounted.
            self._found(interface)
            add_interface(interface)

        RNS.Transport.add_interface = staticmethod(added)
        for interface in list(RNS.Transport.interfaces):
            self._found(interface)

    def start_shared(self, name: str, modem: Modem) -> None:
        """The one of another program, with its settings as they were told to the node."""
        settings = self._settings
        rule = law(settings.frequency, modem.bandwidth, region_name=settings.region, percent=settings.percent)
        self.all = (self._made(name, rule, fixed=modem),)

    def of(self, interface: Any) -> Radio | None:
        return self._by_interface.get(interface)

    def stop(self) -> None:
        """Write down what was used."""
        for radio in self.all:
            radio.ledger.save(radio.budget.record())

    def _found(self, interface: Any) -> None:
        """An interface, from any thread."""
        with self._adding:
            if not _is_radio(interface) or interface in self._by_interface:
                return
            if not self.all:
                note_packets()
            rule = self._law_of(interface)
            before = next((one for one in self.all if one.name == interface_name(interface)), None)
            if before is None or before.meter is None:
                self._add(interface, rule)
            elif before.law == rule:
                before.interface = interface
                before.meter.attach(interface)
                self._by_interface[interface] = before
            else:
                # Another frequency: what was used counts, and the new limit.
                before.ledger.save(before.budget.record())
                self.all = tuple(one for one in self.all if one is not before)
                self._add(interface, rule)

    def _law_of(self, interface: Any) -> Law:
        settings = self._settings
        modem = modem_of(interface)
        frequency = getattr(interface, "frequency", None)
        return law(
            int(frequency) if frequency else None,
            modem.bandwidth if modem else None,
            region_name=settings.region,
            percent=settings.percent,
            board_percent=float(getattr(interface, "lt_alock", None) or 0.0),
        )

    def _add(self, interface: Any, rule: Law) -> None:
        radio = self._made(interface_name(interface), rule, interface=interface)
        radio.meter = Meter(radio.budget, lambda: radio.modem, _is_own)
        radio.meter.attach(interface)
        self._by_interface[interface] = radio
        self.all += (radio,)

    def _made(self, name: str, rule: Law, *, interface: Any = None, fixed: Modem | None = None) -> Radio:
        if rule.problem:
            _log.warning("airtime of %s: %s", name, rule.problem)
        limits = self._settings.limits(rule.seconds)
        ledger = Ledger(self._data / f"airtime-{_file_name(name)}.json", self._moment)
        budget = Budget(limits, self._clock, cover=ledger.save, released=self._released)
        ledger.resume(budget, int((limits.seconds or 0.0) * MICRO))
        return Radio(name, rule, budget, ledger, interface=interface, fixed=fixed)


def _is_radio(interface: Any) -> bool:
    kind = type(interface).__name__
    return kind.startswith("RNode") and kind != "RNodeMultiInterface"


def _is_own(hashed: bytes) -> bool:
    return hashed in RNS.Transport.destinations_map


def _file_name(name: str) -> str:
    """Another for each name, as far as may be the name itself."""
    readable = re.sub(r"[^A-Za-z0-9]+", "-", name).strip("-")[:48]
    if readable and readable == name:
        return name
    return f"{readable or 'radio'}-{hashlib.sha256(name.encode()).hexdigest()[:8]}"
