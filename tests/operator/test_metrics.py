"""Metrics of a real node: well-formed, bounded, and right."""

from __future__ import annotations

import itertools
import re
from pathlib import Path
from typing import Any

import pytest

from tests.e2e.nodes import ROOT, NodeProcess, free_port, until
from tests.e2e.table import Table
from tests.operator.conftest import Command

pytestmark = pytest.mark.node

_NAME = r"[a-zA-Z_:][a-zA-Z0-9_:]*"
_SAMPLE = re.compile(rf"({_NAME})(?:\{{(.*)\}})? (\S+)")
_LABEL = re.compile(r'([a-zA-Z_][a-zA-Z0-9_]*)="((?:[^"\\\n]|\\["\\n])*)"(?:,|$)')

Samples = dict[tuple[str, tuple[tuple[str, str], ...]], float]


def parse(text: str) -> tuple[dict[str, str], Samples]:
    """The text format as its specification says, strictly: (types by family, values by series)."""
    assert text.endswith("\n")
    types: dict[str, str] = {}
    samples: Samples = {}
    helped: str | None = None
    for line in text.splitlines():
        if line.startswith("# HELP "):
            helped = line.split(" ", 3)[2]
            assert helped not in types, "a family comes once"
        elif line.startswith("# TYPE "):
            _, _, name, kind = line.split(" ")
            assert name == helped
            assert kind in ("counter", "gauge", "histogram")
            types[name] = kind
        else:
            match = _SAMPLE.fullmatch(line)
            assert match is not None, line
            name, inside, value = match.groups()
            family = list(types)[-1]
            endings = ("_bucket", "_sum", "_count") if types[family] == "histogram" else ("",)
            assert name in [family + ending for ending in endings], line
            labels = tuple(_LABEL.findall(inside or ""))
            assert _LABEL.sub("", inside or "") == ""
            assert (name, labels) not in samples, "a series comes once"
            samples[name, labels] = float(value)
            assert types[family] != "counter" or (name.endswith("_total") and samples[name, labels] >= 0)
    for family in (name for name, kind in types.items() if kind == "histogram"):
        _check_histogram(family, samples)
    return types, samples


def _check_histogram(name: str, samples: Samples) -> None:
    buckets = [(dict(labels)["le"], n) for (one, labels), n in samples.items() if one == f"{name}_bucket"]
    assert buckets[-1][0] == "+Inf"
    bounds = [float(bound) for bound, _ in buckets]
    assert bounds == sorted(bounds)
    assert all(later >= earlier for (_, earlier), (_, later) in itertools.pairwise(buckets))
    assert buckets[-1][1] == samples[f"{name}_count", ()]


def of(samples: Samples, name: str, **labels: str) -> float:
    return samples[name, tuple(labels.items())]


def test_the_text_is_what_prometheus_reads(node: NodeProcess, command: Command) -> None:
    ran = command("metrics")
    assert ran.code == 0, ran.err
    types, samples = parse(ran.out)
    assert of(samples, "lrgpnode_identities") == len(node.call("identity.list")["identities"])
    assert of(samples, "lrgpnode_interfaces", state="online") == 1
    assert of(samples, "lrgpnode_outbox", state="queued") == 0
    assert ("lrgpnode_outbox_oldest_unsent_seconds", ()) not in samples
    assert of(samples, "lrgpnode_database_bytes") == node.database.stat().st_size
    assert of(samples, "process_resident_memory_bytes") > 10_000_000
    assert of(samples, "lrgpnode_log_lines_total", level="info") >= 2
    assert of(samples, "lrgpnode_database_write_seconds_count") >= 0
    assert types["lrgpnode_reticulum_bytes_total"] == "counter"
    # Every label has a closed set of values: their number is known before anything has happened.
    assert len(samples) < 130


