"""Admission policies of a project on a server: its params, then its policies, then its bindings."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Final

from pytest_crd.engine.inputerror import ManifestError, Mistake
from pytest_crd.engine.yaml.manifest import Manifest
from pytest_crd.policies.definitions import BINDING_OF, KINDS
from pytest_crd.server import installing
from pytest_crd.server.api import Api

# Params are there before a binding needs them, and no policy sees the objects of the project.
_ORDER: Final = (*BINDING_OF, *BINDING_OF.values())


def install(api: Api, manifests: Sequence[Manifest]) -> None:
    """
    Store the policies, bindings and params of a project.

    Args:
        api: The server.
        manifests: The policies, bindings and params.

    Raises:
        ManifestError: The server refuses some of them, or does not serve their kind.
    """
    mistakes = [mistake for item in sorted(manifests, key=_order) for mistake in _install(api, item)]
    if mistakes:
        raise ManifestError(mistakes)


def _install(api: Api, item: Manifest) -> Iterator[Mistake]:
    """Store an object, and yield the reason why a server refuses it."""
    type_ = installing.find_type(api, item.api_version, item.kind)
    if type_ is None or not type_.is_stored:
        served = f"Kubernetes {api.profile.version} does not serve {item.kind} of {item.api_version}"
        yield Mistake(item.source, item.line_of("apiVersion"), served)
        return
    if (item.kind, item.api_version) == ("Namespace", "v1"):
        installing.create_namespace(api, str((item.value.get("metadata") or {}).get("name", "")))
        return
    if problem := installing.create(api, type_, item.value):
        yield Mistake(item.source, item.line_of(), problem)


def _order(item: Manifest) -> int:
    return _ORDER.index(item.kind) if item.kind in KINDS else -1
