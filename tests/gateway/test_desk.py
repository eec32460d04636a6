"""What people ask of the gateway: seats by invitation, leaving, limits, tables of our own."""

from __future__ import annotations

from collections.abc import AsyncIterator, Awaitable, Callable, Collection, Sequence
from contextlib import asynccontextmanager
from dataclasses import replace
from typing import cast

import pytest

from gateway.policy import GatePolicy, Players
from gateway.seat import Account, AccountRefused, HostedSeat, ResumeKey, SeatLost, Side, Word
from gateway.seeking import Host, HostTable, Seek, Unwanted
from lrgpnode.config import Settings
from lrgpnode.protocol.errors import CallerError
from lrgpnode.protocol.session import Status
from storage.gateway_model import Caps
from storage.model import Contact
from tests.gateway.fake_platform import FakeSeat, FakeTable, World, moves
from tests.gateway.scene import SETTINGS, TOKEN, Scene, play
from tests.node.network import Faults
from tests.node.players import A, B


def test_a_table_by_invitation() -> None:
    async def main(scene: Scene) -> None:
        scene.world.table("ttt", "first", script=moves({"i": 3}, {"i": 4}))
        scene.world.table("ttt", "wanted", script=moves({"i": 3}, {"i": 4}))
        tables = await scene.host.desk.tables("ttt")
        assert [table.id for table in tables.tables] == ["first", "wanted"]
        seat = await scene.host.desk.request(A, "ttt", "wanted")
        assert (seat.stage, seat.platform, seat.table) == ("invited", "fake", "wanted")
        assert scene.world.asked.count("open") == 0, "no seat before the player is there"
        await scene.host.restart()
        id = await scene.ann.challenge(B, "ttt")
        for cell in (0, 1, 2):
            await scene.turn(id)
            await scene.ann.act(id, "move", i=cell)
        assert (await scene.over()).result == "won"
        assert scene.world.tables["wanted"].joins == 1
        assert scene.world.tables["first"].joins == 0

    play(main)


def test_an_invitation_is_void_after_a_while() -> None:
    async def main(scene: Scene) -> None:
        await scene.host.desk.request(A, "chess", None)
        row = await scene.over()
        assert row.reason == "no challenge came in time"
        assert scene.world.asked == ["check"]

    play(main)


def test_a_later_wish_takes_the_place_of_an_earlier_one() -> None:
    async def main(scene: Scene) -> None:
        scene.world.table("chess", "one")
        scene.world.table("chess", "two")
        await scene.host.desk.request(A, "chess", "one")
        await scene.host.desk.request(A, "chess", "two")
        await scene.until(lambda: len(scene.host.desk.seats(A)) == 1)
        id = await scene.ann.challenge(B, "chess")
        await scene.turn(id)
        assert scene.world.tables["two"].joins == 1

    play(main)


@pytest.mark.parametrize(
    ("table", "why"),
    [
        ("99", "there is no such table with a free seat"),
        ("full", "no such table"),
        ("other", "at that table ttt is played"),
    ],
)
def test_a_table_that_nobody_can_sit_down_at_leaves_no_invitation(table: str, why: str) -> None:
    async def main(scene: Scene) -> None:
        scene.world.table("ttt", "other")
        scene.world.table("chess", "full", account="somebody")
        with pytest.raises(CallerError, match=why):
            await scene.host.desk.request(A, "chess", table)
        assert scene.host.desk.seats() == []
        scene.world.down = True
        with pytest.raises(CallerError, match="free seat; fake: the platform does not answer"):
            await scene.host.desk.request(A, "chess", table)

    play(main)


@pytest.mark.parametrize("game", ["draughts", "chess"])
def test_wishes_that_cannot_be(game: str) -> None:
    async def main(scene: Scene) -> None:
        with pytest.raises(CallerError):
            await scene.host.desk.request(A, game, None)
        assert scene.host.desk.seats() == []

    play(main, settings=replace(SETTINGS, policy=GatePolicy(players=Players.EVERYONE)))


