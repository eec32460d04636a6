"""``lrgpnode radio status``: each radio on one screen."""

from __future__ import annotations

import time
from collections.abc import Iterator, Mapping
from typing import Any, Final

import click

from lrgpnode.cli.context import Context, json_option, pass_context, say_json, write
from lrgpnode.cli.text import age, clean, counted

Json = Mapping[str, Any]

HIDDEN: Final = "not visible here"


@click.command()
@json_option
@pass_context
def status(context: Context, as_json: bool) -> None:
    """Show how the radios are.

    Online or why not, parameters, what was heard last, airtime and channel load, queues. Of the radios of
    another program, whose Reticulum the node shares, only a part is visible.
    """
    result = context.call("radio.status")
    airtime = context.call("radio.airtime")
    if as_json:
        say_json({**result, "airtime": airtime})
        return
    for line in lines(result, airtime, time.time()):
        write(line)


def lines(result: Json, airtime: Json, now: float) -> Iterator[str]:
    """The whole screen."""
    budgets = {budget["name"]: budget for budget in airtime["radios"]}
    shared = result["instance"] == "client"
    if shared:
        yield "These radios belong to the program whose Reticulum the node uses; not all is visible here."
    if result.get("problem"):
        yield f"Problem: {clean(result['problem'], 400)}."
    elif not result["radios"]:
        yield "Reticulum has no radio here; `lrgpnode radio setup` writes one into its configuration."
    for radio in result["radios"]:
        yield from _radio(radio, now, shared=shared)
        budget = budgets.pop(radio["name"], None)
        if budget and radio["state"] != "failed":
            yield from _budget(budget)
    for budget in budgets.values():
        yield f"{clean(budget['name'])}:"
        yield from _budget(budget)
    if shared and airtime.get("why"):
        yield clean(airtime["why"], 400)
    last = result.get("last")
    if last:
        yield _row("for this node", f"{_signal(last)}, {age(now - last['at'])} ago")
    if result["radios"]:
        on_their_way = f"{counted(result['unsent'], 'envelope')} on the way"
        yield _row("of this node", f"{on_their_way}, {counted(result['waiting'], 'message')} with Reticulum")
    if airtime.get("waiting"):
        next_at = airtime.get("next_at")
        until = f", the first for {age(next_at - now)}" if next_at is not None else ""
        yield _row("held back", f"{counted(airtime['waiting'], 'action')} waiting for airtime{until}")


def _radio(radio: Json, now: float, *, shared: bool) -> Iterator[str]:
    state = radio["state"]
    since = radio.get("since")
    known = f" for {age(now - since)}" if since is not None and state != "failed" else ""
    yield f"{clean(radio['name'])}: {state}{known}"
    trouble = radio.get("trouble")
    if trouble:
        yield f"  {clean(trouble['cause'], 400)}"
        yield f"  {clean(trouble['fix'], 400)}"
    if state == "failed":
        return
    yield _row("port", clean(radio["port"]) if radio.get("port") else HIDDEN)
    yield _row("parameters", parameters(radio) or HIDDEN)
    yield _row("heard", _heard(radio, now, shared=shared))
    if shared or radio.get("noise_floor") is not None:
        yield _row("noise floor", _level(radio.get("noise_floor"), radio.get("rssi_now")))
        yield _row("airtime", _shares(radio, "airtime", "15 s"))
        yield _row("channel load", _shares(radio, "load", "8 s"))
    elif state == "online":
        yield _row("statistics", "none: this board does not report any")
    yield _row("limiter", HIDDEN if shared else _limiter(radio))
    yield _row("queue", _queue(radio))
    yield _row("bytes", f"{radio.get('bytes_in', 0)} in, {radio.get('bytes_out', 0)} out")
    yield from _board(radio, now)


