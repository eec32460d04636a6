"""AgentGames (https://github.com/profullstack/agentbbs): rated matches over a stream of JSON lines."""
