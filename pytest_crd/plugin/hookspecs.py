"""The hooks that projects and other plugins can implement."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any, Final

import pytest

CLASS_HOOK: Final = "pytest_crd_parity"


def __dir__() -> list[str]:
    """Return the hooks: pluggy inspects each name."""
    return ["pytest_crd_manifests", "pytest_crd_parity", "pytest_crd_webhooks"]


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


def pytest_crd_webhooks(  # type: ignore[empty-body] # pytest calls the implementations
    config: pytest.Config,
) -> Mapping[str, Callable[[dict[str, Any]], Mapping[str, Any]]]:
    """
    Return Python functions that answer the reviews of the project's webhooks.

    pytest-crd calls it once in each process that needs a webhook (with pytest-xdist in each worker), and not before. Only plugins and a
    `conftest.py` that pytest loads at its start can implement it.

    Args:
        config: The configuration of the session.

    Returns:
        A mapping from `conversion`, `admission`, `all`, or the name of a webhook or CRD to a function. The function takes a ConversionReview
        or AdmissionReview, and returns a review or its `response` alone.
    """


def pytest_crd_parity(  # type: ignore[empty-body] # pytest calls the implementations
    config: pytest.Config,
) -> Mapping[str, Any]:
    """
    Return classes to compare with versions of CRDs; each is a test, like those of the setting `crd_parity`.

    pytest-crd calls it once in each process that collects tests. An implementation belongs into the `conftest.py` of the root folder.

    Args:
        config: The configuration of the session.

    Returns:
        A mapping from `CRD/VERSION` to a class, or to a list of classes. A class is a pydantic model or `TypeAdapter`, or a tuple
        `(load, dump)` or `(load, dump, schema)`, as for `pytest_crd.classes.compare`.
    """


def implementations(manager: pytest.PytestPluginManager) -> Sequence[Any]:
    """Return the implementations of all of these hooks."""
    hooks = manager.hook
    return (
        *hooks.pytest_crd_manifests.get_hookimpls(),
        *hooks.pytest_crd_webhooks.get_hookimpls(),
        *hooks.pytest_crd_parity.get_hookimpls(),
    )


def class_implementations(manager: pytest.PytestPluginManager) -> Sequence[Any]:
    """Return the implementations of the hook for classes that must agree with CRDs."""
    return tuple(manager.hook.pytest_crd_parity.get_hookimpls())
