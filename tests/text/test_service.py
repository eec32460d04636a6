"""People with plain clients at a node that answers, in virtual time."""

from __future__ import annotations

import asyncio
import random
import re
from pathlib import Path

import pytest

from interfaces.text.parse import MARK
from lrgpnode.protocol.errors import CallerError
from storage.model import LocalIdentity, Peer, Role
from storage.text_model import HOUSE
from tests.node.network import ROUGH, Faults
from tests.node.players import Player
from tests.text.stage import ANN, EVE, PAUL, G, Phone, Stage, on_stage

HOUR, DAY = 3600.0, 86_400.0


async def with_paul(stage: Stage, app: str = "ttt") -> tuple[Phone, Phone]:
    """Ann and Paul in a game that Ann has proposed."""
    ann, paul = stage.phone(ANN), stage.phone(PAUL)
    await paul.says("help")
    await ann.says(f"play {app} paul")
    await paul.says("yes")
    return ann, paul


def test_a_whole_game_with_the_house_one_text_for_each_move() -> None:
    async def scene(stage: Stage) -> None:
        ann = stage.phone(ANN)
        got = await ann.says("play ttt house 3")
        assert got.splitlines() == ["~#1 ttt v house (X)", "1 2 3", "4 5 6", "7 8 9", "Your turn."]
        texts = 1
        while "Your turn" in got:
            free = re.findall(r"\b[1-9]\b", got.split("\n", 1)[1])
            got = await ann.says(free[0])
            texts += len(ann.got)
            assert len(ann.got) == 1  # the house's move is in the answer to ours
        assert "Draw" in got or "You lost" in got
        assert texts <= 6
        assert await ann.says("board") == got
        assert await ann.says("5") == "~You have no game. " + await tail(ann)
        assert "You have no game" in await ann.says("games")

    async def tail(ann: Phone) -> str:
        return (await ann.says("games")).removeprefix("~You have no game. ")

    on_stage(scene)


def test_two_people_play_and_hear_of_each_others_moves_over_a_restart(tmp_path: Path) -> None:
    async def scene(stage: Stage) -> None:
        ann, paul = stage.phone(ANN), stage.phone(PAUL)
        await paul.says("hello?")
        assert await ann.says("Play a game of Tic-Tac-Toe with Paul, please") == (
            "~#1 ttt v Paul (X): invited, no answer yet. leave takes it back."
        )
        assert paul.got == [paul.got[0], "~Ann invites you to ttt (#1). Say yes or no."]
        assert "has not accepted" in await ann.says("5")
        assert "waits for your answer" in await paul.says("5")
        assert "Waiting" in await paul.says("Yes!")
        assert "Your turn." in ann.got[-1]
        assert await ann.says("5") == "~#1 ttt v Paul (X): 1.b2. Waiting for the other's move."
        assert paul.got[-1] == "~#1 ttt v Ann (O): 1.b2\n1 2 3\n4 X 6\n7 8 9\nYour turn."
        await stage.restart()
        await paul.says("1")
        await ann.says("cell 3")
        await stage.restart()
        await paul.says("2")
        assert "You won." in await ann.says("7")
        assert "You lost." in paul.got[-1]
        assert "\nO O X\n- X -\nX - -\n" in paul.got[-1]

    on_stage(scene, path=str(tmp_path / "node.db"))


def test_seeking_brings_two_together_and_tables_shows_who_waits() -> None:
    async def scene(stage: Stage) -> None:
        ann, paul, eve = stage.phone(ANN), stage.phone(PAUL), stage.phone(EVE)
        assert "You wait for a game of four" in await ann.says("seek connect four")
        await ann.says("mute")
        ann.got.clear()
        shown = await paul.says("tables")
        assert shown.splitlines()[1] == "1 four: Ann waits"
        assert "Your turn" in await paul.says("1")
        assert ann.got == ["~#1 four v Paul (B): Waiting for the other's move."]  # muted, but she has waited
        assert "Ann waits" not in await paul.says("tables")
        await eve.says("seek chess")
        assert "do not wait" in await eve.says("leave")
        assert "did not wait" in await eve.says("seek off")
        # Who says nothing of whom plays whoever waits, else the house.
        await eve.says("seek chess")
        assert "#2 chess v Eve" in await paul.says("play chess")
        assert "chess v house" in await eve.says("play chess")

    on_stage(scene)


