"""Records changed by somebody, sealed again by one of the players or not."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import msgspec

from lrgpnode.mesh.signing import Signer
from lrgpnode.records import format, proof
from lrgpnode.records.errors import Refusal, Refused
from lrgpnode.records.format import Action, Content, Index, Record
from lrgpnode.records.verify import Verified, verify
from tests.records.played import GAMES


def read(data: bytes) -> Record:
    return format.read(data)


def sealed(content: Content, index: Index, signer: Signer, **changes: Any) -> bytes:
    """The file with an index that fits the content, properly signed; the result is left as it was."""
    hashes = tuple(_hash(action) for action in content.actions)
    before = content.encode()
    fitting = msgspec.structs.replace(index, messages=hashes, digest=format.digest(before))
    line = format.index_line(msgspec.structs.replace(fitting, **changes))
    return before + line + format.signature_line(signer.sign(format.to_sign(line)))


def with_actions(content: Content, actions: list[Action]) -> Content:
    """These actions, numbered in order."""
    numbered = (msgspec.structs.replace(action, number=n) for n, action in enumerate(actions, 1))
    return replace(content, actions=tuple(numbered))


def with_action(content: Content, number: int, /, **changes: Any) -> Content:
    actions = list(content.actions)
    actions[number - 1] = msgspec.structs.replace(actions[number - 1], **changes)
    return replace(content, actions=tuple(actions))


def with_game(content: Content, **changes: Any) -> Content:
    return replace(content, game=msgspec.structs.replace(content.game, **changes))


def _hash(action: Action) -> str:
    try:
        return "" if action.message is None else proof.message(action.message, 0).hash.hex()
    except Refused:
        return "00" * 32


def refusal(data: bytes, **more: Any) -> Refusal:
    """Why a record is refused; fails where it is not."""
    try:
        found: Verified = verify(data, GAMES, **more)
    except Refused as error:
        assert error.message.endswith(".")
        return error.reason
    raise AssertionError(f"this record was believed: {found}")
