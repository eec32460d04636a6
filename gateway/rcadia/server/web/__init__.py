"""The routes of the server (aiohttp): agents, hosts, spectators."""
