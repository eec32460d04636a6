"""``node.config_*``: the settings of the running node."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from typing import Any, cast

from lrgpnode.config import ConfigError
from lrgpnode.config.configuration import Configuration, Shown
from lrgpnode.config.editing import REMOVE, write_setting
from lrgpnode.config.kinds import plain
from lrgpnode.control import models
from lrgpnode.control.methods import ControlError


class SettingsMethods:
    def __init__(self, configuration: Configuration) -> None:
        self._configuration = configuration
        self._changing = asyncio.Lock()

    def handlers(self) -> dict[str, Callable[[Any], Any]]:
        return {
            "node.config_show": self._show,
            "node.config_set": self._set,
            "node.config_unset": self._unset,
        }

    async def _show(self, params: models.ConfigShowParams) -> models.ConfigShown:
        try:
            return shown(self._configuration, params.key)
        except ConfigError as error:
            raise _refused(error) from None

    async def _set(self, params: models.ConfigSetParams) -> models.ConfigChanged:
        return await self._change(params.key, params.value)

    async def _unset(self, params: models.ConfigUnsetParams) -> models.ConfigChanged:
        return await self._change(params.key, REMOVE)

    async def _change(self, key: str, value: Any) -> models.ConfigChanged:
        async with self._changing:
            try:
                # The disk may be slow, and the loop has games to serve.
                await asyncio.to_thread(write_setting, self._configuration.paths.config, key, value)
                acts = self._configuration.adopt(key)
            except ConfigError as error:
                raise _refused(error) from None
        return changed(self._configuration, key, acts)


def shown(configuration: Configuration, key: str | None) -> models.ConfigShown:
    """The settings as the API and the command line show them. Raises ``ConfigError``."""
    report = configuration.report(key)
    return models.ConfigShown(
        file=str(configuration.paths.config),
        settings=tuple(_info(one) for one in report.settings),
        problem=report.problem,
    )


def changed(configuration: Configuration, key: str, acts: str) -> models.ConfigChanged:
    """The result of a change of which ``acts`` says when it acts."""
    return models.ConfigChanged(
        key=key,
        file=str(configuration.paths.config),
        acts=cast("Any", acts),
        origin=configuration.origin(key),
    )


def _info(one: Shown) -> models.SettingInfo:
    row = one.row
    return models.SettingInfo(
        key=row.key,
        value=None if row.secret else one.value,
        default=None if row.secret else plain(row.default()),
        origin=one.origin,
        limits=row.kind.words,
        unit=row.unit,
        help=row.help,
        live=row.live,
        secret=row.secret,
        pending=one.pending,
        next_value=None if row.secret else one.next_value,
    )


def _refused(error: ConfigError) -> ControlError:
    return ControlError("config", str(error), "`lrgpnode config show` lists the settings.")
