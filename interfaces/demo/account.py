"""What a game over the air has cost, action by action: packets and events in, lines for a person out."""

from __future__ import annotations

from collections import deque
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Final

from interfaces.demo.air import Kind, Packet

KEPT: Final = 400
"""Lines that are kept."""

NARROW: Final = 66
"""Below so many columns lines are said in fewer words."""

_DEEDS: Final = {
    "challenge": "challenge",
    "accept": "accept",
    "move": "move",
    "resign": "resignation",
    "draw_offer": "draw offer",
}
_PROVED: Final = ("delivered", "confirmed")


@dataclass(slots=True)
class Deed:
    """An action of the user's on its way: what has gone over the air for it so far. Times in seconds. ``key``
    is the game and the command."""

    what: str
    key: tuple[str, str]
    began: float
    frames: list[int] = field(default_factory=list)
    airtime: float = 0.0
    lost: int = 0
    proved: float | None = None


class Account:
    """``you`` is the user's node in the trace. Clocks are arguments."""

    def __init__(self, you: str) -> None:
        self._you = you
        self.totals: dict[str, float] = {}
        self.deed: Deed | None = None
        self.last: Packet | None = None
        self.lines: deque[str] = deque(maxlen=KEPT)

    def packet(self, packet: Packet) -> None:
        """Something has gone over the air."""
        self.last = packet
        self.totals[packet.node] = self.totals.get(packet.node, 0.0) + packet.seconds
        self.lines.append(line(packet))
        deed = self.deed
        if deed is None or deed.proved is not None:
            return
        if packet.node == self._you and packet.kind is Kind.MESSAGE:
            deed.frames += packet.frames
            deed.airtime += packet.seconds
            deed.lost += not packet.heard

    def event(self, event: Mapping[str, Any], now: float) -> None:
        """An event of the user's node."""
        kind, data = event["type"], event["data"]
        if kind == "game.applied":
            command = str(data["command"])
            what = _DEEDS.get(command, command.replace("_", " "))
            if data["own"]:
                self.deed = Deed(what=what, key=(str(data["id"]), command), began=now)
                self.lines.append(f"Your {what}:")
            else:
                self._prove(now)
                self.lines.append(f"Their {what} is here.")
        elif (
            kind == "game.delivery"
            and data["state"] in _PROVED
            and self.deed is not None
            and (data["id"], data["command"]) == self.deed.key
        ):
            self._prove(now)

    def _prove(self, now: float) -> None:
        """Delivered; or answered, which shows the same."""
        deed = self.deed
        if deed is not None and deed.proved is None:
            deed.proved = now - deed.began
            self.lines.append(f"Your {deed.what} is proved, {deed.proved:.1f} s after you acted.")

    def short(self, columns: int) -> tuple[str, str]:
        """What is on the air, and what the last action has cost."""
        if columns < NARROW:
            return self._last(columns), self._narrow()
        return self._last(columns), self._wide()

    def _last(self, columns: int) -> str:
        if self.last is None:
            return "Nothing was on the air yet."
        if columns < NARROW:
            kind = self.last.kind.value
            return f"{self.last.node} {_bytes(self.last.frames)} {self.last.seconds:.2f} s {kind}"
        totals = ", ".join(f"{name} {seconds:.1f} s" for name, seconds in sorted(self.totals.items()))
        return f"Air: {line(self.last)}. In all: {totals}."

    def _wide(self) -> str:
        deed = self.deed
        if deed is None:
            return "Each action of yours is counted here: its frames, its airtime, and its proof."
        sent = "not on the air yet"
        if deed.frames:
            sent = f"{_frames(deed.frames)}, {deed.airtime:.2f} s on the air"
        lost = f" ({deed.lost} heard by nobody)" if deed.lost else ""
        if deed.proved is None:
            proof = "no proof yet" if deed.frames else ""
        else:
            proof = f"proved after {deed.proved:.1f} s"
        return f"Your {deed.what}: {'; '.join(part for part in (sent + lost, proof) if part)}."

    def _narrow(self) -> str:
        deed = self.deed
        if deed is None:
            return "Your actions are counted here."
        proof = "no proof" if deed.proved is None else f"proof {deed.proved:.1f} s"
        return f"{deed.what} {_bytes(deed.frames)} {deed.airtime:.2f} s, {proof}"


def line(packet: Packet) -> str:
    """One packet in words."""
    what = packet.kind.value if packet.heard else f"{packet.kind.value}, heard by nobody"
    return f"{packet.node} {_bytes(packet.frames)} bytes {packet.seconds:.2f} s {what}"


def _bytes(frames: tuple[int, ...] | list[int]) -> str:
    return "+".join(map(str, frames)) or "-"


def _frames(frames: list[int]) -> str:
    return f"{len(frames)} frame{'' if len(frames) == 1 else 's'}, {_bytes(frames)} bytes"
