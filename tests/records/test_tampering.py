"""The property that records are for: whatever is changed, by whomever, is noticed."""

from __future__ import annotations

import os
from dataclasses import replace
from functools import cache
from typing import Any

import msgspec
import pytest
from hypothesis import given, strategies as st

from lrgpnode.mesh.fields import envelope_bytes, signed_part
from lrgpnode.records import format
from lrgpnode.records.errors import GameMissing, Refusal, Refused
from lrgpnode.records.format import Action, Content, Record
from lrgpnode.records.verify import verify
from tests.records.forge import read, refusal, sealed, with_action, with_actions, with_game
from tests.records.played import GAMES, people, scholars_mate, tic_tac_toe

ANN, BEN, EVE = people()
OTHER_SESSION = "fedcba9876543210"


TALK = ("draw_offer", "draw_decline")
APPS = st.sampled_from(("ttt", "chess"))


@cache
def file(app: str) -> bytes:
    game = scholars_mate() if app == "chess" else tic_tac_toe(stamp=os.urandom(32))
    return game.export().data


@cache
def record(app: str) -> Record:
    return read(file(app))


def refused(content: Content, like: str, /, **changes: Any) -> Refusal:
    """Why this content is refused although its exporter has signed it."""
    return refusal(sealed(content, record(like).index, ANN.signer, **changes))


@cache
def foreign() -> tuple[Action, ...]:
    """Actions of another session between the same two, with the same moves."""
    return read(tic_tac_toe(id=OTHER_SESSION).export().data).content.actions


def places(data: bytes) -> st.SearchStrategy[int]:
    return st.integers(0, len(data) - 1)


@given(APPS, st.data(), st.integers(1, 255))
def test_any_byte_changed(app: str, draw: st.DataObject, change: int) -> None:
    data = file(app)
    at = draw.draw(st.integers(0, len(data) - 1))
    refusal(data[:at] + bytes([data[at] ^ change]) + data[at + 1 :])


@given(APPS, st.data(), st.binary(min_size=1, max_size=3))
def test_bytes_inserted_or_cut_out(app: str, draw: st.DataObject, more: bytes) -> None:
    data = file(app)
    at = draw.draw(st.integers(0, len(data) - 1))
    refusal(data[:at] + more + data[at:])
    refusal(data[:at] + data[at + len(more) :])


@given(APPS, st.data())
def test_lines_missing_swapped_or_doubled(app: str, draw: st.DataObject) -> None:
    lines = file(app).splitlines(keepends=True)
    one, two = draw.draw(pairs(len(lines)))
    refusal(b"".join(lines[:one] + lines[one + 1 :]))
    swapped = lines.copy()
    swapped[one], swapped[two] = swapped[two], swapped[one]
    for changed in (
        swapped,
        [*lines[:one], lines[two], *lines[one + 1 :]],
        [*lines[:one], lines[two], *lines[one:]],
    ):
        if changed != lines:
            refusal(b"".join(changed))


def pairs(count: int) -> st.SearchStrategy[list[int]]:
    return st.lists(st.integers(0, count - 1), min_size=2, max_size=2, unique=True)


# The exporter is one of the players and can sign what he likes; what the other one did he cannot change.


@given(APPS, st.data())
def test_the_exporter_leaves_out_an_action(app: str, draw: st.DataObject) -> None:
    content = record(app).content
    left_out = draw.draw(st.sampled_from([a for a in content.actions if a.command not in TALK]))
    actions = [action for action in content.actions if action is not left_out]
    assert refused(with_actions(content, actions), app) in (Refusal.RULES, Refusal.POSITION)


def test_what_the_exporter_can_leave_out() -> None:
    """Said in docs/records.md: talk about a draw, and the end of a game; but never the middle."""
    content, index = record("ttt").content, record("ttt").index
    quiet = [action for action in content.actions if action.command not in TALK]
    found = verify(sealed(with_actions(content, quiet), index, ANN.signer), GAMES)
    assert len(found.acts) == len(content.actions) - 2


@given(APPS, st.data())
def test_the_exporter_swaps_two_actions(app: str, draw: st.DataObject) -> None:
    actions = list(record(app).content.actions)
    one, two = draw.draw(pairs(len(actions)))
    actions[one], actions[two] = actions[two], actions[one]
    assert refused(with_actions(record(app).content, actions), app) in (Refusal.RULES, Refusal.POSITION)


