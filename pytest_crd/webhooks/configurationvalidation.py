"""
Validation of webhook configurations, with the server's words.

Reference:
    kubernetes apis/admissionregistration/validation/validation.go.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from pytest_crd.engine.crds.validation import webhookclient
from pytest_crd.engine.errors import badvalues, fielderror
from pytest_crd.engine.errors.fielderror import Errors
from pytest_crd.engine.fieldpath import FieldPath
from pytest_crd.engine.golang import gostrings, gotypes, printing
from pytest_crd.engine.golang.gotypes import STRING, GoType
from pytest_crd.engine.jsonvalue import JSONObject
from pytest_crd.engine.metadata import labelselectors, names, objectmetarules
from pytest_crd.engine.metadata.objectmetarules import DNS_SUBDOMAIN, ObjectNaming
from pytest_crd.engine.profile import Profile
from pytest_crd.webhooks import configurationtypes, matchconditions

_REVIEW_VERSIONS: Final = ("v1", "v1beta1")
_FAILURE_POLICIES: Final = ("Fail", "Ignore")
_MATCH_POLICIES: Final = ("Equivalent", "Exact")
_REINVOCATION_POLICIES: Final = ("IfNeeded", "Never")
_NO_SIDE_EFFECTS: Final = ("None", "NoneOnDryRun")
_SIDE_EFFECTS: Final = (*_NO_SIDE_EFFECTS, "Some", "Unknown")
_OPERATIONS: Final = ("*", "CONNECT", "CREATE", "DELETE", "UPDATE")
_SCOPES: Final = ("*", "Cluster", "Namespaced")
_MOST_SECONDS: Final = 30
_MOST_CONDITIONS: Final = 64
_FEWEST_SEGMENTS: Final = 3
_STATIC: Final = ".static.k8s.io"
_STRINGS: Final = gotypes.List(STRING)
_OPERATION_TYPES: Final = gotypes.List(gotypes.string("admissionregistration.OperationType"))
_WEBHOOKS: Final = FieldPath(("webhooks",))


def validate(configuration: JSONObject, version: str, profile: Profile) -> Errors:
    """
    Yield the errors of a new configuration.

    Args:
        configuration: The decoded configuration; its webhooks have their defaults.
        version: Its API version; that of `v1` is stricter.
        profile: The Kubernetes version.

    Errors:
        Required, Invalid, Duplicate, NotSupported, Forbidden, TooMany, TooLong, in the server's order.
    """
    naming = ObjectNaming(DNS_SUBDOMAIN, namespaced=False)
    yield from objectmetarules.validate(configuration.get("metadata") or {}, FieldPath(("metadata",)), naming, profile)
    is_strict = version == configurationtypes.V1
    names_before: set[str] = set()
    for index, webhook in enumerate(configuration["webhooks"]):
        path = _WEBHOOKS.index(index)
        yield from _validate_webhook(webhook, path, profile, is_strict=is_strict)
        versions = webhook.get("admissionReviewVersions") or []
        yield from _validate_review_versions(versions, path.child("admissionReviewVersions"), profile)
        name = webhook.get("name") or ""
        if is_strict and name in names_before:
            yield fielderror.duplicate(path.child("name"), name)
        names_before |= {name} if name else set()
    name = (configuration.get("metadata") or {}).get("name") or ""
    if profile.reserves_static_names and name.endswith(_STATIC):
        reserved = f"names ending with {printing.quote(_STATIC)} are reserved for static manifest-based configurations"
        yield fielderror.invalid(FieldPath(("metadata", "name")), name, f"{reserved} and cannot be managed via the API")


def _validate_webhook(webhook: JSONObject, path: FieldPath, profile: Profile, *, is_strict: bool) -> Errors:
    yield from _validate_name(webhook.get("name") or "", path.child("name"))
    for index, rule in enumerate(webhook["rules"]):
        yield from _validate_rule(rule, path.child("rules").index(index), profile)
    yield from _validate_choice(webhook, "failurePolicy", _FAILURE_POLICIES, path)
    yield from _validate_choice(webhook, "matchPolicy", _MATCH_POLICIES, path)
    allowed = _NO_SIDE_EFFECTS if is_strict else _SIDE_EFFECTS
    if "sideEffects" not in webhook:
        yield fielderror.required(path.child("sideEffects"), f"must specify one of {', '.join(allowed)}")
    yield from _validate_choice(webhook, "sideEffects", allowed, path)
    timeout = webhook["timeoutSeconds"]
    if not 1 <= timeout <= _MOST_SECONDS:
        detail = f"the timeout value must be between 1 and {_MOST_SECONDS} seconds"
        yield fielderror.invalid(path.child("timeoutSeconds"), timeout, detail)
    for field in ("namespaceSelector", "objectSelector"):
        yield from labelselectors.validate(webhook[field], path.child(field), profile)
    yield from _validate_choice(webhook, "reinvocationPolicy", _REINVOCATION_POLICIES, path)
    yield from _validate_client_config(webhook["clientConfig"], path.child("clientConfig"), profile)
    yield from _validate_conditions(webhook.get("matchConditions") or (), path.child("matchConditions"), profile)


def _validate_name(name: str, path: FieldPath) -> Errors:
    """
    Yield the errors of a fully qualified name.

    Reference:
        apimachinery util/validation, IsFullyQualifiedName.
    """
    if not name:
        yield fielderror.required(path, "")
    elif problems := names.dns1123_subdomain(name):
        yield fielderror.invalid(path, name, ",".join(problems))
    elif name.count(".") + 1 < _FEWEST_SEGMENTS:
        yield fielderror.invalid(path, name, "should be a domain with at least three segments separated by dots")


def _validate_choice(webhook: JSONObject, field: str, supported: Sequence[str], path: FieldPath) -> Errors:
    value = webhook.get(field)
    if value is not None and value not in supported:
        yield fielderror.not_supported(path.child(field), value, supported)


def _validate_client_config(config: JSONObject, path: FieldPath, profile: Profile) -> Errors:
    url, service = config.get("url"), config.get("service")
    if (url is None) == (service is None):
        yield fielderror.required(path, "exactly one of url or service is required")
    elif url is not None:
        yield from webhookclient.validate_url(url, path.child("url"), profile)
    else:
        # The server mistakes the name of a service for its namespace, and reports the other one.
        swapped = {
            **(service or {}),
            "name": (service or {}).get("namespace"),
            "namespace": (service or {}).get("name"),
        }
        yield from webhookclient.validate_service(swapped, path.child("service"), profile)


def _validate_rule(rule: JSONObject, path: FieldPath, profile: Profile) -> Errors:
    operations = rule.get("operations") or []
    yield from _validate_list(operations, "operations", path.child("operations"), profile, _OPERATION_TYPES)
    for index, operation in enumerate(operations):
        if operation not in _OPERATIONS:
            yield fielderror.not_supported(path.child("operations").index(index), operation, _OPERATIONS)
    yield from _validate_list(rule.get("apiGroups") or [], "API groups", path.child("apiGroups"), profile)
    versions = rule.get("apiVersions") or []
    yield from _validate_list(versions, "API versions", path.child("apiVersions"), profile)
    for index, version in enumerate(versions):
        if not version:
            yield fielderror.required(path.child("apiVersions").index(index), "")
    yield from _validate_resources(rule.get("resources") or [], path.child("resources"), profile)
    if rule["scope"] not in _SCOPES:
        yield fielderror.not_supported(path.child("scope"), rule["scope"], _SCOPES)


def _validate_list(
    items: Sequence[str], noun: str, path: FieldPath, profile: Profile, kind: GoType = _STRINGS
) -> Errors:
    """Yield the errors of a list that is empty, or that has `*` and other items."""
    if not items:
        yield fielderror.required(path, "")
    if len(items) > 1 and "*" in items:
        detail = f"if '*' is present, must not specify other {noun}"
        yield badvalues.invalid_of_type(path, list(items), kind, detail, profile)


def _validate_resources(resources: Sequence[str], path: FieldPath, profile: Profile) -> Errors:
    if not resources:
        yield fielderror.required(path, "")
    with_any_subresource: set[str] = set()
    of_any_resource: set[str] = set()
    is_last_plain = False
    for index, pattern in enumerate(resources):
        if not pattern:
            yield fielderror.required(path.index(index), "")
            continue
        resource, slash, subresource = pattern.partition("/")
        if not slash:
            # The server remembers the last one alone.
            is_last_plain = pattern != "*"
            continue
        if resource in with_any_subresource:
            detail = f"if '{resource}/*' is present, must not specify {pattern}"
            yield fielderror.invalid(path.index(index), pattern, detail)
        if subresource in of_any_resource:
            detail = f"if '*/{subresource}' is present, must not specify {pattern}"
            yield fielderror.invalid(path.index(index), pattern, detail)
        with_any_subresource |= {resource} if subresource == "*" else set()
        of_any_resource |= {subresource} if resource == "*" else set()
    if len(resources) > 1 and "*/*" in resources:
        detail = "if '*/*' is present, must not specify other resources"
        yield badvalues.invalid_of_type(path, list(resources), _STRINGS, detail, profile)
    if "*" in resources and is_last_plain:
        detail = "if '*' is present, must not specify other resources without subresources"
        yield badvalues.invalid_of_type(path, list(resources), _STRINGS, detail, profile)


def _validate_review_versions(versions: Sequence[str], path: FieldPath, profile: Profile) -> Errors:
    listed = ", ".join(_REVIEW_VERSIONS)
    if not versions:
        yield fielderror.required(path, f"must specify one of {listed}")
        return
    for index, version in enumerate(versions):
        if version in versions[:index]:
            yield fielderror.invalid(path.index(index), version, "duplicate version")
            continue
        for problem in names.dns1035_label(version):
            yield fielderror.invalid(path.index(index), version, problem)
    if not any(version in _REVIEW_VERSIONS for version in versions):
        detail = f"must include at least one of {listed}"
        yield badvalues.invalid_of_type(path, list(versions), _STRINGS, detail, profile)


def _validate_conditions(conditions: Sequence[JSONObject | None], path: FieldPath, profile: Profile) -> Errors:
    if len(conditions) > _MOST_CONDITIONS:
        yield fielderror.too_many(path, len(conditions), _MOST_CONDITIONS)
    names_before: set[str] = set()
    for index, condition in enumerate(conditions):
        place = path.index(index)
        name, expression = (condition or {}).get("name", ""), (condition or {}).get("expression", "")
        trimmed = gostrings.trim_space(expression)
        if not trimmed:
            yield fielderror.required(place.child("expression"), "")
        elif problem := (compiled := matchconditions.compile_new(trimmed, profile)).problem:
            where = place.child("expression")
            yield (
                fielderror.internal(where, problem)
                if compiled.is_internal
                else fielderror.invalid(where, trimmed, problem)
            )
        if not name:
            yield fielderror.required(place.child("name"), "")
            continue
        for problem in names.label_key(name, profile):
            yield fielderror.invalid(place.child("name"), name, problem)
        if name in names_before:
            yield fielderror.duplicate(place.child("name"), name)
        names_before.add(name)
