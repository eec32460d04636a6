"""The gateway and the arcade: what they need, as far as the settings and this machine say."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from importlib.util import find_spec

from lrgpnode.doctor import faults
from lrgpnode.doctor.finding import Finding
from lrgpnode.doctor.patient import Patient


def module(patient: Patient) -> Iterator[Finding]:
    """the web client and server that the gateway and the arcade need"""
    if find_spec("aiohttp") is None:
        for setting in patient.web.needed_by:
            yield faults.WEB_MODULE(setting=setting, python=sys.executable)
    if patient.web.ssh and find_spec("asyncssh") is None:
        for setting in patient.web.ssh:
            yield faults.SSH_MODULE(setting=setting, python=sys.executable)


def platforms(patient: Patient) -> Iterator[Finding]:
    """the platforms that settings of the gateway name"""
    for setting, platform, remedy in patient.web.unset:
        yield faults.PLATFORM_UNSET(
            setting=setting, platform=platform, set=patient.command("config", "set", *remedy)
        )


CHECKS = (module, platforms)
