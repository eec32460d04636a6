"""What is exported, and what its record proves."""

from __future__ import annotations

import io
import os
from dataclasses import replace

import chess.pgn
import LXMF
import msgpack
import pytest
import RNS

from lrgpnode.protocol.envelope import Envelope
from lrgpnode.records.build import readable
from lrgpnode.records.errors import CannotExport, GameMissing, Refusal
from lrgpnode.records.proof import address
from lrgpnode.records.verify import verify
from tests.records.forge import refusal
from tests.records.played import GAMES, NOW, Match, Person, match, people, scholars_mate, tic_tac_toe

ANN, BEN, EVE = people()


def test_a_whole_game_with_stamped_messages() -> None:
    game = tic_tac_toe(stamp=os.urandom(32))
    found = verify(game.export().data, GAMES)
    assert (found.app, found.version, found.session) == ("ttt", 1, game.id)
    assert (found.end.status, found.end.reason, found.end.winner) == ("completed", "win", ANN.address)
    assert found.end.position == (("O", "O", "X"), ("", "X", ""), ("X", "", ""))
    assert [(act.author, act.command) for act in found.acts] == [(a.author, a.command) for a in game.actions]
    assert all(len(act.hash) == 64 and act.written_at > 0 for act in found.acts)
    assert (found.initiator, found.exporter, found.unproven) == (ANN.address, ANN.address, ())


def test_a_record_of_chess_is_a_pgn_file() -> None:
    """Whose readers skip lines that begin with %."""
    data = scholars_mate().export().data
    game = chess.pgn.read_game(io.StringIO(data.decode()))
    assert game is not None
    assert not game.errors
    assert game.end().board().is_checkmate()
    assert {game.headers["White"], game.headers["Black"]} == {"Ann", "Ben Ó"}
    assert game.headers["Date"] == "2026.09.21"


def test_the_plain_export_is_the_text_of_the_record() -> None:
    for game in (tic_tac_toe(), scholars_mate()):
        text = readable(game.journal, GAMES).text
        assert text == verify(game.export().data, GAMES).text
    assert readable(scholars_mate().journal, GAMES).kind == "pgn"


def test_the_list_of_moves() -> None:
    notation = readable(tic_tac_toe().journal, GAMES)
    assert notation.kind == "moves"
    assert notation.text == (
        "Tic-Tac-Toe (ttt.1)\n"
        "Date: 2026.09.21\n"
        f"Challenger: Ann ({ANN.address})\n"
        f"Challenged: Ben Ó ({BEN.address})\n"
        "\n"
        "  1. Ann    b2\n"
        "  2. Ben Ó  a1\n"
        "  3. Ann    c1\n"
        "  4. Ben Ó  b1\n"
        "  5. Ann    a3\n"
        "\n"
        "Result: Ann won\n"
    )


def test_two_players_of_one_name_are_told_apart() -> None:
    game = tic_tac_toe()
    text = readable(replace(game.journal, names=dict.fromkeys((ANN.address, BEN.address), "Kim")), GAMES).text
    assert f"  1. Kim ({ANN.address[:8]})  b2\n  2. Kim ({BEN.address[:8]})  a1\n" in text
    assert text.endswith(f"Result: Kim ({ANN.address[:8]}) won\n")


@pytest.mark.parametrize("app", ["ttt", "chess", "four_in_a_row"])
def test_games_at_every_stage(app: str) -> None:
    """Unfinished ones too: what can be proven is proven, and the index says where it stands."""
    game = match(app)
    game.act(ANN, "challenge")
    assert verify(game.export().data, GAMES).end.status == "pending"
    declined = Match(app, ANN, BEN, session=game.session, actions=list(game.actions))
    declined.act(BEN, "decline")
    assert verify(declined.export().data, GAMES).end.reason == "declined"
    game.act(BEN, "accept")
    found = verify(game.export().data, GAMES)
    assert (found.end.status, found.end.reason) == ("active", "")
    assert "unfinished; " in found.text or '[Result "*"]' in found.text
    game.act(ANN, "draw_offer")
    game.act(BEN, "draw_accept")
    assert verify(game.export().data, GAMES).end.reason == "agreement"


def test_an_expired_game() -> None:
    """That time ran out is what the exporter says; the game up to there is proven."""
    game = match()
    game.act(ANN, "challenge")
    game.act(BEN, "accept")
    game.expire()
    found = verify(game.export().data, GAMES)
    assert found.expired
    assert found.end.reason == "expired"


def without_message(game: Match, number: int) -> None:
    game.actions[number - 1] = replace(game.actions[number - 1], signed=None)


def test_own_actions_without_a_message_are_signed_by_the_export() -> None:
    game = tic_tac_toe()
    without_message(game, 3)
    found = verify(game.export().data, GAMES)
    assert found.acts[2].hash
    assert found.acts[2].written_at == NOW + 86_400.0


