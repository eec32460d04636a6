"""``lrgpnode chat``: texts to and from a peer."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final

import click

from lrgpnode.cli.context import Context, json_option, pass_context, say_json, write
from lrgpnode.cli.text import clean, when, who
from lrgpnode.cli.types import NAME
from lrgpnode.protocol.plaintext import Unwritable, checked

LONGEST: Final = 2000

LINES: Final = 40
"""Most lines that are shown of one text, after its first."""

WIDEST_INDENT: Final = 16

STATES: Final = {
    "queued": "waits",
    "sending": "is being sent",
    "sent": "sent, not proved yet",
    "delivered": "delivered",
    "stored": "at a propagation node",
    "failed": "not delivered yet",
    "dropped": "not sent",
}
"""What is known of a text of ours, in words."""


@click.command()
@click.argument("peer", type=NAME, required=False)
@click.argument("text", required=False)
@click.option("--limit", type=click.IntRange(1, 50), default=20, show_default=True, help="Most to list.")
@click.option("--cursor", type=NAME, metavar="CURSOR", help="Go on with the list; the list names it.")
@json_option
@pass_context
def chat(
    context: Context,
    peer: str | None,
    text: str | None,
    limit: int,
    cursor: str | None,
    as_json: bool,
) -> None:
    """Write TEXT to PEER, or list the texts there are.

    Texts are plain LXMF messages, so PEER may use any client. Without TEXT the last ones are listed, the
    newest below; without PEER everybody with whom there are any, and how many are unread.
    """
    if peer is None:
        _threads(context, limit, cursor, as_json=as_json)
    elif text is None:
        _list(context, peer, limit, cursor, as_json=as_json)
    else:
        _send(context, peer, text, as_json=as_json)


def _send(context: Context, peer: str, text: str, *, as_json: bool) -> None:
    try:
        text = checked(text)
    except Unwritable as unwritable:
        raise click.BadParameter(str(unwritable), param_hint="TEXT") from None
    result = context.call("message.send", peer=peer, text=text, identity=context.identity)
    if as_json:
        say_json(result)
        return
    left = result["bytes_left"]
    size = (
        f"{left} bytes of its packet are left" if left >= 0 else f"it is {-left} bytes more than a packet has"
    )
    write(f"On its way to {who(result.get('peer_name', ''), result['peer'])}; {size}.")


def _list(context: Context, peer: str, limit: int, cursor: str | None, *, as_json: bool) -> None:
    where = {"peer": peer, "identity": context.identity}
    page = context.call("message.list", **where, limit=limit, cursor=cursor)
    if as_json:
        say_json(page)
        return
    found = page["messages"]
    if any(message["unread"] for message in found):
        context.call("message.read", **where, upto=found[0]["id"])
    name = who(page.get("peer_name", ""), page["peer"])
    if page.get("cursor"):
        older = context.command("chat", page["peer"], "--cursor", clean(page["cursor"]))
        write(f"There are older ones: {older}")
    for message in reversed(found):
        write(_line(message, name))
    if not found:
        write(f"There are no texts of {name} and yours." if cursor is None else "There are no older ones.")


def _shown(text: str) -> str:
    """A text with its lines, as boards have them; the later ones marked, so that none can be forged."""
    first, *later = text[:LONGEST].splitlines() or [""]
    lines = [clean(first, LONGEST)]
    for line in later[:LINES]:
        indent = len(line) - len(line.lstrip(" "))
        lines.append(f"    | {' ' * min(indent, WIDEST_INDENT)}{clean(line, LONGEST)}".rstrip())
    return "\n".join(lines) + (" ..." if len(later) > LINES or len(text) > LONGEST else "")


def _line(message: Mapping[str, Any], name: str) -> str:
    mark = "*" if message["unread"] else " "
    author = "you" if message["own"] else name
    line = f"{mark} {when(message['at'])}  {author}: {_shown(message['text'])}"
    if message.get("cut"):
        line += " [it was longer]"
    state = message.get("state")
    if not state:
        return line
    words = [STATES.get(state) or clean(state, 32)]
    if message.get("reason"):
        words.append(clean(message["reason"]))
    if message.get("next_attempt_at"):
        words.append(f"again {when(message['next_attempt_at'])}")
    if state not in ("delivered", "dropped"):
        words.append(f"number {message['outbox_id']} in the outbox")
    return f"{line}  ({', '.join(words)})"


def _threads(context: Context, limit: int, cursor: str | None, *, as_json: bool) -> None:
    page = context.call("message.threads", identity=context.identity, limit=limit, cursor=cursor)
    if as_json:
        say_json(page)
        return
    for thread in page["threads"]:
        unread, last = thread["unread"], thread["last"]
        news = f"{unread} unread" if unread else ""
        said = f"{'you: ' if last['own'] else ''}{clean(last['text'], 60)}"
        write(f"{when(last['at'])}  {news:<10}  {who(thread.get('peer_name', ''), thread['peer'])}  {said}")
    if not page["threads"]:
        write("Nobody has written yet.")
    if page.get("cursor"):
        write(f"There are more: {context.command('chat', '--cursor', clean(page['cursor']))}")
