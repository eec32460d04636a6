"""What two radios must have in common, as one line to compare and two words to say to each other."""

from __future__ import annotations

from functools import cache
from hashlib import sha256
from importlib.resources import files

from .law import khz, mhz
from .tuned import Tuned


def line(radio: Tuned) -> str:
    """Everything that two radios must have in common, but for a passphrase: whether there is one."""
    parts = [
        f"{mhz(radio.frequency or 0)} MHz",
        f"BW {khz(radio.bandwidth or 0)} kHz",
        f"SF {radio.spreading_factor or 0}",
        f"CR 4/{radio.coding_rate or 0}",
    ]
    if radio.network or radio.locked:
        access = [f"network {radio.network}" if radio.network else "no network name"]
        access.append("with a passphrase" if radio.locked else "without a passphrase")
        if radio.ifac_size:
            access.append(f"{radio.ifac_size} bits")
        parts.append(f"access code: {', '.join(access)}")
    else:
        parts.append("no access code")
    return " / ".join(parts)


def word(radio: Tuned) -> str:
    """Two words, one of 4096 pairs, that are equal where the radios can hear each other.

    They follow from the text ``FREQUENCY/BANDWIDTH/SF/NETWORK/LOCKED/SIZE``: the numbers in Hz, the name of
    the network, 1 with a passphrase else 0, the size of the access code in bits, 0 if that is not set. Of
    its SHA-256 the first six bits choose the first word, the next six the second. The coding rate is not
    in it, since a receiver learns it from each frame; nor is the passphrase, which would be given away.
    """
    size = (radio.ifac_size or 0) if radio.network or radio.locked else 0
    text = (
        f"{radio.frequency or 0}/{radio.bandwidth or 0}/{radio.spreading_factor or 0}"
        f"/{radio.network}/{int(radio.locked)}/{size}"
    )
    number = int.from_bytes(sha256(text.encode("utf-8", "surrogateescape")).digest()[:2])
    first, second = words()[number >> 10], words()[number >> 4 & 63]
    return f"{first[0]} {second[1]}"


@cache
def words() -> tuple[tuple[str, str], ...]:
    """64 pairs of an adjective and a noun. They never change: words of two versions would differ."""
    text = files("firmware_configs").joinpath("words.txt").read_text("utf-8")
    pairs = (line.split() for line in text.splitlines())
    return tuple((first, second) for first, second in pairs)