def test_leaving_a_game_ends_it_on_both_sides() -> None:
    async def main(scene: Scene) -> None:
        table = scene.world.table("chess")
        id = await scene.ann.challenge(B, "chess")
        await scene.turn(id)
        (seat,) = scene.host.desk.seats(A)
        assert (seat.stage, seat.opponent, seat.peer_name, seat.session) == ("playing", "Webby", "Ann", id)
        with pytest.raises(CallerError):
            await scene.host.desk.leave("c" * 32)
        await scene.host.desk.leave(A)
        row = await scene.over()
        assert table.left
        assert row.result == "lost"
        assert len(scene.host.told_player()) == 1
        await scene.ann.act(id, "move", m="e2e4")
        errors = await scene.until(lambda: scene.ann.of("game.error"))
        assert errors[0].fields["msg"] == "the seat was given up"

    play(main)


def test_an_invitation_that_is_given_up_is_left_at_the_table() -> None:
    """The other side need not wait for somebody who does not come."""

    async def main(scene: Scene) -> None:
        following = scene.world.table("chess", "next", account="x")
        table = scene.world.table("chess", next=following, words=frozenset((Word.RESIGN,)))
        id = await scene.ann.challenge(B, "chess")
        await scene.turn(id)
        await scene.ann.act(id, "resign")
        await scene.until(lambda: any("another game" in text for text in scene.host.told_player()))
        assert not table.left
        await scene.host.desk.leave(A)
        assert table.left
        assert (await scene.over()).result == "lost"

    play(main)


def test_where_only_we_have_tables_somebody_may_ask_for_any() -> None:
    async def main(scene: Scene) -> None:
        table = waiting(scene, "ttt")
        seat = await scene.host.desk.request(A, "ttt", None)
        assert (seat.stage, seat.platform) == ("invited", "fake")
        await scene.ann.challenge(B, "ttt")
        await scene.until(lambda: table.ordered)

    play(main, settings=replace(SETTINGS, policy=replace(SETTINGS.policy, routes={})))


def test_one_seat_for_each_player() -> None:
    async def main(scene: Scene) -> None:
        for _ in range(2):
            scene.world.table("chess")
        first = await scene.ann.challenge(B, "chess")
        await scene.turn(first)
        second = await scene.ann.challenge(B, "chess")
        assert (await scene.ends(second)).status is Status.DECLINED
        await scene.until(scene.host.told_player)
        assert scene.host.told_player() == [
            "No seat for you: you have a seat already; finish that game first."
        ]
        assert scene.host.store.gateway.used() == {"fake": 1}
        assert scene.world.asked.count("open") == 1

    play(main)


def test_a_day_s_games_are_counted_over_restarts() -> None:
    async def main(scene: Scene) -> None:
        for _ in range(3):
            scene.world.table("chess")
        for _ in range(2):
            id = await scene.ann.challenge(B, "chess")
            await scene.turn(id)
            await scene.ann.act(id, "resign")
            await scene.until(lambda: not scene.host.gateway.bridges)
            await scene.host.restart()
        third = await scene.ann.challenge(B, "chess")
        assert (await scene.ends(third)).status is Status.DECLINED
        await scene.until(scene.host.told_player)
        assert "your games for today" in scene.host.told_player()[-1]
        await scene.quiet(86_400)
        fourth = await scene.ann.challenge(B, "chess")
        await scene.turn(fourth)

    play(main, settings=replace(SETTINGS, caps=Caps(platform=4, player=1, day=2)))


def test_who_is_not_wanted_gets_no_answer() -> None:
    async def main(scene: Scene) -> None:
        scene.world.table("chess")
        id = await scene.ann.challenge(B, "chess")
        await scene.quiet(600)
        assert scene.game(id).status is Status.PENDING
        assert scene.world.asked == ["check"]
        assert scene.host.told_player() == []
        with pytest.raises(CallerError):
            await scene.host.desk.request(A, "chess", None)

    play(main, settings=replace(SETTINGS, policy=replace(SETTINGS.policy, players=Players.LISTED)))


