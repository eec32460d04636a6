"""What a person does in a game, as requests to the node."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from interfaces.tui.live.lists import Key
from interfaces.tui.models import game
from interfaces.tui.models.entry import Move
from interfaces.tui.models.game import Deed, Offer
from lrgpnode.control.client import ClientError

from .base import Desk, Json
from .prompt import ask


class Acting:
    """``made`` is called when a move is committed, ``update`` when something else is."""

    def __init__(self, desk: Desk, made: Callable[[], object], update: Callable[[], object]) -> None:
        self.desk = desk
        self._made = made
        self._update = update
        self._key: Key | None = None
        self._sent = False

    def use(self, key: Key) -> None:
        """Act in this game from now on."""
        self._key, self._sent = key, False

    @property
    def _detail(self) -> Json | None:
        world = self.desk.world
        return world.detail if world.open == self._key else None

    def play(self, moves: tuple[Move, ...]) -> None:
        """Make the one move, or ask which of several it is."""
        if self._sent:
            return
        if len(moves) == 1:
            self.send({"intent": dict(moves[0].intent)}, moves[0].label)
            return
        options = choices(moves)

        def chosen(key: str) -> None:
            label, move = next((name, move) for letter, name, move in options if letter == key)
            self.send({"intent": dict(move.intent)}, label)

        self.desk.layers.choose("Which one?", [(letter, name) for letter, name, _ in options], chosen)

    def send(self, what: dict[str, Any], label: str = "") -> None:
        """Make a move: ``what`` are the parameters of `game.move` that say which."""
        if self._key is None:
            return
        identity, id = self._key
        self._sent = True

        def done(_: Json) -> None:
            self._sent = False
            self._made()
            self.desk.say(f"Played {label}." if label else "Played.")
            self._update()

        def failed(error: ClientError) -> None:
            self._sent = False
            hint = getattr(error, "hint", "")
            self.desk.say(f"{error} {hint}".strip(), trouble=True)

        self.desk.world.call("game.move", {"id": id, "identity": identity, **what}, done, failed)

    def do(self, offer: Offer) -> None:
        """Carry out what is offered, after its question."""
        detail = self._detail
        if detail is None:
            return

        def go() -> None:
            method, params = game.call(offer.deed, detail)
            self.desk.act(method, params, lambda result: self._done(offer, result))

        if offer.question:
            self.desk.layers.confirm(offer.question, go, yes=offer.label.capitalize(), no="No")
        else:
            go()

    def _done(self, offer: Offer, result: Json) -> None:
        if offer.deed is Deed.REMATCH:
            self.desk.open_game((self.desk.world.me, str(result["id"])))
        elif offer.deed is Deed.RESEND:
            count = len(result["messages"])
            self.desk.say(f"Sending {count} again." if count else "Nothing waits to be sent.")
        else:
            self.desk.say(f"Done: {offer.label}.")
        self._update()

    def other(self, ended: bool) -> None:
        """Any command of the game, with what a person types for it."""
        detail = self._detail
        if detail is None or ended:
            return
        world = self.desk.world
        commands = [one for one in world.actions(str(detail["app"])) if one not in ("challenge", "error")]
        keys = "123456789abcdefgh"
        options = list(zip(keys, commands, strict=False))

        def chosen(key: str) -> None:
            command = dict(options)[key]
            note = "What the game wants for it; a blank if it wants nothing."
            ask(self.desk, f"Text for {command}", note, lambda text: self._act(command, text), value="-")

        self.desk.layers.choose("Which command?", options, chosen)

    def _act(self, command: str, text: str) -> None:
        if self._key is not None:
            params = {"id": self._key[1], "identity": self._key[0], "command": command}
            self.desk.act("game.act", params | ({} if text in ("", "-") else {"text": text}))


def choices(moves: tuple[Move, ...]) -> list[tuple[str, str, Move]]:
    """A key for each: the letter in which their labels differ, else a number."""
    letters = [next((char for char in reversed(move.label) if char.isalpha()), "").lower() for move in moves]
    distinct = len(set(letters)) == len(letters) and all(letters)
    order = sorted(zip(letters, moves, strict=True), key=lambda pair: "qrbn".find(pair[0]) % 9)
    return [
        (letter if distinct else str(number), move.label, move)
        for number, (letter, move) in enumerate(order[:9], 1)
    ]
