"""The node as a service of systemd: telling it how we are, and being installed."""
