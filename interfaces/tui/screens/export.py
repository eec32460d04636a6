"""Writing a game to a file."""

from __future__ import annotations

import json
import os
import time
from pathlib import Path
from typing import Any

from .base import Desk, Json
from .prompt import ask

_ENDINGS = {"pgn": "pgn"}


def export(desk: Desk, detail: Json) -> None:
    """Ask for the form and the file, and write it."""
    plain = "PGN" if detail["app"] == "chess" else "Text: the list of moves"
    options = [("p", plain), ("s", f"{plain}, signed: proves who made the moves"), ("j", "JSON: all of it")]

    def chosen(key: str) -> None:
        if key == "j":
            _Journal(desk, detail).fetch()
            return
        where = {"id": detail["id"], "identity": detail["identity"], "signed": key == "s"}
        desk.act("game.export", where, lambda result: _written(desk, detail, result))

    desk.layers.choose("Export this game as", options, chosen)


def _written(desk: Desk, detail: Json, result: Json) -> None:
    ending = _ENDINGS.get(str(result["notation"]), "txt")
    _ask(desk, detail, ending, str(result["content"]))


class _Journal:
    """A game with all of its actions, page after page."""

    def __init__(self, desk: Desk, detail: Json) -> None:
        self._desk = desk
        self._detail = detail
        self._actions: list[Any] = []

    def fetch(self) -> None:
        after = self._actions[-1]["action_num"] if self._actions else None
        where = {"id": self._detail["id"], "identity": self._detail["identity"], "after": after}
        self._desk.act("game.actions", where, self._arrived)

    def _arrived(self, page: Json) -> None:
        self._actions += page["actions"]
        if page["more"] and page["actions"]:
            self.fetch()
            return
        content = json.dumps({"game": self._detail, "actions": self._actions}, indent=1) + "\n"
        _ask(self._desk, self._detail, "json", content)


def file_name(detail: Json, ending: str) -> str:
    """A name that says which game it is."""
    day = time.strftime("%Y%m%d", time.localtime(float(detail["created_at"])))
    app = "".join(char for char in str(detail["app"]) if char.isalnum() or char in "_-")
    return f"{app}-{day}-{str(detail['id'])[:6]}.{ending}"


def _ask(desk: Desk, detail: Json, ending: str, content: str) -> None:
    def answered(name: str) -> None:
        file = Path(name).expanduser()
        if file.exists():
            question = f"{file} exists. Replace it?"
            desk.layers.confirm(question, lambda: _save(desk, file, content), yes="Replace", no="Keep it")
        else:
            _save(desk, file, content)

    note = f"Enter writes it. A relative name is below {Path.cwd()}."
    ask(desk, "Write to the file", note, answered, value=file_name(detail, ending), most=200)


def _save(desk: Desk, file: Path, content: str) -> None:
    try:
        write(file, content)
    except OSError as error:
        desk.say(f"Cannot write {file}: {error.strerror or error}.", trouble=True)
    else:
        desk.say(f"Written to {file}.")


def write(target: Path, content: str) -> None:
    """Write a file that takes the place of ``target`` when it is whole. Raises ``OSError``."""
    temporary = target.with_name(f".{target.name}.{os.getpid()}.part")
    try:
        with temporary.open("x", encoding="utf-8", newline="\n") as stream:
            stream.write(content)
        temporary.replace(target)
    finally:
        temporary.unlink(missing_ok=True)
