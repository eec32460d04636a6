"""Players of the mesh at tables elsewhere: whole games, and every way in which they end."""

from __future__ import annotations

import pytest

from gateway.seat import Reason, Side, Winner, Word
from lrgpnode.protocol.session import Status
from tests.gateway.fake_platform import moves
from tests.gateway.scene import Scene, play
from tests.node.players import A, B

FOOLS = ({"m": "e7e5"}, {"m": "d8h4"})
SCHOLARS = ({"m": "e7e5"}, {"m": "b8c6"}, {"m": "g8f6"})


async def begun(scene: Scene, app: str = "chess") -> str:
    """The player has challenged, and the game goes on."""
    id = await scene.ann.challenge(B, app)
    await scene.until(lambda: scene.game(id).status is Status.ACTIVE)
    return id


@pytest.mark.parametrize("shows_moves", [True, False])
def test_a_whole_game_of_chess_to_mate(shows_moves: bool) -> None:
    async def main(scene: Scene) -> None:
        table = scene.world.table("chess", script=moves(*SCHOLARS), shows_moves=shows_moves)
        id = await begun(scene)
        assert scene.game(id).metadata["first_turn"] == A
        for move in ("e2e4", "f1c4", "d1h5", "h5f7"):
            await scene.turn(id)
            await scene.ann.act(id, "move", m=move)
        await scene.over()
        assert table.acted == [{"m": "e2e4"}, {"m": "f1c4"}, {"m": "d1h5"}, {"m": "h5f7"}]
        ended = await scene.ends(id)
        assert (ended.metadata["terminal"], ended.metadata["winner"]) == ("win", A)
        assert scene.host.session(id) is not None
        assert scene.host.state(id) == scene.ann.state(id)
        row = scene.host.bridge()
        assert (row.result, row.platform, row.account) == ("won", "fake", "main")
        assert not table.left
        assert scene.host.store.gateway.used() == {}

    play(main)


def test_the_platform_gives_white_to_the_other_side() -> None:
    async def main(scene: Scene) -> None:
        script = moves({"m": "f2f3"}, {"m": "g2g4"})
        scene.world.table("chess", first=Side.THEM, script=script)
        id = await begun(scene)
        assert scene.game(id).metadata["first_turn"] == B
        for move in ("e7e5", "d8h4"):
            await scene.turn(id)
            await scene.ann.act(id, "move", m=move)
        assert (await scene.over()).result == "won"
        assert scene.game(id).metadata["reason"] == "cm"

    play(main)


def test_the_challenge_is_accepted_only_when_the_colour_is_known() -> None:
    async def main(scene: Scene) -> None:
        table = scene.world.table("chess", comes=False)
        id = await scene.ann.challenge(B, "chess")
        await scene.until(lambda: scene.host.stage() == "waiting")
        await scene.quiet(600)
        assert scene.game(id).status is Status.PENDING
        table.come()
        await scene.turn(id)

    play(main)


@pytest.mark.parametrize("app", ["ttt", "four_in_a_row"])
def test_who_moves_first_at_the_table_has_challenged(app: str) -> None:
    key = {"ttt": "i", "four_in_a_row": "c"}[app]

    async def main(scene: Scene) -> None:
        scene.world.table(app, script=moves({key: 3}, {key: 4}, {key: 5}))
        id = await begun(scene, app)
        for value in (0, 1, 2):
            await scene.turn(id)
            await scene.ann.act(id, "move", **{key: value})
        if app == "four_in_a_row":
            await scene.turn(id)
            await scene.ann.act(id, "resign")
            assert (await scene.over()).result == "lost"
        else:
            assert (await scene.over()).result == "won"

    play(main)


@pytest.mark.parametrize("app", ["ttt", "four_in_a_row"])
def test_where_the_other_side_moves_first_we_decline_and_challenge(app: str) -> None:
    key = {"ttt": "i", "four_in_a_row": "c"}[app]

    async def main(scene: Scene) -> None:
        table = scene.world.table(app, first=Side.THEM, script=moves({key: 0}, {key: 1}, {key: 2}, {key: 3}))
        first = await scene.ann.challenge(B, app)
        await scene.until(lambda: scene.game(first).status is Status.DECLINED)
        id = await scene.until(lambda: scene.new_game(app, first))
        assert scene.game(id).initiator == B
        assert "challenge you" in scene.host.told_player()[0]
        await scene.ann.act(id, "accept")
        for value in (6, 5) if app == "four_in_a_row" else (4, 5):
            await scene.turn(id)
            await scene.ann.act(id, "move", **{key: value})
        ended = await scene.ends(id) if app == "ttt" else scene.game(id)
        if app == "ttt":
            assert ended.metadata["winner"] == B
            assert (await scene.over()).result == "lost"
        assert len(scene.host.told_player()) == 1
        assert table.joins == 1

    play(main)


