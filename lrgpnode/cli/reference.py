"""The reference page of the command line, made from the commands.

``python -m lrgpnode.cli.reference > docs/commands.md``
"""

from __future__ import annotations

import inspect
import sys
from collections.abc import Iterator
from typing import Final

import click

from lrgpnode.cli.exits import MEANINGS
from lrgpnode.cli.group import DefaultGroup
from lrgpnode.cli.root import lrgpnode

RESULTS: Final = {
    "status": "node.status",
    "stop": "node.stop",
    "announce": "node.announce",
    "metrics": "node.metrics",
    "config show": "node.config_show",
    "config set": "node.config_set",
    "config unset": "node.config_unset",
    "identity list": "identity.list",
    "identity show": "identity.show",
    "identity create": "identity.create",
    "identity import": "identity.import",
    "identity rename": "identity.rename",
    "identity enable": "identity.enable",
    "identity disable": "identity.disable",
    "identity default": "identity.default",
    "identity delete": "identity.delete",
    "identity policy": "identity.policy",
    "peers": "peer.list",
    "contacts list": "contact.list",
    "contacts record": "contact.record",
    "contacts add": "contact.add",
    "contacts remove": "contact.remove",
    "contacts rename": "contact.rename",
    "contacts trust": "contact.trust",
    "contacts block": "contact.block",
    "contacts unblock": "contact.unblock",
    "contacts blocked": "contact.blocked",
    "requests list": "request.list",
    "requests accept": "request.accept",
    "requests decline": "request.decline",
    "house": "house.show",
    "ladder": "ladder.show",
    "ladder matches": "ladder.matches",
    "ladder replay": "ladder.replay",
    "challenge": "game.challenge",
    "accept": "game.accept",
    "decline": "game.decline",
    "move": "game.move",
    "draw": "game.draw",
    "act": "game.act",
    "resign": "game.resign",
    "actions": "game.actions",
    "propagation status": "propagation.status",
    "propagation add": "propagation.add",
    "propagation remove": "propagation.remove",
    "propagation use": "propagation.use",
    "outbox list": "outbox.list",
    "outbox resend": "outbox.resend",
    "outbox cancel": "outbox.cancel",
    "resend": "game.resend",
    "abandon": "game.abandon",
    "delete": "game.delete",
    "backup": "node.backup",
    "gateway status": "gateway.status",
    "gateway tables": "gateway.tables",
    "gateway seats": "gateway.seats",
    "gateway leave": "gateway.leave",
    "gateway seek": "gateway.seek",
    "gateway unseek": "gateway.unseek",
    "gateway account list": "gateway.account.list",
    "gateway account add": "gateway.account.add",
    "gateway account remove": "gateway.account.remove",
}
"""Whose result a command prints with --json, where that is all there is to say."""

_ACCOUNT: Final = "`name`, `id`, `house`, `disabled`, `has_password`, `created_at`."
_ISSUED: Final = "`id`, `account`, `scopes`, `kind`, `label`, `created_at`, `expires_at`."

_KEY: Final = "`id`, `account`, `fingerprint`, `key`, `comment`, `created_at`."

