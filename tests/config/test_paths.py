"""Where the files of a node are."""

from __future__ import annotations

import hashlib
import os
import subprocess
import sys
import tempfile
from pathlib import Path

import pytest

from lrgpnode import config
from lrgpnode.config import ConfigError, RunOptions, paths, resolve


@pytest.fixture(autouse=True)
def runtime(monkeypatch: pytest.MonkeyPatch, request: pytest.FixtureRequest) -> None:
    """Short paths that need not exist count as runtime directories of ours, but where that is tested."""
    if "real_runtime" not in request.keywords:
        monkeypatch.setattr(paths, "_is_ours", Path.is_absolute)


def socket_name(data: Path) -> str:
    return hashlib.sha256(os.fsencode(data)).hexdigest()[:12] + ".sock"


@pytest.fixture(autouse=True)
def machine(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Path:
    """A machine without the service; returns the path at which its unit can be put."""
    unit = tmp_path / "lrgpnode.service"
    monkeypatch.setattr(paths, "UNIT_FILES", (tmp_path / "elsewhere", unit))
    monkeypatch.setattr(paths, "_TEMPORARY", tmp_path)
    monkeypatch.setenv("HOME", str(tmp_path / "home"))
    return unit


def test_a_user_without_anything(tmp_path: Path) -> None:
    paths = resolve(RunOptions(), {"XDG_RUNTIME_DIR": "/run/user/7"})
    data = tmp_path / "home/.local/share/lrgpnode"
    assert paths.data == data
    assert paths.config == data / "lrgpnode.toml"
    assert paths.socket == Path("/run/user/7/lrgpnode") / socket_name(data)
    assert (paths.socket_mode, paths.service) == (0o600, False)


def test_the_order_for_the_data(machine: Path) -> None:
    environ = {"XDG_RUNTIME_DIR": "/r", "XDG_DATA_HOME": "/xdg", "LRGPNODE_DATA": "/env"}
    assert resolve(RunOptions(data=Path("/opt")), environ).data == Path("/opt")
    assert resolve(RunOptions(), environ).data == Path("/env")
    environ["LRGPNODE_DATA"] = ""
    assert resolve(RunOptions(), environ).data == Path("/xdg/lrgpnode")
    machine.touch()
    assert resolve(RunOptions(), environ).data == Path("/var/lib/lrgpnode")


def test_the_order_for_the_socket(machine: Path) -> None:
    environ = {"XDG_RUNTIME_DIR": "/r"}
    machine.touch()
    service = resolve(RunOptions(), environ)
    assert (service.socket, service.socket_mode) == (Path("/run/lrgpnode/control.sock"), 0o660)
    assert service.service
    own = Path("/r/lrgpnode") / socket_name(Path("/d"))
    assert resolve(RunOptions(data=Path("/d")), environ).socket == own
    environ["LRGPNODE_DATA"] = "/d"
    assert resolve(RunOptions(), environ).socket == own
    assert resolve(RunOptions(), environ).socket_mode == 0o600
    environ["LRGPNODE_SOCKET"] = "/s"
    assert resolve(RunOptions(data=Path("/d")), environ).socket == Path("/s")
    assert resolve(RunOptions(socket=Path("/o")), environ).socket == Path("/o")


def test_two_spellings_are_one_node_and_two_directories_are_two(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    environ = {"XDG_RUNTIME_DIR": "/r"}
    (tmp_path / "a").mkdir()
    (tmp_path / "link").symlink_to("a")
    monkeypatch.chdir(tmp_path)
    sockets = {
        resolve(RunOptions(data=data), environ).socket
        for data in (tmp_path / "a", Path("a"), Path("./x/../a/"), tmp_path / "link")
    }
    assert len(sockets) == 1
    assert resolve(RunOptions(data=tmp_path / "b"), environ).socket not in sockets


@pytest.mark.parametrize(
    "environ", [{}, {"XDG_RUNTIME_DIR": "relative"}, {"XDG_RUNTIME_DIR": "/" + "x" * 90}]
)
def test_without_a_usable_runtime_directory_a_private_one_is_made(
    environ: dict[str, str], monkeypatch: pytest.MonkeyPatch
) -> None:
    # Not tmp_path, under which the path of the socket can get too long.
    with tempfile.TemporaryDirectory() as folder:
        monkeypatch.setattr(paths, "_TEMPORARY", Path(folder))
        socket = resolve(RunOptions(data=Path("/d")), environ).socket
        private = Path(folder) / f"lrgpnode-{os.getuid()}"
        assert socket == private / "lrgpnode" / socket_name(Path("/d"))
        assert private.stat().st_mode & 0o777 == 0o700
        assert resolve(RunOptions(data=Path("/d")), environ).socket == socket


@pytest.mark.parametrize("trap", ["open", "link", "file"])
def test_a_private_directory_that_is_not(tmp_path: Path, trap: str) -> None:
    private = tmp_path / f"lrgpnode-{os.getuid()}"
    if trap == "open":
        private.mkdir()
        private.chmod(0o755)
    elif trap == "link":
        (tmp_path / "his").mkdir(mode=0o700)
        private.symlink_to("his")
    else:
        private.touch()
    with pytest.raises(ConfigError, match=r"lrgpnode-\d+"):
        resolve(RunOptions(data=Path("/d")), {})


def test_a_private_directory_of_another_user(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    uid = os.getuid() + 1
    (tmp_path / f"lrgpnode-{uid}").mkdir(mode=0o700)
    monkeypatch.setattr(os, "getuid", lambda: uid)
    with pytest.raises(ConfigError, match="of yours"):
        resolve(RunOptions(data=Path("/d")), {})


def test_paths_that_cannot_be() -> None:
    with pytest.raises(ConfigError, match="longer than 107 bytes"):
        resolve(RunOptions(socket=Path("/" + "x" * 107)), {})
    assert resolve(RunOptions(socket=Path("/" + "x" * 106)), {}).socket
    with pytest.raises(ConfigError, match="cannot be a path"):
        resolve(RunOptions(data=Path("~nobody-of-this-name/x")), {"XDG_RUNTIME_DIR": "/r"})


def test_it_imports_nothing_heavy() -> None:
    heavy = ["tomllib", "difflib", "asyncio", "msgspec", "logging", "socket", "RNS"]
    code = f"import sys, lrgpnode.config; print([m for m in {heavy} if m in sys.modules])"
    result = subprocess.run([sys.executable, "-I", "-c", code], capture_output=True, text=True, check=True)
    assert result.stdout.strip() == "[]"


@pytest.mark.real_runtime
def test_a_runtime_directory_of_somebody_else_is_not_used(monkeypatch: pytest.MonkeyPatch) -> None:
    mine = Path(tempfile.mkdtemp(prefix="r", dir="/tmp"))
    monkeypatch.setattr(paths, "_TEMPORARY", Path("/tmp"))  # the usual one: a path that is short
    try:
        assert resolve(RunOptions(), {"XDG_RUNTIME_DIR": str(mine)}).socket.is_relative_to(mine)
        gone = {"XDG_RUNTIME_DIR": str(mine / "gone")}
        assert not resolve(RunOptions(), gone).socket.is_relative_to(mine)
        if os.getuid() == 0:
            os.chown(mine, 12345, 12345)
            assert not resolve(RunOptions(), {"XDG_RUNTIME_DIR": str(mine)}).socket.is_relative_to(mine)
    finally:
        mine.rmdir()


def test_the_lock_says_who_holds_a_data_directory(tmp_path: Path) -> None:
    assert config.read_lock(tmp_path) is None
    (tmp_path / "lock").write_text("{")
    assert config.read_lock(tmp_path) is None
    handle = os.open(tmp_path / "lock", os.O_RDWR)
    try:
        config.write_lock(handle, Path("/somewhere/control.sock"))
    finally:
        os.close(handle)
    assert config.read_lock(tmp_path) == (os.getpid(), Path("/somewhere/control.sock"))


def test_the_service_is_where_systemd_says(tmp_path: Path) -> None:
    here = {"STATE_DIRECTORY": "/s", "RUNTIME_DIRECTORY": "/r", "LRGPNODE_DATA": "/mine"}
    found = resolve(RunOptions(service=True), here)
    assert (found.data, found.socket) == (Path("/s"), Path("/r/control.sock"))
    assert (found.config, found.socket_mode, found.service) == (Path("/s/lrgpnode.toml"), 0o660, True)
    found = resolve(RunOptions(service=True), {})
    assert (found.data, found.socket) == (Path("/var/lib/lrgpnode"), Path("/run/lrgpnode/control.sock"))
    for options in (RunOptions(service=True, data=tmp_path), RunOptions(service=True, socket=tmp_path)):
        with pytest.raises(ConfigError, match="--service has its own directories"):
            resolve(options, {})
