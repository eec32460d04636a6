"""The catalogue: everything the doctor can find, from which docs/doctor.md is made."""

from __future__ import annotations

from typing import Final

from lrgpnode.rnode import troubles

from .finding import Fault, Severity

_E, _W, _N = Severity.ERROR, Severity.WARNING, Severity.NOTE


def _of_radios(trouble: troubles.Trouble) -> Fault:
    return next(fault for fault in RADIO_TROUBLES if fault.id == trouble.id)


# Reticulum

RNS_CONFIG_MISSING: Final = Fault(
    "rns-config-missing",
    _E,
    "There is no Reticulum configuration in {directory}, which the setting rns.config_dir names.",
    "Write {directory}/config, or take rns.config_dir out of {settings}.",
)
RNS_CONFIG_CLOSED: Final = Fault(
    "rns-config-closed",
    _E,
    "The user {user} may not read {file}, the configuration of Reticulum.",
    "Let its group read it: `sudo chgrp {group} {file} && sudo chmod g+r {file}`.",
)
RNS_CONFIG_INVALID: Final = Fault(
    "rns-config-invalid",
    _E,
    "Reticulum cannot use {file}: {reason}",
    "Correct that line; `rnsd --exampleconfig` prints a valid file.",
)
RNS_NONE: Final = Fault(
    "rns-none",
    _W,
    "Nothing on this machine runs Reticulum: neither the node nor a program that shares it on {socket}.",
    "Start the node with `{start}`.",
)
RNS_LOST: Final = Fault(
    "rns-lost",
    _E,
    "The node uses the Reticulum of another program, and that has ended: nobody listens on {socket}.",
    "Start that program again, then restart the node.",
)
RNS_OTHER: Final = Fault(
    "rns-other",
    _N,
    "{process} runs Reticulum for this machine on {socket}; the node uses its interfaces, none of its own.",
    "Nothing if that is meant; else give {file} another instance_name, so that the node has its own.",
)
RNS_RPC_AUTH: Final = Fault(
    "rns-rpc-auth",
    _E,
    "RPC authentication failed: {process} shares its Reticulum on {socket} and refuses the key of {file}.",
    "Give both programs one configuration directory, or the same line `rpc_key = ...` under [reticulum].",
)
RNS_FOREIGN: Final = Fault(
    "rns-foreign",
    _E,
    "{process} has {socket}, where Reticulum would share its instance, and does not answer like Reticulum.",
    "Stop that program, or give {file} another instance_name (over TCP: shared_instance_port).",
)
RNS_NO_INTERFACES: Final = Fault(
    "rns-no-interfaces",
    _E,
    "Reticulum has no interface, so nobody can be reached: {where} has none that is enabled.",
    "Enable one there, for example an AutoInterface for the local network, and restart {program}.",
)
INTERFACE_DOWN: Final = Fault(
    "interface-down",
    _W,
    "The interface {interface} is offline.",
    "See that its device is plugged in, or that its other end runs; Reticulum tries again by itself.",
)
INTERFACE_FAILED: Final = Fault(
    "interface-failed",
    _E,
    "The interface {interface} could not be brought up: {reason}",
    "Correct its section in Reticulum's configuration and restart the node.",
)

RNS_DIR_CLOSED: Final = Fault(
    "rns-dir-closed",
    _E,
    "The user {user} may not write to {directory}, where Reticulum keeps what it knows.",
    "`sudo chgrp -R {group} {directory} && sudo chmod -R g+rwX {directory}`.",
)

# Serial ports

SERIAL_ABSENT: Final = Fault(
    "serial-absent",
    _E,
    "The serial port {port} of the interface {interface} is not there.",
    "Plug the device in, or write the port that it has now into {file}: {choices}.",
)
SERIAL_NAME: Final = Fault(
    "serial-name",
    _W,
    "The interface {interface} names its port {port}; another device may have that name after a restart.",
    "Write its lasting name into {file}: `port = {lasting}`.",
)
SERIAL_GROUP: Final = Fault(
    "serial-group",
    _E,
    "The user {user} may not open {port} of the interface {interface}: it belongs to the group {group}.",
    "`sudo usermod -aG {group} {user}`, then log in again, or `sudo systemctl restart lrgpnode`.",
)
SERIAL_MODE: Final = Fault(
    "serial-mode",
    _E,
    "The user {user} may not open {port} of the interface {interface}: it is {owner}:{group}, mode {mode}.",
    'Give such ports to a group with `echo \'KERNEL=="{kernel}", GROUP="dialout", MODE="0660"\' | '
    "sudo tee /etc/udev/rules.d/60-lrgpnode.rules`, `sudo usermod -aG dialout {user}`, and `sudo reboot`.",
)
SERIAL_BUSY: Final = Fault(
    "serial-busy",
    _E,
    "{process} has {port} open, which the interface {interface} needs.",
    "Stop that program; if it is a Reticulum program, let it share its instance instead.",
)
SERIAL_CONSOLE: Final = Fault(
    "serial-console",
    _E,
    "The login console of the system is on {port}, which the interface {interface} needs: {where}.",
    "`sudo raspi-config nonint do_serial_cons 1`, then `sudo reboot`.",
)

