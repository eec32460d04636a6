"""Run by a test in a process of its own: finds the installed games and plays a round of each."""

from __future__ import annotations

import json

from lrgpnode.plugins import load_games
from tests.plugins.pair import SALT, Pair


def main() -> None:
    games, problems = load_games()
    pair = Pair(games)
    sessions = {}
    for app, mine, theirs, reveal in (
        ("morra", {"f": 2, "g": 5}, {"f": 3, "g": 4}, "reveal"),
        ("odd_even", {"f": 2}, {"f": 3}, "move"),
    ):
        session_id = pair.play(pair.ann, app, "challenge", mine | {"k": SALT})
        pair.play(pair.ben, app, "accept", theirs, session_id)
        pair.play(pair.ann, app, reveal, mine | {"k": SALT}, session_id)
        sides = [node.session(session_id) for node in (pair.ann, pair.ben)]
        sessions[app] = [{"status": s.status, **s.metadata} for s in sides if s is not None]
    modules = {app: type(game).__module__ for app, game in games.items()}
    print(json.dumps({"games": modules, "problems": [str(p) for p in problems], "sessions": sessions}))


if __name__ == "__main__":
    main()
