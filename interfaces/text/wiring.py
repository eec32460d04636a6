"""Text commands as the composition root puts them into a node; imported only where anybody may answer."""

from __future__ import annotations

from collections.abc import Callable

from lrgpnode.config import Settings
from lrgpnode.mesh.transport import Transport
from lrgpnode.node import Identities
from lrgpnode.outbox import Airtime
from storage.store import Store
from storage.writer import Writer

from .held import Held
from .service import TextService
from .wire import HeldAirtime, HeldTransport


class Texts:
    """``service``, and what stands between the node and the mesh. ``name`` gives what a peer is called."""

    def __init__(
        self,
        settings: Settings,
        own: Identities,
        store: Store,
        writer: Writer,
        mesh: Transport,
        airtime: Airtime | None,
        name: Callable[[str], str],
    ) -> None:
        held = Held(store, own.rows, enabled=settings.text_enabled)
        self.service = TextService(settings, own, store, writer, held, name=name)
        self.transport = HeldTransport(mesh, held)
        self.airtime = None if airtime is None else HeldAirtime(airtime, held)
