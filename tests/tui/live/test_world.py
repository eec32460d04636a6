"""What is known of the node: loaded once, then kept by events."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, cast

from interfaces.tui.live.link import Link
from interfaces.tui.live.world import State, Topic, World
from interfaces.tui.models.notices import Notice
from lrgpnode.control.client import CallFailed, ClientError, NotRunning
from tests.cli.fakes import ID, ME, PEER

NOW = 1_000_000.0
OTHER = "1111111111111111"
HOUSE = "0a" * 16


def summary(id: str = ID, **more: Any) -> dict[str, Any]:
    fields = {"id": id, "identity": ME, "app": "ttt", "peer": PEER, "initiator": ME, "status": "active"}
    fields |= {"unread": 0, "last_action_at": NOW, "peer_name": "Bob", "your_turn": False, "last_own": None}
    return fields | {"flags": (), "peer_heard_at": None} | more


def detail(id: str = ID, *, my_turn: bool = True, **more: Any) -> dict[str, Any]:
    view = {"my_turn": my_turn, "history": ["a1"], "legal": []}
    found = summary(id, view=view, flags={}, expires_at=None, **more)
    del found["your_turn"], found["peer_heard_at"]
    return found


class Node:
    """Answers what the world asks, when told to; and notes it."""

    up = True

    def __init__(self) -> None:
        self.asked: list[tuple[str, dict[str, Any]]] = []
        self._answers: list[Callable[[], object]] = []
        self.results: dict[str, Any] = {
            "node.status": {"games": [{"app": "ttt", "name": "Tic-Tac-Toe", "actions": ["move", "resign"]}]},
            "house.show": {"enabled": True, "identity": HOUSE, "games": []},
            "identity.list": {
                "identities": [
                    {"hash": HOUSE, "name": "house", "role": "house", "enabled": True},
                    {"hash": ME, "name": "Ann", "role": "person", "enabled": True},
                ]
            },
            "game.list": lambda params: {"games": [summary()] if params["filter"] == "live" else []},
            "game.show": lambda params: detail(params["id"]),
            "game.read": {},
            "message.threads": {"threads": []},
        }

    def call(self, method: str, params: Any, done: Any, failed: Any) -> None:
        given = {name: value for name, value in params.items() if value is not None}
        self.asked.append((method, given))
        result = self.results[method]

        def answer() -> None:
            found = result(given) if callable(result) else result
            failed(found) if isinstance(found, ClientError) else done(found)

        self._answers.append(answer)

    def settle(self) -> None:
        while self._answers:
            self._answers.pop(0)()

    def methods(self) -> list[str]:
        return [method for method, _ in self.asked]


class Scene:
    def __init__(self, wanted: str | None = None) -> None:
        self.topics: list[Topic] = []
        self.notices: list[Notice] = []
        self.node = Node()
        self.world = World(wanted, lambda: NOW, self.topics.append, self.notices.append)
        self.world.use(cast("Link", self.node))
        self._seq = 10

    def ready(self) -> Scene:
        self.world.connected(self._seq, False)
        self.node.settle()
        assert self.world.state is State.READY
        self.node.asked.clear()
        self.topics.clear()
        return self

    def event(self, type: str, *, old: bool = False, **data: Any) -> None:
        self._seq += 1
        fields = {"id": ID, "identity": ME, "peer": PEER, "app": "ttt"} | data
        self.world.event({"type": type, "seq": 1 if old else self._seq, "at": NOW, "data": fields})

    @property
    def row(self) -> dict[str, Any]:
        return self.world.games[ME, ID]


def test_everything_is_loaded_once() -> None:
    scene = Scene()
    scene.world.connected(10, False)
    scene.node.settle()
    assert scene.world.state is State.READY
    first = ["node.status", "house.show", "identity.list"]
    assert scene.node.methods() == [*first, "game.list", "game.list", "message.threads"]
    assert scene.world.me == ME, "the house is not who plays here"
    assert scene.world.names == {"ttt": "Tic-Tac-Toe"}
    assert scene.world.actions("ttt") == ("move", "resign")


def test_pages_of_live_games_are_all_loaded_and_of_finished_ones_the_first() -> None:
    scene = Scene()
    pages = {
        ("live", None): {"games": [summary("1")], "cursor": "c"},
        ("live", "c"): {"games": [summary("2")]},
        ("ended", None): {"games": [summary("3", status="completed")], "cursor": "d"},
        ("ended", "d"): {"games": [summary("4", status="completed")]},
    }
    scene.node.results["game.list"] = lambda params: pages[params["filter"], params.get("cursor")]
    scene.ready()
    assert {id for _, id in scene.world.games} == {"1", "2", "3"}
    scene.world.load_more()
    scene.world.load_more()
    scene.node.settle()
    assert {id for _, id in scene.world.games} == {"1", "2", "3", "4"}
    assert scene.node.methods() == ["game.list"], "one page is asked for once"
    assert scene.world.more is None


def test_the_identity_of_the_command_line() -> None:
    scene = Scene("bea")
    scene.node.results["identity.show"] = {"hash": "be" * 16}
    scene.node.results["game.list"] = {"games": []}
    scene.ready()
    assert scene.world.me == "be" * 16


def test_an_event_asks_for_its_game_and_for_nothing_else() -> None:
    scene = Scene().ready()
    scene.event("game.applied", own=False, command="move")
    scene.node.settle()
    assert scene.node.asked == [("game.show", {"id": ID, "identity": ME})]
    assert scene.row["your_turn"]
    assert [notice.text for notice in scene.notices] == ["Tic-Tac-Toe: Bob moved."]
    assert Topic.GAMES in scene.topics


def test_events_while_an_answer_is_on_its_way_ask_once_more() -> None:
    scene = Scene().ready()
    for _ in range(5):
        scene.event("game.applied", own=False, command="move")
    scene.node.settle()
    assert scene.node.methods() == ["game.show", "game.show"]


def test_deliveries_are_taken_from_the_event() -> None:
    scene = Scene()
    own = {"outbox_id": 9, "command": "move", "state": "queued"}
    scene.node.results["game.list"] = lambda params: {"games": [summary(last_own=own)]}
    scene.ready()
    scene.event("game.delivery", outbox_id=9, state="delivered", command="move")
    assert scene.row["last_own"]["state"] == "delivered"
    scene.event("game.delivery", outbox_id=8, state="failed", command="move", reason="old")
    assert scene.row["last_own"]["state"] == "delivered", "of an action before the last"
    assert scene.node.asked == []


def test_a_delivery_that_is_told_before_its_action_is_known() -> None:
    scene = Scene().ready()
    own = {"outbox_id": 9, "command": "move", "state": "queued"}
    scene.node.results["game.show"] = detail(last_own=own)
    scene.event("game.applied", own=True, command="move")
    scene.event("game.delivery", outbox_id=9, state="delivered", command="move")
    scene.node.settle()
    assert scene.row["last_own"]["state"] == "delivered"
    scene.node.results["game.show"] = detail(last_own={**own, "state": "confirmed"})
    scene.event("game.applied", own=False, command="move")
    scene.node.settle()
    assert scene.row["last_own"]["state"] == "confirmed"


def test_a_peer_that_is_heard_is_present_in_its_games() -> None:
    scene = Scene().ready()
    scene.event("peer.heard", name="Bob", hops=1, interface="", games=True)
    assert scene.row["peer_heard_at"] == NOW
    assert scene.world.heard_at(PEER) == NOW
    assert scene.node.asked == []


def test_events_of_before_tell_nobody_and_ask_nothing() -> None:
    scene = Scene().ready()
    scene.event("game.applied", old=True, own=False, command="move")
    assert (scene.node.asked, scene.notices) == ([], [])
    scene.event("game.unknown", old=True, app="go", app_version=1, command="challenge", text="Play go?")
    assert [one.text for one in scene.world.unplayable] == ["Play go?"]


def test_a_game_that_is_not_installed_is_shown_once_and_can_be_dismissed() -> None:
    scene = Scene().ready()
    for _ in range(3):
        scene.event("game.unknown", app="go", app_version=1, command="challenge", text="Play go?")
    (one,) = scene.world.unplayable
    scene.world.dismiss(one)
    assert scene.world.unplayable == []


def test_the_open_game_is_kept_and_read() -> None:
    scene = Scene()
    scene.node.results["game.list"] = lambda params: {"games": [summary(unread=2)]}
    scene.ready()
    scene.world.show((ME, ID))
    scene.node.settle()
    assert scene.world.detail is not None
    scene.row["unread"] = 1
    scene.world.read((ME, ID))
    scene.world.read((ME, ID))
    assert scene.node.methods() == ["game.show", "game.read"]


def test_games_of_another_identity_are_no_business_of_this_one() -> None:
    scene = Scene().ready()
    scene.event("game.applied", identity="cc" * 16, own=False, command="move")
    assert (scene.node.asked, scene.notices) == ([], [])


def test_strangers_come_and_go() -> None:
    scene = Scene().ready()
    stranger = summary(OTHER, status="pending", initiator=PEER, request=True, your_turn=True)
    scene.node.results["game.list"] = {"games": [stranger]}
    scene.event("game.request", id=OTHER, withdrawn=False)
    scene.node.settle()
    assert scene.world.games[ME, OTHER]["request"]
    scene.node.results["game.list"] = {"games": []}
    scene.event("game.request", id=OTHER, withdrawn=True)
    scene.node.settle()
    assert (ME, OTHER) not in scene.world.games
    assert (ME, ID) in scene.world.games


def test_a_lost_node_is_said_in_words_and_everything_is_loaded_again() -> None:
    scene = Scene().ready()
    scene.world.lost(NotRunning(cast("Any", "/s")))
    assert scene.world.state is State.LOST
    assert "No node is running" in scene.world.words
    assert scene.topics == [Topic.STATE]
    scene.node.results["game.list"] = {"games": []}
    scene.world.connected(20, True)
    scene.node.settle()
    assert scene.world.state is State.READY
    assert scene.world.words == ""
    assert scene.world.games == {}


def test_a_deleted_game_is_gone() -> None:
    scene = Scene().ready()
    scene.event("game.deleted")
    assert scene.world.games == {}


def test_positions_are_fetched_a_page_at_a_time() -> None:
    scene = Scene().ready()
    frames = [{"moves": number, "grid": []} for number in range(25)]
    scene.node.results["game.frames"] = {"frames": frames, "more": True}
    scene.world.show((ME, ID))
    past = scene.world.past
    assert past is not None
    ready: list[int] = []
    assert past.at(3, lambda: ready.append(1), lambda _: None) is None
    assert past.at(4, lambda: ready.append(1), lambda _: None) is None
    scene.node.settle()
    assert ready == [1]
    assert past.at(4, lambda: None, lambda _: None) == frames[4]
    asked = [params for method, params in scene.node.asked if method == "game.frames"]
    assert asked == [{"id": ID, "identity": ME, "first": 0, "limit": 25}]
    scene.node.results["game.frames"] = CallFailed("x", "The journal is damaged.")
    failures: list[ClientError] = []
    assert past.at(30, lambda: None, failures.append) is None
    scene.node.settle()
    assert str(failures[0]) == "The journal is damaged."


OTHER_ME = "be" * 16


def two() -> Scene:
    """Ann, who has a game, and Bea, who has another one."""
    scene = Scene()
    scene.node.results["identity.list"] = {
        "identities": [
            {"hash": ME, "name": "Ann", "role": "person", "enabled": True},
            {"hash": OTHER_ME, "name": "Bea", "role": "person", "enabled": True},
        ]
    }
    scene.node.results["game.list"] = lambda params: {
        "games": [summary(ID if params["identity"] == ME else OTHER, identity=params["identity"])]
        if params["filter"] == "live"
        else []
    }
    return scene.ready()


def test_another_identity_is_shown_with_its_own_games() -> None:
    scene = two()
    scene.world.show((ME, ID))
    scene.world.switch(OTHER_ME)
    assert (scene.world.state, scene.world.games, scene.world.open) == (State.CONNECTING, {}, None)
    scene.node.settle()
    assert (scene.world.state, scene.world.my_name) == (State.READY, "Bea")
    assert set(scene.world.games) == {(OTHER_ME, OTHER)}, "what was asked for Ann is not put in"
    assert [one["name"] for one in scene.world.persons] == ["Ann", "Bea"]


def test_lists_that_arrive_after_a_switch_are_not_mixed() -> None:
    scene = two()
    scene.world.switch(OTHER_ME)
    scene.world.switch(ME)
    scene.world.switch(OTHER_ME)
    scene.node.settle()
    assert set(scene.world.games) == {(OTHER_ME, OTHER)}
    scene.world.switch("ff" * 16)
    assert scene.world.me == OTHER_ME, "nobody of that name is here"


def test_when_the_identity_that_is_shown_is_deleted_another_one_is() -> None:
    scene = two()
    scene.world.switch(OTHER_ME)
    scene.node.settle()
    scene.node.results["identity.list"] = {
        "identities": [{"hash": ME, "name": "Ann", "role": "person", "enabled": True}]
    }
    scene.event("identity.deleted", identity=OTHER_ME, hash=OTHER_ME, name="Bea")
    scene.node.settle()
    assert (scene.world.my_name, set(scene.world.games)) == ("Ann", {(ME, ID)})


def test_events_ask_again_what_an_open_screen_shows() -> None:
    scene = Scene().ready()
    scene.node.results["outbox.list"] = {"messages": []}
    scene.world.answers.want(("outbox.list", {}))
    scene.node.settle()
    scene.event("game.delivery", outbox_id=1, state="delivered", command="move")
    scene.event("game.delivery", old=True, outbox_id=1, state="delivered", command="move")
    scene.node.settle()
    assert scene.node.methods() == ["outbox.list"] * 2
    assert Topic.ANSWERS in scene.topics


RECORD = {"peer": PEER, "won": 1, "drawn": 0, "lost": 0, "apps": []}


def with_people(scene: Scene) -> Scene:
    scene.node.results |= {"peer.list": {"peers": []}, "contact.list": {"contacts": []}}
    scene.node.results["contact.record"] = lambda params: {
        "identity": params["identity"],
        "records": [RECORD],
    }
    return scene


def test_how_games_have_ended_is_asked_when_people_are_shown_and_when_one_ends() -> None:
    scene = with_people(Scene().ready())
    scene.event("game.applied", command="move", status="completed")
    scene.node.settle()
    assert scene.node.methods() == ["game.show"], "nobody looks at people yet"
    scene.world.people.load()
    scene.node.settle()
    assert ("contact.record", {"identity": ME, "limit": 50}) in scene.node.asked
    assert scene.world.people.records == {PEER: RECORD}
    scene.node.asked.clear()
    for status in ("active", "completed"):
        scene.event("game.applied", command="move", status=status)
    scene.event("game.applied", command="move", status="completed", identity="cc" * 16)
    scene.event("game.applied", command="move", status="completed", old=True)
    scene.node.settle()
    asked = [params for method, params in scene.node.asked if method == "contact.record"]
    assert asked == [{"identity": ME, "peer": PEER, "limit": 50}]
    assert Topic.PEOPLE in scene.topics


def test_the_games_of_another_identity_have_ended_otherwise() -> None:
    scene = with_people(Scene())
    scene.node.results["identity.list"]["identities"].append(
        {"hash": "cc" * 16, "name": "Eve", "role": "person", "enabled": True}
    )
    scene.ready().world.people.load()
    scene.node.settle()
    scene.node.results["contact.record"] = {"identity": "cc" * 16, "records": []}
    scene.world.switch("cc" * 16)
    scene.node.settle()
    assert scene.world.people.records == {}
