"""The hooks that this plugin asks of a project and of other plugins."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

import pytest


def pytest_crd_manifests(  # type: ignore[empty-body] # pytest calls those of others
    config: pytest.Config,
) -> Mapping[str, str | bytes | Mapping[str, Any] | Iterable[str | bytes | Mapping[str, Any]]]:
    """
    Return CRDs that Python makes; they count as CRDs of the project.

    It is called once in each process that needs a CRD (with pytest-xdist in each worker), and not before.

    Args:
        config: The configuration of the session.

    Returns:
        A name for messages, and below it a manifest, or an iterable of some: mappings, or texts of YAML or JSON. Each name brings
        a CustomResourceDefinition; objects of other kinds beside it are passed over.
    """
