"""
Objects from a seed that exercise a schema.

Nulls, unknown fields, wrong types, numbers at boundaries, odd keys and malformed metadata occur rarely: most of an
object matches the schema.
"""

from __future__ import annotations

from random import Random
from typing import Final

from oracle.generators import schemagen
from pytest_crd.engine.jsonvalue import JSONValue

NUMBERS: Final = (
    0, 1, -1, 2**31 - 1, 2**31, -(2**31) - 1, 2**53, 2**53 + 1, 2**63 - 1, -(2**63), 2**63, 2**64, -(2**63) - 1,
    0.5, 1.0, -0.0, 1e20, 1e21, 1e-7, 123456789.125, 1.7976931348623157e308, 5e-324,
)  # fmt: skip
BOOLEANS: Final = (False, True)
STRINGS: Final = ("", "x", "a b", "0", "null", "ä", "🔑", "\u2028", "<&>", "2020-01-01T00:00:00Z", "tab\t", 'quo"te')
ANYTHING: Final[tuple[JSONValue, ...]] = (
    None,
    True,
    False,
    0,
    1,
    1.5,
    "",
    "x",
    [],
    {},
    [None],
    [[]],
    {"a": None},
    {"b": {"c": 1}},
    [{"a": 1}, {"x": [1]}],
)

_TIMES: Final = (
    "2020-01-01T00:00:00Z",
    "2020-01-01T00:00:00.123Z",
    "2020-01-01T02:00:00+02:00",
    "2020-01-01",
    "",
    None,
    0,
)
_MAPS: Final[tuple[JSONValue, ...]] = (
    {},
    {"a": "b"},
    {"a": ""},
    {"a": None},
    {"a": 1},
    {"a": True},
    {"": "x"},
    None,
    [],
    "x",
    {"a": {"b": "c"}},
)
_OWNER: Final = {"apiVersion": "v1", "kind": "Pod", "name": "p", "uid": "u"}
_OWNERS: Final[tuple[JSONValue, ...]] = (
    [], None, [_OWNER], [_OWNER | {"extra": 1}], [_OWNER | {"controller": True, "blockOwnerDeletion": None}], [{}], [None],
    [_OWNER | {"controller": "x"}], [_OWNER, 1], {}, "x", [_OWNER | {"UID": "v"}],
)  # fmt: skip
_ENTRY: Final = {
    "manager": "m",
    "operation": "Update",
    "apiVersion": "v1",
    "time": "2020-01-01T00:00:00Z",
    "fieldsType": "FieldsV1",
}
_MANAGED: Final[tuple[JSONValue, ...]] = (
    [], None, [_ENTRY], [_ENTRY | {"fieldsV1": {"f:a": {}}}], [_ENTRY | {"fieldsV1": None}], [_ENTRY | {"fieldsV1": "x"}],
    [_ENTRY | {"time": None, "unknown": 1}], [_ENTRY | {"time": "x"}], [{"subresource": "status"}], "x", [[]],
)  # fmt: skip
METADATA: Final[dict[str, tuple[JSONValue, ...]]] = {
    "name": ("x", "", None, 1, True, [], {}),
    "generateName": ("x-", None, 1),
    "namespace": ("default", "", None, 1, {}),
    "selfLink": ("x", None, 1),
    "uid": ("u", "", None, 1),
    "resourceVersion": ("1", "", None, 1),
    "generation": (0, 1, -1, None, "1", 1.0, 1.5, 2**63, 1e3),
    "creationTimestamp": _TIMES,
    "deletionTimestamp": _TIMES,
    "deletionGracePeriodSeconds": (0, 30, None, "30", 1.5, 30.0),
    "labels": _MAPS,
    "annotations": _MAPS,
    "ownerReferences": _OWNERS,
    "finalizers": ([], ["a/b"], None, "x", [1], [None], {}, ["a/b", ["c"]]),
    "managedFields": _MANAGED,
    "unknown": (1, None, {"a": 1}),
    "Name": ("x",),
    "clusterName": ("x",),
    "initializers": (None, {}),
    "": (1,),
    "a.b": (1,),
}
_WHOLE_METADATA: Final[tuple[JSONValue, ...]] = (None, [], "x", 1, True, {})


