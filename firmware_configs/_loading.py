"""The files of the catalogue, read strictly: a key too few, too many or of the wrong kind is an error."""

from __future__ import annotations

import tomllib
from collections.abc import Iterator, Mapping
from importlib.resources import files
from typing import Any, Final

from .catalogue import Band, Board, Chip, PowerKind, Preset, Region

_PACKAGE: Final = "firmware_configs"
_MHZ: Final = 1_000_000
_KHZ: Final = 1_000
_NUMBER: Final = (int, float)


class CatalogueError(ValueError):
    """A file of the catalogue does not say what it must; which, and what."""


class _Table:
    """One table of a file, whose keys are taken one by one; ``done`` refuses those that are left."""

    def __init__(self, where: str, values: object) -> None:
        if not isinstance(values, dict):
            raise CatalogueError(f"{where}: not a table")
        self.where = where
        self._left: dict[str, Any] = dict(values)

    def take(self, key: str, kind: type | tuple[type, ...], default: object = ...) -> Any:
        value = self._left.pop(key, default)
        if value is ...:
            raise CatalogueError(f"{self.where}: {key} is missing")
        if value is not default and (
            not isinstance(value, kind) or isinstance(value, bool) != (kind is bool)
        ):
            raise CatalogueError(f"{self.where}: {key} = {value!r} is of the wrong kind")
        return value

    def texts(self, key: str, default: object = ...) -> tuple[str, ...]:
        found = self.take(key, list, default)
        if not all(isinstance(item, str) for item in found):
            raise CatalogueError(f"{self.where}: {key} must be a list of texts")
        return tuple(found)

    def hertz(self, key: str, unit: int) -> int:
        return _hertz(self.where, self.take(key, _NUMBER), unit)

    def tables(self, key: str) -> Iterator[_Table]:
        for number, values in enumerate(self.take(key, list), 1):
            yield _Table(f"{self.where}, {key} {number}", values)

    def done(self) -> None:
        if self._left:
            raise CatalogueError(f"{self.where}: unknown keys {sorted(self._left)}")


def load_regions() -> tuple[Region, ...]:
    found = [_region(_Table(name, values)) for name, values in _folder("regions")]
    return tuple(sorted(found, key=lambda item: item.name))


def load_boards() -> tuple[Board, ...]:
    found = [
        board
        for name, values in _folder("boards")
        for item in _Table(name, values).tables("board")
        for board in _variants(item, name.removesuffix(".toml"))
    ]
    return tuple(sorted(found, key=lambda item: (item.product, item.model)))


def load_presets() -> tuple[Preset, ...]:
    text = files(_PACKAGE).joinpath("presets.toml").read_text("utf-8")
    return tuple(_preset(item) for item in _Table("presets.toml", tomllib.loads(text)).tables("preset"))


def _folder(name: str) -> Iterator[tuple[str, Mapping[str, object]]]:
    for entry in files(_PACKAGE).joinpath(name).iterdir():
        if entry.name.endswith(".toml"):
            yield entry.name, tomllib.loads(entry.read_text("utf-8"))


def _region(table: _Table) -> Region:
    found = Region(
        name=table.take("name", str),
        title=table.take("title", str),
        frequency_hz=table.hertz("frequency_mhz", _MHZ),
        preset=table.take("preset", str),
        bands=tuple(_band(item) for item in table.tables("band")),
        sources=table.texts("sources"),
        notes=table.take("notes", str, ""),
    )
    table.done()
    return found


def _band(table: _Table) -> Band:
    powers = {kind: table.take(f"max_{kind.lower()}_dbm", _NUMBER, None) for kind in PowerKind}
    given = [(kind, value) for kind, value in powers.items() if value is not None]
    if len(given) != 1:
        raise CatalogueError(f"{table.where}: one of the limits of power must be given")
    percent = table.take("duty_cycle_percent", _NUMBER, None)
    dwell = table.take("dwell_seconds", _NUMBER, None)
    widths = table.take("bandwidths_khz", list, [])
    found = Band(
        low_hz=table.hertz("low_mhz", _MHZ),
        high_hz=table.hertz("high_mhz", _MHZ),
        max_power_dbm=float(given[0][1]),
        power=given[0][0],
        duty_cycle=None if percent is None else round(percent / 100, 8),
        dwell_seconds=None if dwell is None else float(dwell),
        bandwidths_hz=tuple(_hertz(table.where, width, _KHZ) for width in widths),
        source=table.take("source", str),
        notes=table.take("notes", str, ""),
        hopping=table.take("hopping", bool, False),
        listening=table.take("listening", bool, False),
    )
    table.done()
    return found


def _variants(table: _Table, platform: str) -> Iterator[Board]:
    """The models of one board, each as a board of its own."""
    product, name = table.take("product", int), table.take("name", str)
    usb = tuple(_usb(table.where, text) for text in table.texts("usb"))
    bootloader = tuple(_usb(table.where, text) for text in table.texts("bootloader", []))
    notes = table.take("notes", str, "")
    for item in table.tables("models"):
        yield Board(
            product=product,
            model=item.take("model", int),
            name=name,
            usb=usb,
            bootloader=bootloader,
            platform=platform,
            chip=Chip(item.take("chip", str)),
            max_tx_dbm=item.take("max_tx_dbm", int),
            low_hz=item.hertz("low_mhz", _MHZ),
            high_hz=item.hertz("high_mhz", _MHZ),
            notes=notes,
        )
        item.done()
    table.done()


def _preset(table: _Table) -> Preset:
    found = Preset(
        name=table.take("name", str),
        title=table.take("title", str),
        bandwidth=table.hertz("bandwidth_khz", _KHZ),
        spreading_factor=table.take("spreading_factor", int),
        coding_rate=table.take("coding_rate", int),
        notes=table.take("notes", str, ""),
    )
    table.done()
    return found


def _hertz(where: str, value: object, unit: int) -> int:
    if isinstance(value, bool) or not isinstance(value, _NUMBER):
        raise CatalogueError(f"{where}: {value!r} is not a frequency")
    return round(float(value) * unit)


def _usb(where: str, text: str) -> tuple[int, int]:
    try:
        vendor, product = text.split(":")
        return int(vendor, 16), int(product, 16)
    except ValueError:
        raise CatalogueError(f"{where}: {text!r} is not VENDOR:PRODUCT in hexadecimal") from None
