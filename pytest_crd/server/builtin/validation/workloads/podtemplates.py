"""
Validation of PodTemplates.

Reference:
    kubernetes pkg/apis/core/validation, ValidatePodTemplate.
"""

from __future__ import annotations

from typing import Final

from pytest_crd.engine.errors.fielderror import Errors, FieldError
from pytest_crd.server.builtin.validation import validatedwrites
from pytest_crd.server.builtin.validation.pods import podspecs, podwarnings
from pytest_crd.server.builtin.validation.validatedwrites import ROOT, KindValidation, ValidatedWrite
from pytest_crd.server.builtin.validation.workloads import templates


def validate_create(write: ValidatedWrite) -> list[FieldError]:
    """Validate a new PodTemplate."""
    return [*validatedwrites.validate_core_metadata(write), *_validate_template(write)]


def validate_update(write: ValidatedWrite) -> list[FieldError]:
    """Validate an update of a PodTemplate."""
    return [*validatedwrites.validate_core_change(write), *_validate_template(write)]


def find_warnings(write: ValidatedWrite) -> tuple[str, ...]:
    """Return the warnings about a valid PodTemplate."""
    if write.old is None:
        return podwarnings.find_in_template(write, "template")
    return podwarnings.find_in_changed_template(write, ("template",), "template")


def _validate_template(write: ValidatedWrite) -> Errors:
    return podspecs.validate_template(
        write.new.get("template") or {}, ROOT.child("template"), templates.rules_of(write)
    )


KIND: Final = KindValidation(validate_create, validate_update, find_warnings)
