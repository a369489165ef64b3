"""
Validation of ConfigMaps.

Reference:
    kubernetes pkg/apis/core/validation, ValidateConfigMap and ValidateConfigMapUpdate.
"""

from __future__ import annotations

import base64
from typing import Final

from pytest_crd.engine.errors import fielderror
from pytest_crd.engine.errors.fielderror import FieldError
from pytest_crd.engine.fieldpath import FieldPath
from pytest_crd.server.builtin.validation import configkeys, validatedwrites
from pytest_crd.server.builtin.validation.validatedwrites import ROOT, KindValidation, ValidatedWrite

_DATA: Final = "data"
_BINARY: Final = "binaryData"
# Errors about a whole object have an empty name as their path.
_WHOLE: Final = FieldPath(("",))


def validate_create(write: ValidatedWrite) -> list[FieldError]:
    """Validate a new ConfigMap: metadata, keys by sorted key, and size."""
    data, binary = write.new.get(_DATA) or {}, write.new.get(_BINARY) or {}
    errors = validatedwrites.validate_core_metadata(write)
    for key in sorted(data):
        path = ROOT.child(_DATA)
        errors += configkeys.validate_key(key, path)
        if key in binary:
            errors.append(fielderror.invalid(path.key(key), key, "duplicate of key present in binaryData"))
    for key in sorted(binary):
        errors += configkeys.validate_key(key, ROOT.child(_BINARY))
    size = sum(len(text.encode("utf-8", "surrogatepass")) for text in data.values())
    size += sum(len(base64.b64decode(text)) for text in binary.values())
    if size > configkeys.MOST_BYTES:
        errors.append(fielderror.too_long(_WHOLE, configkeys.MOST_BYTES))
    return errors


def validate_update(write: ValidatedWrite) -> list[FieldError]:
    """Validate an update of a ConfigMap."""
    changes = validatedwrites.validate_core_change(write)
    return [*changes, *configkeys.validate_locked(write, (_DATA, _BINARY), of_bytes=_BINARY), *validate_create(write)]


KIND: Final = KindValidation(validate_create, validate_update)
