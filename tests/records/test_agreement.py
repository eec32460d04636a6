"""What one player can still do to his own record, and that two records together show it."""

from __future__ import annotations

from dataclasses import replace

import pytest

from lrgpnode.protocol.envelope import Envelope
from lrgpnode.records.errors import Refusal, Refused
from lrgpnode.records.verify import Verified, agree, verify
from tests.records.played import GAMES, NOW, Match, match, people, scholars_mate, tic_tac_toe

ANN, BEN, EVE = people()


def of_ann(game: Match) -> Verified:
    return verify(game.export().data, GAMES)


def of_ben(game: Match) -> Verified:
    return verify(game.export_of_ben().data, GAMES)


def disagree(one: Verified, other: Verified) -> Refused:
    with pytest.raises(Refused) as refused:
        agree(one, other)
    assert refused.value.reason is Refusal.DISAGREEMENT
    return refused.value


@pytest.mark.parametrize("game", [tic_tac_toe(), scholars_mate()], ids=["ttt", "chess"])
def test_both_tell_the_same(game: Match) -> None:
    agree(of_ann(game), of_ben(game))
    agree(of_ben(game), of_ann(game))


def test_an_action_that_was_sent_more_than_once() -> None:
    """Each side has another message of it, with the same envelope."""
    game = tic_tac_toe()
    theirs = of_ben(game)
    envelope = Envelope.unpack(game.actions[2].envelope or b"")
    game.actions[2] = replace(game.actions[2], signed=ANN.message(BEN, envelope, text="once more"))
    mine = of_ann(game)
    assert mine.acts[2].hash != theirs.acts[2].hash
    agree(mine, theirs)


def quiet(game: Match) -> Match:
    """The game without the talk about a draw, as if it had not been."""
    kept = [action for action in game.actions if not action.command.startswith("draw")]
    return replace(game, actions=[replace(action, number=n) for n, action in enumerate(kept, 1)])


def shorter(game: Match, count: int) -> Match:
    short = match(game.app, id=game.id)
    for action in game.actions[:count]:
        envelope = Envelope.unpack(action.envelope or b"")
        if short.session is None:
            short.session = GAMES[game.app].open(game.journal.session.key, BEN.address, ANN.address, NOW)
        short.session = GAMES[game.app].apply(
            short.session, action.author, action.command, dict(envelope.payload), action.at
        )
        short.actions.append(action)
    return short


def test_draw_talk_left_out() -> None:
    game = tic_tac_toe()
    error = disagree(of_ann(quiet(game)), of_ben(game))
    assert error.message == "Action 6: Only one of the two records has it."


def test_the_end_left_out() -> None:
    game = tic_tac_toe()
    for count in range(1, len(game.actions)):
        assert disagree(of_ann(shorter(game, count)), of_ben(game)).action == count + 1


def test_a_move_of_ones_own_made_again_after_the_game() -> None:
    """Chess moves do not carry the position: where the answers fit, the exporter can sign better ones."""
    game = match("chess")
    game.act(ANN, "challenge")
    game.act(BEN, "accept")
    assert game.session is not None
    assert game.session.metadata["turn"] == ANN.address
    better = replace(game, actions=list(game.actions))
    for ply, move in enumerate(("a2a3", "e7e5", "h2h3", "d7d5")):
        game.act((ANN, BEN)[ply % 2], "move", {"m": move})
    for ply, move in enumerate(("g1f3", "e7e5", "b1c3", "d7d5")):
        better.act((ANN, BEN)[ply % 2], "move", {"m": move})
    better.actions[3::2] = game.actions[3::2]  # what Ben made, he has made in the other game
    assert not of_ann(better).unproven
    disagree(of_ann(better), of_ben(game))


def test_records_that_do_not_belong_together() -> None:
    game = tic_tac_toe()
    assert "same player" in disagree(of_ann(game), of_ann(game)).message
    assert "different games" in disagree(of_ann(game), of_ben(tic_tac_toe(id="f" * 16))).message
    assert "different games" in disagree(of_ann(game), of_ben(scholars_mate())).message
    with_eve = Match("ttt", ANN, EVE)
    with_eve.act(ANN, "challenge")
    theirs = replace(with_eve, ben=EVE)
    assert "different players" in disagree(of_ann(game), of_ben(theirs)).message
