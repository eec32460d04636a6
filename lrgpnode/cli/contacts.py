"""Commands about the address book, blocked peers, and the challenges of strangers."""

from __future__ import annotations

import json
import time
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any, Final

import click

from lrgpnode.cli.context import Context, json_option, pass_context, say_json, write
from lrgpnode.cli.exits import CliError, Exit
from lrgpnode.cli.text import clean, pad, score, when, who
from lrgpnode.cli.types import NAME, SESSION, Words

MOST_BYTES: Final = 4 * 1024 * 1024
"""Of a file of contacts."""

LONGEST_BLOCK: Final = 87_600.0
CONTACT_NAME = Words(64)
NOTE = Words(256)
REASON = Words(128)
KEY = Words(128)


@click.group()
def contacts() -> None:
    """The address book, and whom the node does not listen to."""


@contacts.command("list")
@click.option("--cursor", type=NAME, metavar="CURSOR", help="Go on with the list; the list names it.")
@json_option
@pass_context
def contacts_list(context: Context, cursor: str | None, as_json: bool) -> None:
    """List the contacts by name.

    In brackets: what a peer calls itself, where you call it something else.
    """
    result = context.call("contact.list", cursor=cursor)
    if as_json:
        say_json(result)
        return
    if not result["contacts"]:
        write(f"No contacts yet. `{context.command('contacts', 'add', 'PEER')}` adds one.")
    for contact in result["contacts"]:
        trusted = "trusted" if contact["trust"] == "trusted" else ""
        note = f"  {clean(contact['note'])}" if contact.get("note") else ""
        unheard = "  (never heard)" if contact.get("public_key") is None else ""
        write(f"{contact['peer']}  {pad(trusted, 7)}  {_names(contact)}{note}{unheard}")
    if result.get("cursor"):
        write(f"There are more: {context.command('contacts', 'list', '--cursor', clean(result['cursor']))}")


def _names(peer: Mapping[str, Any]) -> str:
    """What we call a peer, and in brackets what it calls itself, as in the list of peers."""
    name, own = clean(peer.get("name", ""), 64), clean(peer.get("own_name", ""), 64)
    return f"{name} [{own}]" if own and own != name else name


@contacts.command("record")
@click.argument("peer", type=NAME, required=False)
@click.option("--cursor", type=NAME, metavar="CURSOR", help="Go on with the list; the list names it.")
@json_option
@pass_context
def contacts_record(context: Context, peer: str | None, cursor: str | None, as_json: bool) -> None:
    """Show how your games with others have ended.

    With each opponent, or only with PEER; the most games first. It counts LRGP games that were finished, also
    those that were deleted since; not those that expired, were abandoned, or were out of sync. It is kept on
    this node and sent to nobody.
    """
    result = context.call("contact.record", identity=context.identity, peer=peer, cursor=cursor)
    if as_json:
        say_json(result)
        return
    if not result["records"]:
        write(
            "No game has been finished yet." if peer is None else "No game with that peer has been finished."
        )
    for record in result["records"]:
        write(f"{who(record.get('peer_name', ''), record['peer'])}: {score(record)}")
        if peer is not None or len(record["apps"]) > 1:
            for one in record["apps"]:
                write(f"  {pad(clean(one['app'], 64), 13)} {score(one)}")
    if result.get("cursor"):
        words = ("contacts", "record", "--cursor", clean(result["cursor"]))
        write(f"There are more: {context.command(*words)}")


@contacts.command("add")
@click.argument("peer", type=NAME)
@click.option("--name", type=CONTACT_NAME, help="What to call the peer; else what it calls itself.")
@click.option("--note", type=NOTE, help="A note for yourself.")
@click.option("--trust", is_flag=True, help="Take the peer's challenges whatever the policy.")
@click.option("--key", type=KEY, metavar="HEX", help="The peer's public key, if it was never heard.")
@json_option
@pass_context
def contacts_add(
    context: Context,
    peer: str,
    name: str | None,
    note: str | None,
    trust: bool,
    key: str | None,
    as_json: bool,
) -> None:
    """Put PEER into the address book, or change its entry.

    PEER is a name, a hash or the beginning of a hash, from `lrgpnode peers`, or a whole hash.
    """
    trusted = "trusted" if trust else None
    result = context.call(
        "contact.add",
        peer=peer,
        name=name,
        note=note,
        trust=trusted,
        public_key=None if key is None else key.lower(),
    )
    _say(result, f"{who(result['name'], result['peer'])} is in the address book.", as_json=as_json)


