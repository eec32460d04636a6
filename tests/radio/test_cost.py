"""The airtime of a move: at most 1.15 of a message with canonical envelope and text, and its proof."""

from __future__ import annotations

import pytest

from lrgpnode.airtime.modem import Modem
from tests.radio.conftest import Start
from tests.radio.cost import PRESETS, Cost, message_packet_bytes, milliseconds, played

MOST = 1.15

CHESS = "e4 e5 Nf3 Nc6 Bb5 a6 Ba4 Nf6 O-O Be7 Re1 b5 Bb3 d6 c3 O-O"


def check(cost: Cost) -> None:
    print(cost.report())
    assert len(cost.moves) == len(cost.least)
    assert cost.frame_ratio() <= MOST
    for modem in PRESETS.values():
        assert cost.median_ratio(modem) <= MOST


def test_what_is_needed_at_least() -> None:
    """An envelope of 97 bytes with a text of 20: 339 bytes, and with its proof 1302 ms at SF8 (measured)."""
    import msgpack

    envelope = msgpack.packb({"a": "x" * 92})
    assert len(envelope) == 97
    assert message_packet_bytes(envelope, "t" * 20) == 339
    assert milliseconds(Modem(125_000, 8, 5), [255, 86, 84]) == pytest.approx(1302, abs=1)


@pytest.mark.node
@pytest.mark.slow
@pytest.mark.timeout(300)
@pytest.mark.parametrize(
    ("app", "moves"),
    [
        ("ttt", ["1", "2", "3", "5", "4", "6", "8", "7", "9"]),
        ("four_in_a_row", [*"5363767665174"]),
        ("chess", CHESS.split()),
    ],
)
def test_a_move_costs_what_it_must(start: Start, app: str, moves: list[str]) -> None:
    air, nodes = start("alice", "bob")
    alice, bob = nodes.values()
    check(played(air, alice, bob, app, moves))
