"""`lrgpnode radio status` and `check` on software RNodes: each fault is named, recovered from, played on."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from contextlib import ExitStack
from pathlib import Path

import pytest

from tests.e2e.nodes import ROOT, Json, until
from tests.e2e.table import Table
from tests.radio.air import Air, RadioNode
from tests.radio.conftest import Start

pytestmark = [pytest.mark.node, pytest.mark.slow]

PATIENCE = 90.0
"""Hung is noticed after 16 s and bringing up takes 8; a busy machine is several times slower."""


def command(node: RadioNode, *words: str) -> subprocess.Popen[str]:
    program = Path(sys.executable).with_name("lrgpnode")
    return subprocess.Popen(
        [str(program), "--data", str(node.data), "--socket", str(node.socket), *words],
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        env=os.environ | {"PYTHONPATH": str(ROOT), "HOME": str(node.data)},
    )


def said(node: RadioNode, *words: str) -> str:
    out, err = command(node, *words).communicate(timeout=PATIENCE)
    assert not err, err
    return out


def radio(node: RadioNode) -> Json:
    found: Json
    (found,) = node.call("radio.status")["radios"]
    return found


def has(node: RadioNode, state: str) -> Json:
    """Until the radio is online, or has this trouble."""

    def there() -> bool:
        assert node.process is not None
        assert node.process.poll() is None, node.log
        seen = radio(node)
        return seen["state"] == "online" if state == "online" else (seen["trouble"] or {}).get("id") == state

    until(there, f"{node.name}: {state}", PATIENCE)
    return radio(node)


@pytest.mark.timeout(600)
def test_a_game_goes_on_after_every_fault(start: Start) -> None:
    air, nodes = start("alice", "bob")
    alice, bob = nodes.values()
    table = Table(alice, bob, "ttt", PATIENCE)
    table.accept()
    table.play("1", "4")
    # It hangs in the middle of the game.
    air.tell("hang alice on")
    assert "does not answer any more" in has(alice, "radio-hung")["trouble"]["cause"]
    assert "does not answer any more" in said(alice, "radio", "status")
    air.tell("hang alice off")
    has(alice, "online")
    table.play("2")
    # It comes back with another spreading factor than it was told.
    air.tell("sf bob 9")
    air.tell("unplug bob")
    has(bob, "radio-absent")
    air.tell("plug bob")
    assert "spreading factor 8 became 9" in has(bob, "radio-parameters")["trouble"]["cause"]
    air.tell("sf bob off")
    has(bob, "online")
    table.play("5")
    # It is there and says nothing.
    air.tell("mute alice on")
    air.tell("unplug alice")
    air.tell("plug alice")
    until(lambda: radio(alice)["state"] != "online", "alice has lost her radio", PATIENCE)
    has(alice, "radio-silent")
    air.tell("mute alice off")
    has(alice, "online")
    table.play("3")
    table.check_ended("win", alice)
    shown = said(alice, "radio", "status")
    assert "868.1 MHz, 125 kHz, SF8, CR 4/5" in shown
    assert "RSSI -80 dBm" in shown
    seen = radio(alice)
    assert seen["heard"]["packets"] > 0
    assert seen["airtime_long"] > 0


@pytest.mark.timeout(300)
def test_faults_from_the_start(tmp_path: Path) -> None:
    topology = tmp_path / "air.toml"
    topology.write_text(
        '[nodes.absent]\nplugged = false\n[nodes.old]\nfirmware = "1.45"\n'
        "[nodes.strong]\n[nodes.dead]\ndead_radio = true\n"
    )
    with ExitStack() as stack:
        air = stack.enter_context(Air(tmp_path / "air", "--topology", str(topology), "--scale", "10"))
        options = {name: {"txpower": 30} if name == "strong" else {} for name in air.ports}
        nodes = {name: RadioNode(tmp_path / name, air.ports[name], **options[name]) for name in air.ports}
        for node in nodes.values():
            # One after the other: at once they would take longer than a node may.
            stack.enter_context(node)
        assert "1.45; Reticulum needs 1.52" in has(nodes["old"], "radio-firmware")["trouble"]["cause"]
        assert "its section asks for 30 dBm" in has(nodes["strong"], "radio-power")["trouble"]["cause"]
        assert "start its radio chip" in has(nodes["dead"], "radio-hardware")["trouble"]["cause"]
        has(nodes["absent"], "radio-absent")
        doctor = command(nodes["old"], "doctor", "--json")
        found = json.loads(doctor.communicate(timeout=PATIENCE)[0])["findings"]
        assert "radio-firmware" in {one["id"] for one in found if one["severity"] == "error"}
        assert doctor.returncode == 1
        assert "is not plugged in" in said(nodes["absent"], "status")
        air.tell("plug absent")
        has(nodes["absent"], "online")
        for node in nodes.values():
            assert node.stop() == 0


@pytest.mark.timeout(300)
def test_a_check(tmp_path: Path) -> None:
    """Somebody who is heard, one whose frequency is a little off, and nobody."""
    with ExitStack() as stack:
        air = stack.enter_context(Air(tmp_path / "air", "alice", "bob", "carol", "--scale", "10"))
        frequencies = {"alice": 868_100_000, "bob": 868_100_000, "carol": 868_150_000}
        nodes = {
            name: RadioNode(tmp_path / name, air.ports[name], frequency=hertz)
            for name, hertz in frequencies.items()
        }
        for node in nodes.values():
            # Announced when the test says so.
            settings = '[announce]\ninterval_minutes = 0\n[accept]\nfrom = "open"\n'
            (node.data / "lrgpnode.toml").write_text(settings)
            stack.enter_context(node)
            has(node, "online")
        alice, bob, carol = nodes.values()
        # Nobody sends.
        check = command(alice, "radio", "check", "--minutes", "0.05")
        out, _ = check.communicate(timeout=PATIENCE)
        assert check.returncode == 1
        assert "nothing was heard" in out
        assert "868.1 MHz, 125 kHz, SF8" in out
        # Carol hears that alice and bob send, and cannot read it; bob reads alice.
        listeners = {
            node: command(node, "radio", "check", "--minutes", minutes, "--json")
            for node, minutes in ((bob, "2"), (carol, "0.5"))
        }
        for listener in listeners.values():
            assert listener.stderr is not None
            assert "Listening with Radio" in listener.stderr.readline()
        for node in (alice, bob):
            node.call("node.announce")
        alice.hears(bob)
        bob.hears(alice)
        table = Table(alice, bob, "ttt", PATIENCE)
        table.accept()
        table.play(*"14253")
        results = {}
        for node, listener in listeners.items():
            out, _ = listener.communicate(timeout=PATIENCE)
            results[node.name] = json.loads(out)["radios"][0], listener.returncode
        heard, code = results["bob"]
        assert (heard["verdict"], code) == ("heard", 0)
        assert heard["radio"]["heard"]["rssi"] == -80
        unread, code = results["carol"]
        assert (unread["verdict"], code, unread["packets"]) == ("unreadable", 1, 0)
