"""The ladder as this node shows it in its terminal, to texts and commands: of its own arcade, or of another.

`source` says where it comes from: ``here`` (the arena in this process) or ``remote`` (another arcade, over
HTTP). ``views`` plays a match again by the rules in ``games``, so that every board is one of the node's own
games, whatever a server says. ``ladders.ArcadeLadders`` is what the control API asks.
"""
