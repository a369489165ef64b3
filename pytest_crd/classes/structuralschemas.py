"""
Structural schemas from the JSON Schemas of classes, as pydantic and others write them.

A structural schema has no references and no unions of types. A keyword that it cannot say is a mistake, not left out; only words without
an effect on a server go.

Reference:
    JSON Schema 2020-12; apiextensions-apiserver apiserver/schema/structural.go.
"""

from __future__ import annotations

import functools
import json
from collections.abc import Callable, Mapping, Sequence
from typing import Any, Final, NamedTuple, TypeAlias

from pytest_crd.classes import conjunctions, unions
from pytest_crd.classes.conjunctions import JSONSchema
from pytest_crd.engine import Mistake, jsonvalue

Structural: TypeAlias = "dict[str, Any]"

_DEFINITIONS: Final = ("#/$defs/", "#/definitions/")
_EXTENSION: Final = "x-"
_OF_KUBERNETES: Final = "x-kubernetes-"
_PRESERVE: Final = "x-kubernetes-preserve-unknown-fields"
_INT_OR_STRING: Final = "x-kubernetes-int-or-string"
_LIST_TYPE: Final = "x-kubernetes-list-type"
_EXTENSIONS: Final = frozenset(
    {
        *(_PRESERVE, _INT_OR_STRING, _LIST_TYPE, "x-kubernetes-embedded-resource", "x-kubernetes-list-map-keys"),
        *("x-kubernetes-map-type", "x-kubernetes-validations"),
    }
)
# Keywords that mean the same in a structural schema.
_SAME: Final = frozenset(
    {
        *("description", "format", "maxItems", "maxLength", "maxProperties", "maximum", "minItems", "minLength"),
        *("minProperties", "minimum", "multipleOf", "nullable", "pattern", "default", "required"),
    }
)
_JUNCTORS: Final = ("anyOf", "oneOf")
# Keywords of the structure of a value; a branch without them only adds constraints.
_STRUCTURE: Final = frozenset({*_JUNCTORS, "additionalProperties", "items", "properties"})
_EXCLUSIVE: Final = {"exclusiveMinimum": ("minimum", max), "exclusiveMaximum": ("maximum", min)}
_SCALARS: Final = frozenset({"boolean", "integer", "number", "string"})
_NULL: Final = "null"
_ONLY_NULL: Final = "its only value is null, which a structural schema cannot say"
_REFERENCE: Final = "$ref"
_JUNCTION: Final = "allOf"
_NO_VALUE: Final = "no value is allowed here, which a structural schema cannot say"
# Keywords that all branches of a union have, or none.
_OF_ALL: Final = ("type", _PRESERVE, _INT_OR_STRING)
# Keywords of branches that only add constraints to the structure beside the junctor.
_CONSTRAINTS: Final = (_SAME | conjunctions.ANNOTATIONS | _EXCLUSIVE.keys() | {"enum", "const"}) - {
    "default",
    "nullable",
}
# Formats with another meaning for a server than for JSON Schema.
_OTHER_FORMATS: Final = {"duration": "a duration of Go such as 1h30m, and not of ISO 8601"}


class _Flat(NamedTuple):
    """A schema without references and conjunctions, with the references around its values."""

    schema: JSONSchema
    seen: tuple[str, ...]


