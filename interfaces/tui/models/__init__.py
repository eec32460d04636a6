"""What the screens show, as values: made from the results of the control API, without a terminal.

``words``   times, deliveries and outcomes in words
``home``    the list of games, in the order in which they ask for something
``board``   a board with its marks, from the ``GameView`` of any game
``moves``   the list of moves, captured pieces
``entry``   a move as it is typed, found among the legal ones
``game``    all of one game: heading, remarks, what can be done now
``people``  whom one can challenge, and to what
``notices`` events in words
"""
