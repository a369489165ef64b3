"""The hooks that projects and other plugins can implement."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

import pytest


def pytest_crd_manifests(  # type: ignore[empty-body] # pytest calls the implementations
    config: pytest.Config,
) -> Mapping[str, str | bytes | Mapping[str, Any] | Iterable[str | bytes | Mapping[str, Any]]]:
    """
    Return CRDs that Python code builds; they count as CRDs of the project.

    pytest-crd calls it once in each process that needs a CRD (with pytest-xdist in each worker), and not before.

    Args:
        config: The configuration of the session.

    Returns:
        A mapping from a name, used in messages, to a manifest or an iterable of manifests: mappings, or texts of YAML or JSON. Each
        name needs at least one CustomResourceDefinition; objects of other kinds are passed over.
    """
