from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from lrgpnode.backup.make import Made, make
from lrgpnode.mesh import identity as keys
from storage.model import Commit
from storage.store import Store
from tests.storage.samples import action, outgoing, session

NOW = 1_800_000_000.0
OLD = "0" * 32


def owner(key: bytes) -> str:
    try:
        return keys.from_key(key).hash
    except keys.IdentityError as error:
        raise ValueError from error


@pytest.fixture(scope="session")
def private_keys() -> tuple[keys.LocalIdentity, ...]:
    return keys.generate(), keys.generate()


@pytest.fixture
def data(tmp_path: Path, private_keys: tuple[keys.LocalIdentity, ...]) -> Path:
    """A data directory with a file of every kind."""
    return build(tmp_path / "node", private_keys)


def build(data: Path, private_keys: tuple[keys.LocalIdentity, ...]) -> Path:
    data.mkdir(mode=0o700)
    first = private_keys[0].hash
    for identity in private_keys:
        keys.save(data / "identities", identity)
    keys.save(data / "propagation", private_keys[1])
    for name, content in {
        "lrgpnode.toml": b"[node]\nlog_level = 'debug'\n",
        "lock": b"{}",
        f"inbox/{first}.log": b"an open entry",
        f"lxmf/{first}/lxmf/ratchets/{first}.ratchets": b"ratchets",
        f"lxmf/{first}/lxmf/local_deliveries": b"delivered",
        f"lxmf/{first}/lxmf/messagestore/{'e' * 64}_1800000000": b"of others",
        f"propagation/lxmf/messagestore/{'e' * 64}_1800000000": b"of others",
        "propagation/lxmf/peers": b"peers",
        "propagation.json": b"{}",
        "announced.json": b"{}",
        "airtime-LoRa.json": b"what was sent",
        "reticulum/config": b"[reticulum]\n",
        "reticulum/storage/transport_identity": bytes(64),
        "reticulum/storage/cache/announces/abc": b"cached",
    }.items():
        path = data / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(content)
    with Store(data / "lrgpnode.db", boot_id="boot") as store:
        for number in (1, 2):
            store.commit(
                Commit(
                    insert=session(number),
                    action=action(number, nonce=number),
                    outbox=outgoing(number, nonce=number),
                )
            )
    return data


Save = Callable[..., Made]


@pytest.fixture
def save(data: Path, tmp_path: Path) -> Save:
    def save(file: Path = tmp_path / "backup", config: Path = data / "lrgpnode.toml") -> Made:
        return make(data, config, file, now=NOW, program="0.1.0")

    return save


@pytest.fixture(scope="session")
def whole(tmp_path_factory: pytest.TempPathFactory, private_keys: tuple[keys.LocalIdentity, ...]) -> Path:
    """A backup that several tests look at; not to be changed."""
    base = tmp_path_factory.mktemp("whole")
    data = build(base / "node", private_keys)
    return make(data, data / "lrgpnode.toml", base / "backup", now=NOW, program="0.1.0").file
