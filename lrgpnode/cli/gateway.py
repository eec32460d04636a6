"""The gateway: its platforms and tables, the seats of players, and the accounts."""

from __future__ import annotations

import re
import sys
import time
from collections.abc import Mapping
from typing import Any, Final

import click

from lrgpnode.cli.context import Context, json_option, pass_context, say_json, write
from lrgpnode.cli.text import age, clean, counted, pad, when, who
from lrgpnode.cli.types import APP, NAME, Words

PLATFORM = Words(32)


class AccountName(Words):
    """A name that can be one of a file, too."""

    def convert(self, value: str, param: click.Parameter | None, ctx: click.Context | None) -> str:
        value = super().convert(value, param, ctx)
        if not re.fullmatch(r"[a-z0-9][a-z0-9_-]*", value):
            self.fail("it must consist of a-z, 0-9, _ and -.", param, ctx)
        return value


MOST_SECRET: Final = 8192
"""Characters of a token or a key that are read; no valid one is as long."""

NEW_ACCOUNT = AccountName(32)
ACCOUNT = Words(64)

STAGES: Final[Mapping[str, str]] = {
    "invited": "the player is to challenge the gateway",
    "opening": "a seat is asked for",
    "waiting": "waits for the other side",
    "playing": "plays",
    "settling": "over at the table",
    "over": "over",
}


@click.group()
def gateway() -> None:
    """Seats of mesh players at tables elsewhere: tables, seats, accounts.

    A player challenges the gateway's identity, which is announced like any other, and plays somebody at a
    table of a platform. The settings are `gateway.*`; docs/gateway.md says how to set it up.
    """


@gateway.command("status")
@json_option
@pass_context
def gateway_status(context: Context, as_json: bool) -> None:
    """Show the gateway and its platforms."""
    result = context.call("gateway.status")
    if as_json:
        say_json(result)
        return
    if not result["enabled"]:
        settings = context.command("config", "set", "gateway.enabled", "true")
        write(f"There is no gateway. `{settings}` and a restart of the node bring it;")
        write(f"if it is on already, `{context.command('log')}` shows why there is none.")
        return
    seats = result["seats"]
    goes_on = f"{counted(seats, 'seat')} {'goes' if seats == 1 else 'go'} on"
    write(f"{who(result['name'], result['identity'])}: {goes_on}")
    for platform in result["platforms"]:
        games = ", ".join(clean(app, 16) for app in platform["games"])
        seats = f"{platform['seats']} of {platform['most_seats']} seats"
        name, clock = pad(clean(platform["name"], 32), 10), _clock(platform)
        write(f"{name}  {seats}, {platform['accounts']} accounts; {games}{clock}")
        if platform["trouble"]:
            until = f" until {when(platform['paused_until'])}" if platform.get("paused_until") else ""
            write(f"{' ' * 10}  trouble: {clean(platform['trouble'])}{until}")
    if not result["platforms"]:
        write(f"No platform: `{context.command('config', 'show', 'rcadia')}` shows the settings of one.")
    there = {platform["name"] for platform in result["platforms"]}
    for app, platform in sorted(result["routes"].items()):
        away = "" if platform in there else ", which is not there"
        write(f"a challenge to {clean(app, 16)} goes to {clean(platform, 32)}{away}")
    for host in result.get("hosts", ()):
        _host(host)


@gateway.command("tables")
@click.option("--game", type=APP, metavar="APP", help="Only of this game, such as chess.")
@click.option("--platform", type=PLATFORM, help="Only of this platform.")
@json_option
@pass_context
def gateway_tables(context: Context, game: str | None, platform: str | None, as_json: bool) -> None:
    """List tables with a free seat; the platforms are asked now."""
    result = context.call("gateway.tables", app=game, platform=platform)
    if as_json:
        say_json(result)
        return
    for table in result["tables"]:
        names = ", ".join(clean(name, 24) for name in table["names"])
        seats = f"{table['players']}/{table['seats']}"
        title = clean(table["title"], 40)
        host = f"  ({clean(table['host'], 16)})" if table["host"] else ""
        place = f"{clean(table['platform'], 16)}  {pad(clean(table['id'], 64), 17)}"
        write(f"{place}  {seats}  {title}{host} {names}")
    if not result["tables"]:
        command = context.command("gateway", "status")
        write(f"No table of others has a free seat. `{command}` shows those of our own.")
    for name, why in sorted(result["troubles"].items()):
        write(f"{clean(name, 32)} was not asked: {clean(why)}")


@gateway.command("seats")
@click.option("--peer", type=NAME, help="Only of this player.")
@click.option("--ended", is_flag=True, help="Also the last ones that are over.")
@json_option
@pass_context
def gateway_seats(context: Context, peer: str | None, ended: bool, as_json: bool) -> None:
    """List the seats of mesh players."""
    result = context.call("gateway.seats", peer=peer, ended=ended)
    if as_json:
        say_json(result)
        return
    for seat in result["seats"]:
        write(_seat(seat))
    if not result["seats"]:
        write("Nobody has a seat.")


@gateway.command("leave")
@click.argument("id", type=click.IntRange(min=1))
@json_option
@pass_context
def gateway_leave(context: Context, id: int, as_json: bool) -> None:
    """Give the seat with the number ID up; a game at it is lost."""
    result = context.call("gateway.leave", id=id)
    if as_json:
        say_json(result)
        return
    write(f"Seat {result['id']} is given up.")


