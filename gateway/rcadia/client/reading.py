"""Reading answers of deployed servers: what is understood is used, what is not is as if it were absent.

A field of the wrong type must not cost a game as long as nothing depends on it. So an answer that does not
fit its model is read once more field by field; only fields that a model requires are insisted on.
"""

from __future__ import annotations

import types
from collections.abc import Mapping
from typing import Any, Final, TypeVar, Union, get_args, get_origin, get_type_hints

import msgspec

from gateway.rcadia.wire import Table

from .errors import Unusable

T = TypeVar("T")

MAX_TABLES: Final = 500
_LISTS: Final = ("sessions", "tables", "available")


def decode(body: bytes) -> Any:
    """JSON of any shape. Raises ``Unusable``."""
    try:
        return msgspec.json.decode(body)
    except (msgspec.DecodeError, RecursionError):
        raise Unusable("The platform answered with something that is not JSON") from None


def read(body: bytes, kind: type[T]) -> T:
    """An answer as ``kind``. Raises ``Unusable``."""
    try:
        return msgspec.json.decode(body, type=kind)
    except (msgspec.DecodeError, RecursionError):  # a ValidationError is a DecodeError
        return lenient(decode(body), kind)


def lenient(raw: Any, kind: type[T]) -> T:
    """``raw`` as ``kind`` without what does not fit. Raises ``Unusable`` where a required one lacks."""
    try:
        return msgspec.convert(raw, kind, strict=False)
    except (msgspec.ValidationError, RecursionError):
        pass
    if not isinstance(raw, Mapping) or not issubclass(kind, msgspec.Struct):
        raise Unusable(f"The platform answered with something else than {_words(kind)}")
    hints = get_type_hints(kind)
    kept = {}
    for field in msgspec.structs.fields(kind):
        if field.encode_name in raw:
            value = _fitting(raw[field.encode_name], hints[field.name])
            if value is not _NOTHING:
                kept[field.name] = value
        if field.required and field.name not in kept:
            raise Unusable(f"The platform's answer lacks {field.encode_name}")
    return kind(**kept)


def read_tables(body: bytes) -> list[Table]:
    """The answer of ``/available``: a list, or an object with one. What is no table is left out."""
    raw = decode(body)
    if isinstance(raw, Mapping):
        raw = next((raw[name] for name in _LISTS if isinstance(raw.get(name), list)), None)
    if not isinstance(raw, list):
        raise Unusable("The platform answered with something else than a list of tables")
    tables = []
    for entry in raw[:MAX_TABLES]:
        try:
            tables.append(lenient(entry, Table))
        except Unusable:
            continue
    return tables


class _Nothing:
    pass


_NOTHING: Final = _Nothing()


def _fitting(value: Any, hint: Any) -> Any:
    """``value`` as the type of one field; ``_NOTHING`` where it is not of that type."""
    try:
        return msgspec.convert(value, hint, strict=False)
    except (msgspec.ValidationError, RecursionError):
        pass
    for option in get_args(hint) if get_origin(hint) in (Union, types.UnionType) else (hint,):
        if get_origin(option) is list and isinstance(value, list):
            items = (_fitting(item, get_args(option)[0]) for item in value)
            return [item for item in items if item is not _NOTHING]
        if isinstance(option, type) and issubclass(option, msgspec.Struct):
            try:
                return lenient(value, option)
            except Unusable:
                continue
    return _NOTHING


def _words(kind: type[Any]) -> str:
    return f"a {kind.__name__}"
