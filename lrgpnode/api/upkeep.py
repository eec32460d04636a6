"""``node.backup``."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from pathlib import Path
from typing import Any

from lrgpnode.backup.errors import BackupError
from lrgpnode.control import models
from lrgpnode.control.methods import ControlError

from .running import Surroundings


class UpkeepMethods:
    def __init__(self, around: Surroundings) -> None:
        self._around = around
        self._one_at_a_time = asyncio.Lock()

    def handlers(self) -> dict[str, Callable[[Any], Any]]:
        return {"node.backup": self._backup}

    async def _backup(self, params: models.BackupParams) -> models.BackupResult:
        async with self._one_at_a_time:
            try:
                made = await asyncio.to_thread(self._around.backup, Path(params.file))
            except BackupError as error:
                message = str(error)
                raise ControlError(error.kind, f"{message[:1].upper()}{message[1:]}.", error.hint) from None
        return models.BackupResult(
            file=str(made.file),
            size=made.size,
            created_at=made.created_at,
            identities=made.identities,
            members=made.members,
            sessions=made.sessions,
        )
