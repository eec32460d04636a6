"""JSON as it is stored: session metadata and action payloads."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any

from lrgpnode.protocol.jsonable import to_json


def _mapping(value: object) -> dict[Any, Any]:
    if isinstance(value, Mapping):
        return dict(value)
    raise TypeError(f"{type(value).__name__} is no JSON value")


_encode = json.JSONEncoder(separators=(",", ":"), allow_nan=False, default=_mapping).encode


def encode_metadata(metadata: Mapping[str, Any]) -> str:
    """Compact JSON. Raises ``TypeError`` or ``ValueError`` for what JSON cannot say."""
    if not isinstance(metadata, Mapping):
        raise TypeError("metadata must be a mapping")
    return _encode(metadata)


def decode_metadata(text: str) -> dict[str, Any]:
    """The stored mapping. Raises ``ValueError`` where the text is no JSON object."""
    metadata = json.loads(text)
    if not isinstance(metadata, dict):
        raise ValueError("metadata is no JSON object")
    return metadata


def encode_payload(payload: Mapping[Any, Any]) -> str:
    """A payload for people and programs that read the database (see ``lrgpnode.protocol.jsonable``).

    The exact bytes are in the ``envelope`` column.
    """
    if all(type(value) in (str, int, bool) for value in payload.values()) and all(
        type(key) is str and not key.startswith("$") for key in payload
    ):
        return _encode(payload)
    return _encode(to_json(dict(payload)))
