"""``lrgpnode propagation``: mail by way of propagation nodes."""

from __future__ import annotations

import time
from collections.abc import Iterator, Mapping
from typing import Any

import click

from lrgpnode.cli.context import Context, json_option, pass_context, say_json, write
from lrgpnode.cli.exits import CliError, Exit, sentence
from lrgpnode.cli.text import age, clean, pad, when
from lrgpnode.cli.types import Words
from lrgpnode.control.client import ClientError, EventStream

NODE = Words(128)
ADDRESS = Words(32)


@click.group()
def propagation() -> None:
    """Mail for peers that are not there, by way of propagation nodes."""


@propagation.command("status")
@json_option
@pass_context
def status(context: Context, as_json: bool) -> None:
    """Show the node in use and when mail was last fetched.

    Also what our own propagation node has, where it is switched on.
    """
    result = context.call("propagation.status")
    if as_json:
        say_json(result)
        return
    current = next((node for node in result["nodes"] if node["current"]), None)
    write(f"node in use   {_name(current) if current else 'none'}")
    if result.get("next_sync"):
        write(f"next fetch    {when(result['next_sync'])}")
    if result["uploads"]:
        write(f"on their way  {result['uploads']} messages")
    for one in result["identities"]:
        write(f"mail of       {one['identity']}: {_mail(one)}")
    host = result.get("host")
    if host:
        write(f"our own node  {host['hash']}")
        write(f"  keeps       {host['messages']} messages, {_size(host['bytes'])} of {_size(host['limit'])}")
        write(f"  has taken   {host['taken']} messages, and given {host['given']}")
        write(f"  asks for    stamps of cost {host['stamp_cost']}")
        for peer in host["peers"]:
            write(f"  peer        {_peer(peer)}")


@propagation.command("list")
@json_option
@pass_context
def list_nodes(context: Context, as_json: bool) -> None:
    """List the propagation nodes, as they are tried.

    The one in use is marked with *.
    """
    result = context.call("propagation.status")
    _say(context, {"current": result["current"], "nodes": result["nodes"]}, as_json=as_json)


@propagation.command("add")
@click.argument("node", type=ADDRESS)
@json_option
@pass_context
def add(context: Context, node: str, as_json: bool) -> None:
    """Put NODE at the end of the list, by its address.

    The setting propagation.nodes is the other way, which also determines the order.
    """
    _say(context, context.call("propagation.add", node=node.lower()), as_json=as_json)


@propagation.command("remove")
@click.argument("node", type=NODE)
@json_option
@pass_context
def remove(context: Context, node: str, as_json: bool) -> None:
    """Take NODE out of the list.

    NODE is its name, its address or the beginning of that.
    """
    _say(context, context.call("propagation.remove", node=node), as_json=as_json)


@propagation.command("use")
@click.argument("node", type=NODE, required=False)
@json_option
@pass_context
def use(context: Context, node: str | None, as_json: bool) -> None:
    """Use NODE before all others from now on.

    Without NODE: none in particular.
    """
    _say(context, context.call("propagation.use", node=node), as_json=as_json)


@propagation.command("sync")
@click.option("--no-wait", is_flag=True, help="Do not wait until the mail is here.")
@json_option
@pass_context
def sync(context: Context, no_wait: bool, as_json: bool) -> int:
    """Fetch mail from the propagation nodes now.

    For all identities, or the one of --as. It ends with 1 where the mail of one could not be fetched.
    """
    if no_wait:
        result = context.call("propagation.sync", identity=context.identity)
        if as_json:
            say_json(result)
        return Exit.OK
    stream = context.events(None)
    try:
        identities = context.call("propagation.sync", identity=context.identity)["identities"]
        results = [_told(news, as_json=as_json) for news in _syncs(context, stream, set(identities))]
    finally:
        stream.close()
    ended = [news for news in results if news["last"]]
    failed = any(news["state"] == "failed" for news in ended)
    if as_json:
        say_json({"identities": ended})
    elif failed:
        raise CliError(
            Exit.FAILED,
            "not_fetched",
            "Not all mail could be fetched.",
            f"See `{context.command('propagation', 'list')}`.",
        )
    return Exit.FAILED if failed else Exit.OK


