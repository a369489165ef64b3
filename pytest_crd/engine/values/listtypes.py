"""
List types of custom resources: items of a set are unique, and so are the keys of the items of a map.

What a schema may declare is decided elsewhere; whether an update is checked at all depends on the stored object, and
so is decided by the caller.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterable, Iterator, Sequence
from dataclasses import replace
from typing import Final, NamedTuple, TypeAlias

from pytest_crd.engine.errors import badvalues, fielderror, origin
from pytest_crd.engine.errors.fielderror import FieldError
from pytest_crd.engine.errors.origin import Origin
from pytest_crd.engine.fieldpath import FieldPath, Key, Segment
from pytest_crd.engine.golang import gosyntax, printing
from pytest_crd.engine.jsonvalue import JSONValue
from pytest_crd.engine.profile import Profile
from pytest_crd.engine.schema.structural import Structural

ItemsCheck: TypeAlias = Callable[[JSONValue], list[FieldError]]


def compile(schema: Structural, profile: Profile) -> ItemsCheck | None:  # noqa: A001 - read as listtypes.compile
    """
    Return the function that finds duplicates in the sets and maps of a custom resource.

    Args:
        schema: The schema of the whole resource.
        profile: The Kubernetes version.

    Returns:
        None where no list is a set or a map, so that there is nothing to find. The errors of the function stand in the
        order of the server; where that goes through an object at random, by field.

    Errors:
        Duplicate: An item or its keys for the second time, at the second place; further places are not reported.
        Invalid: An item of a map is neither an object nor null; then nothing else of this list is looked at.

    Reference:
        apiextensions-apiserver schema/listtype/validation.go, ValidateListSetsAndMaps.
    """
    find = _find(schema, profile)
    if find is None:
        return None
    return lambda value: [_error(finding) for finding in find(value)]


class _Finding(NamedTuple):
    """An error before its whole path is known: only where there is one, paths are made."""

    segments: tuple[Segment, ...]
    make: Callable[[FieldPath], FieldError]


def _error(finding: _Finding) -> FieldError:
    found = finding.make(FieldPath(finding.segments))
    *above, _ = finding.segments
    return replace(found, origin=Origin(origin.schema_steps(above), "x-kubernetes-list-type"))


_Find: TypeAlias = Callable[[JSONValue], list[_Finding]]


def _below(segment: Segment, findings: Iterable[_Finding]) -> Iterator[_Finding]:
    return (_Finding((segment, *finding.segments), finding.make) for finding in findings)


def _find(schema: Structural, profile: Profile) -> _Find | None:
    """Return what looks through a value of *schema*; None where nothing in it has a list type to look for."""
    in_list, in_object = _find_in_list(schema, profile), _find_in_object(schema, profile)
    if in_list is None and in_object is None:
        return None

    def find(value: JSONValue) -> list[_Finding]:
        if in_list is not None and isinstance(value, list):
            return in_list(value)
        if in_object is not None and isinstance(value, dict):
            return in_object(value)
        return []

    return find


def _find_in_object(schema: Structural, profile: Profile) -> _Find | None:
    of_values = _find(schema.value_schema, profile) if schema.value_schema else None
    found = {name: _find(child, profile) for name, child in schema.properties.items()}
    of_fields = {name: find for name, find in found.items() if find is not None}
    if of_values is None and not of_fields:
        return None

    def find(value: JSONValue) -> list[_Finding]:
        findings: list[_Finding] = []
        if of_values is not None:
            for name in sorted(value):
                if below := of_values(value[name]):
                    findings += _below(Key(name), below)
        for name, find_in_field in of_fields.items():
            if name in value and (below := find_in_field(value[name])):
                findings += _below(name, below)
        return findings

    return find


def _find_in_list(schema: Structural, profile: Profile) -> _Find | None:
    of_items = _find(schema.items, profile) if schema.items else None
    of_list: _Find | None = None
    if schema.x_list_type == "set":
        of_list = _find_in_set(profile)
    elif schema.x_list_type == "map":
        of_list = _find_in_map(schema.x_list_map_keys or (), profile)
    if of_items is None:
        return of_list

    def find(value: JSONValue) -> list[_Finding]:
        findings = of_list(value) if of_list is not None else []
        for index, item in enumerate(value):
            if below := of_items(item):
                findings += _below(index, below)
        return findings

    return find


def _find_in_set(profile: Profile) -> _Find:
    def find(items: JSONValue) -> list[_Finding]:
        repeated = _repeated(map(_identity, items)) if len(items) > 1 else ()
        return [_duplicate(index, items[index], profile) for index in repeated]

    return find


def _find_in_map(keys: Sequence[str], profile: Profile) -> _Find:
    identity = _single_key_identity(keys[0]) if len(keys) == 1 else _keys_identity(keys)

    def find(items: JSONValue) -> list[_Finding]:
        for index, item in enumerate(items):
            if item is not None and not isinstance(item, dict):
                return [_no_object(index, item, profile)]
        repeated = _repeated(map(identity, items)) if len(items) > 1 else ()
        return [_duplicate(index, _keys_of(items[index], keys), profile) for index in repeated]

    return find


def _repeated(identities: Iterable[Hashable]) -> list[int]:
    """Return where each identity that occurs more than once occurs for the second time."""
    times: dict[Hashable, int] = {}
    second = []
    for index, identity in enumerate(identities):
        count = times.get(identity, 0)
        times[identity] = count + 1
        if count == 1:
            second.append(index)
    return second


class _Missing:
    """No key at all, which is a key of its own."""


_MISSING: Final = _Missing()


def _identity(value: JSONValue) -> Hashable:
    """Return what is equal for values that Go holds equal: scalars by type and value, others by their JSON."""
    if isinstance(value, str) or value is None:
        return value
    if isinstance(value, dict | list):
        return (str, printing.marshal(value))
    return (type(value), value)


def _single_key_identity(key: str) -> Callable[[JSONValue], Hashable]:
    def identity(item: JSONValue) -> Hashable:
        return _identity(item[key]) if item and key in item else _MISSING

    return identity


def _keys_identity(keys: Sequence[str]) -> Callable[[JSONValue], Hashable]:
    """Return what compares several keys as Go does: by their JSON, in which a float64 may be equal to an int64."""

    def identity(item: JSONValue) -> Hashable:
        return tuple(_json_identity(item[key]) if item and key in item else _MISSING for key in keys)

    return identity


def _json_identity(value: JSONValue) -> Hashable:
    return value if isinstance(value, str) else (str, printing.marshal(value))


def _keys_of(item: JSONValue, keys: Sequence[str]) -> dict[str, JSONValue]:
    return {key: item[key] for key in keys if key in item} if item else {}


def _no_object(index: int, item: JSONValue, profile: Profile) -> _Finding:
    detail = "must be an object for an array of list-type map"
    return _Finding((index,), lambda path: badvalues.invalid(path, item, detail, profile=profile))


def _duplicate(index: int, value: JSONValue, profile: Profile) -> _Finding:
    if profile.prints_values_as_json:
        return _Finding((index,), lambda path: fielderror.duplicate(path, value))
    printed = gosyntax.value(value, null='"null"')
    return _Finding((index,), lambda path: badvalues.reprinted(fielderror.duplicate(path, value), printed))
