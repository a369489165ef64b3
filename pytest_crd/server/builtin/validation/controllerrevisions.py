"""
Validation of ControllerRevisions.

Reference:
    kubernetes pkg/apis/apps/validation, ValidateControllerRevisionCreate and ValidateControllerRevisionUpdate.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Final

from pytest_crd.engine.errors import fielderror
from pytest_crd.engine.errors.fielderror import FieldError
from pytest_crd.server.builtin.validation import fieldrules, validatedwrites
from pytest_crd.server.builtin.validation.fieldrules import Site
from pytest_crd.server.builtin.validation.validatedwrites import KindValidation


def _validate_data(site: Site) -> Iterable[FieldError]:
    if isinstance(site.value, dict):
        return ()
    detail = "data is mandatory" if site.value is None else "data must be a valid JSON object"
    return (fielderror.required(site.path, detail),)


_validate_both: Final = validatedwrites.chain(
    validatedwrites.validate_core_metadata, fieldrules.table({"revision": fieldrules.number(0)})
)
KIND: Final = KindValidation(
    validatedwrites.chain(_validate_both, fieldrules.table({"data": _validate_data})),
    validatedwrites.chain(
        validatedwrites.validate_core_change, _validate_both, fieldrules.table({"data": fieldrules.immutable})
    ),
)
