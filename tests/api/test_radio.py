"""The verdict of a check, and the radios of another program."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Mapping
from dataclasses import replace
from types import SimpleNamespace
from typing import Any, cast

import pytest

from lrgpnode.api.radio import RadioMethods, Radios, Tally, verdict
from lrgpnode.control import models
from lrgpnode.control.methods import ControlError
from lrgpnode.mesh.radio.ears import Heard, Report, is_loud
from lrgpnode.mesh.radio.status import RadiosStatus, RadioStatus, of_stats
from storage.store import Store

QUIET = Report(airtime=0.0, load=0.0, rssi=-112, noise_floor=-115, interference=None)
RADIO = RadioStatus(name="LoRa", kind="RNodeInterface", state="online", heard=Heard())


@pytest.mark.parametrize(
    ("report", "loud"),
    [
        (QUIET, False),
        (replace(QUIET, rssi=-106), False),
        (replace(QUIET, rssi=-105), True),
        (replace(QUIET, load=0.1), True),
        (replace(QUIET, interference=-90), True),
        # What we send ourselves is load, too.
        (replace(QUIET, load=5.0, airtime=4.0), False),
        (replace(QUIET, interference=-90, airtime=4.0), True),
    ],
)
def test_a_transmission_that_is_not_ours(report: Report, loud: bool) -> None:
    assert is_loud(report) is loud


def test_what_is_heard_only_grows() -> None:
    heard = Heard().report(QUIET).report(replace(QUIET, interference=-90)).report(replace(QUIET, load=1.0))
    assert (heard.reports, heard.loud, heard.loudest) == (3, 2, -90)
    heard = heard.packet(-70, 9.5, 1000.0)
    assert (heard.packets, heard.rssi, heard.snr, heard.at, heard.loud) == (1, -70, 9.5, 1000.0, 2)


@pytest.mark.parametrize(
    ("online", "packets", "loud", "said"),
    [
        (True, 1, 9, "heard"),
        (True, 0, 2, "unreadable"),
        (True, 0, 1, "nothing"),
        (True, 0, 0, "nothing"),
        (False, 0, 3, "down"),
        (False, 1, 0, "heard"),
    ],
)
def test_the_verdict(online: bool, packets: int, loud: int, said: str) -> None:
    assert verdict(online=online, packets=packets, loud=loud) == said


def test_a_tally_counts_from_its_first_look() -> None:
    before = replace(RADIO, heard=Heard(reports=100, loud=7, loudest=-50, packets=3))
    tally = Tally(before)
    tally.add(before)
    assert (tally.result().verdict, tally.result().loudest) == ("nothing", None)
    tally.add(replace(RADIO, heard=Heard(reports=110, loud=10, loudest=-50, packets=3)))
    result = tally.result()
    assert (result.verdict, result.reports, result.loud) == ("unreadable", 10, 3)


STATS: dict[str, Any] = {
    "interfaces": [
        {
            "name": "RNodeInterface[LoRa]",
            "short_name": "LoRa",
            "type": "RNodeInterface",
            "status": True,
            "bitrate": 3125.0,
            "noise_floor": -112,
            "airtime_short": 0.0,
            "airtime_long": 0.4,
            "channel_load_short": 0.0,
            "channel_load_long": 2.5,
            "rxb": 100,
            "txb": 200,
            "battery_state": "charging",
            "battery_percent": 80,
        },
        {"name": "Shared Instance[37428]", "type": "LocalServerInterface", "status": True},
        "nonsense",
    ]
}


def test_radios_of_another_program() -> None:
    (radio,) = of_stats(STATS)
    assert (radio.name, radio.state, radio.load_long, radio.battery) == ("LoRa", "online", 2.5, 80)
    assert (radio.bytes_in, radio.bytes_out) == (100, 200)
    # What its RPC does not tell.
    assert radio.frequency is radio.port is radio.heard is radio.limit_long is None


@pytest.mark.parametrize("answer", [None, [], {}, {"interfaces": None}, b"x"])
def test_an_answer_that_is_none(answer: object) -> None:
    with pytest.raises(ValueError, match="not understood"):
        of_stats(answer)


def test_numbers_that_are_none() -> None:
    row = {
        "type": "RNodeInterface",
        "status": "yes",
        "noise_floor": "loud",
        "airtime_short": True,
        "rxb": None,
    }
    (radio,) = of_stats({"interfaces": [row]})
    assert (radio.name, radio.state, radio.noise_floor, radio.airtime_short) == ("?", "offline", None, None)


def test_through_another_program_looks_are_counted() -> None:
    (first,) = of_stats(STATS)
    tally = Tally(first)
    for more in ({"load_short": 3.0}, {"interference": -88}, {"load_short": 3.0, "airtime_short": 2.0}):
        tally.add(replace(first, **more))
    assert (tally.result().verdict, tally.loud, tally.loudest) == ("unreadable", 2, -88)
    tally.add(replace(first, bytes_in=150))
    assert tally.result().verdict == "heard"


class FakeRadios:
    """Radios that say what they are told to; a packet is one call of ``packet``."""

    def __init__(self, *radios: RadioStatus, problem: str = "") -> None:
        self.radios, self.problem = radios, problem
        self.visible = True
        self.listeners: list[Callable[[str], None]] = []
        self.listening = asyncio.Event()

    def look(self) -> RadiosStatus:
        return RadiosStatus(instance="own", radios=self.radios, problem=self.problem)

    def own(self) -> tuple[RadioStatus, ...]:
        return self.radios

    def listen(self, called: Callable[[str], None]) -> Callable[[], None]:
        self.listeners.append(called)
        self.listening.set()
        return lambda: self.listeners.remove(called)


def check(radios: FakeRadios, minutes: float, meanwhile: Callable[[], None]) -> Mapping[str, Any]:
    """Run a check to its event."""

    store = SimpleNamespace(book=SimpleNamespace(peers=lambda: ()))

    async def run() -> Mapping[str, Any]:
        told: asyncio.Future[tuple[str, Mapping[str, Any]]] = asyncio.get_running_loop().create_future()
        methods = RadioMethods(
            cast("Radios", radios),
            cast("Store", store),
            lambda type, fields: told.set_result((type, fields)),
            lambda: 0,
            lambda: 0,
        )
        handler = methods.handlers()["radio.check"]
        started = await handler(models.CheckParams(minutes=minutes))
        listening = asyncio.ensure_future(radios.listening.wait())
        await asyncio.wait({told, listening}, return_when=asyncio.FIRST_COMPLETED)
        listening.cancel()
        meanwhile()
        type, fields = await asyncio.wait_for(told, 20)
        assert (type, fields["check"]) == ("radio.checked", started.check)
        return fields

    return asyncio.run(run())


def test_a_check_ends_when_every_radio_has_heard_somebody() -> None:
    radios = FakeRadios(RADIO, replace(RADIO, name="Other"))

    def packets() -> None:
        for name in ("LoRa", "LoRa", "Other"):
            for listener in tuple(radios.listeners):
                listener(name)
        radios.radios = tuple(replace(one, heard=Heard(packets=1)) for one in radios.radios)

    fields = check(radios, 120, packets)
    assert [one.verdict for one in fields["radios"]] == ["heard", "heard"]
    assert radios.listeners == []


def test_a_check_that_hears_nothing_ends_with_its_time() -> None:
    radios = FakeRadios(RADIO)
    fields = check(radios, 0.01, lambda: None)
    assert [one.verdict for one in fields["radios"]] == ["nothing"]
    assert fields["seconds"] >= 0.6


def test_a_check_with_a_radio_that_is_down_does_not_wait() -> None:
    fields = check(FakeRadios(replace(RADIO, state="offline")), 120, lambda: None)
    assert [one.verdict for one in fields["radios"]] == ["down"]


def test_no_radio_and_none_visible() -> None:
    with pytest.raises(ControlError, match="no radio"):
        check(FakeRadios(), 1, lambda: None)
    with pytest.raises(ControlError, match="RPC authentication failed"):
        check(FakeRadios(problem="RPC authentication failed: x"), 1, lambda: None)
