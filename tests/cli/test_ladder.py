"""The ladder on the command line: what is asked, and what is said of it."""

from __future__ import annotations

import msgspec
import pytest

from games.chess import Chess
from lrgpnode.control import models
from lrgpnode.control.methods import ControlError
from tests.cli.conftest import Run
from tests.cli.fakes import FakeNode
from tests.cli.sessions import CHESS, played

GAMES = (
    models.LadderGame(game="ttt", name="Tic-Tac-Toe", app="ttt", waiting="zoe\x1b[2J", playing=2),
    models.LadderGame(game="c4", name="Connect 4", app="four_in_a_row"),
)
LADDER = models.Ladder(
    source="http://10.0.0.7:8820",
    games=GAMES,
    game="ttt",
    rows=(models.LadderRow(rank=1, name="ann", rating=1516.26, won=3, drawn=1, lost=2),),
    move_seconds=15.0,
    queue_seconds=120.0,
    more=True,
)
MATCH = models.LadderMatch(
    number=12,
    game="chess",
    name="Chess",
    players=("ann", "ben"),
    plies=3,
    started_at=0.0,
    winner=1,
    reason="forfeit: move timeout",
)
MATCHES = models.LadderMatches(
    source="",
    matches=(
        MATCH,
        msgspec.structs.replace(MATCH, number=11, winner=-1, reason=""),
        msgspec.structs.replace(MATCH, number=10, winner=None, reason="", void=True),
    ),
    more=True,
)


def replay(*frames: models.ReplayFrame) -> models.Replay:
    session = played(CHESS, "e4 e5 Nf3")
    view = models.view_json(Chess().view(session, session.key.identity))
    return models.Replay(source="", match=MATCH, view=view, frames=frames)


@pytest.fixture
def ladder(node: FakeNode) -> FakeNode:
    view = replay().view
    frame = models.ReplayFrame(moves=0, grid=tuple(map(tuple, view["grid"])))
    node.results |= {"ladder.show": LADDER, "ladder.matches": MATCHES, "ladder.replay": replay(frame)}
    return node


def test_the_ladder(ladder: FakeNode, run: Run) -> None:
    ran = run("ladder", "ttt", "--skip", "0")
    first, row, more, now, limits = ran.out.splitlines()
    assert first == "Tic-Tac-Toe at http://10.0.0.7:8820"
    assert row == "   1   1516.3  ann                       won 3, drawn 1, lost 2"
    assert more.endswith(" ladder ttt --skip 1")
    assert now == "Tic-Tac-Toe now: zoe[2J waits for an opponent; 2 matches being played"
    assert limits.startswith("There are 15 s for a move; whoever finds no opponent is sent away after 120 s")
    assert ladder.calls == [("ladder.show", {"game": "ttt", "skip": 0, "limit": 50})]
    assert run("ladder", "--json").json == msgspec.json.decode(msgspec.json.encode(LADDER))
    ladder.results["ladder.show"] = msgspec.structs.replace(LADDER, source="", games=(), rows=(), more=False)
    assert run("ladder").out.splitlines()[:2] == ["ttt", "Nobody has played a rated match yet."]
    ladder.results["ladder.show"] = ControlError("no_ladder", "This node shows no ladder.", "Do this.")
    ran = run("ladder")
    assert (ran.code, ran.err) == (1, "lrgpnode: This node shows no ladder. Do this.\n")


def test_matches(ladder: FakeNode, run: Run) -> None:
    ran = run("ladder", "matches", "--game", "chess", "--player", "ann", "--before", "13")
    assert [line[26:] for line in ran.out.splitlines()[:3]] == [
        "Chess        ben beat ann, forfeit: move timeout",
        "Chess        ann and ben drew",
        "Chess        ann and ben, void",
    ]
    assert ran.out.splitlines()[3].endswith(" ladder matches --game chess --player ann --before 10")
    asked = {"game": "chess", "player": "ann", "before": 13, "limit": 50}
    assert ladder.calls == [("ladder.matches", asked)]
    ladder.results["ladder.matches"] = models.LadderMatches(source="", matches=())
    assert run("ladder", "matches").out == "No such match was played.\n"


def test_a_replay(ladder: FakeNode, run: Run) -> None:
    lines = run("ladder", "replay", "12").out.splitlines()
    assert lines[0] == "Chess, match 12: ben beat ann, forfeit: move timeout"
    assert lines[-1] == "1. e4 e5 2. Nf3"
    assert run("ladder", "replay", "12", "--at", "0").out.splitlines()[1] == "After 0 moves of 3"
    assert ladder.calls[-1] == ("ladder.replay", {"number": 12, "first": 0, "limit": 1})
    ladder.results["ladder.replay"] = replay()
    ran = run("ladder", "replay", "12", "--at", "9")
    assert (ran.code, ran.err) == (1, "lrgpnode: The match has 3 moves only.\n")
    assert run("ladder", "replay", "0").code == 2
