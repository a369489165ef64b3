"""
Comparison of an expected and an actual object: whether they are equal, and where they differ.

Equality is decided here, by JSON type. Equal parts are left out of the result, so that only differences remain to be
shown.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Final, NamedTuple, TypeAlias, TypeVar

from pytest_crd import lazyre
from pytest_crd.engine import fieldpath, jsonvalue
from pytest_crd.engine.golang import printing
from pytest_crd.engine.jsonvalue import JSONValue
from pytest_crd.engine.schema.structural import Structural


@dataclass(frozen=True, slots=True)
class Item:
    """
    A list item as a segment of the path to a difference.

    Attributes:
        expected: Its 0-based index in the expected list; None where it is there only.
        actual: Its 0-based index in the actual list; None where it is missing there.
        label: The values of its list-map keys; may be empty.
    """

    expected: int | None
    actual: int | None
    label: str = ""

    @property
    def index(self) -> int:
        """The index in the actual list, else that in the expected one."""
        return self.actual if self.actual is not None else self.expected or 0


@dataclass(frozen=True, slots=True)
class Order:
    """A segment at the end of the path to a list with the same list-map keys in another order."""


Segment: TypeAlias = "str | Item | Order"
_FieldT = TypeVar("_FieldT")


class Remainder(NamedTuple):
    """
    Two unequal objects without their equal parts.

    Attributes:
        expected: The rest of the expected object: objects by key, and lists as objects by Item.
        actual: The rest of the actual object, in the same form.
    """

    expected: JSONValue
    actual: JSONValue


class _Absent:
    """Marker for a missing side."""


_ABSENT: Final = _Absent()
_Pair: TypeAlias = "tuple[JSONValue, JSONValue] | None"


def compare(
    expected: JSONValue, actual: JSONValue, schema: Structural | None, *, subset: bool = False
) -> Remainder | None:
    """
    Return the differences of two objects; None if they are equal.

    Args:
        expected: JSON value.
        actual: JSON value.
        schema: The schema of both, whose list-map keys pair items; may be None. Other items are paired by position.
        subset: True when *actual* may have more keys in its objects, and more items in its list maps. An empty list stays empty.
    """
    pair = _difference(expected, actual, schema, subset=subset)
    return None if pair is None else Remainder(*pair)


def select_compared(expected: JSONValue, actual: JSONValue, schema: Structural | None) -> JSONValue:
    """Return the part of *actual* that `compare` looks at if *expected* is a subset; of map lists, the expected items only."""
    if isinstance(expected, dict) and isinstance(actual, dict):
        return {
            key: select_compared(expected[key], actual[key], _below(schema, key)) for key in actual if key in expected
        }
    if not isinstance(expected, list) or not isinstance(actual, list):
        return actual
    items = schema.items if schema else None
    pairs = [item for item in _aligned(expected, actual, schema) if item.actual is not None]
    return [
        actual[item.index]
        if item.expected is None
        else select_compared(expected[item.expected], actual[item.index], items)
        for item in pairs
        if item.expected is not None or not expected or not _is_open_map(schema)
    ]


def find_stated(
    expected: JSONValue, actual: JSONValue, schema: Structural | None, path: tuple[str | int, ...] = ()
) -> Iterator[tuple[str | int, ...]]:
    """
    Yield the paths in *actual* about which *expected*, an equal object or a subset, states something.

    Args:
        expected: JSON value.
        actual: JSON value.
        schema: The schema of both; may be None.
        path: The path of both values.
    """
    yield path
    if isinstance(expected, dict) and isinstance(actual, dict):
        for key in expected.keys() & actual.keys():  # fields set by a server may be missing
            yield from find_stated(expected[key], actual[key], _below(schema, key), (*path, key))
    elif isinstance(expected, list) and isinstance(actual, list):
        items = schema.items if schema else None
        for item in _aligned(expected, actual, schema):
            if item.expected is not None and item.actual is not None:
                yield from find_stated(expected[item.expected], actual[item.actual], items, (*path, item.actual))


def spell(path: Sequence[Segment]) -> str:
    """Return *path* in the server's spelling; items by their index in the actual list, else in the expected one."""
    return fieldpath.unknown_field(steps(path))


