"""The arcade's ladder: standings, matches, replays, and the keys with which programs play over SSH."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from lrgpnode.cli.context import Context, json_option, pass_context, say_json, write
from lrgpnode.cli.exits import CliError, Exit
from lrgpnode.cli.text import clean, counted, pad, when
from lrgpnode.cli.types import Words

if TYPE_CHECKING:
    from gateway.agentgames.server.keys import Key, Keys
    from gateway.agentgames.server.records import MatchStore, Played
    from gateway.agentgames.server.replay import Replay
    from gateway.arcade.accounts import Accounts
    from gateway.arcade.store import ArcadeStore

ACCOUNT = Words(40)
GAME = click.Choice(("ttt", "c4", "chess"))
PAGE = 50


@click.command("ladder")
@click.argument("game", type=GAME)
@click.option("--limit", type=click.IntRange(1, PAGE), default=PAGE, help="Most players to show.")
@click.option("--skip", type=click.IntRange(0, 1_000_000), default=0, help="How many not to show.")
@json_option
@pass_context
def ladder(context: Context, game: str, limit: int, skip: int, as_json: bool) -> None:
    """Show the ladder of GAME: ttt, c4 or chess.

    Everybody begins at 1500. It needs no running arcade.
    """
    with _matches(context) as matches:
        found, total = matches.ladder(game, limit, skip), matches.rated(game)
    if as_json:
        from gateway.agentgames.ladder import here  # noqa: PLC0415 - only these commands need it

        _say({"game": game, "total": total, "players": [here.row(one) for one in found]})
        return
    if not found:
        write("Nobody has played yet." if not total else "There are no more.")
    for one in found:
        played = f"{one.won} won, {one.drawn} drawn, {one.lost} lost"
        write(f"{one.rank:>4}  {pad(clean(one.name), 24)}  {one.rating:7.1f}  {played}")


@click.command("matches")
@click.option("--game", type=GAME, help="Of this game only.")
@click.option("--player", type=ACCOUNT, help="Of this account only.")
@click.option("--before", type=click.IntRange(1, 2**53), help="With lower numbers only.")
@click.option("--limit", type=click.IntRange(1, PAGE), default=20, help="Most matches to show.")
@json_option
@pass_context
def matches(
    context: Context, game: str | None, player: str | None, before: int | None, limit: int, as_json: bool
) -> None:
    """List matches of the ladder, the newest first."""
    with _matches(context) as kept:
        found = kept.matches(limit, game=game, player=player, before=before)
    last = found[-1].number if len(found) == limit else None
    if as_json:
        from gateway.agentgames.ladder import here  # noqa: PLC0415

        _say({"matches": [here.match(one) for one in found], "before": last})
        return
    if not found:
        write("There are no matches.")
    for one in found:
        players = f"{clean(one.players[0])} - {clean(one.players[1])}"
        write(f"{one.number:>6}  {pad(one.game, 5)}  {when(one.started_at)}  {pad(players, 32)}  {_end(one)}")
    if last is not None:
        write(f"Older ones: --before {last}")


@click.command("replay")
@click.argument("number", type=click.IntRange(1, 2**53))
@click.option("--at", type=click.IntRange(0, 100_000), help="Show the board after this many moves.")
@json_option
@pass_context
def replay(context: Context, number: int, at: int | None, as_json: bool) -> None:
    """Show match NUMBER move by move, with the last board.

    `arcade matches` lists the numbers.
    """
    from gateway.agentgames.server.replay import replayed  # noqa: PLC0415

    with _matches(context) as kept:
        found = kept.match(number)
    if found is None:
        raise CliError(Exit.FAILED, "arcade", f"There is no match {number}.")
    played, moves = found
    shown = replayed(played.game, moves)
    if as_json:
        from gateway.agentgames.ladder import here  # noqa: PLC0415

        _say({"match": here.match(played), "rows": shown.rows, "steps": shown.steps, "fen": shown.fen})
        return
    if at is not None and at > len(shown.steps):
        raise CliError(Exit.USAGE, "usage", f"Match {number} has {counted(len(shown.steps), 'move')}.")
    write(f"Match {number}, {played.game}: {clean(played.players[0])} - {clean(played.players[1])}")
    write(f"{when(played.started_at)}: {_end(played)}")
    last = len(shown.steps) if at is None else at
    _write_moves(shown, last)
    for row in shown.steps[last - 1].rows if last else shown.rows:
        write(f"  {' '.join(row)}")


def _write_moves(shown: Replay, last: int) -> None:
    for first in range(0, last, 2):
        pair = shown.steps[first : min(first + 2, last)]
        write(f"{first // 2 + 1:>4}. {'  '.join(pad(one.label, 8) for one in pair)}".rstrip())


def _end(one: Played) -> str:
    if one.state != "over":
        return "void: the arcade was stopped" if one.state == "void" else "is being played"
    winner = "drawn" if one.winner not in (0, 1) else f"{clean(one.players[one.winner])} won"
    return f"{winner} ({one.reason})" if one.reason else winner


@click.group("key")
def key() -> None:
    """Show and change the SSH keys with which accounts play over SSH."""


@key.command("add")
@click.argument("account", type=ACCOUNT)
@click.argument("file", type=click.Path(path_type=Path, allow_dash=True), metavar="FILE")
@json_option
@pass_context
def key_add(context: Context, account: str, file: Path, as_json: bool) -> None:
    """Let whoever has the key in FILE play as ACCOUNT.

    FILE is a public key of OpenSSH, such as ~/.ssh/id_ed25519.pub; `-` is standard input.
    """
    from gateway.agentgames.server.keys import MAX_LINE  # noqa: PLC0415

    try:
        if str(file) == "-":
            line = sys.stdin.readline(MAX_LINE + 1)
        else:
            with file.open(encoding="utf-8", errors="replace") as opened:
                line = opened.readline(MAX_LINE + 1)
    except OSError as error:
        raise CliError(Exit.FAILED, "file", f"{file} cannot be read: {error.strerror}.") from None
    with _keys(context) as (keys, accounts):
        made = keys.add(accounts.find(account), line)
    if as_json:
        say_json(_key(made))
    else:
        write(f"{clean(made.account_name)} plays over SSH with {made.fingerprint}.")


@key.command("list")
@click.argument("account", type=ACCOUNT, required=False)
@json_option
@pass_context
def key_list(context: Context, account: str | None, as_json: bool) -> None:
    """List the keys, of ACCOUNT or of all."""
    with _keys(context) as (keys, accounts):
        found = keys.all(None if account is None else accounts.find(account))
    if as_json:
        say_json({"keys": [_key(one) for one in found]})
        return
    if not found:
        write("There are no keys.")
    for one in found:
        name = pad(clean(one.account_name), 24)
        write(f"{one.id}  {name}  {when(one.created_at)}  {one.fingerprint}  {clean(one.comment)}".rstrip())


@key.command("remove")
@click.argument("account", type=ACCOUNT)
@click.argument("key", metavar="ID", type=Words(64))
@json_option
@pass_context
def key_remove(context: Context, account: str, key: str, as_json: bool) -> None:
    """Remove the key with this ID from ACCOUNT.

    The beginning of the ID is enough; the fingerprint and the comment will do, too.
    """
    with _keys(context) as (keys, accounts):
        gone = keys.remove(accounts.find(account), key)
    if as_json:
        say_json(_key(gone))
    else:
        write(f"Removed {gone.fingerprint} from {clean(gone.account_name)}.")


@contextmanager
def _keys(context: Context) -> Iterator[tuple[Keys, Accounts]]:
    with arcade_store(context) as store:
        from gateway.agentgames.server.keys import Keys  # noqa: PLC0415
        from gateway.arcade.accounts import Accounts  # noqa: PLC0415

        yield Keys(store.database), Accounts(store)


def _key(one: Key) -> dict[str, Any]:
    return {
        "id": one.id,
        "account": one.account_name,
        "fingerprint": one.fingerprint,
        "key": one.key,
        "comment": one.comment,
        "created_at": one.created_at,
    }


def _say(value: Any) -> None:
    import msgspec  # noqa: PLC0415 - only for these results

    say_json(msgspec.to_builtins(value))


@contextmanager
def arcade_store(context: Context) -> Iterator[ArcadeStore]:
    """The arcade's file, whether the arcade runs or not."""
    from gateway.arcade.store import FILE_NAME, ArcadeStore, StoreError  # noqa: PLC0415

    try:
        store = ArcadeStore(context.paths().data / FILE_NAME)
        try:
            yield store
        finally:
            store.close()
    except StoreError as error:
        raise CliError(Exit.FAILED, "arcade", str(error)) from None


@contextmanager
def _matches(context: Context) -> Iterator[MatchStore]:
    from gateway.agentgames.server.records import MatchStore  # noqa: PLC0415 - only these commands need it

    with arcade_store(context) as store:
        yield MatchStore(store.database)
