"""LRGP v0.4 (docs/architecture.md): sans-IO, no clock, no randomness of its own."""