def test_a_player_who_does_not_want_to_move_second_declines() -> None:
    async def main(scene: Scene) -> None:
        table = scene.world.table("ttt", first=Side.THEM)
        first = await scene.ann.challenge(B, "ttt")
        id = await scene.until(lambda: scene.new_game("ttt", first))
        await scene.ann.act(id, "decline")
        row = await scene.over()
        assert row.reason == "the player has declined"
        assert table.left
        assert scene.host.store.gateway.used() == {}

    play(main)


@pytest.mark.parametrize(
    ("reason", "told"),
    [
        (Reason.TIMEOUT, "Your opponent's time is up: you have won."),
        (Reason.LEFT, "Your opponent has left the table: you have won."),
        (Reason.RESIGNED, ""),
        (Reason.OTHER, "At the table you have won: they fell asleep."),
    ],
)
def test_the_other_side_loses_so_we_resign(reason: Reason, told: str) -> None:
    async def main(scene: Scene) -> None:
        table = scene.world.table("chess")
        id = await begun(scene)
        text = "they fell asleep" if reason is Reason.OTHER else ""
        table.end(Winner.US, reason, text)
        ended = await scene.ends(id)
        assert (ended.metadata["winner"], ended.metadata["reason"]) == (A, "rsn")
        row = await scene.over()
        assert row.result == "won"
        assert scene.host.told_player() == ([told] if told else [])

    play(main)


@pytest.mark.parametrize("how", ["host", "restart"])
def test_the_table_is_gone_so_we_give_the_game_up(how: str) -> None:
    async def main(scene: Scene) -> None:
        table = scene.world.table("chess", script=moves({"m": "e7e5"}))
        id = await begun(scene)
        await scene.ann.act(id, "move", m="e2e4")
        await scene.turn(id)
        if how == "host":
            table.end(Winner.NONE, Reason.HOST_LOST)
        else:
            table.lose("the platform was restarted")
        ended = await scene.ends(id)
        assert ended.metadata["winner"] == A
        row = await scene.over()
        assert row.result == "none"
        assert len(scene.host.told_player()) == 1
        if how == "restart":
            assert "restarted" in scene.host.told_player()[0]
            assert row.reason == "the platform was restarted"

    play(main)


def test_the_player_loses_by_the_clock_of_the_table() -> None:
    async def main(scene: Scene) -> None:
        table = scene.world.table("chess", script=moves({"m": "e7e5"}))
        id = await begun(scene)
        table.strikes, table.deadline = 1, 1_800_007_200.0
        table.touch()
        await scene.until(scene.host.told_player)
        assert scene.host.told_player()[0].startswith("The table's clock has warned you (1): move by ")
        table.end(Winner.THEM, Reason.TIMEOUT)
        row = await scene.over()
        assert (row.result, row.reason) == ("lost", "lost (timeout)")
        assert scene.host.told_player()[1:] == ["Your time at the table is up: the game is lost there."]
        # The player's program knows no such end. Whatever it still does is answered with the reason.
        assert scene.game(id).status is Status.ACTIVE
        await scene.ann.act(id, "move", m="e2e4")
        errors = await scene.until(lambda: scene.ann.of("game.error"))
        assert errors[0].fields["msg"] == "Your time at the table is up: the game is lost there."
        assert scene.ann.flags(id)["out_of_sync"]
        mine = scene.host.session(id)
        assert mine is not None
        assert mine.status is Status.EXPIRED

    play(main)


@pytest.mark.parametrize("answer", ["draw_accept", "draw_decline", "move"])
def test_a_draw_of_the_platform_is_offered(answer: str) -> None:
    async def main(scene: Scene) -> None:
        table = scene.world.table("chess")
        id = await begun(scene)
        table.end(Winner.NONE, Reason.OTHER, "too many moves")
        await scene.until(lambda: scene.game(id).metadata["draw_offered"])
        assert scene.host.store.gateway.used() == {}
        said = scene.host.told_player()
        assert said == ["At the table the game is a draw: too many moves. So I offer one: accept it."]
        if answer == "move":
            await scene.ann.act(id, "move", m="e2e4")
        else:
            await scene.ann.act(id, answer)
        row = await scene.over()
        assert row.result == "drawn"
        mine = scene.host.session(id)
        assert mine is not None
        if answer == "draw_accept":
            assert mine.metadata["terminal"] == scene.game(id).metadata["terminal"] == "draw"
        else:
            assert mine.status is Status.EXPIRED

    play(main)


