"""What was recorded from the reference server: 46 situations, one file each.

Fields: ``t`` seconds, ``who``, ``via`` (ws, ssh), ``dir`` (c2s, s2c, event), then ``data`` (``op``, ``fin``),
``http`` (``headers``, ``body``) or ``event``.
"""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any, Final

FOLDER: Final = Path(__file__).parent / "transcripts"
NAMES: Final = sorted(path.stem for path in FOLDER.glob("*.jsonl"))


def read(name: str) -> list[dict[str, Any]]:
    """The entries of one situation, in order."""
    text = (FOLDER / f"{name}.jsonl").read_text(encoding="utf-8")
    return [json.loads(line) for line in text.splitlines() if line]