def test_who_becomes_a_contact_need_not_challenge_again() -> None:
    async def main(scene: Scene) -> None:
        scene.world.table("chess")
        id = await scene.ann.challenge(B, "chess")
        await scene.quiet(600)
        assert scene.game(id).status is Status.PENDING
        store = scene.host.store
        await scene.host.writer.run(store.book.put_contact, Contact(peer=A, name="Ann", added_at=0.0))
        scene.host.gateway.look_again("c" * 32)
        await scene.quiet(60)
        assert scene.game(id).status is Status.PENDING
        scene.host.gateway.look_again(A)
        await scene.turn(id)

    contacts = replace(SETTINGS.policy, players=Players.CONTACTS)
    play(main, settings=replace(SETTINGS, policy=contacts))


def test_another_policy_acts_at_once_on_challenges_that_wait() -> None:
    async def main(scene: Scene) -> None:
        scene.world.table("chess")
        id = await scene.ann.challenge(B, "chess")
        await scene.quiet(600)
        assert scene.game(id).status is Status.PENDING
        scene.host.gateway.use_policy(Settings(gateway_players="contacts", gateway_allow=(A,)))
        await scene.until(scene.host.told_player)
        assert scene.host.told_player() == ["No seat for you: I know no table of Chess."]
        scene.host.gateway.use_policy(Settings(gateway_players="listed"))
        with pytest.raises(CallerError):
            await scene.host.desk.seek(A, "chess")

    play(main, settings=replace(SETTINGS, policy=replace(SETTINGS.policy, players=Players.LISTED)))


def test_no_route() -> None:
    async def main(scene: Scene) -> None:
        id = await scene.ann.challenge(B, "chess")
        assert (await scene.ends(id)).status is Status.DECLINED
        await scene.until(scene.host.told_player)
        assert scene.host.told_player() == ["No seat for you: I know no table of Chess."]

    play(main, settings=replace(SETTINGS, policy=replace(SETTINGS.policy, routes={})))


def test_an_account_that_the_platform_does_not_take() -> None:
    async def main(scene: Scene) -> None:
        scene.world.table("chess")
        scene.world.refuse = {TOKEN}
        id = await scene.ann.challenge(B, "chess")
        assert (await scene.ends(id)).status is Status.DECLINED
        assert scene.host.desk.status().platforms[0].trouble == "the platform does not take the token"
        await scene.host.desk.add_account("fake", "other", "tok_better_1")
        await scene.host.desk.remove_account("fake", "main")
        again = await scene.ann.challenge(B, "chess")
        await scene.turn(again)
        assert scene.host.bridge(2).account == "other"

    play(main)


def test_a_better_token_ends_the_trouble_at_once(monkeypatch: pytest.MonkeyPatch) -> None:
    # Virtual time flies while a file is written in a thread: here nobody looks because time has passed.
    monkeypatch.setattr("gateway.service.TROUBLED_SECONDS", 1e9)
    monkeypatch.setattr("gateway.service.WELL_SECONDS", 1e9)

    async def main(scene: Scene) -> None:
        def trouble() -> str:
            return scene.host.desk.status().platforms[0].trouble

        tokens: list[str] = []
        # The first look, at the start, is over.
        await scene.until(lambda: scene.world.asked == ["check"], 5.0)

        async def check(account: Account | None) -> None:
            tokens.append("" if account is None else account.token.reveal())
            if tokens[-1] != "tok_better_1":
                raise AccountRefused("the platform does not take the token")

        scene.host.platform.check = check  # type: ignore[method-assign]
        await scene.host.desk.add_account("fake", "main", "tok_worse_1")
        await scene.until(lambda: trouble() == "the platform does not take the token", 5.0)
        await scene.host.desk.add_account("fake", "main", "tok_better_1")
        await scene.until(lambda: trouble() == "", 5.0)
        await scene.host.desk.remove_account("fake", "main")
        await scene.until(lambda: len(tokens) == 3, 5.0)
        assert tokens == ["tok_worse_1", "tok_better_1", ""]

    play(main)


@pytest.mark.parametrize(("name", "late"), [("agentgames", True), ("poker", False)])
def test_an_account_of_a_platform_that_is_not_there(name: str, late: bool) -> None:
    async def main(scene: Scene) -> None:
        with pytest.raises(CallerError) as refused:
            await scene.host.desk.add_account(name, "main", "tok_better_1")
        assert refused.value.message.startswith(f"there is no platform {name}; there are: fake")
        assert refused.value.message.endswith("Its settings act when the node starts next") is late

    play(main)