@given(APPS, st.data())
def test_the_exporter_repeats_an_action(app: str, draw: st.DataObject) -> None:
    actions = list(record(app).content.actions)
    again = draw.draw(st.sampled_from(actions))
    actions.insert(draw.draw(st.integers(0, len(actions))), again)
    assert refused(with_actions(record(app).content, actions), app) is Refusal.NONCE


@given(st.integers(0, 8))
def test_the_exporter_takes_an_action_from_another_session(at: int) -> None:
    """The same action of the same player, but not of this game."""
    actions = list(record("ttt").content.actions)
    actions[at] = foreign()[at]
    assert refused(with_actions(record("ttt").content, actions), "ttt") is Refusal.SESSION


@given(st.integers(0, 8), st.integers(0, 8))
def test_the_exporter_takes_an_action_from_another_game(here: int, there: int) -> None:
    """Of the same session id, which another game cannot have, and yet."""
    actions = list(record("ttt").content.actions)
    actions[here] = record("chess").content.actions[there]
    assert refused(with_actions(record("ttt").content, actions), "ttt") is Refusal.APP


@given(APPS, st.data(), st.integers(1, 255))
def test_the_exporter_changes_a_byte_of_a_message(app: str, draw: st.DataObject, change: int) -> None:
    """Of what was signed: the stamp at its end was not, nor the count that says that there is one."""
    action = draw.draw(st.sampled_from(record(app).content.actions))
    message = action.message
    assert message is not None
    stamped = message[96] == 0x95
    at = draw.draw(
        st.integers(0, len(message) - (35 if stamped else 1)).filter(lambda i: not stamped or i != 96)
    )
    changed = message[:at] + bytes([message[at] ^ change]) + message[at + 1 :]
    assert refused(with_action(record(app).content, action.number, message=changed), app) in (
        Refusal.MESSAGE,
        Refusal.MESSAGE_SIGNATURE,
        Refusal.AUTHOR,
        Refusal.ADDRESSEE,
        Refusal.ENVELOPE,
    )


@given(APPS, st.data())
def test_the_exporter_signs_for_the_other(app: str, draw: st.DataObject) -> None:
    """An action of Ben, made again by Ann or Eve with every byte but the signature as it was."""
    theirs = [action for action in record(app).content.actions if action.author == BEN.address]
    action = draw.draw(st.sampled_from(theirs))
    assert action.message is not None
    _, signed, _ = signed_part(action.message)
    forger = draw.draw(st.sampled_from((ANN, EVE)))
    forged = action.message[:32] + forger.signer.sign(signed) + action.message[96:]
    content = with_action(record(app).content, action.number, message=forged)
    assert refused(content, app) is Refusal.MESSAGE_SIGNATURE


def test_a_stranger_takes_part() -> None:
    """Eve makes Ben's move herself, under her own name and properly signed."""
    content = record("ttt").content
    message = content.actions[3].message
    assert message is not None
    theirs = EVE.signer.message(ANN.address, envelope_bytes(message) or b"", 1.0)
    assert refused(with_action(content, 4, message=theirs, author=EVE.address), "ttt") is Refusal.AUTHOR


def test_a_player_is_replaced() -> None:
    """Ben by Eve, who is to have won or lost instead of him; with his address, or with her own."""
    content, index = record("ttt").content, record("ttt").index
    ann, ben = content.game.players
    eve = msgspec.structs.replace(ben, public_key=EVE.signer.public_key.hex())
    assert refused(with_game(content, players=(ann, eve)), "ttt") is Refusal.KEY
    eve = msgspec.structs.replace(eve, address=EVE.address)
    data = sealed(
        with_game(content, players=(ann, eve)), index, ANN.signer, players=(ANN.address, EVE.address)
    )
    assert refusal(data) is Refusal.ADDRESSEE
    assert refused(with_game(content, players=(ann, ann)), "ttt") is Refusal.KEY
    assert refused(with_game(content, exporter=EVE.address), "ttt") is Refusal.KEY


def test_the_index_says_something_else() -> None:
    content = record("ttt").content
    won = record("ttt").index.result
    assert won is not None
    lost = msgspec.structs.replace(won, winner=BEN.address)
    assert refused(content, "ttt", result=lost) is Refusal.RESULT
    assert refused(content, "ttt", result=None) is Refusal.RESULT
    assert refused(content, "ttt", status="expired") is Refusal.RESULT
    assert refused(content, "ttt", position=(("X",) * 3,) * 3) is Refusal.POSITION
    assert refused(content, "ttt", session=OTHER_SESSION) is Refusal.INDEX
    assert refused(content, "ttt", app="chess") is Refusal.INDEX
    assert refused(content, "ttt", messages=()) is Refusal.INDEX
    assert refused(content, "ttt", digest="00" * 32) is Refusal.INDEX_DIGEST
    assert refusal(sealed(content, record("ttt").index, BEN.signer)) is Refusal.INDEX_SIGNATURE


