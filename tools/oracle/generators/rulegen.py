"""Random schemas with validation rules, and objects for them."""

from __future__ import annotations

import random
from collections.abc import Iterator, Mapping
from typing import Final

from oracle.generators import expressiongen
from pytest_crd.engine.jsonvalue import JSONValue
from pytest_crd.engine.rules.escaping import escape

Schema = dict[str, JSONValue]

_NAMES: Final = ("a", "b", "c-d", "e.f", "in", "namespace", "x__y", "g/h", "9", "metadata", "name")
_ITEM: Final[Mapping[str, Schema]] = {
    "k": {"type": "string"},
    "v": {"type": "integer"},
    "in": {"type": "string", "maxLength": 5},
}
_VALUES: Final[Mapping[str, tuple[JSONValue, ...]]] = {
    "int": (0, 1, 2, 3, -1, 5, 7, 2**63 - 1),
    "double": (0, 1, 2, 1.5, -2.5, 1.0, 1e300),
    "bool": (True, False),
    "string": ("", "a", "abc", "b", "\u00c4\u00f6", "1h", "1", "x y", "2020-01-01"),
    "bytes": ("", "YQ==", "YWJj", "YQ", "Y\nQ==", "/w==", "_w==", "+w==", "A-8=", "YQ=", "*"),
    "duration": ("1h", "2 weeks", "-1.5s", "1h30m", "0s", "3 min 2 sec", "1d"),
    "date": ("2020-02-29", "2019-12-31", "0001-01-01"),
    "date-time": (
        "2020-02-29T12:00:00Z",
        "2019-01-01T00:00:00.5+02:00",
        "2020-02-29T12:00:00.25",
        "2020-02-29T12:00:00",
    ),
    "dyn": (1, "a", "1", 5, 0),
}
_PLAIN: Final = ("int", "double", "bool", "string", "bytes", "duration", "timestamp", "dyn")
_ODD: Final[tuple[JSONValue, ...]] = (None, True, 1, 1.5, "a", "", [], [1], ["a"], {}, {"a": 1}, [None])
_TEMPLATES: Final[Mapping[str, tuple[str, ...]]] = {
    "bool": (
        *(
            "<items> == <items>",
            "<items> != <items>",
            "<object> == <object>",
            "<item> in <items>",
            "<item> == <object>",
        ),
        *("<items>.all($, <bool@item>)", "<items>.exists($, <bool@item>)", "<items>.exists_one($, <bool@item>)"),
        *(
            "<list> == <list>",
            "<texts> == <texts>",
            "<map> == <map>",
            "<bytes> == <bytes>",
            "<timestamp> == <timestamp>",
        ),
        *(
            "<items>.all(i$, $, i$ < 2 || <bool@item>)",
            "<map>.all($, <bool@string>)",
            "<map>.exists(k$, $, <bool@int>)",
        ),
        *("has(<item>.v)", "has(<item>.k)", "<dyn> == <int>", "<dyn> == <string>", "<dyn> > 1", "type(<dyn>) == int"),
    ),
    "int": ("size(<items>)", "<items>[<int>].v", "size(<map>)", "size(<bytes>)", "<items>.map($, <int@item>)[0]"),
    "string": ("<items>[0].k", "<items>[<int>].__in__"),
    "texts": ("<items>.map($, <string@item>)",),
    "list": ("<items>.map($, <int@item>)",),
    "items": ("(<items> + <items>)", "<items>.filter($, <bool@item>)"),
    "item": ("<items>[<int>]",),
    "object": ("<item>",),
    "dyn": ("dyn(<items>)", "dyn(<object>)", "dyn(<timestamp>)"),
}
# Sorting a value that is no list makes the reference panic, with costs that are not reproduced; concatenated bytes
# overwrite each other there.
_EXCLUDED: Final = (".sort", "<bytes> +")
TEMPLATES: Final = {
    kind: tuple(
        template
        for template in (*expressiongen.TEMPLATES.get(kind, ()), *_TEMPLATES.get(kind, ()))
        if not any(part in template for part in _EXCLUDED)
    )
    for kind in {**expressiongen.TEMPLATES, **_TEMPLATES}
}


