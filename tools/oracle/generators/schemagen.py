"""
Schemas from a seed: structural ones, and nearly structural ones with a flaw or two.

They have no value validation besides `type`, except in flaws, so that objects are pruned and defaulted instead of
rejected. Defaults are valid and pruned.
"""

from __future__ import annotations

import copy
from collections.abc import Callable, Iterator, Sequence
from random import Random
from typing import Final

from pytest_crd.engine.jsonvalue import JSONValue

Schema = dict[str, JSONValue]

NAMES: Final = ("a", "b", "c", "spec", "status", "items", "properties", "default", "type", "name")
ODD_NAMES: Final = (
    "", ".", "a.b", "a/b", "a b", "[0]", "0", "*", "-", "ключ", "🔑", 'quo"te', "back\\slash", "tab\there", "$ref", "true", "null",
    "metadata", "kind", "apiVersion", "x-kubernetes-preserve-unknown-fields", "A", "__proto__", "<&>",
)  # fmt: skip
SCALARS: Final = ("string", "integer", "number", "boolean")
# Patterns with the same result in every Go version; `fuzz patterns` has the others.
PATTERNS: Final = (
    "^a+$",
    "(",
    "[a-",
    "a{2,1}",
    "(?=a)",
    "\\p{Greek}",
    "(?P<n>a)",
    "\\",
    "a**",
    "x{1001}",
    "\\C",
    "(?i)a",
    "(a{501}){2}",
    "[[:foo:]]",
    "[z-a]",
    "\\x{110000}",
    "(" * 1000 + "a" + ")" * 1000,
)
RULE: Final = {"rule": "true"}


def schema(random: Random, *, depth: int = 4) -> Schema:
    """Return a structural schema of a whole resource without flaws."""
    root: Schema = {"type": "object", "properties": _properties(random, depth - 1)}
    if not root["properties"] or random.random() < 0.03:
        del root["properties"]
    if random.random() < 0.08:
        root["x-kubernetes-preserve-unknown-fields"] = True
    if random.random() < 0.1:
        root.setdefault("properties", {})["metadata"] = random.choice(
            ({"type": "object"}, {"type": "object", "properties": {"name": {"type": "string"}}})
        )
    return root


def flawed(random: Random, original: Schema) -> Schema:
    """Return a copy of *original* with one to three flaws, any of which may keep it from being structural."""
    mutant = copy.deepcopy(original)
    for _ in range(random.choice((1, 1, 2, 3))):
        node = random.choice(list(nodes(mutant)))
        random.choice(FLAWS)(random, node)
    return mutant


def nodes(root: Schema) -> Iterator[Schema]:
    """Yield *root* and every schema below it, including those inside allOf, anyOf, oneOf and not."""
    yield root
    children = [root.get("items"), root.get("additionalProperties"), root.get("not")]
    children += (root.get("properties") or {}).values()
    for keyword in ("allOf", "anyOf", "oneOf"):
        children += root.get(keyword) or ()
    for child in children:
        if isinstance(child, dict):
            yield from nodes(child)


def _node(random: Random, depth: int) -> Schema:
    kinds: list[Callable[[Random, int], Schema]] = [_scalar, _scalar]
    if depth > 0:
        kinds += [_object, _object, _object, _map, _array, _array, _embedded, _opaque]
    kinds += [_int_or_string] if random.random() < 0.3 else []
    schema_ = random.choice(kinds)(random, depth)
    if random.random() < 0.25:
        schema_["nullable"] = True
    if random.random() < 0.3:
        schema_["default"] = default(random, schema_)
    if random.random() < 0.1:
        schema_["description"] = "text"
    return schema_


def _scalar(random: Random, _depth: int) -> Schema:
    return {"type": random.choice(SCALARS)}


def _int_or_string(random: Random, _depth: int) -> Schema:
    schema_: Schema = {"x-kubernetes-int-or-string": True}
    pattern = [{"type": "integer"}, {"type": "string"}]
    match random.randrange(4):
        case 0:
            schema_["anyOf"] = pattern
        case 1:
            schema_["allOf"] = [{"anyOf": pattern}, *([{"minLength": 0}] if random.random() < 0.5 else [])]
    return schema_


def _object(random: Random, depth: int) -> Schema:
    schema_: Schema = {"type": "object"}
    if random.random() < 0.9:
        schema_["properties"] = _properties(random, depth - 1)
    if random.random() < 0.15:
        schema_["x-kubernetes-preserve-unknown-fields"] = True
    if random.random() < 0.05:
        schema_["additionalProperties"] = _without_defaults(_node(random, depth - 1))
    return schema_


