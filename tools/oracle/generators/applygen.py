"""Generated CRDs with all list and map types, and sequences of requests of several managers for one object, from a seed."""

from __future__ import annotations

import copy
from collections.abc import Callable
from random import Random
from typing import Final

from conformance import sequences

from pytest_crd.engine.jsonvalue import JSONValue

Schema = dict[str, JSONValue]

MANAGERS: Final = ("a", "b", "c")
_NAMES: Final = ("a", "b", "c", "d", "e")
_STRINGS: Final = ("x", "y", "z")
_VALUES: Final[dict[str, tuple[JSONValue, ...]]] = {
    "string": _STRINGS,
    "integer": (1, 2, 3),
    "boolean": (True, False),
    "number": (1, 1.5, 2.0, 0.1),
}
_SCALARS: Final = tuple(_VALUES)
_ODD: Final[tuple[JSONValue, ...]] = (None, "odd", 7, 1.5, True, [], {}, ["x", "x"], {"a": None}, [{}], [None], -1, "")


def crd(random: Random, number: int) -> JSONValue:
    """Return CRD *number* in its own API group."""
    group = f"n{number}.apply.example.com"
    manifest = sequences.crd_of({"schema": _root(random)}, group)
    versions = manifest["spec"]["versions"]
    versions[0].setdefault("subresources", {"status": {}})
    if random.random() < 0.5:
        del versions[0]["subresources"]
    if random.random() < 0.3:
        second_version = copy.deepcopy(versions[0]) | {"name": "v2", "storage": False}
        if random.random() < 0.5:
            second_version["schema"]["openAPIV3Schema"] = _root(random)
        versions.append(second_version)
    return manifest


def _root(random: Random) -> Schema:
    root: Schema = {"type": "object", "properties": {"spec": _object(random, 3), "status": _object(random, 1)}}
    root["properties"]["spec"].pop("x-kubernetes-map-type", None)
    return root


def _node(random: Random, depth: int) -> Schema:
    kinds: list[Callable[[Random, int], Schema]] = [_scalar, _scalar, _int_or_string, _set]
    if depth > 0:
        kinds += [_object, _object, _map, _list, _keyed, _keyed, _keyed, _opaque, _embedded]
    schema = random.choice(kinds)(random, depth)
    if random.random() < 0.1:
        schema["nullable"] = True
    if random.random() < 0.15:
        schema["default"] = value(random, schema, flaws=0)
    return schema


def _scalar(random: Random, _depth: int) -> Schema:
    return {"type": random.choice(_SCALARS)}


def _int_or_string(_random: Random, _depth: int) -> Schema:
    return {"x-kubernetes-int-or-string": True}


def _properties(random: Random, depth: int, most: int = 4) -> Schema:
    return {name: _node(random, depth - 1) for name in random.sample(_NAMES, random.randint(1, most))}


def _object(random: Random, depth: int) -> Schema:
    schema: Schema = {"type": "object", "properties": _properties(random, depth)}
    if random.random() < 0.25:
        schema["x-kubernetes-map-type"] = random.choice(("granular", "atomic"))
    if random.random() < 0.1:
        schema["x-kubernetes-preserve-unknown-fields"] = True
    return schema


def _map(random: Random, depth: int) -> Schema:
    schema: Schema = {"type": "object", "additionalProperties": _plain(_node(random, depth - 1))}
    if random.random() < 0.5:
        schema["x-kubernetes-map-type"] = random.choice(("granular", "atomic"))
    return schema


def _list(random: Random, depth: int) -> Schema:
    schema: Schema = {"type": "array", "items": _plain(_node(random, depth - 1))}
    if random.random() < 0.5:
        schema["x-kubernetes-list-type"] = "atomic"
    return schema


def _set(random: Random, _depth: int) -> Schema:
    items: Schema = {"type": random.choice(_SCALARS)}
    if random.random() < 0.02:
        items = {"type": "object", "properties": {"a": {"type": "string"}}, "x-kubernetes-map-type": "atomic"}
    return {"type": "array", "items": items, "x-kubernetes-list-type": "set"}


def _keyed(random: Random, depth: int) -> Schema:
    properties = {name: _plain(child) for name, child in _properties(random, depth, 3).items()}
    keys = random.sample(("name", "port", "on"), random.choice((1, 1, 2)))
    kinds = {"name": "string", "port": "integer", "on": "boolean"}
    required = []
    for key in keys:
        properties[key] = {"type": kinds[key]}
        if random.random() < 0.3:
            properties[key]["default"] = value(random, properties[key], flaws=0)
        else:
            required.append(key)
    items: Schema = {"type": "object", "properties": properties}
    if required:
        items["required"] = required
    return {"type": "array", "items": items, "x-kubernetes-list-type": "map", "x-kubernetes-list-map-keys": keys}


