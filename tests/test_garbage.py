"""Pauses of the garbage collector, and its state afterwards."""

from __future__ import annotations

import gc
from collections.abc import Iterator

import pytest

from pytest_crd import garbage


@pytest.fixture(autouse=True)
def _as_before() -> Iterator[None]:
    is_enabled = gc.isenabled()
    yield
    (gc.enable if is_enabled else gc.disable)()


@pytest.mark.parametrize("is_enabled", [True, False])
def test_the_garbage_collector_is_off_in_the_context(*, is_enabled: bool) -> None:
    (gc.enable if is_enabled else gc.disable)()

    with garbage.paused(), garbage.paused():
        assert not gc.isenabled()
    assert gc.isenabled() == is_enabled


def test_the_garbage_collector_is_on_again_after_an_error() -> None:
    gc.enable()

    with pytest.raises(ValueError, match="broken"), garbage.paused():
        raise ValueError("broken")
    assert gc.isenabled()
