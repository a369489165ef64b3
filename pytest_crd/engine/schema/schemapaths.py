"""
Paths into a schema, such as `.spec.names['a.b']`, of `fieldPath` in rules and of `selectableFields`.

The callers decide whether the target is allowed.
"""

from __future__ import annotations

import re
from typing import Final, NamedTuple

from pytest_crd import lazyre
from pytest_crd.engine.fieldpath import FieldPath
from pytest_crd.engine.schema.structural import Structural

# A quoted string (up to the end if it is not closed), a delimiter, or other text between delimiters.
_TOKEN: Final = lazyre.compile(r"'(?:[^']|(?<=\\)')*+'?|[.\[\]]|[^.\[\]]+", re.DOTALL)
_ESCAPE: Final = lazyre.compile(r"\\(.)")
_ESCAPED: Final = {"a": "\a", "b": "\b", "f": "\f", "n": "\n", "r": "\r", "t": "\t", "v": "\v", "'": "'", "\\": "\\"}
_NO_FIELD: Final = "does not refer to a valid field"
_ENDS: Final = "unexpected end of JSON path"


class PathError(ValueError):
    """A path without a target; the message is the server's."""


class PanicError(PathError):
    """A path below a map of arbitrary values, which makes the server break off without an answer."""


class PathTarget(NamedTuple):
    """
    Target of a path.

    Attributes:
        path: The path, as field errors spell it.
        schema: The schema at the path; None below a map of arbitrary values.
    """

    path: FieldPath
    schema: Structural | None


def find_target(json_path: str, schema: Structural, *, array_notation: bool = True) -> PathTarget:
    """
    Return the target of *json_path*.

    Args:
        json_path: `.spec.a`, or `['a']` in place of `.a`.
        schema: The schema at the start of the path.
        array_notation: Whether brackets are allowed.

    Raises:
        PathError: The path has no target.

    Reference:
        apiextensions-apiserver schema/cel/validation.go, ValidFieldPath.
    """
    tokens = _TOKEN.findall(json_path)
    target = PathTarget(FieldPath(), schema)
    position = 0
    while position < len(tokens):
        if tokens[position] == "." and position + 1 < len(tokens):
            target = _step(target, tokens[position + 1])
            position += 2
        elif tokens[position] == ".":
            raise PathError(_ENDS)
        elif tokens[position] != "[":
            raise PathError(f"expected [ or . but got: {tokens[position]}")
        elif not array_notation:
            raise PathError("array notation is not allowed")
        else:
            target = _bracketed(target, tokens[position + 1 : position + 3])
            position += 3
    return target


def _bracketed(target: PathTarget, tokens: list[str]) -> PathTarget:
    """Return the target of a bracketed key below *target*; *tokens* are the next two tokens, if they exist."""
    if not tokens:
        raise PathError(_ENDS)
    quoted = tokens[0]
    if len(quoted) < 2 or quoted[0] != "'" or quoted[-1] != "'":
        raise PathError(f"expected single quoted string but got {quoted}")
    target = _step(target, _unescaped(quoted[1:-1]))
    if len(tokens) == 1:
        raise PathError(_ENDS)
    if tokens[1] != "]":
        raise PathError(f"expected ] but got {tokens[1]}")
    return target


def _step(target: PathTarget, name: str) -> PathTarget:
    schema = target.schema
    if schema is None:
        raise PanicError("the server breaks off on a path below a map of any values")
    if schema.properties:
        if name not in schema.properties:
            raise PathError(_NO_FIELD)
        return PathTarget(target.path.child(name), schema.properties[name])
    if schema.additional_properties is None:
        raise PathError(_NO_FIELD)
    return PathTarget(target.path.key(name), schema.value_schema)


def _unescaped(text: str) -> str:
    invalid_escapes: list[str] = []

    def replace(match: re.Match[str]) -> str:
        if match[1] not in _ESCAPED:
            invalid_escapes.append(match[0])
        return _ESCAPED.get(match[1], "")

    unescaped = _ESCAPE.sub(replace, text)
    if invalid_escapes:
        raise PathError(f"invalid string literal: invalid escape char {invalid_escapes[-1]}")
    return unescaped
