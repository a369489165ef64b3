"""
Random conversations about built-in objects: whole objects with a mistake, written with every verb.

Our server does not validate built-in objects. So objects with a mistake are sent as dry runs, answers of
validation do not count, and mistakes are made only in fields without defaults.
"""

from __future__ import annotations

import copy
import json
from collections.abc import Iterator
from random import Random
from typing import Final

import yaml

from oracle.generators import wholeobjects
from pytest_crd.engine import profile
from pytest_crd.engine.golang.gotypes import Bytes, GoType, Int, List, Map, Pointer, Scalar, Struct
from pytest_crd.engine.jsonvalue import JSONValue
from pytest_crd.server.builtin import builtingotypes

_KINDS: Final = {
    ("v1", "ConfigMap"): "/api/v1/namespaces/{ns}/configmaps",
    ("v1", "Secret"): "/api/v1/namespaces/{ns}/secrets",
    ("v1", "ServiceAccount"): "/api/v1/namespaces/{ns}/serviceaccounts",
    ("v1", "Event"): "/api/v1/namespaces/{ns}/events",
    ("events.k8s.io/v1", "Event"): "/apis/events.k8s.io/v1/namespaces/{ns}/events",
    ("coordination.k8s.io/v1", "Lease"): "/apis/coordination.k8s.io/v1/namespaces/{ns}/leases",
    ("apps/v1", "Deployment"): "/apis/apps/v1/namespaces/{ns}/deployments",
    ("apps/v1", "StatefulSet"): "/apis/apps/v1/namespaces/{ns}/statefulsets",
    ("batch/v1", "Job"): "/apis/batch/v1/namespaces/{ns}/jobs",
    ("v1", "Service"): "/api/v1/namespaces/{ns}/services",
}
_ANYTHING: Final[tuple[JSONValue, ...]] = (
    *("x", "5", "2024-01-02T03:04:05Z", "2024-01-02T03:04:05.000001Z", "YQ==", "Y", 0, 1, -1, 7.0, 1.5, 2**40, 2**70, 1e300),
    *(True, False, ["x"], [5], [{}], [None], {"x": 1}, {"x": "y"}, {"name": "x"}, {"a": {"b": None, "c": [{"d": None}, None]}}),
)  # fmt: skip
_EMPTY: Final[tuple[JSONValue, ...]] = (None, "", 0, False, [], {})
_VALIDATIONS: Final = ("", "Ignore", "Warn", "Strict", "Strict")
_APPLY, _YAML = "application/apply-patch+yaml", "application/yaml"
_PATCHES: Final = ("application/merge-patch+json", "application/strategic-merge-patch+json")
# A field that the server drops because its feature gate is disabled.
_GATED: Final = ("v1.LeaseSpec", "strategy")
_DECODING: Final = tuple(f'299 - "{warning} ' for warning in ("unknown field", "duplicate field", "line"))
# Fields without mistakes: the identity of an object, fields that a server removes or warns of for other reasons, and
# keys of lists, because a server panics if these are objects.
_NOT_ENTERED: Final = frozenset(
    {
        *("managedFields", "apiVersion", "kind", "name", "namespace", "resourceVersion", "uid", "generateName"),
        *(
            "finalizers",
            "selfLink",
            "secrets",
            "preferredHolder",
            "containerPort",
            "port",
            "serviceAccountName",
            "serviceAccount",
        ),
    }
)


def conversation(random: Random, length: int) -> list[JSONValue]:
    """Return the requests of a conversation about one kind."""
    (api_version, kind), path = random.choice([*_KINDS.items()])
    whole = next(item for item in wholeobjects.each() if (item["apiVersion"], item["kind"]) == (api_version, kind))
    type_ = builtingotypes.of_kind(api_version, kind, profile.named(profile.DEFAULT))
    requests = [_sent("POST", path, whole)]
    while len(requests) < length:
        requests.append(_request(random, path, whole, type_))
    return requests


def is_validated(request: JSONValue, answer: JSONValue) -> bool:
    """
    Return True if the answer depends on validation, which our server does not do.

    Such an answer is a 422, or has a warning that is not about decoding.
    """
    is_refused = answer["code"] == 422 and not answer["body"]["message"].startswith(' "" is invalid')
    warnings = answer.get("headers", {}).get("warning", ())
    is_warned = any(not warning.startswith(_DECODING) for warning in warnings)
    return bool(request.get("isTried")) and (is_refused or is_warned)


