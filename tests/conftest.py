"""Settings of every test."""

from __future__ import annotations

from hypothesis import settings

# How long an example takes says how busy the machine is; speed is measured by `make bench`.
settings.register_profile("lrgpnode", deadline=None)
settings.load_profile("lrgpnode")
