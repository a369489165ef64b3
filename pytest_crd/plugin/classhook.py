"""Implementations of the hook `pytest_crd_parity`, which names classes that must agree with CRDs."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Final

import pytest

HOOK: Final = "pytest_crd_parity"


def implementations(manager: pytest.PytestPluginManager) -> Sequence[Any]:
    """Return the implementations of the hook."""
    return tuple(manager.hook.pytest_crd_parity.get_hookimpls())
