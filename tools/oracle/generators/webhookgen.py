"""Random conversations with webhooks that answer correctly, oddly, or not at all."""

from __future__ import annotations

import json
from collections.abc import Sequence
from random import Random
from typing import Any, Final

from conformance import webhookconversations
from conformance.webhookconversations import Conversation

_VALUES: Final[tuple[Any, ...]] = (
    None, True, 0, 1, -1, 5, 100, 1.5, 3.0, 2**31, 2**63, "", "x", "blue", "a b", "5", [], [1], ["x", "y"], [{"name": "p"}], [None], {}, {"a": "b"}, {"a": 1},
    {"size": 3}, {"name": "other"}, "2001-01-01T00:00:00Z", "{ns}", "{ns}.example.com/v1", "{ns}.example.com/v2",
)  # fmt: skip
_PLACES: Final = (
    "", "/", "/spec", "/spec/size", "/spec/color", "/spec/replicas", "/spec/length", "/spec/tags", "/spec/tags/0", "/spec/tags/1", "/spec/tags/-", "/spec/tags/9",
    "/spec/tags/-1", "/spec/tags/x", "/spec/labels", "/spec/labels/k", "/spec/any", "/spec/any/deep/list/1", "/spec/any/a~1b", "/spec/any/m~0n", "/spec/parts",
    "/spec/maybe", "/spec/unknown", "/spec/missing/x", "/unknown", "/status", "/status/seen", "/status/replicas", "/metadata", "/metadata/name", "/metadata/namespace",
    "/metadata/uid", "/metadata/labels", "/metadata/labels/a", "/metadata/annotations", "/metadata/finalizers", "/metadata/generation", "/metadata/resourceVersion",
    "/metadata/creationTimestamp", "/metadata/managedFields", "/metadata/managedFields/0/manager", "/metadata/unknown", "/kind", "/apiVersion", "spec/size", "/spec/size/",
)  # fmt: skip
_OPS: Final = ("add", "add", "add", "replace", "replace", "remove", "remove", "move", "copy", "test")
_RESPONSE_PLACES: Final = (
    "/apiVersion", "/kind", "/request", "/response", "/response/uid", "/response/allowed", "/response/allowed", "/response/status", "/response/status/code",
    "/response/status/message", "/response/status/reason", "/response/status/details", "/response/warnings", "/response/auditAnnotations", "/response/patch",
    "/response/patchType", "/response/result", "/response/result/status", "/response/result/message", "/response/convertedObjects", "/response/convertedObjects/0",
    "/response/convertedObjects/0/kind", "/response/convertedObjects/0/apiVersion", "/response/convertedObjects/0/metadata", "/response/convertedObjects/0/metadata/name",
    "/response/convertedObjects/0/metadata/labels", "/response/convertedObjects/0/metadata/annotations", "/response/convertedObjects/0/spec",
)  # fmt: skip
_STATUSES: Final[tuple[Any, ...]] = (
    {}, {"code": 403}, {"message": "no way", "code": 422}, {"reason": "Conflict", "code": 409}, {"message": "m", "reason": "Invalid", "details": {"name": "n", "kind": "k"}},
    {"code": 200, "message": "fine"}, {"status": "Success"}, {"details": {"causes": [{"field": "f", "message": "m", "reason": "r"}], "retryAfterSeconds": 2}},
)  # fmt: skip
_WARNINGS: Final = (["careful"], ["first", "second"], ["", "x"], ["tab\there"], ["w" * 300], ["größer"], ['say "no"'])
_BODIES: Final = (
    "",
    "{}",
    "null",
    "[]",
    '"x"',
    "no JSON",
    "{",
    "a: b",
    "kind: AdmissionReview\n",
    '{"kind": "Status", "apiVersion": "v1", "message": "m"}',
    " ",
)
_CODES: Final = (200, 200, 201, 299, 400, 401, 403, 404, 409, 410, 422, 429, 500, 502, 503, 504)
_CONTENT_TYPES: Final = (
    "application/json",
    "text/plain",
    "text/html",
    "",
    "application/yaml",
    "application/json; charset=utf-8",
    "x",
    "a/b; ;",
)
_ERROR: Final = "unexpected error when reading response body. Please retry. Original error: unexpected EOF"
_SPECS: Final[tuple[Any, ...]] = (
    {}, {"size": 1}, {"size": 1, "tags": ["a", "b"]}, {"any": {"deep": {"list": [1, 2.0, 3]}, "a/b": 1, "m~n": None}, "maybe": None}, {"replicas": 2},
    {"parts": [{"name": "p"}]}, {"color": "blue"}, {"size": 100}, {"size": "x"}, {"unknown": 1}, {"length": 3},
)  # fmt: skip
_CONVERSIONS: Final = {
    "v2": [{"move": "/spec/size", "to": "/spec/length"}, {"move": "/spec/replicas", "to": "/spec/count"}],
    "v1": [{"move": "/spec/length", "to": "/spec/size"}, {"move": "/spec/count", "to": "/spec/replicas"}, {"remove": "/spec/shape"}],
}  # fmt: skip


def conversation(random: Random, number: int, length: int) -> Conversation:
    """
    Return a random conversation.

    Args:
        random: The source of randomness.
        number: The number of the conversation, for its name.
        length: The number of requests.
    """
    converts = random.random() < 0.4
    webhooks = {kind: _configurations(random, kind) for kind in ("mutating", "validating") if random.random() < 0.7}
    hooks: dict[str, Any] = {
        webhook["hook"]: [_admission(random) for _ in range(length)]
        for configurations in webhooks.values()
        for listed in configurations.values()
        for webhook in listed
    }
    if converts:
        hooks["convert"] = _conversion(random)  # always the same one: the number of calls may differ
    declared = {
        "name": str(number),
        "crds": ["converted" if converts else random.choice(("plain", "plain", "two"))],
        "hooks": hooks,
        **webhooks,
        "requests": _versioned([_request(random, place) for place in range(length)]),
    }
    return webhookconversations.conversation("random", declared)