OTHER_RESULTS: Final = {
    "arcade account add": _ACCOUNT,
    "arcade account list": f"`accounts`, each with {_ACCOUNT}",
    "arcade account disable": _ACCOUNT,
    "arcade account enable": _ACCOUNT,
    "arcade account password": _ACCOUNT,
    "arcade token create": f"the token itself as `token`; {_ISSUED}",
    "arcade token list": f"`tokens`, each with {_ISSUED}",
    "arcade token revoke": _ISSUED,
    "arcade key add": _KEY,
    "arcade key list": f"`keys`, each with {_KEY}",
    "arcade key remove": _KEY,
    "arcade ladder": "`game`, `total`, `players` as the `rows` of [ladder.show](control-api.md#laddershow).",
    "arcade matches": (
        "`matches` as of [ladder.matches](control-api.md#laddermatches), and `before`, which asks for the "
        "next page; null on the last one."
    ),
    "arcade replay": (
        "`match` as of [ladder.replay](control-api.md#ladderreplay), `rows` of the first board, `steps` with "
        "`move`, `label`, and the `rows` after it, and the last `fen` of chess."
    ),
    "propagation list": "as of `propagation add`: `current` and `nodes`.",
    "propagation sync": (
        "`identities`, for each the last event [propagation.sync](control-api.md#propagationsync-1); with "
        "`--no-wait` the result of [propagation.sync](control-api.md#propagationsync)."
    ),
    "identity export": (
        "`hash` and `name` of the identity and the `file`. The key is in the file only; "
        "[identity.export](control-api.md#identityexport) has it."
    ),
    "contacts export": "`contacts` and `blocks`, how many there are, and the `file`.",
    "contacts import": "`contacts` and `blocks`, how many came in.",
    "games": (
        "the result of [game.list](control-api.md#gamelist), or with an ID that of "
        "[game.show](control-api.md#gameshow), and with `--at` that of "
        "[game.frames](control-api.md#gameframes). For people, showing a game also marks it as seen, with "
        "[game.read](control-api.md#gameread)."
    ),
    "games export": (
        "the result of [game.export](control-api.md#gameexport); with a FILE `output` instead of `content`."
    ),
    "games verify": (
        "what is proven: `app`, `version`, `session`, `players`, `initiator`, `status`, `reason`, `winner`, "
        "`turn`, `ply`, `position`, `text`, `actions` with `number`, `author`, `command`, `hash`; `unproven` "
        "numbers; what the exporter says: `exporter`, `exported_at`, `players[].name`; what the authors say: "
        "`actions[].written_at`. `both`: whether the other player's record was given and tells the same."
    ),
    "chat": (
        "with a TEXT the result of [message.send](control-api.md#messagesend), with a PEER that of "
        "[message.list](control-api.md#messagelist), else that of "
        "[message.threads](control-api.md#messagethreads). For people, what is listed counts as read, with "
        "[message.read](control-api.md#messageread)."
    ),
    "log": (
        "the result of [node.log](control-api.md#nodelog), with `--set-level` that of "
        "[node.log_level](control-api.md#nodelog_level), with `--follow` one "
        "[LogLine](control-api.md#logline) a line."
    ),
    "service install": "`written`, the files; with `--print` `files`, each with `path` and `content`.",
    "service uninstall": "`removed`, the files.",
    "service show": (
        "`unit`, `installed`, `current` (the unit is what this installation would write), `active` "
        "as `systemctl is-active` says it, `data`, `socket`."
    ),
    "watch": "one [event](control-api.md#events) a line.",
    "radio list": (
        "`ports`, the likeliest radio first: `port` (the name to configure), `name` (the kernel's), `kind` "
        "(`radio`, `bootloader`, `usb` or `uart`), `usb` (`vendor:product`), `title` and `serial` as the "
        "device says them, `boards` with such ids, `user`, `group`, `allowed`, `holder` (who has it open) "
        "and `console` (where a login console is set up on it)."
    ),
    "radio probe": (
        "`port`, `firmware`, `accepted` (Reticulum works with it), `platform`, `mcu`, `provisioned`, "
        "`product` and `model` of the EEPROM, and `board`: null if it is not known, else `name`, `chip`, "
        "`low_hz`, `high_hz`, `max_tx_dbm`, `notes`."
    ),
    "radio setup": (
        "`file`, `written`, `changed` (something differs), `backup` (the old file), `name` of the interface, "
        "`region`, `options` of its section, and `restart`: for each `program` the `command`."
    ),
    "radio show": (
        "`file` and `radios`: `name`, `enabled`, `port`, the numbers `frequency` and `bandwidth` in Hz, "
        "`spreading_factor`, `coding_rate`, `txpower`, `airtime_limit_long`, `airtime_limit_short`, then "
        "`flow_control`, `mode`, `network_name`, `passphrase` (whether there is one), `preset`, `line` "
        "and `words`."
    ),
    "radio status": (
        "the result of [radio.status](control-api.md#radiostatus), and as `airtime` that of "
        "[radio.airtime](control-api.md#radioairtime)."
    ),
    "radio check": "the event [radio.checked](control-api.md#radiochecked).",
    "radio simulate": (
        "one line as soon as the ports are there: `ready`, `pid`, `ports` by name, `control` (the socket for "
        "commands), `trace` (a file), `scale`."
    ),
    "doctor": (
        "`ok` (no errors), `findings` with `id`, `severity` (`error`, `warning` or `note`), `cause` and "
        "`fix`, and `checked`, what was looked at. The exit code is 1 where an error was found."
    ),
    "db check": "`ok`, `path`, `version`, `size` and `log_size` in bytes, `rows` by table, `problems`.",
    "db backup": "the same as `db check`, about the copy.",
    "restore": (
        "`data`, `created_at`, `program` (the version that made the backup), `identities`, `sessions` (the "
        "number of games) and `moved`, where the directory that was there is now, or null."
    ),
    "db export": "`sessions`, their number, and `output`; printed only with `--output`.",
}

