"""Every command against a control server: what it asks, and what it prints."""

from __future__ import annotations

from typing import Any

import msgspec
import pytest

from lrgpnode.cli.play import ALIASES
from lrgpnode.control.models import Frame, Frames, GamePage, PeerInfo, PeerList
from tests.cli.conftest import Run
from tests.cli.fakes import ID, ME, PEER, RESULTS, FakeNode, summary
from tests.cli.sessions import TTT, as_json, detail, played

PLAIN = [
    (("status",), "node.status", {}),
    (("stop",), "node.stop", {}),
    (("announce",), "node.announce", {}),
    (("identity", "list"), "identity.list", {}),
    (("identity", "show"), "identity.show", {}),
    (("peers",), "peer.list", {"limit": 50}),
    (("peers", "--limit", "3"), "peer.list", {"limit": 3}),
    (("challenge", "bob", "chess"), "game.challenge", {"peer": "bob", "app": "chess"}),
    (("games",), "game.list", {"filter": "all", "limit": 50}),
    (("accept", "3F2A"), "game.accept", {"id": "3f2a"}),
    (("decline", "3f2a"), "game.decline", {"id": "3f2a"}),
    (("resign", "3f2a"), "game.resign", {"id": "3f2a"}),
    (("move", "3f2a", "Nf3"), "game.move", {"id": "3f2a", "move": "Nf3"}),
    (("move", "3f2a", "knight", "to", "f3"), "game.move", {"id": "3f2a", "move": "knight to f3"}),
    (("move", "3f2a", "--", "-1"), "game.move", {"id": "3f2a", "move": "-1"}),
    (("draw", "3f2a"), "game.draw", {"id": "3f2a", "what": "offer"}),
    *(
        (("draw", "3f2a", what), "game.draw", {"id": "3f2a", "what": what})
        for what in ("offer", "accept", "decline", "claim")
    ),
    (("act", "3f2a", "reveal"), "game.act", {"id": "3f2a", "command": "reveal"}),
    (("act", "3f2a", "bid", "2", "7"), "game.act", {"id": "3f2a", "command": "bid", "text": "2 7"}),
    (
        ("act", "3f2a", "bid", "--intent", '{"n": 1}'),
        "game.act",
        {"id": "3f2a", "command": "bid", "intent": {"n": 1}},
    ),
    (("actions", "3f2a"), "game.actions", {"id": "3f2a", "after": -1, "limit": 500}),
]


@pytest.mark.parametrize(("args", "method", "params"), PLAIN, ids=lambda value: str(value)[:40])
def test_a_command_asks_one_method(
    node: FakeNode, run: Run, args: tuple[str, ...], method: str, params: dict[str, Any]
) -> None:
    ran = run(*args)
    assert (ran.code, ran.err) == (0, "")
    assert ran.out
    assert node.calls == [(method, params)]


def with_json(args: tuple[str, ...]) -> tuple[str, ...]:
    """A flag after ``--`` would be an argument."""
    return (args[0], "--json", *args[1:]) if args[0] != "identity" else (*args, "--json")


@pytest.mark.parametrize(("args", "method", "params"), PLAIN, ids=lambda value: str(value)[:40])
def test_json_is_the_result_of_the_method(
    node: FakeNode, run: Run, args: tuple[str, ...], method: str, params: dict[str, Any]
) -> None:
    ran = run(*with_json(args))
    assert (ran.code, ran.err) == (0, "")
    assert ran.json == msgspec.json.decode(msgspec.json.encode(RESULTS[method]))


ACTING = (
    "challenge bob ttt",
    "accept 3f",
    "decline 3f",
    "resign 3f",
    "move 3f 1",
    "draw 3f",
    "act 3f x",
    "actions 3f",
)


@pytest.mark.parametrize("command", [*ACTING, "games", "announce", "identity show"])
def test_the_identity_goes_along(node: FakeNode, run: Run, command: str) -> None:
    assert run("--as", "alice", *command.split()).code == 0
    assert node.calls[0][1]["identity"] == "alice"


@pytest.mark.parametrize("alias", ALIASES)
def test_what_people_call_the_games(node: FakeNode, run: Run, alias: str) -> None:
    run("challenge", "bob", alias.upper())
    assert node.calls[0][1]["app"] == ALIASES[alias]


def test_a_challenge_with_an_intent(node: FakeNode, run: Run) -> None:
    assert run("challenge", "bob", "go", "--intent", '{"size": 9}').code == 0
    assert node.calls == [("game.challenge", {"peer": "bob", "app": "go", "intent": {"size": 9}})]


def test_what_acting_says(node: FakeNode, run: Run, program: str) -> None:
    assert run("move", ID, "Nf3").out == (
        f"Played Nf3, move 3 of game {ID}. "
        f"It is on its way; `{program} games {ID}` shows whether it arrived.\n"
    )
    assert run("challenge", "bob", "chess").out.startswith(f"Challenged bob to chess: game {ID}.")