class House:
    """A host with one table, as the service sees it."""

    def __init__(self, world: World) -> None:
        self.world = world
        self.sought: list[str] = []
        self.free: list[FakeTable] = []
        self.looks = 0
        self.reconciled: list[set[str]] = []
        self.bring: Callable[[Seek, FakeTable], Awaitable[None]]

    async def start(self) -> None: ...
    async def stop(self) -> None: ...

    @property
    def games(self) -> Collection[str]:
        return ("chess", "ttt")

    async def seek(self, peer: str, app: str) -> str:
        if app == "ttt":
            raise Unwanted("Too many are waiting already")
        self.sought.append(peer)
        return "You are in line."

    async def unseek(self, peer: str) -> bool:
        return peer in self.sought

    def changed(self) -> None:
        self.looks += 1

    async def take(self, peer: str, app: str, session: str) -> bool:
        if not self.free or self.free[0].app != app:
            return False
        await self.bring(Seek(peer=peer, app=app, at=0.0, until=1e12, session=session), self.free.pop())
        return True

    @asynccontextmanager
    async def still(self) -> AsyncIterator[None]:
        yield

    def reconcile(self, sessions: Collection[str]) -> None:
        self.reconciled.append(set(sessions))

    def seeks(self) -> Sequence[Seek]:
        return ()

    def tables(self) -> Sequence[HostTable]:
        return ()

    def trouble(self) -> str:
        return ""

    async def reopen(self, key: ResumeKey) -> HostedSeat:
        table = self.world.tables.get(str(key["table"]))
        if table is None or table.lost:
            raise SeatLost("the table is closed")
        return FakeSeat(table)


async def hosted(scene: Scene, app: str, **how: object) -> FakeTable:
    """Somebody from the web sits at our table, and the player's seat there is filled."""
    table = scene.world.table(app, hosted=True, **how)
    scene.host.gateway.hosts["fake"] = cast("Host", House(scene.world))
    table.sit("main", "Ann")
    account = scene.host.gateway.accounts.get("fake", "main")
    assert account is not None
    seek = Seek(peer=A, app=app, at=0.0, until=1e12)
    await scene.host.gateway.seat(seek, FakeSeat(table), account)
    return table


@pytest.mark.parametrize("app", ["chess", "ttt"])
def test_somebody_from_the_web_meets_a_player_of_the_mesh(app: str) -> None:
    key, theirs = ("m", ("e7e5", "e2e4")) if app == "chess" else ("i", (0, 0))

    async def main(scene: Scene) -> None:
        table = await hosted(scene, app, script=lambda table: {key: theirs[table.first is Side.THEM]})
        id = await scene.until(lambda: scene.new_game(app, ""))
        assert scene.game(id).initiator == B
        assert not table.ordered
        await scene.ann.act(id, "accept")
        await scene.until(lambda: table.ordered)
        white = scene.game(id).metadata["first_turn"]
        assert table.first is (Side.US if white == A else Side.THEM)
        await scene.turn(id)
        assert scene.host.bridge().hosted
        await scene.ann.act(id, "resign")
        assert (await scene.over()).result == "lost"

    for seed in (1, 2, 3):
        play(main, seed=seed, faults=Faults(delay=0.5))


@pytest.mark.parametrize("answer", ["decline", "silence"])
def test_the_player_does_not_come_to_our_table(answer: str) -> None:
    async def main(scene: Scene) -> None:
        table = await hosted(scene, "chess")
        id = await scene.until(lambda: scene.new_game("chess", ""))
        if answer == "decline":
            await scene.ann.act(id, "decline")
        row = await scene.over()
        assert table.left
        assert row.result in ("none", "lost")
        await scene.until(lambda: scene.game(id).status is Status.DECLINED)

    play(main, settings=replace(SETTINGS, wait=600.0))


