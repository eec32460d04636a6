"""Commands about who plays: our identities, and the peers that were heard."""

from __future__ import annotations

import sys
import time
from collections.abc import Callable, Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

import click

from lrgpnode.cli.context import Context, json_option, pass_context, say_json, write
from lrgpnode.cli.exits import CliError, Exit
from lrgpnode.cli.text import ago, clean, pad, when
from lrgpnode.cli.types import APP, NAME, Words

POLICIES = ("open", "everyone", "known", "contacts", "nobody")
IDENTITY_NAME = Words(64)


@click.group()
def identity() -> None:
    """Show and change the identities of the node."""


@identity.command("list")
@json_option
@pass_context
def identity_list(context: Context, as_json: bool) -> None:
    """List all identities; the default one is marked with *."""
    result = context.call("identity.list")
    if as_json:
        say_json(result)
        return
    _list(result)


def _list(result: Mapping[str, Any]) -> None:
    several = len(result["identities"]) > 1
    for one in result["identities"]:
        mark = "* " if one.get("default") else "  " if several else ""
        write(f"{mark}{one['hash']}  {clean(one['name'], 64)}{_remarks(one)}")


def _remarks(one: Mapping[str, Any]) -> str:
    house = " (the house)" if one.get("role") == "house" else ""
    return house + ("" if one["enabled"] else " (disabled)")


@identity.command("show")
@json_option
@pass_context
def identity_show(context: Context, as_json: bool) -> None:
    """Show one identity; its hash is what others challenge.

    Choose with --as where the node has several.
    """
    result = context.call("identity.show", identity=context.identity)
    if as_json:
        say_json(result)
        return
    write(f"name        {clean(result['name'], 64)}{_remarks(result)}")
    write(f"hash        {result['hash']}")
    write(f"made        {when(result['created_at'])}")
    if result.get("announced_at"):
        write(f"announced   {when(result['announced_at'])}")
    if result.get("public_key"):
        write(f"public key  {result['public_key']}")
    if result.get("key_file"):
        write(f"key file    {clean(result['key_file'])}")


@identity.command("create")
@click.argument("name", type=IDENTITY_NAME)
@json_option
@pass_context
def identity_create(context: Context, name: str, as_json: bool) -> None:
    """Make a new identity NAME; it is on the mesh at once."""
    result = context.call("identity.create", name=name)
    if as_json:
        say_json(result)
    else:
        write(f"Made {clean(result['name'], 64)}: {result['hash']}.")
        act = replace(context, identity=result["name"]).command("...")
        always = context.command("identity", "default", result["name"])
        write(f"Act as it with `{act}`, or always with `{always}`.")


@identity.command("import")
@click.argument("file")
@click.option("--name", type=IDENTITY_NAME, required=True, help="What to call it.")
@json_option
@pass_context
def identity_import(context: Context, file: str, name: str, as_json: bool) -> None:
    """Bring in an identity from a key FILE.

    Any Reticulum program writes such a file: 64 bytes, the raw private key. `-` reads it from standard
    input. An identity must not be used by two programs at a time.
    """
    from lrgpnode.cli.keyfile import read_key  # noqa: PLC0415 - only here and for export

    result = context.call("identity.import", name=name, key=read_key(file))
    if as_json:
        say_json(result)
    else:
        write(f"{clean(result['name'], 64)} is here: {result['hash']}.")


@identity.command("export")
@click.argument("identity", type=NAME)
@click.argument("file")
@click.option("--show", is_flag=True, help="Print the key even to a terminal, in hex.")
@json_option
@pass_context
def identity_export(context: Context, identity: str, file: str, show: bool, as_json: bool) -> None:
    """Write the private key of IDENTITY to a new FILE.

    Only you can read it. Whoever has it is the identity. Any Reticulum program can use it. `-` writes
    it to standard output, unless that is a terminal.
    """
    from lrgpnode.cli.keyfile import STDIO, print_key, write_key  # noqa: PLC0415 - as above

    if file == STDIO and as_json:
        raise click.UsageError("--json needs a FILE: the key itself is not printed as JSON.")
    result = context.call("identity.export", identity=identity)
    if file == STDIO:
        print_key(result["key"], show=show)
        return
    path = Path(file).expanduser()
    write_key(result["key"], path)
    if as_json:
        say_json({"hash": result["hash"], "name": result["name"], "file": str(path)})
    else:
        write(f"The key of {clean(result['name'], 64)} is in {clean(path)}. Keep it from everybody.")


@identity.command("rename")
@click.argument("identity", type=NAME)
@click.argument("name", type=IDENTITY_NAME)
@json_option
@pass_context
def identity_rename(context: Context, identity: str, name: str, as_json: bool) -> None:
    """Call IDENTITY by another NAME.

    Others see it with the next announce.
    """
    result = context.call("identity.rename", identity=identity, name=name)
    if as_json:
        say_json(result)
    else:
        write(f"{result['hash']} is called {clean(result['name'], 64)} now.")


def _switch(name: str, help: str, said: str) -> click.Command:
    @click.argument("identity", type=NAME)
    @json_option
    @pass_context
    def command(context: Context, identity: str, as_json: bool) -> None:
        result = context.call(f"identity.{name}", identity=identity)
        if as_json:
            say_json(result)
        else:
            write(f"{clean(result['name'], 64)} {said}")

    command.__doc__ = help
    made: Callable[..., click.Command] = click.command(name)
    return made(command)


