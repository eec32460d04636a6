"""One Reticulum for the service and the other programs of the machine: what a person has to do for it.

Every program looks for its configuration in /etc/reticulum first. With that, whichever starts first
opens the interfaces and shares them, and all can ask for their state, because the key for asking comes
from the configuration. With a configuration of its own the service shares the traffic, but not the key.
"""

from __future__ import annotations

import os
import shlex
from pathlib import Path
from typing import Final

from lrgpnode.config.paths import SERVICE_DATA
from lrgpnode.service.units import USER

ETC: Final = Path("/etc/reticulum")

# The set-group-id bit lets new files of either program belong to the group.
_GROUP: Final = f"sudo chgrp -R {USER} {{etc}} && sudo chmod -R g+rwXs {{etc}}"


def advice(home: Path | None, user: str, etc: Path = ETC) -> str:
    """Paragraphs for a person. ``home`` and ``user`` are of whoever installs the service, if known."""
    group = _GROUP.format(etc=etc)
    member = f"sudo adduser {user} {USER}"
    if _has_config(etc):
        return (
            f"Reticulum: the service uses {etc}, as every program of this machine does. It must be able to "
            f"write there, and so must the user of each other program:\n    {group}\n    {member}"
        )
    own = _of_user(home)
    if own is not None:
        return (
            f"Reticulum: your programs use {own}, which the service cannot read. Give all of them one "
            f"configuration, then start your programs again:\n    sudo cp -rT {shlex.quote(str(own))} {etc}\n"
            f"    {group}\n    {member}\n"
            f"Or leave it: the service then makes one of its own in {SERVICE_DATA}/.reticulum and shares the "
            "interfaces of a program that runs before it. It sees their state only if both configurations "
            "have the same line `rpc_key = ...` under [reticulum]."
        )
    return (
        f"Reticulum: the service makes a configuration in {SERVICE_DATA}/.reticulum, which finds others on "
        f"the local network. For a radio, and to share it with other programs, make {etc}/config before the "
        f"first start:\n    sudo mkdir -p {etc} && {group}\n"
        f"    {member}    # and log in again\n"
        f"    lrgpnode radio setup --config-dir {etc}"
    )


def _of_user(home: Path | None) -> Path | None:
    if home is None:
        return None
    return next((one for one in (home / ".config/reticulum", home / ".reticulum") if _has_config(one)), None)


def _has_config(directory: Path) -> bool:
    # What may not be seen counts as absent, as it does for Reticulum; Path.is_file would raise.
    return os.path.isfile(directory / "config")  # noqa: PTH113
