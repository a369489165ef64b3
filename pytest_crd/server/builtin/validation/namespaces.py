"""
Validation of Namespaces, their status and their finalizers.

Reference:
    kubernetes pkg/apis/core/validation, ValidateNamespace, ValidateNamespaceUpdate, ValidateNamespaceStatusUpdate and
    ValidateNamespaceFinalizeUpdate; pkg/registry/core/namespace/strategy.go.
"""

from __future__ import annotations

from typing import Final

from pytest_crd.engine.errors import fielderror
from pytest_crd.engine.errors.fielderror import FieldError
from pytest_crd.engine.fieldpath import FieldPath
from pytest_crd.engine.metadata import names
from pytest_crd.engine.profile import Profile
from pytest_crd.server.builtin.validation import validatedwrites
from pytest_crd.server.builtin.validation.validatedwrites import ROOT, KindValidation, ValidatedWrite

_FINALIZERS: Final = ROOT.child("spec", "finalizers")
# The server spells the field so.
_PHASE: Final = ROOT.child("status", "Phase")


def validate_create(write: ValidatedWrite) -> list[FieldError]:
    """Validate a new Namespace."""
    errors = validatedwrites.validate_core_metadata(write)
    for name in (write.new.get("spec") or {}).get("finalizers") or ():
        errors += _validate_finalizer(name, _FINALIZERS, write.profile)
    return errors


def validate_update(write: ValidatedWrite) -> list[FieldError]:
    """Validate an update of a Namespace, of its status or of its finalizers."""
    if not write.subresource:  # the finalizers stay as they are stored
        return [*validatedwrites.validate_core_metadata(write), *validatedwrites.validate_core_change(write)]
    errors = validatedwrites.validate_core_change(write)
    if write.subresource == "status":
        return [*errors, *_validate_phase(write)]
    for place, name in enumerate((write.new.get("spec") or {}).get("finalizers") or ()):
        errors += _validate_finalizer(name, _FINALIZERS.index(place), write.profile)
    return errors


def _validate_finalizer(name: str, path: FieldPath, profile: Profile) -> list[FieldError]:
    problems = [fielderror.invalid(path, name, problem) for problem in names.label_key(name, profile)]
    return [*problems, *validatedwrites.validate_finalizer(name, path)]


def _validate_phase(write: ValidatedWrite) -> list[FieldError]:
    is_deleted = bool(write.new["metadata"].get("deletionTimestamp"))
    phase = (write.new.get("status") or {}).get("phase", "")
    expected = "Terminating" if is_deleted else "Active"
    if phase == expected:
        return []
    state = "not empty" if is_deleted else "empty"
    detail = f"may only be '{expected}' if `deletionTimestamp` is {state}"
    return [validatedwrites.invalid_named(_PHASE, phase, detail)]


KIND: Final = KindValidation(validate_create, validate_update)
