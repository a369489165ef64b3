"""Schema changes of one keyword each, with the findings they must give."""

from __future__ import annotations

from typing import Any, NamedTuple

from pytest_crd.engine import CustomResourceDefinition

JSON = dict[str, Any]
TEXT: JSON = {"type": "string"}
NUMBER: JSON = {"type": "integer"}
OBJECT: JSON = {"type": "object"}
ATOMIC: JSON = {"x-kubernetes-map-type": "atomic"}
ITEM: JSON = {"type": "object", "required": ["a", "b"], "properties": {"a": TEXT, "b": TEXT, "c": TEXT}}

# The second value of the enum is accepted only together with a value of another field.
NEEDING: JSON = {
    **OBJECT,
    "required": ["a"],
    "x-kubernetes-validations": [{"rule": "self.a != 'n' || (has(self.b) && self.b >= 5)"}],
}


class SchemaChange(NamedTuple):
    """A field `spec.x` before and after a change, and the expected findings: `kind path`."""

    name: str
    old: JSON | None
    new: JSON | None
    expected: tuple[str, ...]


def obj(required: tuple[str, ...] = (), **properties: JSON) -> JSON:
    return {**OBJECT, **({"required": list(required)} if required else {}), "properties": properties}


def items(**keywords: Any) -> JSON:
    return {"type": "array", "items": ITEM, **keywords}


def listed(kind: str) -> JSON:
    return {"type": "array", "maxItems": 9, "items": {**TEXT, "maxLength": 9}, "x-kubernetes-list-type": kind}


def keyed(*keys: str) -> JSON:
    return items(**{"x-kubernetes-list-type": "map", "x-kubernetes-list-map-keys": list(keys)})


def ruled(rule: str, **more: Any) -> JSON:
    return {**obj(a=NUMBER, b=NUMBER), "x-kubernetes-validations": [{"rule": rule, **more}]}


def mapped(rule: str) -> JSON:
    return {**OBJECT, "maxProperties": 4, "x-kubernetes-validations": [{"rule": rule}]}


def prefixed(call: str, *values: str) -> JSON:
    rule = f"has(self.m) && self.m == 'C' ? has(self.k) && self.k.{call} : !has(self.k)"
    schema = obj(m={**TEXT, "enum": list(values)}, k={**TEXT, "pattern": "^[0-9a-f]{8}$"})
    return {**schema, "x-kubernetes-validations": [{"rule": rule}]}


