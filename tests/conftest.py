"""What all tests share."""

from __future__ import annotations

import os

from hypothesis import HealthCheck, settings

pytest_plugins = ["pytester", "bytecode", "compared", "support.projects", "tiers"]

# In CI the same examples every time: a new one is found by a developer, and is no reason for an unrelated change to fail.
settings.register_profile("ci", derandomize=True, deadline=None, suppress_health_check=[HealthCheck.too_slow])
# How long one example takes says something about the machine, and nothing about the code.
settings.register_profile("patient", deadline=None)
settings.load_profile("ci" if os.environ.get("CI") else "patient")