def _syncs(context: Context, stream: EventStream, open: set[str]) -> Iterator[Mapping[str, Any]]:
    """What the node tells of these identities until all have ended."""
    try:
        while open:
            event = next(stream, None)
            if event is None:
                raise CliError(Exit.NOT_RUNNING, "disconnected", "The node ended the connection.")
            news = event["data"]
            if event["type"] == "propagation.sync" and news["identity"] in open:
                if news["last"]:
                    open.discard(news["identity"])
                yield news
    except ClientError as error:
        raise context.explain(error) from None


def _told(news: Mapping[str, Any], *, as_json: bool) -> Mapping[str, Any]:
    if not as_json:
        write(line(news))
    return news


def line(news: Mapping[str, Any]) -> str:
    """The progress of a sync, for a person."""
    mail = f"mail of {news['identity'][:8]}"
    node = news["node"][:8]
    match news["state"]:
        case "waiting":
            return f"{mail}: waits for its turn"
        case "connecting":
            return f"{mail}: calls node {node}"
        case "asking":
            return f"{mail}: asks node {node}"
        case "receiving":
            return f"{mail}: {news['progress']:.0%}, {news['received']} received"
        case "done":
            left = f"; {news['left']} too large, left there" if news["left"] else ""
            but = f"; but: {clean(news['reason'])}" if news["reason"] else ""
            return f"{mail}: done, {news['received']} received from node {node}{left}{but}"
        case _:
            return f"{mail}: {sentence(clean(news['reason']))}"


def _say(context: Context, result: Mapping[str, Any], *, as_json: bool) -> None:
    if as_json:
        say_json(result)
        return
    if not result["nodes"]:
        write("No propagation node is known. It is used when one is heard, or you add one with")
        write(f"`{context.command('propagation', 'add', 'ADDRESS')}`.")
    for node in result["nodes"]:
        write(_node(node))


def _node(node: Mapping[str, Any]) -> str:
    mark = "*" if node["current"] else " "
    hops = node.get("hops")
    far = "" if hops is None else "1 hop" if hops == 1 else f"{hops} hops"
    cost = "" if node.get("stamp_cost") is None else f"stamp {node['stamp_cost']}"
    heard = when(node["heard_at"]) if node.get("heard_at") else "never heard"
    remarks = [clean(node["name"], 64)] if node["name"] else []
    if node.get("enabled") is False:
        remarks.append("(switched off)")
    if node["failures"]:
        remarks.append(f"(failed {node['failures']}x: {clean(node['reason'])})")
    details = f"{pad(node['source'], 8)}  {pad(far, 7)}  {pad(cost, 8)}  {pad(heard, 16)}"
    return f"{mark} {node['hash']}  {details}  {' '.join(remarks)}".rstrip()


def _name(node: Mapping[str, Any]) -> str:
    return f"{node['hash']}  {clean(node['name'], 64)}".rstrip()


def _mail(one: Mapping[str, Any]) -> str:
    fetched = one.get("fetched_at")
    last = (
        f"fetched {age(time.time() - fetched)} ago, {one['received']} messages"
        if fetched
        else "never fetched"
    )
    now = f"; {one['state']} now" if one.get("state") not in (None, "done", "failed") else ""
    return f"{last}{now}" + (f"; last problem: {clean(one['reason'])}" if one["reason"] else "")


def _size(size: int) -> str:
    return f"{size / 1e6:.1f} MB"


def _peer(peer: Mapping[str, Any]) -> str:
    state = "there" if peer["alive"] else "not there" if peer.get("heard_at") else "never heard"
    counts = f"{peer['sent']} sent, {peer['received']} received, {peer['waiting']} waiting"
    return f"{peer['hash']}  {state}, {counts}  {clean(peer['name'], 64)}".rstrip()
