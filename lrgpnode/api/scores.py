"""``contact.record``: how the games with each peer have ended. Kept here, never sent anywhere."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from lrgpnode.control import models
from lrgpnode.control.methods import ControlError
from storage.model import Rival, Score
from storage.scores import ScoreTable

from .lookup import Lookup


class ScoreMethods:
    def __init__(self, lookup: Lookup, scores: ScoreTable) -> None:
        self._lookup = lookup
        self._scores = scores

    def handlers(self) -> dict[str, Callable[[Any], Any]]:
        return {"contact.record": self._record}

    async def _record(self, params: models.RecordParams) -> models.RecordList:
        identity = self._lookup.identity(params.identity)
        if params.peer is not None:
            found = self._of(identity, self._lookup.peer(params.peer))
            return models.RecordList(identity=identity, records=(found,) if found.apps else ())
        page = self._scores.rivals(identity, limit=params.limit + 1, after=_parse_cursor(params.cursor))
        shown = page[: params.limit]
        return models.RecordList(
            identity=identity,
            records=tuple(self._of(identity, rival.peer) for rival in shown),
            cursor=f"{shown[-1].games}:{shown[-1].peer}" if len(page) > len(shown) else None,
        )

    def _of(self, identity: str, peer: str) -> models.PeerRecord:
        scores = self._scores.of(identity, peer)
        return models.PeerRecord(
            peer=peer,
            won=sum(score.won for score in scores),
            drawn=sum(score.drawn for score in scores),
            lost=sum(score.lost for score in scores),
            apps=tuple(map(app_record, scores)),
            peer_name=self._lookup.name(peer),
        )


def app_record(score: Score) -> models.AppRecord:
    return models.AppRecord(app=score.app_id, won=score.won, drawn=score.drawn, lost=score.lost)


def _parse_cursor(text: str | None) -> Rival | None:
    if text is None:
        return None
    games, _, peer = text.partition(":")
    if not (games.isascii() and games.isdigit() and len(games) < 19):
        raise ControlError("bad_cursor", "That is no cursor of a page.", "Start without one.")
    return Rival(peer=peer, games=int(games))
