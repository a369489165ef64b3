"""
Validation of Secrets.

Reference:
    kubernetes pkg/apis/core/validation, ValidateSecret and ValidateSecretUpdate; pkg/registry/core/secret/strategy.go.
"""

from __future__ import annotations

import base64
import json
from collections.abc import Mapping
from typing import Any, Final

from pytest_crd.engine.errors import fielderror
from pytest_crd.engine.errors.fielderror import FieldError
from pytest_crd.engine.golang import decodeerrors, jsonsyntax
from pytest_crd.server.builtin.validation import configkeys, keypairs, validatedwrites
from pytest_crd.server.builtin.validation.validatedwrites import METADATA, ROOT, KindValidation, ValidatedWrite

_PATH: Final = ROOT.child("data")
_LEAD: Final = "kubernetes.io/"
_TLS: Final = f"{_LEAD}tls"
_ACCOUNT: Final = "kubernetes.io/service-account.name"
_REDACTED: Final = "<secret contents redacted>"
# Keys with JSON, by type.
_CONFIGS: Final = {f"{_LEAD}dockercfg": ".dockercfg", f"{_LEAD}dockerconfigjson": ".dockerconfigjson"}
_BASIC: Final = ("username", "password")
_PAIR: Final = ("tls.crt", "tls.key")


def validate_create(write: ValidatedWrite) -> list[FieldError]:
    """Validate a new Secret: metadata, keys by sorted key, size, and the data of its type."""
    data = _data(write.new)
    errors = validatedwrites.validate_core_metadata(write)
    for key in sorted(data):
        errors += configkeys.validate_key(key, _PATH)
    if sum(map(len, data.values())) > configkeys.MOST_BYTES:
        errors.append(fielderror.too_long(_PATH, configkeys.MOST_BYTES))
    return [*errors, *_validate_type(write.new, data)]


def validate_update(write: ValidatedWrite) -> list[FieldError]:
    """Validate an update of a Secret."""
    errors = validatedwrites.validate_core_change(write)
    type_ = write.new.get("type", "")
    if type_ != write.stored.get("type", ""):
        errors.append(validatedwrites.invalid_named(ROOT.child("type"), type_, validatedwrites.IMMUTABLE))
    return [*errors, *configkeys.validate_locked(write, ("data",), of_bytes="data"), *validate_create(write)]


def find_warnings(write: ValidatedWrite) -> tuple[str, ...]:
    """Return the warning about a certificate and key that do not match."""
    if write.new.get("type") != _TLS:
        return ()
    data = _data(write.new)
    problem = keypairs.find_problem(*(data.get(key, b"") for key in _PAIR))
    return (problem,) if problem else ()


def _data(secret: Mapping[str, Any]) -> dict[str, bytes]:
    return {key: base64.b64decode(text) for key, text in (secret.get("data") or {}).items()}


def _validate_type(secret: Mapping[str, Any], data: Mapping[str, bytes]) -> list[FieldError]:
    type_: str = secret.get("type", "")
    if type_ == f"{_LEAD}service-account-token":
        annotations = secret["metadata"].get("annotations") or {}
        path = METADATA.child("annotations").key(_ACCOUNT)
        return [] if annotations.get(_ACCOUNT) else [fielderror.required(path, "")]
    if type_ in _CONFIGS:
        return _validate_config(data.get(_CONFIGS[type_]), _CONFIGS[type_])
    missing: tuple[str, ...] = tuple(key for key in _PAIR if key not in data) if type_ == _TLS else ()
    if type_ == f"{_LEAD}basic-auth":
        missing = () if any(key in data for key in _BASIC) else _BASIC
    elif type_ == f"{_LEAD}ssh-auth":
        missing = () if data.get("ssh-privatekey") else ("ssh-privatekey",)
    return [fielderror.required(_PATH.key(key), "") for key in missing]


def _validate_config(content: bytes | None, key: str) -> list[FieldError]:
    """
    Return the error of a file that is not a JSON object.

    Reference:
        encoding/json, Unmarshal into a map.
    """
    path = _PATH.key(key)
    if content is None:
        return [fielderror.required(path, "")]
    text = content.decode("utf-8", "surrogateescape")
    problem = jsonsyntax.find_problem(text)
    if not problem:
        value = json.loads(text)
        if value is not None and not isinstance(value, dict):
            type_name = decodeerrors.describe(value)
            problem = f"json: cannot unmarshal {type_name} into Go value of type map[string]interface {{}}"
    return [fielderror.invalid(path, _REDACTED, problem)] if problem else []


KIND: Final = KindValidation(validate_create, validate_update, find_warnings)