@contacts.command("remove")
@click.argument("peer", type=NAME)
@json_option
@pass_context
def contacts_remove(context: Context, peer: str, as_json: bool) -> None:
    """Take PEER out of the address book."""
    result = context.call("contact.remove", peer=peer)
    _say(result, f"{clean(peer, 64)} is no contact any more.", as_json=as_json)


@contacts.command("rename")
@click.argument("peer", type=NAME)
@click.argument("name", type=CONTACT_NAME)
@json_option
@pass_context
def contacts_rename(context: Context, peer: str, name: str, as_json: bool) -> None:
    """Call the contact PEER by another NAME."""
    result = context.call("contact.rename", peer=peer, name=name)
    _say(result, f"{result['peer'][:8]} is called {clean(result['name'], 64)} now.", as_json=as_json)


@contacts.command("trust")
@click.argument("peer", type=NAME)
@click.option("--no", "revoke", is_flag=True, help="Trust the contact no more than others.")
@json_option
@pass_context
def contacts_trust(context: Context, peer: str, revoke: bool, as_json: bool) -> None:
    """Take the challenges of PEER whatever the policy.

    It must be a contact.
    """
    result = context.call("contact.trust", peer=peer, trust="known" if revoke else "trusted")
    said = "a contact like others" if revoke else "trusted"
    _say(result, f"{who(result['name'], result['peer'])} is {said} now.", as_json=as_json)


@contacts.command("block")
@click.argument("peer", type=NAME)
@click.option("--reason", type=REASON, help="A reminder for yourself; the peer is told nothing.")
@click.option(
    "--hours",
    type=click.FloatRange(0, LONGEST_BLOCK, min_open=True),
    help="For how long; for good without it.",
)
@json_option
@pass_context
def contacts_block(
    context: Context, peer: str, reason: str | None, hours: float | None, as_json: bool
) -> None:
    """Listen to PEER no more, in no game, from now on.

    What of the peer waits is dropped. The running node does it at once.
    """
    result = context.call("contact.block", peer=peer, reason=reason or "", hours=hours)
    until = f" until {when(result['until'])}" if result.get("until") else ""
    _say(result, f"{who(result.get('name', ''), result['peer'])} is blocked{until}.", as_json=as_json)


@contacts.command("unblock")
@click.argument("peer", type=NAME)
@json_option
@pass_context
def contacts_unblock(context: Context, peer: str, as_json: bool) -> None:
    """Listen to PEER again."""
    result = context.call("contact.unblock", peer=peer)
    _say(result, f"{clean(peer, 64)} is not blocked any more.", as_json=as_json)


@contacts.command("blocked")
@json_option
@pass_context
def contacts_blocked(context: Context, as_json: bool) -> None:
    """List the blocked peers."""
    result = context.call("contact.blocked")
    if as_json:
        say_json(result)
        return
    if not result["blocks"]:
        write("Nobody is blocked.")
    for block in result["blocks"]:
        until = f"until {when(block['until'])}" if block.get("until") else "for good"
        words = "  ".join(text for text in (_names(block), clean(block["reason"])) if text)
        write(f"{block['peer']}  {pad(until, 22)}  {words}".rstrip())


