"""
Lists of a resource as expressions see them: they may be sets and maps, which compare and add in their own ways.

Reference:
    apiserver pkg/cel/common/valuesunstructured.go, unstructuredList and others; valuesreflect.go for what they add up to.
"""

from __future__ import annotations

import abc
from collections.abc import Callable, Hashable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import Final, TypeVar

from pytest_crd.engine.cel.errors import EvaluationError, InternalError, UnsupportedExpressionError, no_overload
from pytest_crd.engine.cel.values import display, equality, workload
from pytest_crd.engine.cel.values.celvalues import MISSING, ListValue, Value, find, is_list, is_map
from pytest_crd.engine.jsonvalue import JSONValue
from pytest_crd.engine.profile import Profile
from pytest_crd.engine.rules import natives
from pytest_crd.engine.rules.natives import JSONView, native
from pytest_crd.engine.rules.scalars import View

_T = TypeVar("_T")

# With more keys than these, the server tells items apart by what their keys look like together.
_KEYS_COMPARED: Final = 3


@dataclass(frozen=True, slots=True)
class ItemSchema:
    """
    How the items of a list are seen.

    Attributes:
        view: What makes an item visible.
        unchanged: The types of which items are themselves what expressions see.
        profile: The Kubernetes version.
        keys: Of a list-map, the keys by their names in expressions; none of other lists.
    """

    view: View
    unchanged: frozenset[type]
    profile: Profile
    keys: tuple[str, ...] = ()

    def see(self, items: Sequence[JSONValue]) -> Sequence[Value]:
        """Return what expressions see of *items*; for one that is none of its schema, the error."""
        if self.unchanged.issuperset(map(type, items)):
            return items
        return [self.see_one(item) for item in items]

    def see_one(self, item: JSONValue) -> Value:
        """Return what expressions see of *item*, or the error where it is none of its schema."""
        try:
            return self.view(item)
        except EvaluationError as error:
            return error.with_traceback(None)


class _TypedList(ListValue):
    """A list that compares in its own way."""

    __slots__ = ()

    elements: Sequence[Value]

    def __len__(self) -> int:
        return len(self.elements)

    def __getitem__(self, index: int) -> Value:
        return self.elements[index]

    def __iter__(self) -> Iterator[Value]:
        return iter(self.elements)

    def equal(self, other: Value) -> bool:
        """
        Return whether *other* is as long a list, and equal.

        Raises:
            EvaluationError: *other* is no list.
        """
        if not is_list(other):
            raise no_overload(other)
        if len(self.elements) != len(other):
            return False
        workload.count(len(other))
        return self._has_equal_items(other)

    @abc.abstractmethod
    def _has_equal_items(self, other: Sequence[Value]) -> bool:
        """Return whether *other*, which is as long, has equal items."""

    def add(self, other: Value) -> Value:
        """Return the sum of it and the list *other*."""
        workload.count(len(self.elements) + len(other))
        return self._sum(other)

    @abc.abstractmethod
    def _sum(self, other: Sequence[Value]) -> Value:
        """Return what it and *other* add up to."""

    def contains(self, element: Value) -> bool:
        """Return whether *element* equals one of the elements."""
        return equality.contains(self.elements, element)


class ListView(_TypedList, JSONView):
    """A list of a resource: as any other."""

    __slots__ = ("elements", "schema", "value")

    go_type = "*common.unstructuredList"

    def __init__(self, value: Sequence[JSONValue], schema: ItemSchema) -> None:
        self.value = value
        self.schema = schema
        self.elements = schema.see(value)

    def contains(self, element: Value) -> bool:
        """
        Return whether *element* equals one of the elements.

        Raises:
            EvaluationError: *element* is an error, or it equals none, and one cannot be compared.
        """
        if isinstance(element, EvaluationError):
            raise element.with_traceback(None)
        if self.elements is self.value:
            return super().contains(element)  # what can be compared with anything
        workload.count(len(self.elements))
        problem = None
        for item in self.elements:
            try:
                if equality.equal_parts(item, element):
                    return True
            except EvaluationError as error:
                problem = problem or error
        if problem is not None:
            raise problem.with_traceback(None)
        return False

    def unwrapped(self) -> Value:
        """Return what is seen of it in an optional: before 1.37 the JSON value."""
        return self if self.schema.profile.sees_optionals_by_schema else self.value

    def _has_equal_items(self, other: Sequence[Value]) -> bool:
        return all(map(equality.equal_parts, self.elements, other))

    def _sum(self, other: Sequence[Value]) -> Value:
        """Return the elements of both."""
        if self.schema.profile.sees_sums_by_schema:
            return [*self.elements, *other]
        return ListView([*self.value, *map(native, other)], self.schema)


class SetView(ListView):
    """A set: the order of its elements does not count, and a sum has each once."""

    __slots__ = ()

    go_type = "*common.unstructuredSetList"

    def _has_equal_items(self, other: Sequence[Value]) -> bool:
        if self.schema.profile.sees_sums_by_schema:
            return _have_same_scalars(self.elements, other)
        mine = set(map(natives.map_key, self.value))
        return all(natives.map_key(native(element)) in mine for element in other)

    def _sum(self, other: Sequence[Value]) -> Value:
        """Return the elements of both, each once."""
        if self.schema.profile.sees_sums_by_schema:
            return SetSum(_united(self.elements, other, _scalar))
        return SetView(_united(self.value, map(native, other), natives.map_key), self.schema)


