"""The airtime that a node counts is that which is on the air."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import ExitStack
from pathlib import Path

import pytest

from tests.e2e.nodes import NodeProcess, until
from tests.e2e.table import Table
from tests.radio.air import Air, Json, RadioNode
from tests.radio.cost import kind, settled

pytestmark = pytest.mark.node

CLOSE = 0.02


@pytest.fixture
def stack() -> Iterator[ExitStack]:
    with ExitStack() as stack:
        yield stack


KINDS = {
    "announce": ("announce", "path_answer"),
    "message": ("data",),
    "path request": ("path_request",),
    "proof": ("proof",),
    "link request": ("link",),
    "link data": ("link",),
}


def limited(data: Path, settings: str) -> None:
    """Have a node keep to these settings of airtime instead of to none."""
    file = data / "lrgpnode.toml"
    text = file.read_text()
    assert text.endswith("[airtime]\nlimit_percent = 100\n")
    file.write_text(text.replace("limit_percent = 100\n", settings))


def on_air(air: Air, name: str) -> dict[str, float]:
    """Seconds by kind, as the software RNode had them."""
    found: dict[str, float] = {}
    for row in air.trace("frame"):
        if row["node"] == name:
            what = kind(bytes.fromhex(row["host"]))
            found[what] = found.get(what, 0.0) + row["airtime_ms"] / 1000
    return found


def metered(node: NodeProcess) -> Json:
    (radio,) = node.call("radio.airtime")["radios"]
    return dict(radio)


def check(air: Air, name: str, node: RadioNode) -> None:
    """What has just been handed over may not have reached the software RNode yet."""

    def agreed() -> bool:
        settled(air)
        sent = sum(on_air(air, name).values())
        return bool(metered(node)["used"] == pytest.approx(sent, rel=CLOSE))

    try:
        until(agreed, "the airtime that is metered is on the air")
    finally:
        radio, sent = metered(node), on_air(air, name)
        print(name, radio, sent, air.trace("packet"))
    assert radio["metered"]
    counted = {row["kind"]: row["seconds"] for row in radio["packets"]}
    assert sum(counted.values()) == pytest.approx(sum(sent.values()), rel=CLOSE)
    for what, seconds in sent.items():
        alike = [other for other, kinds in KINDS.items() if kinds == KINDS[what]]
        ours = sum(counted[one] for one in KINDS[what])
        assert ours == pytest.approx(sum(sent.get(one, 0.0) for one in alike), rel=CLOSE), seconds
    assert radio["refused"] == 0


@pytest.mark.timeout(120)
def test_a_game_is_metered_as_it_was_on_the_air(stack: ExitStack, tmp_path: Path) -> None:
    air = stack.enter_context(Air(tmp_path / "air", "alice", "bob", "--scale", "20"))
    nodes = {name: RadioNode(tmp_path / name, port, announce_cap=100) for name, port in air.ports.items()}
    for node in nodes.values():
        limited(node.data, 'region = "EU868"\n')
        stack.callback(node.kill)
        node.spawn()
    for node in nodes.values():
        node.ready()
    alice, bob = nodes.values()
    table = Table(alice, bob, "ttt", 60.0)
    table.accept()
    table.play(*"14253")
    table.check_ended("win", alice)
    for name, node in nodes.items():
        check(air, name, node)
    radio = metered(alice)
    # 868.1 MHz: 1 % of the hour, a quarter of it in reserve.
    assert radio["law"].startswith("1 % of EU868")
    assert radio["limit"] == pytest.approx(36.0)
    assert radio["reserve"] == pytest.approx(9.0)
    assert (radio["bandwidth"], radio["spreading_factor"], radio["coding_rate"]) == (125_000, 8, 5)
    purposes = {row["purpose"]: row["seconds"] for row in radio["purposes"]}
    (game,) = radio["games"]
    assert game["app"] == "ttt"
    assert purposes["moves"] == pytest.approx(game["seconds"])
    assert purposes["moves"] > 3 * 0.8
    assert purposes["proofs"] > 3 * 0.25
    assert purposes["relay"] == purposes["other"] == 0.0
    assert sum(purposes.values()) == pytest.approx(radio["used"])


def dry(node: RadioNode) -> bool:
    """Whether everything that is not delivered waits for airtime."""
    rows = [row for row in outbox(node) if row["state"] not in {"delivered", "confirmed"}]
    return all(row["waits_for"] == "airtime" for row in rows) and metered(node)["held"] == 0.0


def outbox(node: RadioNode) -> list[Json]:
    rows: list[Json] = []
    cursor = None
    while True:
        page = node.call("outbox.list", cursor=cursor)
        rows += page["messages"]
        cursor = page.get("cursor")
        if cursor is None:
            return rows


@pytest.mark.slow
@pytest.mark.timeout(900)
@pytest.mark.parametrize(("percent", "count"), [(0.1, 40), (1.0, 500)])
def test_a_flood_keeps_every_hour_and_loses_nothing(percent: float, count: int, tmp_path: Path) -> None:
    """Hours that the test lets pass, as soon as all waits for airtime; a crash in the middle."""
    limit = 36.0 * percent
    with ExitStack() as stack:
        air = stack.enter_context(Air(tmp_path / "air", "alice", "bob", "--scale", "20"))
        nodes = {name: RadioNode(tmp_path / name, port, announce_cap=100) for name, port in air.ports.items()}
        clock = "[test]\nclock = true\n"
        limited(tmp_path / "alice", f"limit_percent = {percent}\npeer_percent = 100\n{clock}")
        # Bob's hours do not pass so fast, and he must prove everything.
        limited(tmp_path / "bob", "enabled = false\n")
        for node in nodes.values():
            stack.callback(node.kill)
            node.spawn()
        for node in nodes.values():
            node.ready()
        alice, bob = nodes.values()
        hours: list[float] = []
        before = 0.0
        for n in range(count):
            alice.call("game.challenge", peer=bob.identity, app=("ttt", "chess", "four_in_a_row")[n % 3])
        for turn in range(60):
            until(lambda: dry(alice), "what has airtime is delivered", 120.0)
            settled(air)
            sent = sum(on_air(air, "alice").values())
            hours.append(sent - before)
            before = sent
            assert metered(alice)["used"] <= limit
            if not [row for row in outbox(alice) if row["waits_for"]]:
                break
            if turn == 1:
                alice.kill()
                alice.start()
                assert hours[-1] * 0.98 <= metered(alice)["used"] <= limit
                continue
            alice.call("test.clock", advance=3700.0)
        assert max(hours) <= limit
        rows = outbox(alice)
        assert len(rows) == count
        assert {row["state"] for row in rows} <= {"delivered", "confirmed"}
        assert len(hours) > 8


@pytest.mark.slow
@pytest.mark.timeout(300)
def test_as_a_client_of_another_program_what_is_submitted_is_counted(tmp_path: Path) -> None:
    """Alice's radio belongs to another process, whose Reticulum she uses."""
    with ExitStack() as stack:
        air = stack.enter_context(Air(tmp_path / "air", "alice", "bob", "--scale", "20"))
        shared = f"  instance_name = {tmp_path.name}\n  rpc_key = {'5a' * 16}\n"
        owner = RadioNode(tmp_path / "owner", air.ports["alice"], announce_cap=100)
        config = tmp_path / "owner" / "reticulum" / "config"
        config.write_text(
            config.read_text().replace("  share_instance = no\n", f"  share_instance = yes\n{shared}")
        )
        folder = tmp_path / "alice" / "reticulum"
        folder.mkdir(parents=True)
        (folder / "config").write_text(f"[reticulum]\n  share_instance = yes\n{shared}[interfaces]\n")
        alice = NodeProcess(tmp_path / "alice", "--rns-config", str(folder))
        with (tmp_path / "alice" / "lrgpnode.toml").open("a") as settings:
            settings.write('[airtime]\npreset = "reticulum"\nfrequency_mhz = 868.1\nregion = "EU868"\n')
        bob = RadioNode(tmp_path / "bob", air.ports["bob"], announce_cap=100)
        for node in (bob, owner, alice):
            stack.callback(node.kill)
            node.start()
        table = Table(alice, bob, "ttt", 60.0)
        table.accept()
        table.play(*"14253")
        table.check_ended("win", alice)
        settled(air)
        radio = metered(alice)
        assert not radio["metered"]
        assert radio["packets"] == []
        assert radio["limit"] == pytest.approx(36.0)
        purposes = {row["purpose"]: row["seconds"] for row in radio["purposes"]}
        messages = on_air(air, "alice")["message"]
        # The shared instance takes a header off, and that is not seen here.
        assert messages * 0.98 <= purposes["moves"] <= messages * 1.12
        assert purposes["announces"] > 0
