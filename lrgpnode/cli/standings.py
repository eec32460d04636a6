"""Commands about the ladder of the node's arcade, or of the one that `arcade.ladder_url` names."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import click

from lrgpnode.cli.board import grid
from lrgpnode.cli.context import Context, json_option, pass_context, say_json, write
from lrgpnode.cli.exits import CliError, Exit
from lrgpnode.cli.group import DefaultGroup
from lrgpnode.cli.text import clean, counted, pad, when
from lrgpnode.cli.types import NAME


@click.command()
@click.argument("game", type=NAME, required=False)
@click.option(
    "--skip", type=click.IntRange(0, 1_000_000), default=0, metavar="N", help="Leave the best N out."
)
@json_option
@pass_context
def show(context: Context, game: str | None, skip: int, as_json: bool) -> None:
    """Show the ladder of a GAME: ttt, c4 or chess.

    It is that of the node's own arcade while it runs, else that of the arcade at `arcade.ladder_url`.
    """
    result = context.call("ladder.show", game=game, skip=skip)
    if as_json:
        say_json(result)
        return
    names = {one["game"]: one["name"] for one in result["games"]}
    write(f"{names.get(result['game'], result['game'])}{_at(result)}")
    for row in result["rows"]:
        ended = f"won {row['won']}, drawn {row['drawn']}, lost {row['lost']}"
        write(f"{row['rank']:4d}  {row['rating']:7.1f}  {pad(clean(row['name'], 24), 24)}  {ended}")
    if not result["rows"]:
        write("Nobody stands there." if skip else "Nobody has played a rated match yet.")
    if result["more"]:
        more = context.command("ladder", result["game"], "--skip", str(skip + len(result["rows"])))
        write(f"There are more: {more}")
    for one in result["games"]:
        if one["waiting"] or one["playing"]:
            waits = f"{clean(one['waiting'], 24)} waits for an opponent" if one["waiting"] else "nobody waits"
            playing = f"{one['playing']} match{'' if one['playing'] == 1 else 'es'} being played"
            write(f"{one['name']} now: {waits}; {playing}")
    limits = f"There are {result['move_seconds']:g} s for a move"
    write(f"{limits}; whoever finds no opponent is sent away after {result['queue_seconds']:g} s.")


@click.command()
@click.option("--game", type=NAME, help="Only of this game.")
@click.option("--player", type=NAME, help="Only of this player, by name.")
@click.option("--before", type=click.IntRange(1), metavar="NUMBER", help="Go on with the list.")
@json_option
@pass_context
def matches(
    context: Context, game: str | None, player: str | None, before: int | None, as_json: bool
) -> None:
    """List the rated matches, the newest first."""
    result = context.call("ladder.matches", game=game, player=player, before=before)
    if as_json:
        say_json(result)
        return
    for match in result["matches"]:
        write(
            f"{match['number']:6d}  {when(match['started_at'])}  {pad(match['name'], 11)}  {outcome(match)}"
        )
    if not result["matches"]:
        write("No such match was played.")
    if result["more"]:
        words = [*(["--game", game] if game else []), *(["--player", player] if player else [])]
        last = str(result["matches"][-1]["number"])
        write(f"There are more: {context.command('ladder', 'matches', *words, '--before', last)}")


@click.command()
@click.argument("number", type=click.IntRange(1))
@click.option("--at", type=click.IntRange(0, 100_000), metavar="N", help="The board after N moves.")
@json_option
@pass_context
def replay(context: Context, number: int, at: int | None, as_json: bool) -> None:
    """Show match NUMBER: how it ended, its moves, and the board.

    The terminal UI (key l) and the arcade's pages step through it move by move.
    """
    result = context.call("ladder.replay", number=number, first=at or 0, limit=1)
    if as_json:
        say_json(result)
        return
    view, match = result["view"], result["match"]
    if at is not None:
        if not result["frames"]:
            plies = counted(match["plies"], "move")
            raise CliError(Exit.FAILED, "not_found", f"The match has {plies} only.")
        view = {**view, **result["frames"][0]}
    write(f"{match['name']}, match {number}{_at(result)}: {outcome(match)}")
    if at is not None:
        write(f"After {counted(at, 'move')} of {match['plies']}")
    write("")
    write("\n".join(grid(view)))
    history = result["view"]["history"]
    if history:
        each = max(1, int(view.get("numbered", 1)))
        turns = [history[start : start + each] for start in range(0, len(history), each)]
        write("")
        write(
            " ".join(
                f"{n}. {' '.join(clean(label, 32) for label in turn)}" for n, turn in enumerate(turns, 1)
            )
        )


ladder = DefaultGroup("ladder", default=show, commands=[matches, replay])


def outcome(match: Mapping[str, Any]) -> str:
    """Who played, and how it ended: ``ann beat ben (1516, 1484)``."""
    first, second = (clean(name, 24) for name in match["players"])
    if match["void"]:
        return f"{first} and {second}, void"
    how = {0: f"{first} beat {second}", 1: f"{second} beat {first}"}.get(
        match["winner"], f"{first} and {second} drew"
    )
    reason = f", {clean(match['reason'], 64)}" if match["reason"] else ""
    return f"{how}{reason}"


def _at(result: Mapping[str, Any]) -> str:
    return f" at {clean(result['source'])}" if result["source"] else ""
