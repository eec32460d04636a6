"""SQLite storage of a node: sessions, actions, outbox, mail, and who is who. See ``storage.store``."""
