"""Random lives of a session: whatever hosts, players and time do, some things always hold."""

from __future__ import annotations

from typing import Any

from hypothesis import settings, strategies as st
from hypothesis.stateful import RuleBasedStateMachine, initialize, invariant, precondition, rule

from tests.gateway.rcadia.server.desk import Desk, Refused

PEOPLE = ("ann", "ben", "cat")
REFUSALS = {400, 403, 404, 409, 429}

people = st.sampled_from(PEOPLE)
turns = st.none() | st.integers(0, 4)


class SessionLife(RuleBasedStateMachine):
    def __init__(self) -> None:
        super().__init__()
        self.desk = Desk()
        self.id = ""
        self.versions: dict[str, int] = {}
        self.events: dict[str, int] = {}
        self.seqs: dict[str, list[int]] = {}
        self.strikes: dict[str, int] = {}
        self.ended: dict[str, Any] = {}
        self.turns: dict[str, int] = {}

    @initialize(
        mode=st.sampled_from([{}, {"simultaneous": True}, {"turnBased": False}]),
        count=st.integers(1, 3),
        timeout=st.sampled_from([0, 1, 30]),
        more=st.fixed_dictionaries(
            {
                "autoRematch": st.booleans(),
                "forfeitOnTimeout": st.booleans(),
                "maxTurnTimeouts": st.integers(1, 3),
            }
        ),
        legacy=st.booleans(),
    )
    def start(
        self, mode: dict[str, Any], count: int, timeout: float, more: dict[str, Any], legacy: bool
    ) -> None:
        config = {"minPlayers": count, "maxPlayers": count, "turnTimeout": timeout, **mode, **more}
        self.config = config
        self.legacy = legacy
        self.id = self.desk.create(**config, sdkVersion=None if legacy else "2.0.0")

    def allowed(self, what: Any, *arguments: Any, **named: Any) -> Any:
        """The answer; None where it was refused, which is no defect."""
        try:
            return what(*arguments, **named)
        except Refused as refused:
            assert refused.status in REFUSALS, refused
            assert refused.body["error"]
            return None

    def player_ids(self) -> list[str]:
        return [one["playerId"] for one in self.desk.public(self.id)["players"]]

    @rule(who=people)
    def join(self, who: str) -> None:
        self.allowed(self.desk.join, self.id, who)

    @rule(who=people)
    def leave(self, who: str) -> None:
        self.allowed(self.desk.leave, self.id, who)

    @rule(who=people, turn=turns)
    def act(self, who: str, turn: int | None) -> None:
        state = self.allowed(self.desk.state, self.id, who)
        more = {} if turn is None else {"turn": turn}
        taken = self.allowed(self.desk.act, self.id, who, {"n": 1}, **more)
        if state is None or taken is None:
            return
        # What was taken was this player's to do.
        assert state["yourTurn"] or self.config.get("turnBased") is False
        if self.config.get("turnBased") is not False or self.config.get("simultaneous"):
            assert turn is None or turn == state["turn"]
            assert taken["snapshot"]["yourTurn"] is False

    @precondition(lambda self: self.player_ids())
    @rule(data=st.data(), actions=st.sampled_from([[], ["x"], ["x", "y"]]))
    def publish(self, data: st.DataObject, actions: list[str]) -> None:
        player = data.draw(st.sampled_from(self.player_ids()))
        self.desk.legal(self.id, player, *actions)
        if actions and self.config.get("turnBased") is not False and not self.config.get("simultaneous"):
            public = self.desk.public(self.id)
            assert public["status"] != "active" or len(public["onTurnSeats"]) == 1

    @rule(state=st.integers())
    def publish_state(self, state: int) -> None:
        self.desk.ops(self.id, {"op": "state", "state": state})

    @precondition(lambda self: self.player_ids())
    @rule(data=st.data())
    def reject(self, data: st.DataObject) -> None:
        self.desk.reject(self.id, data.draw(st.sampled_from(self.player_ids())))

    @rule(reason=st.sampled_from([None, None, "host_left"]))
    def end(self, reason: str | None) -> None:
        self.desk.end(self.id, {"winner": None}, **({} if reason is None else {"reason": reason}))

    @rule(back=st.integers(0, 2), drain=st.booleans())
    def poll(self, back: int, drain: bool) -> None:
        seen = self.seqs.setdefault(self.id, [])
        after = max(0, (seen[-1] if seen else 0) - back)
        for entry in self.desk.entries(self.id, None if drain else after):
            if entry["seq"] not in seen:
                assert entry["seq"] == (seen[-1] + 1 if seen else 1), "numbers without gaps"
                seen.append(entry["seq"])

    @rule(seconds=st.sampled_from([0.1, 1, 3, 15, 25, 60, 100]), alive=st.booleans())
    def wait(self, seconds: float, alive: bool) -> None:
        if self.id not in self.desk.engine.room.sessions:
            return
        if alive:
            self.desk.alive(self.id, seconds)
        else:
            self.desk.tick(seconds)

    @rule()
    def rematch(self) -> None:
        self.allowed(self.desk.rematch, self.id)

    @precondition(lambda self: self.desk.public(self.id)["nextSessionId"])
    @rule()
    def go_on(self) -> None:
        self.id = self.desk.public(self.id)["nextSessionId"]

    @invariant()
    def holds(self) -> None:
        if not self.id:
            return
        public = self.desk.public(self.id)
        assert public["version"] >= self.versions.get(self.id, 0)
        self.versions[self.id] = public["version"]
        assert public["turn"] >= self.turns.get(self.id, 0)
        self.turns[self.id] = public["turn"]
        assert [one["seat"] for one in public["players"]] == list(range(len(public["players"])))
        assert len({one["playerId"] for one in public["players"]}) == len(public["players"])
        events = self.desk.events(self.id, self.events.get(self.id, 0))
        indexes = [one["index"] for one in events["events"]]
        assert indexes == sorted(set(indexes))
        self.events[self.id] = events["lastIndex"]
        if self.id in self.ended:
            assert (public["status"], public["result"]) == ("finished", self.ended[self.id])
        if public["status"] == "finished":
            self.ended[self.id] = public["result"]
            assert public["onTurnSeats"] == []
            assert public["deadline"] is None
        if public["status"] == "active":
            assert len(public["players"]) == self.config["maxPlayers"]
        if self.legacy:
            assert public["nextSessionId"] is None
        self._players(public)

    def _players(self, public: dict[str, Any]) -> None:
        for who in PEOPLE:
            seat = self.desk.engine.session(self.id, self.desk.now).seat_of(who)
            if seat is None or not seat.ready:
                continue
            state = self.desk.state(self.id, who)
            assert state["version"] == public["version"]
            if not state["yourTurn"]:
                assert state["legalActions"] is None
            else:
                assert state["status"] == "active"
                assert seat.number in public["onTurnSeats"]
            if state["deadline"] is not None:
                assert self.config["turnTimeout"]
                assert state["deadline"] >= self.desk.at(0)
            if state["status"] == "active" and self.config["forfeitOnTimeout"]:
                assert state["strikes"] < state["maxStrikes"]
            before = self.strikes.get(f"{self.id} {who}", 0)
            if state["strikes"] < before:
                assert state["strikes"] == 0
            self.strikes[f"{self.id} {who}"] = state["strikes"]


TestSessionLife = SessionLife.TestCase
TestSessionLife.settings = settings(stateful_step_count=30)