def test_one_game_is_drawn(node: FakeNode, run: Run) -> None:
    game = detail(TTT, played(TTT, "a1 b2"))
    node.results["game.show"] = game
    ran = run("games", "3f2a")
    assert ran.code == 0
    assert "2  . [O] ." in ran.out
    assert node.calls == [("game.show", {"id": "3f2a"})]
    assert run("games", "3f2a", "--json").json == as_json(game)
    node.calls.clear()
    node.results["game.show"] = msgspec.structs.replace(game, unread=1)
    run("games", "3f2a", "--json")
    assert node.calls == [("game.show", {"id": "3f2a"})]
    run("games", "3f2a")
    assert node.calls[2:] == [("game.read", {"id": ID, "identity": ME})]


def test_the_list_of_games(node: FakeNode, run: Run, program: str) -> None:
    node.results["game.list"] = GamePage(
        games=(
            summary(unread=2, your_turn=True, peer_name="Bob"),
            summary(id="0" * 16, app="four_in_a_row", status="pending", your_turn=True),
            summary(id="1" * 16, status="completed"),
            summary(id="2" * 16, status="completed", winner=ME),
            summary(id="3" * 16, status="completed", winner=PEER),
            summary(id="4" * 16, status="completed", winner=""),
        ),
        cursor="3.0:" + "1" * 16,
    )
    assert run("games").out.splitlines() == [
        f"* {ID} chess         your turn Bob (b2b2b2b2)",
        "  0000000000000000 four_in_a_row answer!   b2b2b2b2",
        "  1111111111111111 chess         completed b2b2b2b2",
        "  2222222222222222 chess         won       b2b2b2b2",
        "  3333333333333333 chess         lost      b2b2b2b2",
        "  4444444444444444 chess         draw      b2b2b2b2",
        f"There are more: {program} games --cursor 3.0:1111111111111111",
    ]
    more = run("games", "--filter", "live", "--limit", "3", "--cursor", "3.0:x")
    assert f"{program} games --filter live --cursor" in more.out
    assert node.calls[-1] == ("game.list", {"filter": "live", "limit": 3, "cursor": "3.0:x"})


def test_empty_lists_say_what_to_do(node: FakeNode, run: Run, program: str) -> None:
    node.results |= {"game.list": GamePage(games=()), "peer.list": PeerList(peers=())}
    assert f"{program} challenge PEER APP" in run("games").out
    assert run("games", "--filter", "live").out == "No such games.\n"
    assert f"{program} announce" in run("peers").out


def test_status_for_people(node: FakeNode, run: Run) -> None:
    out = run("status").out
    for part in ("pi, lrgpnode 0.1.0", "2 live", "chess", "RNode: offline", "Something is wrong."):
        assert part in out


def test_identities_and_the_journal(node: FakeNode, run: Run) -> None:
    assert run("identity", "list").out == f"{ME}  alice\n"
    assert "/srv/key" in run("identity", "show").out
    assert run("actions", ID).out == "   1  1970-01-01 00:00  you   challenge  {}\n"


def test_hostile_peers_in_lists(node: FakeNode, run: Run) -> None:
    name = "\x1b]0;owned\x07\u202eeve\u200b\nPEER 2"
    peer = PeerInfo(peer=PEER, name=name, hops=2, interface="x", heard_at=1.0)
    node.results["peer.list"] = PeerList(peers=(peer,))
    node.results["game.list"] = GamePage(games=(summary(peer_name=name),))
    for command in ("peers", "games"):
        out = run(command).out
        assert out.count("\n") == 1
        assert out.removesuffix("\n").isprintable()
        assert "eve PEER 2" in out
        assert run(command, "--json").out.isascii()
    assert run("peers", "--json").json["peers"][0]["name"] == name


def test_a_board_as_it_was(node: FakeNode, run: Run) -> None:
    node.results["game.show"] = detail(TTT, played(TTT, "a1 b2"))
    frame = Frame(moves=1, grid=(("X", "", ""), ("", "", ""), ("", "", "")), last_cells=((0, 0),))
    node.results["game.frames"] = Frames(id=ID, identity=ME, app="ttt", frames=(frame,))
    ran = run("games", "3f2a", "--at", "1")
    assert ran.out.splitlines()[0] == f"ttt {ID} after 1 moves"
    assert "1 [X] .  ." in ran.out
    assert node.calls[0] == ("game.frames", {"id": "3f2a", "first": 1, "limit": 1})
    node.results["game.frames"] = Frames(id=ID, identity=ME, app="ttt", frames=())
    assert "fewer moves" in run("games", "3f2a", "--at", "2").err
    assert run("games", "--at", "2").code == 2