def _opaque(random: Random, depth: int) -> Schema:
    schema: Schema = {"x-kubernetes-preserve-unknown-fields": True}
    if random.random() < 0.6:
        schema["type"] = "object"
        if random.random() < 0.5:
            schema["properties"] = _properties(random, depth, 2)
    return schema


def _embedded(_random: Random, _depth: int) -> Schema:
    return {
        "type": "object",
        "x-kubernetes-embedded-resource": True,
        "x-kubernetes-preserve-unknown-fields": True,
    }


def _plain(schema: Schema) -> Schema:
    return {key: item for key, item in schema.items() if key != "nullable"}


def value(random: Random, schema: Schema, *, flaws: float = 0.007) -> JSONValue:
    """Return a value of *schema*; each part has the probability *flaws* of being a different value."""
    if flaws and random.random() < flaws:
        return random.choice(_ODD)
    if schema.get("nullable") and random.random() < 0.2:
        return None
    if "x-kubernetes-int-or-string" in schema:
        return random.choice((1, 2, "50%"))
    if schema.get("x-kubernetes-embedded-resource"):
        return {
            "apiVersion": "v1",
            "kind": "Pod",
            "metadata": {"name": random.choice(_STRINGS)},
            "spec": {"a": random.randint(1, 2)},
        }
    kind = schema.get("type")
    if kind == "array":
        return _items(random, schema, flaws)
    return random.choice(_VALUES[kind]) if kind in _VALUES else _fields(random, schema, flaws)


def _items(random: Random, schema: Schema, flaws: float) -> JSONValue:
    items = [value(random, schema["items"], flaws=flaws) for _ in range(random.randint(0, 3))]
    if schema.get("x-kubernetes-list-type") in (None, "atomic") or (flaws and random.random() < 0.03):
        return items
    keys = schema.get("x-kubernetes-list-map-keys", ())
    distinct: dict[str, JSONValue] = {}
    for item in items:
        whole = not keys or not isinstance(item, dict)
        identity = item if whole else [item.get(key, _default(schema, key)) for key in keys]
        distinct.setdefault(repr(identity), item)
    return [*distinct.values()]


def _default(schema: Schema, key: str) -> JSONValue:
    return schema["items"]["properties"][key].get("default")


def _fields(random: Random, schema: Schema, flaws: float) -> JSONValue:
    fields = {}
    for name, field_schema in schema.get("properties", {}).items():
        if random.random() < 0.6 or name in schema.get("required", ()):
            fields[name] = value(random, field_schema, flaws=flaws)
    if "additionalProperties" in schema:
        for name in random.sample(_NAMES, random.randint(0, 3)):
            fields[name] = value(random, schema["additionalProperties"], flaws=flaws)
    if schema.get("x-kubernetes-preserve-unknown-fields") and random.random() < 0.7:
        name = random.choice(_NAMES)
        fields.setdefault(name, random.choice(([1, 2], {"a": {"b": "x"}}, "x", 1, [{"a": 1}], {"c": []}, None)))
    if flaws and random.random() < flaws:
        fields[random.choice(("unknown", *_NAMES))] = random.choice(_ODD)
    return fields


def sequence(random: Random, manifest: JSONValue) -> list[sequences.Request]:
    """Return two to five requests for one object."""
    bodies: dict[str, JSONValue] = {}
    requests: list[sequences.Request] = []
    for number in range(random.randint(2, 5)):
        request = _request(random, manifest, bodies, is_first=number == 0)
        if request.get("dryRun") is None and random.random() < 0.03:
            request["dryRun"] = True
        requests.append(request)
        if random.random() < 0.08 and len(requests) < 5:
            requests.append(copy.deepcopy(request))
    return requests[:5]