def test_a_challenge_that_nobody_gets(node: NodeProcess, command: Command) -> None:
    before = parse(command("metrics").out)[1]
    node.call("game.challenge", peer="ab" * 16, app="ttt")
    samples = parse(command("metrics").out)[1]
    assert of(samples, "lrgpnode_sessions", status="pending") == 1
    assert of(samples, "lrgpnode_outbox", state="queued") == 1
    assert 0 <= of(samples, "lrgpnode_outbox_oldest_unsent_seconds") < 60
    name = "lrgpnode_actions_own_total"
    assert of(samples, name, command="challenge") - of(before, name, command="challenge") == 1
    name = "lrgpnode_database_write_seconds_count"
    assert of(samples, name) > of(before, name)
    assert of(samples, "lrgpnode_last_activity_timestamp_seconds", activity="written") > 1.7e9
    status = command("status", "--json").json
    assert (status["unsent"], status["live_games"]) == (1, 1)
    assert status["oldest_unsent_at"] <= status["activity"]["written_at"]
    assert "1 on their way, the oldest for " in command("status").out


def test_the_text_file(node: NodeProcess, command: Command, tmp_path: Path) -> None:
    file = tmp_path / "lrgpnode.prom"
    file.write_text("old")
    ran = command("metrics", "--textfile", str(file))
    assert (ran.code, ran.out) == (0, "")
    parse(file.read_text())
    assert file.stat().st_mode & 0o777 == 0o644
    assert list(tmp_path.iterdir()) == [file]
    ran = command("metrics", "--textfile", str(tmp_path / "none" / "x"))
    assert ran.code == 1
    assert "Cannot write" in ran.err


def test_every_metric_is_documented(node: NodeProcess) -> None:
    def row(family: dict[str, Any]) -> str:
        labels = sorted({label for one in family["samples"] for label in one.get("labels", ())} - {"le"})
        return f"| `{family['name']}` | {family['type']} | {', '.join(labels)} | {family['help']} |"

    expected = [row(family) for family in node.call("node.metrics")["families"]]
    page = (ROOT / "docs" / "metrics.md").read_text().splitlines()
    assert [line for line in page if line.startswith("| `")] == expected


def test_a_game_is_counted_on_both_sides(tmp_path: Path) -> None:
    endpoint = f"127.0.0.1:{free_port()}"
    with (
        NodeProcess(tmp_path / "a", "--listen", endpoint) as a,
        NodeProcess(tmp_path / "b", "--connect", endpoint) as b,
    ):
        a.hears(b)
        b.hears(a)
        quiet = a.call("node.log")["number"]
        table = Table(a, b, "ttt")
        table.accept()
        table.act(a, "move", move="5")
        table.act(b, "resign")
        # Nothing that a peer sends is a line of the log, at the level of every day.
        assert a.call("node.log", after=quiet)["lines"] == []
        samples = _samples(a)
        for command in ("accept", "resign"):
            assert of(samples, "lrgpnode_actions_peer_total", command=command) == 1
        assert of(samples, "lrgpnode_actions_own_total", command="move") == 1
        assert of(samples, "lrgpnode_messages_received_total", kind="lrgp") == 2
        assert of(samples, "lrgpnode_envelope_bytes_received_total") > 60
        assert of(samples, "lrgpnode_games_ended_total", status="completed") == 1
        assert of(samples, "lrgpnode_sessions", status="active") == 0
        assert of(samples, "lrgpnode_announces_heard_total") >= 1
        name = "lrgpnode_reticulum_bytes_total"
        # Reticulum counts once a second.
        until(lambda: of(_samples(a), name, direction="in") > 300, "the bytes are counted")
        assert of(samples, "lrgpnode_inbox_entries") == 0
        name = "lrgpnode_send_attempts_total"
        until(lambda: of(_samples(a), name, progress="delivered") == 2, "the proofs have come")
        activity = a.call("node.status")["activity"]
        assert None not in activity.values()
        assert activity["sent_at"] <= activity["delivered_at"]


def _samples(node: NodeProcess) -> Samples:
    families = node.call("node.metrics")["families"]
    return {
        (one["name"], tuple(one.get("labels", {}).items())): one["value"]
        for family in families
        for one in family["samples"]
    }
