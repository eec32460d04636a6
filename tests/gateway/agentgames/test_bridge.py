"""A player of the mesh in rated matches, through the gateway and its bridge, in virtual time."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Iterable
from dataclasses import replace

import pytest

from gateway.agentgames.place import Timing
from gateway.agentgames.platform import AgentGamesPlatform
from gateway.seat import Platform
from lrgpnode.airtime.roundtrip import RoundTrip
from lrgpnode.config import TOKENS_NAME
from lrgpnode.protocol.session import Status
from tests.gateway.agentgames.fake_server import FakeServer
from tests.gateway.agentgames.serving import OTHER_TOKEN, TOKEN, MemoryDialer
from tests.gateway.scene import SETTINGS, Scene, play
from tests.node.players import A, B

ROUTES = {"ttt": "agentgames", "four_in_a_row": "agentgames", "chess": "agentgames"}
HERE = replace(
    SETTINGS,
    policy=replace(SETTINGS.policy, routes=ROUTES),
    caps=replace(SETTINGS.caps, player=2),
)
KEYS = {"ttt": "i", "four_in_a_row": "c", "chess": "m"}


def written(scene: Scene) -> list[str]:
    """What the player was written, but for how much time there is for a move."""
    return [text for text in scene.host.told_player() if not text.startswith("agentgames gives ")]


class Rated:
    """A scene with an AgentGames server. ``dialer`` is that of the gateway as it runs now."""

    def __init__(self, scene: Scene, server: FakeServer, *, leaves_queue: bool) -> None:
        self.scene = scene
        self.server = server
        self._leaves = leaves_queue
        self._made: list[AgentGamesPlatform] = []
        self.dialer: MemoryDialer
        server.accounts = {TOKEN: "alice", OTHER_TOKEN: "carol"}

    def platforms(self) -> list[Platform]:
        self.dialer = MemoryDialer(self.server, leaves_queue=self._leaves)
        timing = Timing(move=self.server.move_seconds, queue=self.server.queue_seconds)
        clock = self.scene.host.node.now
        self._made.append(AgentGamesPlatform("agentgames", self.dialer, timing=timing, clock=clock))
        return [self._made[-1]]

    async def end(self) -> None:
        """Also of nodes that were killed: their tasks are still there."""
        for platform in self._made:
            await platform.close()
        await self.server.stop()

    async def killed(self) -> None:
        """The gateway's process is gone, with its connections."""
        self.scene.host.crash()
        await self.dialer.kill()

    async def challenge(self, app: str) -> str:
        return await self.scene.ann.challenge(B, app)

    async def waits(self, game: str, name: str = "alice") -> None:
        await self.scene.until(lambda: self.server.waits(game) == name)

    async def moves(self, id: str, app: str, moves: Iterable[object]) -> None:
        """The player makes these whenever it is to move."""
        for move in moves:
            await self.scene.turn(id)
            await self.scene.ann.act(id, "move", **{KEYS[app]: move})


def rated(
    main: Callable[[Rated], Awaitable[None]],
    *,
    move: float = 60,
    queue: float = 120,
    leaves_queue: bool = False,
    games: Iterable[str] = ("ttt", "c4"),
    clean: bool = True,
) -> None:
    server = FakeServer(games, move=move, queue=queue)
    made: list[Rated] = []

    def before(scene: Scene) -> None:
        made.append(Rated(scene, server, leaves_queue=leaves_queue))
        scene.host.others = made[0].platforms
        folder = scene.host.folder / TOKENS_NAME / "agentgames"
        folder.mkdir(parents=True)
        for name, token in (("first", TOKEN), ("second", OTHER_TOKEN)):
            (folder / name).write_text(token)
            (folder / name).chmod(0o600)

    async def inside(scene: Scene) -> None:
        try:
            await main(made[0])
        finally:
            await made[0].end()

    play(inside, settings=HERE, before=before)
    if clean:
        assert server.wrongs == []


def test_a_whole_match_with_the_first_move() -> None:
    async def main(at: Rated) -> None:
        scene = at.scene
        id = await at.challenge("ttt")
        await at.waits("ttt")
        assert scene.game(id).status is Status.PENDING
        at.server.bot("ttt", ["3", "4"])
        await scene.turn(id)
        assert scene.game(id).metadata["first_turn"] == A
        [seat] = scene.host.desk.seats()
        assert (seat.opponent, seat.deadline is not None) == ("bob", True)
        await at.moves(id, "ttt", [0, 1, 2])
        row = await scene.over()
        assert (row.result, row.reason) == ("won", "won (board): rated 1516")
        assert scene.game(id).metadata["winner"] == A
        assert written(scene) == []

    rated(main)


