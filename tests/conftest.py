"""Fixtures and settings of all tests."""

from __future__ import annotations

import os

from hypothesis import HealthCheck, settings

pytest_plugins = ["pytester", "bytecode", "compared", "support.projects", "untested", "rows", "costs", "tiers"]

# CI draws the same examples every time: developers find new failures, and an unrelated change does not fail.
settings.register_profile("ci", derandomize=True, deadline=None, suppress_health_check=[HealthCheck.too_slow])
# The time of one example depends on the machine, not on the code.
settings.register_profile("patient", deadline=None)
settings.load_profile("ci" if os.environ.get("CI") else "patient")
# English, in whatever language a contributor works. In this spelling, argparse looks for no files with translations.
os.environ["LANGUAGE"] = "C"
