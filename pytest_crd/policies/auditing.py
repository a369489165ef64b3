"""
Audit annotations of a request.

Reference:
    apiserver admission/plugin/policy/validating/dispatcher.go, auditAnnotationCollector and publishValidationFailureAnnotations.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Final, TypeAlias

from pytest_crd.engine.golang import printing
from pytest_crd.engine.jsonvalue import JSONValue
from pytest_crd.engine.profile import Profile
from pytest_crd.policies.definitions import Policy, PolicyBinding

# Called with the key and the value of an annotation.
Annotate: TypeAlias = Callable[[str, str], None]

_FAILURES: Final = "validation.policy.admission.k8s.io/validation_failure"
_MOST_FAILURES: Final = 50
_MOST_BYTES: Final = 10 * 1024


class AuditAnnotations:
    """The audit annotations of one request by all policies."""

    def __init__(self, annotate: Annotate, profile: Profile) -> None:
        """Create with the function that takes the annotations, and the Kubernetes version."""
        self._annotate = annotate
        self._most_failures = _MOST_FAILURES if profile.audits_all_failures else 1
        self._values: dict[str, list[str]] = {}
        self._failures: list[JSONValue] = []

    def add(self, policy: Policy, key: str, value: str) -> None:
        """Add the value of a key; several values of a key are joined, equal ones count once."""
        cut = value.encode("utf-8", "surrogatepass")[:_MOST_BYTES].decode("utf-8", "surrogateescape")
        values = self._values.setdefault(f"{policy.name}/{key}", [])
        if cut not in values:
            values.append(cut)

    def add_failure(self, policy: Policy, binding: PolicyBinding, index: int, message: str) -> None:
        """Add a failed validation of a binding with the action Audit."""
        failure = {
            "message": message,
            "policy": policy.name,
            "binding": binding.name,
            "expressionIndex": index,
            "validationActions": list(binding.validation_actions),
        }
        self._failures.append(failure)

    def publish(self) -> None:
        """Hand the annotations to the function that takes them."""
        for key, values in self._values.items():
            self._annotate(key, ", ".join(values))
        if self._failures:
            self._annotate(_FAILURES, printing.marshal(self._failures[: self._most_failures], sort_keys=False))