def _budget(budget: Json) -> Iterator[str]:
    """What the node itself keeps to, in the last hour."""
    used = f"{budget['used']:.1f} s used" + ("" if budget["metered"] else " by this node")
    limit, left = budget.get("limit"), budget.get("left")
    if limit is None or left is None:
        yield _row("budget", f"{used} of the hour; no limit: {clean(budget['law'], 200)}")
    else:
        held = f", {budget['held']:.1f} s held for what is under way" if budget["held"] else ""
        kept = f"{limit:.1f} s an hour ({clean(budget['law'], 200)})"
        yield _row("budget", f"{used}{held}, {left:.1f} s left of {kept}")
    for use in budget.get("purposes", ()):
        if use["seconds"] >= 0.05:
            most = "" if use.get("most") is None else f" of {use['most']:.1f} s"
            yield _row("", f"{clean(use['purpose'], 32)} {use['seconds']:.1f} s{most}")
    games = [f"{clean(one['app'], 64)} {one['seconds']:.1f} s" for one in budget.get("games", ())]
    if games:
        yield _row("games", ", ".join(games))
    if budget.get("problem"):
        yield _row("problem", clean(budget["problem"], 400))


def _board(radio: Json, now: float) -> Iterator[str]:
    if radio.get("firmware"):
        yield _row("firmware", clean(radio["firmware"]))
    if radio.get("battery") is not None:
        yield _row("battery", f"{radio['battery']} %, {clean(radio.get('battery_state') or '?')}")
    if radio.get("temperature") is not None:
        yield _row("temperature", f"{radio['temperature']} °C")
    if radio.get("signed_at") is not None:
        yield _row("sign of life", f"{age(now - radio['signed_at'])} ago")
    if radio.get("reopened"):
        yield _row("hung", f"{radio['reopened']} times; its port was opened anew")
    for error in radio.get("errors", ()):
        yield _row("hardware", clean(error, 200))


def parameters(radio: Json) -> str:
    """Frequency, bandwidth, factor, rate and power in a line; empty where they are not known."""
    if radio.get("frequency") is None:
        return ""
    power = "" if radio.get("tx_power") is None else f", {radio['tx_power']} dBm"
    speed = f", {radio['bitrate']:.0f} bit/s" if radio.get("bitrate") else ""
    return (
        f"{radio['frequency'] / 1e6:.6g} MHz, {radio['bandwidth'] / 1000:g} kHz, "
        f"SF{radio['spreading_factor']}, CR 4/{radio['coding_rate']}{power}{speed}"
    )


def _heard(radio: Json, now: float, *, shared: bool) -> str:
    heard = radio.get("heard")
    if heard is None:
        return HIDDEN if shared else "nothing yet"
    if heard.get("at") is None:
        return "nothing yet"
    return f"{counted(heard['packets'], 'packet')}, the last {age(now - heard['at'])} ago, {_signal(heard)}"


def _signal(heard: Json) -> str:
    rssi = "?" if heard.get("rssi") is None else f"{heard['rssi']:g}"
    snr = "?" if heard.get("snr") is None else f"{heard['snr']:g}"
    return f"RSSI {rssi} dBm, SNR {snr} dB"


def _level(floor: int | None, now: int | None) -> str:
    if floor is None:
        return "not reported"
    return f"{floor} dBm" + ("" if now is None else f", now {now} dBm")


def _shares(radio: Json, name: str, window: str) -> str:
    short, long = radio.get(f"{name}_short"), radio.get(f"{name}_long")
    if short is None or long is None:
        return "not reported"
    return f"{short:.2f} % of the last {window}, {long:.2f} % of the hour"


def _limiter(radio: Json) -> str:
    short, long = radio.get("limit_short"), radio.get("limit_long")
    parts = [f"{short:g} % of 15 s"] if short else []
    parts += [f"{long:g} % of the hour"] if long else []
    return f"{', '.join(parts)}, kept by the firmware" if parts else "off"


def _queue(radio: Json) -> str:
    waiting = radio.get("queue")
    if waiting is None:
        return HIDDEN
    return f"{counted(waiting, 'packet')} held back by Reticulum" if waiting else "empty"


def _row(name: str, value: str) -> str:
    return f"  {name:<14} {value}"