# Radios

RADIO_TROUBLES: Final = tuple(
    Fault(trouble.id, _E, trouble.cause, trouble.fix) for trouble in troubles.TROUBLES
)
"""What the running node says of its own radios, in the same words."""

RADIO_SILENT: Final = _of_radios(troubles.SILENT)
RADIO_FIRMWARE: Final = _of_radios(troubles.FIRMWARE)
RADIO_SECTION: Final = _of_radios(troubles.SECTION)
RADIO_MODULE: Final = _of_radios(troubles.MODULE_MISSING)
RADIO_DUTY: Final = Fault(
    "radio-duty",
    _E,
    "The interface {interface} sends on {frequency} MHz, where the law of {region} allows {percent} % of "
    "the time; its airtime_limit_long is {limit}.",
    "Write `airtime_limit_long = {percent}` into the section of {interface} in {file}. If the radio is "
    "elsewhere, name its region: `{set}`.",
)
RADIO_BAND: Final = Fault(
    "radio-band",
    _W,
    "The interface {interface} sends on {frequency} MHz with {bandwidth} kHz, a channel that lies in none of "
    "the bands of {region} as a whole.",
    "`lrgpnode radio setup --region {region}` chooses a lawful channel; docs/radio-law.md lists the bands. "
    "If the radio is elsewhere, name its region: `{set}`.",
)

# Network

PORT_TAKEN: Final = Fault(
    "port-taken",
    _E,
    "The interface {interface} is to listen on {kind} port {port}, which {process} has.",
    "Stop that program, or choose another listen_port for {interface} in {file}.",
)
PROPAGATION_NONE: Final = Fault(
    "propagation-none",
    _W,
    "No propagation node is set or known: what is for somebody who is away waits here until both are there.",
    "Name one with `{command}`, or wait until one announces itself, if propagation.auto is on.",
)

# Time

CLOCK_BEHIND: Final = Fault(
    "clock-behind",
    _E,
    "The clock is wrong: it says {now}, and the database has something of {newest}.",
    "Set the clock: connect to a network for a moment (NTP), or `sudo timedatectl set-time`.",
)
CLOCK_UNTRUSTED: Final = Fault(
    "clock-untrusted",
    _W,
    "The clock is not synchronised with a time server; after a start without a network it may be months off.",
    "`sudo timedatectl set-ntp true` with a network, or add a real-time clock.",
)

# Files of the node

SETTINGS_INVALID: Final = Fault(
    "settings-invalid",
    _E,
    "The settings cannot be used: {reason}",
    "Correct that line of the file; docs/settings.md describes every setting.",
)
DATA_MISSING: Final = Fault(
    "data-missing",
    _N,
    "No node has run here yet: there is no data directory {data}.",
    "Start it with `{start}`, or name another directory with --data.",
)
DATA_OWNER: Final = Fault(
    "data-owner",
    _E,
    "{path} belongs to {owner}, not to {user}, who runs the node.",
    "`sudo chown -R {user}: {data}`.",
)
DATA_MODE: Final = Fault(
    "data-mode",
    _W,
    "{path} is open to other users of this machine (mode {mode}).",
    "`chmod {wanted} {path}`.",
)
DATA_CLOSED: Final = Fault(
    "data-closed",
    _E,
    "The user {user} may not write to {path} (mode {mode}).",
    "`chmod u+rw{x} {path}`.",
)
KEY_OPEN: Final = Fault(
    "key-open",
    _E,
    "The private key {path} can be read by other users of this machine (mode {mode}).",
    "`chmod 600 {path}`.",
)
TOKEN_OPEN: Final = Fault(
    "token-open",
    _E,
    "Other users of this machine can read the token {path} (mode {mode}), so it is not used.",
    "`chmod 600 {path}`, and ask the platform for a new token if somebody else may have read it.",
)
KEY_DAMAGED: Final = Fault(
    "key-damaged",
    _E,
    "The identity {path} cannot be used: {reason}",
    "Put the file back from a backup; move it away to start without that identity.",
)
DATA_NO_LOCKS: Final = Fault(
    "data-no-locks",
    _E,
    "The file system of {data} ({kind}) cannot lock files, which the database needs: {reason}.",
    "Keep the data directory on a local disk: move it there and name it with --data.",
)
DATA_NO_MODES: Final = Fault(
    "data-no-modes",
    _E,
    "The file system of {data} ({kind}) knows no modes, so the private keys are open to every user.",
    "Keep the data directory on a Linux file system such as ext4: move it there and name it with --data.",
)
DATA_READ_ONLY: Final = Fault(
    "data-read-only",
    _E,
    "The file system of {data} is mounted read-only.",
    "`sudo mount -o remount,rw {mount}`; a card that does this by itself is worn out: replace it.",
)
DATABASE_DAMAGED: Final = Fault(
    "database-damaged",
    _E,
    "The database {path} is damaged: {reason}",
    "Stop the node, keep a copy of the file, and put the newest backup back with `{restore}`.",
)
DATABASE_UNUSABLE: Final = Fault(
    "database-unusable",
    _E,
    "The database cannot be used: {reason}",
    "If lrgpnode was set back to an older version, update it again; else put a backup back with `{restore}`.",
)
DISK_FULL: Final = Fault(
    "disk-full",
    _E,
    "The disk of {data} is nearly full: {free} MB are free, the node wants at least {wanted} MB.",
    "Make room, for example with `sudo apt clean` and `sudo journalctl --vacuum-size=50M`.",
)
DISK_FILES: Final = Fault(
    "disk-files",
    _E,
    "The disk of {data} has room for only {free} more files.",
    "Delete files that are not needed; `sudo du --inodes -d 3 / | sort -n` shows where the most are.",
)

