"""What the host has set on a device, and whether the radio can be switched on with it."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Final

from interfaces.radio.sim.ether import Channel
from lrgpnode.airtime.modem import Modem
from lrgpnode.protocol.value import Value
from lrgpnode.rnode.kiss import ASK, Command

BANDWIDTHS: Final = (
    7_800, 10_400, 15_600, 20_800, 31_250, 41_700, 62_500, 125_000, 250_000, 500_000,
)  # fmt: skip
"""In Hz, what the chips can do."""

UNSET_POWER: Final = 0xFF


@dataclass(frozen=True, slots=True, repr=False)
class Parameters(Value):
    """Frequency and bandwidth in Hz, power in dBm, airtime limits as shares from 0 (none) to 1."""

    frequency: int = 0
    bandwidth: int = 0
    spreading_factor: int = 0
    coding_rate: int = 5
    power: int = UNSET_POWER
    short_limit: float = 0.0
    long_limit: float = 0.0

    @property
    def complete(self) -> bool:
        return bool(self.frequency and self.bandwidth and self.spreading_factor and self.power != UNSET_POWER)

    def channel(self, *, sx127x: bool) -> Channel:
        modem = Modem(self.bandwidth, self.spreading_factor, self.coding_rate, sx127x=sx127x)
        return Channel(self.frequency, modem)


def possible_bandwidth(asked: int) -> int:
    """The narrowest that is not narrower than ``asked``, in Hz."""
    return next((width for width in BANDWIDTHS if width >= asked), BANDWIDTHS[-1])


SETTINGS: Final = frozenset(
    (
        Command.FREQUENCY,
        Command.BANDWIDTH,
        Command.TXPOWER,
        Command.SF,
        Command.CR,
        Command.ST_ALOCK,
        Command.LT_ALOCK,
    )
)


def changed(old: Parameters, command: int, payload: bytes, most_power: int) -> tuple[Parameters, bytes]:
    """What a command of ``SETTINGS`` makes of the parameters, and its answer.

    What the board cannot do is brought to the nearest that it can. A question changes nothing.
    """
    value = int.from_bytes(payload)
    match command:
        case Command.FREQUENCY:
            new = replace(old, frequency=value or old.frequency)
            return new, new.frequency.to_bytes(4)
        case Command.BANDWIDTH:
            new = replace(old, bandwidth=possible_bandwidth(value) if value else old.bandwidth)
            return new, new.bandwidth.to_bytes(4)
        case Command.TXPOWER:
            new = old if value == ASK else replace(old, power=min(value, most_power))
            return new, bytes([new.power])
        case Command.SF:
            new = old if value == ASK else replace(old, spreading_factor=max(5, min(value, 12)))
            return new, bytes([new.spreading_factor])
        case Command.CR:
            new = old if value == ASK else replace(old, coding_rate=max(5, min(value, 8)))
            return new, bytes([new.coding_rate])
        case Command.ST_ALOCK:
            return replace(old, short_limit=value / 10_000), payload
        case Command.LT_ALOCK:
            return replace(old, long_limit=value / 10_000), payload
        case _:
            raise ValueError(f"command {command:#x} sets nothing")
