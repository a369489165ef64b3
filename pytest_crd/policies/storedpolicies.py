"""Policies and bindings that are stored on a server."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TypeAlias

from pytest_crd.engine.jsonvalue import JSONObject as Resource
from pytest_crd.policies import definitions, invocations
from pytest_crd.policies.definitions import MUTATING, MUTATING_BINDING, VALIDATING, VALIDATING_BINDING
from pytest_crd.policies.invocations import BoundPolicy, PolicySet

# Returns the stored policies and bindings; an unchanged object is the same one, as is an unchanged list.
ReadStored: TypeAlias = Callable[[], Sequence[Resource]]


class StoredPolicies:
    """The policies of a server, read anew after a change."""

    def __init__(self, read_stored: ReadStored) -> None:
        """Create with the function that returns the stored policies and bindings."""
        self._read_stored = read_stored
        self._resources: Sequence[Resource] = ()
        self._policies = PolicySet()

    def fork(self, read_stored: ReadStored) -> StoredPolicies:
        """Return the policies of a fork of the server."""
        fork = StoredPolicies(read_stored)
        fork._resources, fork._policies = self._resources, self._policies
        return fork

    def read(self) -> PolicySet:
        """Return the policies that have a binding."""
        resources = self._read_stored()
        if resources is self._resources:
            return self._policies
        if len(resources) != len(self._resources) or any(
            new is not old for new, old in zip(resources, self._resources, strict=True)
        ):
            self._policies, self._resources = _group(resources), resources
        return self._policies

    def has_any(self) -> bool:
        """Return whether a policy has a binding."""
        return self.read() != PolicySet()


def _group(resources: Sequence[Resource]) -> PolicySet:
    def of_kind(policy_kind: str, binding_kind: str) -> tuple[BoundPolicy, ...]:
        policies = (definitions.read_policy(item) for item in resources if item["kind"] == policy_kind)
        bindings = (definitions.read_binding(item) for item in resources if item["kind"] == binding_kind)
        return invocations.group(policies, bindings)

    return PolicySet(of_kind(MUTATING, MUTATING_BINDING), of_kind(VALIDATING, VALIDATING_BINDING))
