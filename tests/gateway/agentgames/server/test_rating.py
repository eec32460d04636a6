"""Elo, by the formula itself, and the ladder that comes of a thousand matches."""

from __future__ import annotations

import random
from pathlib import Path

from gateway.agentgames.server import rating
from gateway.agentgames.server.records import Ending, MatchStore, NewMatch
from gateway.arcade.accounts import Accounts
from gateway.arcade.store import ArcadeStore


def test_what_was_measured_on_the_specifications_server() -> None:
    assert rating.after(1500.0, 1500.0, 1.0) == (1516.0, 1484.0)
    assert rating.after(1500.0, 1500.0, 0.5) == (1500.0, 1500.0)
    # ratings_over_three_matches: 1516 - 1484, the second beats the first.
    first, second = rating.after(1516.0, 1484.0, 0.0)
    assert abs(first - 1498.5304984710244) < 1e-9
    assert abs(second - 1501.4695015289756) < 1e-9


def test_a_thousand_matches_equal_the_formula(tmp_path: Path) -> None:
    store = ArcadeStore(tmp_path / "a.db")
    accounts = Accounts(store)
    ids = [accounts.add(f"player {number}").id for number in range(12)]
    matches = MatchStore(store.database)
    rng = random.Random(7)
    plain = {(game, id): 1500.0 for game in ("ttt", "c4") for id in ids}
    counts = {key: [0, 0, 0] for key in plain}
    for batch in range(100):
        chosen = []
        for _ in range(10):
            game = rng.choice(["ttt", "c4"])
            one, two = rng.sample(ids, 2)
            chosen.append((game, one, two, rng.choice([0, 1, -1])))
        numbers = matches.begin([NewMatch(game=g, first=a, second=b, at=1.0) for g, a, b, _ in chosen])
        assert len(set(numbers)) == 10
        got = matches.finish(
            [
                Ending(number=number, winner=winner, reason="", moves=(), at=2.0 + batch)
                for number, (_, _, _, winner) in zip(numbers, chosen, strict=True)
            ]
        )
        for (game, one, two, winner), after in zip(chosen, got, strict=True):
            # The formula as any book has it.
            a, b = plain[game, one], plain[game, two]
            score = {0: 1.0, 1: 0.0, -1: 0.5}[winner]
            expected = 1 / (1 + 10 ** ((b - a) / 400))
            plain[game, one] = a + 32 * (score - expected)
            plain[game, two] = b - 32 * (score - expected)
            assert abs(after[0] - plain[game, one]) < 1e-9
            assert abs(after[1] - plain[game, two]) < 1e-9
            plain[game, one], plain[game, two] = after
            counts[game, one][{0: 0, -1: 1, 1: 2}[winner]] += 1
            counts[game, two][{1: 0, -1: 1, 0: 2}[winner]] += 1
    for game in ("ttt", "c4"):
        rows = matches.ladder(game, 50)
        assert [row.rating for row in rows] == sorted((plain[game, id] for id in ids), reverse=True)
        assert abs(sum(row.rating for row in rows) - 1500 * len(rows)) < 1e-6
        by_name = {row.name: [row.won, row.drawn, row.lost] for row in rows}
        assert by_name == {f"player {number}": counts[game, id] for number, id in enumerate(ids)}
        assert [row.rank for row in rows] == list(range(1, 13))
    store.close()
