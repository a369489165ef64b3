"""Objects of a project or a test as params of admission policies."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import Final, NamedTuple, TypeAlias

from pytest_crd.engine.jsonvalue import JSONObject as Resource
from pytest_crd.policies.definitions import ParamKind

# Returns whether objects of a kind have a namespace; None if the kind is unknown.
ScopeOf: TypeAlias = Callable[[ParamKind], "bool | None"]

DEFAULT_NAMESPACE: Final = "default"


class GivenParams(NamedTuple):
    """
    Objects that may be params.

    Attributes:
        objects: The objects; a later one replaces an earlier one of the same kind, namespace and name.
        scope_of: Returns whether objects of a kind have a namespace.
    """

    objects: tuple[Resource, ...]
    scope_of: ScopeOf

    def is_namespaced(self, kind: ParamKind) -> bool | None:
        """Return whether objects of a kind have a namespace; None if the kind is unknown."""
        return self.scope_of(kind)

    def read(self, kind: ParamKind, namespace: str) -> Sequence[Resource]:
        """
        Return the objects of a kind in the order of their names.

        Args:
            kind: The kind.
            namespace: The namespace; empty for objects without one.
        """
        params = {param["metadata"]["name"]: param for param in self._of_kind(kind, namespace)}
        return [params[name] for name in sorted(params)]

    def _of_kind(self, kind: ParamKind, namespace: str) -> Iterator[Resource]:
        for param in self.objects:
            if (param.get("apiVersion"), param.get("kind")) == kind:
                own = param["metadata"].get("namespace") or DEFAULT_NAMESPACE
                if not namespace or own == namespace:
                    yield param
