"""The page of everything the doctor can find, made from the catalogue.

``python -m lrgpnode.doctor.reference > docs/doctor.md``
"""

from __future__ import annotations

import sys
from typing import Final

from .checks import CHECKS
from .examine import subject
from .faults import FAULTS
from .finding import Fault

_INTRODUCTION: Final = """\
# The doctor

<!-- Made by `python -m lrgpnode.doctor.reference > docs/doctor.md` from lrgpnode/doctor. -->

    lrgpnode doctor

finds out what is wrong with a node and its machine. Each finding has one cause and one fix. It works whether
the node runs or not, asks a running one over its socket, and changes nothing: no Reticulum is started, the
shared instance of another program is asked as `rnstatus` does, ports are looked up in `/proc`, and a radio is
asked for its firmware only where nobody else has its port open. The exit code is 1 if an error was found.

It looks with the eyes of the user who runs the node: the one of the running process, else the service's, else
you. With `sudo` it sees more, for example which program of another user has a port.

"""

_SEVERITIES: Final = """
An **error** means that something does not work, a **warning** that it will go wrong or that something is
missing, a **note** is worth knowing. Words in capitals differ from machine to machine.
"""


def page() -> str:
    """The whole page."""
    subjects = "\n".join(f"- {subject(check)}" for check in CHECKS)
    parts = [_INTRODUCTION + "It looks at:\n\n" + subjects + "\n" + _SEVERITIES]
    parts += [_section(fault) for fault in FAULTS]
    return "\n".join(parts)


def _section(fault: Fault) -> str:
    names = {name: name.upper() for name in fault.names}
    found = fault(**names)
    return f"""\
## {fault.id}

{fault.severity.value.capitalize()}. {found.cause}

Fix: {found.fix}
"""


if __name__ == "__main__":
    sys.stdout.write(page())
