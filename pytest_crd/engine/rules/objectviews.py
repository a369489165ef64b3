"""
Objects and maps of a resource as expressions see them: with the properties that the schema knows.

Reference:
    apiserver pkg/cel/common/valuesunstructured.go, unstructuredMap, unknownPreserved.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from typing import Any, ClassVar

from pytest_crd.engine import jsonvalue
from pytest_crd.engine.cel.errors import no_overload
from pytest_crd.engine.cel.values import equality, workload
from pytest_crd.engine.cel.values.celvalues import MISSING, MapValue, Opaque, Value, find_or_error, is_map
from pytest_crd.engine.golang import printing
from pytest_crd.engine.jsonvalue import JSONValue
from pytest_crd.engine.profile import Profile
from pytest_crd.engine.rules import natives
from pytest_crd.engine.rules.escaping import escape, unescape
from pytest_crd.engine.rules.natives import JSONView
from pytest_crd.engine.rules.scalars import View
from pytest_crd.engine.schema.structural import Structural


class Preserved(Opaque, JSONView):
    """What a schema without a type keeps: expressions cannot look into it, but compare it as a part of what they see."""

    __slots__ = ("value",)

    type_name = "unknown"

    def __init__(self, value: JSONValue) -> None:
        self.value = value

    def equal(self, other: Value) -> bool:
        """Return whether *other* is, or stands for, the same JSON value."""
        return _are_equal(self.value, natives.native(other))

    def __str__(self) -> str:
        return printing.marshal(self.value)


class Fields:
    """Which keys of an object expressions see, and how they see what stands there: none, for want of a schema."""

    is_object: ClassVar[bool] = False

    def __init__(self, profile: Profile) -> None:
        """Take the Kubernetes version."""
        self.profile = profile

    def view(self, key: str) -> View | None:  # noqa: ARG002 - the others look at it
        """Return how the value under *key* is seen; None where it is not."""
        return None


class Properties(Fields):
    """The properties of an object: their names are escaped, and one that is null is not there."""

    is_object = True

    def __init__(
        self, profile: Profile, properties: Mapping[str, Structural], compile_: Callable[[Structural], View]
    ) -> None:
        """Take the properties, and what makes their values visible; it is made of those that somebody asks for."""
        super().__init__(profile)
        self._properties = properties
        self._compile = compile_
        self._views: dict[str, View] = {}

    def view(self, key: str) -> View | None:
        """Return how the property *key* is seen; None where the schema does not know it."""
        view = self._views.get(key)
        if view is None and key in self._properties:
            view = self._views[key] = self._compile(self._properties[key])
        return view


class Entries(Fields):
    """The entries of a map."""

    def __init__(self, profile: Profile, view: View) -> None:
        """Take how the values are seen."""
        super().__init__(profile)
        self._view = view

    def view(self, key: str) -> View:  # noqa: ARG002 - whatever it is
        """Return how the values are seen."""
        return self._view


class ObjectView(MapValue, JSONView):
    """An object or a map of a resource."""

    __slots__ = ("_fields", "value")

    go_type = "*common.unstructuredMap"

    def __init__(self, value: Mapping[str, JSONValue], fields: Fields) -> None:
        self.value = value
        self._fields = fields

    def __len__(self) -> int:
        return len(self.value)

    def __iter__(self) -> Iterator[Value]:
        """Return the keys; null for each that the schema does not know, after the others."""
        unknown = 0
        for key in self.value:
            if self._fields.view(key) is None:
                unknown += 1
            else:
                yield (escape(key) or key) if self._fields.is_object else key
        for _ in range(unknown):
            yield None

    def find(self, key: Value) -> Value:
        """Return the value under *key*, or MISSING."""
        if type(key) is not str:
            raise no_overload(key)
        name = unescape(key) if self._fields.is_object else key
        if name is None or name not in self.value:
            return MISSING
        value = self.value[name]
        if value is None and self._fields.is_object:
            return MISSING
        view = self._fields.view(name)
        return MISSING if view is None else view(value)

    def unwrapped(self) -> Value:
        """Return what is seen of it in an optional: before 1.37 the JSON value."""
        return self if self._fields.profile.sees_optionals_by_schema else self.value

    def equal(self, other: Value) -> bool:
        """
        Return whether *other* has equal values under the same keys; of unknown fields, those that both have.

        Raises:
            EvaluationError: *other* is no map.
        """
        if not is_map(other):
            raise no_overload(other)
        if len(self) != len(other):
            return False
        workload.count(len(other))
        return all(self._is_equal_at(key, other) for key in self.value)

    def _is_equal_at(self, key: str, other: Any) -> bool:
        view = self._fields.view(key)
        if view is not None:
            its = find_or_error(other, key)  # which only what is an error itself, a map or a list minds
            if not self._fields.profile.equates_null_fields:
                return its is not MISSING and equality.equal_parts(view(self.value[key]), its)
            mine = self.find(key)
            if mine is MISSING or its is MISSING:
                return mine is its
            return equality.equal_parts(mine, its)
        if not isinstance(other, ObjectView):
            raise no_overload(other)
        return key not in other.value or _are_equal(self.value[key], other.value[key])


def _are_equal(value: JSONValue, other: Any) -> bool:
    """Return whether what expressions cannot look into is equal."""
    workload.count(_count_values(value))
    return jsonvalue.equal(value, other)


def _count_values(value: JSONValue) -> int:
    if isinstance(value, dict):
        value = list(value.values())
    return 1 + sum(map(_count_values, value)) if isinstance(value, list) else 1
