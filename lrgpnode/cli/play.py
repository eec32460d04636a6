"""Commands that act in a game."""

from __future__ import annotations

import json
from typing import Any, Final

import click

from lrgpnode.cli.context import Context, json_option, pass_context, say_json, write
from lrgpnode.cli.text import clean
from lrgpnode.cli.types import APP, NAME, SESSION

ALIASES: Final = {
    "tictactoe": "ttt",
    "tic-tac-toe": "ttt",
    "connect4": "four_in_a_row",
    "four": "four_in_a_row",
    "4": "four_in_a_row",
}
"""What people call the apps."""

LONGEST_MOVE: Final = 256


def _report(context: Context, result: dict[str, Any], said: str, *, as_json: bool) -> None:
    if as_json:
        say_json(result)
        return
    look = context.command("games", result["id"])
    write(f"{said} It is on its way; `{look}` shows whether it arrived.")


@click.command()
@click.argument("peer", type=NAME)
@click.argument("app", type=APP)
@click.option(
    "--intent", metavar="JSON", help="What the game wants to know, as a JSON object; mostly nothing."
)
@click.option(
    "--level",
    type=click.IntRange(1, 99),
    metavar="N",
    help="How strong the opponent in the house shall play, from 1; see `lrgpnode house`.",
)
@json_option
@pass_context
def challenge(
    context: Context, peer: str, app: str, intent: str | None, level: int | None, as_json: bool
) -> None:
    """Challenge PEER to a game of APP.

    PEER is a name, a hash or the beginning of a hash, from `lrgpnode peers`; somebody who was never
    heard is challenged by the whole hash. `house` is the opponent that the node itself has. APP is
    `ttt`, `chess`, `four_in_a_row` or what else `lrgpnode status` lists; `tictactoe`, `tic-tac-toe`,
    `connect4`, `four` and `4` are understood, too.
    """
    result = context.call(
        "game.challenge",
        peer=peer,
        app=ALIASES.get(app.lower(), app),
        identity=context.identity,
        intent=None if intent is None else _json_object(intent),
        level=level,
    )
    _report(
        context,
        result,
        f"Challenged {clean(peer, 64)} to {result['app']}: game {result['id']}.",
        as_json=as_json,
    )


def _json_object(text: str) -> dict[str, Any]:
    try:
        value = json.loads(text)
    except (ValueError, RecursionError):
        value = None
    if not isinstance(value, dict):
        raise click.BadParameter("it must be a JSON object.", param_hint="--intent")
    return value


@click.command()
@click.argument("id", type=SESSION)
@json_option
@pass_context
def accept(context: Context, id: str, as_json: bool) -> None:
    """Accept the challenge ID."""
    result = context.call("game.accept", id=id, identity=context.identity)
    _report(context, result, f"Accepted: game {result['id']} has begun.", as_json=as_json)


@click.command()
@click.argument("id", type=SESSION)
@json_option
@pass_context
def decline(context: Context, id: str, as_json: bool) -> None:
    """Decline the challenge ID, or take back your own."""
    result = context.call("game.decline", id=id, identity=context.identity)
    _report(context, result, f"Declined: there will be no game {result['id']}.", as_json=as_json)


@click.command()
@click.argument("id", type=SESSION)
@json_option
@pass_context
def resign(context: Context, id: str, as_json: bool) -> None:
    """Give up the game ID."""
    result = context.call("game.resign", id=id, identity=context.identity)
    _report(context, result, f"You gave up game {result['id']}.", as_json=as_json)


@click.command()
@click.argument("id", type=SESSION)
@click.argument("move", nargs=-1, required=True)
@json_option
@pass_context
def move(context: Context, id: str, move: tuple[str, ...], as_json: bool) -> None:
    """Make a MOVE in the game ID.

    For example `lrgpnode move 3f2a Nf3` or `lrgpnode move 3f2a b2`.
    `lrgpnode games ID` lists the moves. A move may have several words.
    """
    typed = " ".join(move).strip()
    if not 1 <= len(typed) <= LONGEST_MOVE:
        raise click.BadParameter(f"it must have 1 to {LONGEST_MOVE} characters.", param_hint="MOVE")
    result = context.call("game.move", id=id, move=typed, identity=context.identity)
    _report(
        context,
        result,
        f"Played {clean(typed, 64)}, move {result['ply']} of game {result['id']}.",
        as_json=as_json,
    )


@click.command()
@click.argument("id", type=SESSION)
@click.argument("command", type=NAME)
@click.argument("text", nargs=-1)
@click.option("--intent", metavar="JSON", help="What the game wants to know, as a JSON object.")
@json_option
@pass_context
def act(
    context: Context, id: str, command: str, text: tuple[str, ...], intent: str | None, as_json: bool
) -> None:
    """Carry out any COMMAND of the game ID, also one of its own.

    `lrgpnode status --json` lists the commands of each game. TEXT is what the game understands for
    it, as in `lrgpnode move`.
    """
    typed = " ".join(text).strip() or None
    if typed is not None and intent is not None:
        raise click.UsageError("TEXT and --intent exclude each other.")
    result = context.call(
        "game.act",
        id=id,
        command=command,
        text=typed,
        intent=None if intent is None else _json_object(intent),
        identity=context.identity,
    )
    _report(context, result, f"Sent {clean(command, 16)} in game {result['id']}.", as_json=as_json)


_DRAW_WORDS: Final = {
    "offer": "You offered a draw in game {}.",
    "accept": "You agreed to a draw: game {} is over.",
    "decline": "You declined the draw in game {}.",
    "claim": "You claimed a draw: game {} is over.",
}


@click.command()
@click.argument("id", type=SESSION)
@click.argument("what", type=click.Choice(tuple(_DRAW_WORDS)), default="offer")
@json_option
@pass_context
def draw(context: Context, id: str, what: str, as_json: bool) -> None:
    """Offer a draw, answer an offer, or claim a draw.

    A claim ends the game by rule, e.g. at a threefold repetition. Without a word: offer.
    """
    result = context.call("game.draw", id=id, what=what, identity=context.identity)
    _report(context, result, _DRAW_WORDS[what].format(result["id"]), as_json=as_json)
