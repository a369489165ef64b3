"""
Controller of aggregated ClusterRoles: their rules are those of the selected ClusterRoles.

Reference:
    kubernetes pkg/controller/clusterroleaggregation/clusterroleaggregation_controller.go.
"""

from __future__ import annotations

from collections.abc import Iterable

from pytest_crd.server.authorization.storedroles import CLUSTER_ROLES, StoredRoles
from pytest_crd.server.store.store import Event


class AggregationController:
    """Controller of aggregated ClusterRoles. It looks at all ClusterRoles, as a selector may choose each."""

    resources = frozenset({CLUSTER_ROLES})

    def __init__(self, roles: StoredRoles) -> None:
        """Create for the roles of a store."""
        self._roles = roles

    def find_keys(self, _event: Event) -> Iterable[str]:
        """Return one key for all ClusterRoles."""
        return ("",)

    def reconcile(self, _key: str) -> bool:
        """Fill the aggregated ClusterRoles."""
        self._roles.settle()
        return False
