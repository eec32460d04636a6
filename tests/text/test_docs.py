"""Every conversation in docs/text-commands.md is what happens."""

from __future__ import annotations

import asyncio
import re
from pathlib import Path

import pytest

from gateway.agentgames.ladder.here import Here
from gateway.agentgames.ladder.ladders import ArcadeLadders
from interfaces.text import parse, service
from tests.gateway.agentgames.matches import arcade, season
from tests.text.stage import ANN, PAUL, Phone, Stage, on_stage

PAGE = Path(__file__).parents[2] / "docs/text-commands.md"
BLOCK = re.compile(r"(?:^    .*\n)+", re.MULTILINE)
LINE = re.compile(r"(Ann|Paul)([<>]) ?(.*)")


def conversations() -> list[list[str]]:
    blocks = [[line[4:] for line in block.splitlines()] for block in BLOCK.findall(PAGE.read_text())]
    return [block for block in blocks if LINE.fullmatch(block[0])]


async def held(stage: Stage, people: dict[str, Phone], block: list[str]) -> list[str]:
    """The block as it happens: its commands with the answers that came."""
    happened: list[str] = []
    for line in block:
        match = LINE.fullmatch(line)
        if match is None:
            continue
        who = people[match[1]]
        happened.append(line.rstrip())
        if match[2] == ">":
            who.got.clear()
            who.write(match[3])
            await asyncio.sleep(60)
        assert who.got, f"nothing came after {line}"
        happened += who.got.pop().splitlines()
    return happened


@pytest.mark.usefixtures("inline")
def test_the_conversations(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setattr(service.secrets, "randbits", lambda bits: 0)
    blocks = conversations()
    assert len(blocks) >= 6

    async def scene(stage: Stage) -> None:
        people = {"Ann": stage.phone(ANN), "Paul": stage.phone(PAUL)}
        stage.thinker.seed = 1
        for block in blocks:
            assert await held(stage, people, block) == block

    with arcade(tmp_path) as (arena, accounts):
        season(arena.store, accounts)
        on_stage(scene, ladders=ArcadeLadders(Here(arena)))


def test_every_command_is_in_the_table() -> None:
    table = re.findall(r"^\| (.*?) \|", PAGE.read_text(), re.MULTILINE)
    shown = {word for cell in table for word in re.findall(r"`(\w+)", cell)}
    assert shown >= {str(verb) for verb in parse.Verb}
