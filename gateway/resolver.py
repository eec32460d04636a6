"""Looking names up that are used without encryption (see ``address``)."""

from __future__ import annotations

import socket

from aiohttp.abc import AbstractResolver, ResolveResult
from aiohttp.resolver import ThreadedResolver

from .address import is_private


class PrivateResolver(AbstractResolver):
    """Names under plain ``http``: only addresses that the internet does not route come out."""

    def __init__(self) -> None:
        self._resolver = ThreadedResolver()

    async def resolve(
        self, host: str, port: int = 0, family: socket.AddressFamily = socket.AF_INET
    ) -> list[ResolveResult]:
        found = await self._resolver.resolve(host, port, family)
        private = [one for one in found if is_private(one["host"])]
        if not private:
            raise OSError(f"{host} is not a private address, and http is not encrypted")
        return private

    async def close(self) -> None:
        await self._resolver.close()
