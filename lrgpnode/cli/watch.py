"""``lrgpnode watch``: the stream of events, for people and for scripts."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, Final

import click

from lrgpnode.cli.context import Context, json_option, pass_context, say_json, write
from lrgpnode.cli.exits import CliError, Exit
from lrgpnode.cli.text import clean, clock, who
from lrgpnode.cli.types import SESSION
from lrgpnode.control.client import Client, ClientError, EventStream

NOTHING: Final[Mapping[str, str]] = {}

_COMMANDS: Final = {
    "draw_offer": "a draw offered",
    "draw_accept": "the draw accepted",
    "draw_decline": "the draw declined",
}
"""Commands whose names say too little."""


@click.command()
@click.option("--after", type=click.IntRange(0), metavar="SEQ", help="Also the events after number SEQ.")
@click.option("--count", type=click.IntRange(1), metavar="N", help="End after N events.")
@click.option("--game", "id", type=SESSION, metavar="ID", help="Only the events of one game.")
@json_option
@pass_context
def watch(context: Context, after: int | None, count: int | None, id: str | None, as_json: bool) -> None:
    """Print events as they happen, until Ctrl-C.

    With --json: one event a line, {"seq", "at", "type", "data"}. If events after SEQ are lost, the
    first line is {"missed": true, "seq": LAST}. The node keeps the last 1000 events. Without --json
    and --as what happens on the house's side of its games is left out: it is also on the other side.
    """
    hidden = frozenset() if as_json or context.identity is not None else _houses(context)
    stream, moves = context.events(after), _Moves(context)
    try:
        _begin(stream, after, as_json=as_json)
        left, last = count, stream.seq
        for event in stream:
            last = event["seq"]
            if id is not None and not str(event["data"].get("id", "")).startswith(id):
                continue
            if as_json:
                say_json(event)
            elif _told_before(event) or event["data"].get("identity") in hidden:
                continue
            else:
                write(line(event, moves.details(event)))
            if left is not None:
                left -= 1
                if left == 0:
                    return
        raise CliError(
            Exit.NOT_RUNNING,
            "disconnected",
            "The node ended the connection.",
            f"When it runs again, go on with `{context.command('watch', '--after', str(last))}`.",
        )
    except KeyboardInterrupt:
        return
    finally:
        stream.close()
        moves.close()


class _Moves:
    """Who has acted, and how the game calls the move: asked of the node, for an event has only hashes."""

    def __init__(self, context: Context) -> None:
        self._context = context
        self._client: Client | None = None

    def details(self, event: Mapping[str, Any]) -> dict[str, str]:
        """``peer_name`` and ``label``; empty where the node cannot say, or has not to."""
        data = event["data"]
        if event["type"] != "game.applied":
            return {}
        try:
            self._client = self._client or self._context.client()
            game = self._client.call("game.show", id=data["id"], identity=data["identity"])
        except ClientError:
            return {}  # deleted since, or the node is going: the event itself is there
        history, ply = game["view"]["history"], data["ply"]
        moved = data["command"] == "move" and 0 < ply <= len(history)
        return {"peer_name": game.get("peer_name", ""), "label": history[ply - 1] if moved else ""}

    def close(self) -> None:
        if self._client is not None:
            self._client.close()


def _houses(context: Context) -> frozenset[str]:
    identities = context.call("identity.list")["identities"]
    return frozenset(one["hash"] for one in identities if one.get("role") == "house")


def _begin(stream: EventStream, after: int | None, *, as_json: bool) -> None:
    if as_json:
        if stream.missed:
            say_json({"missed": True, "seq": stream.seq})
        return
    click.echo(f"Watching from event {stream.seq if after is None else after} on; Ctrl-C ends.", err=True)
    if stream.missed:
        click.echo("Some of the events asked for are lost.", err=True)


def line(event: Mapping[str, Any], details: Mapping[str, str] = NOTHING) -> str:
    """One event for a person. An unknown type is shown as it is: the node may be newer.

    ``details``: what is known beyond the event, under names of fields.
    """
    words = _WORDS.get(event["type"])
    try:
        text = words({**event["data"], **details}) if words else _unknown(event)
    except (KeyError, TypeError):
        text = _unknown(event)
    return f"{clock(event['at'])} #{event['seq']} {text}"


def _told_before(event: Mapping[str, Any]) -> bool:
    """A peer's challenge has an event of its own, before the one that every action has."""
    data = event["data"]
    return event["type"] == "game.applied" and data.get("command") == "challenge" and not data.get("own")


def _unknown(event: Mapping[str, Any]) -> str:
    return clean(f"{event['type']} {event['data']}")


def _game(data: Mapping[str, Any]) -> str:
    return f"game {clean(data['id'], 16)}"


def _because(text: str) -> str:
    return f": {clean(text)}" if text else ""


def _challenged(data: Mapping[str, Any]) -> str:
    peer = who(data.get("peer_name", ""), data["peer"])
    return f"{peer} challenges you to {clean(data['app'], 64)}: {_game(data)}"


def _request(data: Mapping[str, Any]) -> str:
    peer = who(data.get("peer_name", ""), data["peer"])
    if data["withdrawn"]:
        return f"the stranger {peer} takes back its challenge: {_game(data)}"
    return f"the stranger {peer} would like to play {clean(data['app'], 64)}: {_game(data)}"


def _unknown_game(data: Mapping[str, Any]) -> str:
    game = f"{clean(data['app'], 64)}.{data['app_version']}"
    peer = who(data.get("peer_name", ""), data["peer"])
    return f"{peer} plays {game}, which is not installed here{_because(data['text'])}"


