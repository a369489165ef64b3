"""
Case files from a seed: CRDs with value validation, and requests that are valid or have a flaw or two.

They compare whole answers; `schemagen` generates the underlying structure.
"""

from __future__ import annotations

import copy
import json
from collections.abc import Callable, Iterator
from random import Random
from typing import Any, Final

import yaml

from oracle.generators import crdgen, objectgen, schemagen
from pytest_crd.engine.jsonvalue import JSONValue

Schema = dict[str, JSONValue]

# A pattern or format, a matching text, and a text that does not match.
PATTERNS: Final = (
    ("^a+$", "aa", "ab"), ("b", "abc", "xyz"), ("^[a-z]{1,3}$", "abc", "abcd"), ("\\d", "a1", "a"), ("^$", "", "\n"),
    ("^[\\p{L}\\p{N}]{1,500}$", "\u00e4\u0663", "a-b"), ("(?i)^k$", "\u212a", "kk"), ("^(?P<n>a|b)*$", "abba", "abc"),
    ("^\\S+\\.\\w+$", "a.b", "a."), ("^[^\\PLa]$", "\u00df", "a"), ("\\Ba", "ba", "a"), ("(?s)^a.b$", "a\nb", "a\n\nb"),
)  # fmt: skip
FORMATS: Final = (
    ("date-time", "2020-01-01T00:00:00Z", "2020-01-01"), ("date", "2020-01-01", "1/1/2020"), ("ipv4", "10.0.0.1", "10.0.0"),
    ("ipv6", "::1", "1"), ("uuid", "6ba7b810-9dad-11d1-80b4-00c04fd430c8", "6ba7"), ("email", "a@b.example", "a"),
    ("hostname", "a.example", "-"), ("cidr", "10.0.0.0/8", "10.0.0.0"), ("duration", "1m", "1"), ("byte", "YQ==", "?"),
    ("uri", "https://a.example/b", "a b"), ("unknown-format", "x", "y"), ("mac", "00:00:5e:00:53:01", "0"),
)  # fmt: skip
_BOUNDS: Final = (0, 1, 2, 3, 5, 10)
_LIST_TYPES: Final = ("set", "atomic", "map")


def crd_schema(random: Random) -> Schema:
    """Return a structural schema in which each node has a validation with a probability of one half."""
    schema = schemagen.schema(random, depth=3)
    # With a list of this name at the root the server takes the object for a list.
    (schema.get("properties") or {}).pop("items", None)
    for node in schemagen.nodes(schema):
        # Invalid defaults are tested elsewhere; here they would only get the CRD rejected.
        if random.random() < (0.15 if "default" in node else 0.5):
            _validate(random, node)
            if node.get("default") is not None:
                node["default"] = proper(random, node)
    schema.pop("enum", None)  # its values would not be whole resources
    for node in list(schemagen.nodes(schema)):
        if any("default" in below for below in schemagen.nodes(node)):
            for keyword in ("required", "minProperties", "maxProperties", "allOf", "anyOf", "oneOf", "not"):
                if not (keyword in ("anyOf", "allOf") and node.get("x-kubernetes-int-or-string")):
                    node.pop(keyword, None)
    return schema


def relaxed(schema: Schema) -> Schema:
    """Return *schema* without value validation, as an older CRD might have it."""
    loose = copy.deepcopy(schema)
    for node in schemagen.nodes(loose):
        if not node.get("x-kubernetes-int-or-string"):
            for keyword in ("allOf", "anyOf", "oneOf", "not"):
                node.pop(keyword, None)
        for keyword in _KEYWORDS:
            node.pop(keyword, None)
    return loose


_KEYWORDS: Final = (
    "minLength", "maxLength", "pattern", "format", "enum", "minimum", "maximum", "exclusiveMinimum", "exclusiveMaximum",
    "multipleOf", "minItems", "maxItems", "minProperties", "maxProperties", "required", "x-kubernetes-list-type",
    "x-kubernetes-list-map-keys", "x-kubernetes-map-type", "x-kubernetes-validations",
)  # fmt: skip


