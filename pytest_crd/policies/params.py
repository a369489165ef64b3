"""
Params of a binding for one request.

Reference:
    apiserver admission/plugin/policy/generic/policy_dispatcher.go, CollectParams.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final, Protocol

from pytest_crd.admission.matching import matchcriteria
from pytest_crd.engine.jsonvalue import JSONObject as Resource
from pytest_crd.engine.metadata import labelselectors
from pytest_crd.policies.definitions import ParamKind, ParamRef

_DENY: Final = "Deny"


class ParamSource(Protocol):
    """The objects that may be params."""

    def is_namespaced(self, kind: ParamKind) -> bool | None:
        """Return whether objects of a kind have a namespace; None if the kind is unknown."""

    def read(self, kind: ParamKind, namespace: str) -> Sequence[Resource]:
        """
        Return the objects of a kind in the order of their names.

        Args:
            kind: The kind.
            namespace: The namespace; empty for objects without one.
        """


class NoParams:
    """A source without objects, which knows no kind."""

    def is_namespaced(self, _kind: ParamKind) -> None:
        """Return None for each kind."""

    def read(self, _kind: ParamKind, _namespace: str) -> Sequence[Resource]:
        """Return no objects."""
        return ()


class ParamError(Exception):
    """A binding without usable params, with the server's message."""


def unknown_kind(kind: ParamKind) -> str:
    """Return the server's message about a kind that it does not serve."""
    group, _, version = kind.api_version.rpartition("/")
    return f"failed to find resource referenced by paramKind: '{group}/{version}, Kind={kind.kind}'"


def collect(
    kind: ParamKind | None, reference: ParamRef | None, namespace: str, source: ParamSource
) -> Sequence[Resource | None]:
    """
    Return the params of a binding; a single None if it has none, and nothing if none exists and that is allowed.

    Args:
        kind: The kind of the policy's params.
        reference: The params of the binding.
        namespace: The namespace of the request.
        source: The objects.

    Raises:
        ParamError: The reference does not fit the kind, or there are no params and that is not allowed.
    """
    if kind is None or reference is None:
        return (None,)
    is_namespaced = source.is_namespaced(kind)
    if is_namespaced and not (reference.namespace or namespace):
        raise ParamError("cannot use namespaced paramRef in policy binding that matches cluster-scoped resources")
    if not is_namespaced and reference.namespace:
        raise ParamError("paramRef.namespace must not be provided for a cluster-scoped `paramKind`")
    candidates = source.read(kind, (reference.namespace or namespace) if is_namespaced else "")
    params = [param for param in candidates if _is_selected(param, reference)]
    if not params and reference.not_found_action == _DENY:
        raise ParamError("no params found for policy binding with `Deny` parameterNotFoundAction")
    return params


def _is_selected(param: Resource, reference: ParamRef) -> bool:
    if reference.name:
        return bool(param["metadata"]["name"] == reference.name)
    requirements = labelselectors.requirements(reference.selector or {})
    return labelselectors.is_match(requirements, matchcriteria.labels_of(param))
