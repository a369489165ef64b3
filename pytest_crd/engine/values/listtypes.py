"""
Validation of list types in custom resources: unique items in sets, unique keys in list-maps.

The caller decides whether an update is validated at all, because that depends on the stored object.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterable, Iterator, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Final, TypeAlias

from pytest_crd import lazyimport
from pytest_crd.engine.errors import badvalues, fielderror
from pytest_crd.engine.errors.fielderror import FieldError
from pytest_crd.engine.fieldpath import FieldPath, Key, Segment
from pytest_crd.engine.golang import printing
from pytest_crd.engine.jsonvalue import JSONValue
from pytest_crd.engine.profile import Profile
from pytest_crd.engine.schema.structural import LIST_TYPES, Structural
from pytest_crd.records import NamedTuple

if TYPE_CHECKING:
    from pytest_crd.engine.errors import origin
    from pytest_crd.engine.golang import gosyntax
else:
    origin = lazyimport.module("pytest_crd.engine.errors.origin")
    gosyntax = lazyimport.module("pytest_crd.engine.golang.gosyntax")


ItemsCheck: TypeAlias = Callable[[JSONValue], list[FieldError]]


def compile(schema: Structural, profile: Profile) -> ItemsCheck | None:  # noqa: A001 - read as listtypes.compile
    """
    Return a function that finds duplicates in the sets and list-maps of a custom resource.

    Args:
        schema: The schema of the whole resource.
        profile: The Kubernetes version.

    Returns:
        None if the schema has no set or list-map. The function returns errors in the server's order; sorted by field
        where the server's order is random.

    Errors:
        Duplicate: An item or its keys for the second time, at the second place; further places are not reported.
        Invalid: An item of a list-map is neither an object nor null; then the rest of this list is not validated.

    Reference:
        apiextensions-apiserver schema/listtype/validation.go, ValidateListSetsAndMaps.
    """
    find = _compile_finder(schema, profile)
    if find is None:
        return None
    return lambda value: [_error(finding) for finding in find(value)]


class _Finding(NamedTuple):
    """Error without its whole path, which is only built if there is an error."""

    segments: tuple[Segment, ...]
    make: Callable[[FieldPath], FieldError]


def _error(finding: _Finding) -> FieldError:
    error = finding.make(FieldPath(finding.segments))
    *above, _ = finding.segments
    return replace(error, origin=origin.Origin(origin.schema_steps(above), "x-kubernetes-list-type"))


_Find: TypeAlias = Callable[[JSONValue], list[_Finding]]


def _below(segment: Segment, findings: Iterable[_Finding]) -> Iterator[_Finding]:
    return (_Finding((segment, *finding.segments), finding.make) for finding in findings)


def _compile_finder(schema: Structural, profile: Profile) -> _Find | None:
    """Return a finder for values of *schema*; None if it has no list types."""
    if not schema.parts & LIST_TYPES:
        return None
    in_list, in_object = _compile_list_finder(schema, profile), _compile_object_finder(schema, profile)

    def find(value: JSONValue) -> list[_Finding]:
        if in_list is not None and isinstance(value, list):
            return in_list(value)
        if in_object is not None and isinstance(value, dict):
            return in_object(value)
        return []

    return find


def _compile_object_finder(schema: Structural, profile: Profile) -> _Find | None:
    find_in_values = _compile_finder(schema.value_schema, profile) if schema.value_schema else None
    fields = {name: child for name, child in schema.properties.items() if child.parts & LIST_TYPES}
    finders = {name: _compile_finder(child, profile) for name, child in fields.items()}
    find_in_fields = {name: find for name, find in finders.items() if find is not None}
    if find_in_values is None and not find_in_fields:
        return None

    def find(value: JSONValue) -> list[_Finding]:
        findings: list[_Finding] = []
        if find_in_values is not None:
            for name in sorted(value):
                if below := find_in_values(value[name]):
                    findings += _below(Key(name), below)
        for name, find_in_field in find_in_fields.items():
            if name in value and (below := find_in_field(value[name])):
                findings += _below(name, below)
        return findings

    return find


def _compile_list_finder(schema: Structural, profile: Profile) -> _Find | None:
    find_in_item = _compile_finder(schema.items, profile) if schema.items else None
    find_in_list: _Find | None = None
    if schema.x_list_type == "set":
        find_in_list = _compile_set_finder(profile)
    elif schema.x_list_type == "map":
        find_in_list = _compile_map_finder(schema.x_list_map_keys or (), profile)
    if find_in_item is None:
        return find_in_list

    def find(value: JSONValue) -> list[_Finding]:
        findings = find_in_list(value) if find_in_list is not None else []
        for index, item in enumerate(value):
            if below := find_in_item(item):
                findings += _below(index, below)
        return findings

    return find


def _compile_set_finder(profile: Profile) -> _Find:
    def find(items: JSONValue) -> list[_Finding]:
        repeated = _repeated(map(_identity, items)) if len(items) > 1 else ()
        return [_duplicate(index, items[index], profile) for index in repeated]

    return find


def _compile_map_finder(keys: Sequence[str], profile: Profile) -> _Find:
    identity = _single_key_identity(keys[0]) if len(keys) == 1 else _keys_identity(keys)

    def find(items: JSONValue) -> list[_Finding]:
        for index, item in enumerate(items):
            if item is not None and not isinstance(item, dict):
                return [_no_object(index, item, profile)]
        repeated = _repeated(map(identity, items)) if len(items) > 1 else ()
        return [_duplicate(index, _keys_of(items[index], keys), profile) for index in repeated]

    return find


def _repeated(identities: Iterable[Hashable]) -> list[int]:
    """Return the index of the second occurrence of each repeated identity."""
    times: dict[Hashable, int] = {}
    indices = []
    for index, identity in enumerate(identities):
        count = times.get(identity, 0)
        times[identity] = count + 1
        if count == 1:
            indices.append(index)
    return indices


class _Missing:
    """A missing key, which is an identity of its own."""


_MISSING: Final = _Missing()


def _identity(value: JSONValue) -> Hashable:
    """Return a hashable identity as Go compares items: scalars by type and value, other values by their JSON."""
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
    """Return an identity for several keys as Go compares them: by their JSON, in which a float64 may equal an int64."""

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