_RULES: Final = {
    "string": ("self != 'a'", "self == oldSelf", "size(self) < 3"),
    "integer": ("self > 0", "self >= oldSelf"),
    "object": ("self == oldSelf",),
}


def _validate(random: Random, node: Schema) -> None:
    """Add a validation to one node, in place."""
    if random.random() < 0.1 and "default" not in node and (rules := _RULES.get(str(node.get("type")))):
        node["x-kubernetes-validations"] = [{"rule": random.choice(rules), "message": "a rule"}]
    match node.get("type"):
        case "string":
            _of_string(random, node)
        case "integer" | "number":
            _of_number(random, node)
        case "array":
            _of_array(random, node)
        case "object":
            _of_object(random, node)
    if random.random() < 0.05:
        node["enum"] = _enum(random, node)
    if random.random() < 0.15:
        _junctor(random, node)


def _enum(random: Random, node: Schema) -> JSONValue:
    """Return values of any type, at least one of which matches the node's type."""
    fitting = proper(random, {keyword: item for keyword, item in node.items() if keyword != "enum"})
    return random.sample((fitting, None, {}, [], {"a": 1}, [None], 1.5, 1, "1", True), random.choice((2, 4, 10)))


def _of_string(random: Random, node: Schema) -> None:
    match random.randrange(5):
        case 0:
            node["minLength"] = random.choice(_BOUNDS)
        case 1:
            node["maxLength"] = random.choice(_BOUNDS)
        case 2:
            node["enum"] = random.sample(("a", "b", "", "x"), random.choice((1, 2, 3)))
        case 3:
            node["pattern"] = random.choice(PATTERNS)[0]
        case 4:
            node["format"] = random.choice(FORMATS)[0]


def _of_number(random: Random, node: Schema) -> None:
    match random.randrange(5):
        case 0:
            node["minimum"] = random.choice(_BOUNDS)
            node |= {"exclusiveMinimum": True} if random.random() < 0.3 else {}
        case 1:
            node["maximum"] = random.choice(_BOUNDS)
            node |= {"exclusiveMaximum": True} if random.random() < 0.3 else {}
        case 2:
            node["multipleOf"] = random.choice((1, 2, 3, 0.5, 0.1))
        case 3:
            node["enum"] = random.sample((0, 1, 2, 3, 0.5, 1e21), random.choice((1, 2, 3)))
        case 4:
            node["format"] = random.choice(("int32", "int64", "float", "double", "unknown-format"))


def _of_array(random: Random, node: Schema) -> None:
    items = node.get("items") or {}
    match random.randrange(3):
        case 0:
            node["minItems"] = random.choice((0, 1, 2))
        case 1:
            node["maxItems"] = random.choice((0, 1, 2))
        case 2:
            kind = random.choice(_LIST_TYPES)
            children = items.get("properties") or {}
            keys = [name for name, child in children.items() if child.get("type") in schemagen.SCALARS]
            if kind == "set" and not items.get("nullable"):
                node["x-kubernetes-list-type"] = "set"
                # The items of a set are compared as a whole.
                whole = {"object": "x-kubernetes-map-type", "array": "x-kubernetes-list-type"}.get(
                    items.get("type", "")
                )
                items |= {whole: "atomic"} if whole else {}
            elif kind == "map" and keys and items.get("type") == "object":
                keys = random.sample(keys, min(len(keys), random.choice((1, 1, 2, 3))))
                required = {name for name in keys if children[name].get("default") is None}
                items["required"] = sorted({*items.get("required", ()), *required})
                node |= {"x-kubernetes-list-type": "map", "x-kubernetes-list-map-keys": keys}
            elif kind == "atomic":
                node["x-kubernetes-list-type"] = "atomic"


def _of_object(random: Random, node: Schema) -> None:
    names = sorted(node.get("properties") or ())
    match random.randrange(4):
        case 0 | 1 if names:
            node["required"] = random.sample(names, min(len(names), random.choice((1, 1, 2))))
        case 2:
            node["maxProperties"] = random.choice((0, 1, 2, 3))
        case 3:
            node["minProperties"] = random.choice((0, 1, 2))


