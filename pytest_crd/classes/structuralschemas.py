"""
Structural schemas from the JSON Schemas of classes, as pydantic and others write them.

A structural schema has no references and no unions of types. A keyword that it cannot say is a mistake, not left out; only words without
an effect on a server go.

Reference:
    JSON Schema 2020-12; apiextensions-apiserver apiserver/schema/structural.go.
"""

from __future__ import annotations

import functools
from collections.abc import Callable, Mapping, Sequence
from typing import Any, Final, TypeAlias

from pytest_crd.engine import Mistake, jsonvalue

JSONSchema: TypeAlias = Mapping[str, Any]
Structural: TypeAlias = "dict[str, Any]"

_DEFINITIONS: Final = ("#/$defs/", "#/definitions/")
_EXTENSION: Final = "x-"
_PRESERVE: Final = "x-kubernetes-preserve-unknown-fields"
_INT_OR_STRING: Final = "x-kubernetes-int-or-string"
_LIST_TYPE: Final = "x-kubernetes-list-type"
# Keywords that mean the same in a structural schema.
_SAME: Final = frozenset(
    {
        *("description", "format", "maxItems", "maxLength", "maxProperties", "maximum", "minItems", "minLength"),
        *("minProperties", "minimum", "multipleOf", "nullable", "pattern", "default", "enum", "required"),
    }
)
# Keywords without an effect on a server.
_DROPPED: Final = frozenset(
    {
        *("$comment", "$defs", "$id", "$schema", "contentEncoding", "contentMediaType", "definitions", "deprecated"),
        *("discriminator", "example", "examples", "readOnly", "title", "writeOnly"),
    }
)
_EXCLUSIVE: Final = {"exclusiveMinimum": ("minimum", max), "exclusiveMaximum": ("maximum", min)}
# Keywords of a branch that a structural schema states beside the junctor.
_OF_STRUCTURE: Final = ("type", "description", "default", "nullable", _INT_OR_STRING, _PRESERVE)
_SCALARS: Final = frozenset({"boolean", "integer", "number", "string"})
_NULL: Final = "null"
# Formats with another meaning for a server than for JSON Schema.
_OTHER_FORMATS: Final = {"duration": "a duration of Go such as 1h30m, and not of ISO 8601"}


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
        if isinstance(schema, bool) or not schema:
            if schema is False:
                self._fail(path, "no value is allowed here, which a structural schema cannot say")
            return {_PRESERVE: True}
        while (reference := schema.get("$ref")) is not None:
            if reference in seen:
                cycle = " -> ".join(name.rpartition("/")[2] for name in (*seen[seen.index(reference) :], reference))
                self._fail(path, f"{cycle}: a structural schema has no references, so that it cannot be recursive")
                return {_PRESERVE: True}
            seen = (*seen, reference)
            schema = {**self._target(reference, path), **{key: schema[key] for key in schema if key != "$ref"}}
        if len(parts := schema.get("allOf", ())) == 1:
            return self._schema({**parts[0], **{key: schema[key] for key in schema if key != "allOf"}}, path, seen)
        return self._own(schema, path, seen)

    def _target(self, reference: str, path: str) -> JSONSchema:
        for prefix in _DEFINITIONS:
            definitions = self._root.get(prefix.split("/")[1], {})
            if reference.startswith(prefix) and (name := reference.removeprefix(prefix)) in definitions:
                target: JSONSchema = definitions[name]
                return target
        self._fail(path, f"{reference} leads nowhere")
        return {}

    def _own(self, schema: JSONSchema, path: str, seen: tuple[str, ...]) -> Structural:
        own: Structural = {}
        for keyword, value in schema.items():
            if keyword in _SAME or keyword.startswith(_EXTENSION):
                own[keyword] = value
            elif keyword == "const":
                own["enum"] = [value]
            elif (convert := self._converters.get(keyword)) is not None:
                convert(own, schema, path, seen)
            elif keyword not in _DROPPED and keyword not in _EXCLUSIVE:
                self._fail(path, f"a structural schema cannot say {keyword}")
        for keyword in _EXCLUSIVE.keys() & schema.keys():
            _set_exclusive(own, schema, keyword)
        if own.get("format") in _OTHER_FORMATS:
            self._fail(path, f"to a server the format {own['format']} is {_OTHER_FORMATS[own['format']]}")
        self._infer_type(own, path)
        if own.get("default", 0) is None:
            del own["default"]  # an absent field is the same
        if not own.get("required", True):
            del own["required"]
        return own

    def _infer_type(self, own: Structural, path: str) -> None:
        """Add the type that an enum has, or the lack of any."""
        if "type" in own or _INT_OR_STRING in own or _PRESERVE in own:
            return
        types = {jsonvalue.type_of(value) for value in own.get("enum", ())}
        if _NULL in types:
            types.discard(_NULL)
            own |= {"nullable": True, "enum": [value for value in own["enum"] if value is not None]}
        if len(types) == 1:
            own["type"] = types.pop()
        elif types:
            self._fail(
                path, f"its values have the types {' and '.join(sorted(types))}; a structural schema has one type"
            )
        else:
            own[_PRESERVE] = True

    def _type(self, own: Structural, schema: JSONSchema, path: str, _: tuple[str, ...]) -> None:
        types = schema["type"] if isinstance(schema["type"], list) else [schema["type"]]
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
            self._fail(path, "its only value is null, which a structural schema cannot say")

    def _properties(self, own: Structural, schema: JSONSchema, path: str, seen: tuple[str, ...]) -> None:
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
        items = self._schema(schema.get("items", {}), f"{path}[*]", seen)
        if items.get("type") in _SCALARS:
            own.setdefault(_LIST_TYPE, "set")
        else:
            self._fail(
                path,
                f"its items are unique and no scalars, which a structural schema cannot say; see {_LIST_TYPE}: map",
            )

    def _union(self, keyword: str, own: Structural, schema: JSONSchema, path: str, seen: tuple[str, ...]) -> None:
        """Add a junctor: a nullable value, an int-or-string, or a union with the structure of all its branches."""
        written = schema[keyword]
        branches = [branch for branch in written if branch.get("type") != _NULL]
        if len(branches) < len(written):
            own["nullable"] = True
        if len(branches) == 1:
            own |= {key: value for key, value in self._schema(branches[0], path, seen).items() if key not in own}
            return
        schemas = [self._schema(branch, path, seen) for branch in branches]
        types = {str(branch.get("type")) for branch in schemas}
        if types == {"integer", "string"} and all(branch.keys() <= {"type", "description"} for branch in schemas):
            own[_INT_OR_STRING] = True
        elif len(types) > 1:
            self._fail(path, f"a union of {' and '.join(sorted(types))}; a structural schema has one type")
        else:
            own |= self._structure(schemas, path)
            tag = schema.get("discriminator", {}).get("propertyName")
            own[keyword] = [_require(_without_structure(branch), tag) for branch in schemas]

    def _structure(self, branches: Sequence[Structural], path: str) -> Structural:
        """Return the schema of the values of all branches: their type, and all their fields."""
        common: Structural = {key: branches[0][key] for key in ("type", _PRESERVE) if key in branches[0]}
        if any("items" in branch or "additionalProperties" in branch for branch in branches):
            self._fail(path, "a union of lists or maps, which a structural schema cannot say")
        fields: dict[str, list[Structural]] = {}
        for branch in branches:
            for name, child in branch.get("properties", {}).items():
                fields.setdefault(name, []).append(child)
        for name, children in fields.items():
            if len(children) < len(branches) and any("default" in child for child in children):
                self._fail(f"{path}.{name}", "a server sets this default in objects of all branches of the union")
        if fields:
            common["properties"] = {name: self._merge(children, f"{path}.{name}") for name, children in fields.items()}
        return common

    def _merge(self, schemas: Sequence[Structural], path: str) -> Structural:
        """Return the schema of a field of several branches: the same in all, or an enum with the values of all."""
        first, *others = schemas
        if all(jsonvalue.equal(first, other) for other in others):
            return first
        if all("enum" in schema and schema.get("type") == first.get("type") for schema in schemas):
            values = [value for schema in schemas for value in schema["enum"]]
            return {"type": first["type"], "enum": list(dict.fromkeys(values))}
        self._fail(
            path, "the branches of a union specify it differently; a structural schema has one schema for a field"
        )
        return first


def _without_structure(schema: Structural) -> Structural:
    """Return the constraints of a branch, without types and others that stand beside the junctor."""
    own = {key: value for key, value in schema.items() if key not in _OF_STRUCTURE}
    properties = {name: _without_structure(child) for name, child in own.pop("properties", {}).items()}
    constrained = {name: child for name, child in properties.items() if child}
    return {**own, **({"properties": constrained} if constrained else {})}


def _require(schema: Structural, name: str | None) -> Structural:
    """Return a branch that requires the field with the name, if there is one."""
    required = schema.get("required", [])
    return schema if name is None or name in required else {**schema, "required": [name, *required]}


def _set_exclusive(own: Structural, schema: JSONSchema, keyword: str) -> None:
    """Set an exclusive limit in the form of OpenAPI: a limit, and whether it is exclusive; the narrower of two limits counts."""
    limit, narrower = _EXCLUSIVE[keyword]
    value = schema[keyword]
    if isinstance(value, bool):
        own[keyword] = value
    elif limit not in schema or narrower(value, schema[limit]) == value:
        own |= {limit: value, keyword: True}
