"""The settings of the node, over its socket."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Annotated, Any, Final, Literal

from msgspec import Meta

from .base import Method, Model

SettingKey = Annotated[
    str,
    Meta(min_length=1, max_length=128, description="Key of a [setting](settings.md), e.g. `node.name`."),
]


class SettingInfo(Model, frozen=True, kw_only=True):
    """A setting as it stands.

    ``origin``: ``default``, ``file``, the option of ``lrgpnode run`` that goes before the file, or
    ``until it stops`` for what was set for the running node only.
    ``live``: it acts at once when it is set. ``pending``: the file now says ``next_value``, which acts
    at the next start. Values of a secret setting are null.
    """

    key: str
    value: Any
    default: Any
    origin: str
    limits: str
    unit: str
    help: str
    live: bool
    secret: bool
    pending: bool
    next_value: Any


class ConfigShowParams(Model, frozen=True, kw_only=True):
    """``key``: one setting, or a section; without it all."""

    key: SettingKey | None = None


class ConfigShown(Model, frozen=True, kw_only=True):
    """``file`` holds them. ``problem``: what is wrong in it now, which would prevent the next start."""

    file: str
    settings: tuple[SettingInfo, ...]
    problem: str = ""


class ConfigSetParams(Model, frozen=True, kw_only=True):
    """``value`` is of the type that the setting has: a string, a number, true or false, or a list."""

    key: SettingKey
    value: Any


class ConfigUnsetParams(Model, frozen=True, kw_only=True):
    """Also takes out a key that is no setting, which is an error in the file."""

    key: SettingKey


class ConfigChanged(Model, frozen=True, kw_only=True):
    """``acts``: now, at the next start, or not while the option ``origin`` goes before the file."""

    key: str
    file: str
    acts: Literal["now", "next_start", "overridden"]
    origin: str


METHODS: Final = (
    Method("node.config_show", ConfigShowParams, ConfigShown, "The settings and where each comes from."),
    Method("node.config_set", ConfigSetParams, ConfigChanged, "Put a setting into the settings file."),
    Method("node.config_unset", ConfigUnsetParams, ConfigChanged, "Take a setting out of the settings file."),
)

EVENTS: Final[Mapping[str, type[Model]]] = {}
