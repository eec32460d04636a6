"""Connections to an AgentGames server, one for each match; nothing of games."""
