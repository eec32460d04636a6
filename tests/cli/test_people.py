"""Identities, contacts, requests: one method a command, files of keys and contacts, hostile names."""

from __future__ import annotations

import json
import os
import pty
from pathlib import Path
from typing import Any

import msgspec
import pytest

from lrgpnode.control import models
from lrgpnode.control.methods import ControlError
from lrgpnode.protocol.session import Status
from tests.cli.conftest import Run, Start
from tests.cli.fakes import BLOCK, CONTACT, ID, KEY, ME, PEER, RESULTS, FakeNode, summary

PLAIN: list[tuple[str, str, dict[str, Any]]] = [
    ("identity create Ann", "identity.create", {"name": "Ann"}),
    ("identity rename Ann Anna", "identity.rename", {"identity": "Ann", "name": "Anna"}),
    ("identity enable Ann", "identity.enable", {"identity": "Ann"}),
    ("identity disable Ann", "identity.disable", {"identity": "Ann"}),
    ("identity delete Ann --yes", "identity.delete", {"identity": "Ann", "force": False}),
    ("identity delete Ann --yes --force", "identity.delete", {"identity": "Ann", "force": True}),
    ("identity default Ann", "identity.default", {"identity": "Ann"}),
    ("identity default", "identity.default", {}),
    ("identity policy", "identity.policy", {"clear": False}),
    (
        "identity policy nobody --app ttt",
        "identity.policy",
        {"app": "ttt", "policy": "nobody", "clear": False},
    ),
    ("identity policy --clear", "identity.policy", {"clear": True}),
    ("peers bo --limit 3", "peer.list", {"limit": 3, "search": "bo"}),
    ("contacts list", "contact.list", {"limit": 50}),
    ("contacts record", "contact.record", {"limit": 50}),
    ("contacts record bob", "contact.record", {"limit": 50, "peer": "bob"}),
    ("contacts record --cursor 4:b2", "contact.record", {"limit": 50, "cursor": "4:b2"}),
    ("contacts add bob", "contact.add", {"peer": "bob"}),
    (
        "contacts add bob --name Bob --trust",
        "contact.add",
        {"peer": "bob", "name": "Bob", "trust": "trusted"},
    ),
    ("contacts remove bob", "contact.remove", {"peer": "bob"}),
    ("contacts rename bob Bobby", "contact.rename", {"peer": "bob", "name": "Bobby"}),
    ("contacts trust bob", "contact.trust", {"peer": "bob", "trust": "trusted"}),
    ("contacts trust bob --no", "contact.trust", {"peer": "bob", "trust": "known"}),
    ("contacts block bob", "contact.block", {"peer": "bob", "reason": ""}),
    (
        "contacts block bob --reason rude --hours 2",
        "contact.block",
        {"peer": "bob", "reason": "rude", "hours": 2.0},
    ),
    ("contacts unblock bob", "contact.unblock", {"peer": "bob"}),
    ("contacts blocked", "contact.blocked", {}),
    ("requests list", "request.list", {}),
    ("requests accept 3F2A", "request.accept", {"id": "3f2a"}),
    ("requests decline 3f2a", "request.decline", {"id": "3f2a"}),
]


@pytest.mark.parametrize(("line", "method", "params"), PLAIN, ids=[line for line, *_ in PLAIN])
def test_a_command_asks_one_method(
    node: FakeNode, run: Run, line: str, method: str, params: dict[str, Any]
) -> None:
    ran = run(*line.split())
    assert (ran.code, ran.err) == (0, "")
    assert ran.out
    assert node.calls == [(method, params)]
    ran = run(*line.split(), "--json")
    assert ran.json == msgspec.json.decode(msgspec.json.encode(RESULTS[method]))


def test_a_record_is_told_by_game(node: FakeNode, run: Run) -> None:
    assert run("contacts", "record").out.splitlines() == [
        "bob (b2b2b2b2): won 3, drawn 1, lost 2",
        "  chess         won 3, drawn 0, lost 1",
        "  ttt           won 0, drawn 1, lost 1",
    ]
    one = models.AppRecord(app="ttt", won=0, drawn=0, lost=1)
    rows = [models.PeerRecord(peer=f"{n:032x}", won=0, drawn=0, lost=1, apps=(one,)) for n in (1, 2)]
    node.results["contact.record"] = models.RecordList(identity=ME, records=tuple(rows), cursor="1:00")
    first, second, more = run("contacts", "record").out.splitlines()
    assert first == second == "00000000: won 0, drawn 0, lost 1"
    assert more.endswith(" contacts record --cursor 1:00")
    node.results["contact.record"] = models.RecordList(identity=ME, records=())
    assert run("contacts", "record").out == "No game has been finished yet.\n"
    assert run("contacts", "record", "bob").out == "No game with that peer has been finished.\n"


