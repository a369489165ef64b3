"""
The version converters in the tests of structured-merge-diff, by their names in facts of `merging`.

`convert` converts the objects of these tests; the recorder checks it with each conversion of a run.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Final

from pytest_crd.engine.jsonvalue import JSONValue

Typed = dict[str, JSONValue]


class ConversionError(Exception):
    """A failed conversion; `is_missing` if the version does not exist."""

    def __init__(self, message: str, *, is_missing: bool = False) -> None:
        super().__init__(message)
        self.is_missing = is_missing


def convert(converter: str, typed: Typed, version: str) -> Typed:
    """
    Convert a typed value to a version.

    Raises:
        ConversionError: It cannot be converted.
    """
    name, _, versions = converter.rpartition(".")[2].removesuffix("]").partition("[")
    return _CONVERTERS[name](typed, version, versions.split())


def _checked(typed: Typed, version: str, versions: list[str]) -> Typed:
    if version not in versions:
        raise ConversionError(f"Unknown version: {version}", is_missing=True)
    return typed


def _repeating(typed: Typed, version: str, _versions: list[str]) -> Typed:
    """Return an object with the first letter of nested keys repeated as often as the version says: in v3, `aaa`."""
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
    """Return an object with the version suffix of fields replaced by the new version."""
    return typed | {"type": version, "value": _renamed(typed["value"], typed["type"], version)}


def _renamed(value: JSONValue, old: str, new: str) -> JSONValue:
    if isinstance(value, dict):
        return {re.sub(f"{old}$", new, key): _renamed(item, old, new) for key, item in value.items()}
    return [_renamed(item, old, new) for item in value] or None if isinstance(value, list) else value


def _reliant(typed: Typed, version: str, types: dict[str, str]) -> Typed:
    """Return an object with a field renamed for the version; converting to v1 requires the field."""
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
    "specificVersionConverter": _checked,
    "repeatingConverter": _repeating,
    "renamingConverter": _renaming,
    "reliantFieldsConverter": lambda typed, version, _: _reliant(typed, version, {"v1": "v1", "v2": "v2"}),
    "versionDoesntMatchTypenameConverter": lambda typed, version, _: _reliant(
        typed, version, {"v1": "TypeV1", "v2": "TypeV2"}
    ),
}
