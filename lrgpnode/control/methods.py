"""The methods of a control server, and JSON-RPC 2.0 from one line to its answer.

Knows nothing of sockets: ``Methods.answer`` takes the bytes of a line and returns those of the
response. Nothing a client sends makes it raise.
"""

from __future__ import annotations

import logging
from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from enum import IntEnum
from typing import Any, TypeVar

import msgspec

from lrgpnode.protocol.value import Value

log = logging.getLogger("lrgpnode.control")

P = TypeVar("P", bound=msgspec.Struct)
R = TypeVar("R", bound=msgspec.Struct)


class RpcCode(IntEnum):
    """JSON-RPC 2.0 error codes. ``APPLICATION``: see ``data.kind``."""

    PARSE = -32700
    INVALID_REQUEST = -32600
    METHOD_NOT_FOUND = -32601
    INVALID_PARAMS = -32602
    INTERNAL = -32603
    APPLICATION = -32000


class ControlError(Exception):
    """A request that cannot be carried out: ``kind`` for programs, ``message`` and ``hint`` for people."""

    def __init__(self, kind: str, message: str, hint: str = "") -> None:
        super().__init__(message)
        self.kind = kind
        self.message = message
        self.hint = hint


Translate = Callable[[Exception], ControlError | None]
"""Turns an exception of another room into one for the client; None if it is a defect."""


class RpcError(Exception):
    """A request that is wrong in form."""

    def __init__(self, code: RpcCode, message: str) -> None:
        super().__init__(message)
        self.code = code


@dataclass(frozen=True, slots=True, repr=False)
class Request(Value):
    """``id`` is ``UNSET`` in a notification, which gets no response."""

    method: str
    params: dict[str, Any]
    id: int | str | msgspec.UnsetType | None


@dataclass(frozen=True, slots=True, repr=False)
class _Entry(Value):
    params: type[msgspec.Struct]
    result: type[msgspec.Struct]
    handler: Callable[[Any], Awaitable[msgspec.Struct]]


class Methods:
    """A registry of methods by name; ``translate`` is asked about exceptions of the handlers."""

    def __init__(self, translate: Translate | None = None) -> None:
        self._entries: dict[str, _Entry] = {}
        self.translate = translate

    def add(self, name: str, params: type[P], result: type[R], handler: Callable[[P], Awaitable[R]]) -> None:
        """Register a method. Raises ``ValueError`` where the name is taken."""
        if name in self._entries:
            raise ValueError(f"method {name} is registered twice")
        self._entries[name] = _Entry(params, result, handler)

    def names(self) -> tuple[str, ...]:
        return tuple(sorted(self._entries))

    def copy(self) -> Methods:
        """A registry with the same methods, to which others can be added."""
        other = Methods(self.translate)
        other._entries.update(self._entries)
        return other

    async def answer(self, line: bytes) -> bytes | None:
        """The response to one line, with its newline; None for a notification."""
        id: int | str | msgspec.UnsetType | None = None
        try:
            value = decode(line)
            # Found before the request is checked, so that the error for a wrong one carries it.
            id = find_id(value)
            request = check(value)
            result = await self.call(request)
            return None if id is msgspec.UNSET else _line({"id": id, "result": result})
        except (RpcError, ControlError) as error:
            body = _body(error)
        except Exception as error:  # noqa: BLE001 - a handler's defect must not end the connection
            body = _body(self._translated(error))
        return None if id is msgspec.UNSET else _line({"id": id, "error": body})

    def _translated(self, error: Exception) -> RpcError | ControlError:
        known = self.translate(error) if self.translate is not None else None
        if known is None:
            log.error("a control request failed", exc_info=error)
            return RpcError(RpcCode.INTERNAL, "internal error")
        return known

    async def call(self, request: Request) -> msgspec.Struct:
        """The result of a well-formed request."""
        entry = self._entries.get(request.method)
        if entry is None:
            raise RpcError(RpcCode.METHOD_NOT_FOUND, f"no method {request.method[:64]!r}")
        try:
            params = msgspec.convert(request.params, entry.params)
        except (msgspec.ValidationError, RecursionError) as error:
            raise RpcError(RpcCode.INVALID_PARAMS, f"{request.method}: {error}") from None
        result = await entry.handler(params)
        if not isinstance(result, entry.result):
            raise TypeError(f"{request.method} returned {type(result).__name__}")
        return result


def decode(line: bytes) -> Any:
    """The JSON value of a line."""
    try:
        return msgspec.json.decode(line)
    except (ValueError, RecursionError) as error:
        raise RpcError(RpcCode.PARSE, f"not JSON: {error}") from None


def find_id(value: Any) -> int | str | msgspec.UnsetType | None:
    """The id to answer under. Whatever does not look like a notification is answered."""
    if not isinstance(value, dict):
        return None
    if "id" not in value and isinstance(value.get("method"), str):
        return msgspec.UNSET
    id = value.get("id")
    return id if isinstance(id, int | str) and not isinstance(id, bool) else None


def check(value: Any) -> Request:
    """The request in a JSON value."""
    if isinstance(value, list):
        raise RpcError(RpcCode.INVALID_REQUEST, "batches are not supported: send one request a line")
    if not isinstance(value, dict):
        raise RpcError(RpcCode.INVALID_REQUEST, "a request is a JSON object")
    if value.get("jsonrpc") != "2.0":
        raise RpcError(RpcCode.INVALID_REQUEST, '"jsonrpc" must be "2.0"')
    method = value.get("method")
    if not isinstance(method, str):
        raise RpcError(RpcCode.INVALID_REQUEST, '"method" must be a string')
    id = value.get("id", msgspec.UNSET)
    if isinstance(id, bool) or not isinstance(id, int | str | msgspec.UnsetType | None):
        raise RpcError(RpcCode.INVALID_REQUEST, '"id" must be a string, an integer or null')
    params = value.get("params", {})
    if not isinstance(params, dict):
        raise RpcError(RpcCode.INVALID_PARAMS, '"params" must be an object: parameters go by name')
    return Request(method, params, id)


def refusal(error: RpcError | ControlError) -> bytes:
    """An error response to nothing in particular."""
    return _line({"id": None, "error": _body(error)})


def notification(method: str, params: msgspec.Struct) -> bytes:
    return _line({"method": method, "params": params})


def _body(error: RpcError | ControlError) -> dict[str, Any]:
    if isinstance(error, RpcError):
        return {"code": int(error.code), "message": str(error)}
    data = {"kind": str(error.kind), "hint": error.hint}
    return {"code": int(RpcCode.APPLICATION), "message": error.message, "data": data}


def _line(body: dict[str, Any]) -> bytes:
    return msgspec.json.encode({"jsonrpc": "2.0", **body}) + b"\n"
