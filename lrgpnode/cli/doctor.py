"""``lrgpnode doctor``: what is wrong with the node and its machine, and what to do about it."""

from __future__ import annotations

import os
import time
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from lrgpnode.cli.context import Context, json_option, pass_context, say_json, write
from lrgpnode.cli.exits import Exit
from lrgpnode.cli.text import clean
from lrgpnode.config import ConfigError, Paths, Settings, load
from lrgpnode.config.paths import SERVICE_DATA, SERVICE_SOCKET
from lrgpnode.control.client import ClientError

if TYPE_CHECKING:
    from lrgpnode.doctor.finding import Finding
    from lrgpnode.doctor.machine import Account, Machine
    from lrgpnode.doctor.patient import Answer, Patient, Running, Web
    from lrgpnode.doctor.unit import Unit

ASK_SECONDS = 5.0


@click.command()
@click.option("--unit", is_flag=True, help="Look at the service, with the eyes of its user.")
@json_option
@pass_context
def doctor(context: Context, unit: bool, as_json: bool) -> None:
    """Find out what is wrong, and what to do about it.

    It looks at the node's files, the machine and Reticulum, whether the node runs or not, and changes
    nothing. A radio is asked for its firmware only if no other program uses it. docs/doctor.md lists
    everything that it can find.
    """
    from lrgpnode.doctor.checks import CHECKS  # noqa: PLC0415 - loads sqlite3
    from lrgpnode.doctor.examine import examine, subject  # noqa: PLC0415
    from lrgpnode.doctor.finding import Severity  # noqa: PLC0415

    findings = examine(look(context, service=unit))
    ok = not any(finding.severity is Severity.ERROR for finding in findings)
    if as_json:
        say_json(
            {
                "ok": ok,
                "findings": [_as_json(finding) for finding in findings],
                "checked": [subject(check) for check in CHECKS],
            }
        )
    else:
        for finding in findings:
            write(f"{finding.severity.value.upper()}  {finding.id}")
            write(f"  {clean(finding.cause, 1000)}")
            write(f"  Fix: {clean(finding.fix, 1000)}")
        write(_summary(findings, len(CHECKS)))
    if not ok:
        raise click.exceptions.Exit(Exit.FAILED)


def _as_json(finding: Finding) -> dict[str, str]:
    return {
        "id": finding.id,
        "severity": finding.severity.value,
        "cause": finding.cause,
        "fix": finding.fix,
    }


def _summary(findings: Sequence[Finding], checks: int) -> str:
    from lrgpnode.doctor.finding import Severity  # noqa: PLC0415

    counts = [
        (sum(finding.severity is severity for finding in findings), severity.value) for severity in Severity
    ]
    said = ", ".join(f"{count} {name}{'' if count == 1 else 's'}" for count, name in counts if count)
    return f"{checks} checks: {said or 'nothing is wrong'}."


def look(context: Context, machine: Machine | None = None, *, service: bool = False) -> Patient:
    """Everything the checks need to know, without starting or changing anything.

    ``service``: it is the service that is meant, also where none is installed.
    """
    from lrgpnode.doctor import machine as machines  # noqa: PLC0415
    from lrgpnode.doctor.patient import Patient, Probe, Web  # noqa: PLC0415
    from lrgpnode.doctor.unit import read_unit  # noqa: PLC0415
    from lrgpnode.mesh import probe  # noqa: PLC0415 - loads Reticulum

    machine = machine or machines.Machine()
    if service and context.data is None:
        context = replace(context, data=SERVICE_DATA, socket=context.socket or SERVICE_SOCKET)
    paths = context.paths()
    service = service or paths.service
    unit = read_unit(machine) if service else None
    running = _running(context)
    account = _account(machine, paths, running, unit, service=service)
    settings_error, set_dir, propagation, auto, region, web = "", None, False, True, "", Web()
    try:
        settings = load(context.options()).settings
        set_dir = settings.rns_config_dir
        propagation, auto = bool(settings.propagation_nodes), settings.propagation_auto
        region, web = settings.airtime_region, _web(settings)
    except ConfigError as error:
        settings_error = f"{error}."
    private = _private_config(machine, paths, running)
    rns_dir = private or set_dir or probe.config_dir(account.home, machine.etc)
    config, config_error, closed = None, "", False
    try:
        config = probe.read_config(rns_dir)
    except probe.ConfigUnusable as error:
        config_error = str(error)
    except OSError:
        closed = True

    def ask() -> tuple[Answer, Sequence[tuple[str, bool]]]:
        from lrgpnode.doctor.patient import Answer  # noqa: PLC0415

        assert config is not None
        status = probe.ask(config, machine.ask_seconds)
        return Answer[status.answer.name], status.interfaces

    return Patient(
        machine=machine,
        account=account,
        data=paths.data,
        socket=paths.socket,
        settings=paths.config,
        settings_error=settings_error,
        rns_dir=rns_dir,
        rns_dir_is_set=private is None and set_dir is not None,
        config=config,
        config_error=config_error,
        config_closed=closed,
        propagation=propagation,
        propagation_auto=auto,
        region=region,
        web=web,
        probe=Probe(
            ask=ask, nodes=probe.propagation_nodes, identity=_identity, firmware=probe.REQUIRED_FIRMWARE
        ),
        running=running,
        service=service,
        unit=unit,
        command=context.command,
        now=time.time(),
    )


