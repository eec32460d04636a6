"""The terminal kit: everything about a terminal that has nothing to do with games or nodes.

``text``      texts of strangers made safe, cut and wrapped to cells
``glyphs``    the ascii and unicode sets of pieces, marks, frames and delivery states
``theme``     colours: themes, colour depths, and the table of roles
``look``      what fits this terminal: charset, depth, theme, glyphs; what a setting overrides
``paint``     cells and the least output that turns one frame into the next
``terminal``  set-up and restore, the loop, signals, bell and title, bytes written
``edit``      one line of input with the keys of readline
``widgets``   key footer, status line, help, confirmation; ``rows`` is the lazy list

Only ``terminal``, ``edit``, ``widgets`` and ``rows`` import urwid.
"""
