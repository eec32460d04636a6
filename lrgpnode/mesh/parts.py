"""Resources, Reticulum's messages in parts: proved when what they hold is safe, not before.

Reticulum proves a resource as soon as it is whole and then tells the program; the sender takes the
proof for delivery. ``Resource.prove`` of the one resource is replaced, which is called in between.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any


def prove_after(resource: Any, keep: Callable[[bytes], bool]) -> None:
    """Prove once ``keep`` has taken the content. If it did not, end the link: the sender tries again."""
    prove = resource.prove

    def keep_and_prove() -> None:
        if keep(resource.data):
            prove()
        else:
            resource.link.teardown()

    resource.prove = keep_and_prove


class HeldProof:
    """A proof that is sent by ``release``, or never."""

    def __init__(self, resource: Any) -> None:
        self._resource = resource
        self._prove = resource.prove
        self._content = b""
        resource.prove = self._hold

    def _hold(self) -> None:
        self._content = self._resource.data

    def release(self) -> None:
        """Prove. The content has become a file by now, and the proof is made of its bytes."""
        resource = self._resource
        file, resource.data = resource.data, self._content
        try:
            self._prove()
        finally:
            resource.data = file
