"""
Access reviews: their validation and their status.

Reference:
    kubernetes pkg/apis/authorization/validation/validation.go; pkg/registry/authorization and its util/helpers.go;
    pkg/registry/authentication/selfsubjectreview/rest.go.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from typing import Any, Final, NamedTuple

from pytest_crd.engine.errors import fielderror, refusal
from pytest_crd.engine.errors.fielderror import Errors
from pytest_crd.engine.fieldpath import FieldPath
from pytest_crd.engine.jsonvalue import JSONObject as Resource
from pytest_crd.engine.jsonvalue import JSONValue
from pytest_crd.engine.metadata import labelselectors, names
from pytest_crd.engine.profile import Profile
from pytest_crd.engine.registry.admission import User
from pytest_crd.engine.registry.requestbody import RefusedError
from pytest_crd.server.authorization.accessattributes import AccessAttributes
from pytest_crd.server.authorization.authorizer import RoleAuthorizer
from pytest_crd.server.store import generatedvalues, selectors
from pytest_crd.server.store.selectors import SelectorError

_ONE: Final = "exactly one of nonResourceAttributes or resourceAttributes must be specified"
_ATTRIBUTES: Final = "spec.resourceAttributes"
_TAKES_VALUES: Final = {"In": True, "NotIn": True, "Exists": False, "DoesNotExist": False}
_LOCAL: Final = "LocalSubjectAccessReview"
_SELF: Final = "SelfSubjectAccessReview"


class ReviewRequest(NamedTuple):
    """
    A review that a client asks for.

    Attributes:
        kind: The kind of the review.
        object: The sent object, decoded, with the metadata that the server sees, managed fields included.
        user: The user of the request.
    """

    kind: str
    object: Resource
    user: User


def find_errors(review: ReviewRequest, profile: Profile) -> Errors:
    """Yield the errors of a review of access, in the server's order; other reviews have none."""
    if review.kind not in (_LOCAL, _SELF, "SubjectAccessReview"):
        return
    spec: Mapping[str, Any] = review.object.get("spec") or {}
    attributes, path_attributes = spec.get("resourceAttributes"), spec.get("nonResourceAttributes")
    shown_path = None if path_attributes is None else _internal(path_attributes)
    if (attributes is None) == (path_attributes is None):
        yield fielderror.invalid(FieldPath(("spec",)), shown_path, _ONE)
    if review.kind != _SELF and not spec.get("user") and not spec.get("groups"):
        path = FieldPath(("spec", "user"))
        yield fielderror.invalid(path, spec.get("user", ""), "at least one of user or group must be specified")
    if attributes is not None:
        yield from _find_selector_errors(attributes, profile)
    yield from _find_metadata_errors(review)
    if review.kind != _LOCAL:
        return
    namespace = review.object["metadata"].get("namespace", "")
    if attributes is not None and attributes.get("namespace", "") != namespace:
        path = FieldPath((f"{_ATTRIBUTES}.namespace",))
        yield fielderror.invalid(path, attributes.get("namespace", ""), "must match metadata.namespace")
    if path_attributes is not None:
        path = FieldPath(("spec.nonResourceAttributes",))
        yield fielderror.invalid(path, shown_path, "disallowed on this kind of request")


def _find_metadata_errors(review: ReviewRequest) -> Errors:
    metadata = review.object["metadata"]
    allowed = {"managedFields", *(("namespace",) if review.kind == _LOCAL else ())}
    if any(value for key, value in metadata.items() if key not in allowed):
        detail = f"must be empty{' except for namespace' if review.kind == _LOCAL else ''}"
        yield fielderror.invalid(FieldPath(("metadata",)), fielderror.InOrder(metadata), detail)


def _internal(attributes: Mapping[str, Any]) -> JSONValue:
    """Return attributes of a path as messages print them, with the names of the fields in Go."""
    return {"Path": attributes.get("path", ""), "Verb": attributes.get("verb", "")}


def _find_selector_errors(attributes: Mapping[str, Any], profile: Profile) -> Errors:
    for field in ("fieldSelector", "labelSelector"):
        selector = attributes.get(field)
        if selector is None:
            continue
        path = FieldPath((_ATTRIBUTES, field))
        raw, requirements = selector.get("rawSelector", ""), selector.get("requirements") or ()
        if raw and requirements:
            detail = "may not specified at the same time as requirements"
            yield fielderror.invalid(path.child("rawSelector"), raw, detail)
        if not raw and not requirements:
            detail = f"when {_ATTRIBUTES}.{field} is specified, requirements or rawSelector is required"
            yield fielderror.required(path.child("requirements"), detail)
        for index, requirement in enumerate(requirements):
            yield from _find_requirement_errors(
                requirement, path.child("requirements").index(index), profile, is_label=field == "labelSelector"
            )


