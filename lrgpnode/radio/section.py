"""A radio's section of Reticulum's configuration, from the templates."""

from __future__ import annotations

from importlib.resources import files
from typing import Final

from .plan import Plan, Role

KIND: Final = "RNodeInterface"

OWNED: Final = ("airtime_limit_long", "airtime_limit_short")
"""Options that a set-up takes out of an older section where they do not belong to the new one."""

ROLE_OPTIONS: Final = ("mode", "interface_mode", "announce_cap")
"""As ``OWNED``, but only where a role is asked for."""


def render(plan: Plan) -> str:
    """The section as it is added, with its comments, lines ending in ``\\n``."""
    text = _template("rnode.conf") + (_template("limits.conf") if plan.limits.long is not None else "")
    if plan.role is not Role.NODE:
        text += _template(f"{plan.role.value}.conf")
    values = {
        "NAME": plan.name,
        "PORT": plan.port,
        "FREQUENCY": plan.frequency,
        "BANDWIDTH": plan.modem.bandwidth,
        "SPREADING_FACTOR": plan.modem.spreading_factor,
        "CODING_RATE": plan.modem.coding_rate,
        "TXPOWER": plan.txpower,
        "LONG": f"{plan.limits.long:g}" if plan.limits.long is not None else "",
        "SHORT": f"{plan.limits.short:g}" if plan.limits.short is not None else "",
    }
    for name, value in values.items():
        text = text.replace(f"@{name}@", str(value))
    return text


def options(plan: Plan) -> dict[str, str]:
    """The options of ``render`` alone."""
    pairs = (line.partition("=") for line in render(plan).splitlines() if _is_option(line))
    return {name.strip(): value.partition(" #")[0].strip() for name, _, value in pairs}


def empty_configuration() -> str:
    """What Reticulum's configuration is before its first radio, where there is none."""
    return _template("config")


def _is_option(line: str) -> bool:
    return "=" in line and not line.lstrip().startswith(("#", "["))


def _template(name: str) -> str:
    return files("firmware_configs").joinpath("reticulum", name).read_text("utf-8")
