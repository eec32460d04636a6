"""The terminal kit: everything about a terminal that has nothing to do with games or nodes.

``text``      texts of strangers made safe, cut and wrapped to cells
``glyphs``    the ascii and unicode sets of pieces, marks, frames and delivery states
``theme``     colours: themes, colour depths, and the table of roles
``look``      what fits this terminal: charset, depth, theme, glyphs; what a setting overrides
``paint``     cells and the least output that turns one frame into the next
``screen``    urwid's display of a terminal, written to by ``paint`` and left as it was found
``terminal``  one run in a terminal: the loop, signals, bell and title, bytes written
``segments``  lines of coloured text; what all widgets, and boards, are drawn with
``line``      what is typed into one line, with the keys of readline; ``edit`` is the widget around it
``rows``      the list that asks only for what is shown, and texts to scroll
``bars``      the footer of keys and the status line
``layers``    what lies over a screen: questions, choices, help; ``boxes`` are what they are made of
``sample``    a page to see whether a terminal shows what it is taken to be able to

``text``, ``glyphs``, ``theme``, ``look``, ``paint`` and ``line`` do not import urwid, nor anything slow.
"""