def test_draws_and_resigning() -> None:
    async def scene(stage: Stage) -> None:
        ann, paul = await with_paul(stage, "chess")
        assert "you offered a draw" in await ann.says("draw")
        assert "draw accepts, no declines" in paul.got[-1]
        assert "offered a draw" in await ann.says("draw")
        await paul.says("no")
        assert "asked nothing" in await paul.says("no")
        await paul.says("draw?")
        assert "Draw by agreement" in await ann.says("ok")
        assert "Draw by agreement" in paul.got[-1]
        await ann.says("play chess paul")
        await paul.says("accept")
        assert await paul.says("I give up") == "~#1 chess v Ann: You resigned."
        assert "You won" in ann.got[-1]
        assert "You have no game" in await ann.says("#1 e4")

    on_stage(scene)


def test_a_draw_is_claimed_where_the_rules_allow_it() -> None:
    async def scene(stage: Stage) -> None:
        ann, paul = await with_paul(stage, "chess")
        white, black = (ann, paul) if "Your turn" in await ann.says("board") else (paul, ann)
        for _ in range(2):
            for move in ("Nf3", "Nf6", "Ng1", "Ng8"):
                who = white if move in ("Nf3", "Ng1") else black
                assert "Waiting" in await who.says(move)
                await asyncio.sleep(30)
        assert "draw claims a draw" in await white.says("board")
        assert "threefold" in await white.says("draw")

    on_stage(scene)


def test_several_games_are_named_by_number_or_opponent() -> None:
    async def scene(stage: Stage) -> None:
        ann, paul = await with_paul(stage)
        eve = stage.phone(EVE)
        await eve.says("play four ann")
        await ann.says("yes")
        await ann.says("play ttt house 1")
        assert (await ann.says("games")).splitlines() == [
            "~Your games:",
            "#1 ttt v Paul: your move",
            "#2 four v Eve: waiting",
            "#3 ttt v house: your move",
        ]
        assert "#1 ttt v Paul" in await ann.says("1")  # of the list
        assert "1.b2" in await ann.says("5")
        assert "#3 ttt v house" in await ann.says("#3 5")
        assert "#1 four v Ann (A): 1.4" in await eve.says("4")
        assert "#2 four v Eve (B): 1.4 2.3" in await ann.says("move eve 3")
        assert "#3 ttt v house" in await ann.says("board house")
        assert "#1 ttt v Paul" in await ann.says("board #1")
        assert "You resigned" in await ann.says("resign house")
        assert "no game nobody" in await ann.says("resign nobody")
        await paul.says("1")
        assert "#1 ttt v Paul" in await ann.says("paul: 9")

    on_stage(scene)


def test_unknown_words_get_one_line_and_not_for_ever() -> None:
    async def scene(stage: Stage) -> None:
        ann = stage.phone(ANN)
        assert await ann.says("Grüß Gott 🎲") == (
            "~I do not understand 'Grüß Gott'. help says what can be said."
        )
        answers = [await ann.says(f"nonsense number {word}", seconds=60) for word in "abcdefgh"]
        assert [bool(one) for one in answers] == [True, *[False] * 7]
        total = 0
        for _ in range(24):
            total += len(await ann.says("blah", seconds=HOUR)) > 0
        assert total <= 6
        assert "play GAME" in await ann.says("help")

    on_stage(scene)


def test_a_flood_is_answered_a_little_and_told_once() -> None:
    async def scene(stage: Stage) -> None:
        ann = stage.phone(ANN)
        rng = random.Random(1)
        for _ in range(300):
            ann.write(rng.choice(["help", "board", "5", "x" * 200, "\x1b[2J", "games", "~who", "play ttt"]))
            await asyncio.sleep(0.05)
        await asyncio.sleep(HOUR)
        assert 1 <= len(ann.got) <= 16
        assert sum("too much" in one for one in ann.got) == 1
        assert "play GAME" in await ann.says("help")

    on_stage(scene)


@pytest.mark.parametrize(
    "text", [f"{MARK}#1 chess v Ann", "[LRGP Chess] Sent a challenge!", "[auto] away", "> help"]
)
def test_what_a_program_wrote_is_not_answered(text: str) -> None:
    async def scene(stage: Stage) -> None:
        assert await stage.phone(ANN).says(text) == ""
        assert not stage.node.store.messages.unread()

    on_stage(scene)


def test_two_nodes_that_answer_do_not_talk_for_ever() -> None:
    async def scene(stage: Stage) -> None:
        ann = stage.phone(ANN)
        ann.write("help")
        for _ in range(50):  # Ann's program sends back whatever it gets
            await asyncio.sleep(20)
            for text in ann.got:
                ann.write(text)
            ann.got.clear()
        assert len(stage.air.sent) == 1
        # One that answers in its own words is not understood, and then left alone.
        for _ in range(500):
            ann.write("Thank you for your message! I am not at home.")
            await asyncio.sleep(60)
        assert len(stage.air.sent) <= 8

    on_stage(scene)


