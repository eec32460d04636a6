"""What an exporter's node says besides the moves: shown to people, signed with the rest, and optional."""

from __future__ import annotations

import io
from dataclasses import replace

import chess.pgn
import pytest

from lrgpnode.records.build import readable
from lrgpnode.records.errors import Refusal
from lrgpnode.records.format import MAX_REMARKS
from lrgpnode.records.verify import verify
from tests.records.forge import read, refusal, sealed
from tests.records.played import GAMES, people, scholars_mate, tic_tac_toe

ANN = people()[0]
SAID = "Assisted: the node's search has chosen for the player by text: move 3, 5"


def test_in_the_text_and_proven_with_it() -> None:
    game = tic_tac_toe()
    journal = replace(game.journal, remarks=(SAID,))
    assert readable(journal, GAMES).text.endswith(f"\nResult: Ann won\n; {SAID}\n")
    data = game.export(journal=journal).data
    found = verify(data, GAMES)
    assert found.text.endswith(f"\n; {SAID}\n")
    record = read(data)
    assert record.content.game.remarks == (SAID,)
    hidden = replace(record.content, text=record.content.text.replace(f"; {SAID}\n", ""))
    assert refusal(sealed(hidden, record.index, ANN.signer)) is Refusal.TEXT


def test_readers_of_pgn_take_it_for_a_comment() -> None:
    game = scholars_mate()
    data = game.export(journal=replace(game.journal, remarks=(SAID,))).data
    found = chess.pgn.read_game(io.StringIO(data.decode()))
    assert found is not None
    assert not found.errors
    assert found.end().board().is_checkmate()


def test_a_record_without_any_is_as_before() -> None:
    assert b"remarks" not in tic_tac_toe().export().data


@pytest.mark.parametrize("remarks", [("",), ("a\nb",), ("x" * 241,), ("x",) * (MAX_REMARKS + 1)])
def test_remarks_have_one_form(remarks: tuple[str, ...]) -> None:
    record = read(tic_tac_toe().export().data)
    head = type(record.content.game)(
        **{name: getattr(record.content.game, name) for name in record.content.game.__struct_fields__}
        | {"remarks": remarks}
    )
    forged = sealed(replace(record.content, game=head), record.index, ANN.signer)
    assert refusal(forged) is Refusal.MALFORMED