def _request(random: Random, path: str, whole: JSONValue, type_: Struct) -> JSONValue:
    if random.random() < 0.15:
        metadata = {**whole["metadata"], "annotations": {"n": random.choice("abc")}}
        return _sent("PUT", f"{path}/a", {**whole, "metadata": metadata})
    damaged = copy.deepcopy(whole)
    for _ in range(random.choice((1, 1, 1, 2, 3))):
        _damage(random, damaged, type_)
    validation = random.choice(_VALIDATIONS)
    query = "?dryRun=All" + (f"&fieldValidation={validation}" if validation else "")
    verb_number = random.randrange(6)
    text: JSONValue = _repeated(random, damaged) if random.random() < 0.2 else damaged
    if verb_number == 0:
        return _tried("POST", f"{path}{query}", _named(text, "b"))
    if verb_number == 1:
        return _tried("PUT", f"{path}/a{query}", text)
    if verb_number == 2:
        return _tried("PUT", f"{path}/a{query}", yaml.safe_dump(damaged), _YAML)
    if verb_number == 3:
        return _tried("PATCH", f"{path}/a{query}&fieldManager=m&force=true", damaged, _APPLY)
    return _tried("PATCH", f"{path}/a{query}", text, _PATCHES[verb_number - 4])


def _damage(random: Random, whole: JSONValue, type_: Struct) -> None:
    """Make a mistake somewhere in an object, in place."""
    value, struct = random.choice([*_structs(whole, type_)])
    names = [name for name in struct.fields if name not in _NOT_ENTERED and (struct.go, name) != _GATED]
    absent = [name for name in names if name not in value]
    present = [name for name in names if name in value]
    mistake = random.randrange(5)
    if mistake == 0:
        name = random.choice(("zz", "aa", "specc", *(field.capitalize() for field in [*struct.fields][:4])))
        value[name] = _anything(random)
    elif mistake in (1, 2) and absent:
        name = random.choice(absent)
        value[name] = _empty(random, struct.fields[name]) if mistake == 1 else _anything(random)
    elif present:
        name, new_value = random.choice(present), _anything(random)
        # A different struct would be defaulted.
        value[name] = "x" if isinstance(value[name], dict) and isinstance(new_value, dict) else new_value


def _anything(random: Random) -> JSONValue:
    return copy.deepcopy(random.choice(_ANYTHING))


def _structs(value: JSONValue, kind: GoType) -> Iterator[tuple[JSONValue, Struct]]:
    """Yield the objects in *value* that are Go structs, each with its type."""
    if isinstance(kind, Pointer):
        yield from _structs(value, kind.to)
    elif isinstance(kind, Struct) and isinstance(value, dict):
        yield value, kind
        for name, item in value.items():
            if name in kind.fields and name not in _NOT_ENTERED:
                yield from _structs(item, kind.fields[name])
    elif isinstance(kind, List) and isinstance(value, list):
        for item in value:
            yield from _structs(item, kind.item)


def _empty(random: Random, kind: GoType) -> JSONValue:
    """Return the empty value of a type, sometimes that of another type."""
    if random.random() < 0.2:
        return random.choice(_EMPTY)
    if isinstance(kind, Scalar):
        return kind.empty
    if isinstance(kind, Int):
        return 0
    if isinstance(kind, List | Map):
        return [] if isinstance(kind, List) else {}
    return "" if isinstance(kind, Bytes) else None


def _repeated(random: Random, value: JSONValue) -> str:
    """Return the JSON text of an object in which a key occurs twice."""
    if not isinstance(value, dict) or not value:
        return json.dumps(value)
    twice = random.choice([*value])
    pairs = [
        (key, _repeated(random, item) if random.random() < 0.4 else json.dumps(item)) for key, item in value.items()
    ]
    if twice not in _NOT_ENTERED:
        pairs.append((twice, json.dumps(random.choice((value[twice], None, *_ANYTHING)))))
    return "{" + ",".join(f"{json.dumps(key)}:{item}" for key, item in pairs) + "}"


def _named(value: JSONValue, name: str) -> JSONValue:
    if isinstance(value, str):
        return value.replace('"name": "a"', f'"name": "{name}"', 1)
    metadata = value["metadata"]
    return {**value, "metadata": {**metadata, "name": name}} if isinstance(metadata, dict) else value


def _tried(method: str, path: str, body: JSONValue, media_type: str = "application/json") -> JSONValue:
    return {**_sent(method, path, body, media_type), "isTried": True, "leaveOut": ["uid"]}


def _sent(method: str, path: str, body: JSONValue, media_type: str = "application/json") -> JSONValue:
    return {"method": method, "path": path, "body": body, "mediaType": media_type}
