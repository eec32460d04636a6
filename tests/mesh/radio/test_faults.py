"""A node and its radio: every fault is named, the node stays up, and the radio comes back by itself."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import ExitStack
from pathlib import Path

import pytest

from tests.e2e.nodes import NodeProcess, until
from tests.mesh.radio.board import AVR, Board
from tests.mesh.radio.nodes import COME_BACK, radio, radio_node, section, trouble, wait_for

pytestmark = pytest.mark.node

PANIC = "share_instance = No\npanic_on_interface_error = Yes"
FAULTS = {
    "Absent": "radio-absent",
    "Mute": "radio-silent",
    "Old": "radio-firmware",
    "Factor": "radio-parameters",
    "Power": "radio-power",
    "Faulty": "radio-hardware",
}


@pytest.fixture
def stack() -> Iterator[ExitStack]:
    with ExitStack() as stack:
        yield stack


@pytest.fixture
def board(tmp_path: Path, stack: ExitStack) -> Board:
    return stack.enter_context(Board(tmp_path / "ttyRadio"))


def start(stack: ExitStack, board: Board, general: str = PANIC, **options: object) -> NodeProcess:
    node = radio_node(board.link.parent / "node", section(board.link, **options), general=general)
    return stack.enter_context(node)


def test_every_fault_is_named_and_gone_when_it_is_mended(tmp_path: Path, stack: ExitStack) -> None:
    boards = {
        name: stack.enter_context(Board(tmp_path / f"tty{name}", plugged=name != "Absent"))
        for name in (*FAULTS, "Good")
    }
    boards["Mute"].mute = True
    boards["Old"].firmware = (1, 51)
    boards["Factor"].echo[0x04] = b"\x09"
    node = radio_node(
        tmp_path / "node",
        *(section(board.link, name, txpower=20 if name == "Power" else 14) for name, board in boards.items()),
        section("/dev/nothing", "Wrong", spreadingfactor=13),
        section("/dev/nothing", "Typo", frequency="868,1 MHz"),
        section("/dev/nothing", "Bare", bandwidth=None),
        general=PANIC,
    )
    stack.enter_context(node)
    for name in ("Good", "Faulty"):
        wait_for(node, "online", name)
    # The board says so once its radio is on, as one does whose chip has failed.
    boards["Faulty"].say(0x90, b"\x02")
    for name, fault in FAULTS.items():
        seen = wait_for(node, fault, name)
        assert name in seen["trouble"]["cause"], seen
    assert "1.51; Reticulum needs 1.52" in radio(node, "Old")["trouble"]["cause"]
    assert "spreading factor 8 became 9" in radio(node, "Factor")["trouble"]["cause"]
    assert "17 dBm at most, and its section asks for 20" in radio(node, "Power")["trouble"]["cause"]
    for name, said in {
        "Wrong": "`spreadingfactor = 13` is not between 5 and 12",
        "Typo": "`frequency = 868, 1 MHz` is not a number",
        "Bare": "no `bandwidth`",
    }.items():
        assert (radio(node, name)["state"], trouble(node, name)) == ("failed", "radio-section")
        assert said in radio(node, name)["trouble"]["cause"]
    # Status and log say the same, the log once however often the driver has tried.
    shown = {one["name"]: one.get("trouble") for one in node.call("node.status")["interfaces"]}
    assert (shown["Old"] or {})["id"] == "radio-firmware"
    assert shown["Good"] is None
    boards["Absent"].plug()
    boards["Mute"].mute = False
    boards["Old"].firmware = (1, 52)
    boards["Factor"].echo.clear()
    boards["Power"].power_limit = 22
    for name in boards:
        wait_for(node, "online", name)
    for words in ("firmware 1.51;", "became 9.", "17 dBm at most", "is not plugged in"):
        assert node.log.count(words) == 1, words
    assert node.stop() == 0


@pytest.mark.slow
def test_a_board_that_hangs_is_noticed_and_opened_anew(stack: ExitStack, board: Board) -> None:
    node = start(stack, board)
    wait_for(node, "online")
    board.hung = True
    event = node.events.wait("radio.changed", deadline=COME_BACK, up=False)
    assert event["trouble"]["id"] == "radio-hung"
    assert radio(node)["state"] == "offline"
    board.hung = False
    assert wait_for(node, "online")["reopened"] == 1
    assert node.log.count("does not answer any more") == 1


@pytest.mark.slow
def test_a_board_without_statistics_is_asked(stack: ExitStack, board: Board) -> None:
    board.platform, board.statistics = AVR, False
    node = start(stack, board)
    wait_for(node, "online")
    asked = len(board.asked)
    until(lambda: board.asked[asked:].count((0x08, b"\x73")) >= 4, "it is asked again and again", COME_BACK)
    assert (radio(node)["state"], radio(node)["reopened"]) == ("online", 0)
    board.mute = True
    assert wait_for(node, "radio-hung")["reopened"] == 1
    board.mute = False
    wait_for(node, "online")


@pytest.mark.slow
def test_a_board_that_restarted_with_its_port_open_is_switched_on_again(
    stack: ExitStack, board: Board
) -> None:
    """What the driver takes no notice of on nRF52 boards: it would stay online with the radio off."""
    node = start(stack, board)
    wait_for(node, "online")
    board.restart()
    assert (
        node.events.wait("radio.changed", deadline=COME_BACK, up=False)["trouble"]["id"] == "radio-restarted"
    )
    wait_for(node, "online")
    assert board.radio_on


@pytest.mark.slow
def test_a_message_goes_through_after_the_radio_was_away(tmp_path: Path, stack: ExitStack) -> None:
    ours = stack.enter_context(Board(tmp_path / "ttyA"))
    theirs = stack.enter_context(Board(tmp_path / "ttyB"))
    ours.join(theirs)
    alice = stack.enter_context(radio_node(tmp_path / "alice", section(ours.link)))
    bob = stack.enter_context(radio_node(tmp_path / "bob", section(theirs.link)))
    for node in (alice, bob):
        wait_for(node, "online")
        node.call("node.announce")
    alice.hears(bob)
    bob.hears(alice)
    heard = radio(alice)["heard"]
    assert (heard["rssi"], heard["snr"]) == (-70, 9.5)
    ours.unplug()
    wait_for(alice, "radio-absent")
    game = alice.call("game.challenge", peer=bob.identity, app="ttt")["id"]
    ours.plug()
    wait_for(alice, "online")
    until(lambda: bob.game(game), "the challenge arrives", COME_BACK)
    theirs.hung = True
    wait_for(bob, "radio-hung")
    bob.call("game.accept", id=game)
    theirs.hung = False
    wait_for(bob, "online")
    until(lambda: (alice.game(game) or {}).get("status") == "active", "the answer arrives", 120)
