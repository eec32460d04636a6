"""The opponent in the house."""

from __future__ import annotations

import click

from lrgpnode.cli.context import Context, json_option, pass_context, say_json, write
from lrgpnode.cli.text import clean, pad


@click.command()
@json_option
@pass_context
def house(context: Context, as_json: bool) -> None:
    """Show the opponent in the house, and the levels it plays at.

    It is there unless the setting `house.enabled` says no. Challenge it like anybody else, with
    `lrgpnode challenge house chess`; --level says how strong it shall be.
    """
    result = context.call("house.show")
    if as_json:
        say_json(result)
        return
    if not result["enabled"]:
        settings = context.command("config", "set", "house.enabled", "true")
        write(f"There is no opponent in the house. `{settings}` and a restart of the node bring it.")
        return
    write(f"{clean(result['name'], 64)} ({result['identity']})")
    where = "anybody on the mesh" if result["open_to_peers"] else "the people of this node"
    write(f"plays with {where}; {result['live_games']} games go on")
    for game in result["games"]:
        levels = (
            f"{level['number']} {clean(level['name'], 32)}"
            + (" (usual)" if level["number"] == game["usual"] else "")
            for level in game["levels"]
        )
        write(f"{pad(clean(game['app'], 16), 14)}  {', '.join(levels)}")
    name = result["name"]
    example = context.command("challenge", name, "chess", "--level", "1")
    write(f"Play: `{example}`")
