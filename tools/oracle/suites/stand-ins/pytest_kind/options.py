"""The options of pytest-kind."""

from __future__ import annotations

import pytest


def pytest_addoption(parser: pytest.Parser) -> None:
    """Accept the option to keep a cluster."""
    parser.addoption("--keep-cluster", action="store_true")
