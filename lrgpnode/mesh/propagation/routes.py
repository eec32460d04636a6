"""Waiting for a path to a propagation node; runs on the mesh's worker."""

from __future__ import annotations

from collections.abc import Callable

import RNS

from ..worker import Worker

Found = Callable[[bool], None]


class Routes:
    """``path_wait`` gives the seconds that the answer to a path request may take."""

    def __init__(self, worker: Worker, path_wait: Callable[[], float]) -> None:
        self._worker = worker
        self._path_wait = path_wait
        self._waiting: dict[str, list[Found]] = {}

    def need(self, node: str, found: Found) -> None:
        """Ask the network for a node unless it is known. ``found`` is called once, perhaps at once."""
        if _known(node):
            found(True)
        elif node in self._waiting:
            self._waiting[node].append(found)
        else:
            waiting = self._waiting[node] = [found]
            self._worker.later(self._path_wait(), self._give_up, node, waiting)
            RNS.Transport.request_path(bytes.fromhex(node))

    def heard(self, node: str) -> None:
        """An announce of the node, or the answer to a path request, has come in."""
        if node in self._waiting and _known(node):
            for found in self._waiting.pop(node):
                found(True)

    def lost(self, node: str) -> None:
        """The node does not answer on the path that is known: look for another one next time."""
        RNS.Reticulum.get_instance().drop_path(bytes.fromhex(node))

    def _give_up(self, node: str, waiting: list[Found]) -> None:
        if self._waiting.get(node) is waiting:
            del self._waiting[node]
            known = _known(node)
            for found in waiting:
                found(known)


def _known(node: str) -> bool:
    hashed = bytes.fromhex(node)
    return RNS.Transport.has_path(hashed) and RNS.Identity.recall(hashed) is not None