@gateway.command("seek")
@click.argument("peer", type=NAME)
@click.argument("app", type=APP)
@json_option
@pass_context
def gateway_seek(context: Context, peer: str, app: str, as_json: bool) -> None:
    """Let PEER wait for an opponent from the web.

    PEER may be an identity of this node or a player of the mesh, APP a game such as chess.
    """
    result = context.call("gateway.seek", peer=peer, app=app)
    if as_json:
        say_json(result)
        return
    write(clean(result["text"]))


@gateway.command("unseek")
@click.argument("peer", type=NAME)
@json_option
@pass_context
def gateway_unseek(context: Context, peer: str, as_json: bool) -> None:
    """Let PEER wait no more."""
    result = context.call("gateway.unseek", peer=peer)
    if as_json:
        say_json(result)
        return
    write("Waits no more." if result["waited"] else "That player did not wait.")


@gateway.group("account")
def account() -> None:
    """Show and change the accounts at the platforms."""


@account.command("list")
@json_option
@pass_context
def account_list(context: Context, as_json: bool) -> None:
    """List the accounts. Tokens are never shown."""
    result = context.call("gateway.account.list")
    if as_json:
        say_json(result)
        return
    for one in result["accounts"]:
        own = f"  of {one['own_of']}" if one.get("own_of") else ""
        name = "(a player's own)" if own else clean(one["name"], 64)
        shown = f"{pad(clean(one['platform'], 32), 10)}  {pad(name, 16)}"
        write(f"{shown}  {one['source']}  {one['seats']} seats{own}")
    if not result["accounts"]:
        command = context.command("gateway", "account", "add", "PLATFORM", "NAME")
        write(f"No accounts. `{command}` adds one.")


@account.command("add")
@click.argument("platform", type=PLATFORM)
@click.argument("name", type=NEW_ACCOUNT)
@json_option
@pass_context
def account_add(context: Context, platform: str, name: str, as_json: bool) -> None:
    """Add the account NAME at PLATFORM, or give it a new token.

    The token is asked for or, where standard input is no terminal, read from its first line. For a platform
    that is reached by SSH it is a private key without a passphrase: `... add agentgames main < id_ed25519`.
    The name `host` is for the account with which tables of our own are hosted; all others are a pool for
    players.
    """
    token = _token()
    if not token:
        raise click.UsageError("No token was given.")
    result = context.call("gateway.account.add", platform=platform, name=name, token=token)
    if as_json:
        say_json(result)
        return
    write(f"The account {clean(result['name'], 64)} of {clean(result['platform'], 32)} is there.")


@account.command("remove")
@click.argument("platform", type=PLATFORM)
@click.argument("name", type=ACCOUNT)
@json_option
@pass_context
def account_remove(context: Context, platform: str, name: str, as_json: bool) -> None:
    """Remove the account NAME at PLATFORM, and its token here."""
    result = context.call("gateway.account.remove", platform=platform, name=name)
    if as_json:
        say_json(result)
        return
    write(f"The account {clean(result['name'], 64)} of {clean(result['platform'], 32)} is gone.")


def _clock(platform: Mapping[str, Any]) -> str:
    """The time for a move at a platform, where it has one."""
    seconds = platform.get("move_seconds")
    return "" if seconds is None else f"; {seconds:g} s for a move"


def _host(host: Mapping[str, Any]) -> None:
    """Tables of our own at one platform, and who waits for a place at them."""
    games = ", ".join(clean(app, 16) for app in host["games"])
    write(f"tables of ours at {clean(host['platform'], 32)}: {games}")
    for table in host["tables"]:
        sits = {"house": "the house", "mesh": "a player of the mesh"}.get(table.get("seated", ""), "")
        beside = f", {sits} among them" if sits else ""
        trouble = f"  trouble: {clean(table['trouble'])}" if table.get("trouble") else ""
        place = f"{pad(clean(table['id'], 64) or '-', 17)}  {pad(clean(table['app'], 16), 14)}"
        write(f"  {place}{clean(table['stage'], 16)}, {table['players']} of 2 players{beside}{trouble}")
    for seek in host["seeks"]:
        player = who(seek.get("peer_name", ""), seek["peer"])
        write(f"  {player} waits for {clean(seek['app'], 16)} until {when(seek['until'])}")
    if host.get("trouble"):
        write(f"  trouble: {clean(host['trouble'])}")


def _token() -> str:
    """Not an argument: those are seen by everybody who lists processes."""
    if sys.stdin.isatty():
        typed: str = click.prompt("Token", hide_input=True, err=True)
        return typed.strip()
    line = sys.stdin.readline(MOST_SECRET)
    if line.startswith("-----BEGIN"):
        line += sys.stdin.read(MOST_SECRET)
    return line.strip()


def _seat(seat: Mapping[str, Any]) -> str:
    player = who(seat.get("peer_name", ""), seat["peer"])
    against = f" against {clean(seat['opponent'], 24)}" if seat.get("opponent") else ""
    where = f"{clean(seat['platform'], 16)} {clean(seat['table'], 64)}".strip()
    state = STAGES.get(seat["stage"], clean(seat["stage"], 16))
    if seat["stage"] == "over":
        state = f"{clean(seat.get('result') or 'over', 8)}: {clean(seat['reason'])}"
    elif seat.get("deadline"):
        left = seat["deadline"] - time.time()
        state += f", {age(left)} left" if left > 0 else ", time is up"
    if seat.get("round_trip") is not None and seat["round_trip"] >= 1:
        state += f", {seat['round_trip']:.0f} s on the way to the player and back"
    if seat.get("assisted"):
        state += ", assisted"
    trouble = f"  trouble: {clean(seat['trouble'])}" if seat.get("trouble") else ""
    return f"{seat['id']:>4}  {player}, {clean(seat['app'], 16)} at {where}{against}: {state}{trouble}"
