from __future__ import annotations

import pytest
from wcwidth import wcwidth, width

from interfaces.tui.kit import text
from interfaces.tui.kit.glyphs import ASCII, NAMES, SETS, UNICODE, Glyphs, detect


@pytest.mark.parametrize("glyphs", SETS.values(), ids=SETS)
def test_every_sign_takes_one_cell(glyphs: Glyphs) -> None:
    for sign in (
        *glyphs.signs.values(),
        *glyphs.pieces.values(),
        *map(glyphs.piece, "KxéXA漢\x1b😀"),
        glyphs.piece(""),
    ):
        assert len(sign) == 1
        # No widget takes a sign of ours for a stranger's.
        assert text.fit(sign, 1, glyphs.script) == sign
        assert wcwidth(sign) == 1
        # No font may have an emoji for it, but for the pawn, which has no substitute.
        assert sign.isascii() or sign == "♟" or width(sign + "\ufe0f") == 1, hex(ord(sign))


def test_both_sets_are_complete() -> None:
    assert tuple(ASCII.signs) == tuple(UNICODE.signs) == NAMES
    assert all(sign.isascii() and sign.isprintable() for sign in ASCII.signs.values())


@pytest.mark.parametrize("glyphs", SETS.values(), ids=SETS)
def test_what_must_be_told_apart_without_colour(glyphs: Glyphs) -> None:
    assert len({glyphs.piece(token) for token in "KQRBNPkqrbnp"}) == 12
    assert len({glyphs[state] for state in ("queued", "sent", "delivered", "stored", "failed")}) == 5
    assert len({glyphs[sign] for sign in ("first disc", "second disc", "empty", "target")}) == 4
    assert glyphs["light square"] != glyphs["dark square"]
    assert len({glyphs[sign] for sign in ("your turn", "waiting", "unread", "invitation")}) == 4
    assert glyphs["here"] != glyphs["away"]


@pytest.mark.parametrize(
    ("environ", "glyphs"),
    [
        ({}, ASCII),
        ({"TERM": "xterm", "LANG": "C"}, ASCII),
        ({"TERM": "xterm", "LANG": "C", "LC_CTYPE": "C.UTF-8"}, ASCII),
        ({"TERM": "xterm", "LANG": "de_DE.UTF-8", "LC_ALL": "C"}, ASCII),
        ({"TERM": "xterm", "LANG": "de_DE.ISO-8859-1"}, ASCII),
        ({"TERM": "xterm", "LANG": "de_DE.UTF-8"}, UNICODE),
        ({"TERM": "xterm", "LANG": "C.utf8"}, UNICODE),
        ({"TERM": "xterm", "LANG": "C", "LC_CTYPE": "en_US.UTF-8"}, UNICODE),
        ({"TERM": "linux", "LANG": "de_DE.UTF-8"}, ASCII),
        ({"TERM": "vt100", "LANG": "de_DE.UTF-8"}, ASCII),
        ({"TERM": "xterm", "LANG": "ja_JP.UTF-8"}, ASCII),
    ],
)
def test_the_set_is_taken_from_the_environment(environ: dict[str, str], glyphs: Glyphs) -> None:
    assert detect(environ) is glyphs
