"""The arcade: running it by itself, its accounts and tokens."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import click

from lrgpnode.cli.context import Context, json_option, pass_context, say_json, write
from lrgpnode.cli.exits import CliError, Exit, sentence
from lrgpnode.cli.ladder import arcade_store, key, ladder, matches, replay
from lrgpnode.cli.text import clean, pad, when
from lrgpnode.cli.types import Words
from lrgpnode.config.kinds import ConfigError, listening, web_address

if TYPE_CHECKING:
    from gateway.arcade.accounts import Accounts
    from gateway.arcade.app import Arcade
    from gateway.arcade.store import Account, Token

ACCOUNT = Words(40)


@click.group()
def arcade() -> None:
    """Run a web server for games, and manage who may use it.

    Programs play there by the RCADIA Agent Protocol, people in a browser. `arcade run` runs it by itself;
    with the setting `arcade.enabled` it is part of the node. Accounts and tokens may be changed at any time.
    """


for _command in (ladder, matches, replay, key):
    arcade.add_command(_command)


@arcade.command("run")
@click.option("--listen", metavar="HOST:PORT", help="Where to listen, instead of the setting arcade.listen.")
@click.option("--public-url", metavar="URL", help="Where others reach it, for links in its answers.")
@click.option("--ssh-listen", metavar="HOST:PORT", help="Where to listen for SSH; see arcade.ssh_listen.")
@click.option("--log-level", metavar="LEVEL", help="debug, info, warning or error.")
@pass_context
def arcade_run(
    context: Context,
    listen: str | None,
    public_url: str | None,
    ssh_listen: str | None,
    log_level: str | None,
) -> None:
    """Run the arcade without a node until it is stopped.

    Its accounts and results are in the data directory. It prints the address once it is open.
    """
    from lrgpnode.config import load  # noqa: PLC0415
    from lrgpnode.logs.system import Log  # noqa: PLC0415 - only a server has a log

    try:
        loaded = load(context.options(log_level=log_level))
    except ConfigError as error:
        raise CliError(Exit.CONFIG, "config", sentence(str(error))) from None
    settings = loaded.settings
    try:
        if listen is not None:
            settings = replace(settings, arcade_listen=listening().parse(listen))
        if public_url is not None:
            settings = replace(settings, arcade_public_url=web_address().parse(public_url))
        if ssh_listen is not None:
            settings = replace(settings, arcade_ssh_listen=listening(nowhere=True).parse(ssh_listen))
    except ValueError:
        message = "A place to listen is HOST:PORT, --public-url an address that begins with http(s)://."
        raise CliError(Exit.USAGE, "usage", message) from None
    with _extra():
        from gateway.arcade.app import ArcadeError  # noqa: PLC0415 - loads aiohttp
        from gateway.arcade.mounted import arcade_settings  # noqa: PLC0415
        from gateway.arcade.standalone import run  # noqa: PLC0415
    Log(settings.node_log_level).start()
    try:
        run(
            arcade_settings(settings, loaded.paths.data),
            _opened,
        )
    except ArcadeError as error:
        raise CliError(Exit.FAILED, "arcade", str(error)) from None


def _opened(arcade: Arcade) -> None:
    write(f"The arcade is open at {arcade.url}")
    if arcade.ssh_address is not None:
        host, port = arcade.ssh_address
        write(f"Programs play over SSH at {host} port {port}")


@arcade.group("account")
def account() -> None:
    """Show and change the accounts of the arcade."""


@account.command("add")
@click.argument("name", type=ACCOUNT)
@click.option("--house", is_flag=True, help="Tables that it hosts are shown as the house's.")
@click.option("--password", "ask", is_flag=True, help="Ask for a password, to sign in to the web pages with.")
@json_option
@pass_context
def account_add(context: Context, name: str, house: bool, ask: bool, as_json: bool) -> None:
    """Make an account NAME.

    A program needs a token of it, a person at the web pages a password, which is asked for or, where
    standard input is no terminal, read from its first line.
    """
    password = _password() if ask else None
    with _accounts(context) as accounts:
        made = accounts.add(name, house=house, password=password)
    if as_json:
        say_json(_account(made))
        return
    write(f"Made the account {clean(made.name)}.")
    command = context.command("arcade", "token", "create", made.name)
    write(f"A program can play as it with a token: `{command}`.")


@account.command("list")
@json_option
@pass_context
def account_list(context: Context, as_json: bool) -> None:
    """List the accounts."""
    with _accounts(context) as accounts:
        found = accounts.all()
    if as_json:
        say_json({"accounts": [_account(one) for one in found]})
        return
    if not found:
        command = context.command("arcade", "account", "add", "NAME")
        write(f"There are no accounts. `{command}` makes one.")
    for one in found:
        remarks = [
            word
            for word, holds in (
                ("the house", one.house),
                ("disabled", one.disabled),
                ("has a password", one.has_password),
            )
            if holds
        ]
        write(f"{pad(clean(one.name), 24)}  {when(one.created_at)}  {', '.join(remarks)}".rstrip())


@account.command("disable")
@click.argument("name", type=ACCOUNT)
@json_option
@pass_context
def account_disable(context: Context, name: str, as_json: bool) -> None:
    """Turn the account NAME off.

    Its tokens and its password do not work until it is enabled.
    """
    _set_disabled(context, name, disabled=True, as_json=as_json)


@account.command("enable")
@click.argument("name", type=ACCOUNT)
@json_option
@pass_context
def account_enable(context: Context, name: str, as_json: bool) -> None:
    """Turn the account NAME on again."""
    _set_disabled(context, name, disabled=False, as_json=as_json)


@account.command("password")
@click.argument("name", type=ACCOUNT)
@click.option("--remove", is_flag=True, help="Take the password away.")
@json_option
@pass_context
def account_password(context: Context, name: str, remove: bool, as_json: bool) -> None:
    """Set the password of the account NAME.

    It is asked for or, where standard input is no terminal, read from its first line. Whoever is signed in
    with the account is signed out.
    """
    password = None if remove else _password()
    with _accounts(context) as accounts:
        changed = accounts.set_password(name, password)
    if as_json:
        say_json(_account(changed))
    else:
        write(f"{clean(changed.name)} has {'no' if remove else 'a new'} password.")


@arcade.group("token")
def token() -> None:
    """Make, show and revoke tokens, with which programs use the arcade."""


@token.command("create")
@click.argument("account", type=ACCOUNT)
@click.option(
    "--scope",
    "scopes",
    type=click.Choice(("play", "host")),
    multiple=True,
    help="What it is for: to play, to host tables; may be given twice. Without it: play.",
)
@click.option("--label", default="", metavar="WORDS", help="What you will know it by.")
@json_option
@pass_context
def token_create(context: Context, account: str, scopes: tuple[str, ...], label: str, as_json: bool) -> None:
    """Make a token of ACCOUNT and print it.

    It is shown this once; only a hash of it is kept.
    """
    with _accounts(context) as accounts:
        made, kept = accounts.new_token(account, scopes or ("play",), label)
    if as_json:
        say_json({**_token(kept), "token": made})
    else:
        write(made)


@token.command("list")
@click.argument("account", type=ACCOUNT, required=False)
@json_option
@pass_context
def token_list(context: Context, account: str | None, as_json: bool) -> None:
    """List the tokens, of ACCOUNT or of all.

    Not the tokens themselves, which nobody keeps.
    """
    with _accounts(context) as accounts:
        found = accounts.tokens(account)
    if as_json:
        say_json({"tokens": [_token(one) for one in found]})
        return
    if not found:
        write("There are no tokens.")
    for one in found:
        what = "signed in" if one.kind == "browser" else " ".join(one.scopes)
        name = pad(clean(one.account_name), 24)
        write(f"{one.id}  {name}  {pad(what, 9)}  {when(one.created_at)}  {clean(one.label)}".rstrip())


@token.command("revoke")
@click.argument("token", metavar="ID", type=Words(12))
@json_option
@pass_context
def token_revoke(context: Context, token: str, as_json: bool) -> None:
    """Make the token with this ID worthless.

    `arcade token list` shows the ID, of which the beginning is enough.
    """
    with _accounts(context) as accounts:
        gone = accounts.revoke(token)
    if as_json:
        say_json(_token(gone))
    else:
        write(f"Revoked the token {gone.id} of {clean(gone.account_name)}.")


def _set_disabled(context: Context, name: str, *, disabled: bool, as_json: bool) -> None:
    with _accounts(context) as accounts:
        changed = accounts.set_disabled(name, disabled=disabled)
    if as_json:
        say_json(_account(changed))
    else:
        write(f"{clean(changed.name)} is {'disabled' if disabled else 'enabled'}.")


@contextmanager
def _extra() -> Iterator[None]:
    try:
        yield
    except ImportError as error:
        if not (error.name or "").startswith(("aiohttp", "multidict", "yarl")):
            raise
        hint = "Install the package `lrgpnode[gateway]`."
        raise CliError(Exit.FAILED, "extra", "The arcade needs aiohttp.", hint) from None


@contextmanager
def _accounts(context: Context) -> Iterator[Accounts]:
    from gateway.arcade.accounts import Accounts  # noqa: PLC0415 - only these commands need it

    with arcade_store(context) as store:
        yield Accounts(store)


def _password() -> str:
    if sys.stdin.isatty():
        typed: str = click.prompt("Password", hide_input=True, confirmation_prompt=True, err=True)
        return typed
    return sys.stdin.readline().rstrip("\r\n")


def _account(one: Account) -> dict[str, Any]:
    return {
        "name": one.name,
        "id": one.id,
        "house": one.house,
        "disabled": one.disabled,
        "has_password": one.has_password,
        "created_at": one.created_at,
    }


def _token(one: Token) -> dict[str, Any]:
    return {
        "id": one.id,
        "account": one.account_name,
        "scopes": list(one.scopes),
        "kind": one.kind,
        "label": one.label,
        "created_at": one.created_at,
        "expires_at": one.expires_at,
    }
