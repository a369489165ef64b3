"""Values of fields of webhook configurations and of requests for certificates."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Final

from oracle.generators import smallobjects
from oracle.generators.validatedkinds import ABSENT, Kind

_GROUP: Final = "admissionregistration.k8s.io/v1"
_HOOK: Final[Any] = smallobjects.contents()[_GROUP, "ValidatingWebhookConfiguration"]["webhooks"][0]
_RULE: Final[Any] = _HOOK["rules"][0]
_SELECTORS: Final[Sequence[Any]] = (
    {"matchLabels": {"a": "-"}},
    {"matchExpressions": [{"key": "a", "operator": "In"}]},
    {},
    None,
)
_CLIENTS: Final[Sequence[Any]] = (
    *(
        {},
        None,
        {"url": ""},
        {"url": "http://a.example.com"},
        {"url": "https://u@a.example.com/p?q#f"},
        {"url": "https://"},
    ),
    {"service": {}},
    *({"service": {"name": "n", "namespace": "m", "path": path}} for path in ("a", "/a", "/", "//", "/a b/c", "")),
    *({"service": {"name": "n", "namespace": "m", "port": port}} for port in (0, -1, 443, 65536)),
    {"url": "https://a.example.com", "service": {"name": "n", "namespace": "m"}},
    {"url": "https://a.example.com", "caBundle": "YQ=="},
)
_FIELDS: Final[Mapping[str, Sequence[Any]]] = {
    "name": ("", "a", "a.b", "A.b.c", "a.b.c", ABSENT),
    "rules": (
        *(
            [],
            None,
            [{}],
            [{**_RULE, "operations": []}],
            [{**_RULE, "operations": ["*", "CREATE"]}],
            [{**_RULE, "operations": ["Foo"]}],
        ),
        *(
            [{**_RULE, "resources": names}]
            for names in ([], ["*", "a"], ["a/*", "*/b", "*/*"], ["pods", "pods/*", "pods/status"], [""])
        ),
        *([{**_RULE, "apiGroups": names}] for names in ([], ["*", "a"], [""])),
        *([{**_RULE, "apiVersions": names}] for names in ([], ["*", "v1"], [""])),
        *([{**_RULE, "scope": scope}] for scope in ("Cluster", "Namespaced", "*", "", "<b>")),
        [
            {
                **_RULE,
                "apiGroups": ["authentication.k8s.io", "authorization.k8s.io"],
                "resources": ["tokenreviews", "subjectaccessreviews", "tokenreviews"],
            }
        ],
        [{**_RULE, "apiGroups": ["authentication.k8s.io", "*"], "resources": ["tokenreviews"]}],
        [
            {
                **_RULE,
                "apiGroups": ["authorization.k8s.io"],
                "resources": ["selfsubjectaccessreviews", "localsubjectaccessreviews", "selfsubjectrulesreviews"],
            }
        ],
    ),
    "failurePolicy": ("Ignore", "Fail", "", "<b>", None),
    "matchPolicy": ("Exact", "Equivalent", "", "x", None),
    "sideEffects": ("None", "NoneOnDryRun", "Some", "Unknown", "", None, ABSENT),
    "timeoutSeconds": (0, 1, 30, 31, -1, None),
    "admissionReviewVersions": ([], ["v1"], ["v1", "v1"], ["v2"], ["V1", "v1beta1"], [""], None, ABSENT),
    "namespaceSelector": _SELECTORS,
    "objectSelector": _SELECTORS,
    "clientConfig": _CLIENTS,
    "matchConditions": (
        *(
            [],
            None,
            [{}],
            [{"name": "a", "expression": "true"}],
            [{"name": "a", "expression": "1"}],
            [{"name": "a b", "expression": ""}],
        ),
        *(
            [{"name": "a", "expression": "true"}, {"name": "a", "expression": "true"}],
            [{"name": "a", "expression": "object.x."}],
            [{"name": "a", "expression": "nope"}],
        ),
    ),
    "reinvocationPolicy": ("Never", "IfNeeded", "", "x", None),
}


def _hook(field: str, value: Any) -> Any:
    hook = {key: item for key, item in _HOOK.items() if key != field}
    return hook if value is ABSENT else {**hook, field: value}


def _hooks(kind: str) -> Mapping[str, Sequence[Any]]:
    fields = {name: values for name, values in _FIELDS.items() if name != "reinvocationPolicy" or kind == "Mutating"}
    lists = [[_hook(name, value)] for name, values in fields.items() for value in values]
    return {"webhooks": (*lists, [], None, [{}], [_HOOK, _HOOK], [{**_HOOK, "name": ""}] * 2)}


KINDS: Final[Mapping[str, Kind]] = {
    f"{_GROUP} {kind}WebhookConfiguration": Kind(
        f"/apis/{_GROUP}/{kind.lower()}webhookconfigurations",
        {"webhooks": [_HOOK]},
        _hooks(kind),
        is_dry=True,
        mutated=0.4,
    )
    for kind in ("Mutating", "Validating")
}
