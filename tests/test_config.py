"""Where the files of a node are, and its settings."""

from __future__ import annotations

import dataclasses
import hashlib
import os
import subprocess
import sys
import tempfile
from pathlib import Path

import pytest
from hypothesis import given, strategies as st

from lrgpnode import config
from lrgpnode.config import ConfigError, RunOptions, Settings, load, parse_settings, read_settings, resolve

FILE = Path("/etc/x/lrgpnode.toml")


@pytest.fixture(autouse=True)
def runtime(monkeypatch: pytest.MonkeyPatch, request: pytest.FixtureRequest) -> None:
    """Short paths that need not exist count as runtime directories of ours, but where that is tested."""
    if "real_runtime" not in request.keywords:
        monkeypatch.setattr(config, "_is_ours", Path.is_absolute)


def socket_name(data: Path) -> str:
    return hashlib.sha256(os.fsencode(data)).hexdigest()[:12] + ".sock"


@pytest.fixture(autouse=True)
def machine(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Path:
    """A machine without the service; returns the path at which its unit can be put."""
    unit = tmp_path / "lrgpnode.service"
    monkeypatch.setattr(config, "UNIT_FILES", (tmp_path / "elsewhere", unit))
    monkeypatch.setattr(config, "_TEMPORARY", tmp_path)
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
        monkeypatch.setattr(config, "_TEMPORARY", Path(folder))
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


def test_defaults_and_every_setting() -> None:
    assert parse_settings(b"", FILE) == Settings(
        node_name=config.hostname(),
        node_log_level="info",
        rns_config_dir=None,
        announce_interval_minutes=180,
        announce_at_start_seconds=5,
    )
    content = b"""
        [node]
        name = "caf\xc3\xa9"
        log_level = "debug"
        [rns]
        config_dir = "rns"
        [announce]
        interval_minutes = 0
        at_start_seconds = 60
    """
    assert parse_settings(content, FILE) == Settings(
        node_name="café",
        node_log_level="debug",
        rns_config_dir=Path("/etc/x/rns"),
        announce_interval_minutes=0,
        announce_at_start_seconds=60,
    )
    assert parse_settings(b"[node]\n[announce]", FILE) == parse_settings(b"", FILE)


def test_table_and_object_agree() -> None:
    assert [setting.field for setting in config.SETTINGS] == [f.name for f in dataclasses.fields(Settings)]


@pytest.mark.parametrize(
    ("content", "words"),
    [
        ('[node]\nnmae = "x"', "there is no setting node.nmae; did you mean node.name?"),
        ('[nod]\nname = "x"', "there is no setting nod.name; did you mean node.name?"),
        ('log_level = "info"', "there is no setting log_level; did you mean node.log_level?"),
        ("[zzz]", "there is no setting zzz"),
        ("[node.name]\nx = 1", "there is no setting node.name.x; did you mean node.name?"),
        ("node = 5", "node is a table: write its settings under [node]"),
        ("[[node]]\nname = 'x'", "node is a table: write its settings under [node]"),
        ("[node]\nname = 5", "node.name must be a text of 1 to 64 printable characters, not 5"),
        ("[node]\nname = ''", "node.name must be a text of 1 to 64 printable characters, not ''"),
        ("[node]\nname = 'a\\nb'\nname = 'b'", "is not valid TOML: "),
        ('[node]\nname = "a\\nb"', "node.name must be a text of 1 to 64 printable characters, not 'a\\nb'"),
        ("[node.name]", "node.name must be a text"),
        (
            "[node]\nlog_level = 'loud'",
            "node.log_level must be one of debug, info, warning, error, not 'loud'",
        ),
        ("[node]\nlog_level = []", "node.log_level must be one of debug, info, warning, error, not []"),
        ("[rns]\nconfig_dir = 1", "rns.config_dir must be the path of a directory, not 1"),
        ("[rns]\nconfig_dir = '~nobody-here/x'", "rns.config_dir must be the path of a directory"),
        (
            "[announce]\ninterval_minutes = true",
            "announce.interval_minutes must be a whole number from 0 to 10080, not True",
        ),
        ("[announce]\ninterval_minutes = 1.5", "announce.interval_minutes must be a whole number"),
        ("[announce]\ninterval_minutes = -1", "announce.interval_minutes must be a whole number"),
        ("[announce]\ninterval_minutes = 0x" + "f" * 9000, "not that"),
        ("[node", "is not valid TOML: "),
        ("x = " + "[" * 9000, "is not valid TOML: "),
    ],
)
def test_errors_name_file_key_and_remedy(content: str, words: str) -> None:
    with pytest.raises(ConfigError) as failed:
        parse_settings(content.encode(), FILE)
    assert str(failed.value).startswith(str(FILE))
    assert words in str(failed.value)


@given(st.binary(max_size=60) | st.text(alphabet="[]{}=.\"'\n #ndeoam01", max_size=40).map(str.encode))
def test_no_file_makes_it_fail_in_another_way(content: bytes) -> None:
    try:
        parse_settings(content, FILE)
    except ConfigError as error:
        assert str(FILE) in str(error)


def test_files(tmp_path: Path) -> None:
    assert read_settings(tmp_path / "none").node_log_level == "info"
    with pytest.raises(ConfigError, match="there is no settings file"):
        read_settings(tmp_path / "none", required=True)
    with pytest.raises(ConfigError, match="cannot read the settings file"):
        read_settings(tmp_path)


def test_options_go_before_the_file(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    environ = {"XDG_RUNTIME_DIR": "/r"}
    (tmp_path / "lrgpnode.toml").write_text("[node]\nname = 'file'\nlog_level = 'error'\n")
    (tmp_path / "other.toml").write_text("[node]\nname = 'other'\n")
    monkeypatch.chdir(tmp_path)
    paths, settings = load(RunOptions(data=tmp_path), environ)
    assert (paths.data, settings.node_name, settings.node_log_level) == (tmp_path.resolve(), "file", "error")
    _, settings = load(RunOptions(data=tmp_path, name="flag", rns_config=Path("rns")), environ)
    assert (settings.node_name, settings.node_log_level) == ("flag", "error")
    assert settings.rns_config_dir == tmp_path / "rns"
    paths, settings = load(RunOptions(data=tmp_path, config=Path("other.toml")), environ)
    assert (paths.config, settings.node_name) == (tmp_path / "other.toml", "other")
    with pytest.raises(ConfigError, match=r"missing\.toml"):
        load(RunOptions(data=tmp_path, config=Path("missing.toml")), environ)
    with pytest.raises(ConfigError, match="--log-level must be one of debug"):
        load(RunOptions(data=tmp_path, log_level="loud"), environ)


def test_it_imports_nothing_heavy() -> None:
    heavy = ["tomllib", "difflib", "asyncio", "msgspec", "logging", "socket", "RNS"]
    code = f"import sys, lrgpnode.config; print([m for m in {heavy} if m in sys.modules])"
    result = subprocess.run([sys.executable, "-I", "-c", code], capture_output=True, text=True, check=True)
    assert result.stdout.strip() == "[]"


@pytest.mark.real_runtime
def test_a_runtime_directory_of_somebody_else_is_not_used(monkeypatch: pytest.MonkeyPatch) -> None:
    mine = Path(tempfile.mkdtemp(prefix="r", dir="/tmp"))
    monkeypatch.setattr(config, "_TEMPORARY", Path("/tmp"))  # the usual one: a path that is short
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
