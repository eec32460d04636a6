"""The commands of a running simulator, on a world without ports."""

from __future__ import annotations

import pytest
from hypothesis import given, strategies as st

from interfaces.radio.commands import USAGE, carry_out
from interfaces.radio.sim.links import Link
from interfaces.radio.sim.world import World
from tests.radio.protocol import DETECT
from tests.radio.scene import Scene


class Target:
    def __init__(self) -> None:
        self.scene = Scene("alice", "bob").on()
        self.ended = False

    @property
    def world(self) -> World:
        return self.scene.world

    def plug(self, name: str) -> None:
        self.world.power(name, on=True)

    def unplug(self, name: str) -> None:
        self.world.power(name, on=False)

    def quit(self) -> None:
        self.ended = True

    def changes(self) -> list[dict[str, object]]:
        return [row for row in self.scene.trace if row["event"] == "change" and row["time"] > 0]


@pytest.fixture
def target() -> Target:
    return Target()


def test_plugging(target: Target) -> None:
    assert carry_out("unplug alice", target) == {"ok": True}
    assert target.scene.wire("alice").ask(DETECT) == []
    assert carry_out("plug alice", target) == {"ok": True}
    assert target.scene.wire("alice").ask(DETECT) != []
    assert [row["what"] for row in target.changes()] == ["unplugged", "plugged"]


def test_faults(target: Target) -> None:
    for fault in ("mute", "hang"):
        carry_out(f"{fault} alice on", target)
        assert target.scene.wire("alice").ask(DETECT) == []
        carry_out(f"{fault} alice off", target)
        assert target.scene.wire("alice").ask(DETECT) != []
    carry_out("sf alice 11", target)
    assert (0x04, b"\x0b") in target.scene.wire("alice").ask("c004ffc0")
    carry_out("sf alice off", target)
    assert (0x04, b"\x08") in target.scene.wire("alice").ask("c004ffc0")
    carry_out("error alice 0x04", target)
    assert target.scene.hosts["alice"].all(0x90) == [b"\x04"]
    carry_out("reset alice", target)
    target.scene.run(2)
    assert target.scene.hosts["alice"].all(0x55) == [b"\xf8"]


def test_links(target: Target) -> None:
    def links() -> tuple[Link, Link]:
        return target.world.ether.link("alice", "bob"), target.world.ether.link("bob", "alice")

    answer = carry_out("link alice bob loss 0.25", target)
    assert answer["link"] == {"rssi": -80.0, "snr": None, "loss": 0.25, "up": True}
    assert links() == (Link(loss=0.25), Link())
    carry_out("links alice bob down", target)
    assert [link.up for link in links()] == [False, False]
    carry_out("links alice bob up", target)
    carry_out("link bob alice rssi -110", target)
    carry_out("link bob alice snr -4.5", target)
    assert links() == (Link(loss=0.25), Link(rssi=-110, snr=-4.5))


def test_statistics_and_marks(target: Target) -> None:
    target.scene.send("alice", bytes(100))
    target.scene.run(2)
    stats = carry_out("stats", target)["stats"]
    assert (stats["alice"]["packets_sent"], stats["bob"]["packets_received"]) == (1, 1)
    assert stats["alice"]["airtime_15s"] > 1
    assert stats["bob"]["airtime_15s"] == 0
    assert stats["bob"]["load_7s"] > 2
    assert list(carry_out("stats bob", target)["stats"]) == ["bob"]
    carry_out("mark here it begins", target)
    assert target.changes()[-1]["text"] == "here it begins"
    assert carry_out("quit", target) == {"ok": True}
    assert target.ended


@pytest.mark.parametrize(
    ("order", "said"),
    [
        ("", "There is no command ''"),
        ("explode alice", "There is no command 'explode'; there are unplug"),
        ("unplug", "It is: unplug NODE"),
        ("unplug alice bob", "It is: unplug NODE"),
        ("unplug carol", "There is no node 'carol'; there are alice, bob."),
        ("mute alice maybe", "It is on or off"),
        ("link alice bob", "It is: link"),
        ("link alice bob loss", "It is: link"),
        ("link alice bob up 3", "It is: link"),
        ("link alice alice up", "from one node to another"),
        ("link alice bob loss 2", "a loss of 2 is not possible"),
        ("link alice bob loss nan", "a loss of nan"),
        ("link alice bob rssi high", "could not convert"),
        ("error alice 999", "between 0 and 255"),
        ("sf alice 999", "does not fit"),
        ("mark 'open", "No closing quotation"),
    ],
)
def test_what_is_wrong_is_said(target: Target, order: str, said: str) -> None:
    answer = carry_out(order, target)
    assert not answer["ok"]
    assert said in answer["error"]
    assert target.changes() == []


@given(
    st.sampled_from([*USAGE, "x"]), st.lists(st.sampled_from(["alice", "bob", "on", "1", "loss", "'", ""]))
)
def test_any_line_is_answered(name: str, words: list[str]) -> None:
    assert "ok" in carry_out(" ".join([name, *words]), _SHARED)


_SHARED = Target()
