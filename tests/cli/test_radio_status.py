"""`lrgpnode radio status` and `radio check` in words."""

from __future__ import annotations

import time
from typing import Any

import msgspec
import pytest

from lrgpnode.cli.context import Context
from lrgpnode.cli.radio import check as checking
from lrgpnode.cli.radio.status import lines
from lrgpnode.control import models
from tests.cli.conftest import Run
from tests.cli.fakes import FakeNode

NOW = 10_000.0
TROUBLE = models.TroubleInfo(id="radio-hung", cause="It does not answer.", fix="Press reset.")
HEARD = models.HeardInfo(packets=3, rssi=-97, snr=6.25, at=NOW - 3, reports=10)
RADIO = models.RadioInfo(
    name="LoRa",
    kind="RNodeInterface",
    state="online",
    port="/dev/ttyACM0",
    since=NOW - 7200,
    frequency=867_200_000,
    bandwidth=125_000,
    spreading_factor=8,
    coding_rate=5,
    tx_power=14,
    bitrate=3125.0,
    heard=HEARD,
    noise_floor=-112,
    rssi_now=-111,
    airtime_short=0.0,
    airtime_long=0.31,
    load_short=1.2,
    load_long=2.84,
    limit_long=1.0,
    queue=0,
    reopened=2,
    errors=("Memory exhausted",),
)
BUDGET = models.RadioAirtime(
    name="LoRa",
    metered=True,
    law="EU868, 1 %",
    limit=36.0,
    used=11.2,
    held=1.5,
    left=21.8,
    purposes=(models.AirtimeUse(purpose="moves", seconds=6.1, most=18.0),),
    games=(models.AirtimeOfGame(app="chess", seconds=4.0),),
)


def shown(*radios: models.RadioInfo, budget: models.RadioAirtime | None = BUDGET, **more: Any) -> str:
    status = models.RadioStatus(**{"instance": "own", "radios": radios, "unsent": 2, "waiting": 1, **more})
    airtime = models.Airtime(radios=(budget,) if budget else (), waiting=1, next_at=NOW + 90)
    return "\n".join(lines(msgspec.to_builtins(status), msgspec.to_builtins(airtime), NOW))


def test_a_radio_that_is_online() -> None:
    text = shown(RADIO)
    for line in (
        "LoRa: online for 2 h",
        "  parameters     867.2 MHz, 125 kHz, SF8, CR 4/5, 14 dBm, 3125 bit/s",
        "  heard          3 packets, the last 3 s ago, RSSI -97 dBm, SNR 6.25 dB",
        "  noise floor    -112 dBm, now -111 dBm",
        "  airtime        0.00 % of the last 15 s, 0.31 % of the hour",
        "  channel load   1.20 % of the last 8 s, 2.84 % of the hour",
        "  limiter        1 % of the hour, kept by the firmware",
        "  queue          empty",
        "  hung           2 times; its port was opened anew",
        "  hardware       Memory exhausted",
        "  budget         11.2 s used, 1.5 s held for what is under way, 21.8 s left of 36.0 s an hour "
        "(EU868, 1 %)",
        "                 moves 6.1 s of 18.0 s",
        "  games          chess 4.0 s",
        "  of this node   2 envelopes on the way, 1 message with Reticulum",
        "  held back      1 action waiting for airtime, the first for 1 min",
    ):
        assert line in text.splitlines(), line


def test_one_that_is_not_says_why() -> None:
    off = msgspec.structs.replace(RADIO, state="offline", trouble=TROUBLE, heard=None, noise_floor=None)
    text = shown(off)
    assert "LoRa: offline for 2 h\n  It does not answer.\n  Press reset." in text
    assert "nothing yet" in text
    assert "statistics" not in text
    failed = msgspec.structs.replace(off, state="failed")
    assert "parameters" not in shown(failed)


def test_a_board_without_statistics() -> None:
    assert "none: this board does not report any" in shown(msgspec.structs.replace(RADIO, noise_floor=None))


def test_the_radio_of_another_program() -> None:
    part = models.RadioInfo(
        name="LoRa", kind="RNodeInterface", state="online", noise_floor=-112, load_short=1.0, load_long=2.0
    )
    text = shown(part, budget=None, instance="client")
    assert "belong to the program whose Reticulum the node uses" in text
    for name in ("port", "parameters", "heard", "limiter", "queue"):
        assert f"  {name:<14} not visible here" in text
    problem = shown(budget=None, instance="client", problem="RPC authentication failed: x")
    assert "Problem: RPC authentication failed: x." in problem


def test_no_radio_at_all() -> None:
    assert "`lrgpnode radio setup`" in shown(budget=None)


def test_names_cannot_do_anything_to_a_terminal() -> None:
    assert "\x1b" not in shown(msgspec.structs.replace(RADIO, name="\x1b[2J", port="\x1b[2J"))


def checked(verdict: Any, **more: Any) -> dict[str, Any]:
    radio = more.pop("radio", RADIO)
    fields = {"packets": 0, "reports": 60, "loud": 0} | more
    result = models.CheckedRadio(radio=radio, verdict=verdict, **fields)
    event = models.RadioChecked(check=1, seconds=60.0, radios=(result,))
    said: dict[str, Any] = msgspec.to_builtins(event)
    return said


@pytest.mark.parametrize(
    ("event", "words"),
    [
        (checked("heard", packets=3), ["LoRa: somebody is there.", "-97 dBm and an SNR of 6.25 dB"]),
        (
            checked("unreadable", loud=4, loudest=-88),
            ["4 of 60 reports, up to -88 dBm", "867.2 MHz, 125 kHz, SF8", "lrgpnode radio show"],
        ),
        (checked("nothing"), ["nothing was heard in 1 min", "the antenna", "lrgpnode radio show"]),
        (checked("nothing", reports=0), ["reports no statistics"]),
        (
            checked("down", radio=msgspec.structs.replace(RADIO, state="offline", trouble=TROUBLE)),
            ["the radio is offline", "It does not answer. Press reset."],
        ),
    ],
)
def test_what_a_check_found(event: dict[str, Any], words: list[str]) -> None:
    text = "\n".join(checking.lines(Context(), event))
    for word in words:
        assert word in text


@pytest.mark.parametrize(("verdict", "code"), [("heard", 0), ("nothing", 1)])
def test_the_command_waits_for_its_own_event(node: FakeNode, run: Run, verdict: str, code: int) -> None:
    def started(params: models.CheckParams) -> models.CheckStarted:
        assert params.minutes == 0.5
        for number in (6, 7):
            node.events.publish(
                "radio.checked", msgspec.convert(checked(verdict) | {"check": number}, models.RadioChecked)
            )
        return models.CheckStarted(check=7, until=time.time(), radios=(RADIO,))

    node.answers["radio.check"] = started
    ran = run("radio", "check", "--minutes", "0.5")
    assert ran.code == code
    assert "Listening with LoRa for 0.5 minutes" in ran.err
    assert ran.out.startswith("LoRa: ")
