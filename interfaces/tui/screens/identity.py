"""What can be done about an identity: used by the identities and by the settings."""

from __future__ import annotations

from collections.abc import Callable

from interfaces.tui.models.settings import POLICIES

from .base import Desk, Json
from .prompt import ask

NAME_LENGTH = 64


def rename(desk: Desk, identity: str, name: str) -> None:
    """Ask for another name."""

    def renamed(result: Json) -> None:
        desk.world.load_identities()
        desk.say(f"It is called {result['name']} now. Others hear of it with the next announce.")

    def answered(typed: str) -> None:
        desk.act("identity.rename", {"identity": identity, "name": typed}, renamed)

    note = "Anybody who hears your announces sees this name."
    ask(desk, "Name", note, answered, value=name, most=NAME_LENGTH)


def create(desk: Desk, then: Callable[[Json], object]) -> None:
    """Ask for the name of a new one, and make it."""
    note = "It gets an address of its own, and is on the mesh at once."
    ask(
        desk,
        "New identity",
        note,
        lambda name: desk.act("identity.create", {"name": name}, then),
        most=NAME_LENGTH,
    )


def choose_policy(desk: Desk, identity: str, name: str) -> None:
    """Ask whose challenges it takes."""
    options = [(str(number), words) for number, words in enumerate(POLICIES.values(), 1)]
    options.append(("d", "as the node does by default"))

    def changed(_: Json) -> None:
        desk.world.load_identities()
        desk.world.answers.ask("identity.policy")
        desk.say("Changed.")

    def chosen(key: str) -> None:
        policy = None if key == "d" else list(POLICIES)[int(key) - 1]
        params = {"identity": identity, "policy": policy, "clear": True if policy is None else None}
        desk.act("identity.policy", params, changed)

    desk.layers.choose(f"Whose challenges does {name} take?", options, chosen)
