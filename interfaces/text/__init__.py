"""Playing by plain texts, with any LXMF client and without LRGP (docs/text-commands.md).

`parse` reads what people write and `moves` what they may mean by a move; `board` and `replies` make texts of
at most one packet; all four are pure. `seats` plays games by the rules, `desk` and `orders` carry out what
somebody wants, `speaker` tells people what is due, `service` is told of the node's events and holds all of
it together.
"""
