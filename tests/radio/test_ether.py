"""Who gets a frame, and who does not: everything at chosen times."""

from __future__ import annotations

import pytest
from hypothesis import given, strategies as st

from interfaces.radio.sim.links import Link, fate, noise_floor
from interfaces.radio.sim.topology import in_a_line
from tests.radio.protocol import OFF, settings
from tests.radio.scene import Scene

SYMBOL = 2**8 / 125_000
CRITICAL = (18 - 5) * SYMBOL
"""Of SF8: from here on the preamble is needed."""

FRAME = b"\x00" + bytes(50)
LENGTH = Scene("a").on().world.devices["a"].channel.modem.frame_seconds(len(FRAME))  # type: ignore[union-attr]

HIDDEN = in_a_line(["a", "hill", "b"])


def overlap(offset: float, **options: object) -> list[str]:
    """What the one in the middle gets of two frames; the second begins ``offset`` after the first."""
    scene = Scene("a", "hill", "b", **{"links": HIDDEN} | options).on()
    scene.at_once("a", FRAME)
    scene.run(offset)
    scene.at_once("b", FRAME)
    scene.run(2)
    return [row["to"]["hill"]["outcome"] for row in scene.frames()]


def test_frames_that_overlap_are_lost() -> None:
    assert overlap(0.0) == ["collision", "collision"]
    assert overlap(LENGTH / 2) == ["collision", "collision"]


def test_the_beginning_of_a_preamble_can_be_spared() -> None:
    """The first frame ends while the second has enough of its preamble left."""
    assert overlap(LENGTH - CRITICAL * 0.9) == ["collision", "received"]
    assert overlap(LENGTH - CRITICAL * 1.1) == ["collision", "collision"]
    assert overlap(LENGTH + 1e-6) == ["received", "received"]


def test_capture() -> None:
    loud = HIDDEN | {("a", "hill"): Link(rssi=-70)}
    assert overlap(LENGTH / 2, links=loud) == ["collision", "collision"]
    assert overlap(LENGTH / 2, links=loud, capture=6.0) == ["received", "collision"]
    assert overlap(LENGTH / 2, links=loud, capture=11.0) == ["collision", "collision"]


def test_half_duplex() -> None:
    scene = Scene("a", "b").on()
    scene.at_once("a", FRAME)
    scene.at_once("b", FRAME)
    scene.run(2)
    assert [*scene.outcomes("a"), *scene.outcomes("b")] == ["half_duplex", "half_duplex"]


@pytest.mark.parametrize("other", [{"sf": 9}, {"bandwidth": 250_000}, {"frequency": 868_400_000}])
def test_another_channel_neither_hears_nor_disturbs(other: dict[str, int]) -> None:
    scene = Scene("a", "hill", "b", links=HIDDEN).on()
    scene.world.devices["b"].feed(settings(**other))
    scene.run(0.1)
    scene.at_once("b", FRAME)
    assert not scene.world.ether.busy("hill")
    scene.at_once("a", FRAME)
    scene.run(3)
    first, second = sorted(scene.frames(), key=lambda row: str(row["node"]))
    assert first["to"]["hill"]["outcome"] == "received"
    assert second["to"]["hill"]["outcome"] == "other_channel"


def test_a_little_off_in_frequency() -> None:
    """Understood within a quarter of the bandwidth; and a disturbance as far as the bands overlap."""
    scene = Scene("a", "b").on()
    for offset, outcome in ((30_000, "received"), (40_000, "other_channel")):
        scene.trace.clear()
        scene.world.devices["b"].feed(settings(frequency=868_100_000 + offset))
        scene.run(0.1)
        scene.at_once("a", FRAME)
        scene.run(0.2)
        assert scene.world.ether.busy("b")
        scene.run(2)
        assert scene.outcomes("b") == [outcome]


def test_a_radio_that_is_off_or_comes_too_late() -> None:
    scene = Scene("a", "b").on()
    scene.world.devices["b"].feed(OFF)
    scene.at_once("a", FRAME)
    scene.run(CRITICAL + 0.01)
    scene.world.devices["b"].feed(bytes.fromhex("c00601c0"))
    scene.run(2)
    assert scene.outcomes("b") == ["off"]


def test_a_sender_that_is_unplugged() -> None:
    scene = Scene("a", "b").on()
    scene.send("a", bytes(400))
    scene.run(1.0)
    scene.world.power("a", on=False)
    scene.run(2)
    assert scene.outcomes("b") == ["received", "cut"][-len(scene.frames()) :]
    assert "cut" in scene.outcomes("b")
    assert scene.got("b") == []
    assert not scene.world.ether.busy("b")


@pytest.mark.parametrize(("sf", "limit"), [(7, -7.5), (8, -10.0), (10, -15.0), (12, -20.0)])
def test_what_is_too_weak(sf: int, limit: float) -> None:
    for snr, outcome in ((limit, "received"), (limit - 0.25, "weak")):
        scene = Scene("a", "b", links={("a", "b"): Link(rssi=-120, snr=snr)}).on(sf=sf)
        scene.at_once("a", FRAME)
        scene.run(5)
        assert scene.outcomes("b") == [outcome]
        assert scene.outcomes("a") == []


def test_snr_follows_from_rssi() -> None:
    assert noise_floor(125_000) == pytest.approx(-117.03, abs=0.01)
    assert Link(rssi=-120).snr_at(125_000) == pytest.approx(-2.97, abs=0.01)
    assert Link(rssi=-60).snr_at(125_000) == 12
    assert Link(rssi=-120, snr=3.0).snr_at(125_000) == 3.0


def test_one_way_links() -> None:
    scene = Scene("a", "b", links={("a", "b"): Link()}).on()
    scene.send("a", b"there")
    scene.run(2)
    scene.send("b", b"back")
    scene.run(2)
    assert (scene.got("b"), scene.got("a")) == ([b"there"], [])


def test_loss_has_the_same_victims_in_each_run() -> None:
    """The n-th frame of a link has the same fate whatever else is on the air. Another seed, other victims."""

    def fates(seed: int, *, others: bool) -> list[str]:
        links = {("a", "b"): Link(loss=0.3), ("b", "a"): Link(loss=0.3)}
        scene = Scene("a", "b", links=links, seed=seed).on()
        for number in range(30):
            scene.at_once("a", FRAME)
            scene.run(LENGTH + 0.1)
            if others and number % 3 == 0:
                scene.at_once("b", FRAME)
                scene.run(LENGTH + 0.1)
        return scene.outcomes("b")

    first = fates(1, others=False)
    assert first == fates(1, others=True)
    assert first != fates(2, others=False)
    assert 3 <= first.count("lost") <= 15


@given(st.integers(), st.text(max_size=8), st.text(max_size=8))
def test_fates_are_even(seed: int, a: str, b: str) -> None:
    values = [fate(seed, a, b, number) for number in range(100)]
    assert all(0 <= value < 1 for value in values)
    assert 0.25 < sum(values) / len(values) < 0.75


def test_changing_a_link() -> None:
    scene = Scene("a", "b").on()
    scene.world.change_link("a", "b", up=False)
    scene.send("a", b"one")
    scene.run(2)
    scene.world.change_link("a", "b", up=True, loss=1.0)
    scene.send("a", b"two")
    scene.run(2)
    scene.world.change_link("a", "b", loss=0.0)
    scene.send("a", b"three")
    scene.run(2)
    assert scene.got("b") == [b"three"]
    with pytest.raises(ValueError, match=r"loss of 1\.5"):
        scene.world.change_link("a", "b", loss=1.5)