def steps(path: Iterable[Segment]) -> tuple[str | int, ...]:
    """Return *path* as keys and indices."""
    find_places = (segment for segment in path if not isinstance(segment, Order))
    return tuple(place if isinstance(place, str) else place.index for place in find_places)


def find_values(value: JSONValue, spelling: str) -> Iterator[JSONValue]:
    """Yield every value in *value* with the path *spelling*; several are possible if keys have dots."""
    for _, match in find_places(value, spelling):
        yield match


def find_places(value: JSONValue, spelling: str) -> Iterator[tuple[tuple[str | int, ...], JSONValue]]:
    """Yield the path, in segments, and the value of everything in *value* with this *spelling*, in either style."""
    return _places(value, f".{spelling}", ())


def split_first(rest: str, fields: Mapping[str, _FieldT]) -> Iterator[tuple[str, _FieldT, str]]:
    """
    Yield each field with which a path can begin: its name, its value, and the rest of the path.

    Args:
        rest: A path that begins with a dot or a bracket: `.a.b` and `[a].b` leave `.b` behind `a`.
        fields: Values by name. Names may hold dots, so that several of them can fit.
    """
    ends = [end.start() for end in _SEPARATOR.finditer(rest, 1)]
    if len(fields) < len(ends):
        yield from ((name, value, tail) for name, value in fields.items() for tail in _tails(rest, name))
        return
    for end in ends:
        name = rest[1:end] if rest[0] == "." else rest[1 : end - 1] if rest[end - 1] == "]" and end > 1 else None
        if name is not None and name in fields:
            yield name, fields[name], rest[end:]


def _tails(rest: str, name: str) -> Iterator[str]:
    for step in (f".{name}", f"[{name}]"):
        if rest.startswith(step) and rest[len(step) : len(step) + 1] in ("", ".", "["):
            yield rest[len(step) :]


# A list index at the beginning of the rest of a path.
INDEX: Final = lazyre.compile(r"\[(0|[1-9][0-9]*)\]")
# The end of a step in a path.
_SEPARATOR: Final = lazyre.compile(r"[.\[]|\Z")


def _places(
    value: JSONValue, rest: str, path: tuple[str | int, ...]
) -> Iterator[tuple[tuple[str | int, ...], JSONValue]]:
    if not rest:
        yield path, value
    elif isinstance(value, dict):
        for key, child, tail in split_first(rest, value):
            yield from _places(child, tail, (*path, key))
    elif isinstance(value, list) and (index := INDEX.match(rest)) and int(index[1]) < len(value):
        yield from _places(value[int(index[1])], rest[index.end() :], (*path, int(index[1])))


def _difference(expected: JSONValue, actual: JSONValue, schema: Structural | None, *, subset: bool) -> _Pair:
    if isinstance(expected, dict) and isinstance(actual, dict):
        return _object_difference(expected, actual, schema, subset=subset)
    if isinstance(expected, list) and isinstance(actual, list):
        return _list_difference(expected, actual, schema, subset=subset)
    return None if jsonvalue.equal(expected, actual) else (expected, actual)


def _object_difference(
    expected: dict[str, JSONValue], actual: dict[str, JSONValue], schema: Structural | None, *, subset: bool
) -> _Pair:
    only_expected: dict[str, JSONValue] = {}
    only_actual: dict[str, JSONValue] = {}
    for key in expected if subset else {**expected, **actual}:
        pair = _side_by_side(expected.get(key, _ABSENT), actual.get(key, _ABSENT), _below(schema, key), subset=subset)
        _add(pair, key, only_expected, only_actual)
    return (only_expected, only_actual) if only_expected or only_actual else None


