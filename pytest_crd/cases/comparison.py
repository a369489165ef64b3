"""
Expected against actual: whether two objects are the same, and if not, where to look.

Equality is decided here, by JSON type. What is equal is left out of the answer, so that only differences remain to be shown.
"""

from __future__ import annotations

import difflib
import re
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Final, NamedTuple, TypeAlias, TypeVar

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
        label: What the item is known by: the values of its list-map keys, or nothing.
    """

    expected: int | None
    actual: int | None
    label: str = ""

    @property
    def index(self) -> int:
        """The index in the actual list, else that in the expected one: an item is at least in one."""
        return self.actual if self.actual is not None else self.expected or 0


@dataclass(frozen=True, slots=True)
class Order:
    """A segment that stands for no place: what differs at the list that it ends in is the order of the names of its items."""


Segment: TypeAlias = "str | Item | Order"
_FieldT = TypeVar("_FieldT")


class Remainder(NamedTuple):
    """
    Two objects that are not equal, less everything that is.

    Attributes:
        expected: What remains of the expected object: objects by key, and lists as objects by Item.
        actual: What remains of the actual one, in the same form.
    """

    expected: JSONValue
    actual: JSONValue


class _Absent:
    """Stands where one side has nothing."""


_ABSENT: Final = _Absent()
# A longer list is compared item by item: the shortest difference takes time with the square of the length, and more.
_MOST_ALIGNED: Final = 2_000
_MOST_PAIRS: Final = 100_000
# What items are known by where no list-map keys say it.
_NAMED: Final = ("name",)
_Pair: TypeAlias = "tuple[JSONValue, JSONValue] | None"


def compare(
    expected: JSONValue, actual: JSONValue, schema: Structural | None, *, subset: bool = False
) -> Remainder | None:
    """
    Return where two objects differ; None when they are equal.

    Args:
        expected: JSON value.
        actual: JSON value.
        schema: The schema of both; its list-map keys say which items belong together. None where there is none.
        subset: True when *actual* may have more keys in its objects, and more items in its list maps.
    """
    pair = _difference(expected, actual, schema, subset=subset)
    return None if pair is None else Remainder(*pair)


def asked(expected: JSONValue, actual: JSONValue, schema: Structural | None) -> JSONValue:
    """Return the part of *actual* that `compare` looks at where *expected* is a subset; of lists, all items or those named."""
    if isinstance(expected, dict) and isinstance(actual, dict):
        return {key: asked(expected[key], actual[key], _below(schema, key)) for key in actual if key in expected}
    if not isinstance(expected, list) or not isinstance(actual, list):
        return actual
    items = schema.items if schema else None
    pairs = [item for item in _aligned(expected, actual, schema, by_position=True) if item.actual is not None]
    return [
        actual[item.index] if item.expected is None else asked(expected[item.expected], actual[item.index], items)
        for item in pairs
        if item.expected is not None or not _is_open_map(schema)
    ]


def stated(
    expected: JSONValue, actual: JSONValue, schema: Structural | None, path: tuple[str | int, ...] = ()
) -> Iterator[tuple[str | int, ...]]:
    """
    Yield the places in *actual* of which *expected*, which is the same or a subset of it, says something.

    Args:
        expected: JSON value.
        actual: JSON value.
        schema: The schema of both; None where there is none.
        path: Where they stand.
    """
    yield path
    if isinstance(expected, dict) and isinstance(actual, dict):
        for key in expected.keys() & actual.keys():  # what a server makes is not there
            yield from stated(expected[key], actual[key], _below(schema, key), (*path, key))
    elif isinstance(expected, list) and isinstance(actual, list):
        items = schema.items if schema else None
        for item in _aligned(expected, actual, schema, by_position=True):
            if item.expected is not None and item.actual is not None:
                yield from stated(expected[item.expected], actual[item.actual], items, (*path, item.actual))


def spelled(path: Sequence[Segment]) -> str:
    """Return *path* as the server spells it; of an item, the index in the actual list, else that in the expected one."""
    return fieldpath.unknown_field(steps(path))


def steps(path: Iterable[Segment]) -> tuple[str | int, ...]:
    """Return *path* as keys and indices."""
    places = (segment for segment in path if not isinstance(segment, Order))
    return tuple(place if isinstance(place, str) else place.index for place in places)


def value_at(value: JSONValue, spelling: str) -> Iterator[JSONValue]:
    """Yield every value in *value* whose path is *spelling*: none, or one, or more where keys hold dots."""
    for _, found in places(value, spelling):
        yield found


def places(value: JSONValue, spelling: str) -> Iterator[tuple[tuple[str | int, ...], JSONValue]]:
    """Yield the path, in segments, and the value of everything in *value* whose path is spelled so, in either spelling."""
    return _places(value, f".{spelling}", ())


def entered(rest: str, fields: Mapping[str, _FieldT]) -> Iterator[tuple[str, _FieldT, str]]:
    """
    Yield each field that a path can begin with: its name, its value, and the rest of the path behind it.

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
INDEX: Final = re.compile(r"\[(0|[1-9][0-9]*)\]")
# The end of a step in a path.
_SEPARATOR: Final = re.compile(r"[.\[]|\Z")


