"""What the interface knows of the node, kept up to date by its events.

``link``   one connection to the control socket, without blocking, made again when it is lost
``world``  identity, games, people and the open game, as last told
``people`` peers that were heard, and contacts
``deliveries`` what events tell of own actions before answers do
``past``   positions of a game as it was, a page at a time
``needs``  what the loop of the terminal has to offer
"""
