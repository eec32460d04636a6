"""No window of 3600 s exceeds the limit, whatever happens.

Requests, failures, repetitions, restarts, crashes, reboots, and clocks that are set, wrong, or not vouched
for. The machine's truth is a time of its own, which nothing in the node knows.
"""

from __future__ import annotations

import json
from collections import deque
from pathlib import Path
from typing import Any

from hypothesis import settings, strategies as st
from hypothesis.stateful import RuleBasedStateMachine, initialize, invariant, rule

from lrgpnode.airtime.budget import Budget, Limits, Purpose, Use
from lrgpnode.mesh.airtime.ledger import Ledger
from lrgpnode.mesh.floor import Moment

SECONDS = st.floats(0.05, 6.0)
PURPOSES = st.sampled_from(list(Purpose))
PEERS = st.sampled_from(["", "a", "b"])


class MemoryLedger(Ledger):
    """A disk that keeps what was written."""

    text: str | None = None

    def _read(self) -> str:
        if self.text is None:
            raise FileNotFoundError
        return self.text

    def _write(self, text: str) -> None:
        json.loads(text)
        self.text = text


class Hours(RuleBasedStateMachine):
    @initialize(limit=st.sampled_from([3.6, 36.0, 360.0]), reserve=st.floats(0.05, 0.9), right=st.booleans())
    def begin(self, limit: float, reserve: float, right: bool) -> None:
        self.limit, self.reserve = limit, reserve
        self.truth, self.booted, self.boots = 1e9, 1e9 - 500.0, 1
        self.error, self.synchronised = 0.0, right
        self.hour: deque[tuple[float, float]] = deque()
        self.in_hour = 0.0
        self.tokens = 0
        self.ledger = MemoryLedger(Path("unused"), self.moment)
        self.start()

    def moment(self) -> Moment:
        return Moment(
            self.truth + self.error, self.truth - self.booted, f"boot {self.boots}", self.synchronised
        )

    def start(self) -> None:
        self.budget = Budget(
            Limits(seconds=self.limit, reserve=self.reserve, peer=0.7),
            lambda: self.moment().boot,
            cover=self.ledger.save,
        )
        self.ledger.resume(self.budget, int(self.limit * 1e6))

    def spent(self, seconds: float, granted: bool) -> bool:
        """Every window of an hour that something ends in is looked at."""
        if granted:
            self.hour.append((self.truth, seconds))
            self.in_hour += seconds
            while self.hour[0][0] < self.truth - 3600.0:
                self.in_hour -= self.hour.popleft()[1]
            assert self.in_hour <= self.limit + 1e-6
        return granted

    @rule(seconds=SECONDS, repeats=st.integers(1, 6), purpose=PURPOSES, peer=PEERS, ends=st.booleans())
    def message(self, seconds: float, repeats: int, purpose: Purpose, peer: str, ends: bool) -> None:
        """LXMF may send more often than was held for it."""
        self.tokens += 1
        use = Use(purpose, peer)
        answer = self.budget.ask(self.tokens, use, seconds * 3, least=seconds, destination=peer)
        if not answer.granted:
            assert answer.at is None or answer.at > self.moment().boot
            return
        for _ in range(repeats):
            self.spent(seconds, self.budget.spend(seconds, use, token=self.tokens))
            self.truth += 11.0
        if ends:
            self.budget.release(self.tokens)

    @rule(seconds=SECONDS, purpose=PURPOSES, peer=PEERS, times=st.integers(1, 40))
    def unasked(self, seconds: float, purpose: Purpose, peer: str, times: int) -> None:
        for _ in range(times):
            self.spent(seconds, self.budget.spend(seconds, Use(purpose), destination=peer))
            self.truth += 0.3

    def fill(self, share: float, purpose: Purpose = Purpose.OTHER, peer: str = "") -> None:
        """Until no more is let out."""
        for _ in range(500):
            seconds = self.limit * share
            if not self.spent(seconds, self.budget.spend(seconds, Use(purpose), destination=peer)):
                break
            self.truth += 0.3

    @rule(share=st.floats(0.005, 0.2), purpose=PURPOSES, peer=PEERS)
    def flood(self, share: float, purpose: Purpose, peer: str) -> None:
        self.fill(share, purpose, peer)

    @rule(share=st.floats(0.005, 0.05), pause=st.floats(3400.0, 3700.0))
    def floods_about_an_hour_apart(self, share: float, pause: float) -> None:
        self.fill(share)
        self.truth += pause
        self.fill(share)

    @rule(share=st.floats(0.001, 0.02), late=st.floats(3000.0, 3600.0), down=st.floats(0.0, 700.0))
    def crash_with_a_promise_of_long_ago(self, share: float, late: float, down: float) -> None:
        """What was promised first is used shortly before the crash."""
        self.truth += 3700.0
        for pause in (late, down):
            seconds = self.limit * share
            self.spent(seconds, self.budget.spend(seconds, Use(Purpose.PROOFS)))
            self.truth += pause
        self.start()
        self.fill(0.01)

    @rule(share=st.floats(0.005, 0.02), down=st.floats(0.0, 100.0))
    def written_down_and_still_at_work(self, share: float, down: float) -> None:
        """What is sent afterwards is no part of what was promised before."""
        self.truth += 3700.0
        seconds = self.limit * share
        self.spent(seconds, self.budget.spend(seconds, Use(Purpose.PROOFS)))
        self.ledger.save(self.budget.record())
        self.spent(seconds, self.budget.spend(seconds, Use(Purpose.PROOFS)))
        self.truth += down
        self.start()
        self.fill(0.002)

    @rule(seconds=SECONDS, late=st.integers(0, 3))
    def repeat(self, seconds: float, late: int) -> None:
        """LXMF repeats one of the last messages."""
        token = self.tokens - late
        self.spent(seconds, self.budget.spend(seconds, Use(Purpose.MOVES), token=token))

    @rule(seconds=st.floats(3300.0, 3700.0))
    def wait_about_an_hour(self, seconds: float) -> None:
        self.truth += seconds

    @rule(token=st.integers(0, 60))
    def end(self, token: int) -> None:
        self.budget.release(token)

    @rule(seconds=st.floats(0.0, 4000.0))
    def wait(self, seconds: float) -> None:
        self.truth += seconds

    @rule(down=st.floats(0.0, 5000.0))
    def crash(self, down: float) -> None:
        self.truth += down
        self.start()

    @rule(down=st.floats(0.0, 5000.0))
    def restart(self, down: float) -> None:
        self.ledger.save(self.budget.record())
        self.truth += down
        self.start()

    @rule(
        down=st.floats(1.0, 5000.0),
        orderly=st.booleans(),
        error=st.sampled_from([None, -1e6, 4000.0, 1e6]),
        full=st.booleans(),
    )
    def reboot(self, down: float, orderly: bool, error: float | None, full: bool) -> None:
        """The wall clock may be anything after it, or have been put right before the node starts.

        ``full``: with the hour used up before it, and asked for all there is after it.
        """
        if full:
            self.fill(0.03)
        if orderly:
            self.ledger.save(self.budget.record())
        self.truth += down
        self.booted, self.boots = self.truth, self.boots + 1
        self.synchronised, self.error = error is None, error or 0.0
        self.truth += 20.0
        self.start()
        if full:
            self.fill(0.03)

    @rule(error=st.floats(-1e7, 1e7))
    def set_the_clock(self, error: float) -> None:
        self.synchronised, self.error = False, error

    @rule()
    def synchronise(self) -> None:
        self.synchronised, self.error = True, 0.0

    @rule()
    def the_disk_is_damaged(self) -> None:
        self.ledger.text = "{" if self.ledger.text is not None else None
        self.start()

    @invariant()
    def nothing_is_promised_twice(self) -> None:
        figures: Any = self.budget.figures()
        assert figures.used + figures.held <= self.limit + 1e-6 or figures.held == 0.0


Hours.TestCase.settings = settings(max_examples=60, stateful_step_count=40, deadline=None)
TestHours = Hours.TestCase
