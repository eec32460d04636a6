"""``radio.status`` and ``radio.check``: how the radios are, and listening with them for a while."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Callable, Mapping
from dataclasses import asdict
from typing import TYPE_CHECKING, Any, Final, Literal, Protocol

from lrgpnode.control import models
from lrgpnode.control.methods import ControlError
from lrgpnode.rnode.troubles import Diagnosis
from storage.store import Store

if TYPE_CHECKING:
    from lrgpnode.mesh.radio.status import RadiosStatus, RadioStatus

CHECKS: Final = 4
"""How many may listen at the same time."""

LOOK_SECONDS: Final = 5.0
"""Between two looks at the radios of another program, which has no events."""

LOUD: Final = 2
"""Reports of transmissions that are more than chance; one may be a click of the neighbour's fridge."""

Verdict = Literal["heard", "unreadable", "nothing", "down"]


class Radios(Protocol):
    """See ``lrgpnode.mesh.radio.status``."""

    @property
    def visible(self) -> bool: ...
    def look(self) -> RadiosStatus: ...
    def own(self) -> tuple[RadioStatus, ...]: ...
    def listen(self, called: Callable[[str], None]) -> Callable[[], None]: ...


class RadioMethods:
    """``publish`` is for the event at the end of a check; ``waiting``: messages given to the mesh."""

    def __init__(
        self,
        radios: Radios,
        store: Store,
        publish: Callable[[str, Mapping[str, Any]], None],
        waiting: Callable[[], int],
        unsent: Callable[[], int],
    ) -> None:
        self._radios = radios
        self._store = store
        self._publish = publish
        self._waiting = waiting
        self._unsent = unsent
        self._checks: set[asyncio.Task[None]] = set()
        self._number = 0

    def handlers(self) -> dict[str, Callable[[Any], Any]]:
        return {"radio.status": self._status, "radio.check": self._check}

    async def _status(self, _: models.Nothing) -> models.RadioStatus:
        found = await self._look()
        last = found.last
        return models.RadioStatus(
            instance=_instance(found.instance),
            radios=tuple(map(info, found.radios)),
            problem=found.problem,
            last=models.LastPacketInfo(rssi=last.rssi, snr=last.snr, at=last.at) if last else None,
            waiting=self._waiting(),
            unsent=self._unsent(),
        )

    async def _look(self) -> RadiosStatus:
        return await asyncio.to_thread(self._radios.look)

    async def _check(self, params: models.CheckParams) -> models.CheckStarted:
        if len(self._checks) >= CHECKS:
            raise ControlError("busy", f"{CHECKS} checks of the radios are under way.", "Wait for their end.")
        before = await self._look()
        if before.problem:
            raise ControlError("not_visible", f"{before.problem[0].upper()}{before.problem[1:]}.")
        if not before.radios:
            raise ControlError(
                "no_radio",
                "Reticulum has no radio here.",
                "`lrgpnode radio setup` writes one into its configuration.",
            )
        self._number += 1
        seconds = params.minutes * 60.0
        task = asyncio.create_task(self._listen(self._number, before, seconds))
        self._checks.add(task)
        task.add_done_callback(self._checks.discard)
        return models.CheckStarted(
            check=self._number, until=time.time() + seconds, radios=tuple(map(info, before.radios))
        )

    async def _listen(self, number: int, before: RadiosStatus, seconds: float) -> None:
        began, start = time.time(), time.monotonic()
        tallies = {one.name: Tally(one) for one in before.radios}
        if self._radios.visible:
            await self._wait_for_packets(
                {one.name for one in before.radios if one.state == "online"}, seconds
            )
            problem = self._tally(await self._look(), tallies)
        else:
            problem = await self._look_on(tallies, start + seconds)
        peers = (peer.peer for peer in self._store.book.peers() if (peer.heard_at or 0.0) >= began)
        self._publish(
            "radio.checked",
            {
                "check": number,
                "seconds": round(time.monotonic() - start, 1),
                "radios": tuple(tally.result() for tally in tallies.values()),
                "problem": problem,
                "peers": tuple(peers),
            },
        )

    async def _wait_for_packets(self, silent: set[str], seconds: float) -> None:
        """Until each radio has heard a packet, or the time is over."""
        if not silent:
            return  # none is up: there is nothing to wait for
        loop, every = asyncio.get_running_loop(), asyncio.Event()

        def heard(name: str) -> None:
            silent.discard(name)
            if not silent:
                every.set()

        end = self._radios.listen(lambda name: _post(loop, heard, name))
        try:
            async with asyncio.timeout(seconds):
                await every.wait()
        except TimeoutError:
            return
        finally:
            end()

    async def _look_on(self, tallies: dict[str, Tally], until: float) -> str:
        problem = ""
        while (left := until - time.monotonic()) > 0 and not all(tally.packets for tally in tallies.values()):
            await asyncio.sleep(min(LOOK_SECONDS, left))
            problem = self._tally(await self._look(), tallies)
        return problem

    @staticmethod
    def _tally(found: RadiosStatus, tallies: dict[str, Tally]) -> str:
        for one in found.radios:
            if one.name in tallies:
                tallies[one.name].add(one)
        return found.problem


