"""RCADIA Agent Protocol v2: agent and bridge clients, a seat for mesh players, the server of the arcade."""
