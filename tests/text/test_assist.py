"""Text players at tables with a clock: what is left of it, insisting, and the node that moves for them."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Coroutine
from pathlib import Path
from typing import Any

import pytest

from interfaces.text.assist import LEAD_SECONDS, marked
from interfaces.text.web import Wish, wish
from interfaces.text.wishes import MOST, Wishes
from lrgpnode.house.question import Answer, Question
from lrgpnode.house.worker import ThinkError
from lrgpnode.protocol.session import Session, SessionKey, Status
from storage.model import ASSISTED, Peer
from storage.text_model import Kind
from tests.text.stage import ANN, PAUL, G, Phone, Stage, on_stage
from tests.text.test_web_tables import Platform, bridge, ours


class Scene:
    """Ann at a table with a clock of ``seconds``."""

    def __init__(self, stage: Stage, platform: Platform, seconds: float = 15.0) -> None:
        self.stage = stage
        self.platform = platform
        self.seconds = seconds
        self.ann: Phone = stage.phone(ANN)

    @property
    def session(self) -> Session:
        return ours(self.stage)[0]

    @property
    def now(self) -> float:
        return self.stage.node.node.now()

    @property
    def moves(self) -> list[Any]:
        return list(self.session.metadata["moves"])

    @property
    def remark(self) -> str:
        flags = self.stage.node.store.mail.flags(self.session.key)
        return next((flag.reason for flag in flags if flag.flag == ASSISTED), "")

    async def begin(self, command: str = "play ttt agentgames assist") -> None:
        """He has challenged, and it is his turn."""
        await self.ann.says(command, seconds=5)
        self.platform.session = self.session.key.session_id
        await self.turn("accept")

    async def turn(self, command: str, **intent: Any) -> None:
        """Something happens at the table, and his clock begins to run."""
        self.platform.deadline = self.now + self.seconds
        await self.stage.node.node.act(self.session.key, command, intent)
        self.told()
        await asyncio.sleep(1)

    def told(self) -> None:
        """The bridge says that there is a turn."""
        assert self.stage.text is not None
        self.stage.text.told("gateway.turn", {"session": self.platform.session})

    async def until_left(self, seconds: float) -> None:
        assert self.platform.deadline is not None
        await asyncio.sleep(self.platform.deadline - seconds - self.now)


def at_table(main: Callable[[Scene], Coroutine[Any, Any, None]], **how: Any) -> None:
    platform = Platform()

    async def scene(stage: Stage) -> None:
        await main(Scene(stage, platform))

    on_stage(scene, gateway=platform, **how)


@pytest.mark.parametrize(
    ("words", "expected"),
    [
        ("", Wish()),
        ("Table-X 7", Wish(table="Table-X 7")),
        ("anyway", Wish(insists=True)),
        ("Insist, ASSIST!", Wish(insists=True, assist=True)),
        ("Table-X assist anyway", Wish(table="Table-X", insists=True, assist=True)),
    ],
)
def test_what_follows_the_platform(words: str, expected: Wish) -> None:
    assert wish(words) == expected


def test_the_board_says_how_much_time_is_left() -> None:
    async def main(scene: Scene) -> None:
        await scene.begin("play ttt agentgames")
        assert scene.ann.got[-1] == "~#1 ttt v Wanda (X)\n1 2 3\n4 5 6\n7 8 9\nYour turn. 15 s left."
        assert "your move, 1" in await scene.ann.says("games", seconds=3)
        assert scene.platform.places == [("agentgames", False)]
        said = await scene.ann.says("5", seconds=3)
        assert "left" not in said
        scene.seconds = 300.0
        await scene.turn("move", i=0)
        assert scene.ann.got[-1].endswith("Your turn. 5 min left.")

    at_table(main)


def test_a_slow_link_is_refused_and_insisted_on() -> None:
    async def main(scene: Scene) -> None:
        scene.platform.refuse = "Too slow: agentgames gives 15 s for a move."
        assert await scene.ann.says("play ttt agentgames") == "~Too slow: agentgames gives 15 s for a move."
        assert ours(scene.stage) == []
        await scene.ann.says("play ttt agentgames anyway")
        assert scene.platform.places == [("agentgames", True)]
        assert scene.session.status is Status.PENDING

    at_table(main)


def test_the_node_moves_when_three_seconds_are_left() -> None:
    async def main(scene: Scene) -> None:
        await scene.begin()
        assert scene.ann.got[-1].startswith("~#1 ttt v Wanda (X, assisted)\n")
        await scene.until_left(LEAD_SECONDS + 0.1)
        assert scene.moves == []
        await scene.until_left(LEAD_SECONDS - 0.2)
        assert len(scene.moves) == 1
        assert scene.remark == "the node's search has chosen for the player by text: move 1"
        await asyncio.sleep(5)
        assert "(X, assisted): 1." in scene.ann.got[-1]
        taken = scene.moves[0]
        await scene.turn("move", i=next(cell for cell in range(9) if cell != taken))
        await scene.until_left(1.0)
        assert len(scene.moves) == 3
        assert scene.remark.endswith("move 1, 3")

    at_table(main)


def test_who_moves_himself_is_not_helped() -> None:
    async def main(scene: Scene) -> None:
        await scene.begin()
        await scene.ann.says("5", seconds=5)
        await asyncio.sleep(30)
        assert scene.moves == [4]
        assert scene.remark == ""

    at_table(main)


@pytest.mark.parametrize("before", [0.05, 0.0, -0.05])
def test_a_move_that_arrives_at_that_moment_is_his_own(before: float) -> None:
    """Whichever is first, there is one move for the turn, and the remark says whose."""

    async def main(scene: Scene) -> None:
        await scene.begin()
        await scene.until_left(LEAD_SECONDS + before)
        scene.ann.write("9")
        await scene.until_left(1.0)
        assert len(scene.moves) == 1
        if not scene.remark:
            assert scene.moves == [8]
        assert before <= 0 or not scene.remark

    at_table(main)


def test_what_he_has_written_is_read_first() -> None:
    """His text is stored, and the node has not come to it: it is his move that counts."""

    async def main(scene: Scene) -> None:
        await scene.begin()
        text = scene.stage.text
        assert text is not None
        await scene.until_left(LEAD_SECONDS + 0.5)
        await text._lock.acquire()
        scene.ann.write("9")
        await scene.until_left(LEAD_SECONDS - 1.0)
        assert scene.moves == []
        text._lock.release()
        await scene.until_left(1.0)
        assert scene.moves == [8]
        assert scene.remark == ""

    at_table(main)


def test_a_text_that_is_no_move_does_not_keep_the_node_from_moving() -> None:
    async def main(scene: Scene) -> None:
        await scene.begin()
        text = scene.stage.text
        assert text is not None
        await scene.until_left(LEAD_SECONDS + 0.5)
        await text._lock.acquire()
        scene.ann.write("help")
        await scene.until_left(LEAD_SECONDS - 1.0)
        text._lock.release()
        await scene.until_left(1.0)
        assert len(scene.moves) == 1
        assert scene.remark

    at_table(main)


def test_never_later_than_the_deadline() -> None:
    async def main(scene: Scene) -> None:
        await scene.begin()
        text = scene.stage.text
        assert text is not None
        await scene.until_left(LEAD_SECONDS + 0.5)
        await text._lock.acquire()
        await scene.until_left(0.2)
        text._lock.release()
        await asyncio.sleep(20)
        assert scene.moves == []
        assert scene.remark == ""

    at_table(main)


@pytest.mark.parametrize("fails", ["slow", "broken"])
def test_a_search_that_is_too_slow_is_replaced(fails: str) -> None:
    async def main(scene: Scene) -> None:
        async def broken(question: Question) -> Answer:
            raise ThinkError("no memory")

        scene.stage.thinker.seconds = 1000.0
        if fails == "broken":
            scene.stage.thinker.think = broken  # type: ignore[method-assign]
        await scene.begin()
        await scene.until_left(0.4)
        assert len(scene.moves) == 1

    at_table(main)


def test_on_and_off_in_the_game() -> None:
    async def main(scene: Scene) -> None:
        await scene.begin("play c4 agentgames")
        assert "assisted" not in scene.ann.got[-1]
        assert "(A, assisted)" in await scene.ann.says("assist", seconds=2)
        assert "(A)" in await scene.ann.says("assist off", seconds=2)
        await scene.until_left(0.0)
        assert scene.moves == []
        await scene.ann.says("4", seconds=2)
        await scene.turn("move", c=3)
        await scene.ann.says("#1 assist", seconds=2)
        await scene.until_left(1.0)
        assert len(scene.moves) == 3

    at_table(main)


def test_in_a_game_with_the_house_there_is_nothing_to_assist() -> None:
    async def main(scene: Scene) -> None:
        await scene.ann.says("play ttt house")
        said = await scene.ann.says("#1 assist")
        assert said == "~#1 is not at a table on the web; only there you can be assisted."

    at_table(main)


def test_after_a_restart_in_the_turn(tmp_path: Path) -> None:
    async def main(scene: Scene) -> None:
        await scene.begin()
        await scene.stage.restart()
        await scene.until_left(1.0)
        assert len(scene.moves) == 1

    at_table(main, path=str(tmp_path / "node.db"))


def test_the_wish_goes_on_in_the_game_that_we_challenge_to() -> None:
    async def main(scene: Scene) -> None:
        await scene.ann.says("play ttt agentgames assist")
        first = scene.session.key
        scene.platform.session = first.session_id
        await bridge(scene.stage, first, "decline")
        await scene.stage.node.node.challenge(G, ANN, "ttt", {})
        await asyncio.sleep(5)
        scene.platform.session = scene.session.key.session_id
        assert scene.session.status is Status.ACTIVE
        await scene.turn("move", i=4)
        await scene.until_left(1.0)
        assert len(scene.moves) == 2

    at_table(main)


def test_the_wish_ends_with_the_game() -> None:
    async def main(scene: Scene) -> None:
        await scene.begin()
        await scene.stage.node.node.act(scene.session.key, "resign", {})
        await asyncio.sleep(5)
        await scene.begin("play ttt agentgames")
        assert "assisted" not in scene.ann.got[-1]
        await scene.until_left(0.0)
        assert scene.moves == []

    at_table(main)


def test_never_for_somebody_with_an_lrgp_client() -> None:
    """His session is his: the word is refused, and no move is made in it whatever was wished before."""

    async def main(scene: Scene) -> None:
        stage = scene.stage
        scene.ann.lrgp = True
        heard = Peer(
            peer=ANN, name="Ann", public_key=bytes(64), hops=1, interface="x", heard_at=1.0, games=True
        )
        stage.node.store.book.put_peers([heard])
        said = await scene.ann.says("play ttt agentgames assist")
        assert said == "~You have an LRGP client: in its games every move is your own. Leave out assist."
        assert stage.text is not None
        assistance = stage.text._assistance
        assert assistance is not None
        assistance.wishes.wish(ANN, "ttt", wanted=True)
        acted = await stage.node.node.challenge(G, ANN, "ttt", {})
        key: SessionKey = acted.session.key
        assert stage.node.store.text.at(key.session_id) == []
        scene.platform.session, scene.platform.deadline = key.session_id, scene.now + 15
        scene.told()
        await asyncio.sleep(30)
        assert scene.session.metadata["moves"] == []
        assert assistance._watched == {}

    at_table(main)


def test_seats_of_other_kinds_are_never_assisted() -> None:
    async def main(scene: Scene) -> None:
        assert scene.stage.text is not None
        paul = scene.stage.phone(PAUL)
        await paul.says("games")
        await scene.ann.says("play ttt paul")
        await paul.says("yes")
        assistance = scene.stage.text._assistance
        assert assistance is not None
        assistance.wishes.wish(ANN, "ttt", wanted=True)
        scene.platform.deadline = scene.now + 15
        (seat, _) = [one for one in scene.stage.node.store.text.live() if one.kind is Kind.TABLE]
        scene.platform.session = seat.game_id
        scene.told()
        assert not assistance.assists(seat)
        await asyncio.sleep(30)
        assert scene.stage.node.store.text.at(seat.game_id)[0].metadata["moves"] == []

    at_table(main)


def test_few_wishes_are_kept() -> None:
    kept: list[str] = []

    async def keep(value: str) -> None:
        kept.append(value)

    async def main() -> None:
        wishes = Wishes(None, keep, lambda player: [], lambda: 0.0)
        for number in range(MOST + 10):
            wishes.wish(f"p{number}", "ttt", wanted=True)
        await wishes.store()
        await wishes.store()
        assert len(kept) == 1
        again = Wishes(kept[0], keep, lambda player: [], lambda: 0.0)
        assert again.wants(f"p{MOST + 9}", "ttt")
        assert not again.wants("p0", "ttt")
        assert len(kept[0]) < 30 * MOST

    asyncio.run(main())


def test_the_remark_stays_short() -> None:
    remark = ""
    for number in range(1, 400):
        remark = marked(remark, number)
    assert len(remark) <= 200
    assert remark.startswith("the node's search has chosen for the player by text: move 1, 2, 3")