def _find_requirement_errors(
    requirement: Mapping[str, Any], path: FieldPath, profile: Profile, *, is_label: bool
) -> Errors:
    key, values = requirement.get("key", ""), requirement.get("values") or ()
    takes_values = _TAKES_VALUES.get(requirement.get("operator", ""))
    if not is_label and not key:
        yield fielderror.required(path.child("key"), "must be specified")
    if takes_values and not values:
        detail = "must be specified when `operator` is 'In' or 'NotIn'"
        yield fielderror.required(path.child("values"), detail)
    if takes_values is False and values:
        detail = "may not be specified when `operator` is 'Exists' or 'DoesNotExist'"
        yield fielderror.forbidden(path.child("values"), detail)
    if not is_label:
        return
    for problem in names.label_key(key, profile):
        yield fielderror.invalid(path.child("key"), key, problem)
    for index, value in enumerate(values):
        for problem in names.label_value(value, profile):
            yield fielderror.invalid(path.child("values").index(index), value, problem)


def answer(review: ReviewRequest, authorizer: RoleAuthorizer, profile: Profile) -> Resource:
    """
    Return the answered review.

    Args:
        review: A review without errors.
        authorizer: The authorizer of the server.
        profile: The Kubernetes version.

    Raises:
        RefusedError: 400: a review of rules names no namespace.
    """
    type_meta = {key: review.object[key] for key in ("kind", "apiVersion")}
    if review.kind == "SelfSubjectReview":
        metadata = {"creationTimestamp": generatedvalues.now()}
        return {**type_meta, "metadata": metadata, "status": {"userInfo": describe_user(review.user)}}
    spec: Mapping[str, Any] = review.object.get("spec") or {}
    if review.kind == "SelfSubjectRulesReview":
        if not spec.get("namespace"):
            raise RefusedError(refusal.bad_request("no namespace on request"))
        status = _rules_status(authorizer, review.user, spec["namespace"])
        return {**type_meta, "metadata": {}, "spec": {}, "status": status}
    user = review.user if review.kind == _SELF else _user_of(spec)
    decision = authorizer.authorize(_attributes(spec, user))
    problems = "; ".join(_evaluation_errors(spec.get("resourceAttributes") or {}, profile))
    status = {
        "allowed": decision.is_allowed,
        **({"reason": decision.reason} if decision.reason else {}),
        **({"evaluationError": problems} if problems else {}),
    }
    return {**review.object, "status": status}


def describe_user(user: User) -> JSONValue:
    """Return a user as reviews show it, without empty fields."""
    extra = {key: [*values] for key, values in user.extra.items()}
    info = {"username": user.username, "uid": user.uid, "groups": [*user.groups], "extra": extra}
    return {key: value for key, value in info.items() if value}


def _user_of(spec: Mapping[str, Any]) -> User:
    extra = {key: tuple(values or ()) for key, values in (spec.get("extra") or {}).items()}
    return User(spec.get("user", ""), spec.get("uid", ""), tuple(spec.get("groups") or ()), extra)


def _attributes(spec: Mapping[str, Any], user: User) -> AccessAttributes:
    attributes = spec.get("resourceAttributes")
    if attributes is None:
        path = spec["nonResourceAttributes"]
        return AccessAttributes(user, path.get("verb", ""), path=path.get("path", ""), is_resource=False)
    fields = ("verb", "group", "resource", "subresource", "namespace", "name")
    return AccessAttributes(user, *(attributes.get(field, "") for field in fields))


def _rules_status(authorizer: RoleAuthorizer, user: User, namespace: str) -> Resource:
    user_rules = authorizer.find_rules(user, namespace)
    resource_rules: list[JSONValue] = []
    path_rules: list[JSONValue] = []
    for rule in user_rules.rules:
        if rule.resources:
            lists = {"apiGroups": rule.api_groups, "resources": rule.resources, "resourceNames": rule.resource_names}
            fields = {key: [*values] for key, values in lists.items() if values}
            resource_rules.append({"verbs": [*rule.verbs], **fields})
        if rule.non_resource_urls:
            path_rules.append({"verbs": [*rule.verbs], "nonResourceURLs": [*rule.non_resource_urls]})
    problem = {"evaluationError": user_rules.problem} if user_rules.problem else {}
    return {"resourceRules": resource_rules, "nonResourceRules": path_rules, "incomplete": False, **problem}


def _evaluation_errors(attributes: Mapping[str, Any], profile: Profile) -> Iterator[str]:
    """Yield the problems of selectors, which the server ignores in part."""
    readers: Mapping[str, tuple[Callable[[str], object], Callable[[Mapping[str, Any]], bool]]] = {
        "fieldSelector": (selectors.fields, _is_field_term),
        "labelSelector": (lambda text: selectors.labels(text, profile), _is_label_term),
    }
    for field, (read, is_term) in readers.items():
        selector = attributes.get(field) or {}
        requirements = selector.get("requirements") or ()
        valid = [requirement for requirement in requirements if is_term(requirement)]
        try:
            read(selector.get("rawSelector", ""))
        except SelectorError:
            yield f"{_ATTRIBUTES}.{field} ignored due to parse error"
        if len(valid) < len(requirements):
            how = "partially ignored" if valid else "ignored"
            yield f"{_ATTRIBUTES}.{field} {how} due to parse error"


def _is_field_term(requirement: Mapping[str, Any]) -> bool:
    return requirement.get("operator") in ("In", "NotIn") and len(requirement.get("values") or ()) == 1


def _is_label_term(requirement: Mapping[str, Any]) -> bool:
    return requirement.get("operator") in labelselectors.OPERATORS
