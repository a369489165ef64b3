"""
CEL views of lists: list types `set` and `map` have their own equality and addition.

Reference:
    apiserver pkg/cel/common/valuesunstructured.go, unstructuredList and others; valuesreflect.go for sums.
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

# With more keys, the server compares the joined text of all keys.
_KEYS_COMPARED: Final = 3


@dataclass(frozen=True, slots=True)
class ItemSchema:
    """
    Schema of the items of a list.

    Attributes:
        view: Converts an item to its CEL value.
        unchanged: The Python types of items that are their own CEL values.
        profile: The Kubernetes version.
        keys: The keys of a list-map as CEL identifiers; empty for other lists.
    """

    view: View
    unchanged: frozenset[type]
    profile: Profile
    keys: tuple[str, ...] = ()

    def view_items(self, items: Sequence[JSONValue]) -> Sequence[Value]:
        """Return the CEL values of *items*; an item that does not fit its schema becomes its error."""
        if self.unchanged.issuperset(map(type, items)):
            return items
        return [self.view_item(item) for item in items]

    def view_item(self, item: JSONValue) -> Value:
        """Return the CEL value of *item*, or the error if it does not fit its schema."""
        try:
            return self.view(item)
        except EvaluationError as error:
            return error.with_traceback(None)


class _TypedList(ListValue):
    """List with its own equality and addition."""

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
        Return whether *other* is a list of the same length with equal items.

        Raises:
            EvaluationError: *other* is not a list.
        """
        if not is_list(other):
            raise no_overload(other)
        if len(self.elements) != len(other):
            return False
        workload.count(len(other))
        return self._has_equal_items(other)

    @abc.abstractmethod
    def _has_equal_items(self, other: Sequence[Value]) -> bool:
        """Return whether *other*, a list of the same length, has equal items."""

    def add(self, other: Value) -> Value:
        """Return the sum of this list and the list *other*."""
        workload.count(len(self.elements) + len(other))
        return self._sum(other)

    @abc.abstractmethod
    def _sum(self, other: Sequence[Value]) -> Value:
        """Return the sum of this list and *other*."""

    def contains(self, element: Value) -> bool:
        """Return whether an item equals *element*."""
        return equality.contains(self.elements, element)


class ListView(_TypedList, JSONView):
    """View of a list without a list type, or of an atomic one."""

    __slots__ = ("elements", "schema", "value")

    go_type = "*common.unstructuredList"

    def __init__(self, value: Sequence[JSONValue], schema: ItemSchema) -> None:
        self.value = value
        self.schema = schema
        self.elements = schema.view_items(value)

    def contains(self, element: Value) -> bool:
        """
        Return whether an item equals *element*.

        Raises:
            EvaluationError: *element* is an error, or no item is equal and some item cannot be compared.
        """
        if isinstance(element, EvaluationError):
            raise element.with_traceback(None)
        if self.elements is self.value:
            return super().contains(element)  # scalars can be compared with any value
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
        """Return the value in an optional: this view, or before 1.37 the JSON value."""
        return self if self.schema.profile.sees_optionals_by_schema else self.value

    def _has_equal_items(self, other: Sequence[Value]) -> bool:
        return all(map(equality.equal_parts, self.elements, other))

    def _sum(self, other: Sequence[Value]) -> Value:
        """Return the items of both lists."""
        if self.schema.profile.sees_sums_by_schema:
            return [*self.elements, *other]
        return ListView([*self.value, *map(native, other)], self.schema)


class SetView(ListView):
    """View of a set: order does not matter, and a sum has each item once."""

    __slots__ = ()

    go_type = "*common.unstructuredSetList"

    def _has_equal_items(self, other: Sequence[Value]) -> bool:
        if self.schema.profile.sees_sums_by_schema:
            return _have_same_scalars(self.elements, other)
        keys = set(map(natives.map_key, self.value))
        return all(natives.map_key(native(element)) in keys for element in other)

    def _sum(self, other: Sequence[Value]) -> Value:
        """Return the items of both lists without duplicates."""
        if self.schema.profile.sees_sums_by_schema:
            return SetSum(_united(self.elements, other, _scalar))
        return SetView(_united(self.value, map(native, other), natives.map_key), self.schema)


