"""
What converts between versions in the tests of structured-merge-diff, by the name that a fact of `merging` has for it.

`converted` answers for the objects of these tests; the recorder makes sure of it, with each conversion that a run makes.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Any, Final

JSONValue = Any
Typed = dict[str, JSONValue]


class ConversionError(Exception):
    """An object has no form in a version; `is_missing` where there is no such version."""

    def __init__(self, message: str, *, is_missing: bool = False) -> None:
        super().__init__(message)
        self.is_missing = is_missing


def converted(converter: str, typed: Typed, version: str) -> Typed:
    """
    Return a typed value in a version.

    Raises:
        ConversionError: It has no form there.
    """
    name, _, versions = converter.rpartition(".")[2].removesuffix("]").partition("[")
    return _CONVERTERS[name](typed, version, versions.split())


def _known(typed: Typed, version: str, versions: list[str]) -> Typed:
    if version not in versions:
        raise ConversionError(f"Unknown version: {version}", is_missing=True)
    return typed


def _repeating(typed: Typed, version: str, _versions: list[str]) -> Typed:
    """Return an object whose nested keys have their first letter as often as the version has it: in v3, `aaa`."""
    if not re.fullmatch(r"v\d+", version):
        raise _no_version()
    number, value = int(version[1:]), typed["value"]
    if value is not None:
        first = next(iter(value))
        value = {first: _repeated(value[first], number)}
    return typed | {"value": value}


def _repeated(value: JSONValue, number: int) -> JSONValue:
    return {key[0] * number: _repeated(item, number) for key, item in value.items()} if value else value


def _renaming(typed: Typed, version: str, _versions: list[str]) -> Typed:
    """Return an object in which fields that end with their version end with the new one."""
    return typed | {"type": version, "value": _renamed(typed["value"], typed["type"], version)}


def _renamed(value: JSONValue, old: str, new: str) -> JSONValue:
    if isinstance(value, dict):
        return {re.sub(f"{old}$", new, key): _renamed(item, old, new) for key, item in value.items()}
    return [_renamed(item, old, new) for item in value] or None if isinstance(value, list) else value


def _reliant(typed: Typed, version: str, types: dict[str, str]) -> Typed:
    """Return an object whose field has another name in v1, without which it has no form there."""
    if types.get(version) == typed["type"]:
        return typed
    old, new = "required_field_bar", "field_foo_rely_on_bar"
    value = typed["value"] or {}
    if version == "v1" and old not in value:
        raise ConversionError("missing requried field bar")
    if version not in types:
        raise _no_version()
    if version == "v2":
        old, new = new, old
    renamed = {new if key == old else key: item for key, item in value.items()}
    return typed | {"type": types[version], "value": renamed if typed["value"] is not None else None}


def _no_version() -> ConversionError:
    return ConversionError("cannot convert to invalid version", is_missing=True)


_CONVERTERS: Final[dict[str, Callable[[Typed, str, list[str]], Typed]]] = {
    "dummyConverter": lambda typed, _version, _versions: typed,
    "specificVersionConverter": _known,
    "repeatingConverter": _repeating,
    "renamingConverter": _renaming,
    "reliantFieldsConverter": lambda typed, version, _: _reliant(typed, version, {"v1": "v1", "v2": "v2"}),
    "versionDoesntMatchTypenameConverter": lambda typed, version, _: _reliant(
        typed, version, {"v1": "TypeV1", "v2": "TypeV2"}
    ),
}
