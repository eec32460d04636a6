"""What `lrgpnode run` loads, and does not."""

import subprocess
import sys

import pytest

PROGRAM = """
import sys
from lrgpnode.cli.running import _load_msgspec
_load_msgspec()
import msgspec
assert "typing_extensions" not in sys.modules
from lrgpnode.control.models import METHODS
assert msgspec.json.decode(b'{"a": [1]}', type=dict[str, list[int]]) == {"a": [1]}
import typing_extensions
assert typing_extensions.get_type_hints
"""


def test_a_node_does_without_typing_extensions_until_somebody_needs_it() -> None:
    pytest.importorskip("typing_extensions")
    subprocess.run([sys.executable, "-c", PROGRAM], check=True, timeout=60)
