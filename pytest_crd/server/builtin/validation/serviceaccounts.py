"""
Validation of ServiceAccounts.

Reference:
    kubernetes pkg/apis/core/validation, ValidateServiceAccount; pkg/registry/core/serviceaccount/strategy.go.
"""

from __future__ import annotations

from typing import Final

from pytest_crd.engine.errors.fielderror import FieldError
from pytest_crd.server.builtin.validation import validatedwrites
from pytest_crd.server.builtin.validation.validatedwrites import KindValidation, ValidatedWrite

_MOUNTABLE: Final = "kubernetes.io/enforce-mountable-secrets"


def validate_update(write: ValidatedWrite) -> list[FieldError]:
    """Validate an update of a ServiceAccount."""
    return [*validatedwrites.validate_core_change(write), *validatedwrites.validate_core_metadata(write)]


def find_warnings(write: ValidatedWrite) -> tuple[str, ...]:
    """Return the warning about a new annotation that is deprecated."""
    sides = (write.new, write.old or {"metadata": {}})
    has_new, has_old = (_MOUNTABLE in (side["metadata"].get("annotations") or {}) for side in sides)
    if has_old or not has_new:
        return ()
    text = "deprecated in v1.32+; prefer separate namespaces to isolate access to mounted secrets"
    return (f"metadata.annotations[{_MOUNTABLE}]: {text}",)


KIND: Final = KindValidation(validatedwrites.validate_core_metadata, validate_update, find_warnings)
