"""The server side of RCADIA: an engine without clock or network, and the web routes around it.

``engine.Engine`` is what the routes use. It is told the time with every call and first settles what was due
by then (``schedule``), so that everything happens at its own time however late the call is. What changed is
collected in ``room.Room``, from which the routes wake their long-polls.

Modules by concern: ``table`` (the values), ``delivery`` (what the host is told), ``outcomes`` (what becomes
of an action), ``turns`` (three modes), ``clock`` (deadlines, strikes), ``host`` (liveness), ``seats``,
``endings``, ``series``, ``views`` (answers).
"""
