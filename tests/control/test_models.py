"""The models: what they refuse, and that the reference page is current."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from types import MappingProxyType
from typing import Any

import msgspec
import pytest

from lrgpnode.control import models, reference
from lrgpnode.protocol.game import GameView, LegalMove, Reason, Result

PAGE = Path(__file__).parents[2] / "docs" / "control-api.md"


def test_the_page_is_current() -> None:
    assert PAGE.read_text() == reference.page(), reference.__doc__


def test_every_model_is_frozen_and_refuses_unknown_fields() -> None:
    tops = [model for method in models.METHODS.values() for model in (method.params, method.result)]
    for model in {*tops, *models.EVENTS.values()}:
        config = model.__struct_config__
        assert config.forbid_unknown_fields, model
        assert config.frozen, model


@pytest.mark.parametrize(
    ("method", "params"),
    [
        ("game.list", {"limit": 0}),
        ("game.list", {"limit": 51}),
        ("game.list", {"limit": "5"}),
        ("game.list", {"filter": "mine"}),
        ("game.show", {}),
        ("game.show", {"id": ""}),
        ("game.show", {"id": "AB"}),
        ("game.show", {"id": "ab\n"}),
        ("game.show", {"id": "0" * 17}),
        ("game.move", {"id": "ab"}),
        ("game.move", {"id": "ab", "move": "e4", "intent": {}}),
        ("game.move", {"id": "ab", "move": ""}),
        ("game.move", {"id": "ab", "move": "x" * 257}),
        ("game.move", {"id": "ab", "intent": []}),
        ("game.draw", {"id": "ab", "what": "beg"}),
        ("game.challenge", {"peer": "ab"}),
        ("game.challenge", {"peer": "", "app": "ttt"}),
        ("events.subscribe", {"after": -1}),
        ("events.subscribe", {"after": 1.5}),
        ("node.stop", {"now": True}),
    ],
)
def test_wrong_parameters(method: str, params: dict[str, Any]) -> None:
    with pytest.raises(msgspec.ValidationError):
        msgspec.convert(params, models.METHODS[method].params)


def test_right_parameters() -> None:
    move = msgspec.convert({"id": "ab", "intent": {"i": 4}}, models.MoveParams)
    assert (move.move, move.intent, move.identity) == (None, {"i": 4}, None)
    assert msgspec.convert({}, models.GameListParams).limit == 50


def test_a_view_as_json() -> None:
    view = GameView(
        app_id="ttt",
        grid=(("X", ""),),
        row_labels=("1",),
        column_labels=("a", "b"),
        seat="X",
        turn="",
        my_turn=False,
        legal=(LegalMove(intent=MappingProxyType({"i": 4}), label="5", target=(1, 1)),),
        last_cells=((0, 0),),
        status_line="Over.",
        result=Result(reason=Reason.WIN, winner="ab"),
        history=("1",),
        ply=1,
        extras=MappingProxyType({"clock": MappingProxyType({"left": 1})}),
    )
    data = msgspec.json.decode(msgspec.json.encode(models.view_json(view)))
    assert data["grid"] == [["X", ""]]
    assert data["legal"] == [{"intent": {"i": 4}, "label": "5", "origin": None, "target": [1, 1]}]
    assert data["result"] == {"reason": "win", "winner": "ab"}
    assert data["extras"] == {"clock": {"left": 1}}
    with pytest.raises(TypeError, match="object has no JSON form"):
        models.view_json(replace(view, extras={"x": object()}))
