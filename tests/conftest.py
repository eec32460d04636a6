"""Settings of every test."""

from __future__ import annotations

import os

from hypothesis import settings

# How long an example takes says how busy the machine is; speed is measured by `make bench`.
settings.register_profile("quick", deadline=None, max_examples=40)
settings.register_profile("thorough", deadline=None, max_examples=200)
settings.load_profile(os.environ.get("LRGPNODE_HYPOTHESIS", "quick"))