@pytest.mark.parametrize("wins", [True, False])
def test_a_whole_match_where_the_other_side_is_first(wins: bool) -> None:
    async def main(at: Rated) -> None:
        scene = at.scene
        at.server.bot("c4", ["1", "1", "1", "2"] if wins else ["1", "2", "3", "4"])
        await at.waits("c4", "bob")
        first = await at.challenge("four_in_a_row")
        await scene.until(lambda: scene.game(first).status is Status.DECLINED)
        id = await scene.until(lambda: scene.new_game("four_in_a_row", first))
        assert scene.game(id).initiator == B
        assert "challenge you" in written(scene)[0]
        await scene.ann.act(id, "accept")
        await at.moves(id, "four_in_a_row", [6, 6, 6, 6] if wins else [6, 6, 6])
        row = await scene.over()
        assert row.result == ("won" if wins else "lost")
        await scene.until(lambda: scene.game(id).status.ended or len(written(scene)) > 1)
        if wins:
            assert scene.game(id).metadata["winner"] == A
        else:
            # The winning move was one of two, and nobody has shown which.
            assert written(scene)[-1] == (
                "At the table the game is lost: the last move was not shown, rated 1484."
            )

    rated(main)


def test_the_opponents_last_move_arrives_where_it_can_be_known() -> None:
    async def main(at: Rated) -> None:
        scene = at.scene
        at.server.bot("ttt", ["0", "1", "2"])
        await at.waits("ttt", "bob")
        first = await at.challenge("ttt")
        id = await scene.until(lambda: scene.new_game("ttt", first))
        await scene.ann.act(id, "accept")
        await at.moves(id, "ttt", [3, 4])
        ended = await scene.ends(id)
        assert (ended.metadata["winner"], ended.metadata["terminal"]) == (B, "win")
        assert (await scene.over()).reason == "lost (board): rated 1484"

    rated(main)


def test_chess_with_the_colours_that_the_queue_gives() -> None:
    async def main(at: Rated) -> None:
        scene = at.scene
        await scene.until(lambda: "chess" in scene.host.gateway.platforms["agentgames"].games)
        at.server.bot("chess", ["f2f3", "g2g4"])
        await at.waits("chess", "bob")
        id = await at.challenge("chess")
        await at.moves(id, "chess", ["e7e5", "d8h4"])
        ended = await scene.ends(id)
        assert (ended.metadata["first_turn"], ended.metadata["reason"]) == (B, "cm")
        assert (await scene.over()).result == "won"

    rated(main, games=("ttt", "c4", "chess"))


def test_chess_is_refused_where_the_server_has_none() -> None:
    async def main(at: Rated) -> None:
        id = await at.challenge("chess")
        await at.scene.ends(id)
        assert written(at.scene) == ["No seat for you: agentgames has no tables of chess."]

    rated(main)


def test_the_queue_is_joined_again_and_again_until_somebody_comes() -> None:
    async def main(at: Rated) -> None:
        scene = at.scene
        id = await at.challenge("ttt")
        await scene.until(lambda: len([d for d in at.server.dials if d[1] == "ttt"]) >= 5)
        await at.waits("ttt")
        at.server.bot("ttt", ["3", "4"])
        await at.moves(id, "ttt", [0, 1, 2])
        assert (await scene.over()).result == "won"

    rated(main)


def test_nobody_comes_at_all() -> None:
    async def main(at: Rated) -> None:
        scene = at.scene
        id = await at.challenge("ttt")
        await scene.until(lambda: scene.game(id).status is Status.DECLINED, 2 * HERE.wait)
        assert "nobody has sat down" in written(scene)[0]
        await scene.over()
        await scene.quiet(300)
        assert at.server.waits("ttt") == ""
        assert all(connection.closed for connection in at.dialer.open)

    rated(main)


def test_a_player_who_withdraws_leaves_a_place_to_the_next_one() -> None:
    async def main(at: Rated) -> None:
        scene = at.scene
        id = await at.challenge("ttt")
        await at.waits("ttt")
        await scene.ann.act(id, "decline")
        await scene.over()
        dials = len(at.server.dials)
        id = await at.challenge("ttt")
        await scene.until(lambda: scene.host.stage(2) == "waiting")
        assert len(at.server.dials) == dials
        at.server.bot("ttt", ["3", "4"])
        await at.moves(id, "ttt", [0, 1, 2])
        assert (await scene.over(2)).result == "won"

    rated(main)


def test_over_ssh_whoever_withdraws_is_out_of_the_queue() -> None:
    async def main(at: Rated) -> None:
        id = await at.challenge("ttt")
        await at.waits("ttt")
        await at.scene.ann.act(id, "decline")
        await at.scene.over()
        assert at.server.waits("ttt") == ""

    rated(main, leaves_queue=True)