@pytest.mark.parametrize(("typed", "code"), [("alice\n", 0), ("bob\n", 1)])
def test_a_deletion_is_confirmed_with_the_name(node: FakeNode, start: Start, typed: str, code: int) -> None:
    outer, inner = pty.openpty()
    with os.fdopen(outer, "wb", buffering=0) as keyboard, os.fdopen(inner, "rb") as terminal:
        process = start("identity", "delete", "ali", stdin=terminal)
        keyboard.write(typed.encode())
        assert process.wait(10) == code
    assert process.stderr is not None
    said = process.stderr.read()
    assert "for good" in said
    assert "identity export" in said
    asked = [params for method, params in node.calls if method == "identity.delete"]
    assert asked == ([] if code else [{"identity": ME, "force": False}])


def test_a_script_must_say_that_it_means_it(node: FakeNode, run: Run) -> None:
    ran = run("identity", "delete", "Ann")
    assert ran.code == 2
    assert "--yes" in ran.err
    assert [method for method, _ in node.calls] == ["identity.show"]


class TestKeys:
    def test_a_key_goes_into_a_new_private_file(self, node: FakeNode, run: Run, tmp_path: Path) -> None:
        file = tmp_path / "alice.key"
        ran = run("identity", "export", "alice", str(file))
        assert ran.code == 0
        assert KEY not in ran.out
        assert file.read_bytes() == bytes.fromhex(KEY)
        assert file.stat().st_mode & 0o777 == 0o600
        ran = run("identity", "export", "alice", str(file))
        assert ran.code == 1
        assert "exists and is left alone" in ran.err
        ran = run("identity", "export", "alice", str(tmp_path / "two"), "--json")
        assert ran.json == {"hash": ME, "name": "alice", "file": str(tmp_path / "two")}

    def test_the_umask_does_not_matter(self, node: FakeNode, run: Run, tmp_path: Path) -> None:
        before = os.umask(0)
        try:
            run("identity", "export", "alice", str(tmp_path / "key"))
        finally:
            os.umask(before)
        assert (tmp_path / "key").stat().st_mode & 0o777 == 0o600

    def test_to_standard_output_but_not_to_a_terminal(
        self, node: FakeNode, start: Start, tmp_path: Path
    ) -> None:
        with (tmp_path / "out").open("wb") as out:
            start("identity", "export", "alice", "-", stdout=out).wait(10)
        assert (tmp_path / "out").read_bytes() == bytes.fromhex(KEY)
        for show in (False, True):
            outer, inner = pty.openpty()
            with (tmp_path / "err").open("wb") as err:
                process = start(
                    "identity", "export", "alice", "-", *["--show"] * show, stdout=inner, stderr=err
                )
                process.wait(10)
            os.close(inner)
            shown, said = _drain(outer), (tmp_path / "err").read_text()
            assert (process.returncode == 0, KEY in shown) == (show, show)
            assert ("not shown on a terminal" in said) != show

    def test_json_never_has_it(self, node: FakeNode, run: Run) -> None:
        ran = run("identity", "export", "alice", "-", "--json")
        assert ran.code == 2
        assert node.calls == []

    def test_import_from_a_file(self, node: FakeNode, run: Run, tmp_path: Path) -> None:
        file = tmp_path / "key"
        file.write_bytes(bytes.fromhex(KEY))
        assert run("identity", "import", str(file), "--name", "Ann").code == 0
        assert node.calls == [("identity.import", {"name": "Ann", "key": KEY})]
        for content in (b"", b"x" * 63, b"x" * 65, b"x" * 10_000):
            file.write_bytes(content)
            ran = run("identity", "import", str(file), "--name", "Ann")
            assert ran.code == 1
            assert "exactly 64 bytes" in ran.err
        assert run("identity", "import", str(tmp_path / "none"), "--name", "Ann").code == 1
        assert len(node.calls) == 1

    def test_a_bad_key_is_not_repeated_in_the_error(self, node: FakeNode, run: Run, tmp_path: Path) -> None:
        node.results["identity.import"] = ControlError("identity", "These bytes are not a private key.")
        file = tmp_path / "key"
        file.write_bytes(bytes.fromhex(KEY))
        ran = run("identity", "import", str(file), "--name", "Ann")
        assert ran.code == 1
        assert KEY[:16] not in ran.err + ran.out


