"""CRDs from a seed: accepted ones with a given schema, and copies with a flaw or two, in the schema or elsewhere."""

from __future__ import annotations

import copy
from collections.abc import Callable, Iterator, Sequence
from random import Random
from typing import Final

from conformance import casefile

from oracle.generators import schemagen
from pytest_crd.engine.jsonvalue import JSONValue

Schema = dict[str, JSONValue]

_V1BETA1: Final = "apiextensions.k8s.io/v1beta1"
# The minor version that introduced selectable fields.
_SELECTABLE: Final = 30


def manifest(random: Random, schema: Schema, *, group: str, version: str) -> JSONValue:
    """
    Return a CRD with *schema* that is likely to be accepted.

    Args:
        random: The random generator.
        schema: The schema of its first version.
        group: Its API group.
        version: The Kubernetes version, which decides the available features.
    """
    crd = casefile.manifest(schema, group=group)
    spec = crd["spec"]
    [first] = spec["versions"]
    if has_status(schema) or random.random() < 0.3:
        first["subresources"] = {"status": {}}
    if random.random() < 0.15:
        first.setdefault("subresources", {})["scale"] = _scale(random, schema)
    if random.random() < 0.2:
        spec["scope"] = "Namespaced"
    if random.random() < 0.1:
        first |= {"deprecated": True} | ({"deprecationWarning": "do not"} if random.random() < 0.5 else {})
    if random.random() < 0.15:
        first["additionalPrinterColumns"] = [{"name": "a", "type": "string", "jsonPath": ".spec.a"}]
    minor = int(version.partition(".")[2])
    if minor >= _SELECTABLE and random.random() < 0.15:
        first |= _selectable(random, schema)
    if random.random() < 0.4:
        _add_version(random, spec)
    return _as_v1beta1(random, crd) if version == "1.21" and random.random() < 0.3 else crd


def has_status(schema: Schema) -> bool:
    """Return True if *schema* has a status of type object."""
    return bool((schema.get("properties") or {}).get("status", {}).get("type") == "object")


def schemas(crd: JSONValue) -> Iterator[Schema]:
    """Yield the schema of each version of *crd*, or their shared schema."""
    spec = crd["spec"]
    for holder in (spec.get("validation"), *(version.get("schema") for version in spec.get("versions") or ())):
        if isinstance(holder, dict) and isinstance(holder.get("openAPIV3Schema"), dict):
            yield holder["openAPIV3Schema"]


def with_schemas(crd: JSONValue, change: Callable[[Schema], Schema]) -> JSONValue:
    """Return a copy of *crd* with *change* applied to each of its schemas."""
    copied = copy.deepcopy(crd)
    spec = copied["spec"]
    for holder in (spec.get("validation"), *(version.get("schema") for version in spec.get("versions") or ())):
        if isinstance(holder, dict) and isinstance(holder.get("openAPIV3Schema"), dict):
            holder["openAPIV3Schema"] = change(holder["openAPIV3Schema"])
    return copied


def find_storage(crd: JSONValue) -> str:
    """Return the name of the storage version; empty without one."""
    versions = ((crd or {}).get("spec") or {}).get("versions") or ()
    return next((version["name"] for version in versions if version["storage"]), "")


def with_other_storage(crd: JSONValue) -> Iterator[JSONValue]:
    """Yield a copy of *crd* for each of its other versions, with that version as the storage version."""
    names = [version["name"] for version in crd["spec"].get("versions") or () if not version["storage"]]
    for name in names:
        copied = copy.deepcopy(crd)
        for version in copied["spec"]["versions"]:
            version["storage"] = version["name"] == name
        yield copied


def flawed(random: Random, original: JSONValue, count: int) -> Iterator[JSONValue]:
    """Yield *count* copies of *original* with a flaw or two in the schema or elsewhere."""
    for _ in range(count):
        copied = copy.deepcopy(original)
        schemas_ = list(schemas(copied))
        if schemas_ and random.random() < 0.6:
            schema = random.choice(schemas_)
            changed = schemagen.flawed(random, schema)
            if random.random() < 0.5:
                random.choice(VALUE_FLAWS)(random, random.choice(list(schemagen.nodes(changed))))
            schema.clear()
            schema |= changed
        else:
            for _ in range(random.choice((1, 1, 2))):
                _flaw_of_crd(random, copied)
        yield copied


