"""The settings of the node, those first that people change; values in words, and typed ones as values."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any, Final

from lrgpnode.protocol.value import Value

Json = Mapping[str, Any]

POLICIES: Final[Mapping[str, str]] = {
    "open": "everybody, at once",
    "everyone": "everybody; strangers ask first",
    "known": "contacts and earlier opponents",
    "contacts": "contacts only",
    "nobody": "nobody",
}
"""Whose challenges are taken."""

FIRST: Final[Mapping[str, str]] = {
    "node.name": "Name of the node",
    "accept.from": "Taken by default",
    "propagation.nodes": "Propagation nodes",
    "propagation.auto": "Use heard nodes",
    "propagation.sync_minutes": "Fetch mail every",
    "announce.interval_minutes": "Announce every",
    "house.enabled": "The house",
    "house.level": "Level of the house",
    "airtime.region": "Radio region",
    "tui.theme": "Screen colours",
    "tui.glyphs": "Screen signs",
    "tui.notices": "Bell and title",
}
"""What stands on top, and what it is called."""

_UNITS: Final = {"minutes": "min", "seconds": "s", "percent": "%", "kilobytes": "KB", "megabytes": "MB"}
_HIDDEN: Final = ("test",)


@dataclass(frozen=True, slots=True, kw_only=True, repr=False)
class Row(Value):
    """A setting. ``note`` says what is special about its value, ``options`` are all that it can be."""

    key: str
    label: str
    shown: str
    note: str
    help: str
    limits: str
    value: Any
    options: tuple[str, ...]
    changed: bool


@dataclass(frozen=True, slots=True, kw_only=True, repr=False)
class Section(Value):
    title: str
    rows: tuple[Row, ...]


def sections(shown: Json | None) -> tuple[Section, ...]:
    """From ``node.config_show``."""
    found = {str(one["key"]): one for one in (shown or {}).get("settings", ()) if not one.get("secret")}
    first = tuple(_row(found[key], label) for key, label in FIRST.items() if key in found)
    by_section: dict[str, list[Row]] = {}
    for key, one in found.items():
        section, _, name = key.partition(".")
        if key not in FIRST and section not in _HIDDEN:
            by_section.setdefault(section, []).append(_row(one, name.replace("_", " ")))
    rest = (Section(title=f"[{title}]", rows=tuple(rows)) for title, rows in by_section.items())
    return (Section(title="The node", rows=first), *rest) if first else tuple(rest)


def _row(one: Json, label: str) -> Row:
    key, unit = str(one["key"]), _UNITS.get(str(one["unit"]), str(one["unit"]))
    value = one["next_value"] if one["pending"] else one["value"]
    notes = []
    if one["pending"]:
        notes.append("at the next start")
    if one["origin"] not in ("default", "file"):
        notes.append(str(one["origin"]))
    limits = str(one["limits"])
    return Row(
        key=key,
        label=label,
        shown=POLICIES.get(str(value), str(value)) if key == "accept.from" else in_words(value, unit),
        note=", ".join(notes),
        help=str(one["help"]),
        limits=limits,
        value=value,
        options=options(limits),
        changed=one["origin"] != "default" or bool(one["pending"]),
    )


def in_words(value: Any, unit: str = "") -> str:
    """A value as it is shown."""
    if isinstance(value, bool):
        return "yes" if value else "no"
    if value is None or value in ("", [], ()):
        return "not set"
    if isinstance(value, list | tuple):
        return str(value[0]) if len(value) == 1 else f"{len(value)} of them"
    return f"{value:g} {unit}".strip() if isinstance(value, int | float) else str(value)


def options(limits: str) -> tuple[str, ...]:
    """What is in a list of choices, as the node words them; empty where there is none."""
    if limits == "true or false":
        return ("true", "false")
    start, _, listed = limits.partition("one of ")
    return tuple(one.strip() for one in listed.split(",")) if listed and not start else ()


def labels(row: Row) -> list[tuple[str, str]]:
    """Its options for a question, each with a key."""
    words = POLICIES if row.key == "accept.from" else {"true": "Yes", "false": "No"}
    keys = ("y", "n") if row.options == ("true", "false") else tuple("123456789abcdef")
    return [(key, words.get(option, option)) for key, option in zip(keys, row.options, strict=False)]


def typed(row: Row, text: str) -> Any:
    """What a person typed, as a value of the setting's type. Raises ``ValueError`` in words."""
    text = text.strip()
    if isinstance(row.value, list | tuple) or row.limits.startswith("a list"):
        return [one for one in (part.strip().strip("<>") for part in text.split(",")) if one]
    if row.limits == "true or false":
        return text == "true"
    number = _number(row.limits)
    if number is None:
        return text
    try:
        return number(text)
    except ValueError:
        raise ValueError(f"It must be {row.limits}.") from None


def _number(limits: str) -> type[int] | type[float] | None:
    if limits.startswith("a whole number"):
        return int
    return float if limits.startswith("a number") else None


def plain(value: Any) -> str:
    """A value as it is typed."""
    if isinstance(value, list | tuple):
        return ", ".join(map(str, value))
    if isinstance(value, float):
        return f"{value:g}"
    return "" if value is None else str(value)


def changed(result: Json) -> str:
    """What ``node.config_set`` has done, in a sentence."""
    acts = {
        "now": "Changed.",
        "next_start": "It acts when the node starts again.",
        "overridden": f"Written, but {result.get('origin', 'an option')} of the command line goes before it.",
    }
    return acts.get(str(result["acts"]), "Changed.")


def policies(result: Json | None, names: Mapping[str, str]) -> str:
    """Whose challenges an identity takes, from ``identity.policy``."""
    if result is None:
        return "loading"
    policy = str(result["policy"])
    games: Iterable[tuple[str, Any]] = (result.get("games") or {}).items()
    others = "".join(f"; {names.get(app, app)}: {POLICIES.get(str(one), str(one))}" for app, one in games)
    return f"{POLICIES.get(policy, policy)}{others}"
