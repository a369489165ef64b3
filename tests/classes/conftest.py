"""Comparisons of classes with few random objects, which take most of the time."""

from __future__ import annotations

import pytest

from pytest_crd.classes import draws


@pytest.fixture(autouse=True)
def _few_draws(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(draws, "_EXAMPLES", 2)