def test_a_claim_of_the_platform_that_holds_ends_the_game_at_once() -> None:
    back = ("g8f6", "f6g8", "g8f6", "f6g8")

    async def main(scene: Scene) -> None:
        table = scene.world.table("chess", script=moves(*({"m": m} for m in back)))
        id = await begun(scene)
        for move in ("g1f3", "f3g1", "g1f3", "f3g1"):
            await scene.turn(id)
            await scene.ann.act(id, "move", m=move)
        await scene.turn(id)
        table.end(Winner.NONE, Reason.CLAIMED, "threefold repetition")
        ended = await scene.ends(id)
        assert ended.metadata["reason"] == "3fr"
        assert (await scene.over()).result == "drawn"

    play(main)


@pytest.mark.parametrize("word", [True, False])
def test_the_player_resigns(word: bool) -> None:
    async def main(scene: Scene) -> None:
        words = frozenset((Word.RESIGN,)) if word else frozenset()
        table = scene.world.table("chess", words=words)
        id = await begun(scene)
        await scene.ann.act(id, "resign")
        assert (await scene.over()).result == "lost"
        assert table.said == ([Word.RESIGN] if word else [])
        assert table.left is not word

    play(main)


def test_a_draw_offer_where_the_table_knows_none() -> None:
    async def main(scene: Scene) -> None:
        scene.world.table("chess")
        id = await begun(scene)
        for _ in range(2):
            await scene.ann.act(id, "draw_offer")
            await scene.until(lambda: not scene.game(id).metadata["draw_offered"])
        assert scene.host.told_player() == [
            "This table knows no draw offers, so your opponent does not hear of yours."
        ]
        assert scene.game(id).status is Status.ACTIVE

    play(main)


def test_a_draw_offer_that_the_table_does_not_take_now_is_declined() -> None:
    """Some take offers only from who is to move; the player is not to wait for an answer that cannot come."""

    async def main(scene: Scene) -> None:
        words = frozenset((Word.DRAW_OFFER,))
        table = scene.world.table("chess", words=words, deaf=words)
        id = await scene.ann.challenge(B, "chess")
        await scene.turn(id)
        await scene.ann.act(id, "move", m="e2e4")
        await scene.until(lambda: table.acted)
        await scene.ann.act(id, "draw_offer")
        await scene.until(lambda: not scene.game(id).metadata["draw_offered"])
        assert scene.game(id).status is Status.ACTIVE
        table.play({"m": "e7e5"})
        await scene.turn(id)

    play(main)


@pytest.mark.parametrize("answer", ["accept", "decline"])
def test_a_draw_offer_where_the_table_knows_them(answer: str) -> None:
    async def main(scene: Scene) -> None:
        words = frozenset((Word.DRAW_OFFER, Word.DRAW_ACCEPT, Word.DRAW_DECLINE))
        table = scene.world.table("chess", words=words)
        id = await begun(scene)
        await scene.ann.act(id, "draw_offer")
        await scene.until(lambda: table.said)
        assert scene.game(id).metadata["draw_offered"]
        if answer == "accept":
            table.end(Winner.NONE, Reason.AGREED)
            ended = await scene.ends(id)
            assert (ended.metadata["terminal"], ended.metadata["reason"]) == ("draw", "agr")
            assert (await scene.over()).result == "drawn"
        else:
            table.declines = True
            table.touch()
            await scene.until(lambda: not scene.game(id).metadata["draw_offered"])
            assert scene.game(id).status is Status.ACTIVE
        assert table.said == [Word.DRAW_OFFER]

    play(main)


@pytest.mark.parametrize("answer", ["draw_accept", "draw_decline"])
def test_the_other_side_offers_a_draw(answer: str) -> None:
    async def main(scene: Scene) -> None:
        words = frozenset((Word.DRAW_OFFER, Word.DRAW_ACCEPT, Word.DRAW_DECLINE))
        table = scene.world.table("chess", words=words)
        id = await begun(scene)
        table.offers = True
        table.touch()
        await scene.until(lambda: scene.game(id).metadata["draw_offered_by"] == B)
        await scene.ann.act(id, answer)
        await scene.until(lambda: table.said)
        expected = {"draw_accept": Word.DRAW_ACCEPT, "draw_decline": Word.DRAW_DECLINE}
        assert table.said == [expected[answer]]
        if answer == "draw_accept":
            assert (await scene.over()).result == "drawn"

    play(main)


