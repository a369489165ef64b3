"""
Validation of the kind of the params of a policy, and of the params of a binding.

Reference:
    kubernetes apis/admissionregistration/validation/validation.go, validateParamKind and validateParamRef.
"""

from __future__ import annotations

from typing import Final

from pytest_crd.admission.matching import rulevalidation
from pytest_crd.engine.errors import fielderror
from pytest_crd.engine.errors.fielderror import Errors
from pytest_crd.engine.fieldpath import FieldPath
from pytest_crd.engine.jsonvalue import JSONObject
from pytest_crd.engine.metadata import labelselectors, names
from pytest_crd.engine.profile import Profile

_ACTIONS: Final = ("Deny", "Allow")
_EXCLUSIVE: Final = "name and selector are mutually exclusive"


def validate_kind(kind: JSONObject, path: FieldPath) -> Errors:
    """Yield the errors of a param kind."""
    yield from _validate_api_version(kind.get("apiVersion") or "", path.child("apiVersion"))
    name, place = kind.get("kind") or "", path.child("kind")
    if not name:
        yield fielderror.required(place, "")
    elif problems := names.dns1035_label(name.lower()):
        detail = f"may have mixed case, but should otherwise match: {','.join(problems)}"
        yield fielderror.invalid(place, name, detail)


def _validate_api_version(api_version: str, path: FieldPath) -> Errors:
    if not api_version:
        yield fielderror.required(path, "")
        return
    if api_version.count("/") > 1:
        yield fielderror.invalid(path, api_version, f"unexpected GroupVersion string: {api_version}")
        return
    group, _, version = api_version.rpartition("/")
    if group and (problems := names.dns1123_subdomain(group)):
        yield fielderror.invalid(path, group, ",".join(problems))
    if not version:
        yield fielderror.invalid(path, api_version, "version must be specified")
    elif problems := names.dns1035_label(version):
        yield fielderror.invalid(path, version, ",".join(problems))


def validate_reference(reference: JSONObject, path: FieldPath, profile: Profile) -> Errors:
    """Yield the errors of the params of a binding."""
    name, selector = reference.get("name") or "", reference.get("selector")
    if name:
        for problem in names.path_segment(name):
            yield fielderror.invalid(path.child("name"), name, problem)
        if selector is not None:
            yield fielderror.forbidden(path.child("name"), _EXCLUSIVE)
    if selector is not None:
        yield from labelselectors.validate(selector, path.child("selector"), profile)
        if name:
            yield fielderror.forbidden(path.child("selector"), _EXCLUSIVE)
    if not name and selector is None:
        yield fielderror.required(path, "one of name or selector must be specified")
    action, place = reference.get("parameterNotFoundAction"), path.child("parameterNotFoundAction")
    if not action:
        yield fielderror.required(place, "")
    else:
        yield from rulevalidation.validate_choice(action, _ACTIONS, place, profile)