def test_our_table_over_a_restart() -> None:
    async def main(scene: Scene) -> None:
        table = await hosted(scene, "chess", script=moves())
        id = await scene.until(lambda: scene.new_game("chess", ""))
        host = scene.host.gateway.hosts["fake"]
        scene.host.crash()
        await scene.ann.act(id, "accept")
        scene.host.hosts = {"fake": host}
        await scene.host.start()
        await scene.until(lambda: table.ordered)
        assert scene.host.stage() == "playing"
        # The host was told which seats are somebody's.
        assert cast("House", host).reconciled == [{table.id}]

    play(main)


def waiting(scene: Scene, app: str, **how: object) -> FakeTable:
    """Somebody from the web waits at our table."""
    table, house = scene.world.table(app, hosted=True, **how), House(scene.world)
    scene.host.gateway.hosts["fake"] = cast("Host", house)
    house.free = [table]

    async def bring(seek: Seek, table: FakeTable) -> None:
        table.sit("main", "Ann")
        account = scene.host.gateway.accounts.get("fake", "main")
        assert account is not None
        await scene.host.gateway.seat(seek, FakeSeat(table), account)

    house.bring = bring
    return table


@pytest.mark.parametrize("app", ["chess", "ttt"])
@pytest.mark.parametrize("routes", [{}, {"chess": "fake", "ttt": "fake"}])
def test_who_challenges_while_somebody_waits_at_our_table_plays_there(
    app: str, routes: dict[str, str]
) -> None:
    """Nothing is declined, and the colours are those of the player's own challenge."""

    async def main(scene: Scene) -> None:
        table = waiting(scene, app)
        id = await scene.ann.challenge(B, app)
        await scene.until(lambda: table.ordered and scene.game(id).status is Status.ACTIVE)
        first = scene.game(id).metadata["first_turn"]
        assert table.first is (Side.US if first == A else Side.THEM)
        assert app == "chess" or first == A
        assert scene.host.bridge().hosted
        assert scene.host.told_player() == []
        await scene.ann.act(id, "resign")
        assert (await scene.over()).result == "lost"

    play(main, settings=replace(SETTINGS, policy=replace(SETTINGS.policy, routes=routes)))


def test_who_plays_is_not_free_and_our_tables_hear_when_he_is() -> None:
    async def main(scene: Scene) -> None:
        gateway, house = scene.host.gateway, House(scene.world)
        gateway.hosts["fake"] = cast("Host", house)
        assert gateway.free(A, "fake")
        scene.world.table("chess", words=frozenset((Word.RESIGN,)))
        id = await scene.ann.challenge(B, "chess")
        await scene.turn(id)
        assert not gateway.free(A, "fake")
        assert gateway.free("c" * 32, "fake")
        before = house.looks
        await scene.ann.act(id, "resign")
        await scene.over()
        assert gateway.free(A, "fake")
        assert house.looks > before

    play(main)


def test_who_has_no_slot_takes_no_seat_with_us() -> None:
    async def main(scene: Scene) -> None:
        scene.world.table("chess", "theirs")
        first = await scene.ann.challenge(B, "chess")
        await scene.turn(first)
        table = waiting(scene, "ttt")
        second = await scene.ann.challenge(B, "ttt")
        assert (await scene.ends(second)).status is Status.DECLINED
        await scene.until(scene.host.told_player)
        assert "you have a seat already" in scene.host.told_player()[-1]
        assert table.joins == 0

    play(main)


def test_an_invitation_to_any_table_is_kept_by_who_waits_at_ours() -> None:
    async def main(scene: Scene) -> None:
        table = waiting(scene, "ttt")
        await scene.host.desk.request(A, "ttt", None)
        await scene.ann.challenge(B, "ttt")
        await scene.until(lambda: table.ordered)
        assert scene.host.stage(1) == "over"
        assert scene.host.bridge(2).hosted

    play(main)


