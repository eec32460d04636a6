"""What can be wrong with a device."""

from __future__ import annotations

from dataclasses import dataclass

from lrgpnode.protocol.value import Value


@dataclass(frozen=True, slots=True, repr=False)
class Faults(Value):
    """``mute``: works, and tells its host nothing. ``hung``: does nothing at all, with the port still open.

    ``spreading_factor``: what it says where it was set to another. ``dead_radio``: the chip does not start,
    which the device reports as error 1.
    """

    mute: bool = False
    hung: bool = False
    spreading_factor: int | None = None
    dead_radio: bool = False

    def __post_init__(self) -> None:
        if self.spreading_factor is not None and not 0 <= self.spreading_factor <= 255:
            raise ValueError(f"a spreading factor of {self.spreading_factor} does not fit into a byte")