def resource(random: Random, schema: JSONValue, *, api_version: str, kind: str, name: str) -> JSONValue:
    """
    Return a resource for *schema*, the schema of a whole resource.

    Args:
        random: The random generator.
        schema: An openAPIV3Schema.
        api_version: The valid apiVersion.
        kind: The valid kind.
        name: The name, unless the random metadata has one.
    """
    generated = value(random, schema, proper=True)
    whole = generated if isinstance(generated, dict) else {}
    metadata = metadata_of(random) if random.random() < 0.25 else {}
    if isinstance(metadata, dict):
        metadata = {"name": name} | metadata
    return whole | {"apiVersion": api_version, "kind": kind, "metadata": metadata}


def mutated(random: Random, original: JSONValue) -> JSONValue:
    """Return a copy of *original* with some values changed, added or removed; the names at the top level stay."""
    copied = _mutated(random, original, 0.08)
    return copied | {key: original[key] for key in ("apiVersion", "kind") if key in original}


def _mutated(random: Random, original: JSONValue, share: float) -> JSONValue:
    if isinstance(original, dict):
        copied = {key: _mutated(random, item, share) for key, item in original.items() if random.random() >= share / 2}
        if random.random() < share:
            copied[_unknown_name(random)] = random.choice(ANYTHING)
        return copied
    if isinstance(original, list):
        return [_mutated(random, item, share) for item in original]
    return random.choice(ANYTHING) if random.random() < share else original


def metadata_of(random: Random) -> JSONValue:
    """Return an ObjectMeta that may be malformed."""
    if random.random() < 0.1:
        return random.choice(_WHOLE_METADATA)
    fields = random.sample(sorted(METADATA), random.choice((1, 1, 2, 3)))
    # The first value of each field is valid: with too many invalid ones nothing would be stored.
    return {name: METADATA[name][0] if random.random() < 0.6 else random.choice(METADATA[name]) for name in fields}


def value(random: Random, schema: JSONValue, *, proper: bool = False) -> JSONValue:
    """Return a value for *schema*; with *proper* neither null nor of a wrong type."""
    if not proper:
        chance = random.random()
        if chance < 0.12:
            return None
        if chance < 0.2 or not isinstance(schema, dict):
            return random.choice(ANYTHING)
    kind = schema.get("type") or ("object" if "properties" in schema else "")
    if kind == "array":
        items = schema.get("items")
        return [value(random, items if isinstance(items, dict) else {}) for _ in range(random.choice((0, 1, 1, 2, 3)))]
    if kind == "object":
        return _object(random, schema)
    return random.choice(_SCALARS.get(kind, ANYTHING + NUMBERS + STRINGS))


_SCALARS: Final[dict[str, tuple[JSONValue, ...]]] = {
    "string": STRINGS,
    "integer": NUMBERS,
    "number": NUMBERS,
    "boolean": BOOLEANS,
}


def _object(random: Random, schema: JSONValue) -> JSONValue:
    whole = {}
    for name, child in (schema.get("properties") or {}).items():
        if random.random() < 0.6:
            whole[name] = value(random, child)
    values = schema.get("additionalProperties")
    if isinstance(values, dict):
        for name in random.sample((*schemagen.NAMES, *schemagen.ODD_NAMES), random.choice((0, 1, 2))):
            whole.setdefault(name, value(random, values))
    if random.random() < 0.25:
        whole.setdefault(_unknown_name(random), random.choice(ANYTHING))
    if schema.get("x-kubernetes-embedded-resource"):
        whole |= _type_meta(random)
    return whole


def _type_meta(random: Random) -> JSONValue:
    type_meta: dict[str, JSONValue] = {"apiVersion": "v1", "kind": "Pod"}
    if random.random() < 0.15:
        type_meta[random.choice(("apiVersion", "kind"))] = random.choice((None, 1, "", [], {}, "a/b/c"))
    if random.random() < 0.1:
        del type_meta[random.choice(("apiVersion", "kind"))]
    if random.random() < 0.6:
        type_meta["metadata"] = metadata_of(random)
    return type_meta


def _unknown_name(random: Random) -> str:
    return random.choice(schemagen.ODD_NAMES if random.random() < 0.4 else ("unknown", "x", "y", *schemagen.NAMES))
