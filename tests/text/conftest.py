from __future__ import annotations

import asyncio
from collections.abc import Callable
from typing import Any

import pytest


@pytest.fixture
def inline(monkeypatch: pytest.MonkeyPatch) -> None:
    """No threads: time is virtual on the stage."""

    async def at_once(work: Callable[..., Any], *args: Any, **named: Any) -> Any:
        return work(*args, **named)

    monkeypatch.setattr(asyncio, "to_thread", at_once)