def _scale(random: Random, schema: Schema) -> JSONValue:
    """Return scale paths, mostly of existing integers."""
    paths = [path for path in _paths(schema, "", "integer") if path.startswith((".spec.", ".status."))]
    spec = random.choice([path for path in paths if path.startswith(".spec.")] or [".spec.replicas"])
    status = random.choice([path for path in paths if path.startswith(".status.")] or [".status.replicas"])
    paths_ = {"specReplicasPath": spec, "statusReplicasPath": status}
    return paths_ | ({"labelSelectorPath": ".status.selector"} if random.random() < 0.3 else {})


def _paths(schema: Schema, before: str, *kinds: str) -> Iterator[str]:
    for name, child in (schema.get("properties") or {}).items():
        if name.isascii() and name.isalnum():
            if child.get("type") in kinds:
                yield f"{before}.{name}"
            yield from _paths(child, f"{before}.{name}", *kinds)


def _selectable(random: Random, schema: Schema) -> JSONValue:
    # Paths below metadata and absent fields are not generated here.
    paths = [path for path in _paths(schema, "", "string", "integer", "boolean") if not path.startswith(".metadata")]
    return {"selectableFields": [{"jsonPath": random.choice(paths)}]} if paths else {}


def _add_version(random: Random, spec: JSONValue) -> None:
    """Add a second version with few or only formal differences, which may be the storage version."""
    second = copy.deepcopy(spec["versions"][0]) | {"name": "v2"}
    root = second["schema"]["openAPIV3Schema"]
    for node in list(schemagen.nodes(root)) if random.random() < 0.5 else ():
        if node.get("properties") and random.random() < 0.3:
            removed = random.choice(sorted(node["properties"]))
            if removed not in node.get("required", ()):
                del node["properties"][removed]
    for _ in range(random.choice((0, 1, 1, 2, 3))):
        _change_keyword(random, random.choice(list(schemagen.nodes(root))))
    second.pop("selectableFields", None)
    second["storage"] = random.random() < 0.5
    spec["versions"][0]["storage"] = not second["storage"]
    spec["versions"].append(second)


def _change_keyword(random: Random, node: Schema) -> None:
    """Add, empty or remove a keyword that has little or no meaning: which of these count as a change is subtle."""
    present = sorted(node.keys() & EMPTY.keys())
    if not present or random.random() < 0.5:
        present = sorted(EMPTY)
    keyword = random.choice(present)
    if keyword in node and random.random() < 0.5:
        del node[keyword]
    else:
        node[keyword] = copy.deepcopy(random.choice(EMPTY[keyword]))


# Empty values of each keyword: some mean the same as its absence, some do not.
EMPTY: Final[dict[str, tuple[JSONValue, ...]]] = {
    **dict.fromkeys(("id", "$schema", "$ref", "description", "type", "format", "title", "pattern"), ("",)),
    **dict.fromkeys(("default", "example"), (None, {}, [], "", 0, False)),
    **dict.fromkeys(("nullable", "uniqueItems", "exclusiveMaximum", "exclusiveMinimum"), (False,)),
    **dict.fromkeys(("maximum", "minimum", "multipleOf"), (0,)),
    **dict.fromkeys(("maxLength", "minLength", "maxItems", "minItems", "maxProperties", "minProperties"), (0,)),
    **dict.fromkeys(("enum", "required", "allOf", "anyOf", "oneOf", "x-kubernetes-list-map-keys"), ([],)),
    **dict.fromkeys(("properties", "patternProperties", "definitions", "dependencies", "externalDocs", "not"), ({},)),
    **dict.fromkeys(("additionalProperties", "additionalItems"), (False, True, {})),
    "items": ({}, []),
    **dict.fromkeys(("x-kubernetes-list-type", "x-kubernetes-map-type"), ("",)),
    **dict.fromkeys(("x-kubernetes-embedded-resource", "x-kubernetes-int-or-string"), (False,)),
    "x-kubernetes-preserve-unknown-fields": (True, False),
    "x-kubernetes-validations": ([],),
}


def _as_v1beta1(random: Random, crd: JSONValue) -> JSONValue:
    """Return *crd* in v1beta1: with a shared schema or one per version, with or without preserved unknown fields."""
    spec = dict(crd["spec"])
    beta: JSONValue = {**crd, "apiVersion": _V1BETA1, "spec": spec}
    spec["preserveUnknownFields"] = random.random() < 0.5
    is_shared = len(spec["versions"]) == 1 or random.random() < 0.6
    if is_shared:
        spec["validation"] = spec["versions"][0]["schema"]
    if "subresources" in spec["versions"][0]:
        spec["subresources"] = spec["versions"][0]["subresources"]
    keys = ("name", "served", "storage", *(() if is_shared else ("schema",)))
    spec["versions"] = [{key: version[key] for key in keys} for version in spec["versions"]]
    if random.random() < 0.3 and len(spec["versions"]) == 1:
        spec["version"] = spec.pop("versions")[0]["name"]
    if spec["preserveUnknownFields"]:
        # Defaults are allowed only if unknown fields are pruned.
        for schema in schemas(beta):
            for node in schemagen.nodes(schema):
                node.pop("default", None)
    return beta


