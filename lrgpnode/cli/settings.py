"""``lrgpnode config``: the settings, with or without a running node."""

from __future__ import annotations

from typing import Any

import click

from lrgpnode.cli.context import Context, json_option, pass_context, say_json, write
from lrgpnode.cli.exits import CliError, Exit, sentence
from lrgpnode.cli.text import clean, pad, width
from lrgpnode.config import ConfigError
from lrgpnode.control.client import ClientError, NotRunning


@click.group("config")
def config() -> None:
    """Show and change the settings.

    With a running node they go through it, so that what can act at once does; without one only the
    settings file is read and changed. docs/settings.md describes each setting.
    """


@config.command("show")
@click.argument("key", required=False)
@json_option
@pass_context
def show(context: Context, key: str | None, as_json: bool) -> None:
    """Show the settings, a section or one setting.

    Each with its value and where that comes from.
    """
    result, _ = _call(context, "node.config_show", key=key)
    if as_json:
        say_json(result)
        return
    settings = result["settings"]
    if len(settings) == 1:
        _show_one(settings[0])
    else:
        _show_many(settings)
    write(f"\nSettings file: {clean(result['file'])}")
    if result.get("problem"):
        write(f"Problem, for the next start: {clean(result['problem'], 400)}")


def _show_many(settings: list[dict[str, Any]]) -> None:
    table = [("SETTING", "VALUE", "DEFAULT", "FROM", "A CHANGE ACTS")]
    for one in settings:
        later = f", then {_shown(one, one['next_value'])}" if one["pending"] else ""
        acts = "at once" if one["live"] else f"at the next start{later}"
        default = "" if one["secret"] else _shown(one, one["default"])
        table.append((one["key"], _value(one), default, clean(one["origin"], 32), acts))
    widths = [max(min(width(row[column]), 40) for row in table) for column in range(4)]
    for row in table:
        cells = [pad(cell, most) for cell, most in zip(row, widths, strict=False)]
        write("  ".join((*cells, row[4])))


def _show_one(one: dict[str, Any]) -> None:
    write(f"{one['key']}: {_value(one)}")
    write(one["help"])
    write(f"from       {clean(one['origin'], 32)}")
    write(f"must be    {one['limits']}" + (f", in {one['unit']}" if one["unit"] else ""))
    if not one["secret"]:
        write(f"default    {_shown(one, one['default'])}")
    write(f"acts       {'at once' if one['live'] else 'at the next start'}")
    if one["pending"]:
        write(f"next start {_shown(one, one['next_value'])}")


def _value(one: dict[str, Any]) -> str:
    return _shown(one, one["value"])


def _shown(one: dict[str, Any], value: Any) -> str:
    if one["secret"]:
        return "not set" if one["origin"] == "default" else "(secret)"
    if value is None or value in ("", []):
        return "none"
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, list):
        return ", ".join(clean(item, 64) for item in value)
    return f"{clean(value)} {one['unit']}".rstrip()


# A negative number is a value, although it looks like an option.
@config.command("set", context_settings={"ignore_unknown_options": True})
@click.argument("key")
@click.argument("value")
@json_option
@pass_context
def set_(context: Context, key: str, value: str, as_json: bool) -> None:
    """Change a setting.

    A list is given with commas between its values. Comments and layout of the settings file stay.
    """
    from lrgpnode.config.reading import typed  # noqa: PLC0415 - only needed here

    try:
        given = typed(key, value)
    except ConfigError as error:
        raise _wrong(error) from None
    result, running = _call(context, "node.config_set", key=key, value=given)
    _say_changed(result, running, as_json)


@config.command("unset")
@click.argument("key")
@json_option
@pass_context
def unset(context: Context, key: str, as_json: bool) -> None:
    """Go back to the default of a setting.

    Also takes a key out of the settings file that is no setting.
    """
    result, running = _call(context, "node.config_unset", key=key)
    _say_changed(result, running, as_json)


def _say_changed(result: dict[str, Any], running: bool, as_json: bool) -> None:
    if as_json:
        say_json(result)
        return
    key = clean(result["key"], 128)
    match result["acts"]:
        case "now":
            write(f"{key} is changed and acts now.")
        case "overridden":
            option = clean(result["origin"], 32)
            write(f"{key} is changed in the file, but the node was started with {option}, which goes before.")
        case _ if running:
            write(f"{key} is changed; it acts when the node starts next.")
        case _:
            write(f"{key} is changed in {clean(result['file'])}; no node is running.")


def _call(context: Context, method: str, **params: Any) -> tuple[dict[str, Any], bool]:
    """The result of a method of the running node, or of the same method without one; whether one runs."""
    try:
        with context.client() as client:
            return client.call(method, **params), True
    except NotRunning as error:
        # A node that runs but may not be asked must not be worked around.
        if isinstance(error.__cause__, PermissionError):
            raise context.explain(error) from None
    except ClientError as error:
        raise context.explain(error) from None
    return _without_node(context, method, params), False


def _without_node(context: Context, method: str, params: dict[str, Any]) -> dict[str, Any]:
    import asyncio  # noqa: PLC0415 - a client command starts faster without all these

    import msgspec  # noqa: PLC0415

    from lrgpnode.api.settings import SettingsMethods  # noqa: PLC0415
    from lrgpnode.config import Loaded, Settings, load  # noqa: PLC0415
    from lrgpnode.config.configuration import Configuration  # noqa: PLC0415
    from lrgpnode.control.methods import ControlError  # noqa: PLC0415
    from lrgpnode.control.models import METHODS  # noqa: PLC0415

    try:
        if method == "node.config_show":
            loaded = load(context.options())
        else:
            # A file with an error in it must not keep its error from being mended.
            loaded = Loaded(context.paths(), Settings(), {})
        handler = SettingsMethods(Configuration(loaded)).handlers()[method]
        given = {name: value for name, value in params.items() if value is not None}
        result = asyncio.run(handler(msgspec.convert(given, METHODS[method].params)))
    except ConfigError as error:
        raise _wrong(error) from None
    except ControlError as error:
        raise CliError(Exit.CONFIG, error.kind, sentence(error.message), error.hint) from None
    built: dict[str, Any] = msgspec.to_builtins(result)
    return built


def _wrong(error: ConfigError) -> CliError:
    return CliError(Exit.CONFIG, "config", sentence(str(error)), "`lrgpnode config show` lists the settings.")
