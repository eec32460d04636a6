"""``lrgpnode status``: how the node is, in one screen."""

from __future__ import annotations

import time
from collections.abc import Iterator, Mapping
from typing import Any, Final

import click

from lrgpnode.cli.context import Context, json_option, pass_context, say_json, write
from lrgpnode.cli.text import age, clean, when

_ACTIVITIES: Final = (
    ("heard_at", "heard a peer"),
    ("received_at", "received"),
    ("sent_at", "sent"),
    ("delivered_at", "delivered"),
    ("written_at", "wrote to disk"),
)


@click.command()
@json_option
@pass_context
def status(context: Context, as_json: bool) -> None:
    """Show the state of the node.

    With the time since each part of it last did something.
    """
    result = context.call("node.status")
    if as_json:
        say_json(result)
        return
    for line in _lines(result, time.time()):
        write(line)


def _lines(result: dict[str, Any], now: float) -> Iterator[str]:
    started = result["started_at"]
    yield f"{clean(result['name'])}, lrgpnode {result['version']}, process {result['pid']}"
    yield _row("up", f"{age(now - started)}, since {when(started)}")
    yield _row("data", clean(result["data"]))
    yield _row("socket", clean(result["socket"]))
    yield _row("identities", str(result["identities"]))
    yield _row("games", f"{result['live_games']} live")
    yield _row("outbox", _outbox(result, now))
    if result.get("inbox_entries"):
        yield _row("inbox", f"{result['inbox_entries']} packets not handled yet")
    if result.get("propagation_node"):
        fetched = result.get("mail_fetched_at")
        last = f"fetched {age(now - fetched)} ago" if fetched is not None else "never fetched"
        yield _row("mail", f"{last}, node {result['propagation_node']}")
    yield _row("can play", ", ".join(clean(game["app"], 64) for game in result["games"]) or "nothing")
    if result.get("shared_instance"):
        yield _row("Reticulum", "shared with other programs of this machine")
    if not result["interfaces"]:
        yield _row("interfaces", "none: the node is reached by nobody")
    for interface in result["interfaces"]:
        yield _row("interface", _interface(interface))
    for radio in result.get("airtime", ()):
        yield _row("airtime", _airtime(radio))
    activity = result.get("activity", {})
    for name, words in _ACTIVITIES:
        at = activity.get(name)
        yield _row(words, "not yet" if at is None else f"{age(now - at)} ago")
    for problem in result["problems"]:
        yield f"Problem: {clean(problem)}"


def _interface(interface: dict[str, Any]) -> str:
    state = "online" if interface["online"] else "offline"
    trouble = interface.get("trouble")
    why = f". {clean(trouble['cause'], 400)} {clean(trouble['fix'], 400)}" if trouble else ""
    return f"{clean(interface['name'])}: {state}{why}"


def _outbox(result: dict[str, Any], now: float) -> str:
    unsent, settling = result.get("unsent", 0), result["open_outbox"] - result.get("unsent", 0)
    if not unsent:
        return f"all arrived, {settling} not answered yet" if settling > 0 else "empty"
    oldest = result.get("oldest_unsent_at")
    waiting = f", the oldest for {age(now - oldest)}" if oldest is not None else ""
    return f"{unsent} on their way{waiting}"


def _airtime(radio: Mapping[str, Any]) -> str:
    used = f"{clean(radio['radio'])}: {radio['used']:.1f} s used this hour"
    if radio.get("limit") is None:
        return f"{used}, no limit"
    return f"{used} of {radio['limit']:g} s, {radio['left']:.1f} s left for what is sent"


def _row(name: str, value: str) -> str:
    return f"{name:<14} {value}"
