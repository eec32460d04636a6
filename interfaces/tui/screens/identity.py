"""What can be done about an identity: used by the identities and by the settings."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

from interfaces.tui.models.settings import POLICIES
from lrgpnode.config import keyfile
from lrgpnode.control.client import CallFailed, ClientError

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


def delete(desk: Desk, identity: str, name: str) -> None:
    """Ask for its name, and delete it; ask once more where games go on."""

    def gone(result: Json) -> None:
        desk.world.load_identities()
        desk.say(f"{result['name']} is deleted.")

    def go(force: bool) -> None:
        params = {"identity": identity, "force": force}
        desk.world.call("identity.delete", params, gone, refused if not force else failed)

    def refused(error: ClientError) -> None:
        if isinstance(error, CallFailed) and "--force" in error.hint:
            desk.layers.confirm(
                f"{error.message} Delete {name} all the same?",
                lambda: go(True),
                yes="Delete it for good",
                no="Keep it",
            )
        else:
            failed(error)

    def failed(error: ClientError) -> None:
        desk.say(str(error), trouble=True)

    def answered(typed: str) -> None:
        if typed == name.strip():
            go(False)
        else:
            desk.say("That is another name; nothing was deleted.")

    note = f"{name}, its key and all its games go for good. Type its name to delete it."
    ask(desk, "Delete an identity", note, answered, most=NAME_LENGTH)


def export(desk: Desk, identity: str, name: str) -> None:
    """Ask for a file, and write the private key into it."""
    plain = "".join(char for char in name if char.isalnum() and char.isascii()) or "identity"

    def answered(typed: str) -> None:
        file = Path(typed).expanduser()
        desk.act("identity.export", {"identity": identity}, lambda result: write(file, str(result["key"])))

    def write(file: Path, key: str) -> None:
        try:
            keyfile.write(key, file)
        except FileExistsError:
            desk.say(f"{file} exists and is left alone.", trouble=True)
        except OSError as error:
            desk.say(f"Cannot write {file}: {error.strerror or error}.", trouble=True)
        else:
            desk.say(f"The key of {name} is in {file}. Keep it from everybody.")

    note = f"Whoever has this file is {name}. Only you can read it. A relative name is below {Path.cwd()}."
    ask(desk, "Write the private key to", note, answered, value=f"{plain}.key", most=200)


def bring_in(desk: Desk, then: Callable[[Json], object]) -> None:
    """Ask for a key file and a name, and bring the identity in."""

    def answered(typed: str) -> None:
        file = Path(typed).expanduser()
        try:
            key = keyfile.read(file)
        except OSError as error:
            desk.say(f"Cannot read {file}: {error.strerror or error}.", trouble=True)
        except ValueError:
            desk.say(f"{file} is no identity of Reticulum: {keyfile.KEY_BYTES} bytes.", trouble=True)
        else:
            named(key, file.stem)

    def named(key: str, stem: str) -> None:
        ask(
            desk,
            "What to call it",
            "Anybody who hears its announces sees this name.",
            lambda name: desk.act("identity.import", {"name": name, "key": key}, then),
            value=stem if stem.isprintable() else "",
            most=NAME_LENGTH,
        )

    note = (
        "Any Reticulum program writes such a file: 64 bytes, the private key. It must not be used by two "
        "programs at a time."
    )
    ask(desk, "Bring in from the key file", note, answered, most=200)