def test_a_second_player_of_one_queue_gets_another_account_and_a_third_none() -> None:
    async def main(at: Rated) -> None:
        scene = at.scene
        await at.challenge("ttt")
        await at.waits("ttt")
        # The fake server pairs nobody of these two: the first one has just been taken by somebody else.
        at.server._slots.clear()
        await at.challenge("ttt")
        await at.waits("ttt", "carol")
        assert [scene.host.bridge(id).account for id in (1, 2)] == ["first", "second"]
        scene.host.gateway.settings = replace(HERE, caps=replace(HERE.caps, player=3))
        id = await at.challenge("ttt")
        await scene.ends(id)
        assert written(scene) == [
            "No seat for you: The account waits for an opponent in that game already. "
            "Try again in a few minutes."
        ]

    rated(main, clean=False)


def test_where_the_other_account_has_to_pause_nobody_asks_for_ever() -> None:
    async def main(at: Rated) -> None:
        scene = at.scene
        await at.challenge("ttt")
        await at.waits("ttt")
        now = scene.host.node.now()
        await scene.host.gateway.limiter.told("agentgames", "second", 3600.0, "a pause", now)
        id = await at.challenge("ttt")
        await scene.ends(id)
        assert "waits for an opponent in that game already" in written(scene)[0]
        assert len([dial for dial in at.server.dials if dial[1] == "ttt"]) == 1

    rated(main)


def test_where_the_account_is_not_taken_the_seat_is_over_and_nobody_asks_again() -> None:
    async def main(at: Rated) -> None:
        scene = at.scene
        at.server.accounts = {}
        id = await at.challenge("ttt")
        assert (await scene.ends(id)).status is Status.DECLINED
        row = await scene.over()
        assert (row.result, row.reason) == ("none", "The platform does not take the token")
        assert scene.host.told_player()[1:] == ["No seat for you: The platform does not take the token."]
        assert scene.host.store.gateway.used() == {}
        await scene.quiet(600)
        assert at.dialer.asked.count("ttt") == 1

    rated(main)


def test_a_server_that_cannot_be_reached_is_asked_less_and_less_and_no_more_after_the_refusal() -> None:
    async def main(at: Rated) -> None:
        scene = at.scene
        at.dialer.down = True
        id = await at.challenge("ttt")
        assert (await scene.ends(id)).status is Status.DECLINED
        assert (await scene.over()).reason == "The platform cannot be reached"
        asked = at.dialer.asked.count("ttt")
        assert 3 <= asked <= 12
        assert scene.host.store.gateway.used() == {}
        await scene.quiet(600)
        assert at.dialer.asked.count("ttt") == asked

    rated(main)


def test_the_players_time_is_up() -> None:
    async def main(at: Rated) -> None:
        scene = at.scene
        id = await at.challenge("ttt")
        await at.waits("ttt")
        at.server.bot("ttt", ["3"])
        await at.moves(id, "ttt", [0])
        row = await scene.over()
        assert (row.result, row.reason) == ("lost", "lost (timeout): rated 1484")
        assert written(scene) == ["Your time at the table is up: the game is lost there."]
        await scene.turn(id)
        await scene.ann.act(id, "move", i=1)
        await scene.quiet()
        assert len(at.server.results) == 2

    rated(main)


def test_our_challenge_is_not_accepted_before_the_time_is_up() -> None:
    async def main(at: Rated) -> None:
        scene = at.scene
        at.server.bot("ttt", ["0"])
        await at.waits("ttt", "bob")
        first = await at.challenge("ttt")
        id = await scene.until(lambda: scene.new_game("ttt", first))
        row = await scene.over()
        assert (row.result, row.reason) == (
            "lost",
            "the game at the table is over: lost (timeout): rated 1484",
        )
        assert written(scene)[-1] == "Your time at the table is up: the game is lost there."
        assert (await scene.ends(id)).status is Status.DECLINED

    rated(main)


@pytest.mark.parametrize(
    ("move", "result", "told"),
    [
        ("drop", "won (left): rated 1516", "Your opponent has left the table: you have won."),
        (
            "9",
            "won (other): illegal move, rated 1516",
            "At the table you have won: illegal move, rated 1516.",
        ),
        ("", "won (timeout): rated 1516", "Your opponent's time is up: you have won."),
    ],
)
def test_the_other_side_forfeits_so_we_resign(move: str, result: str, told: str) -> None:
    async def main(at: Rated) -> None:
        scene = at.scene
        id = await at.challenge("ttt")
        await at.waits("ttt")
        at.server.bot("ttt", [move] if move else [])
        await at.moves(id, "ttt", [0])
        ended = await scene.ends(id)
        assert (ended.metadata["winner"], ended.metadata["terminal"]) == (A, "resign")
        assert written(scene) == [told]
        row = await scene.over()
        assert (row.result, row.reason) == ("won", result)

    rated(main)


