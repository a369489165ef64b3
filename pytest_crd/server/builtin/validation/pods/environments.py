"""
Validation of the environment variables of a container.

Reference:
    kubernetes pkg/apis/core/validation, ValidateEnv and ValidateEnvFrom.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from pytest_crd.engine.errors import fielderror
from pytest_crd.engine.errors.fielderror import Errors
from pytest_crd.engine.fieldpath import FieldPath
from pytest_crd.engine.metadata import names
from pytest_crd.server.builtin.validation import configkeys
from pytest_crd.server.builtin.validation.pods import downwardfields, podfields
from pytest_crd.server.builtin.validation.pods.podfields import Object, Rules

FILE: Final = "fileKeyRef"
_SOURCES: Final = ("fieldRef", "resourceFieldRef", "configMapKeyRef", "secretKeyRef", FILE)
# The first minor version of Kubernetes 1 with variables from files.
_FILES_SINCE: Final = 35
_ONLY_ONE: Final = "may not have more than one field specified at a time"


def validate(variables: Sequence[Object], path: FieldPath, rules: Rules) -> Errors:
    """Yield the errors of variables, `env`."""
    for place, variable in enumerate(variables):
        own = path.index(place)
        yield from podfields.validate_name(variable, "name", own, podfields.find_variable_problems)
        if variable.get("valueFrom") is not None:
            yield from _validate_source(variable, own.child("valueFrom"), rules)


def _validate_source(variable: Object, path: FieldPath, rules: Rules) -> Errors:
    source = variable["valueFrom"]
    set_sources = [name for name in _SOURCES if source.get(name) is not None]
    for name in set_sources:
        yield from _validate_reference(name, source[name], path.child(name), rules)
    if not set_sources:
        allowed = _SOURCES if rules.minor >= _FILES_SINCE else _SOURCES[:-1]
        listed = ", ".join(f"`{name}`" for name in allowed[:-1])
        yield fielderror.invalid(path, "", f"must specify one of: {listed} or `{allowed[-1]}`")
    elif variable.get("value"):
        yield fielderror.invalid(path, "", "may not be specified when `value` is not empty")
    elif len(set_sources) > 1:
        yield fielderror.invalid(path, "", _ONLY_ONE)


def _validate_reference(name: str, reference: Object, path: FieldPath, rules: Rules) -> Errors:
    if name == "fieldRef":
        yield from downwardfields.validate_field(reference, path, downwardfields.OF_VARIABLES, rules)
    elif name == "resourceFieldRef":
        yield from downwardfields.validate_amount(reference, path, needs_container=False)
    elif name == FILE:
        yield from podfields.validate_name(reference, "key", path, podfields.find_variable_problems)
        yield from podfields.validate_name(reference, "volumeName", path, rules.label)
        if not reference.get("path"):
            yield fielderror.required(path.child("path"), "")
        else:
            yield from podfields.refuse_steps_back(reference["path"], path.child("path"))
    else:
        yield from podfields.validate_text(reference.get("name") or "", path.child("name"), names.dns1123_subdomain)
        yield from podfields.validate_name(reference, "key", path, configkeys.find_problems)


def validate_sources(sources: Sequence[Object], path: FieldPath) -> Errors:
    """Yield the errors of whole sources, `envFrom`."""
    for place, source in enumerate(sources):
        own = path.index(place)
        if prefix := source.get("prefix"):
            yield from podfields.validate_text(prefix, own.child("prefix"), podfields.find_variable_problems)
        set_sources = [name for name in ("configMapRef", "secretRef") if source.get(name) is not None]
        for name in set_sources:
            yield from podfields.validate_name(source[name], "name", own.child(name), names.dns1123_subdomain_prefix)
        if not set_sources:
            yield fielderror.invalid(path, "", "must specify one of: `configMapRef` or `secretRef`")
        elif len(set_sources) > 1:
            yield fielderror.invalid(path, "", _ONLY_ONE)


def validate_files(spec: Object, path: FieldPath) -> Errors:
    """Yield an error for each variable from a file without a volume `emptyDir`."""
    volumes = {volume.get("name") or "": volume for volume in spec.get("volumes") or ()}
    for container, own in podfields.containers(spec, path):
        for place, variable in enumerate(container.get("env") or ()):
            reference = (variable.get("valueFrom") or {}).get(FILE)
            if reference is None:
                continue
            name = reference.get("volumeName") or ""
            field = own.child("env").index(place).child("valueFrom", FILE, "volumeName")
            if name not in volumes:
                yield podfields.not_found(field, name)
            elif volumes[name].get("emptyDir") is None:
                yield fielderror.invalid(field, name, "referenced volume must be of type emptyDir")
