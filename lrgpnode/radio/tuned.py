"""The radios of a Reticulum configuration, with their numbers, and what must agree between two of them."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from typing import Final, Protocol

from lrgpnode.protocol.value import Value

RADIOS: Final = frozenset({"RNodeInterface", "RNodeMultiInterface"})
_NAMES: Final = ("network_name", "networkname")
_KEYS: Final = ("passphrase", "pass_phrase")
_YES: Final = frozenset({"yes", "true", "on", "1"})


class Section(Protocol):
    """A section under ``[interfaces]``: of another radio it may have parts."""

    @property
    def name(self) -> str: ...
    @property
    def kind(self) -> str: ...
    @property
    def enabled(self) -> bool: ...
    @property
    def options(self) -> Mapping[str, str]: ...
    @property
    def parts(self) -> Mapping[str, Mapping[str, str]]: ...


@dataclass(frozen=True, slots=True, kw_only=True, repr=False)
class Tuned(Value):
    """A radio as it is configured; None is what is not there or no number.

    Frequency and bandwidth are in Hz, the limits of airtime in percent. ``network``: the name of the
    access code's network, "" without one; ``locked``: whether there is a passphrase, which is not kept.
    """

    name: str
    enabled: bool
    port: str
    frequency: int | None
    bandwidth: int | None
    spreading_factor: int | None
    coding_rate: int | None
    txpower: int | None
    limit_long: float | None
    limit_short: float | None
    flow_control: bool
    mode: str
    network: str
    locked: bool
    ifac_size: int | None

    @property
    def complete(self) -> bool:
        """Whether everything is there that must agree."""
        return None not in (self.frequency, self.bandwidth, self.spreading_factor)


def radios(sections: Iterable[Section]) -> Iterator[Tuned]:
    """Every RNode of the interfaces, and every part of one with several radios."""
    for section in sections:
        if section.kind not in RADIOS:
            continue
        if section.parts:
            for name, part in section.parts.items():
                yield _tuned(f"{section.name}/{name}", section.enabled, {**section.options, **part})
        else:
            yield _tuned(section.name, section.enabled, section.options)


def _tuned(name: str, enabled: bool, options: Mapping[str, str]) -> Tuned:
    return Tuned(
        name=name,
        enabled=enabled,
        port=options.get("port", "").strip(),
        frequency=_whole(options, "frequency"),
        bandwidth=_whole(options, "bandwidth"),
        spreading_factor=_whole(options, "spreadingfactor"),
        coding_rate=_whole(options, "codingrate"),
        txpower=_whole(options, "txpower"),
        limit_long=_number(options, "airtime_limit_long"),
        limit_short=_number(options, "airtime_limit_short"),
        flow_control=options.get("flow_control", "").lower() in _YES,
        mode=options.get("interface_mode", options.get("mode", "full")).lower(),
        network=next((options[key] for key in _NAMES if _is_set(options, key)), ""),
        locked=any(_is_set(options, key) for key in _KEYS),
        ifac_size=_whole(options, "ifac_size"),
    )


def _is_set(options: Mapping[str, str], key: str) -> bool:
    return options.get(key, "") not in ("", "None")  # as Reticulum has it


def _number(options: Mapping[str, str], name: str) -> float | None:
    try:
        return float(options[name])
    except (KeyError, ValueError):
        return None


def _whole(options: Mapping[str, str], name: str) -> int | None:
    number = _number(options, name)
    return int(number) if number is not None and abs(number) < 1e12 else None
