"""
Validation of webhook configurations.

Reference:
    kubernetes pkg/registry/admissionregistration/*webhookconfiguration/strategy.go.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any, Final

from pytest_crd.engine.errors.fielderror import FieldError
from pytest_crd.policies.validation import objectvalidation
from pytest_crd.server.builtin.validation.validatedwrites import ROOT, KindValidation, ValidatedWrite
from pytest_crd.webhooks import configurationtypes, configurationvalidation

# The first minor version of Kubernetes 1 that warns of rules without effect.
_EXCLUDED_SINCE: Final = 37
_EXCLUDED: Final = frozenset({
    *("selfsubjectreviews.authentication.k8s.io", "tokenreviews.authentication.k8s.io"),
    *(f"{name}.authorization.k8s.io" for name in ("localsubjectaccessreviews", "selfsubjectaccessreviews")),
    *(f"{name}.authorization.k8s.io" for name in ("selfsubjectrulesreviews", "subjectaccessreviews")),
})  # fmt: skip


def validate_create(write: ValidatedWrite) -> list[FieldError]:
    """Validate a new webhook configuration."""
    return _validate(write, is_new=True)


def validate_update(write: ValidatedWrite) -> list[FieldError]:
    """Validate an update of a webhook configuration."""
    return _validate(write, is_new=False)


def find_warnings(write: ValidatedWrite) -> tuple[str, ...]:
    """Return the warnings about the name of a valid webhook configuration, and about rules for resources without webhooks."""
    warnings = objectvalidation.find_warnings(write.new, write.profile, is_new=write.old is None)
    if write.profile.minor < _EXCLUDED_SINCE:
        return warnings
    path = ROOT.child("webhooks")
    excluded = (
        f"{path.index(place).child('rules').index(number)}: {resource} is excluded from admission webhooks;"
        " this rule will have no effect"
        for place, webhook in enumerate(write.new.get("webhooks") or ())
        for number, rule in enumerate(webhook.get("rules") or ())
        for resource in _find_excluded(rule)
    )
    return (*warnings, *excluded)


def _find_excluded(rule: Mapping[str, Any]) -> Iterable[str]:
    """
    Return the resources of a rule without webhooks, each once; none for a rule with wildcards.

    Reference:
        kubernetes pkg/kubeapiserver/admission/exclusion.
    """
    groups, resources = rule.get("apiGroups") or (), rule.get("resources") or ()
    if "*" in groups or "*" in resources:
        return ()
    named = dict.fromkeys(f"{resource}.{group}" for group in groups for resource in resources)
    return (name for name in named if name in _EXCLUDED)


def _validate(write: ValidatedWrite, *, is_new: bool) -> list[FieldError]:
    kind, version = write.new["kind"], configurationtypes.V1
    webhooks = [
        configurationtypes.defaulted(webhook or {}, kind, version) for webhook in write.new.get("webhooks") or ()
    ]
    configuration = {**write.new, "webhooks": webhooks}
    return [*configurationvalidation.validate(configuration, version, write.profile, is_new=is_new)]


KIND: Final = KindValidation(validate_create, validate_update, find_warnings)