def _junctor(random: Random, node: Schema) -> None:
    """Add a junctor with two clauses about the node's value or a property."""
    if node.get("x-kubernetes-int-or-string"):
        return
    clauses = [_clause(random, node) for _ in range(2)]
    keyword = random.choice(("allOf", "anyOf", "oneOf", "not"))
    node[keyword] = clauses[0] if keyword == "not" else clauses


def _clause(random: Random, node: Schema, depth: int = 4) -> Schema:
    scratch: Schema = {"type": node.get("type"), "properties": node.get("properties"), "items": {}}
    validations = {"string": _of_string, "integer": _of_number, "number": _of_number, "object": _of_object}
    if validate := validations.get(str(node.get("type"))):
        validate(random, scratch)
    clause = {keyword: item for keyword, item in scratch.items() if keyword not in {"type", "properties", "items"}}
    if depth and random.random() < 0.25:
        keyword = random.choice(("allOf", "anyOf", "oneOf", "not"))
        clause[keyword] = _clause(random, node, depth - 1)
        clause[keyword] = clause[keyword] if keyword == "not" else [clause[keyword], _clause(random, node, depth - 1)]
    properties = node.get("properties") or {}
    if properties and random.random() < 0.4:
        name = random.choice(sorted(properties))
        # A clause may not mention metadata.
        clause |= {} if name == "metadata" else {"properties": {name: _clause(random, properties[name], depth)}}
    return clause


def proper(random: Random, schema: JSONValue) -> JSONValue:
    """Return a value that is likely to be valid for *schema*."""
    if "enum" in schema:
        return random.choice(schema["enum"])
    kind = schema.get("type") or ("object" if "properties" in schema else "")
    generators: dict[str, Callable[[Random, Schema], JSONValue]] = {
        "object": _proper_object,
        "array": _proper_array,
        "string": _proper_string,
        "integer": _proper_number,
        "number": _proper_number,
    }
    return (
        generators[kind](random, schema) if kind in generators else random.choice((True, False) if kind else (1, "a"))
    )


def _proper_array(random: Random, schema: Schema) -> JSONValue:
    low, high = schema.get("minItems", 0), schema.get("maxItems", 3)
    return [proper(random, schema["items"]) for _ in range(random.randint(low, max(low, high)))]


def _proper_object(random: Random, schema: Schema) -> JSONValue:
    fields = {
        name: proper(random, child)
        for name, child in (schema.get("properties") or {}).items()
        if name in schema.get("required", ()) or random.random() < 0.6
    }
    values = schema.get("additionalProperties")
    if isinstance(values, dict):
        fields |= {name: proper(random, values) for name in random.sample(("k", "l", "m.n"), random.choice((0, 1, 2)))}
    if schema.get("x-kubernetes-embedded-resource"):
        fields |= {"apiVersion": "v1", "kind": "Pod", "metadata": {"name": "x"}}
    return fields


def _proper_string(random: Random, schema: Schema) -> str:
    for pattern, fits, _ in PATTERNS:
        if schema.get("pattern") == pattern:
            return fits
    for name, fits, _ in FORMATS:
        if schema.get("format") == name:
            return fits
    return "äbcdefghijk"[: random.randint(schema.get("minLength", 0), schema.get("maxLength", 10))]


def _proper_number(random: Random, schema: Schema) -> JSONValue:
    low, high = schema.get("minimum", 0), schema.get("maximum", 10)
    low, high = low + bool(schema.get("exclusiveMinimum")), high - bool(schema.get("exclusiveMaximum"))
    return random.randint(low, max(low, high)) * (schema["multipleOf"] if schema.get("multipleOf", 1) in (2, 3) else 1)


def flawed(random: Random, original: JSONValue, schema: JSONValue) -> JSONValue:
    """Return a copy of the object *original* with one or two values changed, removed or added."""
    copied = copy.deepcopy(original)
    for _ in range(random.choice((1, 1, 2))):
        places = [place for place in _places(copied, schema) if place[1] not in ("apiVersion", "kind", "metadata")]
        if not places or random.random() < 0.1:
            copied[random.choice(_MORE_KEYS)] = copy.deepcopy(random.choice(objectgen.ANYTHING))
            continue
        container, key, below = random.choice(places)
        if random.random() < 0.2:
            del container[key]
        else:
            container[key] = copy.deepcopy(_odd(random, below, container[key]))
    return copied