def test_identities_of_people_answer_only_what_begins_like_a_command() -> None:
    async def scene(stage: Stage) -> None:
        ann = stage.phone(ANN)
        for text in ("help", "5", "who are you?", "Are we playing?", ". . .", "/dev/null is full"):
            assert await ann.says(text) == ""
        assert stage.node.store.messages.unread() == 6
        assert "play GAME" in await ann.says("/help")
        assert "Your turn" in await ann.says("/play ttt house 1")
        assert "1.b2" in await ann.says("/5")
        assert stage.node.store.messages.unread() == 6

    on_stage(scene, role=Role.PERSON, text_identities=("Gate",))


@pytest.mark.parametrize("settings", [{"text_enabled": False}, {}])
def test_off_by_setting_and_for_people(settings: dict[str, bool]) -> None:
    async def scene(stage: Stage) -> None:
        assert await stage.phone(ANN).says("/help") == ""
        assert not stage.air.sent

    on_stage(scene, role=Role.GATEWAY if settings else Role.PERSON, **settings)


def test_what_was_written_before_it_first_spoke_is_not_answered(tmp_path: Path) -> None:
    async def scene(stage: Stage) -> None:
        ann = stage.phone(ANN)
        assert await ann.says("/help") == ""
        stage.settings = type(stage.settings)(text_identities=("gate",))
        await stage.restart()
        await asyncio.sleep(60)
        assert not ann.got
        assert "play GAME" in await ann.says("/help")

    on_stage(scene, path=str(tmp_path / "node.db"), role=Role.PERSON)


def test_texts_of_a_peer_that_is_away_are_one_of_each_kind() -> None:
    async def scene(stage: Stage) -> None:
        ann, paul = await with_paul(stage)
        ann.away = True
        await ann.says("5")
        ann.got.clear()
        for _ in range(6):
            await paul.says("draw")
            ann.write("no")
            await asyncio.sleep(60)
        assert len(stage.node.store.text.due(G, ANN)) <= 3
        ann.away = False
        stage.node.node.outbox.heard(ANN)
        await asyncio.sleep(2 * HOUR)
        assert len(ann.got) <= 3
        assert "1.b2" in ann.got[-1]
        assert not stage.node.store.text.due(G, ANN)

    on_stage(scene)


def test_nothing_is_lost_or_done_twice_over_a_bad_way_and_kills(tmp_path: Path) -> None:
    async def scene(stage: Stage) -> None:
        ann, paul = await with_paul(stage, "four")
        rng = random.Random(stage.air.seed)
        stage.air.faults = ROUGH
        for number in range(14):
            (ann if number % 2 == 0 else paul).write(str(1 + number % 7))
            await asyncio.sleep(rng.uniform(0, 3))
            if rng.random() < 0.4:
                await stage.restart()
            await asyncio.sleep(DAY / 4)
        stage.air.faults = Faults()
        await asyncio.sleep(DAY)
        seat = stage.node.store.text.seats_of(G, ANN)[0]
        assert seat.metadata["moves"] == [number % 7 for number in range(14)][: len(seat.metadata["moves"])]
        assert not stage.node.store.text.waiting()
        both = stage.node.store.text.at(seat.game_id)
        assert both[0].metadata["board"] == both[1].metadata["board"]

    on_stage(scene, path=str(tmp_path / "node.db"), seed=3, text_commands_per_minute=60)


def test_games_expire_and_both_are_told() -> None:
    async def scene(stage: Stage) -> None:
        ann, paul = await with_paul(stage)
        ann.got.clear()
        paul.got.clear()
        await asyncio.sleep(3 * DAY)
        assert [len(ann.got), len(paul.got)] == [1, 1]
        assert "The game has expired." in ann.got[0]
        assert not stage.node.store.text.live()

    on_stage(scene)


def test_limits_of_games_invitations_and_the_house() -> None:
    async def scene(stage: Stage) -> None:
        ann, paul, eve = stage.phone(ANN), stage.phone(PAUL), stage.phone(EVE)
        await paul.says("help")
        await eve.says("help")
        await ann.says("play ttt house")
        assert "with the house already" in await ann.says("play chess house")
        await paul.says("play ttt house")
        assert "no time" in await eve.says("play ttt house")
        assert "invited" in await ann.says("play chess paul")
        assert "already" in await ann.says("play ttt paul")
        await ann.says("play chess eve")
        assert "3 games; end one" in await ann.says("play four eve")
        await ann.says("resign house")
        assert "levels 1 to 3" in await ann.says("play ttt house 9")
        assert "nobody called mallory" in await eve.says("play chess mallory")
        assert "Which game?" in await eve.says("play with paul")

    on_stage(scene, house_max_games=2, text_max_games=3)