class SchemaReader:
    """
    A reader of the JSON Schema of one class.

    Attributes:
        mistakes: The keywords that a structural schema cannot say, each with its field.
    """

    def __init__(self, schema: JSONSchema, source: str) -> None:
        """Create it with the schema and the name of the class for messages."""
        self._root = schema
        self._source = source
        self.mistakes: list[Mistake] = []
        self._converters: Mapping[str, Callable[[Structural, JSONSchema, str, tuple[str, ...]], None]] = {
            "additionalProperties": self._additional,
            "anyOf": functools.partial(self._union, "anyOf"),
            "const": self._const,
            "enum": self._enum,
            "items": self._items,
            "oneOf": functools.partial(self._union, "oneOf"),
            "properties": self._properties,
            "type": self._type,
            "uniqueItems": self._unique,
        }

    def read(self) -> Structural:
        """Return the structural schema; it is incomplete if there are mistakes."""
        return self._schema(self._root, "", ())

    def _fail(self, path: str, message: str) -> None:
        self.mistakes.append(Mistake(f"{self._source}{f', {path}' if path else ''}", 0, message))

    def _schema(self, schema: Any, path: str, seen: tuple[str, ...]) -> Structural:
        """Return the structural schema of the values at *path*; *seen* has the references around it."""
        flat = self._flatten(schema, path, seen)
        return {_PRESERVE: True} if flat is None else self._own(flat.schema, path, flat.seen)

    def _flatten(self, schema: Any, path: str, seen: tuple[str, ...]) -> _Flat | None:
        """Return a schema without references, conjunctions and junctors of one branch; None after a mistake."""
        if isinstance(schema, bool) or not isinstance(schema, Mapping):
            if schema is not True:
                self._fail(
                    path, f"{json.dumps(schema, default=repr)} is no schema" if schema is not False else _NO_VALUE
                )
            return _Flat({}, seen) if schema is True else None
        flat = _Flat({key: value for key, value in schema.items() if key not in {_REFERENCE, _JUNCTION}}, seen)
        parts = [(part, seen) for part in self._list(schema, _JUNCTION, path)]
        if (reference := schema.get(_REFERENCE)) is not None:
            if reference in seen:
                cycle = " -> ".join(name.rpartition("/")[2] for name in (*seen[seen.index(reference) :], reference))
                self._fail(path, f"{cycle}: a structural schema has no references, so that it cannot be recursive")
                return None
            parts.insert(0, (self._target(str(reference), path), (*seen, reference)))
        is_nullable = False
        for junctor in _JUNCTORS:
            branches = [branch for branch in self._list(schema, junctor, path) if not unions.is_null(branch)]
            if len(branches) == 1:
                is_nullable = is_nullable or (len(schema[junctor]) > 1 and unions.takes_null(schema))
                rest = {key: value for key, value in flat.schema.items() if key != junctor}
                flat = flat._replace(schema=rest)
                parts.append((branches[0], seen))
        for part, around in parts:
            inner = self._flatten(part, path, around)
            if inner is None:
                return None
            flat = self._conjoin(inner, flat, path)
        return flat._replace(schema=unions.with_null(flat.schema)) if is_nullable else flat

    def _conjoin(self, part: _Flat, beside: _Flat, path: str) -> _Flat:
        conjunction = conjunctions.conjoin(part.schema, beside.schema)
        for keyword in conjunction.conflicts:
            self._fail(path, f"two schemas with another {keyword} apply, which a structural schema cannot say")
        return _Flat(conjunction.schema, tuple(dict.fromkeys((*beside.seen, *part.seen))))

    def _list(self, schema: JSONSchema, keyword: str, path: str) -> list[Any]:
        """Return the schemas of a keyword; empty if it is absent, or after a mistake."""
        schemas = schema.get(keyword)
        if isinstance(schemas, list) and schemas:
            return schemas
        if keyword in schema:
            self._fail(path, f"{keyword} has no list of schemas")
        return []

    def _target(self, reference: str, path: str) -> Any:
        for prefix in _DEFINITIONS:
            definitions = self._root.get(prefix.split("/")[1], {})
            if reference.startswith(prefix) and (name := reference.removeprefix(prefix)) in definitions:
                return definitions[name]
        self._fail(path, f"{reference} leads nowhere")
        return True

    def _own(self, schema: JSONSchema, path: str, seen: tuple[str, ...]) -> Structural:
        own: Structural = {}
        for keyword, value in schema.items():
            if keyword in _SAME or (keyword.startswith(_EXTENSION) and not keyword.startswith(_OF_KUBERNETES)):
                own[keyword] = value
            elif keyword in _EXTENSIONS:
                own.setdefault(keyword, value)
            elif (convert := self._converters.get(keyword)) is not None:
                convert(own, schema, path, seen)
            elif keyword not in conjunctions.ANNOTATIONS and keyword not in _EXCLUSIVE:
                self._fail(path, f"a structural schema cannot say {keyword}")
        for keyword in _EXCLUSIVE.keys() & schema.keys():
            _set_exclusive(own, schema, keyword)
        if own.get("format") in _OTHER_FORMATS:
            self._fail(path, f"to a server the format {own['format']} is {_OTHER_FORMATS[own['format']]}")
        self._infer_type(own, path)
        unions.let_null_pass(own)
        self._require_fields(own, path)
        if own.get("default", 0) is None:
            del own["default"]  # an absent field is the same
        if not own.get("required", True):
            del own["required"]
        return own

    def _require_fields(self, own: Structural, path: str) -> None:
        """Fail for required fields that a server drops."""
        if own.get("type") == "object" and _PRESERVE not in own and "additionalProperties" not in own:
            schemas = [own, *(branch for junctor in _JUNCTORS for branch in own.get(junctor, ()))]
            names = {name for schema in schemas for name in schema.get("required", ())}
            for name in sorted(names - own.get("properties", {}).keys()):
                self._fail(path, f"{name} is required and not in properties, so that a server drops it")

    def _infer_type(self, own: Structural, path: str) -> None:
        """Add the type that an enum has, or the lack of any."""
        if "type" in own or _INT_OR_STRING in own or _PRESERVE in own:
            return
        types = {jsonvalue.type_of(value) for value in own.get("enum", ())}
        if _NULL in types:
            types.discard(_NULL)
            own["nullable"] = True
        if len(types) == 1:
            own["type"] = types.pop()
        elif "enum" in own and not types:
            self._fail(path, _ONLY_NULL)
        elif types:
            self._fail(
                path, f"its values have the types {' and '.join(sorted(types))}; a structural schema has one type"
            )
        else:
            own[_PRESERVE] = True

    def _const(self, own: Structural, schema: JSONSchema, _path: str, _seen: tuple[str, ...]) -> None:
        own["enum"] = [schema["const"]]

    def _enum(self, own: Structural, schema: JSONSchema, path: str, _: tuple[str, ...]) -> None:
        own.setdefault("enum", schema["enum"])
        if "const" in schema and not any(jsonvalue.equal(schema["const"], value) for value in schema["enum"]):
            self._fail(path, "its const is not in its enum, so that no value is allowed")

    def _type(self, own: Structural, schema: JSONSchema, path: str, _: tuple[str, ...]) -> None:
        types = unions.types(schema)
        named = [name for name in types if name != _NULL]
        if _NULL in types:
            own["nullable"] = True
        if set(named) == {"integer", "string"}:
            own[_INT_OR_STRING] = True
        elif len(named) == 1:
            own["type"] = named[0]
        elif named:
            self._fail(path, f"its types are {' and '.join(named)}; a structural schema has one type")
        else:
            self._fail(path, _ONLY_NULL)

    def _properties(self, own: Structural, schema: JSONSchema, path: str, seen: tuple[str, ...]) -> None:
        if not isinstance(schema["properties"], Mapping):
            self._fail(path, "properties has no mapping of schemas")
            return
        own["properties"] = {
            name: self._schema(child, f"{path}.{name}".lstrip("."), seen)
            for name, child in schema["properties"].items()
        }

    def _additional(self, own: Structural, schema: JSONSchema, path: str, seen: tuple[str, ...]) -> None:
        value = schema["additionalProperties"]
        if value is False:
            return  # a server drops unknown fields, or refuses them for kubectl
        if value is True:
            own[_PRESERVE] = True
        elif schema.get("properties"):
            self._fail(path, "a structural schema has either properties or additionalProperties")
        else:
            own["additionalProperties"] = self._schema(value, f"{path}.*".lstrip("."), seen)

    def _items(self, own: Structural, schema: JSONSchema, path: str, seen: tuple[str, ...]) -> None:
        own["items"] = self._schema(schema["items"], f"{path}[*]", seen)

    def _unique(self, own: Structural, schema: JSONSchema, path: str, seen: tuple[str, ...]) -> None:
        if not schema["uniqueItems"]:
            return
        items, list_type = self._schema(schema.get("items", {}), f"{path}[*]", seen), schema.get(_LIST_TYPE, "set")
        if list_type == "atomic":
            self._fail(path, f"its items are unique, but not with {_LIST_TYPE}: atomic")
        elif items.get("type") in _SCALARS:
            own[_LIST_TYPE] = list_type
        elif list_type != "map":
            self._fail(
                path,
                f"its items are unique and no scalars, which a structural schema cannot say; see {_LIST_TYPE}: map",
            )

    def _union(self, keyword: str, own: Structural, schema: JSONSchema, path: str, seen: tuple[str, ...]) -> None:
        """Add a junctor: constraints, an int-or-string, or a union with the structure of all its branches."""
        branches = [branch for branch in self._list(schema, keyword, path) if not unions.is_null(branch)]
        if not branches:
            self._fail(path, _ONLY_NULL)
            return
        schemas = [self._schema(branch, path, seen) for branch in branches]
        is_nullable = len(branches) < len(schema[keyword]) or any("nullable" in branch for branch in schemas)
        if is_nullable and unions.takes_null(schema):
            own["nullable"] = True
        if {"type", "properties"} & schema.keys() and all(
            isinstance(branch, Mapping) and branch.keys() <= _CONSTRAINTS for branch in branches
        ):
            own[keyword] = [unions.without_structure(branch) for branch in schemas]
            return
        for beside in sorted(_STRUCTURE & schema.keys() - {keyword}):
            self._fail(
                path,
                f"{beside} stands beside {keyword}, which a structural schema cannot say; put it into the branches",
            )
        types = {str(branch.get("type")) for branch in schemas}
        if types == {"integer", "string"} and all(branch.keys() <= {"type", "description"} for branch in schemas):
            own[_INT_OR_STRING] = True
        elif len(types) > 1:
            self._fail(path, f"a union of {' and '.join(sorted(types))}; a structural schema has one type")
        elif types.isdisjoint(unions.types(schema)) and "type" in schema:
            self._fail(path, f"a union of {types.pop()} beside another type")
        else:
            tag = schema.get("discriminator", {}).get("propertyName")
            own |= self._structure(schemas, path, tag)
            own[keyword] = [unions.require(unions.without_structure(branch), tag) for branch in schemas]

    def _structure(self, branches: Sequence[Structural], path: str, tag: str | None) -> Structural:
        """Return the schema of the values of all branches: their type, and all their fields; each branch requires the *tag*."""
        common: Structural = {key: branches[0][key] for key in _OF_ALL if key in branches[0]}
        for key in _OF_ALL:
            if any(branch.get(key) != common.get(key) for branch in branches):
                self._fail(path, f"only some branches of a union have {key}, which a structural schema cannot say")
        if any("items" in branch or "additionalProperties" in branch for branch in branches):
            self._fail(path, "a union of lists or maps, which a structural schema cannot say")
        fields: dict[str, list[Structural]] = {}
        for branch in branches:
            for name, child in branch.get("properties", {}).items():
                own = {key: value for key, value in child.items() if name != tag or key != "default"}
                fields.setdefault(name, []).append(own)
        for name, children in fields.items():
            if len(children) < len(branches) and any("default" in child for child in children):
                self._fail(f"{path}.{name}", "a server sets this default in objects of all branches of the union")
        if fields:
            common["properties"] = {name: self._merge(children, f"{path}.{name}") for name, children in fields.items()}
        return common

    def _merge(self, schemas: Sequence[Structural], path: str) -> Structural:
        """Return the schema of a field of several branches: the same in all, or an enum with the values of all."""
        first, *others = schemas
        if all(jsonvalue.equal(first, schema) for schema in others):
            return first
        rest, *other_rests = (
            {key: schema[key] for key in schema if key not in {"description", "enum"}} for schema in schemas
        )
        if all("enum" in schema for schema in schemas) and all(
            jsonvalue.equal(rest, keywords) for keywords in other_rests
        ):
            values = {json.dumps(value, sort_keys=True): value for schema in schemas for value in schema["enum"]}
            return {**rest, "enum": list(values.values())}
        self._fail(
            path, "the branches of a union specify it differently; a structural schema has one schema for a field"
        )
        return first


def _set_exclusive(own: Structural, schema: JSONSchema, keyword: str) -> None:
    """Set an exclusive limit in the form of OpenAPI: a limit, and whether it is exclusive; the narrower of two limits counts."""
    limit, narrower = _EXCLUSIVE[keyword]
    value = schema[keyword]
    if isinstance(value, bool):
        own[keyword] = value
    elif limit not in schema or narrower(value, schema[limit]) == value:
        own |= {limit: value, keyword: True}
