"""``make bench``: a table for people, then the same as one line of JSON.

Every figure is a ratio to, or a difference from, a baseline measured in the same run. With ``--core``
only the parts that need no processes are run. The exit code is 1 if a limit is not kept.
"""

from __future__ import annotations

import json
import sys
import tempfile
from pathlib import Path

from . import agentgames, arcade, core, idle, loopback, screen, store
from .timing import Row


def main() -> int:
    # Not under /tmp, which may be memory: commits are to be measured on the disk the repo is on.
    with tempfile.TemporaryDirectory(dir=Path.cwd(), prefix=".bench-") as name:
        directory = Path(name)
        rows = [*core.codec(), *core.receive(), *core.replay(), *core.admission(directory)]
        rows += store.commits(directory)
        if "--core" not in sys.argv:
            rows += arcade.arcade(directory)
            rows += agentgames.agentgames(directory)
            rows += loopback.processes(directory)
            rows += idle.stored_games(directory)
            rows += idle.idle(directory)
            rows += screen.screen(directory)
    for row in rows:
        print(_line(row))
    print(json.dumps([row.as_dict() for row in rows]))
    return 0 if all(row.kept for row in rows) else 1


def _line(row: Row) -> str:
    figure = f"+{row.figure:.2f} {row.unit}" if row.slack else f"{row.figure:.2f}x"
    limit = f"+{row.limit:g} {row.unit}" if row.slack else f"{row.limit:g}x"
    verdict = "ok" if row.kept else "MISSED"
    values = f"{row.value:9.2f} / {row.baseline:.2f} {row.unit}"
    return f"{verdict:7} {figure:>12}  of {limit:>9}  {values}  {row.name}"


if __name__ == "__main__":
    sys.exit(main())