def _places(
    value: JSONValue, rest: str, path: tuple[str | int, ...]
) -> Iterator[tuple[tuple[str | int, ...], JSONValue]]:
    if not rest:
        yield path, value
    elif isinstance(value, dict):
        for key, child, tail in entered(rest, value):
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
    is_open_map = subset and _is_open_map(schema)
    _add(_another_order(expected, actual, schema), Order(), only_expected, only_actual)
    for item in _aligned(expected, actual, schema, by_position=subset):
        if item.expected is None and is_open_map:
            continue
        left = _ABSENT if item.expected is None else expected[item.expected]
        right = _ABSENT if item.actual is None else actual[item.actual]
        pair = _side_by_side(left, right, schema.items if schema else None, subset=subset)
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


def _aligned(
    expected: list[JSONValue], actual: list[JSONValue], schema: Structural | None, *, by_position: bool
) -> list[Item]:
    """Return which items belong together: by list-map keys where these tell, else what makes the shortest difference."""
    keys = schema.x_list_map_keys if schema else None
    if keys and (items := _aligned_by_keys(expected, actual, keys)):
        return items
    if _another_order(expected, actual, schema) and (left := _by_label(expected, keys or _NAMED)):
        right = _by_label(actual, keys or _NAMED) or {}
        return [Item(index, right[label], label) for label, index in left.items()]
    return _aligned_by_position(expected, actual) if by_position else _aligned_by_value(expected, actual)


def _aligned_by_position(expected: list[JSONValue], actual: list[JSONValue]) -> list[Item]:
    return [
        Item(index if index < len(expected) else None, index if index < len(actual) else None)
        for index in range(max(len(expected), len(actual)))
    ]


def _another_order(expected: list[JSONValue], actual: list[JSONValue], schema: Structural | None) -> _Pair:
    """Return the names of the items on both sides where they are the same in another order; else None."""
    keys = (schema.x_list_map_keys if schema else None) or _NAMED
    left, right = (_by_label(items, keys) for items in (expected, actual))
    if left is None or right is None or left.keys() != right.keys() or [*left] == [*right]:
        return None
    return tuple(", ".join(_name(item, keys) for item in items) for items in (expected, actual))  # type: ignore[return-value]


def _name(item: JSONValue, keys: tuple[str, ...]) -> str:
    return "/".join(str(item[key]) for key in keys)


def _aligned_by_keys(expected: list[JSONValue], actual: list[JSONValue], keys: tuple[str, ...]) -> list[Item] | None:
    """Return the items matched by *keys*; None where keys are missing or not unique, or the order is what differs."""
    left, right = (_by_label(items, keys) for items in (expected, actual))
    if left is None or right is None:
        return None
    common = [label for label in left if label in right]
    if common != [label for label in right if label in left]:
        return None
    return [Item(left.get(label), right.get(label), label) for label in {**left, **right}]


def _by_label(items: list[JSONValue], keys: tuple[str, ...]) -> dict[str, int] | None:
    labels = {
        ",".join(f"{key}={printing.marshal(item[key])}" for key in keys): index
        for index, item in enumerate(items)
        if isinstance(item, dict) and all(key in item for key in keys)
    }
    return labels if len(labels) == len(items) else None


def fits_difflib(left: Sequence[str], right: Sequence[str]) -> bool:
    """Return whether `difflib` can align two lists soon: they are short, or few of their items are equal."""
    counts = Counter(right)
    return max(len(left), len(right)) <= _MOST_ALIGNED and sum(counts[one] for one in left) <= _MOST_PAIRS


def _aligned_by_value(expected: list[JSONValue], actual: list[JSONValue]) -> list[Item]:
    left, right = ([printing.marshal(item) for item in items] for items in (expected, actual))
    if not fits_difflib(left, right):
        return _aligned_by_position(expected, actual)
    matcher = difflib.SequenceMatcher(None, left, right, autojunk=False)
    items: list[Item] = []
    for tag, start, stop, other_start, other_stop in matcher.get_opcodes():
        if tag != "equal":
            pairs = min(stop - start, other_stop - other_start)
            items.extend(Item(start + offset, other_start + offset) for offset in range(pairs))
            items.extend(Item(index, None) for index in range(start + pairs, stop))
            items.extend(Item(None, index) for index in range(other_start + pairs, other_stop))
    return items
