"""The interfaces of the node, and its radios: how they are set, what they hear, how much they may send."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any, Final

from . import words
from .facts import Fact, Part, bad, fact

Json = Mapping[str, Any]

HIDDEN: Final = "not visible through another program"

_PURPOSES: Final = {
    "moves": "games",
    "announces": "announces",
    "sync": "fetching mail",
    "gateway": "gateway, house",
    "proofs": "proofs",
    "paths": "paths",
    "relay": "of others",
    "other": "other",
}


def links(status: Json | None, radio: Json | None, airtime: Json | None, now: float) -> tuple[Part, ...]:
    """From ``node.status``, ``radio.status`` and ``radio.airtime``; what has not arrived is None."""
    if status is None:
        return (Part(title="Loading."),)
    radios = {str(one["name"]): one for one in (radio or {}).get("radios", ())}
    budgets = {str(one["name"]): one for one in (airtime or {}).get("radios", ())}
    shared = bool(radio and radio["instance"] == "client")
    parts = [Part(title=_head(status), facts=tuple(_about(status, radio, airtime, now)))]
    for interface in status.get("interfaces", ()):
        name = str(interface["name"])
        board, budget = radios.pop(name, None), budgets.pop(name, None)
        if board is not None:
            parts.append(_radio(board, budget, now, shared=shared))
        else:
            trouble = _trouble(interface.get("trouble"))
            state = "online" if interface["online"] else "offline"
            kind = f", {interface['kind']}" if interface.get("kind") else ""
            facts = (*trouble, *(_budget(budget) if budget else ()))
            parts.append(Part(title=f"{name}: {state}{kind}", facts=facts))
    # Those that another program has, or that did not get as far as an interface.
    parts += [_radio(board, budgets.pop(name, None), now, shared=shared) for name, board in radios.items()]
    parts += [Part(title=name, facts=tuple(_budget(budget))) for name, budget in budgets.items()]
    return tuple(parts)


def _head(status: Json) -> str:
    count = len(status.get("interfaces", ()))
    shared = ", of another program" if status.get("shared_instance") else ""
    return f"{count} interface{'' if count == 1 else 's'}{shared}"


def _about(status: Json, radio: Json | None, airtime: Json | None, now: float) -> Iterator[Fact]:
    yield from (bad(str(problem)) for problem in status.get("problems", ()))
    if not status.get("interfaces") and not (radio or {}).get("radios"):
        yield bad("Nobody can be reached: Reticulum has no interface here.")
    if radio and radio.get("problem"):
        yield bad(f"{radio['problem']}.")
    if radio and radio["instance"] == "client" and airtime and airtime.get("why"):
        yield Fact(value=str(airtime["why"]))
    activity = status.get("activity", {})
    for name, key in (("heard a peer", "heard_at"), ("received", "received_at"), ("sent", "sent_at")):
        if activity.get(key) is not None:
            yield fact(name, words.ago(now - activity[key]))
    last = (radio or {}).get("last")
    if last:
        yield fact("for us", f"{_signal(last)}, {words.ago(now - last['at'])}")
    if airtime and airtime.get("waiting"):
        next_at = airtime.get("next_at")
        until = "" if next_at is None else f", the first goes {words.left(next_at - now)}"
        yield fact("held back", f"{airtime['waiting']} wait for airtime{until}", bad=True)


def _trouble(trouble: Json | None) -> tuple[Fact, ...]:
    return (bad(str(trouble["cause"])), Fact(value=str(trouble["fix"]))) if trouble else ()


def _radio(radio: Json, budget: Json | None, now: float, *, shared: bool) -> Part:
    state, since = str(radio["state"]), radio.get("since")
    known = f" for {words.age(now - since)}" if since is not None and now - since >= 60 else ""
    facts = [*_trouble(radio.get("trouble"))]
    if state != "failed":
        facts += _numbers(radio, shared=shared)
        facts.append(fact("heard", _heard(radio.get("heard"), now, shared=shared)))
        facts += _air(radio)
        facts += _budget(budget) if budget else ()
        facts += _board(radio)
    if radio.get("port"):
        facts.append(fact("port", str(radio["port"])))
    return Part(title=f"{radio['name']}: {state}{known}, radio", facts=tuple(facts))


def _numbers(radio: Json, *, shared: bool) -> Iterator[Fact]:
    if radio.get("frequency") is None:
        yield fact("frequency", HIDDEN if shared else "not told yet")
        return
    power = "" if radio.get("tx_power") is None else f", {radio['tx_power']} dBm"
    yield fact("frequency", f"{radio['frequency'] / 1e6:.6g} MHz{power}")
    speed = f", {radio['bitrate']:.0f} bit/s" if radio.get("bitrate") else ""
    spread = f"SF{radio['spreading_factor']} BW{radio['bandwidth'] / 1000:g} CR4/{radio['coding_rate']}"
    yield fact("modulation", f"{spread}{speed}")


def _heard(heard: Json | None, now: float, *, shared: bool) -> str:
    if heard is None and shared:
        return HIDDEN
    if heard is None or heard.get("at") is None:
        return "nothing yet"
    return f"{_signal(heard)}, {words.ago(now - heard['at'])} ({heard['packets']} packets)"


def _signal(heard: Json) -> str:
    rssi = "?" if heard.get("rssi") is None else f"{heard['rssi']:g}"
    snr = "?" if heard.get("snr") is None else f"{heard['snr']:g}"
    return f"RSSI {rssi} dBm, SNR {snr} dB"


def _air(radio: Json) -> Iterator[Fact]:
    floor, level = radio.get("noise_floor"), radio.get("rssi_now")
    if floor is not None:
        yield fact("noise floor", f"{floor} dBm" + ("" if level is None else f", now {level} dBm"))
    for name, key in (("channel load", "load"), ("on the air", "airtime")):
        short, long = radio.get(f"{key}_short"), radio.get(f"{key}_long")
        if short is not None and long is not None:
            yield fact(name, f"{long:.2f} % of the hour, now {short:.1f} %", long / 100)
    if radio.get("queue"):
        yield fact("queue", f"{radio['queue']} packets")


def _budget(budget: Json) -> Iterator[Fact]:
    """What the node keeps to in each hour, and what it has used of it."""
    used, limit, left = float(budget["used"]), budget.get("limit"), budget.get("left")
    by = "" if budget["metered"] else " by this node"
    if limit is None or left is None:
        yield fact("airtime", f"{used:.1f} s used this hour{by}, no limit")
    else:
        share = used / limit if limit > 0 else 1.0
        full = left <= 0
        yield fact("airtime", f"{used:.1f} of {limit:.1f} s an hour{by}, {left:.1f} s left", share, bad=full)
    yield fact("law", str(budget["law"]))
    spent = [
        f"{_PURPOSES.get(str(use['purpose']), str(use['purpose']))} {use['seconds']:.1f} s"
        for use in budget.get("purposes", ())
        if use["seconds"] >= 0.05
    ]
    if spent:
        yield fact("used for", ", ".join(spent))
    if budget.get("problem"):
        yield bad(str(budget["problem"]))


def _board(radio: Json) -> Iterator[Fact]:
    if radio.get("battery") is not None:
        yield fact("battery", f"{radio['battery']} %, {radio.get('battery_state') or '?'}")
    if radio.get("temperature") is not None:
        yield fact("temperature", f"{radio['temperature']} C")
    if radio.get("firmware"):
        yield fact("firmware", str(radio["firmware"]))
    for error in radio.get("errors", ()):
        yield bad(f"The board reports: {error}")