@contacts.command("export")
@click.argument("file", type=click.Path(path_type=Path, dir_okay=False))
@json_option
@pass_context
def contacts_export(context: Context, file: Path, as_json: bool) -> None:
    """Write contacts and blocked peers to a new JSON FILE."""
    content = {"contacts": list(_all_contacts(context)), "blocks": context.call("contact.blocked")["blocks"]}
    try:
        with file.open("x", encoding="utf-8") as output:
            json.dump(content, output, indent=1)
    except OSError as error:
        raise CliError(Exit.FAILED, "file", f"Cannot write {file}: {error.strerror}.") from None
    counted = {"contacts": len(content["contacts"]), "blocks": len(content["blocks"]), "file": str(file)}
    said = f"{counted['contacts']} contacts and {counted['blocks']} blocked peers are in {clean(file)}."
    _say(counted, said, as_json=as_json)


def _all_contacts(context: Context) -> Iterator[dict[str, Any]]:
    cursor = None
    while True:
        page = context.call("contact.list", cursor=cursor)
        yield from page["contacts"]
        cursor = page.get("cursor")
        if cursor is None:
            return


@contacts.command("import")
@click.argument("file", type=click.Path(path_type=Path, dir_okay=False))
@json_option
@pass_context
def contacts_import(context: Context, file: Path, as_json: bool) -> None:
    """Add the contacts and blocked peers of a FILE.

    `contacts export` made it. What is in the address book already is changed to what the file says.
    """
    content = _read(file)
    now, done = time.time(), {"contacts": 0, "blocks": 0}
    for contact in _rows(content, "contacts"):
        known = {name: contact.get(name) for name in ("name", "note", "trust", "public_key")}
        context.call("contact.add", peer=contact.get("peer"), **known)
        done["contacts"] += 1
    for block in _rows(content, "blocks"):
        until = block.get("until")
        hours = (until - now) / 3600 if isinstance(until, int | float) else None
        if hours is None or hours > 0:
            context.call("contact.block", peer=block.get("peer"), reason=block.get("reason"), hours=hours)
            done["blocks"] += 1
    _say(done, f"{done['contacts']} contacts and {done['blocks']} blocked peers are in.", as_json=as_json)


def _read(file: Path) -> Mapping[str, Any]:
    try:
        with file.open("rb") as opened:
            content = json.loads(opened.read(MOST_BYTES))
    except OSError as error:
        raise CliError(Exit.FAILED, "file", f"Cannot read {file}: {error.strerror}.") from None
    except (ValueError, RecursionError):
        content = None
    if not isinstance(content, dict):
        raise CliError(Exit.FAILED, "file", f"{file} is no file of contacts.")
    return content


def _rows(content: Mapping[str, Any], name: str) -> list[dict[str, Any]]:
    rows = content.get(name)
    return [row for row in rows if isinstance(row, dict)] if isinstance(rows, list) else []


@click.group()
def requests() -> None:
    """Challenges of strangers: let them in, or forget them.

    `lrgpnode accept ID` lets one in and accepts it at once.
    """


@requests.command("list")
@json_option
@pass_context
def requests_list(context: Context, as_json: bool) -> None:
    """List the challenges of strangers, the newest first."""
    result = context.call("request.list")
    if as_json:
        say_json(result)
        return
    if not result["requests"]:
        write("No stranger has challenged you.")
    for request in result["requests"]:
        app = pad(clean(request["app"], 64), 13)
        write(f"{request['id']}  {app}  {who(request.get('peer_name', ''), request['peer'])}")


@requests.command("accept")
@click.argument("id", type=SESSION)
@json_option
@pass_context
def requests_accept(context: Context, id: str, as_json: bool) -> None:
    """Let the challenge ID in; then it waits among the games."""
    result = context.call("request.accept", id=id, identity=context.identity)
    accept = context.command("accept", result["id"])
    _say(result, f"The challenge is let in; `{accept}` begins the game.", as_json=as_json)


@requests.command("decline")
@click.argument("id", type=SESSION)
@json_option
@pass_context
def requests_decline(context: Context, id: str, as_json: bool) -> None:
    """Forget the challenge ID; the peer is told nothing."""
    result = context.call("request.decline", id=id, identity=context.identity)
    _say(result, f"The challenge {id} is forgotten.", as_json=as_json)


def _say(result: Mapping[str, Any], said: str, *, as_json: bool) -> None:
    if as_json:
        say_json(result)
    else:
        write(said)
