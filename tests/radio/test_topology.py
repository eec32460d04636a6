from __future__ import annotations

import tomllib
from pathlib import Path

import pytest
from hypothesis import given, strategies as st

from interfaces.radio.sim.links import Link
from interfaces.radio.sim.topology import Topology, TopologyError, all_in_range, in_a_line, load, parse

DOCS = Path(__file__).parents[2] / "docs" / "software-rnode.md"

NODES = "[nodes.a]\n[nodes.b]\n"


def read(text: str) -> Topology:
    return parse(tomllib.loads(text))


def test_without_links_everybody_hears_everybody() -> None:
    topology = read(NODES + "[nodes.c]\n")
    assert topology.links == all_in_range(["a", "b", "c"])
    assert len(topology.links) == 6
    assert (topology.seed, topology.scale, topology.capture) == (0, 1.0, None)


def test_a_line() -> None:
    assert set(in_a_line(["a", "b", "c"])) == {("a", "b"), ("b", "a"), ("b", "c"), ("c", "b")}


def test_links_both_ways_and_one_way() -> None:
    topology = read(
        NODES
        + "[nodes.c]\n"
        + '[[links]]\nbetween = ["a", "b"]\nloss = 0.5\n'
        + '[[links]]\nfrom = "b"\nto = "c"\nrssi = -100\nsnr = 3\n'
    )
    assert topology.links == {
        ("a", "b"): Link(loss=0.5),
        ("b", "a"): Link(loss=0.5),
        ("b", "c"): Link(rssi=-100, snr=3),
    }


def test_the_example_of_the_docs(tmp_path: Path) -> None:
    example = DOCS.read_text().split("```toml\n")[1].split("```")[0]
    (tmp_path / "village.toml").write_text(example)
    topology = load(tmp_path / "village.toml")
    alice, hill, bob = topology.nodes
    assert (alice.board.name, hill.board.name, hill.firmware) == ("heltec_v3", "rak4631", (1, 86))
    assert (alice.plugged, bob.plugged) == (True, False)
    assert topology.links["hill", "alice"] == Link(rssi=-95, loss=0.2)
    assert topology.links["hill", "bob"] == Link(rssi=-118, snr=-9.5)
    assert (topology.capture, topology.seed, len(topology.links)) == (6, 7, 3)


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("", "1 to 64 nodes, not 0"),
        ('[nodes."a/b"]\n', "'a/b' is no name"),
        (NODES + "speed = 1\n", "node b there is no 'speed'"),
        ("speed = 1\n" + NODES, "there is no 'speed'; known are capture_db"),
        ("scale = 0\n" + NODES, "scale must be between"),
        ("scale = true\n" + NODES, "scale must be a number"),
        ("seed = 1.5\n" + NODES, "seed must be a whole number"),
        ('[nodes.a]\nboard = "toaster"\n', "no board 'toaster'; there are heltec_v3"),
        ('[nodes.a]\nfirmware = "new"\n', "'new' is no firmware version"),
        ("[nodes.a]\nspreading_factor = 900\n", "does not fit"),
        ('nodes = "a"\n', "nodes must be a table"),
        (NODES + '[links]\nbetween = ["a", "b"]\n', r"written as \[\[links\]\]"),
        (NODES + '[[links]]\nbetween = ["a"]\n', "between"),
        (NODES + '[[links]]\nbetween = ["a", "b"]\nfrom = "a"\nto = "b"\n', "between"),
        (NODES + '[[links]]\nbetween = ["a", "a"]\n', "to itself"),
        (NODES + '[[links]]\nfrom = "a"\nto = "z"\n', "'z', and there is no such node"),
        (NODES + '[[links]]\nbetween = ["a", "b"]\nloss = 2\n', "loss of 2 is not possible"),
        (NODES + '[[links]]\nbetween = ["a", "b"]\nrssi = 10\n', "rssi of 10 dBm"),
        (NODES + '[[links]]\nbetween = ["a", "b"]\nsnr = nan\n', "snr of nan"),
        (NODES + '[[links]]\nbetween = ["a", "b"]\nweather = "fine"\n', "there is no 'weather'"),
    ],
)
def test_what_is_wrong_is_said(text: str, said: str) -> None:
    with pytest.raises(TopologyError, match=said):
        read(text)


def test_files_that_cannot_be_read(tmp_path: Path) -> None:
    with pytest.raises(TopologyError, match="cannot be read: No such file"):
        load(tmp_path / "none.toml")
    (tmp_path / "bad.toml").write_bytes(b"\xff\xfe")
    with pytest.raises(TopologyError, match="is not TOML"):
        load(tmp_path / "bad.toml")
    (tmp_path / "huge.toml").write_text("#" * 1_000_001)
    with pytest.raises(TopologyError, match="too large"):
        load(tmp_path / "huge.toml")


VALUES = st.recursive(
    st.one_of(st.none(), st.booleans(), st.integers(), st.floats(), st.text(max_size=5)),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=5), inner, max_size=3),
    max_leaves=8,
)


@given(
    st.dictionaries(st.sampled_from(["seed", "scale", "capture_db", "nodes", "links", "x"]), VALUES),
    st.dictionaries(st.sampled_from(["between", "from", "to", "rssi", "loss", "up"]), VALUES),
)
def test_anything_is_a_topology_or_said_to_be_none(
    content: dict[str, object], link: dict[str, object]
) -> None:
    for whole in (content, {"nodes": {"a": {}, "b": {}}, "links": [link]}):
        try:
            parse(whole)
        except TopologyError as error:
            assert str(error)