class MapListView(ListView):
    """View of a list-map: items are identified by their keys, order does not matter, and a sum has each key once."""

    __slots__ = ()

    go_type = "*common.unstructuredMapList"

    def _has_equal_items(self, other: Sequence[Value]) -> bool:
        items = {self._key(item): item for item in self.value}
        keys: set[Hashable] = set()
        for item in other:
            key = self._key(native(item))
            if key not in items or not equality.equal_parts(self.schema.view_item(items[key]), item):
                return False
            keys.add(key)
        return len(keys) == len(items) or not self.schema.profile.sees_sums_by_schema

    def _sum(self, other: Sequence[Value]) -> Value:
        """Return the items of both lists; an item of *other* replaces the item with the same keys."""
        if self.schema.profile.sees_sums_by_schema:
            return MapListSum(self.elements, other, self.schema.keys)
        return MapListView(_merged(self.value, map(native, other), self._key), self.schema)

    def _key(self, item: JSONValue) -> Hashable:
        """Return the identity of *item* by its keys, looked up by CEL identifiers, so escaped keys are always missing."""
        if type(item) is not dict:
            return object()
        values = [item.get(key) for key in self.schema.keys]
        if len(values) > _KEYS_COMPARED and not self.schema.profile.sees_sums_by_schema:
            return " ".join("<nil>" if value is None else display.show(value) for value in values)
        return tuple(map(natives.map_key, values))


class SetSum(_TypedList):
    """Sum of a set and another list."""

    __slots__ = ("elements",)

    go_type = "*common.refValSetList"

    def __init__(self, elements: Sequence[Value]) -> None:
        self.elements = elements

    def _has_equal_items(self, other: Sequence[Value]) -> bool:
        return _have_same_scalars(self.elements, other)

    def _sum(self, other: Sequence[Value]) -> Value:
        """Return the items of both lists without duplicates."""
        return SetSum(_united(self.elements, other, _scalar))


class MapListSum(_TypedList):
    """Sum of a list-map and another list."""

    __slots__ = ("_keys", "elements")

    go_type = "*common.refValMapList"

    def __init__(self, elements: Sequence[Value], added: Sequence[Value], keys: tuple[str, ...]) -> None:
        self._keys = keys
        self.elements = _merged(elements, added, self._key)

    def _has_equal_items(self, other: Sequence[Value]) -> bool:
        items = {self._key(item): item for item in self.elements}
        keys: set[Hashable] = set()
        for item in other:
            key = self._key(item)
            if key not in items or not equality.equal_parts(items[key], item):
                return False
            keys.add(key)
        return len(keys) == len(items)

    def _sum(self, other: Sequence[Value]) -> Value:
        """Return the items of both lists; an item of *other* replaces the item with the same keys."""
        return MapListSum(self.elements, other, self._keys)

    def _key(self, item: Value) -> Hashable:
        """Return the identity of *item* by its keys; missing keys are None."""
        return tuple(_read_key(item, key) for key in self._keys)


def _read_key(item: Value, key: str) -> Hashable:
    """Return the comparable value under *key*; None if it cannot be read."""
    if not is_map(item):
        return None
    try:
        value = find(item, key)
    except EvaluationError:
        return None
    return None if value is MISSING else _comparable(value)


def _have_same_scalars(elements: Sequence[Value], other: Sequence[Value]) -> bool:
    left_keys = set(map(_scalar, elements))
    right_keys: set[Hashable] = set()
    for element in other:
        key = _scalar(element)
        if key not in left_keys:
            return False
        right_keys.add(key)
    return len(right_keys) == len(left_keys)


def _scalar(element: Value) -> Hashable:
    """
    Return the identity of an item of a set.

    Raises:
        EvaluationError: It is not a scalar.
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
    """Return *items* followed by the *added* ones with new identities."""
    united = list(items)
    identities = set(map(key, united))
    for item in added:
        identity = key(item)
        if identity not in identities:
            identities.add(identity)
            united.append(item)
    return united


def _merged(items: Iterable[_T], added: Iterable[_T], key: Callable[[_T], Hashable]) -> list[_T]:
    """Return *items* with each of *added* in place of the item with the same key, or at the end."""
    merged = list(items)
    places = {key(item): index for index, item in enumerate(merged)}
    for item in added:
        place = places.get(key(item))
        if place is None:
            merged.append(item)
        else:
            merged[place] = item
    return merged
