"""
Validation of Roles, ClusterRoles and their bindings.

Reference:
    kubernetes pkg/apis/rbac/validation/validation.go; pkg/apis/rbac/v1/zz_generated.validations.go.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any, Final

from pytest_crd.engine.errors import badvalues, fielderror
from pytest_crd.engine.errors.fielderror import FieldError
from pytest_crd.engine.fieldpath import FieldPath
from pytest_crd.engine.metadata import labelselectors, names
from pytest_crd.server.builtin.validation import validatedwrites
from pytest_crd.server.builtin.validation.validatedwrites import ROOT, KindValidation, ValidatedWrite

_GROUP: Final = "rbac.authorization.k8s.io"
_RULES: Final = "rules"
_SUBJECTS: Final = "subjects"
_REFERENCE: Final = "roleRef"
_ACCOUNT: Final = "ServiceAccount"
_FIELDS: Final = ("apiGroup", "kind", "name")


def validate_role(write: ValidatedWrite) -> list[FieldError]:
    """Validate a new Role or ClusterRole."""
    errors = validatedwrites.validate_core_metadata(write)
    for place, rule in enumerate(write.new.get(_RULES) or ()):
        errors += _validate_rule(rule, ROOT.child(_RULES).index(place), namespaced=write.naming.namespaced)
    aggregation = write.new.get("aggregationRule")
    return errors if aggregation is None else [*errors, *_validate_aggregation(aggregation, write)]


def validate_role_update(write: ValidatedWrite) -> list[FieldError]:
    """Validate an update of a Role or ClusterRole."""
    return [*validate_role(write), *validatedwrites.validate_core_change(write)]


def find_declared_of_role(write: ValidatedWrite) -> list[FieldError]:
    """Return the errors of generated validation, which follow all others: rules without verbs."""
    rules = write.new.get(_RULES) or ()
    path = ROOT.child(_RULES)
    return [
        fielderror.required(path.index(place).child("verbs"), "")
        for place, rule in enumerate(rules)
        if not rule.get("verbs")
    ]


def _validate_rule(rule: Mapping[str, Any], path: FieldPath, *, namespaced: bool) -> list[FieldError]:
    errors = []
    if not rule.get("verbs"):
        errors.append(fielderror.required(path.child("verbs"), "verbs must contain at least one value"))
    if urls := rule.get("nonResourceURLs"):
        details = ["namespaced rules cannot apply to non-resource URLs"] if namespaced else []
        if any(rule.get(name) for name in ("apiGroups", "resources", "resourceNames")):
            details.append("rules cannot apply to both regular resources and non-resource URLs")
        return [*errors, *(fielderror.invalid(path.child("nonResourceURLs"), urls, detail) for detail in details)]
    for name, noun in (("apiGroups", "api group"), ("resources", "resource")):
        if not rule.get(name):
            errors.append(fielderror.required(path.child(name), f"resource rules must supply at least one {noun}"))
    return errors


def _validate_aggregation(aggregation: Mapping[str, Any], write: ValidatedWrite) -> list[FieldError]:
    path = ROOT.child("aggregationRule", "clusterRoleSelectors")
    selectors = aggregation.get("clusterRoleSelectors") or ()
    if not selectors:
        detail = "at least one clusterRoleSelector required if aggregationRule is non-nil"
        return [fielderror.required(path, detail)]
    errors = []
    for place, selector in enumerate(selectors):
        problems = [*labelselectors.validate(selector, path.index(place), write.profile)]
        errors += problems
        if problems:
            errors.append(badvalues.invalid_as(path.index(place), None, "null", "invalid label selector."))
    return errors


def validate_binding(write: ValidatedWrite) -> list[FieldError]:
    """Validate a new RoleBinding or ClusterRoleBinding."""
    namespaced = write.naming.namespaced
    errors = validatedwrites.validate_core_metadata(write)
    reference, path = write.new.get(_REFERENCE) or {}, ROOT.child(_REFERENCE)
    group, kind, name = (reference.get(field) or "" for field in _FIELDS)
    if group != _GROUP:
        errors.append(fielderror.not_supported(path.child("apiGroup"), group, [_GROUP]))
    kinds = ["Role", "ClusterRole"] if namespaced else ["ClusterRole"]
    if kind not in kinds:
        errors.append(fielderror.not_supported(path.child("kind"), kind, kinds))
    if not name:
        errors.append(fielderror.required(path.child("name"), ""))
    errors += [fielderror.invalid(path.child("name"), name, problem) for problem in names.path_segment(name)]
    for place, subject in enumerate(write.new.get(_SUBJECTS) or ()):
        errors += _validate_subject(subject, ROOT.child(_SUBJECTS).index(place), namespaced=namespaced)
    return errors


def validate_binding_update(write: ValidatedWrite) -> list[FieldError]:
    """Validate an update of a RoleBinding or ClusterRoleBinding."""
    errors = [*validate_binding(write), *validatedwrites.validate_core_change(write)]
    if not _is_same_role(write):
        reference = write.new.get(_REFERENCE) or {}
        value = fielderror.InOrder(zip(("APIGroup", "Kind", "Name"), _texts(reference), strict=True))
        errors.append(fielderror.invalid(ROOT.child(_REFERENCE), value, validatedwrites.IMMUTABLE))
    return errors


def find_declared_of_binding(write: ValidatedWrite) -> list[FieldError]:
    """Return the errors of generated validation, which follow all others: subjects and, unless it changes, a role without a name."""
    path = ROOT.child(_SUBJECTS)
    subjects = write.new.get(_SUBJECTS) or ()
    errors = [
        fielderror.required(path.index(place).child("name"), "")
        for place, subject in enumerate(subjects)
        if not subject.get("name")
    ]
    reference = write.new.get(_REFERENCE) or {}
    if write.old is None and not reference.get("name"):
        errors.append(fielderror.required(ROOT.child(_REFERENCE, "name"), ""))
    return errors


def _is_same_role(write: ValidatedWrite) -> bool:
    return _texts(write.new.get(_REFERENCE) or {}) == _texts(write.stored.get(_REFERENCE) or {})


def _texts(reference: Mapping[str, Any]) -> list[str]:
    return [reference.get(field) or "" for field in _FIELDS]


def _validate_subject(subject: Mapping[str, Any], path: FieldPath, *, namespaced: bool) -> Iterable[FieldError]:
    kind, name, group = (subject.get(field) or "" for field in ("kind", "name", "apiGroup"))
    if not name:
        yield fielderror.required(path.child("name"), "")
    if kind == _ACCOUNT:
        for problem in names.dns1123_subdomain(name) if name else ():
            yield fielderror.invalid(path.child("name"), name, problem)
        if group:
            yield fielderror.not_supported(path.child("apiGroup"), group, [""])
        if not namespaced and not subject.get("namespace"):
            yield fielderror.required(path.child("namespace"), "")
    elif kind not in ("User", "Group"):
        yield fielderror.not_supported(path.child("kind"), kind, [_ACCOUNT, "User", "Group"])
    elif group != _GROUP:
        yield fielderror.not_supported(path.child("apiGroup"), group, [_GROUP])


ROLE: Final = KindValidation(validate_role, validate_role_update, declared=find_declared_of_role)
BINDING: Final = KindValidation(validate_binding, validate_binding_update, declared=find_declared_of_binding)
