"""Errors for which a server refuses a CRD, and which the check `accepted` lists."""

from __future__ import annotations

from collections.abc import Iterable

from pytest_crd.engine import CustomResourceDefinition, FieldError


def find_refused(crd: CustomResourceDefinition, errors: Iterable[FieldError]) -> str:
    """Return the source of a CRD if `accepted` fails with all of *errors*; else empty."""
    refused = crd.create(field_validation="Strict").errors
    return crd.source if all(error in refused for error in errors) else ""
