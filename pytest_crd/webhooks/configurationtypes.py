"""Go types of webhook configurations of admissionregistration `v1` and `v1beta1`, and their defaults."""

from __future__ import annotations

import functools
from collections.abc import Iterable, Mapping
from typing import Final, NamedTuple

from pytest_crd.engine.golang import gotypes
from pytest_crd.engine.golang.gotypes import BYTES, INT32, STRING, GoType, List, Pointer, Struct
from pytest_crd.engine.jsonvalue import JSONObject, JSONValue
from pytest_crd.engine.metadata import metav1types
from pytest_crd.engine.metadata.labelselectors import LABEL_SELECTOR
from pytest_crd.engine.profile import Profile

GROUP: Final = "admissionregistration.k8s.io"
MUTATING: Final = "MutatingWebhookConfiguration"
VALIDATING: Final = "ValidatingWebhookConfiguration"
KINDS: Final = (MUTATING, VALIDATING)
V1: Final = "v1"
V1BETA1: Final = "v1beta1"
DEFAULT_PORT: Final = 443


class VersionDefaults(NamedTuple):
    """
    Defaults of the webhooks of one API version.

    Attributes:
        failure_policy: That of `failurePolicy`.
        match_policy: That of `matchPolicy`.
        timeout: That of `timeoutSeconds`.
        others: Those of further fields, which `v1` requires.

    Reference:
        kubernetes apis/admissionregistration/v1/defaults.go and v1beta1/defaults.go.
    """

    failure_policy: str
    match_policy: str
    timeout: int
    others: Mapping[str, JSONValue] = {}


_DEFAULTS: Final = {
    V1: VersionDefaults("Fail", "Equivalent", 10),
    V1BETA1: VersionDefaults("Ignore", "Exact", 30, {"sideEffects": "Unknown", "admissionReviewVersions": ["v1beta1"]}),
}


@functools.cache
def configuration(kind: str, version: str, profile: Profile) -> Struct:
    """Return the type of a configuration of a *kind* in an API *version*."""
    fields: dict[str, GoType] = {
        **metav1types.TYPE_META,
        "metadata": metav1types.object_meta(profile),
        "webhooks": List(_webhook(kind, version, profile)),
    }
    return Struct(f"{version}.{kind}", fields)


def _webhook(kind: str, version: str, profile: Profile) -> Struct:
    def named(name: str) -> Pointer:
        return Pointer(gotypes.string(f"{version}.{name}"))

    service = {"namespace": STRING, "name": STRING, "path": Pointer(STRING), "port": Pointer(INT32)}
    client_config: dict[str, GoType] = {
        "url": Pointer(STRING),
        "service": Pointer(Struct(f"{version}.ServiceReference", service)),
        "caBundle": BYTES,
    }
    fields: dict[str, GoType] = {
        "name": STRING,
        "clientConfig": Struct(f"{version}.WebhookClientConfig", client_config),
        "rules": List(rule_with_operations(version, profile)),
        "failurePolicy": named("FailurePolicyType"),
        "matchPolicy": named("MatchPolicyType"),
        "namespaceSelector": Pointer(LABEL_SELECTOR),
        "objectSelector": Pointer(LABEL_SELECTOR),
        "sideEffects": named("SideEffectClass"),
        "timeoutSeconds": Pointer(INT32),
        "admissionReviewVersions": List(STRING),
    }
    if kind == MUTATING:
        fields["reinvocationPolicy"] = named("ReinvocationPolicyType")
    if profile.validation_rules:  # both use CEL
        fields["matchConditions"] = List(match_condition(version))
    return Struct(f"{version}.{kind.removesuffix('Configuration')}", fields)


def match_condition(version: str) -> Struct:
    """Return the type of a match condition in an API *version*."""
    return Struct(f"{version}.MatchCondition", {"name": STRING, "expression": STRING})


def rule_with_operations(version: str, profile: Profile) -> Struct:
    """Return the type of a rule in an API *version*."""
    rule: dict[str, GoType] = {
        "apiGroups": List(STRING),
        "apiVersions": List(STRING),
        "resources": List(STRING),
        "scope": Pointer(gotypes.string(f"{version}.ScopeType")),
    }
    operations = List(gotypes.string(f"{version}.OperationType"))
    fields = {"operations": operations, **rule}
    inlined = dict.fromkeys(rule, "Rule") if profile.names_embedded_structs else {}
    return Struct(f"{version}.RuleWithOperations", fields, inlined=inlined)


def defaulted(webhook: JSONObject, kind: str, version: str) -> dict[str, JSONValue]:
    """
    Return a decoded webhook with the defaults of its API version.

    Args:
        webhook: The webhook.
        kind: The kind of its configuration.
        version: The API version of its configuration.
    """
    defaults = _DEFAULTS[version]
    values: dict[str, JSONValue] = {
        "failurePolicy": defaults.failure_policy,
        "matchPolicy": defaults.match_policy,
        "namespaceSelector": {},
        "objectSelector": {},
        "timeoutSeconds": defaults.timeout,
        **({"reinvocationPolicy": "Never"} if kind == MUTATING else {}),
        **defaults.others,
    }
    present = {key: value for key, value in webhook.items() if value is not None}
    client_config = dict(present.get("clientConfig") or {})
    if client_config.get("service") is not None:
        service = {key: value for key, value in client_config["service"].items() if value is not None}
        client_config["service"] = {"port": DEFAULT_PORT, **service}
    rules = defaulted_rules(present.get("rules") or ())
    return {**values, **present, "clientConfig": client_config, "rules": rules}


def defaulted_rules(rules: Iterable[JSONObject | None]) -> list[JSONObject]:
    """Return rules with their defaults; null is an empty rule."""
    return [{"scope": "*", **present_fields(rule or {})} for rule in rules]


def present_fields(fields: JSONObject) -> dict[str, JSONValue]:
    """Return the fields that are not null."""
    return {key: value for key, value in fields.items() if value is not None}
