"""Games as files: readable ones, and records that prove who made which action (docs/records.md)."""