class Maker:
    """A generator of schemas and objects from a seed."""

    def __init__(self, seed: int, *, odd: float) -> None:
        """Take a seed, and the share *odd* of values that do not match their schema."""
        self.random = random.Random(seed)  # noqa: S311 - chance that can be repeated
        self._odd = odd

    def chance(self, share: float) -> bool:
        """Return True with the probability *share*."""
        return self.random.random() < share

    # Schemas.

    def schema(self, *, rules: int) -> Schema:
        """Return the schema of an object with *rules* at random nodes."""
        schema = self._object(2)
        nodes = [node for node in _nodes(schema) if kind_of(node) is not None]
        for _ in range(rules):
            node = self.random.choice([schema, *nodes])
            node.setdefault("x-kubernetes-validations", []).append(self.rule(node))
        return schema

    def _object(self, depth: int) -> Schema:
        names = self.random.sample(_NAMES, self.random.randint(2, 6))
        schema: Schema = {"type": "object", "properties": {name: self._property(depth - 1) for name in names}}
        if "metadata" in names:
            schema["properties"]["metadata"] = {"type": "object", "properties": {"name": self._string(0)}}
        if self.chance(0.3):
            schema["required"] = self.random.sample(names, 1)
        if self.chance(0.1):
            schema |= {"x-kubernetes-embedded-resource": True, "x-kubernetes-preserve-unknown-fields": True}
        return schema

    def _property(self, depth: int) -> Schema:
        kinds = [*_PLAIN, *("list", "list", "texts", "map", "items", "items", "preserved")]
        kind = "object" if depth > 0 and self.chance(0.3) else self.random.choice(kinds)
        schema: Schema = getattr(self, f"_{kind}", lambda _: {"type": "boolean"})(depth)
        if self.chance(0.15):
            schema["nullable"] = True
        return schema

    def _int(self, _: int) -> Schema:
        return {"type": "integer"}

    def _double(self, _: int) -> Schema:
        return {"type": "number"}

    def _string(self, _: int) -> Schema:
        enum = {"enum": ["a", "abc", ""]} if self.chance(0.2) else {}
        return {"type": "string"} | enum | self._limit("maxLength")

    def _bytes(self, _: int) -> Schema:
        return {"type": "string", "format": "byte"} | self._limit("maxLength")

    def _duration(self, _: int) -> Schema:
        return {"type": "string", "format": "duration"}

    def _timestamp(self, _: int) -> Schema:
        return {"type": "string", "format": self.random.choice(["date", "date-time"])}

    def _dyn(self, _: int) -> Schema:
        return {"x-kubernetes-int-or-string": True} | self._limit("maxLength")

    def _preserved(self, _: int) -> Schema:
        return {"x-kubernetes-preserve-unknown-fields": True} | ({"type": "object"} if self.chance(0.5) else {})

    def _list(self, _: int) -> Schema:
        return {"type": "array", "items": self._int(0)} | self._list_type("set") | self._limit("maxItems")

    def _texts(self, _: int) -> Schema:
        items = self._string(0) if self.chance(0.8) else self._timestamp(0)
        return {"type": "array", "items": items} | self._list_type("set") | self._limit("maxItems")

    def _items(self, _: int) -> Schema:
        items: Schema = {"type": "object", "properties": {name: dict(schema) for name, schema in _ITEM.items()}}
        keys = {"x-kubernetes-list-map-keys": self.random.choice([["k"], ["k", "in"], ["in"]])}
        listed = self._list_type("map")
        return (
            {"type": "array", "items": items}
            | listed
            | (keys if "map" in listed.values() else {})
            | self._limit("maxItems")
        )

    def _map(self, _: int) -> Schema:
        return {"type": "object", "additionalProperties": self._int(0)} | self._limit("maxProperties")

    def _list_type(self, other: str) -> Schema:
        return self.random.choice([{}, {"x-kubernetes-list-type": "atomic"}, {"x-kubernetes-list-type": other}])

    def _limit(self, keyword: str) -> Schema:
        return {keyword: self.random.choice([0, 1, 3, 10, 1000])} if self.chance(0.5) else {}

    # Rules.

    def rule(self, node: Schema) -> Schema:
        """Return a rule about values of *node*."""
        is_optional = self.chance(0.1)
        old = "oldSelf.value()" if is_optional else "oldSelf"
        olds = [old] if is_optional or self.chance(0.3) else []
        rule: Schema = {"rule": self.expression(node, "bool", olds)}
        if is_optional:
            rule |= {"rule": f"!oldSelf.hasValue() || {rule['rule']}", "optionalOldSelf": True}
        if self.chance(0.3):
            rule["message"] = self.random.choice(["is wrong", " padded\u00a0", ""])
        if self.chance(0.3):
            rule["messageExpression"] = self.expression(node, "string", [])
        if self.chance(0.3):
            reasons = ("FieldValueInvalid", "FieldValueForbidden", "FieldValueRequired", "FieldValueDuplicate")
            rule["reason"] = self.random.choice(reasons)
        named = [name for name in node.get("properties", ()) if name in ("a", "b")]
        if named and self.chance(0.2):
            rule["fieldPath"] = f".{self.random.choice(named)}"
        return rule

    def expression(self, node: Schema, kind: str, olds: list[str]) -> str:
        """Return an expression about `self`, a value of *node*, and the variables *olds*."""
        leaves = {name: [text for text in texts if "self" not in text] for name, texts in expressiongen.LEAVES.items()}
        leaves |= {"items": ["[]"], "item": ["{}"], "object": ["{}"], "dyn": ["dyn(1)", 'dyn("a")']}
        for variable in ("self", *olds):
            for name, text in _leaves(node, variable):
                leaves[name] += [text] * 4
        return Generator(self.random.randrange(2**32), leaves).make(kind, self.random.randint(1, 4))

    # Objects.

    def value(self, schema: Schema) -> JSONValue:
        """Return a value of *schema*, apart from a share of odd values."""
        if self.chance(self._odd):
            return self.random.choice(_ODD)
        if schema.get("nullable") and self.chance(0.2):
            return None
        if "properties" in schema:
            fields = {name: self.value(child) for name, child in schema["properties"].items() if self.chance(0.8)}
            return fields | ({"unknown": self.random.choice(_ODD)} if self.chance(0.03) else {})
        if "additionalProperties" in schema:
            # With two keys the reference's answer would depend on their random order.
            keys = self.random.sample(["a", "b", "x", "c-d"], self.random.randint(0, 1))
            return {key: self.value(schema["additionalProperties"]) for key in keys}
        if "items" in schema:
            return [self.value(schema["items"]) for _ in range(self.random.randint(0, 4))]
        format_values = _VALUES.get(schema.get("format", ""))
        return self.random.choice(format_values or _VALUES.get(kind_of(schema) or "", _ODD))

    def changed(self, schema: Schema, value: JSONValue) -> JSONValue:
        """Return a possible old value for *value*, mostly similar."""
        if self.chance(0.1):
            return self.value(schema)
        if isinstance(value, dict) and "properties" in schema:
            return {name: self.changed(schema["properties"].get(name, {}), child) for name, child in value.items()}
        if isinstance(value, list) and self.chance(0.5):
            return self.random.sample(value, len(value))
        return value