# Some differ from reserved keys only by case, or by Unicode case folding.
_MORE_KEYS: Final = (
    "unknown",
    "unknown",
    "KIND",
    "Kind",
    "\u212aind",
    "apiversion",
    "APIVERSION",
    "apiVer\u017fion",
    "Metadata",
)


def _places(value: JSONValue, schema: JSONValue) -> Iterator[tuple[Any, Any, JSONValue]]:
    """Yield every place below *value* as container and key, with the schema of its value."""
    pairs = value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ()
    for key, item in list(pairs):
        child_schema = (schema.get("properties") or {}).get(key) if isinstance(value, dict) else schema.get("items")
        below = child_schema or schema.get("additionalProperties")
        below = below if isinstance(below, dict) else {}
        yield value, key, below
        yield from _places(item, below)


def _odd(random: Random, schema: JSONValue, value: JSONValue) -> JSONValue:
    wrong = [bad for name, _, bad in (*PATTERNS, *FORMATS) if name in (schema.get("pattern"), schema.get("format"))]
    if wrong and random.random() < 0.6:
        return wrong[0]
    if isinstance(value, list) and value and random.random() < 0.01:
        return [copy.deepcopy(value[0]) for _ in range(2000)]
    if isinstance(value, list) and value and random.random() < 0.5:
        return [*value, copy.deepcopy(value[0])]
    if isinstance(value, int | float) and not isinstance(value, bool) and random.random() < 0.7:
        return random.choice((*objectgen.NUMBERS, value + 0.5, -value, value + 1))
    if isinstance(value, str) and random.random() < 0.6:
        return random.choice(
            (*objectgen.STRINGS, value * 3, value + "a", *(["a" * 100_000] if random.random() < 0.1 else []))
        )
    return random.choice(objectgen.ANYTHING)


def requests(random: Random, manifest: JSONValue, schema: Schema, count: int) -> list[JSONValue]:
    """
    Return *count* requests of a case file: creates, updates of objects from before validation was added, status updates.

    If the CRD has two versions, old objects may be stored in the other one.

    Args:
        random: The random generator.
        manifest: The CRD.
        schema: The schema of the requested version.
        count: The number of requests.
    """
    result = []
    loose = relaxed(schema)
    old = crdgen.with_schemas(manifest, relaxed)
    has_status = any("status" in (version.get("subresources") or ()) for version in _versions(manifest["spec"]))
    old = random.choice([old, *crdgen.with_other_storage(old)])
    for number in range(count):
        valid = _body(proper(random, schema))
        sent = copy.deepcopy(valid) if random.random() < 0.3 else flawed(random, valid, schema)
        if random.random() < 0.15:
            sent["metadata"] = _metadata(random)
        match random.random():
            case chance if chance < 0.45:
                content = {"create": _odd_body(random, sent)}
                if random.random() < 0.15 and isinstance(content["create"], dict):
                    content = {"createText": _text(random, manifest, content["create"])}
            case chance if chance < 0.85 or not has_status:
                # Stored objects match only the types, so that many are invalid now.
                before = _body(proper(random, loose)) if random.random() < 0.6 else sent
                content = {
                    "update": _changed(random, before, valid, loose),
                    "old": before,
                    "oldSchema": old,
                }
            case _:
                before = valid if random.random() < 0.5 else _body(proper(random, loose))
                written = _with_new_status(random, before, _changed(random, before, sent, loose))
                content = {"updateStatus": written, "old": before, "oldSchema": old}
        if "old" in content:
            _name(content, f"n{number}")
            served = [version["name"] for version in manifest["spec"].get("versions") or () if version["served"]]
            if len(served) > 1 and random.random() < 0.3:
                content["oldVersion"] = random.choice(served)
        if random.random() < 0.1:
            content["fieldValidation"] = random.choice(("Strict", "Ignore"))
        if len(manifest["spec"].get("versions") or ()) > 1:
            keys = ("version", "oldVersion") if "old" in content else ("version",)
            content |= {key: random.choice(("v1", "v2")) for key in keys}
        result.append({"name": f"request {number}", **content})
    return result