def _below(schema: Structural | None, key: str) -> Structural | None:
    return (schema.properties.get(key) or schema.value_schema) if schema else None


def _is_open_map(schema: Structural | None) -> bool:
    return bool(schema and schema.x_list_type == "map")


def _list_difference(
    expected: list[JSONValue], actual: list[JSONValue], schema: Structural | None, *, subset: bool
) -> _Pair:
    if not subset and jsonvalue.equal(expected, actual):
        return None
    only_expected: dict[Item | Order, JSONValue] = {}
    only_actual: dict[Item | Order, JSONValue] = {}
    is_open_map = subset and bool(expected) and _is_open_map(schema)
    _add(_another_order(expected, actual, schema), Order(), only_expected, only_actual)
    for item in _aligned(expected, actual, schema):
        if item.expected is None and is_open_map:
            continue
        expected_item = _ABSENT if item.expected is None else expected[item.expected]
        actual_item = _ABSENT if item.actual is None else actual[item.actual]
        pair = _side_by_side(expected_item, actual_item, schema.items if schema else None, subset=subset)
        _add(pair, item, only_expected, only_actual)
    return (only_expected, only_actual) if only_expected or only_actual else None


def _side_by_side(expected: JSONValue, actual: JSONValue, schema: Structural | None, *, subset: bool) -> _Pair:
    if expected is _ABSENT or actual is _ABSENT:
        return expected, actual
    return _difference(expected, actual, schema, subset=subset)


def _add(pair: _Pair, segment: Segment, only_expected: JSONValue, only_actual: JSONValue) -> None:
    if pair is not None:
        for value, side in zip(pair, (only_expected, only_actual), strict=True):
            if value is not _ABSENT:
                side[segment] = value


def _aligned(expected: list[JSONValue], actual: list[JSONValue], schema: Structural | None) -> list[Item]:
    """Return the pairs of items, in the order of the actual list: by list-map keys if the schema has them, else by position."""
    labels = _labels(expected, actual, schema)
    if labels is None:
        shared = min(len(expected), len(actual))
        pairs = [Item(index, index) for index in range(shared)]
        pairs += [Item(index, None) for index in range(shared, len(expected))]
        return pairs + [Item(None, index) for index in range(shared, len(actual))]
    expected_labels, actual_labels = labels
    items = [Item(expected_labels.get(label), index, label) for label, index in actual_labels.items()]
    return items + [Item(index, None, label) for label, index in expected_labels.items() if label not in actual_labels]


def _another_order(expected: list[JSONValue], actual: list[JSONValue], schema: Structural | None) -> _Pair:
    """Return the labels of the items that are in both lists, in the order of each; None if the order is the same."""
    labels = _labels(expected, actual, schema)
    if labels is None:
        return None
    expected_labels, actual_labels = labels
    in_expected = [label for label in expected_labels if label in actual_labels]
    in_actual = [label for label in actual_labels if label in expected_labels]
    return None if in_expected == in_actual else (", ".join(in_expected), ", ".join(in_actual))


def _labels(
    expected: list[JSONValue], actual: list[JSONValue], schema: Structural | None
) -> tuple[dict[str, int], dict[str, int]] | None:
    """Return the indices of the items of both lists by list-map keys; None without such keys, or if an item lacks one or repeats all."""
    keys = schema.x_list_map_keys if schema else None
    if not keys:
        return None
    first, second = _by_label(expected, keys), _by_label(actual, keys)
    return None if first is None or second is None else (first, second)


def _by_label(items: list[JSONValue], keys: tuple[str, ...]) -> dict[str, int] | None:
    labels = {
        ",".join(f"{key}={printing.marshal(item[key])}" for key in keys): index
        for index, item in enumerate(items)
        if isinstance(item, dict) and all(key in item for key in keys)
    }
    return labels if len(labels) == len(items) else None