def _request(random: Random, manifest: JSONValue, bodies: dict[str, JSONValue], *, is_first: bool) -> sequences.Request:
    version = random.choice(manifest["spec"]["versions"])
    schema = version["schema"]["openAPIV3Schema"]
    manager = random.choice(MANAGERS[: random.choice((2, 3))])
    request: sequences.Request = {"manager": manager}
    if len(manifest["spec"]["versions"]) > 1:
        request["version"] = version["name"]
    weights = {"apply": 50, "updateOnto": 14, "update": 8, "merge": 14, "json": 9, "create": 1}
    if is_first:
        weights = {"apply": 50, "create": 49, "updateOnto": 1}
    verb = random.choices([*weights], [*weights.values()])[0]
    if not is_first and verb != "create" and "subresources" in version and random.random() < 0.2:
        request["subresource"] = "status"
    if verb == "apply":
        request["apply"] = _applied(random, schema, bodies, manager)
        if random.random() < 0.35:
            request["force"] = True
    elif verb == "json":
        request["json"] = [_operation(random, schema) for _ in range(random.randint(1, 2))]
    else:
        request[verb] = _body(random, schema)
        if verb == "update" and random.random() < 0.8:
            request[verb].setdefault("metadata", {})["resourceVersion"] = "<resourceVersion>"
        if verb == "merge":
            _with_nulls(random, request[verb])
    if random.random() < 0.03:
        request["fieldValidation"] = random.choice(("Strict", "Ignore"))
    return request


def _applied(random: Random, schema: Schema, bodies: dict[str, JSONValue], manager: str) -> JSONValue:
    """Return the body of an apply: mostly the manager's last one with fields removed or added."""
    before = bodies.get(manager)
    if before is None or random.random() < 0.35:
        body = _body(random, schema)
    else:
        body = copy.deepcopy(before)
        if random.random() < 0.8:
            _dropped(random, body)
        if random.random() < 0.4:
            fresh = _body(random, schema)
            for key, new in fresh.items():
                old = body.get(key)
                body[key] = new | old if isinstance(new, dict) and isinstance(old, dict) else new
    bodies[manager] = body
    return body


def _body(random: Random, schema: Schema) -> dict[str, JSONValue]:
    body: dict[str, JSONValue] = {"spec": value(random, schema["properties"]["spec"])}
    if random.random() < 0.3:
        body["status"] = value(random, schema["properties"]["status"])
    if random.random() < 0.15:
        body["metadata"] = random.choice(_METADATA)(random)
    return body


_METADATA: Final[tuple[Callable[[Random], JSONValue], ...]] = (
    lambda random: {"labels": {random.choice(_NAMES): random.choice(_STRINGS)}},
    lambda random: {"labels": {random.choice(_NAMES): random.choice(_STRINGS)}},
    lambda random: {"annotations": {random.choice(_NAMES): random.choice(_STRINGS)}},
    lambda random: {"annotations": {}, "labels": {random.choice(_NAMES): "x"}},
    lambda random: {"finalizers": random.sample(("x.io/a", "x.io/b", "x.io/c"), 2)},
    lambda random: {
        "ownerReferences": [
            {"apiVersion": "v1", "kind": "Pod", "name": random.choice(_STRINGS), "uid": random.choice(_STRINGS)}
        ]
    },
    lambda random: {"managedFields": random.choice(([], [{}], None))},
)


def _dropped(random: Random, body: JSONValue) -> None:
    """Remove a random field or item."""
    places: list[JSONValue] = [part for part in (body.get("spec"), body.get("status"), body.get("metadata")) if part]
    for place in places:
        children = place.values() if isinstance(place, dict) else place if isinstance(place, list) else ()
        places += [child for child in children if child and isinstance(child, dict | list)]
    places = [place for place in places if isinstance(place, dict | list)]
    if places:
        place = random.choice(places)
        del place[random.choice([*place] if isinstance(place, dict) else range(len(place)))]


def _with_nulls(random: Random, body: JSONValue) -> None:
    for key, item in body.items():
        if key in ("spec", "status") or random.random() < 0.7:
            if isinstance(item, dict):
                _with_nulls(random, item)
        else:
            body[key] = None


def _operation(random: Random, schema: Schema) -> JSONValue:
    path, node = "/spec", schema["properties"]["spec"]
    for _ in range(random.randint(1, 3)):
        properties = node.get("properties") or {}
        if "items" in node:
            path, node = f"{path}/{random.choice(('0', '1', '-'))}", node["items"]
        elif properties:
            name = random.choice([*properties])
            path, node = f"{path}/{name}", properties[name]
        elif "additionalProperties" in node:
            path, node = f"{path}/{random.choice(_NAMES)}", node["additionalProperties"]
    operation = {"op": random.choice(("add", "add", "add", "add", "replace", "remove")), "path": path}
    if operation["op"] != "remove":
        operation["value"] = value(random, node)
    return operation
