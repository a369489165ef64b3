"""
Conversations about built-in objects, made at random: whole objects that have a mistake somewhere, written in every way.

What decodes may be refused by validation, or be defaulted, which our server does not do. So what has a mistake is only tried, and what a server
refuses later counts for nothing. Mistakes are made where nothing is defaulted.
"""

from __future__ import annotations

import copy
import json
from collections.abc import Iterator
from random import Random
from typing import Any, Final

import yaml

from oracle.generators import wholeobjects
from pytest_crd.engine import profile
from pytest_crd.engine.golang.gotypes import Bytes, GoType, Int, List, Map, Pointer, Scalar, Struct
from pytest_crd.server.builtin import builtingotypes

JSONValue = Any

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
# What a server drops that has no use for it.
_GATED: Final = ("v1.LeaseSpec", "strategy")
_DECODING: Final = tuple(f'299 - "{what} ' for what in ("unknown field", "duplicate field", "line"))
# What is left as it is: what makes an object another one, what a server takes away again, or warns of, for reasons of its own, and by which it
# knows the items of a list, as a server panics over those that are objects.
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


def conversation(drawn: Random, length: int) -> list[JSONValue]:
    """Return the requests of a conversation about one kind."""
    (api_version, kind), path = drawn.choice([*_KINDS.items()])
    whole = next(one for one in wholeobjects.each() if (one["apiVersion"], one["kind"]) == (api_version, kind))
    type_ = builtingotypes.of_kind(api_version, kind, profile.named(profile.DEFAULT))
    found = [_sent("POST", path, whole)]
    while len(found) < length:
        found.append(_request(drawn, path, whole, type_))
    return found


def is_validated(asked: JSONValue, answer: JSONValue) -> bool:
    """Return whether a server says of an object what our server does not look at: that it decodes, and is not valid, or not good."""
    is_refused = answer["code"] == 422 and not answer["body"]["message"].startswith(' "" is invalid')
    warnings = answer.get("headers", {}).get("warning", ())
    is_warned = any(not one.startswith(_DECODING) for one in warnings)
    return bool(asked.get("isTried")) and (is_refused or is_warned)


def _request(drawn: Random, path: str, whole: JSONValue, type_: Struct) -> JSONValue:
    if drawn.random() < 0.15:
        noted = {**whole["metadata"], "annotations": {"n": drawn.choice("abc")}}
        return _sent("PUT", f"{path}/a", {**whole, "metadata": noted})
    made = copy.deepcopy(whole)
    for _ in range(drawn.choice((1, 1, 1, 2, 3))):
        _damage(drawn, made, type_)
    validation = drawn.choice(_VALIDATIONS)
    query = "?dryRun=All" + (f"&fieldValidation={validation}" if validation else "")
    way = drawn.randrange(6)
    text: JSONValue = _repeated(drawn, made) if drawn.random() < 0.2 else made
    if way == 0:
        return _tried("POST", f"{path}{query}", _named(text, "b"))
    if way == 1:
        return _tried("PUT", f"{path}/a{query}", text)
    if way == 2:
        return _tried("PUT", f"{path}/a{query}", yaml.safe_dump(made), _YAML)
    if way == 3:
        return _tried("PATCH", f"{path}/a{query}&fieldManager=m&force=true", made, _APPLY)
    return _tried("PATCH", f"{path}/a{query}", text, _PATCHES[way - 4])


def _damage(drawn: Random, whole: JSONValue, type_: Struct) -> None:
    """Make a mistake somewhere in an object."""
    value, struct = drawn.choice([*_structs(whole, type_)])
    names = [name for name in struct.fields if name not in _NOT_ENTERED and (struct.go, name) != _GATED]
    absent = [name for name in names if name not in value]
    there = [name for name in names if name in value]
    way = drawn.randrange(5)
    if way == 0:
        name = drawn.choice(("zz", "aa", "specc", *(one.capitalize() for one in [*struct.fields][:4])))
        value[name] = _anything(drawn)
    elif way in (1, 2) and absent:
        name = drawn.choice(absent)
        value[name] = _empty(drawn, struct.fields[name]) if way == 1 else _anything(drawn)
    elif there:
        name, other = drawn.choice(there), _anything(drawn)
        # A struct in the place of one that says all that there is would be defaulted.
        value[name] = "x" if isinstance(value[name], dict) and isinstance(other, dict) else other


def _anything(drawn: Random) -> JSONValue:
    return copy.deepcopy(drawn.choice(_ANYTHING))


def _structs(value: JSONValue, kind: GoType) -> Iterator[tuple[JSONValue, Struct]]:
    """Yield the objects in a value that are structs."""
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


def _empty(drawn: Random, kind: GoType) -> JSONValue:
    """Return what is nothing in a type, or is nothing in another one."""
    if drawn.random() < 0.2:
        return drawn.choice(_EMPTY)
    if isinstance(kind, Scalar):
        return kind.empty
    if isinstance(kind, Int):
        return 0
    if isinstance(kind, List | Map):
        return [] if isinstance(kind, List) else {}
    return "" if isinstance(kind, Bytes) else None


def _repeated(drawn: Random, value: JSONValue) -> str:
    """Return the text of an object in which a key is there twice."""
    if not isinstance(value, dict) or not value:
        return json.dumps(value)
    twice = drawn.choice([*value])
    pairs = [(key, _repeated(drawn, item) if drawn.random() < 0.4 else json.dumps(item)) for key, item in value.items()]
    if twice not in _NOT_ENTERED:
        pairs.append((twice, json.dumps(drawn.choice((value[twice], None, *_ANYTHING)))))
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