@pytest.mark.parametrize("killed", [False, True])
def test_in_a_series_at_our_table_the_first_move_changes_sides(killed: bool) -> None:
    async def main(scene: Scene) -> None:
        words = frozenset((Word.RESIGN,))
        third = scene.world.table("ttt", "third", hosted=True, account="x")
        script = moves({"i": 4})
        second = scene.world.table("ttt", "second", hosted=True, account="x", script=script, words=words)
        second.next = third
        first = waiting(scene, "ttt", next=second, words=words)
        before = await scene.ann.challenge(B, "ttt")
        await scene.turn(before)
        assert first.first is Side.US
        await scene.ann.act(before, "resign")
        await scene.until(lambda: any("another game" in text for text in scene.host.told_player()))
        second.account = ""
        refused = await scene.ann.challenge(B, "ttt")
        assert (await scene.ends(refused)).status is Status.DECLINED
        games = {before, refused}
        ours = lambda: {s.key.session_id for s in scene.ann.node.router.list(A, "ttt", 0)} - games  # noqa: E731
        (id,) = await scene.until(ours)
        await scene.ann.act(id, "accept")
        await scene.turn(id)
        assert second.first is Side.THEM
        assert scene.game(id).metadata["first_turn"] == B
        if killed:
            host = scene.host.gateway.hosts["fake"]
            scene.host.crash()
            scene.host.hosts = {"fake": host}
            await scene.host.start()
        await scene.ann.act(id, "move", i=0)
        await scene.until(lambda: second.acted == [{"i": 0}])
        await scene.ann.act(id, "resign")
        await scene.until(lambda: sum("another game" in text for text in scene.host.told_player()) == 2)
        third.account = ""
        last = await scene.ann.challenge(B, "ttt")
        await scene.until(lambda: third.ordered)
        assert third.first is Side.US
        assert scene.game(last).metadata["first_turn"] == A

    play(main)


def test_seeking() -> None:
    async def main(scene: Scene) -> None:
        with pytest.raises(CallerError, match="no tables"):
            await scene.host.desk.seek(A, "chess")
        scene.host.gateway.hosts["fake"] = cast("Host", House(scene.world))
        assert await scene.host.desk.seek(A, "chess") == "You are in line."
        with pytest.raises(CallerError, match="Too many"):
            await scene.host.desk.seek(A, "ttt")
        assert await scene.host.desk.unseek(A)

    play(main)


@pytest.mark.parametrize("texts", [True, False])
def test_where_only_we_have_tables_the_refusal_says_how_to_come_to_them(texts: bool) -> None:
    async def main(scene: Scene) -> None:
        scene.host.gateway.hosts["fake"] = cast("Host", House(scene.world))
        await scene.ann.challenge(B, "ttt")
        await scene.until(scene.host.told_player)
        (told,) = scene.host.told_player()
        assert told.startswith("No seat for you: there is no free table")
        assert (
            "Write `seek ttt` to me, and I challenge you when somebody sits down at mine." in told
        ) is texts

    play(main, settings=replace(SETTINGS, texts=texts))


def test_a_player_who_challenges_without_end_is_not_answered_without_end() -> None:
    async def main(scene: Scene) -> None:
        for _ in range(15):
            await scene.ann.challenge(B, "chess")
            await scene.quiet(10)
        await scene.quiet(60)
        assert len(scene.host.told_player()) == 12
        await scene.quiet(3600)
        id = await scene.ann.challenge(B, "chess")
        assert (await scene.ends(id)).status is Status.DECLINED

    play(main)


def test_what_a_platform_says_is_passed_on_in_one_line() -> None:
    async def main(scene: Scene) -> None:
        table = scene.world.table("chess", legal=False)
        table.rejects = ["no\x1b[31m\nsuch move " + "x" * 500]
        id = await scene.ann.challenge(B, "chess")
        await scene.turn(id)
        await scene.ann.act(id, "move", m="e2e4")
        row = await scene.over()
        (told,) = scene.host.told_player()
        for text in (told, row.reason, *scene.host.flags(id).values()):
            assert text.isprintable()
            assert len(text) < 280

    play(main)


@pytest.mark.parametrize("named", [True, False])
def test_who_names_the_platform_plays_there(named: bool) -> None:
    """Else he gets whoever waits at a table of ours."""

    async def main(scene: Scene) -> None:
        theirs = scene.world.table("ttt")
        ours = waiting(scene, "ttt")
        await scene.host.desk.request(A, "ttt", platform="fake" if named else None)
        id = await scene.ann.challenge(B, "ttt")
        await scene.until(lambda: scene.game(id).status is Status.ACTIVE)
        assert (theirs.joins, ours.joins) == ((1, 0) if named else (0, 1))

    play(main)
