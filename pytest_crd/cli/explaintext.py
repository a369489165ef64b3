"""
Output of `kubectl explain` for a resource, from its OpenAPI v3 document.

Reference:
    kubectl pkg/explain/v2/templates/plaintext.tmpl.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from typing import Any, Final, NamedTuple

from pytest_crd.engine.golang import printing
from pytest_crd.engine.jsonvalue import JSONValue

Schema = Mapping[str, JSONValue]

_GVK: Final = "x-kubernetes-group-version-kind"
_DESCRIPTION_WIDTH: Final = 76
_FIELD_WIDTH: Final = 78
_MOST_VALUES: Final = 4
_BLANKS: Final = r"\t\v\f\r \x85\u1680\u2000-\u200a\u2028\u2029\u202f\u205f\u3000"
_WORD: Final = re.compile(rf"([{_BLANKS}]*)([^{_BLANKS}]*)")


def schema_of(document: Mapping[str, JSONValue], group: str, version: str, kind: str) -> Schema:
    """Return the schema of a kind in a document that contains it."""
    named = {"group": group, "version": version, "kind": kind}
    schemas: Mapping[str, Schema] = document["components"]["schemas"]
    return next(schema for schema in schemas.values() if named in schema.get(_GVK, ()))


class NoFieldError(LookupError):
    """A field that does not exist; the message is kubectl's."""


class Explanation(NamedTuple):
    """
    Explanations of the schemas in one document.

    Attributes:
        document: The OpenAPI v3 document.
        is_recursive: Whether all fields are shown, without their descriptions.
    """

    document: Mapping[str, JSONValue]
    is_recursive: bool = False

    def explain(self, schema: Schema, path: Sequence[str]) -> str:
        """
        Return the explanation of a field.

        Args:
            schema: The schema of the resource.
            path: The field; empty for the resource itself.

        Raises:
            NoFieldError: There is no such field.
        """
        text = self._output(schema, path)
        if not text:
            raise NoFieldError(f'error: field "{path[-1]}" does not exist')
        return f"{text}\n"

    def _output(self, schema: Schema, path: Sequence[str]) -> str:
        resolved = self._resolved(schema)
        if not path:
            described = self._description(schema) or "<empty>"
            fields = self._listed(schema, 1)
            text_above = f"DESCRIPTION:\n{_indented(_wrapped(described, _DESCRIPTION_WIDTH), 4)}\n"
            return f"{text_above}FIELDS:\n{fields}" if fields else text_above
        field = resolved.get("properties", {}).get(path[0])
        if field:
            heading = f"FIELD: {path[0]} <{self._type(field)}>\n{_values(field)}\n\n" if len(path) == 1 else ""
            return heading + self._output(field, path[1:])
        for inner in _inner(resolved):
            return self._output(inner, path)
        return next((text for part in resolved.get("allOf", ()) if (text := self._output(part, path))), "")

    def _description(self, schema: Schema) -> str:
        """Return the descriptions of a schema and its parts, a line each."""
        resolved = self._resolved(schema)
        own = f"{resolved['description']}\n" if resolved.get("description") else ""
        return own + "".join(map(self._description, self._parts(resolved)))

    def _listed(self, schema: Schema, level: int) -> str:
        resolved = self._resolved(schema)
        lines = []
        for name, field in sorted(resolved.get("properties", {}).items()):
            lines.append(self._detail(resolved, name, field, level))
            if self.is_recursive:
                lines.append(self._listed(field, level + 1))
        lines += [self._listed(part, level) for part in self._parts(resolved)]
        return "".join(lines)

    def _detail(self, holder: Schema, name: str, field: Schema, level: int) -> str:
        amount = 2 * level
        required = " -required-" if name in holder.get("required", ()) else ""
        line = f"{_indented(name, amount)}\t<{self._type(field)}>{required}{_few_values(field, amount)}\n"
        if self.is_recursive:
            return line
        described = field.get("description") or "<no description>"
        return f"{line}{_indented(_wrapped(described, _FIELD_WIDTH - amount), amount + 2)}\n\n"

    def _type(self, schema: Schema) -> str:
        all_of = schema.get("allOf", ())
        if schema.get("items"):
            return f"[]{self._type(schema['items'])}"
        if isinstance(values := schema.get("additionalProperties"), Mapping) and values:
            return f"map[string]{self._type(values)}"
        if len(all_of) == 1 and not schema.get("properties"):
            return self._type(all_of[0])
        if "$ref" in schema:
            kind = self._resolved(schema).get("type", "object")
            return str(schema["$ref"].rpartition(".")[2] if kind == "object" else kind)
        kind = schema.get("type", "Object")
        return "Object" if kind == "object" else str(kind)

    def _resolved(self, schema: Schema) -> Schema:
        """Return the schema to which *schema* refers, or itself. No type of Kubernetes refers to itself."""
        if "$ref" not in schema:
            return schema
        target: Any = self.document
        for key in schema["$ref"].removeprefix("#/").split("/"):
            target = target[key]
        referred: Schema = target
        return referred

    def _parts(self, schema: Schema) -> Iterator[Schema]:
        yield from schema.get("allOf", ())
        yield from _inner(schema)


def _inner(schema: Schema) -> Iterator[Schema]:
    """Yield the schemas of list items and of map values."""
    if schema.get("items"):
        yield schema["items"]
    if isinstance(values := schema.get("additionalProperties"), Mapping) and values:
        yield values


def _values(schema: Schema) -> str:
    """Return the allowed values of a field, each on a line."""
    values = schema.get("enum", ())
    return "".join(("ENUM:" if values else "", *(f"\n    {_printed(value)}" for value in values)))


def _few_values(schema: Schema, amount: int) -> str:
    values = schema.get("enum", ())
    if not values:
        return ""
    listed = ", ".join(map(_printed, values[:_MOST_VALUES]))
    return f"\n{' ' * amount}enum: {listed}{', ....' if len(values) > _MOST_VALUES else ''}"


def _printed(value: JSONValue) -> str:
    """Return a value as Go's templates print it; every number is a float64 there."""
    if value is None:
        return "<no value>"
    return '""' if value == "" else _in_go(value)


def _in_go(value: JSONValue) -> str:
    if isinstance(value, dict):
        return f"map[{' '.join(f'{key}:{_in_go(value[key])}' for key in sorted(value))}]"
    if isinstance(value, list):
        return f"[{' '.join(map(_in_go, value))}]"
    if isinstance(value, bool) or value is None:
        return {True: "true", False: "false", None: "<nil>"}[value]
    return value if isinstance(value, str) else printing.number(float(value))


def _indented(text: str, amount: int) -> str:
    pad = " " * amount
    return pad + text.replace("\n", f"\n{pad}")


def _wrapped(text: str, limit: int) -> str:
    """
    Return *text* with lines of at most *limit* characters, apart from longer words.

    Reference:
        github.com/mitchellh/go-wordwrap, WrapString.
    """
    return "\n".join(_wrapped_line(line, limit) for line in text.split("\n"))


def _wrapped_line(line: str, limit: int) -> str:
    parts, width = [], 0
    for blanks, word in _WORD.findall(line):
        if not word:
            parts.append(blanks if width + len(blanks) <= limit else "")
        elif width + len(blanks) + min(len(word), limit - 1) > limit:
            parts.append(f"\n{word}")
            width = len(word)
        else:
            parts.append(blanks + word)
            width += len(blanks) + len(word)
    return "".join(parts)