def test_what_is_written_beside_a_message_is_checked_against_it() -> None:
    content = record("ttt").content
    message = content.actions[1].message
    assert message is not None
    envelope = envelope_bytes(message)
    for changes, reason in (
        ({"number": 9}, Refusal.INDEX),
        ({"author": EVE.address}, Refusal.AUTHOR),
        ({"author": ANN.address}, Refusal.AUTHOR),
        ({"command": "decline"}, Refusal.ENVELOPE),
        ({"envelope": envelope}, Refusal.MALFORMED),
        ({"message": None}, Refusal.MALFORMED),
        ({"message": b""}, Refusal.MESSAGE),
        ({"message": message[:-40]}, Refusal.MESSAGE),  # more than its stamp, which nobody signed
        ({"message": None, "envelope": envelope}, Refusal.UNPROVEN),
        ({"message": None, "envelope": b"\x80"}, Refusal.ENVELOPE),
    ):
        assert refused(with_action(content, 2, **changes), "ttt") is reason, changes


def test_the_index_lists_another_message() -> None:
    messages = list(record("ttt").index.messages)
    messages[3] = messages[5]
    assert refused(record("ttt").content, "ttt", messages=tuple(messages)) is Refusal.INDEX


def test_names_and_ids_have_their_form() -> None:
    content = record("ttt").content
    ann, ben = content.game.players
    odd = msgspec.structs.replace(ben, name="Ben\x1b[31m")
    assert refused(with_game(content, players=(ann, odd)), "ttt") is Refusal.MALFORMED
    assert refused(with_game(content, title="Tic\nTac"), "ttt") is Refusal.MALFORMED
    for session in ("", "0123456789ABCDEF", "x" * 16):
        assert refused(with_game(content, session=session), "ttt", session=session) is Refusal.SESSION


def test_the_text_shows_another_game() -> None:
    content = record("ttt").content
    assert refused(replace(content, text=content.text.replace("a3", "a2")), "ttt") is Refusal.TEXT
    assert refused(replace(content, text=""), "ttt") is Refusal.TEXT
    renamed = msgspec.structs.replace(content.game.players[1], name="Magnus")
    changed = with_game(content, players=(content.game.players[0], renamed))
    assert refused(changed, "ttt") is Refusal.TEXT


# Files that are no records at all.


@given(st.binary(max_size=400))
def test_hostile_bytes(noise: bytes) -> None:
    for data in (noise, b"%LRGP-RECORD 1\n" + noise, file("ttt") + noise + b"\n"):
        refusal(data)


def test_sizes_are_bounded() -> None:
    head = b"%LRGP-RECORD 1\n"
    assert refusal(head + b" " * format.MAX_FILE) is Refusal.TOO_LARGE
    assert refusal(head + b"\n" * (format.MAX_LINES + 1)) is Refusal.TOO_LARGE
    assert refusal(head + b"%\n" * (format.MAX_ACTIONS + 9)) is Refusal.TOO_LARGE
    assert refusal(head + b'%{"game":' + b"[" * 100_000 + b"\n%\n%\n%\n") is Refusal.MALFORMED


JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=8),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=8), inner, max_size=3),
)


@given(APPS, st.data(), JSON)
def test_hostile_values_that_the_exporter_signed(app: str, draw: st.DataObject, value: object) -> None:
    """Any field of any line, with any value: nothing but the typed errors comes out."""
    content = record(app).content
    lines = msgspec.to_builtins(
        {"game": content.game, "action": content.actions[0], "index": record(app).index}
    )
    which = draw.draw(st.sampled_from(sorted(lines)))
    name = draw.draw(st.sampled_from(sorted(lines[which])))
    lines[which][name] = value
    written = [b"%" + msgspec.json.encode({key: lines[key]}) + b"\n" for key in ("game", "action", "index")]
    signature = format.signature_line(ANN.signer.sign(format.to_sign(written[-1])))
    data = b"%LRGP-RECORD 1\n" + b"".join(written) + signature
    with pytest.raises((Refused, GameMissing)):
        verify(data, GAMES)
