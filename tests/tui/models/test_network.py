"""Links, radios, mail, announces, the outbox and the log in words."""

from __future__ import annotations

from typing import Any

import msgspec
import pytest

from interfaces.tui.models import announces, log, mail, outbox
from interfaces.tui.models.facts import Fact, Part
from interfaces.tui.models.links import links
from lrgpnode.control import models
from tests.cli.fakes import ID, ME, PEER, STATUS
from tests.cli.test_radio_status import BUDGET, RADIO

NOW = 10_000.0
NODE = "d4" * 16
NAMES = {ME: "Ann"}


def built(model: msgspec.Struct) -> dict[str, Any]:
    found: dict[str, Any] = msgspec.to_builtins(model)
    return found


def said(parts: tuple[Part, ...]) -> dict[str, dict[str, str]]:
    return {part.title: {fact.name or fact.value: fact.value for fact in part.facts} for part in parts}


def status(*interfaces: models.InterfaceInfo, **more: Any) -> dict[str, Any]:
    fields = {"interfaces": interfaces, "shared_instance": False, "problems": (), **more}
    return built(msgspec.structs.replace(STATUS, **fields))


def radios(*found: models.RadioInfo, **more: Any) -> dict[str, Any]:
    return built(models.RadioStatus(**{"instance": "own", "radios": found, **more}))


def airtime(*found: models.RadioAirtime, **more: Any) -> dict[str, Any]:
    return built(models.Airtime(radios=found, **more))


LORA = models.InterfaceInfo(name="LoRa", online=True, kind="RNodeInterface")


def test_a_radio_with_all_its_figures() -> None:
    tcp = models.InterfaceInfo(name="Hub", online=False, kind="TCPClientInterface")
    parts = links(status(LORA, tcp), radios(RADIO), airtime(BUDGET, waiting=2, next_at=NOW + 300), NOW)
    found = said(parts)
    assert list(found) == [
        "2 interfaces",
        "LoRa: online for 2h, radio",
        "Hub: offline, TCPClientInterface",
    ]
    radio = found["LoRa: online for 2h, radio"]
    assert radio["frequency"] == "867.2 MHz, 14 dBm"
    assert radio["modulation"] == "SF8 BW125 CR4/5, 3125 bit/s"
    assert radio["heard"] == "RSSI -97 dBm, SNR 6.25 dB, just now (3 packets)"
    assert radio["noise floor"] == "-112 dBm, now -111 dBm"
    assert radio["channel load"] == "2.84 % of the hour, now 1.2 %"
    assert radio["airtime"] == "11.2 of 36.0 s an hour, 21.8 s left"
    assert radio["law"] == "EU868, 1 %"
    assert radio["port"] == "/dev/ttyACM0"
    assert radio["used for"] == "games 6.1 s"
    assert found["2 interfaces"]["held back"] == "2 wait for airtime, the first goes in 5 minutes"
    shares = {fact.name: fact.share for fact in parts[1].facts}
    assert shares["airtime"] == pytest.approx(11.2 / 36)
    assert shares["channel load"] == pytest.approx(0.0284)


def test_a_radio_in_trouble_says_why_and_what_to_do() -> None:
    trouble = models.TroubleInfo(id="radio-hung", cause="It does not answer.", fix="Press reset.")
    down = msgspec.structs.replace(RADIO, state="failed", trouble=trouble, port=None)
    (_, radio) = links(status(), radios(down), airtime(), NOW)
    assert radio.title == "LoRa: failed for 2h, radio"
    assert [fact.value for fact in radio.facts] == ["It does not answer.", "Press reset."]
    assert radio.facts[0].role == "bad"


