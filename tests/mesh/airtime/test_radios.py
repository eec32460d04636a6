"""Which radio a message goes out by, what is held for it, and what happens without one."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from lrgpnode.airtime import cost
from lrgpnode.airtime.budget import Purpose
from lrgpnode.airtime.modem import Modem
from lrgpnode.backup import contents
from lrgpnode.mesh.airtime.attached import _file_name
from lrgpnode.mesh.airtime.radios import NO_RADIO, NOT_VISIBLE, SHARED, Radios
from lrgpnode.mesh.airtime.settings import AirtimeSettings
from lrgpnode.mesh.floor import Moment
from lrgpnode.mesh.transport import Outgoing
from lrgpnode.protocol.game import Delivery
from tests.node.scenes import envelope

ME, HOUSE, NEIGHBOUR = "a" * 32, "c" * 32, "d" * 32
BY_RADIO, BY_WIRE, UNKNOWN, MAIL = "1" * 32, "2" * 32, "3" * 32, "4" * 32


class RNodeInterface:
    """As far as it is looked at."""

    ifac_identity = None

    def __init__(self, name: str, frequency: int = 868_100_000, sf: int = 8) -> None:
        self.name, self.frequency = name, frequency
        self.bandwidth, self.sf, self.cr = 125_000, sf, 5
        self.online = self.interface_ready = True

    def process_outgoing(self, data: bytes) -> None:
        """It is on the air."""


class TCPInterface:
    name = "wire"


class Machine:
    kind = "own"

    def __init__(self, path: Path) -> None:
        self.path = path
        self.boot = 1000.0
        self.jobs: list[Any] = []

    def moment(self) -> Moment:
        return Moment(self.boot, self.boot, "boot", True)

    def call(self, function: Any, *args: Any) -> None:
        self.jobs.append((function, args))

    def radios(self, **settings: Any) -> Radios:
        radios = Radios(
            AirtimeSettings(**({"region": "EU868"} | settings)),
            self.path,
            self,  # type: ignore[arg-type]
            self.moment,
            lambda: self.boot,
            local=(ME, NEIGHBOUR),
            stamped=lambda peer: False,
            mail_node=lambda: MAIL,
            house=lambda identity: identity == HOUSE,
        )
        radios.start(self)  # type: ignore[arg-type]
        return radios


@pytest.fixture
def machine(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Machine:
    """Two radios and a wire."""
    import RNS

    one, two, wire = RNodeInterface("one"), RNodeInterface("two", 869_525_000), TCPInterface()
    monkeypatch.setattr(RNS.Transport, "interfaces", [one, two, wire])
    table = {
        bytes.fromhex(peer): [0, b"", hops, 0, [], interface]
        for peer, hops, interface in ((BY_RADIO, 1, one), (BY_WIRE, 1, wire), (MAIL, 2, two))
    }
    monkeypatch.setattr(RNS.Transport, "add_interface", staticmethod(RNS.Transport.interfaces.append))
    monkeypatch.setattr(RNS.Transport, "path_table", table)
    monkeypatch.setattr(RNS.Transport, "transmit", staticmethod(lambda interface, raw: None))
    return Machine(tmp_path)


def message(peer: str, ref: int = 1, *, identity: str = ME, **more: Any) -> Outgoing:
    packed = envelope("ttt", "move", "f" * 16, {"i": 4, "b": "____X____", "t": peer})
    fields: dict[str, Any] = {"envelope": packed, "content": "text", "delivery": Delivery.OPPORTUNISTIC}
    return Outgoing(ref=ref, identity=identity, peer=peer, **(fields | more))


@pytest.mark.parametrize(
    ("peer", "via", "radio"),
    [
        (BY_RADIO, False, "one"),
        (BY_WIRE, False, ""),
        (NEIGHBOUR, False, ""),
        (UNKNOWN, False, "one+two"),
        (BY_WIRE, True, "two"),
    ],
)
def test_the_radio_by_the_next_hop(machine: Machine, peer: str, via: bool, radio: str) -> None:
    radios = machine.radios()
    sent = message(peer, via_propagation=via)
    assert radios.by(sent) == radio
    assert radios.ask(sent).granted
    held = {one.name for one in radios.report().radios if one.figures is not None and one.figures.held}
    assert held == set(filter(None, radio.split("+")))
    radios.ended(1)
    assert all(one.figures.held == 0.0 for one in radios.report().radios if one.figures is not None)


def test_each_radio_has_its_own_law(machine: Machine) -> None:
    one, two = machine.radios(region="EU868").report().radios
    assert one.figures is not None
    assert two.figures is not None
    assert (one.figures.limit, two.figures.limit) == (pytest.approx(36.0), pytest.approx(360.0))
    assert one.metered
    assert one.problem == ""


def test_a_message_that_fits_one_packet_is_held_with_what_lxmf_may_repeat(machine: Machine) -> None:
    radios = machine.radios()
    sent = message(BY_RADIO)
    radios.ask(sent)
    hop = cost.Hop(Modem(125_000, 8, 5), far=False)
    packed = cost.message_bytes(len(sent.envelope), 4)
    (held,) = [one.figures.held for one in radios.report().radios if one.figures and one.figures.held]
    assert held == pytest.approx(cost.opportunistic(hop, packed).most, abs=1e-5)


def test_refused_by_one_radio_nothing_is_held_on_the_other(machine: Machine) -> None:
    radios = machine.radios(peer=1.0)
    one = radios._radios[0].budget
    while one.ask("rest", _use(), 1.0).granted and one.spend(1.0, _use(), token="rest"):
        one.release("rest")
    one.release("rest")
    assert not radios.ask(message(UNKNOWN)).granted
    assert radios._radios[1].budget.figures().held == 0.0


def _use() -> Any:
    from lrgpnode.airtime.budget import Use

    return Use(Purpose.MOVES)


def test_what_plays_for_the_node_is_counted_apart(machine: Machine) -> None:
    radios = machine.radios()
    assert radios.ask(message(BY_RADIO, identity=HOUSE)).granted
    assert radios._radios[0].budget._held[1].use.purpose is Purpose.GATEWAY


def test_fetching_mail_by_radio_is_asked_for(machine: Machine) -> None:
    radios = machine.radios()
    assert radios.may_sync(ME, MAIL)
    assert radios._radios[1].budget.figures().held > 1.0
    radios.synced(ME)
    assert radios._radios[1].budget.figures().held == 0.0
    assert radios.may_sync(ME, BY_WIRE)


def test_without_a_radio_there_is_nothing(machine: Machine, monkeypatch: pytest.MonkeyPatch) -> None:
    import RNS

    monkeypatch.setattr(RNS.Transport, "interfaces", [TCPInterface()])
    radios = machine.radios()
    assert not radios.active
    assert radios.report().why == NO_RADIO


def test_of_another_program_only_with_parameters(machine: Machine, monkeypatch: pytest.MonkeyPatch) -> None:
    import RNS

    machine.kind = "client"
    assert machine.radios().report().why == NOT_VISIBLE
    monkeypatch.setattr(RNS.Reticulum, "get_instance", staticmethod(Asked))
    radios = machine.radios(modem=Modem(125_000, 8, 5), frequency=868_100_000, region="EU868")
    (radio,) = radios.report().radios
    assert (radio.name, radio.metered) == (SHARED, False)

    sent = message(BY_WIRE)
    assert radios.by(sent) == SHARED  # it is not known yet
    assert radios.ask(sent).granted
    assert radios.may_send(1)
    assert radios.may_send(1)
    used = radios.report().radios[0].figures
    assert used is not None
    assert 2 * 0.8 < used.used < 2 * 1.3
    radios.ended(1)
    assert radios._single == radios._owed == {}

    # What goes over a link is counted as a whole, at its end.
    assert radios.ask(message(BY_WIRE, 2, content="x" * 400)).granted
    before = radios._radios[0].budget.figures().used
    radios.ended(2)
    assert radios._radios[0].budget.figures().used > before + 2.0
    assert radios._radios[0].budget.figures().held == 0.0

    (function, args), *_ = machine.jobs
    function(*args)
    assert radios.by(sent) == ""


class Asked:
    def get_next_hop_if_name(self, destination: bytes) -> str:
        return "TCPInterface[wire]"


def test_what_was_used_is_known_after_a_restart(machine: Machine) -> None:
    radios = machine.radios()
    radios.ask(message(BY_RADIO))
    radios._radios[0].budget.spend(3.0, _use(), token=1)
    radios.stop()
    machine.boot += 100.0
    again = machine.radios().report().radios[0].figures
    assert again is not None
    assert again.used == pytest.approx(3.0)
    assert {path.name for path in machine.path.glob("airtime-*.json")} == {
        "airtime-one.json",
        "airtime-two.json",
    }


def test_a_radio_that_is_added_while_the_node_runs(machine: Machine) -> None:
    """It is metered from its first packet, and one that comes back has not forgotten what it sent."""
    import RNS

    radios = machine.radios()
    given_back: list[None] = []
    radios.on_released(lambda: given_back.append(None))
    late = RNodeInterface("late")
    RNS.Transport.add_interface(late)
    late.process_outgoing(bytes(200))
    before = next(one for one in radios.report().radios if one.name == "late").figures
    assert before.used == pytest.approx(Modem(125_000, 8, 5).packet_seconds(200), abs=1e-5)
    RNS.Transport.interfaces.remove(late)
    again = RNodeInterface("late")
    RNS.Transport.add_interface(again)
    RNS.Transport.add_interface(TCPInterface())
    again.process_outgoing(bytes(200))
    (after,) = (one for one in radios.report().radios if one.name == "late")
    assert after.figures.used == pytest.approx(2 * before.used)
    assert [one.name for one in radios.report().radios] == ["one", "two", "late"]
    # What goes out by it is planned.
    RNS.Transport.path_table[bytes.fromhex(BY_WIRE)][5] = again
    assert radios.by(message(BY_WIRE)) == "late"
    assert radios.ask(message(BY_WIRE)).granted
    radios.ended(1)
    assert given_back


def test_a_radio_that_comes_back_on_another_frequency(machine: Machine) -> None:
    """It has the limit of that, and what it used before counts."""
    import RNS

    radios = machine.radios()
    one = RNS.Transport.interfaces.pop(0)
    one.process_outgoing(bytes(200))
    before = next(radio for radio in radios.report().radios if radio.name == "one").figures
    RNS.Transport.add_interface(RNodeInterface("one", 869_525_000))
    (after,) = (radio.figures for radio in radios.report().radios if radio.name == "one")
    assert (before.limit, after.limit) == (pytest.approx(36.0), pytest.approx(360.0))
    assert after.used == pytest.approx(before.used, abs=1e-5)
    radios.stop()


def test_the_first_radio_comes_while_the_node_runs(machine: Machine, monkeypatch: pytest.MonkeyPatch) -> None:
    import RNS

    monkeypatch.setattr(RNS.Transport, "interfaces", [])
    monkeypatch.setattr(RNS.Transport, "add_interface", staticmethod(RNS.Transport.interfaces.append))
    radios = machine.radios()
    assert not radios.active
    late = RNodeInterface("late")
    RNS.Transport.add_interface(late)
    assert radios.active
    assert RNS.Transport.interfaces == [late]
    late.process_outgoing(bytes(200))
    assert radios.report().radios[0].figures.used > 0


def test_each_name_has_a_file_of_its_own() -> None:
    names = ["LoRa", "LoRa 2", "LoRa-2", "LoRa  2", "Süd", "S d", "…", "", "x" * 100, "x" * 101]
    files = [_file_name(name) for name in names]
    assert files[0] == "LoRa"
    assert len(set(files)) == len(names)
    assert all(contents.belongs(f"airtime-{file}.json") for file in files)


def test_how_long_a_move_takes(machine: Machine) -> None:
    radios = machine.radios()
    assert radios.way(NEIGHBOUR).move == 0.0
    by_radio, unknown = radios.way(BY_RADIO), radios.way(UNKNOWN)
    assert by_radio.move == pytest.approx(1.01 + 0.29 + 0.3, abs=0.02)
    assert by_radio.wait == 0.0
    assert unknown.move == pytest.approx(by_radio.move, abs=0.1)  # it may be further than one hop
    assert radios.way(MAIL).move == pytest.approx(2 * (by_radio.move - 0.3) + 0.3, abs=0.3)
    assert radios.way(BY_WIRE).move is None  # of which no bitrate is known
    TCPInterface.bitrate = 10_000_000  # type: ignore[attr-defined]
    try:
        assert radios.way(BY_WIRE).move == pytest.approx(0.3, abs=0.01)
    finally:
        del TCPInterface.bitrate  # type: ignore[attr-defined]
    assert all(one.figures.held == 0.0 for one in radios.report().radios if one.figures is not None)


def test_the_wait_for_airtime_is_known_without_taking_any(machine: Machine) -> None:
    radios = machine.radios()
    budget = radios._radios[0].budget
    while radios.way(BY_RADIO).wait == 0.0:
        assert budget.spend(1.0, _use())
        machine.boot += 1.0
    assert 60.0 < radios.way(BY_RADIO).wait <= 3700.0
    assert budget.figures().held == 0.0
