from __future__ import annotations

from pathlib import Path

import pytest
from RNS.vendor.configobj import ConfigObj

from lrgpnode.mesh.rns_config import Endpoint, EndpointError, parse_endpoint, write


@pytest.mark.parametrize(
    ("text", "endpoint"),
    [
        ("127.0.0.1:4242", Endpoint("127.0.0.1", 4242)),
        ("raspberrypi.local:1", Endpoint("raspberrypi.local", 1)),
        ("[::1]:65535", Endpoint("::1", 65535)),
        ("[fe80::1%eth0]:4242", Endpoint("fe80::1%eth0", 4242)),
    ],
)
def test_endpoints_are_read_and_written(text: str, endpoint: Endpoint) -> None:
    assert parse_endpoint(text) == endpoint
    assert str(endpoint) == text


@pytest.mark.parametrize(
    "text",
    [
        "",
        ":4242",
        "host",
        "host:",
        "host:0",
        "host:65536",
        "host:-1",
        "host:+1",
        "host:¹",
        "::1:4242",
        "[::1]4242",
        "[::1]",
        "[::1:4242",
        "[host]:4242",
        "a b:1",
        "host\nenable_transport = Yes:4242",
        "host]:1",
        "#x:1",
        "host,other:1",
    ],
)
def test_other_texts_are_refused(text: str) -> None:
    with pytest.raises(EndpointError):
        parse_endpoint(text)


def test_port_0_is_for_those_who_ask_for_it() -> None:
    assert parse_endpoint("127.0.0.1:0", any_port=True).port == 0


def test_reticulum_reads_what_is_written(tmp_path: Path) -> None:
    directory = write(tmp_path / "rns", Endpoint("::1", 4242), [Endpoint("a.b", 1), Endpoint("10.0.0.1", 2)])
    config = ConfigObj(str(directory / "config"))
    assert config["reticulum"].as_bool("share_instance") is False
    assert list(config["interfaces"]) == ["Listen", "Connect 1", "Connect 2"]
    assert config["interfaces"]["Listen"]["listen_ip"] == "::1"
    assert config["interfaces"]["Connect 2"]["target_host"] == "10.0.0.1"
    assert config["interfaces"]["Connect 2"].as_int("target_port") == 2
    write(directory, None, [Endpoint("c", 3)])
    assert list(ConfigObj(str(directory / "config"))["interfaces"]) == ["Connect 1"]
