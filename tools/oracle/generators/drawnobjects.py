"""
Random objects of built-in kinds: small valid objects with further fields of their Go types.

Texts of enums come from published schemas, others from a list by field name. A server refuses many of the objects.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from random import Random
from typing import Final, TypeAlias

from oracle.generators import smallobjects
from pytest_crd.engine import profile
from pytest_crd.engine.golang.gotypes import BOOL, Bytes, Custom, GoType, Int, List, Map, Pointer, Raw, Struct
from pytest_crd.engine.jsonvalue import JSONValue
from pytest_crd.server.builtin import builtingotypes

# The values of enums by Go type and field.
Enums: TypeAlias = Mapping[tuple[str, str], Sequence[str]]

_DEPTH: Final = 5
_PROFILE: Final = profile.named(profile.DEFAULT)
# Fields of objects and lists that are left alone.
_LEFT_OUT: Final = frozenset({"metadata", "apiVersion", "kind", "managedFields"})
# Texts by field name, for fields without an enum.
_TEXTS: Final[Mapping[str, Sequence[str]]] = {
    "image": ("cook:1", "cook", "cook:latest", "a.example.com/b/cook@sha256:" + "a" * 64, "localhost/cook", "Cook", "a.example.com:5000/b"),
    "reference": ("cook:1", "cook"),
    "name": ("a", "b", "cook", "cpu"),
    "mountPath": ("/data", "/etc/a"),
    "path": ("/a", "/data", "a"),
    "key": ("a", "example.com/a", "app"),
    "operator": ("In", "Exists", "Equal", "NotIn"),
    "topologyKey": ("kubernetes.io/hostname", "zone"),
    "fieldPath": ("metadata.name", "status.podIP", "spec.nodeName"),
    "resource": ("limits.cpu", "pods", "services"),
    "clusterIP": ("None", ""),
    "serviceAccountName": ("cook", ""),
    "serviceAccount": ("cook", "other"),
    "ip": ("10.1.2.3", "10.1.2.4"),
    "hostIP": ("10.1.2.3",),
    "podIP": ("10.1.2.3",),
    "schedule": ("0 * * * *",),
    "timeZone": ("Europe/Berlin",),
    "schedulerName": ("cook", ""),
    "storageClassName": ("a", ""),
    "volumeName": ("a",),
    "kind": ("Deployment", "User", "Group", "ServiceAccount", "Shared"),
    "apiGroup": ("", "apps", "rbac.authorization.k8s.io"),
    "apiVersion": ("v1", "apps/v1"),
    "scheme": ("HTTP", "HTTPS"),
    "cidr": ("10.0.0.0/8",),
    "type": ("ClusterIP", "NodePort", "LoadBalancer", "ExternalName", "RollingUpdate", "Recreate", "OnDelete", "Opaque", "Container", "Pod", "Resource"),
    "externalName": ("a.example.com",),
    "ipFamilyPolicy": ("SingleStack", "PreferDualStack"),
    "priorityClassName": ("system-cluster-critical", ""),
    "runtimeClassName": ("a",),
    "pathType": ("Prefix", "Exact"),
    "host": ("a.example.com", ""),
    "monitors": ("a",),
    "driver": ("csi.example.com",),
    "expression": ("true", "object.metadata.name != ''"),
    "time": ("2024-01-02T03:04:05Z",),
}  # fmt: skip
_OTHER_TEXTS: Final = ("a", "b.example.com", "example.com/c", "")
_QUANTITIES: Final = ("1", "250m", "1Gi", "1500m", "0.5", "100u", "2")
_NUMBERS: Final = (0, 1, 1, 2, 3, 5, 10, 80, 1000, 8080, -1)


def draw(random: Random, api_version: str, kind: str, enums: Enums) -> JSONValue:
    """Return an object of a kind, in the namespace of the URL."""
    value = json.loads(json.dumps(smallobjects.named(api_version, kind, "drawn")).replace("{ns}", "default"))
    struct = builtingotypes.of_kind(api_version, kind, _PROFILE)
    for _ in range(random.choice((0, 1, 1, 2, 2, 3, 4, 6))):
        change(random, value, struct, enums)
    if random.random() < 0.1:
        value["metadata"]["labels"] = random.choice(({"a": "b"}, {}))
    return value


def change(random: Random, value: JSONValue, struct: Struct, enums: Enums) -> None:
    """Add, replace or drop a field somewhere in an object, in place."""
    place, type_ = random.choice([*_places(value, struct)])
    names = [name for name in type_.fields if name not in _LEFT_OUT]
    if not names:
        return
    name = random.choice(names)
    if name in place and random.random() < 0.3:
        del place[name]
    else:
        place[name] = _draw_value(random, type_.fields[name], name, type_, enums, _DEPTH)


def _places(value: JSONValue, kind: GoType) -> Iterator[tuple[JSONValue, Struct]]:
    """Yield the objects in *value* that are Go structs, each with its type."""
    if isinstance(kind, Pointer):
        yield from _places(value, kind.to)
    elif isinstance(kind, Struct) and isinstance(value, dict):
        yield value, kind
        for name, item in value.items():
            if name in kind.fields and name not in _LEFT_OUT:
                yield from _places(item, kind.fields[name])
    elif isinstance(kind, List) and isinstance(value, list):
        for item in value:
            yield from _places(item, kind.item)


def _draw_value(  # noqa: PLR0911, PLR0917 - a case for each type
    random: Random, kind: GoType, name: str, struct: Struct, enums: Enums, depth: int
) -> JSONValue:
    if isinstance(kind, Pointer):
        return _draw_value(random, kind.to, name, struct, enums, depth)
    if isinstance(kind, Struct):
        return _struct(random, kind, enums, depth)
    if isinstance(kind, List):
        count = random.choice((0, 1, 1, 1, 2)) if depth else 0
        return [_draw_value(random, kind.item, name, struct, enums, depth - 1) for _ in range(count)]
    if isinstance(kind, Map):
        keys = ("cpu", "memory") if kind.go == "v1.ResourceList" else ("app", "a")
        chosen = random.sample(keys, random.choice((0, 1, 1, 2)))
        return {key: _draw_value(random, kind.value, name, struct, enums, depth - 1) for key in chosen}
    if isinstance(kind, Int):
        return random.choice(_NUMBERS)
    if isinstance(kind, Custom):
        return _custom(random, kind)
    if isinstance(kind, Bytes):
        return "YQ=="
    if isinstance(kind, Raw):
        return {"a": 1}
    if kind is BOOL:
        return random.random() < 0.5
    texts = enums.get((builtingotypes.name_of(struct, _PROFILE), name)) or _TEXTS.get(name, _OTHER_TEXTS)
    return random.choice([*texts])


def _custom(random: Random, kind: Custom) -> JSONValue:
    if kind is builtingotypes.QUANTITY:
        return random.choice(_QUANTITIES)
    if kind is builtingotypes.INT_OR_STRING:
        return random.choice((0, 1, 80, "http", "50%"))
    return "2024-01-02T03:04:05.000000Z" if kind is builtingotypes.MICRO_TIME else "2024-01-02T03:04:05Z"


def _struct(random: Random, struct: Struct, enums: Enums, depth: int) -> JSONValue:
    names = [name for name in struct.fields if name not in _LEFT_OUT]
    if depth <= 0 or not names:
        return {}
    # A field of each name that most structs need, and some others.
    chosen: set[str] = {name for name in ("name", "key", "type") if name in names and random.random() < 0.8}
    chosen |= {*random.sample(names, min(len(names), random.choice((0, 1, 1, 2, 3))))}
    return {
        name: _draw_value(random, struct.fields[name], name, struct, enums, depth - 1)
        for name in struct.fields
        if name in chosen
    }


def enums_of(schemas: Mapping[str, JSONValue]) -> Enums:
    """Return the enums in the schemas of an OpenAPI document, without empty texts."""
    enums = {}
    for name, schema in schemas.items():
        for field, part in schema.get("properties", {}).items():
            texts = part.get("enum") or (part.get("items") or {}).get("enum")
            if texts:
                enums[".".join(name.split(".")[-3:]), field] = [text for text in texts if text]
    return enums
