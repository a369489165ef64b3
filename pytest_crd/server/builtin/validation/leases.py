"""
Validation of Leases.

The feature of coordinated elections is disabled, so that its fields are dropped before.

Reference:
    kubernetes pkg/apis/coordination/validation, ValidateLease and ValidateLeaseUpdate.
"""

from __future__ import annotations

from typing import Final

from pytest_crd.engine.errors import fielderror
from pytest_crd.engine.errors.fielderror import FieldError
from pytest_crd.server.builtin.validation import validatedwrites
from pytest_crd.server.builtin.validation.validatedwrites import ROOT, KindValidation, ValidatedWrite


def validate_create(write: ValidatedWrite) -> list[FieldError]:
    """Validate a new Lease."""
    return [*validatedwrites.validate_metadata(write), *_validate_spec(write)]


def validate_update(write: ValidatedWrite) -> list[FieldError]:
    """Validate an update of a Lease."""
    return [*validatedwrites.validate_metadata_change(write), *_validate_spec(write)]


def _validate_spec(write: ValidatedWrite) -> list[FieldError]:
    spec, path = write.new.get("spec") or {}, ROOT.child("spec")
    errors = []
    duration, transitions = spec.get("leaseDurationSeconds"), spec.get("leaseTransitions")
    if duration is not None and duration <= 0:
        errors.append(fielderror.invalid(path.child("leaseDurationSeconds"), duration, "must be greater than 0"))
    if transitions is not None and transitions < 0:
        detail = "must be greater than or equal to 0"
        errors.append(fielderror.invalid(path.child("leaseTransitions"), transitions, detail))
    return errors


KIND: Final = KindValidation(validate_create, validate_update)