def test_a_player_who_resigns_forfeits() -> None:
    async def main(at: Rated) -> None:
        scene = at.scene
        id = await at.challenge("ttt")
        await at.waits("ttt")
        bot = at.server.bot("ttt", ["3"])
        await at.moves(id, "ttt", [0])
        await scene.turn(id)
        await scene.ann.act(id, "resign")
        row = await scene.over()
        assert row.result == "lost"
        await scene.until(lambda: at.server.results)
        assert bot.seen[-1]["reason"] == "forfeit: connection closed"

    rated(main)


def test_draw_offers_are_not_heard_there() -> None:
    async def main(at: Rated) -> None:
        scene = at.scene
        id = await at.challenge("ttt")
        await at.waits("ttt")
        at.server.bot("ttt", ["3", "4"])
        await at.moves(id, "ttt", [0])
        await scene.turn(id)
        await scene.ann.act(id, "draw_offer")
        await scene.until(lambda: written(scene))
        assert written(scene) == ["This table knows no draw offers, so your opponent does not hear of yours."]
        await at.moves(id, "ttt", [1, 2])
        assert (await scene.over()).result == "won"

    rated(main)


def test_a_kill_in_the_match_is_a_forfeit_and_the_player_is_not_to_blame() -> None:
    async def main(at: Rated) -> None:
        scene = at.scene
        id = await at.challenge("ttt")
        await at.waits("ttt")
        at.server.bot("ttt", ["3"])
        await at.moves(id, "ttt", [0])
        await scene.turn(id)
        await at.killed()
        await scene.host.start()
        ended = await scene.ends(id)
        assert (ended.metadata["winner"], ended.metadata["terminal"]) == (A, "resign")
        assert "was lost in the match, which counts as a forfeit there" in written(scene)[0]
        assert (await scene.over()).result == "none"
        assert len([dial for dial in at.server.dials if dial == ("alice", "ttt")]) == 1

    rated(main, clean=False)


def test_a_kill_between_the_opponents_coming_and_the_first_move() -> None:
    """The match is forfeited; the player's game must not go on against somebody else."""

    async def main(at: Rated) -> None:
        scene = at.scene
        id = await at.challenge("ttt")
        await at.waits("ttt")
        at.server.bot("ttt", [])
        await scene.turn(id)
        await at.killed()
        await scene.host.start()
        assert (await scene.ends(id)).metadata["winner"] == A
        assert len([dial for dial in at.server.dials if dial == ("alice", "ttt")]) == 1

    rated(main, clean=False)


def test_a_kill_in_the_queue_costs_nothing() -> None:
    async def main(at: Rated) -> None:
        scene = at.scene
        id = await at.challenge("ttt")
        await at.waits("ttt")
        await at.killed()
        at.server._slots.clear()
        await scene.host.start()
        await at.waits("ttt")
        at.server.bot("ttt", ["3", "4"])
        await at.moves(id, "ttt", [0, 1, 2])
        assert (await scene.over()).result == "won"

    rated(main, clean=False)


def test_a_stop_of_the_node_in_the_queue_and_a_start() -> None:
    async def main(at: Rated) -> None:
        scene = at.scene
        id = await at.challenge("ttt")
        await at.waits("ttt")
        await scene.host.gateway.close()
        at.server._slots.clear()
        await scene.host.restart()
        await at.waits("ttt")
        at.server.bot("ttt", ["3", "4"])
        await at.moves(id, "ttt", [0, 1, 2])
        assert (await scene.over()).result == "won"

    rated(main, clean=False)


def test_a_link_too_slow_for_its_clock_is_never_queued_there() -> None:
    """Fifteen seconds, and eighteen on the air: refused with the reason; who insists is queued."""

    async def main(at: Rated) -> None:
        scene = at.scene
        scene.host.trip = RoundTrip(travel=17.2)
        refused = await at.challenge("ttt")
        await scene.until(lambda: scene.game(refused).status is Status.DECLINED)
        assert scene.host.told_player() == [
            "No seat for you: agentgames gives 15 s for a move, and about 18 s go by on the way to and from "
            "you. If you insist, challenge me again within 10 minutes."
        ]
        await scene.quiet(60)
        assert at.server.waits("ttt") == ""
        assert scene.host.bridge().seat == ""
        id = await at.challenge("ttt")
        await at.waits("ttt")
        assert written(scene) == scene.host.told_player()[:1]
        assert scene.host.told_player()[1].startswith(
            "agentgames gives 15 s for a move, and about 18 s go by"
        )
        at.server.bot("ttt", ["3"])
        await scene.turn(id)

    rated(main, move=15)