def _with_new_status(random: Random, before: JSONValue, written: JSONValue) -> JSONValue:
    """Return the object that a writer of the status sends: often *before* with the new status alone."""
    if random.random() < 0.5 or "status" not in written:
        return written
    return {**before, "status": written["status"]}


def _text(random: Random, manifest: JSONValue, sent: JSONValue) -> str:
    """Return a create request's body as JSON or YAML, sometimes with a duplicate key."""
    spec = manifest["spec"]
    version = spec.get("version") or spec["versions"][0]["name"]
    whole = {
        "apiVersion": f"{spec['group']}/{version}",
        "kind": spec["names"]["kind"],
        "metadata": {"name": "case"},
        **sent,
    }
    again = random.choice((*whole, "new")) if random.random() < 0.3 else ""
    if random.random() < 0.5:
        more = f", {json.dumps(again)}: {json.dumps(random.choice(objectgen.ANYTHING))}" if again else ""
        return (
            json.dumps(whole, ensure_ascii=random.random() < 0.5, indent=random.choice((None, 1)))[:-1].rstrip()
            + more
            + "}"
        )
    text: str = yaml.safe_dump(whole, sort_keys=False, allow_unicode=True, default_flow_style=False)
    return text + (
        f"{json.dumps(again, ensure_ascii=False)}: {json.dumps(random.choice(objectgen.ANYTHING))}\n" if again else ""
    )


def _versions(spec: JSONValue) -> list[JSONValue]:
    return [spec, *(spec.get("versions") or ())]


def _body(resource: JSONValue) -> JSONValue:
    return {key: item for key, item in resource.items() if key not in ("apiVersion", "kind", "metadata")}


def _odd_body(random: Random, sent: JSONValue) -> JSONValue:
    """Return *sent*, rarely with a wrong apiVersion or kind, or a value that is no object."""
    if random.random() > 0.02:
        return sent
    return random.choice(
        (
            {**sent, "apiVersion": random.choice(("v1", "", None, 1, "a/b/c"))},
            {**sent, "kind": random.choice(("Pod", "", None, 1))},
            [sent],
            1,
        )
    )


def _changed(random: Random, before: JSONValue, replacement: JSONValue, schema: Schema) -> JSONValue:
    """Return the new object of an update of *before*: the same, slightly different, or with much of *replacement*."""
    chance = random.random()
    if chance < 0.15:
        return copy.deepcopy(before)
    if chance < 0.65:
        return flawed(random, before, schema)
    if chance < 0.85:
        return copy.deepcopy({**before, **{key: item for key, item in replacement.items() if random.random() < 0.5}})
    return copy.deepcopy(replacement)


def updates(random: Random, samples: list[JSONValue], count: int) -> Iterator[JSONValue]:
    """Yield *count* requests of a case file that create mutated *samples*, or update samples to mutated ones."""
    for number in range(count):
        sample = random.choice(samples)
        body = {key: item for key, item in sample.items() if key not in ("apiVersion", "kind", "status")}
        body["metadata"] = {}
        mutant = objectgen.mutated(random, body) if random.random() < 0.85 else body
        content = {"update": mutant, "old": body} if random.random() < 0.4 else {"create": mutant}
        content = copy.deepcopy(content)
        if "old" in content:
            _name(content, f"n{number}")
        yield {"name": f"request {number}", **content}


def _name(content: JSONValue, name: str) -> None:
    """Give both objects of an update the same *name*, in place."""
    # The old object has to be accepted.
    content["old"] = {**copy.deepcopy(content["old"]), "metadata": {"name": name}}
    sent = content["update" if "update" in content else "updateStatus"]
    if isinstance(sent.setdefault("metadata", {}), dict):
        sent["metadata"] = {**sent["metadata"], "name": name}


def _metadata(random: Random) -> JSONValue:
    metadata = objectgen.metadata_of(random)
    if not isinstance(metadata, dict):
        return metadata
    return {
        key: item for key, item in metadata.items() if key not in {"generateName", "name", "resourceVersion", "uid"}
    }
