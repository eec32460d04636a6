"""Odds and evens, ``odd_even.1``: the challenger wins if the fingers add up to an even number.

The same three messages as morra. The reveal is called ``move``, so that every client can send it.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import ClassVar

from lrgpnode.protocol.game import Command, Manifest
from lrgpnode.protocol.session import Session

from .morra import Morra, Throw


class OddEven(Morra):
    manifest: ClassVar[Manifest] = replace(
        Morra.manifest,
        app_id="odd_even",
        display_name="Odds and Evens",
        actions=("challenge", "accept", "decline", "move", "error"),
        tag="Odd/Even",
    )
    reveal: ClassVar[str] = Command.MOVE
    ranges: ClassVar[Mapping[str, range]] = {"f": range(6)}
    columns: ClassVar[tuple[str, ...]] = ("fingers",)

    def winner(self, session: Session, challenger: Throw, responder: Throw) -> str:
        odd = (challenger["f"] + responder["f"]) % 2
        return session.responder if odd else session.initiator