def _map(random: Random, depth: int) -> Schema:
    values = random.choice((True, False, None, None, None, None))
    schema_: Schema = {
        "type": "object",
        "additionalProperties": _without_defaults(_node(random, depth - 1)) if values is None else values,
    }
    if random.random() < 0.15:
        schema_["x-kubernetes-preserve-unknown-fields"] = True
    return schema_


def _array(random: Random, depth: int) -> Schema:
    schema_: Schema = {"type": "array", "items": _node(random, depth - 1)}
    if random.random() < 0.1:
        schema_["x-kubernetes-preserve-unknown-fields"] = True
    return schema_


def _embedded(random: Random, depth: int) -> Schema:
    schema_: Schema = {"type": "object", "x-kubernetes-embedded-resource": True}
    if random.random() < 0.6:
        schema_["x-kubernetes-preserve-unknown-fields"] = True
    if "x-kubernetes-preserve-unknown-fields" not in schema_ or random.random() < 0.5:
        schema_["properties"] = {"spec": _node(random, depth - 1)}
        for name in ("apiVersion", "kind"):
            if random.random() < 0.3:
                schema_["properties"][name] = {"type": "string"}
        if random.random() < 0.4:
            schema_["properties"]["metadata"] = _metadata(random)
    return schema_


def _metadata(random: Random) -> Schema:
    """Return a schema for the metadata of an embedded resource, which may describe more than that of a whole resource."""
    texts: Schema = {"type": "object", "additionalProperties": {"type": "string", "nullable": random.random() < 0.3}}
    described = {
        "name": {"type": "string"},
        "labels": texts,
        "annotations": texts,
        "finalizers": {"type": "array", "items": {"type": "string"}},
        "generation": {"type": "integer", "nullable": True},
        "unknown": {"type": "integer"},
    }
    names = random.sample(sorted(described), random.choice((0, 1, 2, 3)))
    return {"type": "object", "properties": {name: copy.deepcopy(described[name]) for name in names}}


def _opaque(random: Random, depth: int) -> Schema:
    schema_: Schema = {"x-kubernetes-preserve-unknown-fields": True}
    if random.random() < 0.5:
        schema_["type"] = "object"
    if random.random() < 0.4:
        schema_["properties"] = _properties(random, depth - 1)
    return schema_


def _properties(random: Random, depth: int) -> dict[str, Schema]:
    names = random.sample(NAMES, random.choice((0, 1, 2, 2, 3, 4)))
    if random.random() < 0.25:
        names += random.sample(ODD_NAMES, random.choice((1, 2)))
    # At the root a schema may not describe these three; `schema` adds metadata itself.
    return {name: _node(random, depth) for name in names if name not in {"metadata", "kind", "apiVersion"} or depth < 2}


def _without_defaults(schema_: Schema) -> Schema:
    """Return *schema_* without defaults, which a CRD does not allow under additionalProperties."""
    for node in nodes(schema_):
        node.pop("default", None)
    return schema_


def default(random: Random, schema_: Schema) -> JSONValue:
    """Return a value that is valid for *schema_* and is not changed by pruning."""
    if schema_.get("nullable") and random.random() < 0.1:
        return None
    if schema_.get("x-kubernetes-embedded-resource"):
        metadata = random.choice(({}, {"name": "x"}, {"labels": {"a": "b"}}))
        return {"apiVersion": "v1", "kind": "Pod", "metadata": metadata}
    kind = schema_.get("type")
    if kind == "array":
        return [default(random, schema_["items"]) for _ in range(random.choice((0, 1, 2)))]
    if kind == "object":
        return _default_object(random, schema_)
    if "properties" in schema_:
        return {}
    return random.choice(_DEFAULTS[kind or ("int-or-string" if schema_.get("x-kubernetes-int-or-string") else "")])


_DEFAULTS: Final[dict[str, tuple[JSONValue, ...]]] = {
    "string": ("", "x", "given"),
    "integer": (0, 1, -1, 2**53 + 1),
    "number": (0, 1.5, 1e21, -0.25),
    "boolean": (False, True),
    "int-or-string": (1, "1"),
    "": ({}, [], "x", {"any": [None]}),
}


def _default_object(random: Random, schema_: Schema) -> JSONValue:
    whole = {
        name: default(random, child) for name, child in schema_.get("properties", {}).items() if random.random() < 0.4
    }
    values = schema_.get("additionalProperties")
    if isinstance(values, dict) and random.random() < 0.5:
        whole.setdefault("key", default(random, values))
    return whole


# Flaws: each changes one node in place.


