"""
JSONPath as kubectl's printer columns have it, `.status.conditions[?(@.type=="Ready")].status`: what it finds in an object.

Reference:
    client-go util/jsonpath.
"""

from __future__ import annotations

import functools
import re
from collections.abc import Callable, Iterator
from typing import Final, TypeAlias

from pytest_crd.engine import jsonvalue
from pytest_crd.engine.jsonvalue import JSONValue

_Step: TypeAlias = Callable[[JSONValue], Iterator[JSONValue]]

_FIELD: Final = re.compile(r"\.((?:\\.|[^.\[\]\s\\])+)")
_QUOTED: Final = re.compile(r"\[(?:'((?:\\.|[^'\\])*)'|\"((?:\\.|[^\"\\])*)\")\]")
_INDEX: Final = re.compile(r"\[(-?[0-9]+)\]")
_SLICE: Final = re.compile(r"\[(-?[0-9]*):(-?[0-9]*)(?::([0-9]+))?\]")
_ALL: Final = re.compile(r"\.\*|\[\*\]")
_FILTER: Final = re.compile(
    r"\[\?\(\s*@((?:\.(?:[^=!<>\s()\[]++|(?=\[))|\[[^\]]*+\])*+)\s*+(?:(==|!=|<=|>=|<|>)\s*+(.*?))?\)\]"
)
_ESCAPED: Final = re.compile(r"\\(.)")


class JSONPathError(ValueError):
    """A path that this module cannot read."""


def find(value: JSONValue, path: str) -> list[JSONValue]:
    """
    Return what a *path* leads to, in order; nothing where it leads nowhere.

    Raises:
        JSONPathError: It cannot be read.
    """
    found = [value]
    for step in _steps(path):
        found = [one for each in found for one in step(each)]
    return found


@functools.cache
def _steps(path: str) -> tuple[_Step, ...]:
    return tuple(_read(path))


def _read(path: str) -> Iterator[_Step]:
    place = 0
    while place < len(path):
        for pattern, make in _KINDS:
            match = pattern.match(path, place)
            if match:
                yield make(match)
                place = match.end()
                break
        else:
            raise JSONPathError(f"JSONPath {path!r}: what is at {path[place:]!r} is not known here")


def _named(match: re.Match[str]) -> _Step:
    name = _ESCAPED.sub(r"\1", next(group for group in match.groups() if group is not None))

    def step(value: JSONValue) -> Iterator[JSONValue]:
        if isinstance(value, dict) and name in value:
            yield value[name]

    return step


def _indexed(match: re.Match[str]) -> _Step:
    index = int(match[1])

    def step(value: JSONValue) -> Iterator[JSONValue]:
        if isinstance(value, list) and -len(value) <= index < len(value):
            yield value[index]

    return step


def _sliced(match: re.Match[str]) -> _Step:
    first, last, stride = (int(text) if text else None for text in match.groups())

    def step(value: JSONValue) -> Iterator[JSONValue]:
        if isinstance(value, list):
            yield from value[first:last:stride]

    return step


def _every(_match: re.Match[str]) -> _Step:
    def step(value: JSONValue) -> Iterator[JSONValue]:
        if isinstance(value, list):
            yield from value
        elif isinstance(value, dict):
            yield from value.values()

    return step


def _filtered(match: re.Match[str]) -> _Step:
    path, operator, literal = match.groups()
    wanted = _literal(literal.rstrip()) if operator else None

    def holds(item: JSONValue) -> bool:
        found = find(item, path)
        if not operator or not found:
            return bool(found) and not operator
        return _compares(found[0], operator, wanted)

    def step(value: JSONValue) -> Iterator[JSONValue]:
        if isinstance(value, list):
            yield from (item for item in value if holds(item))

    return step


def _compares(left: JSONValue, operator: str, right: JSONValue) -> bool:
    if operator in ("==", "!="):
        return bool(jsonvalue.equal(left, right)) == (operator == "==")
    if isinstance(left, str) != isinstance(right, str) or not isinstance(left, str | int | float):
        return False
    ordered: dict[str, bool] = {"<": left < right, ">": left > right, "<=": left <= right, ">=": left >= right}
    return ordered[operator]


def _literal(text: str) -> JSONValue:
    if text[:1] in ("'", '"') and text[-1:] == text[0]:
        return _ESCAPED.sub(r"\1", text[1:-1])
    if text in ("true", "false"):
        return text == "true"
    try:
        return jsonvalue.number(float(text))
    except ValueError:
        raise JSONPathError(f"JSONPath: {text!r} is neither a text in quotes nor a number") from None


_KINDS: Final[tuple[tuple[re.Pattern[str], Callable[[re.Match[str]], _Step]], ...]] = (
    (_ALL, _every),
    (_FIELD, _named),
    (_QUOTED, _named),
    (_INDEX, _indexed),
    (_SLICE, _sliced),
    (_FILTER, _filtered),
)
