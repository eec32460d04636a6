"""The RNode's serial protocol, for whoever talks to a board on a port."""
