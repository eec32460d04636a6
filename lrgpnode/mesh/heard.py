"""Announces of other LXMF users, as ``Heard``. Importing this module loads Reticulum."""

from __future__ import annotations

import time
from collections.abc import Callable
from typing import Any, Final

import RNS

from . import announce
from .instance import interface_name
from .transport import Heard


class AnnounceHandler:
    """Registered with Reticulum, which calls it on a thread of its own for each announce.

    ``heard`` gets the announce and Reticulum's object for the interface it came in by, if known.
    """

    aspect_filter: Final = "lxmf.delivery"
    receive_path_responses: Final = True

    def __init__(self, heard: Callable[[Heard, Any], None]) -> None:
        self._heard = heard

    # The parameters' names and number are Reticulum's.
    def received_announce(
        self,
        destination_hash: bytes,
        announced_identity: Any,
        app_data: bytes | None,
        announce_packet_hash: bytes,
        is_path_response: bool,
    ) -> None:
        said = announce.parse(app_data)
        interface = RNS.Transport.next_hop_interface(destination_hash)
        self._heard(
            Heard(
                peer=destination_hash.hex(),
                name=said.name,
                public_key=announced_identity.get_public_key(),
                hops=RNS.Transport.hops_to(destination_hash),
                interface=interface_name(interface) if interface is not None else "",
                at=time.time(),
                games=said.games,
                announced=not is_path_response,
            ),
            interface,
        )