def test_of_the_radio_of_another_program_not_everything_is_seen() -> None:
    bare = models.RadioInfo(name="LoRa", kind="RNodeInterface", state="online")
    other = models.RadioAirtime(name="radio", metered=False, law="no law", used=3.0)
    last = models.LastPacketInfo(rssi=-90, snr=None, at=NOW - 90)
    parts = links(
        status(shared_instance=True),
        radios(bare, instance="client", last=last),
        airtime(other, why="So."),
        NOW,
    )
    found = said(parts)
    assert found["0 interfaces, of another program"]["for us"] == "RSSI -90 dBm, SNR ? dB, 1min ago"
    assert "So." in found["0 interfaces, of another program"]
    assert found["LoRa: online, radio"]["frequency"] == "not visible through another program"
    assert found["LoRa: online, radio"]["heard"] == "not visible through another program"
    assert found["radio"]["airtime"] == "3.0 s used this hour by this node, no limit"


def test_a_node_that_reaches_nobody_says_so() -> None:
    (part,) = links(status(problems=("The disk is full.",)), radios(), airtime(), NOW)
    assert [fact.value for fact in part.facts] == [
        "The disk is full.",
        "Nobody can be reached: Reticulum has no interface here.",
    ]
    assert links(None, None, None, NOW)[0].title == "Loading."


def propagation(*nodes: models.PropagationNode, **more: Any) -> dict[str, Any]:
    fields = {"current": "", "auto": True, "nodes": nodes, "identities": (), "uploads": 0, **more}
    return built(models.PropagationStatus(**fields))


def node(**more: Any) -> models.PropagationNode:
    fields = {"hash": NODE, "name": "Hill", "source": "added", "current": False, **more}
    return models.PropagationNode(**fields)


def values(facts: tuple[Fact, ...]) -> list[tuple[str, str]]:
    return [(fact.name, fact.value) for fact in facts]


def test_mail_says_when_it_was_fetched_and_what_went_wrong() -> None:
    fetched = models.MailOfIdentity(identity=ME, fetched_at=NOW - 600, received=3, state="done")
    failed = models.MailOfIdentity(identity=PEER, state="failed", reason="no path")
    seen = propagation(node(current=True), identities=(fetched, failed), next_sync=NOW + 1800, uploads=1)
    facts = mail.about(seen, NAMES, NOW)
    assert values(facts) == [
        ("used now", "Hill (d4d4d4d4)"),
        ("last sync", "Ann: 10min ago, 3 received"),
        ("last sync", "b2b2b2b2: failed (no path); never"),
        ("next sync", "in 30 minutes"),
        ("uploads", "1 on their way to a node"),
    ]
    assert [fact.role for fact in facts[1:3]] == ["text", "bad"]


def test_without_a_propagation_node_it_says_what_that_means() -> None:
    (first,) = mail.about(propagation(), NAMES, NOW)
    assert "one that is heard is used" in first.value
    (first,) = mail.about(propagation(auto=False), NAMES, NOW)
    assert "add one with a" in first.value
    assert values(mail.about(None, NAMES, NOW)) == [("", "Loading.")]


def test_propagation_nodes_in_their_order() -> None:
    heard = node(source="heard", heard_at=NOW - 7200, hops=1, stamp_cost=16)
    bad = node(failures=2, reason="no path", enabled=False)
    first, second = mail.nodes(propagation(heard, bad), NOW)
    assert (first.source, first.note, first.trouble) == ("heard", "heard 2h ago, 1 hop; stamp 16", False)
    assert (second.note, second.trouble) == ("failed 2x: no path; says it is off; never heard", True)


def entry(**more: Any) -> dict[str, Any]:
    fields = {"outbox_id": 9, "id": ID, "identity": ME, "peer": PEER, "command": "move", "state": "queued"}
    fields |= {"created_at": NOW - 120, "updated_at": NOW, "attempts": 0, "peer_name": "Bob"}
    return fields | more