class Generator(expressiongen.Generator):
    """A generator of expressions about variables of known types."""

    def __init__(self, seed: int, leaves: Mapping[str, list[str]]) -> None:
        """Take the leaves of each kind."""
        super().__init__(seed, leaves, TEMPLATES, wrong=0.01)

    def variables_of(self, kind: str) -> list[str]:
        """Return the variables of *kind* in scope, and fields of variables that are list items."""
        field = {"string": ".k", "int": ".v"}.get(kind)
        fields = [f"{name}{field}" for name, variable_kind in self.scope if variable_kind == "item" and field]
        return super().variables_of(kind) + fields


def kind_of(schema: Schema) -> str | None:
    """Return the kind of expression for a value of *schema*, or None if expressions cannot access it."""
    if schema.get("x-kubernetes-int-or-string"):
        return "dyn"
    match schema.get("type"):
        case "object":
            return "map" if "additionalProperties" in schema else "object"
        case "array":
            return {"int": "list", "string": "texts", "object": "items"}.get(kind_of(schema["items"]) or "", "dyn")
        case "string":
            formats = {"byte": "bytes", "duration": "duration", "date": "timestamp", "date-time": "timestamp"}
            return formats.get(schema.get("format", ""), "string")
        case type_:
            return {"integer": "int", "number": "double", "boolean": "bool"}.get(type_ or "")


def _nodes(schema: Schema) -> Iterator[Schema]:
    yield schema
    for child in (*schema.get("properties", {}).values(), schema.get("items"), schema.get("additionalProperties")):
        if child is not None:
            yield from _nodes(child)


def _leaves(schema: Schema, text: str) -> Iterator[tuple[str, str]]:
    """Yield kind and text of the expressions about *text*, a value of *schema*, and its fields."""
    kind = kind_of(schema)
    if kind is None:
        return
    yield kind, text
    for name, child in schema.get("properties", {}).items():
        identifier = escape(name)
        if identifier is not None:
            yield "bool", f"has({text}.{identifier})"
            yield from _leaves(child, f"{text}.{identifier}")
            if kind_of(child) == "int":
                yield "optional", f"{text}.?{identifier}"
