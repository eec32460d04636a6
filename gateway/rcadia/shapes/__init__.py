"""How games at RCADIA tables name their state and their actions, and what we make of it.

The platform never reads what is in ``state`` and ``legalActions``; each game has its own form. These modules
recognise the usual ones of chess, tic-tac-toe and four in a row. All of it is pure. What is recognised is
listed in docs/rcadia-shapes.md.

Two rules keep mistakes out of a game. A move is read only where exactly one reading fits the rules and the
position known so far; what is sent is always an entry of ``legalActions`` as the game wrote it. Where several
readings fit, or none, the table cannot be played (``Unreadable``), and nobody guesses.

``which``: the game of a table from its names. ``rules``: the three games behind one contract. ``values``:
looking into JSON of unknown form. ``chess_*``, ``grid_*``: states and actions. ``reader``: all of it for one
table. ``order``: who is who. ``results``: how a game ended.
"""