def _drain(descriptor: int) -> str:
    shown = b""
    try:
        while chunk := os.read(descriptor, 4096):
            shown += chunk
    except OSError:
        # What a terminal gives when the other side is closed.
        return shown.decode()
    finally:
        os.close(descriptor)
    return shown.decode()


def test_contacts_go_into_a_file_and_come_back(node: FakeNode, run: Run, tmp_path: Path) -> None:
    file = tmp_path / "contacts.json"
    ran = run("contacts", "export", str(file), "--json")
    assert ran.json == {"contacts": 1, "blocks": 1, "file": str(file)}
    content = json.loads(file.read_text())
    assert content["contacts"][0]["public_key"] == CONTACT.public_key
    assert run("contacts", "export", str(file)).code == 1  # it exists
    node.calls.clear()
    content["blocks"][0]["until"] = None
    content["blocks"].append({**content["blocks"][0], "until": 1.0})  # over
    file.write_text(json.dumps(content))
    assert run("contacts", "import", str(file), "--json").json == {"contacts": 1, "blocks": 1}
    assert [method for method, _ in node.calls] == ["contact.add", "contact.block"]
    assert node.calls[0][1] == {
        "peer": PEER,
        "name": "bob",
        "note": "",
        "trust": "known",
        "public_key": CONTACT.public_key,
    }
    assert node.calls[1][1] == {"peer": PEER, "reason": BLOCK.reason}


@pytest.mark.parametrize(
    "content", ["", "[]", "7", "{", '{"contacts": 5}', '{"contacts": [1, {}]}', "[" * 9000]
)
def test_what_is_no_file_of_contacts_is_refused_or_empty(
    node: FakeNode, run: Run, tmp_path: Path, content: str
) -> None:
    file = tmp_path / "contacts.json"
    file.write_text(content)
    ran = run("contacts", "import", str(file))
    assert ran.code in (0, 1, 2)
    assert "Traceback" not in ran.err
    assert (ran.code == 0) == (content == '{"contacts": 5}')


def test_what_is_held_back_by_radio_is_said(node: FakeNode, run: Run) -> None:
    node.results["node.announce"] = models.AnnounceResult(
        identities=(), held=(models.HeldAnnounce(identity=ME, interface="RNode", until=3600.0),)
    )
    assert run("announce").out == (
        f"Not on RNode, which is slow: {ME} was there within the hour, until 1970-01-01 01:00.\n"
    )


def test_an_announce_of_nobody_is_said(node: FakeNode, run: Run) -> None:
    node.results["node.announce"] = models.AnnounceResult(identities=())
    assert "Nobody was announced" in run("announce").out


def test_a_strangers_challenge_stands_among_the_games(node: FakeNode, run: Run, program: str) -> None:
    asked = {"status": Status.PENDING, "request": True, "your_turn": True, "unread": 1}
    request = summary(app="ttt", peer_name="B\x1b[1mob", **asked)
    node.results["game.list"] = models.GamePage(games=(request,))
    out = run("games").out
    assert f"? {ID} ttt           answer!   B[1mob (b2b2b2b2)" in out
    assert f"`{program} accept ID` lets it in" in out
    assert "\x1b" not in out


def test_identities_are_told_apart(node: FakeNode, run: Run) -> None:
    rows = (
        models.IdentityInfo(hash=ME, name="alice", created_at=1.0, enabled=True, default=True),
        models.IdentityInfo(hash=PEER, name="house", created_at=1.0, enabled=False, role="house"),  # type: ignore[arg-type]
    )
    node.results["identity.list"] = models.IdentityList(identities=rows)
    assert run("identity", "list").out == f"* {ME}  alice\n  {PEER}  house (the house) (disabled)\n"
