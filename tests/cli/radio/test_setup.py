"""``radio setup`` and ``radio show`` on real files, and what must be started again."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from dataclasses import replace
from pathlib import Path
from typing import Any

import click
import pytest

from lrgpnode.cli.radio.restart import what_to_restart
from lrgpnode.cli.root import lrgpnode
from lrgpnode.doctor.machine import Process
from lrgpnode.mesh.probe import read_config
from lrgpnode.radio import writing
from lrgpnode.radio.law import RadioError
from tests.cli.radio.conftest import Bench, Board, rom
from tests.doctor.conftest import DIALOUT, NOBODY, as_root
from tests.doctor.test_serial import HOLD


def options(bench: Bench, name: str = "LoRa") -> dict[str, str]:
    (found,) = [item for item in read_config(bench.ward.rns).interfaces if item.name == name]
    return dict(found.options)


def backups(bench: Bench) -> list[Path]:
    return sorted(bench.ward.rns.glob("config.*.bak"))


def test_europe(bench: Bench) -> None:
    Board(bench.plug("ttyACM0", "usb-RAK"))
    before = bench.config.read_bytes()
    code, out, _ = bench.run("setup", "--region", "EU868", "--yes")
    assert code == 0
    assert options(bench) == {
        "type": "RNodeInterface",
        "enabled": "yes",
        "port": "/dev/serial/by-id/usb-RAK",
        "frequency": "869525000",
        "bandwidth": "250000",
        "spreadingfactor": "9",
        "codingrate": "5",
        "txpower": "22",
        "flow_control": "no",
        "airtime_limit_long": "10",
        "airtime_limit_short": "33",
    }
    assert bench.config.read_bytes().startswith(before)
    assert [file.read_bytes() for file in backups(bench)] == [before]
    assert "\n+    airtime_limit_long = 10" in out
    assert f"{bench.config} (new)" in out
    assert "No program runs with it now. Start the node: lrgpnode --data" in out
    assert "config set airtime" not in out
    found = bench.ward.examine()
    assert not {"radio-duty", "radio-band", "serial-name", "serial-absent"} & set(found)


def test_nothing_is_written_twice(bench: Bench) -> None:
    Board(bench.plug("ttyACM0", "usb-RAK"))
    bench.run("setup", "--region", "EU868", "--yes")
    code, out, _ = bench.run("setup", "--region", "EU868", "--yes")
    assert code == 0
    assert "already says so" in out
    assert len(backups(bench)) == 1


def test_a_dry_run_changes_nothing(bench: Bench) -> None:
    Board(bench.plug("ttyACM0", "usb-RAK"))
    before = bench.config.read_bytes()
    said = bench.json("setup", "--region", "US915", "--dry-run")
    assert (said["written"], said["changed"]) == (False, True)
    assert said["options"]["bandwidth"] == "500000"
    assert "airtime_limit_long" not in said["options"]
    assert bench.config.read_bytes() == before
    assert backups(bench) == []


def test_the_older_radio_at_the_port_is_changed_and_the_rest_stays(bench: Bench) -> None:
    Board(bench.plug("ttyACM0", "usb-RAK"))
    bench.ward.interfaces(
        bench.ward.rnode(
            "/dev/ttyACM0", "frequency = 867200000 # quiet\npassphrase = swordfish\n", name="Mast"
        ),
        bench.ward.rnode("/dev/ttyUSB7", name="LoRa"),
    )
    code, out, _ = bench.run(
        "setup", "--region", "EU868", "--preset", "reticulum", "--frequency", "867.2", "--yes"
    )
    assert code == 0
    mast = options(bench, "Mast")
    assert (mast["frequency"], mast["port"]) == ("867200000", "/dev/serial/by-id/usb-RAK")
    assert (mast["airtime_limit_long"], mast["txpower"]) == ("1", "14")
    assert mast["passphrase"] == "swordfish"
    assert options(bench, "LoRa")["port"] == "/dev/ttyUSB7"
    assert "frequency = 867200000 # quiet\n" in bench.config.read_text()
    assert "swordfish" not in out


def test_a_name_that_is_taken(bench: Bench) -> None:
    Board(bench.plug("ttyACM0", "usb-RAK"))
    bench.ward.interfaces(
        bench.ward.rnode("/dev/serial/by-id/usb-RAK", name="Mast"), "[[Net]]\ntype = AutoInterface\n"
    )
    before = bench.config.read_bytes()
    code, _, err = bench.run("setup", "--region", "EU868", "--yes", "--name", "Second")
    assert code == 1
    assert "The interface Mast has the port" in err
    code, _, err = bench.run("setup", "--region", "EU868", "--yes", "--name", "Net")
    assert code == 1
    assert "has the port" in err
    bench.ward.interfaces(bench.ward.rnode("/dev/other", name="LoRa"), "[[Net]]\ntype = AutoInterface\n")
    assert (
        "is of the type AutoInterface" in bench.run("setup", "--region", "EU868", "--yes", "--name", "Net")[2]
    )
    assert bench.json("setup", "--region", "EU868")["name"] == "LoRa 2"
    assert before != bench.config.read_bytes()


def test_where_there_is_no_configuration(bench: Bench, tmp_path: Path) -> None:
    Board(bench.plug("ttyACM0", "usb-RAK"))
    directory = tmp_path / "fresh"
    said = bench.json("setup", "--region", "EU868", "--config-dir", str(directory))
    assert said["backup"] is None
    config = read_config(directory)
    assert [item.name for item in config.interfaces if item.enabled] == ["Default Interface", "LoRa"]
    assert config.shares
    assert (directory / "config").stat().st_mode & 0o777 == 0o600
    shown = bench.json("show", "--config-dir", str(directory))
    assert shown["radios"][0]["preset"] == "medium-fast"


def test_roles(bench: Bench) -> None:
    Board(bench.plug("ttyACM0", "usb-RAK"))
    bench.run("setup", "--region", "EU868", "--yes", "--role", "access-point")
    assert options(bench)["mode"] == "access_point"
    code, out, _ = bench.run("setup", "--region", "EU868", "--yes", "--role", "gateway")
    assert (options(bench)["mode"], options(bench)["announce_cap"]) == ("internal", "2")
    assert "`mode = boundary`" in out
    assert code == 0


@pytest.mark.parametrize(
    ("words", "reason"),
    [
        (["--region", "US915", "--preset", "long-fast"], "US915 allows 0.4 s"),
        (["--region", "EU868", "--frequency", "868.65"], "not open"),
        (["--region", "EU868", "--txpower", "23"], "22 dBm at most"),
        (["--region", "CN470"], "built for 779 to 928 MHz"),
        (["--region", "Mars"], "no region 'Mars'"),
        (["--region", "EU868", "--sf", "7"], "needs --bandwidth and --sf"),
        (["--region", "EU868", "--name", "a]"], "cannot be the name"),
        ([], "--region is missing"),
    ],
)
def test_what_is_refused_changes_nothing(bench: Bench, words: list[str], reason: str) -> None:
    Board(bench.plug("ttyACM0", "usb-RAK"))
    before = bench.config.read_bytes()
    code, _, err = bench.run("setup", "--yes", *words)
    assert code in (1, 2)
    assert reason in err
    assert bench.config.read_bytes() == before


def test_a_board_that_reticulum_would_die_of_is_refused(bench: Bench) -> None:
    Board(bench.plug("ttyACM0", "usb-RAK"), version=(1, 40))
    code, _, err = bench.run("setup", "--region", "EU868", "--yes")
    assert code == 1
    assert "firmware 1.40" in err
    assert "rnodeconf /dev/serial/by-id/usb-RAK --update" in err


def test_a_board_that_another_program_has_is_set_up_unasked(bench: Bench) -> None:
    board = Board(bench.plug("ttyACM0", "usb-RAK"))
    bench.ward.process(HOLD, (bench.machine.dev / "ttyACM0").resolve())
    code, _, err = bench.run("setup", "--region", "EU868", "--yes")
    assert code == 0
    assert "The board was not asked" in err
    assert options(bench)["txpower"] == "14"
    assert board.heard == b""


def test_the_board_decides_what_its_radio_can(bench: Bench) -> None:
    Board(bench.plug("ttyUSB0", "usb-CP", usb="10c4:ea60"), image=rom(0xC0, 0xC9))  # Heltec v2, SX1276
    bench.run("setup", "--region", "EU868", "--yes")
    assert options(bench)["txpower"] == "17"


def test_frequencies_in_hertz_too(bench: Bench) -> None:
    Board(bench.plug("ttyACM0", "usb-RAK"))
    words = ["--frequency", "867500000", "--bandwidth", "125000", "--sf", "8"]
    said = bench.json("setup", "--region", "EU868", *words)
    assert (said["options"]["frequency"], said["options"]["bandwidth"]) == ("867500000", "125000")
    assert bench.run("setup", "--yes", "--region", "EU868", "--frequency", "lots")[0] == 2
    assert bench.run("setup", "--yes", "--region", "EU868", "--frequency", "nan")[0] == 2


def test_another_coding_rate_is_no_other_preset(bench: Bench) -> None:
    Board(bench.plug("ttyACM0", "usb-RAK"))
    said = bench.json("setup", "--region", "EU868", "--cr", "8")
    found = {key: said["options"][key] for key in ("bandwidth", "spreadingfactor", "codingrate")}
    assert found == {"bandwidth": "250000", "spreadingfactor": "9", "codingrate": "8"}
    code, _, err = bench.run("setup", "--yes", "--region", "EU868", "--cr", "9")
    assert code == 1
    assert "5 to 8" in err


def answered(bench: Bench, text: str, *words: str) -> Any:
    from click.testing import CliRunner

    command: click.Command = lrgpnode
    return CliRunner().invoke(command, ["--data", str(bench.ward.data), "radio", "setup", *words], input=text)


def test_the_wizard(bench: Bench) -> None:
    bench.uart("ttyAMA0")
    Board(bench.plug("ttyACM0", "usb-RAK"))
    before = bench.config.read_bytes()
    result = answered(bench, "eu868\n\nlong-fast\nn\n")
    assert result.exit_code == 0, result.output
    assert "Nothing was changed." in result.output
    assert bench.config.read_bytes() == before
    assert "long-fast" in result.output
    assert "short-turbo" in result.output
    result = answered(bench, "Mars\nUS915\n1\n\ny\n")
    assert result.exit_code == 0, result.output
    assert "Wrote" in result.output
    # What the law does not allow is not offered.
    assert "long-fast" not in result.output
    assert options(bench)["bandwidth"] == "500000"


def test_a_file_that_changes_meanwhile(tmp_path: Path) -> None:
    file = tmp_path / "config"
    file.write_bytes(b"theirs")
    with pytest.raises(RadioError, match="changed meanwhile"):
        writing.replace(file, b"ours", b"new")
    assert file.read_bytes() == b"theirs"
    assert [entry.name for entry in tmp_path.iterdir()] == ["config"]


@as_root
def test_owner_and_mode_stay_and_a_link_is_followed(tmp_path: Path) -> None:
    real = tmp_path / "real"
    real.write_bytes(b"old")
    os.chown(real, NOBODY, NOBODY)
    real.chmod(0o640)
    link = tmp_path / "config"
    link.symlink_to(real)
    backup = writing.replace(link, b"old", b"new")
    assert link.is_symlink()
    assert backup is not None
    for file in (real, backup):
        assert (file.stat().st_uid, file.stat().st_gid, file.stat().st_mode & 0o777) == (
            NOBODY,
            NOBODY,
            0o640,
        )
    assert (real.read_bytes(), backup.read_bytes()) == (b"new", b"old")


def test_a_layout_that_is_not_understood_is_left_alone(bench: Bench) -> None:
    Board(bench.plug("ttyACM0", "usb-RAK"))
    text = f"[interfaces]\n{bench.ward.rnode('/dev/x', name='LoRa')}[[[part]]]\nfrequency = 1\n"
    bench.config.write_text(text)
    code, _, err = bench.run("setup", "--region", "EU868", "--yes", "--name", "LoRa")
    assert code == 1
    assert "a layout that is not understood" in err
    assert bench.config.read_text() == text
    bench.config.write_text("[interfaces\n[[LoRa]]\n")
    code, _, err = bench.run("setup", "--region", "EU868", "--yes")
    assert code == 5
    assert "Reticulum could not read" in err


def test_show(bench: Bench) -> None:
    assert bench.run("show")[0] == 1
    bench.ward.interfaces(
        bench.ward.rnode(
            "/dev/x",
            "frequency = 867200000\nbandwidth = 125000\nspreadingfactor = 8\ncodingrate = 5\ntxpower = 7\n"
            "flow_control = yes\nnetwork_name = club\npassphrase = swordfish\n",
        ),
        bench.ward.rnode("/dev/y", "frequency = 867200000", name="Half"),
    )
    code, out, _ = bench.run("show")
    assert code == 0
    line = "867.2 MHz / BW 125 kHz / SF 8 / CR 4/5 / access code: network club, with a passphrase"
    assert f"  compare   {line}\n" in out
    assert "preset    reticulum" in out
    assert "no limit of airtime" in out
    assert "flow_control must be off" in out
    assert "is missing" in out
    assert "swordfish" not in out
    radios = bench.json("show")["radios"]
    assert [radio["words"] != "" for radio in radios] == [True, False]
    assert f"words     {radios[0]['words']}" in out
    assert "swordfish" not in json.dumps(radios)


SHARER = """
import socket, sys
listener = socket.socket(socket.AF_UNIX)
listener.bind("\\0rns/" + sys.argv[1])
listener.listen()
print("up", flush=True)
sys.stdin.read()
"""


def test_who_must_start_again(bench: Bench) -> None:
    Board(bench.plug("ttyACM0", "usb-RAK"))
    bench.ward.interfaces("[[Net]]\ntype = AutoInterface\nenabled = No\n", share="Yes")
    process: subprocess.Popen[str] = bench.ward.process(SHARER, bench.ward.instance)
    (item,) = bench.json("setup", "--region", "EU868")["restart"]
    assert f"(process {process.pid})" in item["program"]
    assert item["command"].startswith(
        (f"kill {process.pid}, then", "sudo systemctl restart", "systemctl --user")
    )
    _, out, _ = bench.run("setup", "--region", "EU868", "--preset", "long-fast", "--yes")
    assert f"It is in use after a restart of {Path(sys.executable).name}" in out
    # What the node cannot see it must be told.
    for words in ("set airtime.preset long-fast", "set airtime.frequency_mhz 869.525"):
        assert f"config {words}\n" in out
    _, out, _ = bench.run("setup", "--region", "EU868", "--preset", "long-fast", "--cr", "6", "--yes")
    for words in ("unset airtime.preset", "set airtime.bandwidth 250000", "set airtime.coding_rate 6"):
        assert f"config {words}\n" in out


@pytest.mark.parametrize(
    ("group", "command"),
    [
        ("0::/system.slice/rnsd.service\n", "sudo systemctl restart rnsd"),
        ("0::/system.slice/system-rns.slice/rns@home.service\n", "sudo systemctl restart rns@home"),
        (
            "0::/user.slice/user-1000.slice/user@1000.service/app.slice/rnsd.service\n",
            "systemctl --user restart rnsd",
        ),
        ("0::/user.slice/user-1000.slice/session-3.scope\n", ""),
        ("0::/user.slice/user-1000.slice/user@1000.service\n", ""),
        ("0::/\n", ""),
    ],
)
def test_the_service_of_a_process(bench: Bench, tmp_path: Path, group: str, command: str) -> None:
    from lrgpnode.cli.context import Context
    from lrgpnode.cli.doctor import look
    from lrgpnode.cli.radio.restart import _of_service

    patient = look(Context(data=bench.ward.data, socket=bench.ward.data / "control.sock"), bench.machine)
    proc = tmp_path / "proc/77"
    proc.mkdir(parents=True)
    (proc / "cgroup").write_text(group)
    patient = replace(patient, machine=replace(bench.machine, proc=tmp_path / "proc"))
    assert _of_service(patient, 77) == command
    assert list(what_to_restart(replace(patient, config=None))) == []
    assert str(Process(77, "rnsd")) == "rnsd (process 77)"


def test_the_region_is_told_to_the_node(bench: Bench) -> None:
    Board(bench.plug("ttyACM0", "usb-RAK"))
    settings = bench.ward.data / "lrgpnode.toml"
    before = settings.read_text() + "# mine\n"
    settings.write_text(before)
    _, out, _ = bench.run("setup", "--region", "EU868", "--dry-run", "--yes")
    assert '+region = "EU868"' in out
    assert settings.read_text() == before
    _, out, _ = bench.run("setup", "--region", "EU868", "--yes")
    assert f"+++ {settings} (new)" in out
    assert '+region = "EU868"' in out
    assert f"Wrote {settings}\n" in out
    assert settings.read_text() == before + '\n[airtime]\nregion = "EU868"\n'
    # It is the law of the radio, whatever the preset is.
    _, out, _ = bench.run("setup", "--region", "EU868", "--preset", "long-fast", "--yes")
    assert "Wrote" in out
    assert "airtime" not in out.replace("airtime_limit", "")
    said = bench.json("setup", "--region", "NZ865")
    assert (said["written"], said["settings"]) == (True, str(settings))
    assert 'region = "NZ865"' in settings.read_text()
    # Only that of the node is still to be changed.
    settings.write_text(before)
    said = bench.json("setup", "--region", "NZ865")
    assert (said["written"], said["settings"]) == (False, str(settings))


def test_the_region_of_the_node_is_left_alone_on_request(bench: Bench, tmp_path: Path) -> None:
    Board(bench.plug("ttyACM0", "usb-RAK"))
    settings = bench.ward.data / "lrgpnode.toml"
    before = settings.read_text()
    _, out, _ = bench.run("setup", "--region", "EU868", "--no-node-region", "--yes")
    assert "config set airtime.region EU868" in out
    elsewhere = ("--config-dir", str(tmp_path / "elsewhere"))
    assert bench.json("setup", "--region", "EU868", *elsewhere)["settings"] is None
    assert settings.read_text() == before
    assert bench.json("setup", "--region", "EU868", *elsewhere, "--node-region")["settings"] is not None
    assert 'region = "EU868"' in settings.read_text()


def test_settings_that_cannot_be_changed(bench: Bench) -> None:
    """The radio is set up all the same, unless the node was asked to know of it."""
    Board(bench.plug("ttyACM0", "usb-RAK"))
    settings = bench.ward.data / "lrgpnode.toml"
    settings.write_text(settings.read_text() + "airtime = 1\n")
    bench.config.write_text(bench.config.read_text())
    here = ("--config-dir", str(bench.ward.rns))
    code, _, err = bench.run("setup", "--region", "EU868", "--yes", "--node-region", *here)
    assert code == 5
    assert "--no-node-region" in err
    assert "airtime_limit_long" not in bench.config.read_text()
    code, out, _ = bench.run("setup", "--region", "EU868", "--yes", *here)
    assert code == 0
    assert "config set airtime.region EU868" in out
    assert "airtime_limit_long" in bench.config.read_text()


@pytest.mark.parametrize(
    ("radio", "settings", "again"),
    [(True, False, ["rnsd"]), (True, True, ["rnsd", "lrgpnode"]), (False, True, ["lrgpnode"])],
)
def test_the_node_starts_again_for_its_settings(
    bench: Bench, monkeypatch: pytest.MonkeyPatch, radio: bool, settings: bool, again: list[str]
) -> None:
    """It reconnects to the program with the radio by itself, and its own settings it reads at its start."""
    from lrgpnode.cli.context import Context
    from lrgpnode.cli.doctor import look
    from lrgpnode.cli.radio import restart
    from lrgpnode.doctor.patient import Running

    bench.ward.interfaces(share="Yes")
    patient = look(Context(data=bench.ward.data, socket=bench.ward.data / "control.sock"), bench.machine)
    patient = replace(patient, running=Running(pid=os.getpid(), status={}))
    monkeypatch.setattr(restart, "sharer", lambda patient, config: Process(77, "rnsd"))
    found = list(what_to_restart(patient, radio=radio, settings=settings))
    assert [program.split()[0] for program, _ in found] == again


def test_the_node_is_started_again_as_it_was(bench: Bench, tmp_path: Path) -> None:
    from lrgpnode.cli.context import Context
    from lrgpnode.cli.doctor import look
    from lrgpnode.doctor.patient import Running

    Board(bench.plug("ttyACM0", "usb-RAK"))
    patient = look(Context(data=bench.ward.data, socket=bench.ward.data / "control.sock"), bench.machine)
    proc = tmp_path / "proc/77"
    proc.mkdir(parents=True)
    patient = replace(
        patient,
        config=None,
        running=Running(pid=77, status={}),
        machine=replace(bench.machine, proc=tmp_path / "proc"),
    )
    for words, more in (("run", ""), ("run --rns-config mine", f" --rns-config {patient.rns_dir}")):
        (proc / "cmdline").write_bytes(b"\0".join(word.encode() for word in ["lrgpnode", *words.split()]))
        ((_, how),) = what_to_restart(patient)
        assert how.endswith(f" run{more}")


@as_root
def test_a_port_that_the_user_of_the_node_may_not_open(bench: Bench) -> None:
    Board(bench.plug("ttyACM0", "usb-RAK"))
    device = (bench.machine.dev / "ttyACM0").resolve()
    os.chown(device, 0, DIALOUT)
    device.chmod(0o660)
    os.chown(bench.ward.data, NOBODY, NOBODY)
    _, out, _ = bench.run("setup", "--region", "EU868", "--yes")
    assert "The user nobody of the node may not open the port yet: sudo usermod -aG dialout nobody" in out


def test_a_radio_without_a_serial_port(bench: Bench) -> None:
    said = bench.json("setup", "--region", "EU868", "--port", "tcp://10.0.0.7")
    assert (said["name"], said["options"]["port"]) == ("LoRa", "tcp://10.0.0.7")
    assert said["options"]["txpower"] == "14"
    assert bench.json("setup", "--region", "US915", "--port", "tcp://10.0.0.7")["name"] == "LoRa"
    assert bench.json("setup", "--region", "EU868", "--port", "ble://")["name"] == "LoRa 2"
    for port in ("tcp://10.0.0.7:7633", "tcp://", "udp://a", "ble://a#b"):
        code, _, err = bench.run("setup", "--region", "EU868", "--yes", "--port", port)
        assert code == 1
        assert "no port" in err or "not the path" in err
