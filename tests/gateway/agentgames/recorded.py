"""What was recorded from the reference server: 46 situations, one file each, and each cut into connections.

Fields of an entry: ``t`` seconds, ``who``, ``via`` (ws, ssh), ``dir`` (c2s, s2c, event), then ``data``
(``op``, ``fin``), ``http`` (``headers``, ``body``) or ``event``.
"""

from __future__ import annotations

import json
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Final

FOLDER: Final = Path(__file__).parent / "transcripts"
NAMES: Final = sorted(path.stem for path in FOLDER.glob("*.jsonl"))


def read(name: str) -> list[dict[str, Any]]:
    """The entries of one situation, in order."""
    text = (FOLDER / f"{name}.jsonl").read_text(encoding="utf-8")
    return [json.loads(line) for line in text.splitlines() if line]


@dataclass
class Recording:
    """What the server said on one connection, and the moves that the client sent.

    ``status``: of HTTP where there was no WebSocket.
    """

    who: str
    via: str
    status: int = 0
    body: str = ""
    lines: list[str] = field(default_factory=list)
    sent: list[str] = field(default_factory=list)
    over: bool = False

    @property
    def messages(self) -> list[dict[str, Any]]:
        """The lines that are JSON."""
        return [json.loads(line) for line in self.lines if line.startswith("{")]

    @property
    def last(self) -> dict[str, Any]:
        return self.messages[-1] if self.messages else {}

    @property
    def game(self) -> str:
        return next((m["game"] for m in self.messages if m["type"] in ("queued", "hello")), "ttt")

    @property
    def boards(self) -> list[list[str]]:
        """The cells of every state, in reading order; the first is empty."""
        shown = [m["observation"]["board"] for m in self.messages if m["type"] == "state"]
        return [[cell for row in board for cell in row] for board in shown]

    @property
    def moves(self) -> list[int]:
        """Every move that a state shows."""
        played = []
        for before, after in zip(self.boards, self.boards[1:], strict=False):
            changed = [at for at in range(len(before)) if before[at] != after[at]]
            played += [at % 7 if self.game == "c4" else at for at in changed]
        return played


def connections(name: str) -> list[Recording]:
    """Every connection of a situation, in the order of their beginnings."""
    entries = read(name)
    found: list[Recording] = []
    latest: dict[str, Recording] = {}
    labels: dict[str, str] = {}
    labelled = any("(" in entry["who"] for entry in entries)
    for entry in entries:
        who = entry["who"]
        if labelled:
            # Two games at once: an entry without its game belongs to the one that it names, or the last one.
            who = labels[who.partition("(")[0]] = _label(entry, labels)
        if entry["dir"] == "event":
            if any(word in entry["event"] for word in _ENDS) and who in latest:
                latest[who].over = True
        elif entry["dir"] == "c2s":
            if who in latest and _is_move(entry.get("data", "")):
                latest[who].sent.append(json.loads(entry["data"])["move"])
        elif "http" in entry:
            status = int(entry["http"].split()[1])
            if status != 101:
                found.append(Recording(who, "ws", status, entry.get("body", "")))
        elif entry.get("op") in (None, "text"):
            if who not in latest or latest[who].over or '"queued"' in entry["data"]:
                latest[who] = Recording(who, entry["via"])
                found.append(latest[who])
            latest[who].lines.append(entry["data"])
    return found


_ENDS: Final = ("closed", "ssh exit", "client killed", "client drops")


def _label(entry: dict[str, Any], labels: dict[str, str]) -> str:
    who: str = entry["who"]
    data = entry.get("data", "")
    game = json.loads(data).get("game") if data.startswith("{") else None
    if "(" in who:
        return who
    return f"{who}({game})" if game else labels.get(who, who)


def _is_move(data: str) -> bool:
    try:
        message = json.loads(data)
    except ValueError:
        return False
    return isinstance(message, dict) and isinstance(message.get("move"), str)