def test_muted_players_are_asked_nothing() -> None:
    async def scene(stage: Stage) -> None:
        ann, paul = stage.phone(ANN), stage.phone(PAUL)
        await paul.says("mute")
        assert "Paul" not in await ann.says("who")
        assert "nobody called paul" in await ann.says("play ttt paul")
        await paul.says("unmute")
        assert "Paul" in await ann.says("who")
        await ann.says("play ttt paul")
        await paul.says("yes")
        await paul.says("mute")
        paul.got.clear()
        await ann.says("5")
        assert not paul.got
        assert "only answer" in await paul.says("resend")
        assert "1.b2" in await paul.says("board")
        assert "1.b2" in await paul.says("resend")

    on_stage(scene)


def test_a_peer_with_lrgp_is_played_with_through_the_node(tmp_path: Path) -> None:
    async def scene(stage: Stage) -> None:
        ann = stage.phone(ANN)
        bob = await Player("b0" * 16, stage.air, stage.loop).start()
        stage.names["b0" * 16] = "Bob"
        heard = Peer(
            peer=bob.name,
            name="Bob",
            public_key=bytes(64),
            hops=1,
            interface="air",
            heard_at=stage.node.node.now(),
            games=True,
        )
        stage.node.store.book.put_peers([heard])
        assert "Bob (LRGP)" in await ann.says("who")
        assert "#1 ttt v Bob (X): invited" in await ann.says("play ttt bob")
        (challenge,) = bob.of("game.challenged")
        assert any("Ann plays by text" in event.fields["text"] for event in bob.of("message.received"))
        id = challenge.fields["id"]
        await bob.act(id, "accept")
        await asyncio.sleep(30)
        assert "Your turn" in ann.got[-1]
        assert "1.b2" in await ann.says("5")
        await bob.act(id, "move", i=0)
        await asyncio.sleep(30)
        assert "2.a1" in ann.got[-1]
        assert "taken" in await ann.says("1")
        await stage.restart()
        await ann.says("3")
        await bob.act(id, "move", i=1)
        await asyncio.sleep(30)
        assert "You won." in await ann.says("7")
        with pytest.raises(CallerError):
            await bob.act(id, "move", i=5)
        assert str(bob.session(id).status) == "completed"  # type: ignore[union-attr]
        await bob.stop()

    on_stage(scene, path=str(tmp_path / "node.db"))


def test_what_somebody_calls_himself_cannot_make_a_text_longer_or_look_like_another() -> None:
    async def scene(stage: Stage) -> None:
        stage.names[PAUL] = "P\x1b[31m" + "aul\n~#1 won" * 30
        ann, paul = stage.phone(ANN), stage.phone(PAUL)
        await paul.says("seek chess")
        shown = await ann.says("tables")
        assert "\x1b" not in shown
        assert len(shown.splitlines()) == 6
        assert "Your turn" in await ann.says("1") or "Waiting" in ann.got[-1]

    on_stage(scene)


def test_a_deleted_identity_takes_its_texts_with_it() -> None:
    async def scene(stage: Stage) -> None:
        ann, _ = await with_paul(stage)
        await ann.says("play ttt house")
        stage.node.store.delete_identity(G)
        assert not stage.node.store.text.waiting()
        assert [seat.player for seat in stage.node.store.text.live()] == [HOUSE]

    on_stage(scene)


def test_another_gateway_identity_of_the_node_is_not_answered() -> None:
    async def scene(stage: Stage) -> None:
        stage.rows[EVE] = LocalIdentity(hash=EVE, name="eve", created_at=1.0, role=Role.GATEWAY)
        assert await stage.phone(EVE).says("help") == ""

    on_stage(scene)


def test_a_rematch_is_another_game_like_the_last() -> None:
    async def scene(stage: Stage) -> None:
        ann, paul = await with_paul(stage)
        assert "goes on" in await ann.says("rematch")
        await paul.says("resign")
        assert "invited" in await ann.says("Rematch!")
        assert "Ann invites you to ttt" in paul.got[-1]
        await paul.says("yes")
        await ann.says("leave")
        await ann.says("play four house")
        await ann.says("resign")
        assert "four v house" in await ann.says("rematch")
        assert "Of which game" in await stage.phone(EVE).says("rematch")

    on_stage(scene)


def test_nobody_is_invited_again_and_again() -> None:
    async def scene(stage: Stage) -> None:
        ann, paul = stage.phone(ANN), stage.phone(PAUL)
        await paul.says("help")
        for _ in range(12):
            assert "invited" in await ann.says("play ttt paul")
            await ann.says("leave")
        assert "enough people for today" in await ann.says("play ttt paul")
        await asyncio.sleep(DAY)
        assert "invited" in await ann.says("play ttt paul")

    on_stage(scene)
