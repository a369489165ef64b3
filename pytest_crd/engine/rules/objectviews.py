"""
CEL views of objects and maps, with the properties that their schema specifies.

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
    """Opaque value of a schema without type: expressions cannot read it, but equality of enclosing values compares it."""

    __slots__ = ("value",)

    type_name = "unknown"

    def __init__(self, value: JSONValue) -> None:
        self.value = value

    def equal(self, other: Value) -> bool:
        """Return whether *other* has the same JSON value."""
        return _are_equal(self.value, natives.native(other))

    def __str__(self) -> str:
        return printing.marshal(self.value)


class Fields:
    """Fields of an object that expressions see; this base class, for objects without properties, has no fields."""

    is_object: ClassVar[bool] = False

    def __init__(self, profile: Profile) -> None:
        """Create for a Kubernetes version."""
        self.profile = profile

    def view(self, key: str) -> View | None:  # noqa: ARG002 - subclasses use it
        """Return the view of the value under *key*; None if it is not visible."""
        return None


class Properties(Fields):
    """Properties of an object: names are escaped, and null properties are absent."""

    is_object = True

    def __init__(
        self, profile: Profile, properties: Mapping[str, Structural], compile_: Callable[[Structural], View]
    ) -> None:
        """Create from the properties and the compiler of their views; a view is compiled on first use."""
        super().__init__(profile)
        self._properties = properties
        self._compile = compile_
        self._views: dict[str, View] = {}

    def view(self, key: str) -> View | None:
        """Return the view of the property *key*; None if the schema does not specify it."""
        view = self._views.get(key)
        if view is None and key in self._properties:
            view = self._views[key] = self._compile(self._properties[key])
        return view


class Entries(Fields):
    """The entries of a map."""

    def __init__(self, profile: Profile, view: View) -> None:
        """Create with the view of the values."""
        super().__init__(profile)
        self._view = view

    def view(self, key: str) -> View:  # noqa: ARG002 - all keys have one view
        """Return the view of the values, for any *key*."""
        return self._view


class ObjectView(MapValue, JSONView):
    """View of an object or a map."""

    __slots__ = ("_fields", "value")

    go_type = "*common.unstructuredMap"

    def __init__(self, value: Mapping[str, JSONValue], fields: Fields) -> None:
        self.value = value
        self._fields = fields

    def __len__(self) -> int:
        return len(self.value)

    def __iter__(self) -> Iterator[Value]:
        """Yield the keys, then a null for each key that the schema does not specify."""
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
        """Return the value in an optional: this view, or before 1.37 the JSON value."""
        return self if self._fields.profile.sees_optionals_by_schema else self.value

    def equal(self, other: Value) -> bool:
        """
        Return whether *other* has equal values under the same keys; unknown fields are compared only if both have them.

        Raises:
            EvaluationError: *other* is not a map.
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
            counterpart = find_or_error(other, key)  # an error makes only maps, lists and errors unequal
            if not self._fields.profile.equates_null_fields:
                return counterpart is not MISSING and equality.equal_parts(view(self.value[key]), counterpart)
            own = self.find(key)
            if own is MISSING or counterpart is MISSING:
                return own is counterpart
            return equality.equal_parts(own, counterpart)
        if not isinstance(other, ObjectView):
            raise no_overload(other)
        return key not in other.value or _are_equal(self.value[key], other.value[key])


def _are_equal(value: JSONValue, other: Any) -> bool:
    """Return whether two opaque values are equal."""
    workload.count(_count_values(value))
    return jsonvalue.equal(value, other)


def _count_values(value: JSONValue) -> int:
    if isinstance(value, dict):
        value = list(value.values())
    return 1 + sum(map(_count_values, value)) if isinstance(value, list) else 1