class Tally:
    """What one radio has heard since the first look at it."""

    def __init__(self, first: RadioStatus) -> None:
        self._last = first
        self.packets = self.reports = self.loud = 0
        self.loudest: int | None = None

    def add(self, now: RadioStatus) -> None:
        """One more look."""
        before, self._last = self._last, now
        if before.heard is not None and now.heard is not None:
            self.packets += now.heard.packets - before.heard.packets
            self.reports += now.heard.reports - before.heard.reports
            self.loud += now.heard.loud - before.heard.loud
            if now.heard.loud > before.heard.loud:
                self.loudest = now.heard.loudest
            return
        self.packets += now.bytes_in > before.bytes_in
        self.reports += now.load_short is not None
        if now.interference is not None or (now.load_short and not now.airtime_short):
            self.loud += 1
            levels = [level for level in (self.loudest, now.interference) if level is not None]
            self.loudest = max(levels, default=None)

    def result(self) -> models.CheckedRadio:
        return models.CheckedRadio(
            radio=info(self._last),
            verdict=verdict(online=self._last.state == "online", packets=self.packets, loud=self.loud),
            packets=self.packets,
            reports=self.reports,
            loud=self.loud,
            loudest=self.loudest,
        )


def verdict(*, online: bool, packets: int, loud: int) -> Verdict:
    """What to say of a radio that heard this."""
    if packets:
        return "heard"
    if not online:
        return "down"
    return "unreadable" if loud >= LOUD else "nothing"


def info(radio: RadioStatus) -> models.RadioInfo:
    """A radio as it goes over the socket."""
    heard = radio.heard
    rest = {
        name: getattr(radio, name)
        for name in models.RadioInfo.__struct_fields__
        if name not in ("trouble", "heard")
    }
    return models.RadioInfo(
        **rest,
        trouble=trouble_info(radio.trouble),
        heard=models.HeardInfo(**asdict(heard)) if heard is not None else None,
    )


def trouble_info(trouble: Diagnosis | None) -> models.TroubleInfo | None:
    if trouble is None:
        return None
    return models.TroubleInfo(id=trouble.id, cause=trouble.cause, fix=trouble.fix)


def _instance(kind: str) -> Literal["own", "shared", "client"]:
    return "client" if kind == "client" else "shared" if kind == "shared" else "own"


def _post(loop: asyncio.AbstractEventLoop, call: Callable[[str], None], name: str) -> None:
    """From a thread of Reticulum; a loop that has been closed listens no more."""
    if not loop.is_closed():
        loop.call_soon_threadsafe(call, name)
