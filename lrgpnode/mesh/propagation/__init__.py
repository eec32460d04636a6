"""Mail by way of a propagation node, for peers that are not there (rns-lxmf facts §6).

A propagation node keeps messages until their receiver fetches them. LXMF's client side is a state
that must be polled, shared between sending and fetching, and stuck after some failures; here each
transfer is a link of its own (``connection``) whose callbacks drive it to a result, and whatever
does not move on is ended by a timer. What goes over the link is LXMF's protocol, unchanged.

Everything but making stamps runs on the mesh's worker. The parts:

``announced``  what propagation nodes say in their announces
``book``       which nodes are known, in which order they are tried, what lasts over a restart
``routes``     waiting for a path to a node
``connection`` one link to one node
``fetch``      one identity fetches its mail from one node
``upload``     messages are stored at a node, one after the other
``stamps``     proof of work, on a thread of its own
``host``       our own propagation node
``service``    ties them together: schedule, failover, reports
"""
