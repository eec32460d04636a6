"""Modules of the pages by themselves: SDK, hosting, chess, what is recognised of states and actions."""

from __future__ import annotations

import re

import pytest

from tests.gateway.web import node

FILES = sorted(node.JS.glob("*.test.mjs"))


@pytest.mark.parametrize("file", FILES, ids=lambda file: file.name)
def test_modules_do_what_their_tests_say(file: node.Path) -> None:
    said = node.run("--test", "--test-reporter=tap", str(file))
    passed = re.search(r"^# pass (\d+)$", said, re.MULTILINE)
    assert passed
    assert int(passed[1]) == len(re.findall(r"^test\(", file.read_text(), re.MULTILINE))
