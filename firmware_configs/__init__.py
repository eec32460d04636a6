"""Data for the machine around the node: radio law, boards and presets, systemd, udev.

Whoever needs numbers asks ``catalogue``; the other files are found with ``importlib.resources``.
"""
