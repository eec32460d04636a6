"""The topology file: which nodes there are, who hears whom and how well; see docs/software-rnode.md."""

from __future__ import annotations

import re
import tomllib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, fields
from itertools import pairwise, permutations
from pathlib import Path
from typing import Any, Final

from interfaces.radio.sim.boards import BOARDS, DEFAULT_BOARD, Board
from interfaces.radio.sim.faults import Faults
from interfaces.radio.sim.links import Link
from lrgpnode.protocol.value import Value

MOST_NODES: Final = 64
MOST_BYTES: Final = 1_000_000
_NAME: Final = re.compile(r"[A-Za-z0-9_-]{1,32}")


class TopologyError(ValueError):
    """What is wrong with a topology, in a sentence."""


@dataclass(frozen=True, slots=True, repr=False)
class NodeSpec(Value):
    name: str
    board: Board = BOARDS[DEFAULT_BOARD]
    firmware: tuple[int, int] | None = None
    faults: Faults = field(default_factory=Faults)
    plugged: bool = True


@dataclass(frozen=True, slots=True, repr=False)
class Topology(Value):
    """``links`` by (sender, receiver). ``scale``: how many times faster than the clock the air is.

    ``capture`` in dB, or None: frames that overlap destroy each other.
    """

    nodes: tuple[NodeSpec, ...]
    links: Mapping[tuple[str, str], Link]
    seed: int = 0
    scale: float = 1.0
    capture: float | None = None

    def __post_init__(self) -> None:
        names = [node.name for node in self.nodes]
        if not 1 <= len(names) <= MOST_NODES:
            raise TopologyError(f"There must be 1 to {MOST_NODES} nodes, not {len(names)}.")
        for name in names:
            if not _NAME.fullmatch(name):
                raise TopologyError(
                    f"{name!r} is no name for a node: use letters, digits, - and _, at most 32."
                )
        if len(set(names)) != len(names):
            raise TopologyError("Two nodes have the same name.")
        if not 0.01 <= self.scale <= 1000:
            raise TopologyError(f"The scale must be between 0.01 and 1000, not {self.scale:g}.")


def all_in_range(names: Sequence[str], link: Link | None = None) -> dict[tuple[str, str], Link]:
    return dict.fromkeys(permutations(names, 2), link or Link())


def in_a_line(names: Sequence[str], link: Link | None = None) -> dict[tuple[str, str], Link]:
    """Each hears only its neighbours."""
    pairs = [pair for a, b in pairwise(names) for pair in ((a, b), (b, a))]
    return dict.fromkeys(pairs, link or Link())


def load(path: Path) -> Topology:
    """Read a topology file. Raises ``TopologyError``."""
    try:
        content = path.read_bytes()
        if len(content) > MOST_BYTES:
            raise TopologyError(f"{path} is too large for a topology.")
        return parse(tomllib.loads(content.decode()))
    except OSError as error:
        raise TopologyError(f"{path} cannot be read: {error.strerror}.") from None
    except (tomllib.TOMLDecodeError, UnicodeDecodeError) as error:
        raise TopologyError(f"{path} is not TOML: {error}.") from None


def parse(content: Mapping[str, Any]) -> Topology:
    """The topology that a file says. Raises ``TopologyError``."""
    _only(content, "the file", {"seed", "scale", "capture_db", "nodes", "links"})
    nodes = tuple(_node(name, table) for name, table in _table(content.get("nodes", {}), "nodes").items())
    names = [node.name for node in nodes]
    capture = content.get("capture_db")
    try:
        return Topology(
            nodes,
            _links(content["links"], names) if "links" in content else all_in_range(names),
            seed=_number(content.get("seed", 0), "seed", whole=True),
            scale=float(_number(content.get("scale", 1.0), "scale")),
            capture=None if capture is None else float(_number(capture, "capture_db")),
        )
    except TopologyError:
        raise
    except ValueError as error:
        raise TopologyError(f"Of the links: {error}.") from None


def _node(name: str, table: Any) -> NodeSpec:
    where = f"node {name}"
    table = _table(table, where)
    known_faults = {field.name for field in fields(Faults)}
    _only(table, where, {"board", "firmware", "plugged", *known_faults})
    board = table.get("board", DEFAULT_BOARD)
    if board not in BOARDS:
        raise TopologyError(f"{where}: no board {board!r}; there are {', '.join(BOARDS)}.")
    try:
        faults = Faults(**{key: table[key] for key in known_faults & table.keys()})
    except (TypeError, ValueError) as error:
        raise TopologyError(f"{where}: {error}.") from None
    firmware = version(table["firmware"]) if "firmware" in table else None
    return NodeSpec(name, BOARDS[board], firmware, faults, plugged=bool(table.get("plugged", True)))


def version(text: Any) -> tuple[int, int]:
    """``"1.86"`` as numbers. Raises ``TopologyError``."""
    match = re.fullmatch(r"(\d{1,3})\.(\d{1,3})", str(text), re.ASCII)
    numbers = (int(match[1]), int(match[2])) if match else (256, 0)
    if max(numbers) > 255:
        raise TopologyError(f'{text!r} is no firmware version; write it like "1.86".')
    return numbers


def _links(rows: Any, names: Sequence[str]) -> dict[tuple[str, str], Link]:
    if not isinstance(rows, list):
        raise TopologyError("Links are written as [[links]], one for each.")
    links: dict[tuple[str, str], Link] = {}
    for row in rows:
        table = _table(row, "a link")
        _only(table, "a link", {"between", "from", "to", "rssi", "snr", "loss", "up"})
        for pair in _pairs(table):
            for name in pair:
                if name not in names:
                    raise TopologyError(f"A link names {name!r}, and there is no such node.")
            links[pair] = Link(
                rssi=float(_number(table.get("rssi", Link().rssi), "rssi")),
                snr=float(_number(table["snr"], "snr")) if "snr" in table else None,
                loss=float(_number(table.get("loss", 0.0), "loss")),
                up=bool(table.get("up", True)),
            )
    return links


def _pairs(table: Mapping[str, Any]) -> list[tuple[str, str]]:
    between = table.get("between")
    if isinstance(between, list) and len(between) == 2 and not {"from", "to"} & table.keys():
        a, b = map(str, between)
        pairs = [(a, b), (b, a)]
    elif between is None and {"from", "to"} <= table.keys():
        pairs = [(str(table["from"]), str(table["to"]))]
    else:
        raise TopologyError('A link has `between = ["A", "B"]`, or `from` and `to`.')
    if any(a == b for a, b in pairs):
        raise TopologyError("A link leads from a node to itself.")
    return pairs


def _table(value: Any, where: str) -> Mapping[str, Any]:
    if not isinstance(value, dict):
        raise TopologyError(f"{where} must be a table.")
    return value


def _only(table: Mapping[str, Any], where: str, known: set[str]) -> None:
    unknown = sorted(table.keys() - known)
    if unknown:
        raise TopologyError(f"In {where} there is no {unknown[0]!r}; known are {', '.join(sorted(known))}.")


def _number(value: Any, name: str, *, whole: bool = False) -> Any:
    if isinstance(value, bool) or not isinstance(value, int if whole else (int, float)):
        raise TopologyError(f"{name} must be a{' whole' if whole else ''} number, not {value!r}.")
    return value
