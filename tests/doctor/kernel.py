"""Make the kernel refuse a system call to this process and what it starts: seccomp, no privilege needed.

That is what a file system without locks, or without modes, looks like to a program.
"""

from __future__ import annotations

import ctypes
import platform
import struct
from typing import Final

_NUMBERS: Final = {
    "x86_64": {"flock": 73, "fcntl": 72, "fchmod": 91},
    "aarch64": {"flock": 32, "fcntl": 25, "fchmod": 52},
}
_PR_SET_NO_NEW_PRIVS, _PR_SET_SECCOMP, _FILTER = 38, 22, 2
_ALLOW, _ERRNO = 0x7FFF0000, 0x00050000


def available() -> bool:
    return platform.machine() in _NUMBERS


def refuse(call: str, errno: int) -> None:
    """From now on ``call`` fails with ``errno``; with 0 it says that it succeeded, and does nothing."""
    number = _NUMBERS[platform.machine()][call]
    program = b"".join(
        struct.pack("HBBI", *instruction)
        for instruction in (
            (0x20, 0, 0, 0),  # load the number of the system call
            (0x15, 0, 1, number),  # skip one if it is another
            (0x06, 0, 0, _ERRNO | errno),
            (0x06, 0, 0, _ALLOW),
        )
    )
    code = ctypes.create_string_buffer(program, len(program))

    class Filter(ctypes.Structure):
        _fields_ = (("length", ctypes.c_ushort), ("code", ctypes.c_void_p))

    libc = ctypes.CDLL(None, use_errno=True)
    given = Filter(len(program) // 8, ctypes.addressof(code))
    assert libc.prctl(_PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) == 0
    assert libc.prctl(_PR_SET_SECCOMP, _FILTER, ctypes.byref(given), 0, 0) == 0, ctypes.get_errno()