def test_what_is_on_its_way_and_why_it_waits() -> None:
    page = {
        "messages": [
            entry(waits_for="airtime", next_attempt_at=NOW + 60),
            entry(outbox_id=10, state="failed", reason="no proof", attempts=3, next_attempt_at=NOW + 7200),
            entry(outbox_id=11, state="delivered", attempts=1, command="resign"),
        ]
    }
    rows = outbox.sending(page, NOW)
    assert [row.about for row in rows] == [
        "Your move to Bob (b2b2b2b2): waits; waits for airtime; again in 1 minute",
        "Your move to Bob (b2b2b2b2): not delivered; no proof; sent 3 times; again in 2 hours",
        "Your resignation to Bob (b2b2b2b2): delivered, not answered yet",
    ]
    assert [(row.short, row.trouble, row.age) for row in rows] == [
        ("waits for airtime", False, "2min"),
        ("not delivered", True, "2min"),
        ("delivered, not answered yet", False, "2min"),
    ]
    assert outbox.summary(rows) == "2 not there yet, 1 delivered and not answered"
    assert "Nothing is on its way" in outbox.summary(())
    assert outbox.sending(None, NOW) == ()


def test_a_state_that_is_not_known_is_shown_as_it_is() -> None:
    (row,) = outbox.sending({"messages": [entry(state="pondering", waits_for="rain")]}, NOW)
    assert (row.state, row.short) == ("queued", "rain")
    assert row.about.endswith("pondering; rain")


def peer(hash: str, **more: Any) -> dict[str, Any]:
    fields = {
        "peer": hash * 16,
        "name": "",
        "hops": 1,
        "interface": "LoRa",
        "heard_at": NOW - 100,
        "games": None,
    }
    return fields | more


def test_who_was_heard_last_comes_first() -> None:
    found = announces.heard(
        [peer("c1"), peer("c2", heard_at=NOW - 5, name="Cy", games=True, hops=3), peer("a1")], NOW, [ME]
    )
    assert [one.about for one in found] == [
        "Cy: heard just now, 3 hops on LoRa; plays",
        "c1c1c1c1: heard 1min ago, 1 hop on LoRa; does not say whether it plays",
    ]
    (one,) = announces.heard([peer("c1", games=False, contact="Carl", blocked=True)], NOW)
    assert one.about == "Carl: heard 1min ago, 1 hop on LoRa; does not play; a contact; blocked"
    records = {"c1" * 16: {"won": 3, "drawn": 1, "lost": 2}}
    (one,) = announces.heard([peer("c1", games=True)], NOW, (), records)
    assert one.about.endswith("plays; won 3, drawn 1, lost 2")


def test_what_is_held_back_on_a_radio_is_said(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(announces, "clock", lambda at: f"T{at:.0f}")
    held = [
        {"identity": ME, "interface": "LoRa", "until": NOW + 9},
        {"identity": ME, "interface": "X", "until": NOW},
    ]
    facts = announces.own({"name": "Ann", "announced_at": NOW - 3600}, held, NAMES, NOW)
    assert values(facts) == [("announced", "Ann: 1h ago"), ("held back", "Ann on LoRa until T10009")]
    both = {"identities": [ME, PEER], "held": held}
    assert announces.announced(both, NOW) == (
        "2 identities announced; by LoRa, which is slow, 1 not before T10009."
    )
    assert announces.announced({"identities": [], "held": held}, NOW) == (
        "Not before T10009: by LoRa, which is slow, once an hour is enough."
    )
    assert announces.announced({"identities": [ME]}, NOW) == "1 identity announced."
    assert announces.announced({"identities": []}, NOW) == "There is nobody to announce."
    assert values(announces.own({"name": "Ann", "enabled": False}, [], NAMES, NOW)) == [
        ("announced", "Ann (off the mesh): not yet")
    ]


def test_log_lines_and_tracebacks() -> None:
    kept = [
        {"at": NOW, "level": "error", "text": "it broke\n  File x"},
        {"at": NOW, "level": "odd", "text": "?"},
    ]
    (role, head, first), more, odd = log.lines(kept)
    assert (role, first, head[-2:]) == ("bad", "it broke", " E")
    assert more == ("bad", "", "  File x")
    assert odd[0] == "text"
    short = next(iter(log.lines(kept, seconds=False)))
    assert len(short[1]) == len("02:46 E")
