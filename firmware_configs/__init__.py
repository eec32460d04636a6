"""Files for the machine around the node: systemd, udev. Found with ``importlib.resources``."""
