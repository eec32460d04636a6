"""Commands that look at games."""

from __future__ import annotations

import json
import shutil
from collections.abc import Mapping
from typing import Any

import click

from lrgpnode.cli import records
from lrgpnode.cli.context import Context, json_option, pass_context, say_json, write
from lrgpnode.cli.exits import CliError, Exit
from lrgpnode.cli.group import DefaultGroup
from lrgpnode.cli.text import clean, pad, when, who
from lrgpnode.cli.types import NAME, SESSION

FILTERS = ("all", "live", "ended", "pending", "your_turn")
WIDEST = 100


@click.command()
@click.argument("id", type=SESSION, required=False)
@click.option(
    "--filter",
    "which",
    type=click.Choice(FILTERS),
    default="all",
    show_default=True,
    help="Which games to list; live is pending or active.",
)
@click.option(
    "--limit", type=click.IntRange(1, 50), default=50, show_default=True, help="Most games to list."
)
@click.option("--cursor", type=NAME, metavar="CURSOR", help="Go on with the list; the list names it.")
@click.option("--at", type=click.IntRange(0), metavar="N", help="The board of ID as it was after N moves.")
@json_option
@pass_context
def show(
    context: Context,
    id: str | None,
    which: str,
    limit: int,
    cursor: str | None,
    at: int | None,
    as_json: bool,
) -> None:
    """List the games, or show the board of one.

    The list begins with the newest action. It says how a game stands, or how it ended for you. Games in
    which something is new are marked with *, challenges of strangers with ?.
    Showing the board of a game takes its mark away; with --json it stays.
    An ID may be shortened to its beginning. On a board, brackets mark the last move.
    """
    if at is not None:
        if id is None:
            raise click.UsageError("--at goes with an ID.")
        result = context.call("game.frames", id=id, identity=context.identity, first=at, limit=1)
        lines = None if as_json else _as_it_was(context, result, at)
    elif id is not None:
        result = context.call("game.show", id=id, identity=context.identity)
        lines = None if as_json else _shown(context, result)
        if not as_json and result["unread"]:
            context.call("game.read", id=result["id"], identity=result["identity"])
    else:
        result = context.call(
            "game.list", identity=context.identity, filter=which, limit=limit, cursor=cursor
        )
        lines = None if as_json else _listed(context, result, which)
    if lines is None:
        say_json(result)
    else:
        write("\n".join(lines))


games = DefaultGroup("games", default=show, commands=[records.export, records.verify])


def _shown(context: Context, game: Mapping[str, Any]) -> list[str]:
    from lrgpnode.cli.board import drawing  # noqa: PLC0415 - only for a single game

    columns = min(shutil.get_terminal_size().columns, WIDEST)
    return drawing(game, columns, context.command())


def _as_it_was(context: Context, found: Mapping[str, Any], at: int) -> list[str]:
    from lrgpnode.cli.board import grid  # noqa: PLC0415 - as above

    if not found["frames"] or found["frames"][0]["moves"] != at:
        hint = f"`{context.command('games', found['id'])}` shows it as it is now."
        raise CliError(Exit.FAILED, "not_found", "The game has fewer moves.", hint)
    view = context.call("game.show", id=found["id"], identity=found["identity"])["view"]
    return [f"{clean(found['app'], 64)} {found['id']} after {at} moves", "", *grid(view | found["frames"][0])]


def _listed(context: Context, page: Mapping[str, Any], which: str) -> list[str]:
    lines = [_line(game) for game in page["games"]]
    if any(game.get("request") for game in page["games"]):
        lines.append(f"? is a stranger's challenge: `{context.command('accept', 'ID')}` lets it in.")
    if not lines:
        lines = [
            f"No games yet. Challenge somebody: `{context.command('challenge', 'PEER', 'APP')}`; "
            f"`{context.command('peers')}` lists peers, and `{context.command('house')}` shows whom you can "
            "play at once."
            if which == "all"
            else "No such games."
        ]
    if page.get("cursor"):
        words = ["games", *([] if which == "all" else ["--filter", which])]
        lines.append(f"There are more: {context.command(*words, '--cursor', clean(page['cursor']))}")
    return lines


def _line(game: Mapping[str, Any]) -> str:
    mark = "?" if game.get("request") else "*" if game["unread"] else " "
    state = game["status"]
    if game.get("winner") is not None:
        won = {game["identity"]: "won", game["peer"]: "lost", "": "draw"}
        state = won.get(game["winner"], state)
    elif game.get("your_turn"):
        state = "answer!" if state == "pending" else "your turn"
    app = pad(clean(game["app"], 64), 13)
    return f"{mark} {game['id']} {app} {pad(state, 9)} {who(game.get('peer_name', ''), game['peer'])}"


@click.command()
@click.argument("id", type=SESSION)
@click.option(
    "--after", type=click.IntRange(-1), default=-1, metavar="N", help="Begin after the action number N."
)
@json_option
@pass_context
def actions(context: Context, id: str, after: int, as_json: bool) -> None:
    """Show the journal of the game ID, oldest action first.

    At most 500 actions at a time; the last line says how to go on.
    """
    result = context.call("game.actions", id=id, identity=context.identity, after=after)
    if as_json:
        say_json(result)
        return
    for row in result["actions"]:
        actor = "you " if row["sender"] == result["identity"] else "peer"
        payload = clean(json.dumps(row["payload"], ensure_ascii=False))
        command = clean(row["command"], 32)
        write(f"{row['action_num']:4d}  {when(row['timestamp'])}  {actor}  {command}  {payload}")
    if result["more"]:
        last = str(result["actions"][-1]["action_num"])
        write(f"There are more: {context.command('actions', id, '--after', last)}")
