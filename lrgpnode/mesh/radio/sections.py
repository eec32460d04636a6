"""Why the section of a radio in Reticulum's configuration makes no interface."""

from __future__ import annotations

import sys
from collections.abc import Mapping
from importlib.util import find_spec
from typing import Any

from lrgpnode.rnode import troubles
from lrgpnode.rnode.troubles import Diagnosis


def fault(name: str, section: Mapping[str, Any], reason: str) -> Diagnosis:
    """``reason`` is what the driver said, for what is found in no other way."""
    if find_spec("serial") is None:
        return troubles.MODULE_MISSING(
            interface=name, module="pyserial", python=sys.executable, who="the node"
        )
    # A value with a comma in it is a list.
    options = {
        key: ", ".join(map(str, value)) if isinstance(value, list) else str(value)
        for key, value in section.items()
        if not isinstance(value, Mapping)
    }
    found = troubles.section_fault(options) or reason.rstrip(".")
    return troubles.SECTION(interface=name, reason=found, who="the node")
