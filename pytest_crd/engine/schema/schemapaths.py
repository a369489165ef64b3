"""
Paths into a schema, `.spec.names['a.b']`: what `fieldPath` of rules and `selectableFields` say, and what they lead to.

Whether the field that is found may stand there is decided elsewhere.
"""

from __future__ import annotations

import re
from typing import Final, NamedTuple

from pytest_crd.engine.fieldpath import FieldPath
from pytest_crd.engine.schema.structural import Structural

# A quoted string, to the end where it has no closing quote; a delimiter; anything else between delimiters.
_TOKEN: Final = re.compile(r"'.*?(?<!\\)'|'.*|[.\[\]]|[^.\[\]]+", re.DOTALL)
_ESCAPE: Final = re.compile(r"\\(.)")
_ESCAPED: Final = {"a": "\a", "b": "\b", "f": "\f", "n": "\n", "r": "\r", "t": "\t", "v": "\v", "'": "'", "\\": "\\"}
_NO_FIELD: Final = "does not refer to a valid field"
_ENDS: Final = "unexpected end of JSON path"


class PathError(ValueError):
    """A path that leads nowhere; the message is the server's."""


class PanicError(PathError):
    """A path below a map of any values, on which the server breaks off without an answer."""


class PathTarget(NamedTuple):
    """
    What a path leads to.

    Attributes:
        path: The path, as field errors spell it.
        schema: The schema there; None where it is that of a map of any values.
    """

    path: FieldPath
    schema: Structural | None


def find(json_path: str, schema: Structural, *, array_notation: bool = True) -> PathTarget:
    """
    Return what *json_path* leads to.

    Args:
        json_path: `.spec.a`, or `['a']` in place of `.a`.
        schema: Where it starts.
        array_notation: Whether brackets may be used.

    Raises:
        PathError: It leads nowhere.

    Reference:
        apiextensions-apiserver schema/cel/validation.go, ValidFieldPath.
    """
    tokens = _TOKEN.findall(json_path)
    found = PathTarget(FieldPath(), schema)
    position = 0
    while position < len(tokens):
        if tokens[position] == "." and position + 1 < len(tokens):
            found = _step(found, tokens[position + 1])
            position += 2
        elif tokens[position] == ".":
            raise PathError(_ENDS)
        elif tokens[position] != "[":
            raise PathError(f"expected [ or . but got: {tokens[position]}")
        elif not array_notation:
            raise PathError("array notation is not allowed")
        else:
            found = _bracketed(found, tokens[position + 1 : position + 3])
            position += 3
    return found


def _bracketed(found: PathTarget, tokens: list[str]) -> PathTarget:
    """Return what stands behind *found* and a bracket; *tokens* are the two that follow it, as far as they are there."""
    if not tokens:
        raise PathError(_ENDS)
    quoted = tokens[0]
    if len(quoted) < 2 or quoted[0] != "'" or quoted[-1] != "'":
        raise PathError(f"expected single quoted string but got {quoted}")
    found = _step(found, _unescaped(quoted[1:-1]))
    if len(tokens) == 1:
        raise PathError(_ENDS)
    if tokens[1] != "]":
        raise PathError(f"expected ] but got {tokens[1]}")
    return found


def _step(found: PathTarget, name: str) -> PathTarget:
    schema = found.schema
    if schema is None:
        raise PanicError("the server breaks off on a path below a map of any values")
    if schema.properties:
        if name not in schema.properties:
            raise PathError(_NO_FIELD)
        return PathTarget(found.path.child(name), schema.properties[name])
    if schema.additional_properties is None:
        raise PathError(_NO_FIELD)
    return PathTarget(found.path.key(name), schema.value_schema)


def _unescaped(text: str) -> str:
    wrong: list[str] = []

    def replace(match: re.Match[str]) -> str:
        if match[1] not in _ESCAPED:
            wrong.append(match[0])
        return _ESCAPED.get(match[1], "")

    unescaped = _ESCAPE.sub(replace, text)
    if wrong:
        raise PathError(f"invalid string literal: invalid escape char {wrong[-1]}")
    return unescaped