def _flaw_of_crd(random: Random, crd: JSONValue) -> None:
    random.choice(_FLAWS)(random, crd, random.choice(crd["spec"].get("versions") or [{}]))


# Flaws of a CRD: each changes it, or a version in it, in place.


def _names(random: Random, crd: JSONValue, _version: JSONValue) -> None:
    which = random.choice(("plural", "singular", "kind", "listKind"))
    crd["spec"]["names"][which] = random.choice(("", "A", "a_b", "x", "case", "cases", "a" * 64))


def _lists_of_names(random: Random, crd: JSONValue, _version: JSONValue) -> None:
    crd["spec"]["names"][random.choice(("shortNames", "categories"))] = random.choice(_NAMES)


def _scope(random: Random, crd: JSONValue, _version: JSONValue) -> None:
    crd["spec"]["scope"] = random.choice(("", "Cluster", "Namespaced", "Other"))


def _version_name(random: Random, _crd: JSONValue, version: JSONValue) -> None:
    version["name"] = random.choice(("", "v2", "V1", "1", "v1alpha1", "a.b", "a" * 64))


def _served_or_stored(random: Random, _crd: JSONValue, version: JSONValue) -> None:
    version[random.choice(("served", "storage"))] = random.choice((True, False))


def _one_of(keyword: str, choices: Sequence[JSONValue]) -> Callable[[Random, JSONValue, JSONValue], None]:
    def flaw(random: Random, crd: JSONValue, version: JSONValue) -> None:
        # In v1beta1 these fields may be set for all versions.
        holder = version if random.random() < 0.8 else crd["spec"]
        holder[keyword] = copy.deepcopy(random.choice(choices))

    return flaw


def _conversion(random: Random, crd: JSONValue, _version: JSONValue) -> None:
    crd["spec"]["conversion"] = copy.deepcopy(random.choice(_CONVERSIONS))


def _version_twice(_random: Random, crd: JSONValue, version: JSONValue) -> None:
    crd["spec"]["versions"] = [*(crd["spec"].get("versions") or ()), copy.deepcopy(version)]


def _fields(random: Random, _crd: JSONValue, version: JSONValue) -> None:
    paths = random.choices(_JSON_PATHS, k=random.choice((1, 2)))
    version["selectableFields"] = [{"jsonPath": path} for path in paths]


def _deprecation(random: Random, _crd: JSONValue, version: JSONValue) -> None:
    version |= random.choice(_DEPRECATIONS)


def _preserve(random: Random, crd: JSONValue, _version: JSONValue) -> None:
    crd["spec"]["preserveUnknownFields"] = random.choice((True, False))


def _unknown(random: Random, crd: JSONValue, version: JSONValue) -> None:
    random.choice((crd, crd["spec"], crd["spec"]["names"], version))["unknown"] = 1


def _metadata(random: Random, crd: JSONValue, _version: JSONValue) -> None:
    crd["metadata"] |= copy.deepcopy(random.choice(_METADATA))


def _no_schema(_random: Random, _crd: JSONValue, version: JSONValue) -> None:
    version.pop("schema", None)


def _set(keyword: str, values: Sequence[JSONValue]) -> Callable[[Random, Schema], None]:
    def flaw(random: Random, node: Schema) -> None:
        node[keyword] = copy.deepcopy(random.choice(values))

    return flaw