identity.add_command(
    _switch("enable", "Bring a disabled IDENTITY back on the mesh.", "is on the mesh again.")
)
identity.add_command(
    _switch(
        "disable",
        "Take IDENTITY off the mesh.\n\nIts games stay, and what it has to send waits until it is enabled.",
        "is off the mesh; its games stay.",
    )
)


@identity.command("delete")
@click.argument("identity", type=NAME)
@click.option("--force", is_flag=True, help="Also with games that go on; no peer is told.")
@click.option("--yes", is_flag=True, help="Do not ask.")
@json_option
@pass_context
def identity_delete(context: Context, identity: str, force: bool, yes: bool, as_json: bool) -> None:
    """Delete IDENTITY for good, with its key and all its games.

    Nobody can bring it back without its key: `lrgpnode identity export` keeps that, and
    `lrgpnode backup` the games, too. To take it off the mesh only, disable it.
    """
    if not yes:
        one = context.call("identity.show", identity=identity)
        _confirm_deletion(context, one)
        identity = one["hash"]
    result = context.call("identity.delete", identity=identity, force=force)
    if as_json:
        say_json(result)
    else:
        write(f"{clean(result['name'], 64)} ({result['hash']}) is deleted.")


def _confirm_deletion(context: Context, one: Mapping[str, Any]) -> None:
    name = clean(one["name"], 64)
    export = context.command("identity", "export", one["hash"][:8], "FILE")
    if not sys.stdin.isatty():
        raise CliError(
            Exit.USAGE,
            "unconfirmed",
            f"{name} would be deleted for good.",
            f"Say so with --yes. `{export}` keeps its key.",
        )
    click.echo(f"{name} ({one['hash']}), its key and all its games would be deleted for good.", err=True)
    click.echo(f"`{export}` keeps its key, `{context.command('backup', 'FILE')}` all there is.", err=True)
    if click.prompt("Its name, to delete it", err=True).strip() != name:
        raise CliError(Exit.FAILED, "unconfirmed", "That is another name; nothing was deleted.")


@identity.command("default")
@click.argument("identity", type=NAME, required=False)
@json_option
@pass_context
def identity_default(context: Context, identity: str | None, as_json: bool) -> None:
    """Mean IDENTITY where a command does not say --as.

    Without an IDENTITY: none is meant, where there are several.
    """
    result = context.call("identity.default", identity=identity)
    if as_json:
        say_json(result)
    else:
        _list(result)


@identity.command("policy")
@click.argument("policy", type=click.Choice(POLICIES), required=False)
@click.option("--app", type=APP, help="Only for this game.")
@click.option("--clear", is_flag=True, help="Without a policy of its own from now on.")
@json_option
@pass_context
def identity_policy(
    context: Context, policy: str | None, app: str | None, clear: bool, as_json: bool
) -> None:
    """See or set whose challenges an identity takes.

    `open` takes everybody's. `everyone` does, too, but those of strangers wait in `lrgpnode requests list`.
    `known` takes those of peers you have played with, and of contacts; `contacts` only the latter's, and
    `nobody` nobody's. Trusted contacts are always let in, and games that have begun go on. Choose the
    identity with --as.
    """
    if policy is not None and clear:
        raise click.UsageError("A policy and --clear exclude each other.")
    result = context.call("identity.policy", identity=context.identity, app=app, policy=policy, clear=clear)
    if as_json:
        say_json(result)
        return
    write(f"all games  {result['policy']}")
    for game, of_game in sorted(result.get("games", {}).items()):
        write(f"{pad(clean(game, 64), 9)}  {of_game}")


@click.command()
@click.argument("search", type=NAME, required=False)
@click.option(
    "--limit", type=click.IntRange(1, 50), default=50, show_default=True, help="Most peers to list."
)
@click.option("--cursor", type=NAME, metavar="CURSOR", help="Go on with the list; the list names it.")
@json_option
@pass_context
def peers(context: Context, search: str | None, limit: int, cursor: str | None, as_json: bool) -> None:
    """List the peers heard on the mesh, the latest first.

    With each: whether it plays, how far it is, when it was heard, its name, and on which interface.
    SEARCH is a part of a name, or the beginning of a hash. `plays` stands by those that announce it, or
    have sent an action of a game.
    """
    result = context.call("peer.list", limit=limit, search=search, cursor=cursor)
    if as_json:
        say_json(result)
        return
    if not result["peers"]:
        announce = context.command("announce")
        write(
            f"No peer has been heard yet. `{announce}` makes you known to others."
            if search is None
            else "No such peer has been heard."
        )
    for peer in result["peers"]:
        write(_peer(peer))
    if result.get("cursor"):
        words = ["peers", *([] if search is None else [search]), "--cursor", clean(result["cursor"])]
        write(f"There are more: {context.command(*words)}")


def _peer(peer: Mapping[str, Any]) -> str:
    announced = {True: "plays", False: "no games", None: ""}[peer.get("games")]
    plays = "plays" if peer.get("played") else announced
    hops = "1 hop" if peer["hops"] == 1 else f"{peer['hops']} hops"
    details = f"{pad(plays, 8)}  {pad(hops, 7)}  {pad(ago(time.time() - peer['heard_at']), 6)}"
    contact, name = clean(peer.get("contact", ""), 64), clean(peer["name"], 64)
    shown = f"{contact} [{name}]" if contact and name and contact != name else contact or name
    blocked = "  (blocked)" if peer.get("blocked") else ""
    where = f"  via {clean(peer['interface'], 40)}" if peer.get("interface") else ""
    return f"{peer['peer']}  {details}  {shown}{blocked}{where}".rstrip()
