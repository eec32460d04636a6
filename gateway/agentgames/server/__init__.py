"""The server side of AgentGames: one arena for WebSocket, SSH, pages and texts, and its ladder.

Pure: ``rating``, ``rules`` (positions), ``match`` (who wins and why), ``matchmaker`` (who meets whom).
``records`` are the tables of matches and ratings. ``arena.Arena`` brings them together in an event loop; what
it gives to whoever plays is a ``seat.Seat``. ``play`` (WebSocket) and ``ssh`` are seats at the end of a
connection, ``routes`` the ladder over HTTP.
"""