# Flaws of a schema about values, lists and defaults.
VALUE_FLAWS: Final = (
    _set("default", (None, 1, 1.5, "x", True, [], {}, {"a": 1}, [1, 1], ["x", "x"], {"unknown": 1}, {"apiVersion": "v1", "kind": "Pod"})),
    _set("default", (None, {"metadata": {"labels": {"a": 1}}}, [{}], {"spec": {"a": 1}}, -0.0, 2**63, 1e21)),
    _set("x-kubernetes-list-type", ("set", "map", "atomic", "other")),
    _set("x-kubernetes-list-map-keys", (["a"], ["a", "a"], ["b", "a"], [])),
    _set("x-kubernetes-map-type", ("atomic", "granular", "other")),
    _set("format", ("date-time", "int32", "nonsense", "", "k8s-short-name")),
    _set("pattern", ("(", "^a$", "\\d")),
    _set("uniqueItems", (True, False)),
    _set("minimum", (1, 1.5, -1)),
    _set("exclusiveMinimum", (True, False)),
    _set("maxLength", (-1, 0, 2)),
    _set("multipleOf", (0, -1, 0.5)),
    _set("enum", ([], [1, "a", None], [{"a": 1}])),
    _set("required", (["a"], ["a", "a"], [])),
    _set("nullable", (True,)),
    _set("example", ({"a": 1},)),
    _set("externalDocs", ({"url": "x"},)),
    _set("id", ("x",)),
    _set("$ref", ("#/x",)),
    _set("definitions", ({"a": {"type": "string"}},)),
    _set("dependencies", ({"a": ["b"]}, {"a": {"type": "object"}})),
    _set("patternProperties", ({"a": {"type": "string"}},)),
    _set("additionalItems", ({"type": "string"}, False)),
    _set("$schema", ("http://json-schema.org/draft-04/schema#", "x")),
    _set("unknown-keyword", (1,)),
)  # fmt: skip
_CLIENT: Final[JSONValue] = {"url": "https://a.example/b"}
_CONVERSIONS: Final[tuple[JSONValue, ...]] = (
    {},
    {"strategy": "None"},
    {"strategy": "Webhook"},
    {"strategy": "x"},
    {"strategy": "None", "webhook": {"clientConfig": _CLIENT, "conversionReviewVersions": ["v1"]}},
    {"strategy": "Webhook", "webhook": {"clientConfig": _CLIENT, "conversionReviewVersions": ["v1"]}},
    {"strategy": "Webhook", "webhook": {"clientConfig": _CLIENT, "conversionReviewVersions": ["v2", "V"]}},
    {"strategy": "Webhook", "webhook": {"clientConfig": {"url": "http://a b"}, "conversionReviewVersions": []}},
    {
        "strategy": "Webhook",
        "webhook": {
            "clientConfig": {"service": {"namespace": "n", "name": "", "port": 0, "path": "a//b"}},
            "conversionReviewVersions": ["v1"],
        },
    },
)
_SUBRESOURCES: Final[tuple[JSONValue, ...]] = (
    {},
    {"status": {}},
    {"scale": {"specReplicasPath": ".spec.a", "statusReplicasPath": "x"}},
    {"scale": {"specReplicasPath": ".a", "statusReplicasPath": ".status.a[0]", "labelSelectorPath": "x"}},
    {"scale": {"specReplicasPath": "", "statusReplicasPath": ".status"}},
    {"status": {}, "scale": {"specReplicasPath": ".spec.r", "statusReplicasPath": ".status.r"}},
)
_COLUMNS: Final = (
    {"name": "a", "type": "string", "jsonPath": ".a"},
    {"name": "a", "type": "x", "jsonPath": "a"},
    {"name": "", "type": "string", "jsonPath": ""},
    {"name": "b", "type": "integer", "format": "int32", "jsonPath": ".a[0]"},
    {"name": "c", "type": "date", "format": "x", "jsonPath": ".spec['a.b']", "priority": 1},
)
_JSON_PATHS: Final = (".spec.a", ".a", "", "a", ".metadata.name", ".spec.a[0]", ".status", ".spec", ".b")
_NAMES: Final[tuple[JSONValue, ...]] = ([], ["a"], ["A"], ["a", "a"], ["", "x_y"], ["all"])
_METADATA: Final[tuple[JSONValue, ...]] = (
    {"annotations": {"api-approved.kubernetes.io": "x"}},
    {"labels": {"a b": "c d"}},
    {"name": "other.example.com"},
    {"finalizers": ["a"]},
    {"unknown": 1},
    {"annotations": {"A/b/c": "x"}},
)
_DEPRECATIONS: Final[tuple[JSONValue, ...]] = (
    {"deprecationWarning": "x"},
    {"deprecated": True, "deprecationWarning": "a\nb"},
    {"deprecated": True, "deprecationWarning": ""},
)
_FLAWS: Final = (
    _names, _lists_of_names, _scope, _version_name, _served_or_stored, _one_of("subresources", _SUBRESOURCES), _conversion,
    _one_of("additionalPrinterColumns", [[column] for column in _COLUMNS] + [[_COLUMNS[0]] * 2]), _version_twice, _fields,
    _deprecation, _preserve, _unknown, _metadata, _no_schema,
)  # fmt: skip
