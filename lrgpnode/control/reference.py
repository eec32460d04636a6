"""The reference page of the control API, made from the models.

``python -m lrgpnode.control.reference > docs/control-api.md``
"""

from __future__ import annotations

import inspect
import sys
from collections import Counter
from collections.abc import Iterable, Iterator
from typing import Any, Final

import msgspec
from msgspec import inspect as types

from .methods import RpcCode
from .models import EVENTS, METHODS, Model

_INTRODUCTION: Final = """\
# Control API

<!-- Made by `python -m lrgpnode.control.reference > docs/control-api.md` from lrgpnode/control/models/. -->

[JSON-RPC 2.0](https://www.jsonrpc.org/specification) over the node's Unix socket: one JSON object a line,
UTF-8, a request at most 64 KiB. Parameters go by name, unknown ones are refused; batches are not supported.
Requests of one connection are answered in order; at most 32 connections are open at a time. Whoever may open
the socket may act for every identity of the node.

Times are Unix seconds; hashes and bytes are lower-case hexadecimal. A session id may be shortened to a
unique prefix; an identity is given by its name or a unique prefix of its hash. Fields with a default may be
left out.

```
-> {"jsonrpc":"2.0","id":1,"method":"game.move","params":{"id":"3f2a","move":"Nf3"}}
<- {"jsonrpc":"2.0","id":1,"result":{"id":"3f2a90c1d4e5b677","app":"chess","action_num":4,"outbox_id":9,
    "status":"active","ply":3,"command":"move"}}
```

The second line is broken here only to be read.

## Errors
"""

_ERRORS: Final = {
    RpcCode.PARSE: "The line is not JSON.",
    RpcCode.INVALID_REQUEST: "Not a request, or a line too long, which also ends the connection.",
    RpcCode.METHOD_NOT_FOUND: "There is no such method.",
    RpcCode.INVALID_PARAMS: "Parameters are missing, unknown or of a wrong type.",
    RpcCode.INTERNAL: "A defect of the node; its log says more.",
    RpcCode.APPLICATION: (
        "The request cannot be carried out: `message` is for people, `data.kind` for programs, "
        "`data.hint`, if not empty, says what to do."
    ),
}

_EVENTS: Final = """
## Events

After `events.subscribe` the connection also receives notifications:

```
<- {"jsonrpc":"2.0","method":"event","params":{"seq":118,"at":1767225600.0,"type":"node.stopping","data":{}}}
```

`seq` grows by one with each event. The node keeps the last 1000: a client that was away subscribes with
`after`, the last number it saw, and receives what came later; `missed` tells that some of it is gone, and
that it should read anew what it shows. A client that does not read its events is disconnected.
"""


def page() -> str:
    """The whole page."""
    lines = [_INTRODUCTION, "| code | meaning |", "| --- | --- |"]
    lines += [f"| {int(code)} | {meaning} |" for code, meaning in _ERRORS.items()]
    lines += ["", "## Methods"]
    for method in METHODS.values():
        lines += ["", f"### {method.name}", "", method.help]
        lines += _section("Parameters", method.params)
        lines += _section("Result", method.result)
    lines.append(_EVENTS.rstrip())
    for name, model in EVENTS.items():
        lines += ["", f"### {name}", *_fields(model)]
    lines += ["", "## Structures"]
    for structure in _structures():
        lines += ["", f"### {structure.__name__}", *_fields(structure)]
    return "\n".join(lines) + "\n"


def _section(title: str, model: type[Model]) -> list[str]:
    if not model.__struct_fields__:
        return ["", f"{title}: none."]
    if model in _shared():
        return ["", f"{title}: {_link(model)}."]
    return ["", f"**{title}**", *_fields(model)]


def _fields(model: type[msgspec.Struct]) -> list[str]:
    info = types.type_info(model)
    assert isinstance(info, types.StructType)
    # Not ``inspect.getdoc``: a struct without a docstring would get that of its base.
    text = inspect.cleandoc(model.__dict__.get("__doc__") or "").replace("``", "`")
    lines = ["", " ".join(text.split())] if text else []
    lines += ["", "| field | type | default | |", "| --- | --- | --- | --- |"]
    for field in info.fields:
        lines.append(
            f"| `{field.name}` | {_type(field.type)} | {_default(field)} | {_description(field.type)} |"
        )
    return lines


def _default(field: types.Field) -> str:
    if field.required:
        return ""
    value = field.default_factory() if field.default_factory is not msgspec.NODEFAULT else field.default
    return f"`{msgspec.json.encode(value).decode()}`"


def _type(kind: types.Type) -> str:
    """A type in words, its limits included."""
    match kind:
        case types.Metadata():
            return _type(kind.type)
        case types.UnionType():
            return " or ".join(_type(part) for part in kind.types)
        case types.StructType():
            return _link(kind.cls)
        case types.EnumType():
            return _one_of(str(member.value) for member in kind.cls)
        case types.LiteralType():
            return _one_of(str(value) for value in kind.values)
        case types.VarTupleType():
            return f"list of {_type(kind.item_type)}"
        case types.DictType():
            return "object"
        case types.StrType():
            return "string" + _limits(kind.min_length, kind.max_length, " characters")
        case types.IntType():
            return "integer" + _limits(kind.ge, kind.le)
    return _PLAIN[type(kind)]


_PLAIN: Final[dict[type[types.Type], str]] = {
    types.FloatType: "number",
    types.BoolType: "boolean",
    types.NoneType: "null",
    types.AnyType: "any value",
}


def _description(kind: types.Type) -> str:
    match kind:
        case types.Metadata():
            return str((kind.extra_json_schema or {}).get("description", ""))
        case types.UnionType():
            return " ".join(filter(None, map(_description, kind.types)))
    return ""


def _link(model: type[msgspec.Struct]) -> str:
    return f"[{model.__name__}](#{model.__name__.lower()})"


def _one_of(values: Iterable[str]) -> str:
    return "one of " + ", ".join(f"`{value}`" for value in values)


def _limits(low: Any, high: Any, unit: str = "") -> str:
    if low is None and high is None:
        return ""
    if high is None:
        return f" (at least {low}{unit})"
    return f" ({low or 0} to {high}{unit})"


def _shared() -> set[type[Model]]:
    """Parameters and results of more than one method."""
    tops = Counter(model for method in METHODS.values() for model in (method.params, method.result))
    return {model for model, uses in tops.items() if uses > 1 and model.__struct_fields__}


def _structures() -> list[type[msgspec.Struct]]:
    """Models that others contain or share, by name."""
    tops = [model for method in METHODS.values() for model in (method.params, method.result)]
    found: set[type[msgspec.Struct]] = set(_shared())
    for info in types.multi_type_info([*tops, *EVENTS.values()]):
        assert isinstance(info, types.StructType)
        for field in info.fields:
            found.update(_structs(field.type))
    return sorted(found, key=lambda model: model.__name__)


def _structs(kind: types.Type) -> Iterator[type[msgspec.Struct]]:
    match kind:
        case types.StructType():
            yield kind.cls
            for field in kind.fields:
                yield from _structs(field.type)
        case types.Metadata():
            yield from _structs(kind.type)
        case types.VarTupleType():
            yield from _structs(kind.item_type)
        case types.UnionType():
            for part in kind.types:
                yield from _structs(part)


if __name__ == "__main__":
    sys.stdout.write(page())