# The service

UNIT_MISSING: Final = Fault(
    "unit-missing",
    _E,
    "The service is not installed: there is no unit lrgpnode.service.",
    "`sudo lrgpnode service install`.",
)
UNIT_USER: Final = Fault(
    "unit-user",
    _E,
    "The user {user}, whom the service is to run as, does not exist.",
    "`sudo lrgpnode service install` makes it, or `sudo systemd-sysusers`.",
)
UNIT_PROGRAM_MISSING: Final = Fault(
    "unit-program-missing",
    _E,
    "The service starts {program}, but there is no {missing}.",
    "Install lrgpnode again, and run `sudo lrgpnode service install` with that installation.",
)
UNIT_PROGRAM: Final = Fault(
    "unit-program",
    _E,
    "The user {user} may not run {program}, which the service starts: {closed} is closed to it.",
    "Install lrgpnode into /opt/lrgpnode, and run `sudo /opt/lrgpnode/bin/lrgpnode service install`.",
)

# The running node

NODE_SILENT: Final = Fault(
    "node-silent",
    _E,
    "A node runs on {data} ({process}), but does not answer on {socket}.",
    "End it with `{end}`, and start it again with `{start}`; its log says what it was doing.",
)
SOCKET_STALE: Final = Fault(
    "socket-stale",
    _W,
    "The control socket {socket} was left behind by a node that was killed.",
    "Start the node with `{start}`: it replaces it.",
)
SOCKET_BLOCKED: Final = Fault(
    "socket-blocked",
    _E,
    "{socket} is no socket, so the node cannot make its control socket there.",
    "Move that file away, or choose another path with $LRGPNODE_SOCKET.",
)
PLATFORM_DOWN: Final = Fault(
    "platform-down",
    _W,
    "The gateway cannot use the platform {platform}: {reason}.",
    "See that this machine reaches it, and that `{accounts}` names an account that it takes.",
)
PLATFORM_UNSET: Final = Fault(
    "platform-unset",
    _E,
    "{setting} names the platform {platform}, which is not set up.",
    "Set it up with `{set}`, or take it out of {setting}.",
)
WEB_MODULE: Final = Fault(
    "web-module",
    _E,
    "{setting} is on, and Python's module aiohttp, which it needs, is not installed.",
    "Install it for the node: `{python} -m pip install 'lrgpnode[gateway]'`; or turn {setting} off.",
)
SSH_MODULE: Final = Fault(
    "ssh-module",
    _E,
    "{setting} is set, and Python's module asyncssh, which it needs, is not installed.",
    "Install it for the node: `{python} -m pip install 'lrgpnode[ssh]'`; or unset {setting}.",
)
NODE_PROBLEM: Final = Fault(
    "node-problem",
    _W,
    "The running node reports: {problem}",
    "Its log says more; a game that is left out is installed anew with `pip install --force-reinstall`.",
)
NOT_LOOKED: Final = Fault(
    "not-looked",
    _N,
    "The doctor could not look at {what}: {reason}.",
    "Run it as the user of the node, or with sudo.",
)

_ROWS: Final = [
    row
    for value in list(globals().values())
    for row in (value if value is RADIO_TROUBLES else (value,))
    if isinstance(row, Fault)
]
FAULTS: Final = tuple(dict.fromkeys(_ROWS))
"""All of them, in the order above."""
