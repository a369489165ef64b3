"""Comparisons of classes with few random objects, which take most of the time."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from pytest_crd.classes import draws


@pytest.fixture(scope="module", autouse=True)
def _few_draws() -> Iterator[None]:
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(draws, "_EXAMPLES", 1)
        yield
