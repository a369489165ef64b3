"""
Validation of webhook configurations, with the server's words.

Reference:
    kubernetes apis/admissionregistration/validation/validation.go.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from pytest_crd.admission.matching import conditionvalidation, matchconditions, rulevalidation
from pytest_crd.engine.crds.validation import webhookclient
from pytest_crd.engine.errors import badvalues, fielderror
from pytest_crd.engine.errors.fielderror import Errors
from pytest_crd.engine.fieldpath import FieldPath
from pytest_crd.engine.golang import gotypes, printing
from pytest_crd.engine.golang.gotypes import STRING
from pytest_crd.engine.jsonvalue import JSONObject
from pytest_crd.engine.metadata import labelselectors, names, objectmetarules
from pytest_crd.engine.metadata.objectmetarules import DNS_SUBDOMAIN, ObjectNaming
from pytest_crd.engine.profile import Profile
from pytest_crd.webhooks import configurationtypes

_REVIEW_VERSIONS: Final = ("v1", "v1beta1")
_NO_SIDE_EFFECTS: Final = ("None", "NoneOnDryRun")
_SIDE_EFFECTS: Final = (*_NO_SIDE_EFFECTS, "Some", "Unknown")
_MOST_SECONDS: Final = 30
_FEWEST_SEGMENTS: Final = 3
_STATIC: Final = ".static.k8s.io"
_STRINGS: Final = gotypes.List(STRING)
_WEBHOOKS: Final = FieldPath(("webhooks",))


def validate(configuration: JSONObject, version: str, profile: Profile, *, is_new: bool = True) -> Errors:
    """
    Yield the errors of a configuration.

    Args:
        configuration: The decoded configuration; its webhooks have their defaults.
        version: Its API version; that of `v1` is stricter.
        profile: The Kubernetes version.
        is_new: False for an update of a valid configuration.

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
    if is_new:
        yield from validate_static_name((configuration.get("metadata") or {}).get("name") or "", profile)


def validate_static_name(name: str, profile: Profile) -> Errors:
    """Yield the error of a name that is reserved for static configurations."""
    problem = static_name_problem(name)
    if profile.reserves_static_names and problem:
        yield fielderror.invalid(FieldPath(("metadata", "name")), name, problem)


def static_name_problem(name: str) -> str:
    """
    Return the problem of a name that is reserved for static configurations; empty for another name.

    Reference:
        kubernetes apis/admissionregistration/validation/static_suffix.go.
    """
    if not name.endswith(_STATIC):
        return ""
    reserved = f"names ending with {printing.quote(_STATIC)} are reserved for static manifest-based configurations"
    return f"{reserved} and cannot be managed via the API"


def _validate_webhook(webhook: JSONObject, path: FieldPath, profile: Profile, *, is_strict: bool) -> Errors:
    yield from _validate_name(webhook.get("name") or "", path.child("name"))
    for index, rule in enumerate(webhook["rules"]):
        yield from rulevalidation.validate_rule(rule, path.child("rules").index(index), profile)
    yield from rulevalidation.validate_choice(
        webhook.get("failurePolicy"), rulevalidation.FAILURE_POLICIES, path.child("failurePolicy"), profile
    )
    yield from rulevalidation.validate_choice(
        webhook.get("matchPolicy"), rulevalidation.MATCH_POLICIES, path.child("matchPolicy"), profile
    )
    allowed = _NO_SIDE_EFFECTS if is_strict else _SIDE_EFFECTS
    if "sideEffects" not in webhook:
        yield fielderror.required(path.child("sideEffects"), f"must specify one of {', '.join(allowed)}")
    yield from rulevalidation.validate_choice(webhook.get("sideEffects"), allowed, path.child("sideEffects"), profile)
    timeout = webhook["timeoutSeconds"]
    if not 1 <= timeout <= _MOST_SECONDS:
        detail = f"the timeout value must be between 1 and {_MOST_SECONDS} seconds"
        yield fielderror.invalid(path.child("timeoutSeconds"), timeout, detail)
    for field in ("namespaceSelector", "objectSelector"):
        yield from labelselectors.validate(webhook[field], path.child(field), profile)
    yield from rulevalidation.validate_choice(
        webhook.get("reinvocationPolicy"),
        rulevalidation.REINVOCATION_POLICIES,
        path.child("reinvocationPolicy"),
        profile,
    )
    yield from _validate_client_config(webhook["clientConfig"], path.child("clientConfig"), profile)
    yield from conditionvalidation.validate(
        webhook.get("matchConditions") or (),
        path.child("matchConditions"),
        profile,
        lambda expression: matchconditions.compile_new(expression, profile),
    )


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


def _validate_review_versions(versions: Sequence[str], path: FieldPath, profile: Profile) -> Errors:
    listed = ", ".join(_REVIEW_VERSIONS)
    if not versions:
        yield fielderror.required(path, f"must specify one of {listed}")
        return
    yield from webhookclient.validate_review_versions(versions, path)
    if not any(version in _REVIEW_VERSIONS for version in versions):
        detail = f"must include at least one of {listed}"
        yield badvalues.invalid_of_type(path, list(versions), _STRINGS, detail, profile)
