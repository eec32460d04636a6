"""What moves cost on the air, read from the trace, beside what they must cost at least."""

from __future__ import annotations

import sqlite3
import statistics
from collections import Counter
from collections.abc import Iterable
from contextlib import closing
from dataclasses import dataclass

import msgpack

from lrgpnode.airtime.modem import Modem, frames
from tests.e2e.nodes import until
from tests.e2e.table import Table
from tests.radio.air import Air, Json, RadioNode

PROOF_BYTES = 83
"""A delivery proof: two bytes of header, the packet's hash, the context, the signature."""

PRESETS = {
    "SF7/125": Modem(125_000, 7, 5),
    "SF8/125": Modem(125_000, 8, 5),
    "SF10/125": Modem(125_000, 10, 5),
    "SF12/125": Modem(125_000, 12, 5),
    "SF11/250": Modem(250_000, 11, 5),
    "SF7/500": Modem(500_000, 7, 5),
}


def message_packet_bytes(envelope: bytes, text: str) -> int:
    """The Reticulum packet of one opportunistic LXMF message with nothing but these in it.

    Its payload is timestamp, empty title, text and the two fields; it goes without the destination's hash,
    encrypted with an ephemeral key (32), a nonce (16) and a MAC (32), after a header of 19 bytes.
    """
    payload = msgpack.packb([1.5, b"", text.encode(), {0xFB: "lrgp.v1", 0xFD: msgpack.unpackb(envelope)}])
    plain = 16 + 64 + len(payload)
    return 19 + 32 + 16 + 16 * (plain // 16 + 1) + 32


def needed(envelope: bytes, text: str) -> list[int]:
    """Sizes of the LoRa frames of a message and its proof."""
    return [*frames(message_packet_bytes(envelope, text)), *frames(PROOF_BYTES)]


def milliseconds(modem: Modem, sizes: Iterable[int]) -> float:
    return 1000 * sum(map(modem.frame_seconds, sizes))


def kind(packet: bytes) -> str:
    """What a Reticulum packet is, by its header."""
    packet_type, destination = packet[0] & 0x03, packet[0] >> 2 & 0x03
    match packet_type, destination:
        case 1, _:
            return "announce"
        case 2, _:
            return "link request"
        case 3, _:
            return "proof"
        case 0, 0:
            return "message"
        case 0, 2:
            return "path request"
        case _:
            return "link data"


def totals(rows: Iterable[Json]) -> str:
    """Frames and airtime of each kind of packet, in a line."""
    airtime: Counter[str] = Counter()
    count: Counter[str] = Counter()
    for row in rows:
        what = kind(bytes.fromhex(row["host"]))
        airtime[what] += row["airtime_ms"]
        count[what] += 1
    each = ", ".join(f"{what} {count[what]} frames {airtime[what]:.0f} ms" for what in sorted(airtime))
    return f"{count.total()} frames, {airtime.total():.0f} ms on the air: {each}"


@dataclass(frozen=True)
class Cost:
    """``moves``: the LoRa frames on the air for each move; ``least``: those that it needs."""

    app: str
    moves: list[list[int]]
    least: list[list[int]]
    all_frames: list[Json]

    def ratios(self, modem: Modem) -> list[float]:
        return [
            milliseconds(modem, spent) / milliseconds(modem, least)
            for spent, least in zip(self.moves, self.least, strict=True)
        ]

    def median_ratio(self, modem: Modem) -> float:
        """Of the airtimes per move, over those of what is needed at least."""
        spent = statistics.median(milliseconds(modem, sizes) for sizes in self.moves)
        return spent / statistics.median(milliseconds(modem, sizes) for sizes in self.least)

    def frame_ratio(self) -> float:
        return statistics.median(map(len, self.moves)) / statistics.median(map(len, self.least))

    def report(self) -> str:
        lines = [
            f"{self.app}: {len(self.moves)} moves; frames a move, median: "
            f"{statistics.median(map(len, self.moves)):g}, least {statistics.median(map(len, self.least)):g}"
        ]
        for name, modem in PRESETS.items():
            spent = statistics.median(milliseconds(modem, sizes) for sizes in self.moves)
            least = statistics.median(milliseconds(modem, sizes) for sizes in self.least)
            lines.append(
                f"  {name:9} airtime a move, median {spent:8.0f} ms, least {least:8.0f} ms: "
                f"{spent / least:.3f}x; dearest move {max(self.ratios(modem)):.2f}x"
            )
        lines.append(f"  whole game: {totals(self.all_frames)}")
        return "\n".join(lines)


def played(air: Air, a: RadioNode, b: RadioNode, app: str, moves: Iterable[str]) -> Cost:
    """A whole game. After each move it is waited for until its proof has arrived.

    All that is on the air from the first announce on counts as the game's.
    """
    table = Table(a, b, app, 60.0)
    table.accept()
    spent = []
    for move in moves:
        mover = table.to_move()
        settled(air)
        since = air.tell(f"mark {move}")["time"]
        table.play(move)
        until(lambda mover=mover, since=since: proved(air, mover, since), "the proof of the move")
        spent.append([row["bytes"] for row in air.trace("frame", since=since)])
    settled(air)
    rows = air.trace("frame")
    return Cost(app, spent, [needed(*move) for move in sent_moves(a, b, table.id)], rows)


def proved(air: Air, mover: RadioNode, since: float) -> bool:
    return any(
        row["node"] == mover.name and kind(bytes.fromhex(row["host"])) == "proof"
        for row in air.trace("received", since=since)
    )


def settled(air: Air) -> None:
    """What hosts have handed in has been sent."""

    def done() -> bool:
        handed = {(row["node"], row["packet"]) for row in air.trace("packet") if not row["dropped"]}
        sent = {(row["node"], row["packet"]) for row in air.trace("frame") if row["part"] == row["parts"]}
        return handed <= sent

    until(done, "everything is sent")


def sent_moves(a: RadioNode, b: RadioNode, id: str) -> list[tuple[bytes, str]]:
    """Envelope and text of each move, as they arrived."""
    found = {}
    for node in (a, b):
        with closing(sqlite3.connect(f"file:{node.database}?mode=ro", uri=True)) as database:
            rows = database.execute(
                "SELECT action_num, envelope, signed FROM game_actions "
                "WHERE session_id = ? AND command = 'move' AND sender != ? ORDER BY action_num",
                (id, node.identity),
            )
            for number, envelope, signed in rows:
                content = msgpack.unpackb(signed[96:], strict_map_key=False)[2]
                found[number] = (envelope, content.decode())
    return [move for _, move in sorted(found.items())]
