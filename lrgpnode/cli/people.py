"""Commands about who plays: our identities, and peers."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import click

from lrgpnode.cli.context import Context, json_option, pass_context, say_json, write
from lrgpnode.cli.text import clean, pad, when


@click.group()
def identity() -> None:
    """Show the identities of the node."""


@identity.command("list")
@json_option
@pass_context
def identity_list(context: Context, as_json: bool) -> None:
    """List all identities."""
    result = context.call("identity.list")
    if as_json:
        say_json(result)
        return
    for one in result["identities"]:
        write(f"{one['hash']}  {clean(one['name'], 64)}{_remarks(one)}")


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


@click.command()
@click.option(
    "--limit", type=click.IntRange(1, 50), default=50, show_default=True, help="Most peers to list."
)
@json_option
@pass_context
def peers(context: Context, limit: int, as_json: bool) -> None:
    """List the peers heard on the mesh, the latest first."""
    result = context.call("peer.list", limit=limit)
    if as_json:
        say_json(result)
        return
    if not result["peers"]:
        announce = context.command("announce")
        write(f"No peer has been heard yet. `{announce}` makes you known to others.")
    for peer in result["peers"]:
        plays = {True: "plays", False: "no games"}.get(peer.get("games"), "")
        hops = "1 hop" if peer["hops"] == 1 else f"{peer['hops']} hops"
        details = f"{pad(plays, 8)}  {pad(hops, 8)}  {when(peer['heard_at'])}"
        write(f"{peer['peer']}  {details}  {clean(peer['name'], 64)}".rstrip())
