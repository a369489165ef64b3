"""
Validation of admission policies and their bindings.

Reference:
    kubernetes pkg/registry/admissionregistration/*/strategy.go.
"""

from __future__ import annotations

from typing import Final

from pytest_crd.engine.errors.fielderror import FieldError
from pytest_crd.policies.validation import objectvalidation
from pytest_crd.server.builtin.validation.validatedwrites import KindValidation, ValidatedWrite


def validate_create(write: ValidatedWrite) -> list[FieldError]:
    """Validate a new policy or binding."""
    return objectvalidation.validate_create(write.new["kind"], write.new, write.profile)


def validate_update(write: ValidatedWrite) -> list[FieldError]:
    """Validate an update of a policy, its status, or a binding."""
    if write.subresource == "status":
        return objectvalidation.validate_status(write.new, write.profile)
    return objectvalidation.validate_update(write.new["kind"], write.new, write.stored, write.profile)


def find_warnings(write: ValidatedWrite) -> tuple[str, ...]:
    """Return the warnings about the name of a valid policy or binding."""
    return objectvalidation.find_warnings(write.new, write.profile, is_new=write.old is None)


KIND: Final = KindValidation(validate_create, validate_update, find_warnings)