CHANGES = (
    SchemaChange("type", TEXT, NUMBER, ("refused spec.x", "widened spec.x")),
    SchemaChange("int or string", {"x-kubernetes-int-or-string": True}, NUMBER, ("refused spec.x",)),
    SchemaChange("to int or string", TEXT, {"x-kubernetes-int-or-string": True}, ("widened spec.x",)),
    SchemaChange("enum", {**TEXT, "enum": ["a", "b"]}, {**TEXT, "enum": ["a"]}, ("refused spec.x",)),
    SchemaChange("more of an enum", {**TEXT, "enum": ["a"]}, {**TEXT, "enum": ["a", "b"]}, ("widened spec.x",)),
    SchemaChange("a first enum", TEXT, {**TEXT, "enum": ["a"]}, ("refused spec.x",)),
    SchemaChange("minimum", {**NUMBER, "minimum": 1}, {**NUMBER, "minimum": 3}, ("refused spec.x",)),
    SchemaChange("maximum", {**NUMBER, "maximum": 9}, {**NUMBER, "maximum": 3}, ("refused spec.x",)),
    SchemaChange("a first maximum", NUMBER, {**NUMBER, "maximum": 3}, ("refused spec.x",)),
    SchemaChange("no maximum", {**NUMBER, "maximum": 3}, NUMBER, ("widened spec.x",)),
    SchemaChange(
        "exclusive", {**NUMBER, "minimum": 3}, {**NUMBER, "minimum": 3, "exclusiveMinimum": True}, ("refused spec.x",)
    ),
    SchemaChange("multiples", NUMBER, {**NUMBER, "multipleOf": 5}, ("refused spec.x",)),
    SchemaChange("longer", TEXT, {**TEXT, "minLength": 3}, ("refused spec.x",)),
    SchemaChange("shorter", {**TEXT, "maxLength": 9}, {**TEXT, "maxLength": 3}, ("refused spec.x",)),
    SchemaChange("pattern", TEXT, {**TEXT, "pattern": "^[a-z]+$"}, ("refused spec.x",)),
    SchemaChange(
        "another pattern",
        {**TEXT, "pattern": "^[a-z0-9]+$"},
        {**TEXT, "pattern": "^[a-z]+$"},
        ("refused spec.x",),
    ),
    SchemaChange(
        "a pattern of one character less",
        {**TEXT, "pattern": "^[a-z]{1,63}$"},
        {**TEXT, "pattern": "^[a-z]{1,62}$"},
        ("refused spec.x",),
    ),
    SchemaChange(
        "another pattern of long texts",
        {**TEXT, "minLength": 20, "maxLength": 30, "pattern": "^[a-z-]+$"},
        {**TEXT, "minLength": 20, "maxLength": 30, "pattern": "^[a-z]+$"},
        ("refused spec.x",),
    ),
    SchemaChange("a pattern in other words", {**TEXT, "pattern": "^[a-z]+$"}, {**TEXT, "pattern": "^[a-z][a-z]*$"}, ()),
    SchemaChange("format", TEXT, {**TEXT, "format": "date-time"}, ("refused spec.x",)),
    SchemaChange("no format", {**TEXT, "format": "ipv4"}, TEXT, ("widened spec.x",)),
    SchemaChange("int32", NUMBER, {**NUMBER, "format": "int32"}, ("refused spec.x",)),
    SchemaChange("more items", items(), items(minItems=2), ("refused spec.x",)),
    SchemaChange("fewer items", items(maxItems=5), items(maxItems=2), ("refused spec.x",)),
    SchemaChange(
        "list of a set",
        {"type": "array", "items": TEXT},
        {"type": "array", "items": TEXT, "x-kubernetes-list-type": "set"},
        ("refused spec.x[*]", "warned spec.x", "widened spec.x"),
    ),
    SchemaChange("list of a map", items(), keyed("a"), ("refused spec.x[*]", "warned spec.x", "widened spec.x")),
    SchemaChange("map of a list", keyed("a"), items(), ("data loss spec.x", "widened spec.x[*]")),
    SchemaChange("fewer keys", keyed("a", "b"), keyed("a"), ("refused spec.x[*]", "data loss spec.x", "warned spec.x")),
    SchemaChange("more keys", keyed("a"), keyed("a", "b"), ("warned spec.x", "widened spec.x", "widened spec.x[*]")),
    SchemaChange("one owner", obj(a=TEXT, b=TEXT), {**obj(a=TEXT, b=TEXT), **ATOMIC}, ("data loss spec.x",)),
    SchemaChange("owners of fields", {**obj(a=TEXT), **ATOMIC}, obj(a=TEXT), ("warned spec.x", "widened spec.x")),
    SchemaChange(
        "more properties",
        {**OBJECT, "additionalProperties": TEXT},
        {**OBJECT, "additionalProperties": TEXT, "minProperties": 2},
        ("refused spec.x",),
    ),
    SchemaChange(
        "values of a map",
        {**OBJECT, "additionalProperties": TEXT},
        {**OBJECT, "additionalProperties": {**TEXT, "maxLength": 1}},
        ("refused spec.x[*]",),
    ),
    SchemaChange("no map", {**OBJECT, "additionalProperties": TEXT}, obj(a=TEXT), ("data loss spec.x[*]",)),
    SchemaChange("required", obj(a=TEXT), obj(("a",), a=TEXT), ("refused spec.x.a",)),
    SchemaChange(
        "required with a default", obj(a=TEXT), obj(("a",), a={**TEXT, "default": "b"}), ("changed spec.x.a",)
    ),
    SchemaChange("not required", obj(("a",), a=TEXT), obj(a=TEXT), ("widened spec.x.a",)),
    SchemaChange("null", {**TEXT, "nullable": True}, TEXT, ("changed spec.x",)),
    SchemaChange("default", {**TEXT, "default": "a"}, {**TEXT, "default": "b"}, ("changed spec.x",)),
    SchemaChange("a first default", TEXT, {**TEXT, "default": "b"}, ("changed spec.x",)),
    SchemaChange("no default", {**TEXT, "default": "b"}, TEXT, ("changed spec.x",)),
    SchemaChange("a field that goes", TEXT, None, ("data loss spec.x",)),
    SchemaChange("a field that comes", None, TEXT, ("widened spec.x",)),
    SchemaChange("a field that comes with a default", None, {**TEXT, "default": "a"}, ("widened spec.x",)),
    SchemaChange("a field inside that goes", obj(a=TEXT, b=TEXT), obj(a=TEXT), ("data loss spec.x.b",)),
    SchemaChange(
        "a field of items",
        {"type": "array", "items": obj(a=TEXT, b=TEXT)},
        {"type": "array", "items": obj(a=TEXT)},
        ("data loss spec.x[*].b",),
    ),
    SchemaChange(
        "unknown fields",
        {**OBJECT, "x-kubernetes-preserve-unknown-fields": True},
        OBJECT,
        ("data loss spec.x.unknownField",),
    ),
    SchemaChange(
        "kept unknown fields",
        OBJECT,
        {**OBJECT, "x-kubernetes-preserve-unknown-fields": True},
        ("widened spec.x.unknownField",),
    ),
    SchemaChange(
        "a field among unknown ones",
        {**OBJECT, "x-kubernetes-preserve-unknown-fields": True},
        {**obj(a=TEXT), "x-kubernetes-preserve-unknown-fields": True},
        ("refused spec.x.a", "data loss spec.x.a.a", "changed spec.x.a"),
    ),
    SchemaChange(
        "embedded",
        {**OBJECT, "x-kubernetes-preserve-unknown-fields": True},
        {**OBJECT, "x-kubernetes-preserve-unknown-fields": True, "x-kubernetes-embedded-resource": True},
        (
            *("refused spec.x", "refused spec.x.apiVersion", "refused spec.x.kind"),
            "data loss spec.x.metadata.unknownField",
        ),
    ),
    SchemaChange("rule", obj(a=NUMBER, b=NUMBER), ruled("!has(self.a) || self.a < 5"), ("refused spec.x",)),
    SchemaChange("no rule", ruled("!has(self.a) || self.a < 5"), obj(a=NUMBER, b=NUMBER), ("widened spec.x",)),
    SchemaChange(
        "another rule", ruled("!has(self.a) || self.a < 9"), ruled("!has(self.a) || self.a < 5"), ("refused spec.x",)
    ),
    SchemaChange(
        "not empty", TEXT, {**TEXT, "x-kubernetes-validations": [{"rule": "self.size() > 0"}]}, ("refused spec.x",)
    ),
    SchemaChange("to null", TEXT, {**TEXT, "nullable": True}, ("widened spec.x",)),
    SchemaChange(
        "immutable", TEXT, {**TEXT, "x-kubernetes-validations": [{"rule": "self == oldSelf"}]}, ("refused spec.x",)
    ),
    SchemaChange("any of", TEXT, {**TEXT, "anyOf": [{"pattern": "^a"}, {"pattern": "^b"}]}, ("refused spec.x",)),
    SchemaChange(
        "one of",
        obj(a=TEXT, b=TEXT),
        {**obj(a=TEXT, b=TEXT), "oneOf": [{"required": ["a"]}, {"required": ["b"]}]},
        ("refused spec.x",),
    ),
    SchemaChange("not", obj(a=TEXT), {**obj(a=TEXT), "not": {"required": ["a"]}}, ("refused spec.x",)),
    SchemaChange(
        "fewer branches",
        {**TEXT, "anyOf": [{"enum": ["a"]}, {"enum": ["b"]}]},
        {**TEXT, "anyOf": [{"enum": ["a"]}]},
        ("refused spec.x",),
    ),
    SchemaChange("a map", TEXT, {**OBJECT, "additionalProperties": TEXT}, ("refused spec.x", "widened spec.x")),
    SchemaChange(
        "a value that needs another",
        {**NEEDING, "properties": {"a": {**TEXT, "enum": ["m", "n"]}, "b": NUMBER}},
        {**NEEDING, "properties": {"a": {**TEXT, "enum": ["m"]}, "b": NUMBER}},
        ("refused spec.x.a",),
    ),
    SchemaChange(
        "a default that breaks a rule",
        {**obj(a={**NUMBER, "default": 1}), "x-kubernetes-validations": [{"rule": "self.a <= 3"}]},
        {**obj(a={**NUMBER, "default": 5}), "x-kubernetes-validations": [{"rule": "self.a <= 3"}]},
        ("refused spec.x",),
    ),
    SchemaChange(
        "no default, by which a rule could be evaluated",
        {**obj(a={**NUMBER, "default": 1}), "x-kubernetes-validations": [{"rule": "self.a <= 3"}]},
        {**obj(a=NUMBER), "x-kubernetes-validations": [{"rule": "self.a <= 3"}]},
        ("refused spec.x",),
    ),
    SchemaChange(
        "a default that breaks oneOf",
        {**obj(a=TEXT, b=TEXT), "oneOf": [{"required": ["a"]}, {"required": ["b"]}]},
        {**obj(a=TEXT, b={**TEXT, "default": "d"}), "oneOf": [{"required": ["a"]}, {"required": ["b"]}]},
        ("refused spec.x", "changed spec.x.b", "widened spec.x"),
    ),
    SchemaChange(
        "a default that is one field too many",
        {**obj(("d",), a=TEXT, b=TEXT, c=TEXT, d=TEXT), "maxProperties": 3},
        {**obj(("d",), a=TEXT, b=TEXT, c={**TEXT, "default": "d"}, d=TEXT), "maxProperties": 3},
        ("refused spec.x", "changed spec.x.c"),
    ),
    SchemaChange(
        "the only field that goes",
        {**obj(a=TEXT, b=TEXT), "minProperties": 1},
        {**obj(a=TEXT), "minProperties": 1},
        ("refused spec.x", "data loss spec.x.b"),
    ),
    SchemaChange(
        "a field that goes of which one is required",
        {**obj(a=TEXT, b=TEXT), "anyOf": [{"required": ["a"]}, {"required": ["b"]}]},
        {**obj(a=TEXT), "anyOf": [{"required": ["a"]}, {"required": ["b"]}]},
        ("refused spec.x", "data loss spec.x.b"),
    ),
    SchemaChange(
        "a default that makes keys the same",
        {**keyed("a"), "items": obj(a={**TEXT, "default": "1"})},
        {**keyed("a"), "items": obj(a={**TEXT, "default": "2"})},
        ("refused spec.x[*]", "changed spec.x[*].a", "widened spec.x[*]"),
    ),
    SchemaChange(
        "sets that were the same in any order",
        {
            **obj(a=listed("set"), b=listed("set"), c=NUMBER),
            "x-kubernetes-validations": [{"rule": "!has(self.a) || !has(self.b) || self.a == self.b"}],
        },
        {
            **obj(a=listed("atomic"), b=listed("atomic"), c=NUMBER),
            "x-kubernetes-validations": [{"rule": "!has(self.a) || !has(self.b) || self.a == self.b"}],
        },
        (
            *("refused spec.x", "data loss spec.x.a", "data loss spec.x.b"),
            *("widened spec.x.a[*]", "widened spec.x.b[*]"),
        ),
    ),
    SchemaChange(
        "a format that is a kind of another",
        {**TEXT, "format": "uuid"},
        {**TEXT, "format": "uuid4"},
        ("refused spec.x",),
    ),
    SchemaChange(
        "a limit of a million", {**TEXT, "maxLength": 1048576}, {**TEXT, "maxLength": 1000000}, ("refused spec.x",)
    ),
    SchemaChange("a list with many items", items(maxItems=5_000), items(maxItems=4_999), ("refused spec.x",)),
    SchemaChange(
        "a pattern inside of allOf",
        {**TEXT, "allOf": [{"pattern": "^a"}, {"pattern": "b$"}]},
        {**TEXT, "allOf": [{"pattern": "^a"}, {"pattern": "bb$"}]},
        ("refused spec.x",),
    ),
    SchemaChange(
        "a default of what has no type, as which null is kept",
        obj(a={"nullable": True, "x-kubernetes-preserve-unknown-fields": True}),
        obj(a={"x-kubernetes-preserve-unknown-fields": True}),
        ("changed spec.x.a",),
    ),
    SchemaChange(
        "a default of items, which null gives way to",
        {"type": "array", "items": {**NUMBER, "default": 1}},
        {"type": "array", "items": {**NUMBER, "default": 2}},
        ("changed spec.x[*]",),
    ),
    SchemaChange(
        "fewer fields of an embedded object",
        {**OBJECT, "x-kubernetes-embedded-resource": True, "x-kubernetes-preserve-unknown-fields": True},
        {
            **OBJECT,
            "x-kubernetes-embedded-resource": True,
            "x-kubernetes-preserve-unknown-fields": True,
            "maxProperties": 3,
        },
        ("refused spec.x",),
    ),
    SchemaChange(
        "a value of an enum that is below a minimum",
        {"type": "number", "enum": [1, 9]},
        {"type": "number", "enum": [1, 9], "minimum": 5},
        ("refused spec.x",),
    ),
    SchemaChange(
        "nulls in a full map that are kept now",
        {**OBJECT, "additionalProperties": TEXT, "maxProperties": 2},
        {**OBJECT, "additionalProperties": {**TEXT, "nullable": True}, "maxProperties": 2},
        ("refused spec.x", "widened spec.x[*]"),
    ),
    SchemaChange(
        "nulls in a small map that are dropped now",
        {**OBJECT, "additionalProperties": {**TEXT, "nullable": True}, "minProperties": 2},
        {**OBJECT, "additionalProperties": TEXT, "minProperties": 2},
        ("refused spec.x", "changed spec.x[*]"),
    ),
    SchemaChange(
        "a default for nulls beside a value of a map",
        {**OBJECT, "additionalProperties": TEXT, "minProperties": 1},
        {**OBJECT, "additionalProperties": {**TEXT, "default": "a"}, "minProperties": 1},
        ("changed spec.x[*]", "widened spec.x"),
    ),
    *(
        SchemaChange(
            f"a field that goes, and is kept as unknown, with the default of {name}",
            {**obj(a=obj(b=inner)), "x-kubernetes-preserve-unknown-fields": True},
            {**OBJECT, "x-kubernetes-preserve-unknown-fields": True},
            (f"changed spec.x.a.b{place}", "widened spec.x.a"),
        )
        for name, inner, place in (
            ("a field", obj(c={**NUMBER, "default": 1}), ".c"),
            ("items", {"type": "array", "items": {**NUMBER, "default": 1}}, "[*]"),
            ("values", {**OBJECT, "additionalProperties": {**NUMBER, "default": 1}}, "[*]"),
        )
    ),
    SchemaChange(
        "values of a map whose keys a rule restricts",
        {**mapped("self.all(k, k.matches('^x-[a-z]+$'))"), "additionalProperties": {**NUMBER, "maximum": 9}},
        {**mapped("self.all(k, k.matches('^x-[a-z]+$'))"), "additionalProperties": {**NUMBER, "maximum": 8}},
        ("refused spec.x[*]",),
    ),
    SchemaChange(
        "a value that needs a text with a prefix and a pattern",
        prefixed("startsWith('ab')", "A", "B", "C"),
        prefixed("startsWith('ab')", "A", "B"),
        ("refused spec.x.m",),
    ),
    SchemaChange(
        "a value that needs a text with a pattern and without a prefix",
        prefixed("startsWith('ab') == false", "A", "B", "C"),
        prefixed("startsWith('ab') == false", "A", "B"),
        ("refused spec.x.m",),
    ),
    SchemaChange("words alone", {**TEXT, "description": "a"}, {**TEXT, "description": "b"}, ()),
    SchemaChange("a bound that says nothing new", {**TEXT, "enum": ["a"]}, {**TEXT, "enum": ["a"], "maxLength": 5}, ()),
)


def crd(x: JSON | None, *, kubernetes_version: str = "1.37", **spec: Any) -> CustomResourceDefinition:
    """Return a CRD with a field `spec.x`."""
    schema = obj(spec=obj() if x is None else obj(x=x))
    version = {"name": "v1", "served": True, "storage": True, "schema": {"openAPIV3Schema": schema}}
    return crd_with_versions(version, kubernetes_version=kubernetes_version, **spec)


def crd_with_versions(*versions: JSON, kubernetes_version: str = "1.37", **spec: Any) -> CustomResourceDefinition:
    """Return a CRD with *versions*."""
    manifest = {
        "apiVersion": "apiextensions.k8s.io/v1",
        "kind": "CustomResourceDefinition",
        "metadata": {"name": "things.example.com"},
        "spec": {
            "group": "example.com",
            "scope": "Namespaced",
            "names": {"plural": "things", "singular": "thing", "kind": "Thing", "listKind": "ThingList"},
            "versions": list(versions),
            **spec,
        },
    }
    return CustomResourceDefinition.from_manifest(manifest, kubernetes_version=kubernetes_version)
