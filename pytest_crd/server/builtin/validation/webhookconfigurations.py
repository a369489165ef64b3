"""
Validation of webhook configurations.

Reference:
    kubernetes pkg/registry/admissionregistration/*webhookconfiguration/strategy.go.
"""

from __future__ import annotations

from typing import Final

from pytest_crd.engine.errors.fielderror import FieldError
from pytest_crd.policies.validation import objectvalidation
from pytest_crd.server.builtin.validation.validatedwrites import KindValidation, ValidatedWrite
from pytest_crd.webhooks import configurationtypes, configurationvalidation


def validate_create(write: ValidatedWrite) -> list[FieldError]:
    """Validate a new webhook configuration."""
    return _validate(write, is_new=True)


def validate_update(write: ValidatedWrite) -> list[FieldError]:
    """Validate an update of a webhook configuration."""
    return _validate(write, is_new=False)


def find_warnings(write: ValidatedWrite) -> tuple[str, ...]:
    """Return the warnings about the name of a valid webhook configuration."""
    return objectvalidation.find_warnings(write.new, write.profile, is_new=write.old is None)


def _validate(write: ValidatedWrite, *, is_new: bool) -> list[FieldError]:
    kind, version = write.new["kind"], configurationtypes.V1
    webhooks = [
        configurationtypes.defaulted(webhook or {}, kind, version) for webhook in write.new.get("webhooks") or ()
    ]
    configuration = {**write.new, "webhooks": webhooks}
    return [*configurationvalidation.validate(configuration, version, write.profile, is_new=is_new)]


KIND: Final = KindValidation(validate_create, validate_update, find_warnings)
