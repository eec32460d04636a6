"""JSON for MessagePack values: symmetric, so that a journal can be replayed from its JSON.

What JSON lacks is wrapped: ``{"$bin": "hex"}`` binary, ``{"$float": 1.5}`` a float,
``{"$map": [[key, value], ...]}`` a map that has other than plain string keys.
"""

from __future__ import annotations

from math import isfinite
from typing import Any


def to_json(value: Any) -> Any:
    """A value of a decoded payload as JSON-safe data. Raises ``TypeError`` for anything else."""
    if value is None or isinstance(value, bool | int | str):
        return value
    if isinstance(value, float):
        return {"$float": value if isfinite(value) else repr(value)}
    if isinstance(value, bytes):
        return {"$bin": value.hex()}
    if isinstance(value, list | tuple):
        return [to_json(item) for item in value]
    if isinstance(value, dict):
        if all(isinstance(key, str) and not key.startswith("$") for key in value):
            return {key: to_json(item) for key, item in value.items()}
        return {"$map": [[to_json(key), to_json(item)] for key, item in value.items()]}
    raise TypeError(f"{type(value).__name__} has no JSON form")


def from_json(value: Any) -> Any:
    """The inverse of ``to_json``. Raises ``ValueError`` for a malformed wrapper."""
    if isinstance(value, list):
        return [from_json(item) for item in value]
    if not isinstance(value, dict):
        return value
    if len(value) == 1:
        ((key, inner),) = value.items()
        if key == "$bin":
            return bytes.fromhex(inner)
        if key == "$float":
            return float(inner)
        if key == "$map":
            return {from_json(k): from_json(v) for k, v in inner}
    return {key: from_json(item) for key, item in value.items()}
