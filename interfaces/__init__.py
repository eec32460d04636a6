"""The ways people and radios meet the node."""