@pytest.mark.parametrize("known", [True, False])
def test_a_claim_of_the_player(known: bool) -> None:
    back = ("g8f6", "f6g8", "g8f6", "f6g8")

    async def main(scene: Scene) -> None:
        words = frozenset((Word.CLAIM,)) if known else frozenset()
        table = scene.world.table("chess", script=moves(*({"m": m} for m in back)), words=words)
        id = await begun(scene)
        for move in ("g1f3", "f3g1", "g1f3", "f3g1"):
            await scene.turn(id)
            await scene.ann.act(id, "move", m=move)
        await scene.turn(id)
        await scene.ann.act(id, "draw_offer", r="3fr")
        row = await scene.over()
        assert row.result == ("drawn" if known else "lost")
        assert table.left is not known
        assert len(scene.host.told_player()) == (0 if known else 1)

    play(main)


def test_a_move_that_the_table_does_not_allow() -> None:
    """By the rules of the mesh it was fine, so it stands there. Both sides come to an end that is told."""

    async def main(scene: Scene) -> None:
        table = scene.world.table("chess", legal=False)
        table.rejects = ["no such opening here"]
        id = await begun(scene)
        await scene.ann.act(id, "move", m="e2e4")
        row = await scene.over()
        assert row.reason == "the table refuses your move: no such opening here" or row.result == "lost"
        assert table.left
        said = scene.host.told_player()
        assert len(said) == 1
        assert "the table refuses your move: no such opening here" in said[0]
        await scene.ann.act(id, "resign")
        errors = await scene.until(lambda: scene.ann.of("game.error"))
        assert "refuses your move" in errors[0].fields["msg"]

    play(main)


def test_a_move_that_is_rejected_late() -> None:
    async def main(scene: Scene) -> None:
        table = scene.world.table("chess")
        table.unknown = 1
        id = await begun(scene)
        table.late = ""
        await scene.ann.act(id, "move", m="e2e4")
        await scene.until(lambda: table.acted)  # nobody said anything, so it was sent again
        assert table.acted == [{"m": "e2e4"}]
        assert table.world.asked.count("act") == 2

    play(main)


def test_a_move_made_for_the_player_is_not_passed_on() -> None:
    async def main(scene: Scene) -> None:
        table = scene.world.table("chess", script=moves({"m": "e7e5"}))
        id = await begun(scene)
        table.act({"m": "e2e4"}, None)  # by somebody else with the same account
        row = await scene.over()
        assert table.left
        mine = scene.host.session(id)
        assert mine is not None
        assert mine.metadata["moves"] == []
        assert "a move was made for you" in scene.host.told_player()[0]
        assert row.result == "lost"

    play(main)


def test_the_last_move_comes_too_late() -> None:
    async def main(scene: Scene) -> None:
        table = scene.world.table("chess", script=moves(*SCHOLARS))
        id = await begun(scene)
        for move in ("e2e4", "f1c4", "d1h5"):
            await scene.turn(id)
            await scene.ann.act(id, "move", m=move)
        await scene.turn(id)
        scene.world.down = True
        await scene.ann.act(id, "move", m="h5f7")
        await scene.quiet(60)
        scene.world.down = False
        table.end(Winner.THEM, Reason.TIMEOUT)
        row = await scene.over()
        assert row.result == "lost"
        assert scene.game(id).metadata["winner"] == A
        assert scene.host.told_player()[-1].startswith("Your last action came too late for the table.")

    play(main)


def test_another_game_by_invitation() -> None:
    async def main(scene: Scene) -> None:
        table = scene.world.table("ttt", script=moves({"i": 3}, {"i": 4}))
        table.next = scene.world.table("ttt", "next", script=moves({"i": 3}, {"i": 4}))
        table.next.account = "kept"
        id = await begun(scene, "ttt")
        for cell in (0, 1, 2):
            await scene.turn(id)
            await scene.ann.act(id, "move", i=cell)
        await scene.until(scene.host.told_player)
        assert scene.host.told_player()[0].startswith(
            "Your opponent wants another game: challenge me to Tic-Tac-Toe"
        )
        assert scene.host.bridge().stage == "settling"
        assert table.next.joins == 0
        table.next.account = ""
        again = await begun(scene, "ttt")
        assert scene.host.bridge(2).stage == "playing"
        assert (await scene.over(1)).result == "won"
        assert not table.left
        await scene.turn(again)
        assert table.next.joins == 1

    play(main)


def test_who_does_not_come_to_another_game_leaves_the_table() -> None:
    async def main(scene: Scene) -> None:
        table = scene.world.table("ttt", script=moves({"i": 3}, {"i": 4}))
        table.next = scene.world.table("ttt", "next")
        table.next.account = "kept"
        id = await begun(scene, "ttt")
        for cell in (0, 1, 2):
            await scene.turn(id)
            await scene.ann.act(id, "move", i=cell)
        row = await scene.over()
        assert row.result == "won"
        assert table.left
        assert table.next.joins == 0

    play(main)