def _versioned(requests: Sequence[dict[str, Any]]) -> Sequence[dict[str, Any]]:
    """Let updates after a list name the version of the answer before: the version of a list counts all writes to etcd."""
    named = 0
    for place, request in enumerate(requests):
        if "list" not in request:
            if "update" in request and named != place - 1:
                request["update"]["metadata"] = {"resourceVersion": f"{{rv:{named}}}"}
            named = place
    return requests


def _configurations(random: Random, kind: str) -> dict[str, Any]:
    # A server calls validating webhooks at the same time, and takes the first refusal.
    names = random.sample(("a", "b", "c"), random.randint(1, 2) if kind == "mutating" else 1)
    verb = kind.removesuffix("ing").removesuffix("at") + "ate"
    return {name: [_webhook(random, kind, f"{verb}{name}")] for name in names}


def _webhook(random: Random, kind: str, hook: str) -> dict[str, Any]:
    webhook: dict[str, Any] = {"hook": hook}
    if random.random() < 0.3:
        webhook["failurePolicy"] = random.choice(("Ignore", "Fail"))
    if random.random() < 0.3:
        webhook["matchPolicy"] = random.choice(("Exact", "Equivalent"))
    if random.random() < 0.2:
        webhook["admissionReviewVersions"] = random.choice((["v1beta1"], ["v1beta1", "v1"], ["v9", "v1"]))
    if kind == "mutating" and random.random() < 0.3:
        webhook["reinvocationPolicy"] = "IfNeeded"
    if random.random() < 0.4:
        versions, resources = (
            random.choice((["v1"], ["v2"], ["*"])),
            random.choice((["things"], ["*/*"], ["things/status", "things"])),
        )
        operations = random.choice((["*"], ["CREATE"], ["UPDATE", "DELETE"], ["CREATE", "UPDATE"]))
        webhook["rules"] = [
            {
                "operations": operations,
                "apiGroups": ["{ns}.example.com"],
                "apiVersions": versions,
                "resources": resources,
            }
        ]
    return webhook


def _admission(random: Random) -> dict[str, Any]:
    chance = random.random()
    if chance < 0.25:
        return {}
    if chance < 0.7:
        behaviour: dict[str, Any] = {"patch": [_operation(random) for _ in range(random.choice((1, 1, 1, 2, 3)))]}
        if random.random() < 0.1:
            behaviour["edit"] = [_change(random)]
        return behaviour
    if chance < 0.9:
        return {"edit": [_change(random) for _ in range(random.randint(1, 2))]}
    return _broken(random)


def _conversion(random: Random) -> dict[str, Any]:
    chance = random.random()
    if chance < 0.7:
        return {"to": _CONVERSIONS}
    if chance < 0.96:
        return {"to": _CONVERSIONS, "edit": [_change(random)]}
    return _broken(random)


def _operation(random: Random) -> dict[str, Any]:
    op = random.choice(_OPS)
    operation: dict[str, Any] = {"op": op, "path": random.choice(_PLACES)}
    if op in ("move", "copy"):
        operation["from"] = random.choice(_PLACES)
    elif op != "remove":
        operation["value"] = random.choice(_VALUES)
    if random.random() < 0.03:
        operation.pop(random.choice([*operation]))
    return operation


def _change(random: Random) -> dict[str, Any]:
    place = random.choice(_RESPONSE_PLACES)
    chance = random.random()
    if place == "/response/allowed" or chance < 0.2:
        return {"set": "/response/allowed", "value": False}
    if place == "/response/status":
        return {"set": place, "value": random.choice(_STATUSES)}
    if place == "/response/warnings":
        return {"set": place, "value": random.choice(_WARNINGS)}
    if chance < 0.5:
        return {"remove": place}
    return {"set": place, "value": random.choice(_VALUES)}


def _broken(random: Random) -> dict[str, Any]:
    if random.random() < 0.2:
        return {"cut": "before", "error": "EOF"} if random.random() < 0.5 else {"cut": "inside", "error": _ERROR}
    behaviour: dict[str, Any] = {"status": random.choice(_CODES), "contentType": random.choice(_CONTENT_TYPES)}
    if random.random() < 0.7:
        behaviour["body"] = random.choice(_BODIES)
    return behaviour


def _request(random: Random, place: int) -> dict[str, Any]:
    version, name, spec = random.choice(("v1", "v1", "v2")), random.choice("ab"), random.choice(_SPECS)
    verb = random.choice(
        (
            "create",
            "create",
            "create",
            "merge",
            "merge",
            "json",
            "apply",
            "apply",
            "update",
            "delete",
            "get",
            "list",
            "status",
            "scaleTo",
        )
    )
    request: dict[str, Any] = {"version": version, "name": name}
    if random.random() < 0.1:
        request["query"] = random.choice(("dryRun=All", "fieldValidation=Strict"))
    if verb == "create" or place == 0:
        return {**request, "create": {"spec": spec}}
    if verb == "json":
        return {**request, "json": [_operation(random)]}
    bodies = {
        "merge": {"spec": spec},
        "apply": {"spec": spec},
        "update": {"spec": spec},
        "scaleTo": random.randint(0, 9),
    }
    if verb == "status":
        return {**request, "merge": {"status": {"seen": random.randint(0, 9)}, "spec": spec}, "sub": "status"}
    return {**request, verb: json.loads(json.dumps(bodies.get(verb)))}