def _web(settings: Settings) -> Web:
    from lrgpnode.doctor.patient import Web  # noqa: PLC0415

    on = {"gateway.enabled": settings.gateway_enabled, "arcade.enabled": settings.arcade_enabled}
    remedies = {
        "arcade": ("arcade.enabled", "true"),
        "rcadia": ("rcadia.url", "https://api.rcadia.xyz"),
        "agentgames": ("agentgames.url", "wss://bbs.profullstack.com"),
    }
    set_up = {
        "arcade": settings.arcade_enabled,
        "rcadia": bool(settings.rcadia_url),
        "agentgames": bool(settings.agentgames_url or settings.agentgames_ssh),
    }
    missing = {name for name, there in set_up.items() if not there}
    named = [("gateway.routes", route.partition("=")[2]) for route in settings.gateway_routes]
    named += [("hosting.platform", settings.hosting_platform)] if settings.hosting_games else []
    found = [(key, name, remedies[name]) for key, name in dict.fromkeys(named) if name in missing]
    return Web(
        needed_by=tuple(key for key, value in on.items() if value),
        unset=tuple(found) if settings.gateway_enabled else (),
        ssh=tuple(
            key
            for key, on in (
                ("agentgames.ssh", settings.gateway_enabled and settings.agentgames_ssh),
                ("arcade.ssh_listen", settings.arcade_enabled and settings.arcade_ssh_listen),
            )
            if on
        ),
    )


def _running(context: Context) -> Running | None:
    from lrgpnode.doctor.patient import Running  # noqa: PLC0415

    try:
        with context.client(ASK_SECONDS) as client:
            status: dict[str, Any] = client.call("node.status")
    except ClientError:
        return None
    return Running(pid=status["pid"], status=status)


def _account(
    machine: Machine, paths: Paths, running: Running | None, unit: Unit | None, *, service: bool
) -> Account:
    """Whom the node runs as, or would if it were started in the usual way."""
    from lrgpnode.doctor import machine as machines  # noqa: PLC0415
    from lrgpnode.doctor.unit import service_account  # noqa: PLC0415

    if running is not None:
        account = machine.account_of(running.pid)
        if account is not None:
            return account
    if service:
        account = service_account(unit)
        if account is not None:
            return account
    if os.geteuid() == 0:
        # With sudo, a person looks at a node that is not root's.
        with suppress(OSError):
            owner = paths.data.stat().st_uid
            if owner != 0:
                return machines.account(owner)
    return machines.current_account()


def _private_config(machine: Machine, paths: Paths, running: Running | None) -> Path | None:
    """Reticulum's directory where the command line of the running node says it."""
    if running is None:
        return None
    words = machine.arguments(running.pid)
    for number, word in enumerate(words):
        option, equals, value = word.partition("=")
        if option in ("--listen", "--connect"):
            return paths.data / "reticulum"
        if option == "--rns-config":
            value = value if equals else "".join(words[number + 1 : number + 2])
            return machine.directory(running.pid) / value
    return None


def _identity(key: bytes) -> str:
    from lrgpnode.mesh import identity  # noqa: PLC0415 - loads Reticulum

    try:
        return identity.from_key(key).hash
    except identity.IdentityError as error:
        raise ValueError(str(error)) from None