_INTRODUCTION: Final = """\
# Commands

<!-- Made by `python -m lrgpnode.cli.reference > docs/commands.md` from lrgpnode/cli. -->

`lrgpnode run` runs a node. Every other command except `db`, `doctor`, `radio`, `restore`, `service`,
`games verify` and `conform` talks to a running one, over its [control socket](control-api.md), and answers
at once: what it starts is sent in the background, and `lrgpnode watch` or `lrgpnode games ID` shows what
became of it.

A session id may be shortened to a unique beginning of it. Texts of peers are shown without control, bidi
and invisible characters, and cut where they are long; next to a peer's name is always the beginning of its
hash, because anybody may take any name. An argument that begins with `-` goes after `--`.

## Which node

`lrgpnode [OPTIONS] COMMAND` with

"""

_JSON: Final = """
## JSON

With `--json` a command prints one JSON object on one line, in ASCII, and nothing else. Later versions may
add fields. Texts of peers are whole there. An error is printed on standard output as well:

```
{"error": {"kind": "validation", "message": "'zz' is not a legal move here.", "hint": ""}}
```

`kind` is for programs; `message` and `hint`, which may be empty, are for people. Kinds of the command line
itself are `usage`, `not_running`, `disconnected`, `config`, `storage` and `cannot_write`; all others are
those of the [control API](control-api.md#errors). `run` and `conform` have no `--json`.

## Exit codes

| code | meaning |
| --- | --- |
"""


def page() -> str:
    """The whole page."""
    top = click.Context(lrgpnode, info_name="lrgpnode")
    lines = [_INTRODUCTION + "\n".join(_parameters(lrgpnode))]
    lines.append(_JSON + "\n".join(f"| {int(code)} | {meaning} |" for code, meaning in MEANINGS.items()))
    lines.append("\n## Commands")
    for name, command in leaves(top):
        lines += ["", f"### {name}", "", f"    lrgpnode {name}{_usage(command)}"]
        lines += ["", _paragraphs(command)]
        table = _parameters(command)
        lines += ["", *table] if table else []
        said = OTHER_RESULTS.get(name)
        if name in RESULTS:
            method = RESULTS[name]
            said = f"the result of [{method}](control-api.md#{method.replace('.', '')})."
        lines += ["", f"JSON: {said}"] if said else []
    return "\n".join(lines) + "\n"


def leaves(ctx: click.Context, prefix: str = "") -> Iterator[tuple[str, click.Command]]:
    """Every command that does something, by its full name."""
    group = ctx.command
    assert isinstance(group, click.Group)
    for name in group.list_commands(ctx):
        command = group.get_command(ctx, name)
        assert command is not None
        if isinstance(command, DefaultGroup):
            yield f"{prefix}{name}", command.default
        if isinstance(command, click.Group):
            yield from leaves(click.Context(command, parent=ctx, info_name=name), f"{prefix}{name} ")
        else:
            yield f"{prefix}{name}", command


def _usage(command: click.Command) -> str:
    options = " [OPTIONS]" if any(isinstance(param, click.Option) for param in command.params) else ""
    return options + "".join(
        f" {_argument(param)}" for param in command.params if isinstance(param, click.Argument)
    )


def _argument(argument: click.Argument) -> str:
    if isinstance(argument.type, click.Choice):
        name = "|".join(map(str, argument.type.choices))
    else:
        name = (argument.name or "").upper() + ("..." if argument.nargs == -1 else "")
    return name if argument.required else f"[{name}]"


def _paragraphs(command: click.Command) -> str:
    paragraphs = inspect.cleandoc(command.help or "").split("\n\n")
    return "\n\n".join(" ".join(paragraph.split()) for paragraph in paragraphs)


def _parameters(command: click.Command) -> list[str]:
    options = [param for param in command.params if isinstance(param, click.Option)]
    options = [option for option in options if option.name != "as_json"]  # said once, for all
    if not options:
        return []
    return ["| option | |", "| --- | --- |", *(f"| `{_option(one)}` | {_help(one)} |" for one in options)]


def _option(option: click.Option) -> str:
    names = ", ".join(option.opts)
    if option.is_flag:
        return names
    if isinstance(option.type, click.Choice):
        # A bar would end the cell of the table.
        return f"{names} {' / '.join(map(str, option.type.choices))}"
    return f"{names} {option.metavar or 'N'}"


def _help(option: click.Option) -> str:
    default = f" Default: `{option.default}`." if option.show_default else ""
    return (option.help or "") + default


if __name__ == "__main__":
    sys.stdout.write(page())