def test_what_is_signed_by_the_export_is_an_lxmf_message() -> None:
    """LXMF itself reads and verifies it."""
    envelope = Envelope("ttt", 1, "challenge", "0123456789abcdef", {}, b"12345678")
    packed = ANN.signer.message(BEN.address, envelope.pack(), 1_790_000_000.5)
    key = ANN.signer.public_key
    RNS.Identity.remember(b"\0" * 32, bytes.fromhex(ANN.address), key, None)
    message = LXMF.LXMessage.unpack_from_bytes(packed)
    assert message.signature_validated
    assert (message.source_hash.hex(), message.destination_hash.hex()) == (ANN.address, BEN.address)
    assert (message.timestamp, message.fields) == (1_790_000_000.5, envelope.to_fields())


def test_actions_of_the_peer_without_a_message() -> None:
    """Refused, unless somebody wants it anyway; then the record says so and is believed as far as it goes."""
    game = tic_tac_toe()
    without_message(game, 4)
    without_message(game, 8)
    with pytest.raises(CannotExport, match="actions 4, 8") as refused:
        game.export()
    assert refused.value.kind == "unproven"
    built = game.export(partial=True)
    assert built.unproven == (4, 8)
    assert refusal(built.data) is Refusal.UNPROVEN
    assert verify(built.data, GAMES, partial=True).unproven == (4, 8)


def test_a_stored_message_that_proves_nothing_counts_as_none() -> None:
    game = tic_tac_toe()
    four, eight = game.actions[3], game.actions[7]
    game.actions[3], game.actions[7] = replace(four, signed=eight.signed), replace(eight, signed=b"\0" * 150)
    assert game.export(partial=True).unproven == (4, 8)


def test_a_peer_that_does_not_write_the_shortest_forms() -> None:
    """Its signature is over what it wrote, also where a stamp was added: nothing may be packed again."""
    game = match()
    game.act(ANN, "challenge")
    game.act(BEN, "accept", stamp=os.urandom(32))
    game.actions[1] = replace(game.actions[1], signed=long_forms(BEN, ANN, game.actions[1].envelope or b""))
    assert not verify(game.export().data, GAMES).unproven


def long_forms(author: Person, to: Person, envelope: bytes) -> bytes:
    fields = b"\xde\x00\x02\xcd\x00\xfb\xd9\x07lrgp.v1\xcd\x00\xfd" + envelope
    elements = b"\xcb" + b"\0" * 8 + b"\xc5\x00\x00" + b"\xc5\x00\x01x" + fields
    addresses = bytes.fromhex(to.address + author.address)
    hashed = addresses + b"\xdc\x00\x04" + elements
    signature = author.signer.sign(hashed + RNS.Identity.full_hash(hashed))
    return addresses + signature + b"\xdc\x00\x05" + elements + bytes(msgpack.packb(os.urandom(32)))


def test_what_cannot_be_exported() -> None:
    game = tic_tac_toe()
    for journal, kind in (
        (replace(game.journal, peer_key=None), "peer_key_unknown"),
        (replace(game.journal, peer_key=EVE.signer.public_key), "peer_key_unknown"),
        (replace(game.journal, actions=()), "no_journal"),
        (replace(game.journal, actions=game.actions[1:]), "no_journal"),
        (replace(game.journal, actions=[replace(a, envelope=None) for a in game.actions]), "no_journal"),
        (replace(game.journal, actions=game.actions[:-1]), "journal_damaged"),
        (replace(game.journal, actions=[*game.actions[:3], *game.actions[:1]]), "no_journal"),
    ):
        with pytest.raises(CannotExport) as refused:
            game.export(journal=journal)
        assert refused.value.kind == kind


@pytest.mark.parametrize(
    ("name", "shown"),
    [
        ("", ""),
        ("%{x}", "%{x}"),
        ('B"e\\n', 'B"e\\n'),
        ("  two\n\twords ", "two words"),
        ("a\x1b[31m\u202eb\u200bc\ud800", "a [31m b c"),
        ("e\u0301", "\u00e9"),
        ("\U0003ffff satellite", "\U0003ffff satellite"),  # of a Unicode to come
        ("n" * 300, "n" * 64),
    ],
)
def test_names_of_any_kind(name: str, shown: str) -> None:
    for game in (tic_tac_toe(), scholars_mate()):
        names = {ANN.address: "Ann", BEN.address: name}
        found = verify(game.export(journal=replace(game.journal, names=names)).data, GAMES)
        assert [player.name for player in found.players] == ["Ann", shown]


def test_a_game_that_is_not_installed() -> None:
    """Nothing can be said; but what is wrong with the signatures is said first."""
    data = tic_tac_toe().export().data
    with pytest.raises(GameMissing, match=r"ttt\.1 is not installed"):
        verify(data, {})
    with pytest.raises(GameMissing):
        tic_tac_toe().export(games={})


def test_addresses_are_those_of_reticulum() -> None:
    for _ in range(3):
        identity = RNS.Identity()
        expected = RNS.Destination.hash_from_name_and_identity("lxmf.delivery", identity)
        assert address(identity.get_public_key()) == expected.hex()
