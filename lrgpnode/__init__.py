"""A Reticulum-native game node: LRGP over LXMF. `docs/architecture.md` says which room does what."""

__version__ = "0.1.0"