def _identity(data: Mapping[str, Any]) -> str:
    state = "" if data["enabled"] else ", which is off the mesh"
    return f"identity {who(data['name'], data['hash'])}{state}"


def _who(data: Mapping[str, Any]) -> str:
    return who(data.get("peer_name", ""), data["peer"])


def _applied(data: Mapping[str, Any]) -> str:
    peer, actor = who(data.get("peer_name", ""), data["peer"]), "you"
    if not data["own"]:
        actor = peer
    elif data.get("peer_name"):
        actor = f"you against {peer}"
    command = _COMMANDS.get(data["command"]) or clean(data["command"], 32)
    label = f" {clean(data['label'], 32)}" if data.get("label") else ""
    return f"{_game(data)}: {command}{label} by {actor}; now {data['status']}, move {data['ply']}"


def _delivery(data: Mapping[str, Any]) -> str:
    from lrgpnode.cli.board import delivery  # noqa: PLC0415 - an event of a few only

    return f"{_game(data)}: your {delivery(data)}"


def _error(data: Mapping[str, Any]) -> str:
    ref = f" of your {clean(data['ref'], 32)}" if data.get("ref") else ""
    return f"{_game(data)}: error of the peer{ref}: {clean(data['code'], 32)}{_because(data['msg'])}"


def _rejected(data: Mapping[str, Any]) -> str:
    command = clean(data.get("command", ""), 32) or "action"
    return f"{_game(data)}: refused the peer's {command}: {clean(data['code'], 32)}{_because(data['msg'])}"


def _out_of_sync(data: Mapping[str, Any]) -> str:
    id = clean(data["id"], 16)
    return (
        f"{_game(data)}: the peer may see another game{_because(data['reason'])}; "
        f"`lrgpnode resend {id}` or `lrgpnode abandon {id}`"
    )


def _clock(data: Mapping[str, Any]) -> str:
    state = "is right" if data["trusted"] else "is not trusted, nothing expires"
    return f"the clock {state}{_because(data.get('reason', ''))}"


def _heard(data: Mapping[str, Any]) -> str:
    return f"heard {who(data['name'], data['peer'])}, {data['hops']} hops"


def _sync(data: Mapping[str, Any]) -> str:
    from lrgpnode.cli.propagation import line  # noqa: PLC0415 - an event of a few only

    return line(data)


def _stamp(data: Mapping[str, Any]) -> str:
    peer = who("", data["peer"]).strip("()")
    if data["finished"]:
        return f"the proof of work for the message to {peer} is made, in {data['seconds']:.0f} s"
    return f"the proof of work for the message to {peer} may take {data['expected']:.0f} s"


def _propagation_node(data: Mapping[str, Any]) -> str:
    node = who(data["name"], data["node"]) if data["node"] else "none"
    return f"propagation node in use: {node}{_because(data['reason'])}"


def _radio(data: Mapping[str, Any]) -> str:
    trouble = data.get("trouble")
    state = "is up" if data["up"] else "is down"
    return f"the radio of {clean(data['name'], 64)} {state}{_because(trouble['cause'] if trouble else '')}"


def _seat(data: Mapping[str, Any]) -> str:
    seat = f"seat {data['id']} at {clean(data['platform'], 32)}: {clean(data['stage'], 16)}"
    if data.get("result"):
        seat += f", {clean(data['result'], 16)}"
    return seat + _because(data.get("trouble") or data.get("reason", ""))


def _turn(data: Mapping[str, Any]) -> str:
    return f"seat {data['id']} at {clean(data['platform'], 32)}: a move is due by {clock(data['deadline'])}"


def _platform(data: Mapping[str, Any]) -> str:
    state = "cannot be used" if data["trouble"] else "can be used again"
    return f"the platform {clean(data['name'], 32)} {state}{_because(data['trouble'])}"


_WORDS: Final[Mapping[str, Callable[[Mapping[str, Any]], str]]] = {
    "game.challenged": _challenged,
    "game.request": _request,
    "game.applied": _applied,
    "game.delivery": _delivery,
    "game.error": _error,
    "game.rejected": _rejected,
    "game.out_of_sync": _out_of_sync,
    "game.in_sync": lambda data: f"{_game(data)}: both sides agree again",
    "message.received": lambda data: f"{_who(data)} writes: {clean(data['text'])}",
    "message.sent": lambda data: f"to {_who(data)}: {clean(data['text'])}",
    "message.delivery": lambda data: f"text to {_who(data)}: {data['state']}{_because(data['reason'])}",
    "message.read": lambda data: f"the texts of {_who(data)} were read",
    "game.unknown": _unknown_game,
    "game.deleted": lambda data: f"{_game(data)}: deleted",
    "node.clock": _clock,
    "game.expired": lambda data: f"{_game(data)}: ended by its time limit",
    "peer.heard": _heard,
    "identity.changed": _identity,
    "identity.deleted": lambda data: f"identity {who(data['name'], data['hash'])} is deleted",
    "propagation.sync": _sync,
    "propagation.stamp": _stamp,
    "propagation.node": _propagation_node,
    "radio.changed": _radio,
    "gateway.seat": _seat,
    "gateway.turn": _turn,
    "gateway.platform": _platform,
    "radio.checked": lambda data: f"listened with the radio for {data['seconds']:.0f} s",
    "node.started": lambda data: f"the node {clean(data['name'], 64)} is up",
    "node.stopping": lambda data: f"the node stops{_because(data.get('reason', ''))}",
}
