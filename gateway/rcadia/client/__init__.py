"""Clients of an RCADIA server: `transport` carries one request, `agent` is the agent API."""
