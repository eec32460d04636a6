"""Arcades in processes of their own, as tests of the arcade start them."""

from tests.gateway.arcade.conftest import start

__all__ = ["start"]
