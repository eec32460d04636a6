"""Commands about what is on its way, and about games that do not go on."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final

import click

from lrgpnode.cli.context import Context, json_option, pass_context, say_json, write
from lrgpnode.cli.text import clean, pad, when, who
from lrgpnode.cli.types import NAME, SESSION

WAITS_FOR: Final = {
    "earlier": "after what comes before it in its game",
    "disabled": "your identity is off the mesh",
    "blocked": "you have blocked the peer",
    "path": "looking for a way to the peer",
    "peer": "the peer is away",
    "day": "sent as often as a day allows",
    "place": "others go first",
    "airtime": "waits for airtime",
}
"""Why a message is not under way, in words."""


@click.group()
def outbox() -> None:
    """Show and change what is on its way to peers."""


@outbox.command("list")
@click.option(
    "--all",
    "everything",
    is_flag=True,
    help="Also what is done with, and what the house sends; newest first.",
)
@click.option("--limit", type=click.IntRange(1, 50), default=50, show_default=True, help="Most to list.")
@click.option("--cursor", type=NAME, metavar="CURSOR", help="Go on with the list; the list names it.")
@json_option
@pass_context
def outbox_list(context: Context, everything: bool, limit: int, cursor: str | None, as_json: bool) -> None:
    """List what is on its way, oldest first.

    `delivered`: the peer's node has it. `stored`: a propagation node keeps it for the peer.
    `confirmed`: the peer has acted on it. What the house sends is left out without --all or --as.
    """
    params = {"identity": context.identity, "all": everything, "limit": limit, "cursor": cursor}
    result = context.call("outbox.list", **params)
    if as_json:
        say_json(result)
        return
    for message in result["messages"]:
        write(_line(message))
    if not result["messages"]:
        write("Nothing is on its way." if not everything else "Nothing was ever sent.")
    if result.get("cursor"):
        words = ["outbox", "list", *(["--all"] if everything else [])]
        write(f"There are more: {context.command(*words, '--cursor', clean(result['cursor']))}")


def _line(message: Mapping[str, Any]) -> str:
    peer = who(message.get("peer_name", ""), message["peer"])
    command = pad(clean(message["command"], 32), 12)
    line = f"{message['outbox_id']:6d}  {message['id']}  {command} {pad(message['state'], 9)} {peer}"
    notes = []
    waits_for = message.get("waits_for", "")
    if waits_for:
        notes.append(WAITS_FOR.get(waits_for) or clean(waits_for, 32))
    if message.get("reason"):
        notes.append(clean(message["reason"], 200))
    if message["attempts"] > 1:
        notes.append(f"{message['attempts']} attempts")
    if waits_for == "airtime" and message.get("next_attempt_at"):
        notes[0] = f"{notes[0]} until {when(message['next_attempt_at'])}"
    elif message.get("next_attempt_at"):
        notes.append(f"again {when(message['next_attempt_at'])}")
    return f"{line}  ({', '.join(notes)})" if notes else line


@outbox.command("resend")
@click.argument("number", type=click.IntRange(min=1))
@json_option
@pass_context
def outbox_resend(context: Context, number: int, as_json: bool) -> None:
    """Send message NUMBER of the list again now.

    What follows it in its game goes out after it. A game's messages are sent twelve times a day at most.
    """
    _resent(context.call("outbox.resend", outbox_id=number), as_json=as_json)


@outbox.command("cancel")
@click.argument("number", type=click.IntRange(min=1))
@json_option
@pass_context
def outbox_cancel(context: Context, number: int, as_json: bool) -> None:
    """Do not send message NUMBER any more.

    The action stays done here. If the peer does not have it, the game is out of sync.
    """
    result = context.call("outbox.cancel", outbox_id=number)
    if as_json:
        say_json(result)
    else:
        write(f"The {clean(result['command'], 32)} in game {result['id']} is not sent any more.")


def _resent(result: Mapping[str, Any], *, as_json: bool) -> None:
    if as_json:
        say_json(result)
        return
    commands = ", ".join(clean(message["command"], 32) for message in result["messages"])
    write(f"On its way again: {commands}.")


@click.command()
@click.argument("id", type=SESSION)
@json_option
@pass_context
def resend(context: Context, id: str, as_json: bool) -> None:
    """Send again what the peer may not have of the game ID.

    The same actions go out in their order; a peer that has them ignores them.
    """
    _resent(context.call("game.resend", id=id, identity=context.identity), as_json=as_json)


@click.command()
@click.argument("id", type=SESSION)
@json_option
@pass_context
def abandon(context: Context, id: str, as_json: bool) -> None:
    """End the game ID here, without telling the peer.

    For games that cannot go on, because both sides see them differently or the peer is gone. It
    counts as expired. To give up a game that goes on, resign.
    """
    result = context.call("game.abandon", id=id, identity=context.identity)
    if as_json:
        say_json(result)
    else:
        write(f"Game {result['id']} is over here.")


@click.command()
@click.argument("id", type=SESSION)
@click.option("--force", is_flag=True, help="Also if the peer does not have your last action yet.")
@json_option
@pass_context
def delete(context: Context, id: str, force: bool, as_json: bool) -> None:
    """Delete the game ID, which is over, with its journal."""
    result = context.call("game.delete", id=id, identity=context.identity, force=force)
    if as_json:
        say_json(result)
    else:
        write(f"Game {result['id']} is deleted.")