class MapListView(ListView):
    """A list-map: items are told apart by their keys, their order does not count, and a sum has each key once."""

    __slots__ = ()

    go_type = "*common.unstructuredMapList"

    def _has_equal_items(self, other: Sequence[Value]) -> bool:
        mine = {self._key(item): item for item in self.value}
        seen: set[Hashable] = set()
        for item in other:
            key = self._key(native(item))
            if key not in mine or not equality.equal_parts(self.schema.see_one(mine[key]), item):
                return False
            seen.add(key)
        return len(seen) == len(mine) or not self.schema.profile.sees_sums_by_schema

    def _sum(self, other: Sequence[Value]) -> Value:
        """Return the items of both; those of *other* stand in the place of those with the same keys."""
        if self.schema.profile.sees_sums_by_schema:
            return MapListSum(self.elements, other, self.schema.keys)
        return MapListView(_merged(self.value, map(native, other), self._key), self.schema)

    def _key(self, item: JSONValue) -> Hashable:
        """Return what tells *item* apart; by the names in expressions, which it does not have where they are escaped."""
        if type(item) is not dict:
            return object()
        values = [item.get(key) for key in self.schema.keys]
        if len(values) > _KEYS_COMPARED and not self.schema.profile.sees_sums_by_schema:
            return " ".join("<nil>" if value is None else display.show(value) for value in values)
        return tuple(map(natives.map_key, values))


class SetSum(_TypedList):
    """What a set and another list add up to."""

    __slots__ = ("elements",)

    go_type = "*common.refValSetList"

    def __init__(self, elements: Sequence[Value]) -> None:
        self.elements = elements

    def _has_equal_items(self, other: Sequence[Value]) -> bool:
        return _have_same_scalars(self.elements, other)

    def _sum(self, other: Sequence[Value]) -> Value:
        """Return the elements of both, each once."""
        return SetSum(_united(self.elements, other, _scalar))


class MapListSum(_TypedList):
    """What a list-map and another list add up to."""

    __slots__ = ("_keys", "elements")

    go_type = "*common.refValMapList"

    def __init__(self, elements: Sequence[Value], added: Sequence[Value], keys: tuple[str, ...]) -> None:
        self._keys = keys
        self.elements = _merged(elements, added, self._key)

    def _has_equal_items(self, other: Sequence[Value]) -> bool:
        mine = {self._key(item): item for item in self.elements}
        seen: set[Hashable] = set()
        for item in other:
            key = self._key(item)
            if key not in mine or not equality.equal_parts(mine[key], item):
                return False
            seen.add(key)
        return len(seen) == len(mine)

    def _sum(self, other: Sequence[Value]) -> Value:
        """Return the items of both; those of *other* stand in the place of those with the same keys."""
        return MapListSum(self.elements, other, self._keys)

    def _key(self, item: Value) -> Hashable:
        """Return what tells *item* apart: nothing does where it has no keys."""
        return tuple(_found(item, key) for key in self._keys)


def _found(item: Value, key: str) -> Hashable:
    """Return what tells the value under *key* apart; None where none can be read."""
    if not is_map(item):
        return None
    try:
        value = find(item, key)
    except EvaluationError:
        return None
    return None if value is MISSING else _comparable(value)


def _have_same_scalars(elements: Sequence[Value], other: Sequence[Value]) -> bool:
    mine = set(map(_scalar, elements))
    seen: set[Hashable] = set()
    for element in other:
        key = _scalar(element)
        if key not in mine:
            return False
        seen.add(key)
    return len(seen) == len(mine)


def _scalar(element: Value) -> Hashable:
    """
    Return what tells the elements of sets apart.

    Raises:
        EvaluationError: It is no scalar.
    """
    if is_list(element) or is_map(element):
        raise EvaluationError("listSet operations are only supported on lists of scalar values")
    return _comparable(element)


def _comparable(element: Value) -> Hashable:
    raw = native(element)
    try:
        return (bytes, raw) if type(raw) is bytes else natives.map_key(raw)
    except InternalError:
        raise UnsupportedExpressionError("sets and keys of lists with optional lists and maps") from None


def _united(items: Iterable[_T], added: Iterable[_T], key: Callable[[_T], Hashable]) -> list[_T]:
    """Return *items*, and those *added* ones that are not there yet."""
    united = list(items)
    known = set(map(key, united))
    for item in added:
        identity = key(item)
        if identity not in known:
            known.add(identity)
            united.append(item)
    return united


def _merged(items: Iterable[_T], added: Iterable[_T], key: Callable[[_T], Hashable]) -> list[_T]:
    """Return *items* with the *added* ones, in the place of those with the same key or at the end."""
    merged = list(items)
    places = {key(item): index for index, item in enumerate(merged)}
    for item in added:
        place = places.get(key(item))
        if place is None:
            merged.append(item)
        else:
            merged[place] = item
    return merged