def _set(keyword: str, values: Sequence[JSONValue]) -> Callable[[Random, Schema], None]:
    def flaw(random: Random, node: Schema) -> None:
        node[keyword] = copy.deepcopy(random.choice(values))

    return flaw


def _drop(keyword: str) -> Callable[[Random, Schema], None]:
    def flaw(_random: Random, node: Schema) -> None:
        node.pop(keyword, None)

    return flaw


def _property(name: str, *values: Schema) -> Callable[[Random, Schema], None]:
    def flaw(random: Random, node: Schema) -> None:
        node.setdefault("properties", {})[name] = copy.deepcopy(random.choice(values))

    return flaw


def _nest(random: Random, node: Schema) -> None:
    """Add a junctor that repeats parts of the structure, with or without forbidden keywords."""
    clause = _nested(random, node, 3)
    match random.choice(("allOf", "anyOf", "oneOf", "not")):
        case "not":
            node["not"] = clause
        case keyword:
            node.setdefault(keyword, []).append(clause)


def _nested(random: Random, node: Schema, depth: int) -> Schema:
    clause: Schema = {}
    if depth > 0:
        for name, child in (node.get("properties") or {}).items():
            if random.random() < 0.5:
                clause.setdefault("properties", {})[name] = _nested(random, child, depth - 1)
        if isinstance(node.get("items"), dict) and random.random() < 0.5:
            clause["items"] = _nested(random, node["items"], depth - 1)
        if random.random() < 0.15:
            _nest(random, clause)
    if random.random() < 0.2:
        clause.setdefault("properties", {})[random.choice(("unknown", "metadata", "a"))] = {"minLength": 1}
    if random.random() < 0.1:
        clause["items"] = {"maximum": 3}
    if random.random() < 0.3:
        random.choice(NESTED_FLAWS)(random, clause)
    return clause


_LEAF: Final[tuple[Schema, ...]] = ({"type": "string"}, {"type": "integer"}, {})
_OBJECT: Final[Schema] = {"type": "object"}
_INT_OR_STRING: Final[list[Schema]] = [{"type": "integer"}, {"type": "string"}]

NESTED_FLAWS: Final = (
    _set("type", ("string", "object", "")),
    _set("additionalProperties", (True, False, {"type": "string"}, {})),
    _set("default", (1, None, {})),
    _set("title", ("text", "")),
    _set("description", ("text", "")),
    _set("nullable", (True, False)),
    _set("x-kubernetes-preserve-unknown-fields", (True,)),
    _set("x-kubernetes-embedded-resource", (True, False)),
    _set("x-kubernetes-int-or-string", (True,)),
    _set("x-kubernetes-list-map-keys", (["a"], [])),
    _set("x-kubernetes-list-type", ("map", "")),
    _set("x-kubernetes-map-type", ("atomic", "")),
    _set("x-kubernetes-validations", ([RULE], [])),
    _set("pattern", (*PATTERNS,)),
    _property("metadata", {}, {"minProperties": 1}),
    _set("anyOf", (_INT_OR_STRING, [*_INT_OR_STRING, {}], [{"type": "integer", "minimum": 0}, {"type": "string"}])),
)
FLAWS: Final = (
    *NESTED_FLAWS,
    *[_nest] * 12,
    _drop("type"),
    _drop("type"),
    _drop("items"),
    _drop("properties"),
    _drop("x-kubernetes-preserve-unknown-fields"),
    _set("type", ("array", "object", "string", "integer", "nonsense", "")),
    _set("items", ({}, {"type": "string"}, {"type": "object"})),
    _set("x-kubernetes-int-or-string", (True,)),
    _set("x-kubernetes-embedded-resource", (True,)),
    _set(
        "allOf",
        ([{"anyOf": _INT_OR_STRING}], [{"anyOf": _INT_OR_STRING, "type": "object"}], [{}, {"anyOf": _INT_OR_STRING}]),
    ),
    _set("not", ({}, {"type": "object"}, {"not": {"type": "object"}})),
    _property("metadata", {}, _OBJECT, {"type": "string"}, {"type": "object", "nullable": True}),
    _property("metadata", {"type": "object", "properties": {"name": {"type": "string"}}, "default": {}}),
    _property("metadata", {"type": "object", "properties": {"name": {"pattern": "a"}, "generateName": {}}}),
    _property(
        "metadata",
        {"type": "object", "properties": {"labels": {"type": "object"}}},
        {"type": "object", "maxProperties": 2},
    ),
    _property(
        "metadata",
        {"type": "object", "allOf": []},
        {"type": "object", "required": []},
        {"type": "object", "description": "text"},
    ),
    _property("kind", *_LEAF),
    _property("apiVersion", *_LEAF),
)
