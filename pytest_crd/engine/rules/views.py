"""
CEL views of the values of a resource: JSON values themselves, unless the schema gives them another type.

Reference:
    apiserver pkg/cel/common/valuesunstructured.go, UnstructuredToVal.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from functools import partial
from typing import Any, ClassVar, Final

from pytest_crd.engine import jsonvalue
from pytest_crd.engine.cel.errors import EvaluationError, no_overload
from pytest_crd.engine.cel.values import equality, workload
from pytest_crd.engine.cel.values.celvalues import MISSING, MapValue, Opaque, Value, find_or_error, is_map
from pytest_crd.engine.golang import printing
from pytest_crd.engine.jsonvalue import JSONValue
from pytest_crd.engine.profile import Profile
from pytest_crd.engine.rules import natives, scalars
from pytest_crd.engine.rules.escaping import escape, unescape
from pytest_crd.engine.rules.listviews import ItemSchema, ListView, MapListView, SetView
from pytest_crd.engine.rules.natives import JSONView
from pytest_crd.engine.rules.scalars import View
from pytest_crd.engine.rules.schemadeclarations import with_type_and_object_meta
from pytest_crd.engine.schema.structural import Structural


def compile(schema: Structural, profile: Profile) -> View:  # noqa: A001 - as `re.compile`
    """
    Return the view of values of *schema*; views of nested values are compiled on first use.

    Args:
        schema: The schema.
        profile: The Kubernetes version.
    """
    view = _view(schema, profile)
    if schema.nullable:
        return lambda value: None if value is None else view(value)

    def refuse_null(value: JSONValue) -> Value:
        if value is None:
            raise EvaluationError("invalid data, got null for schema with nullable=false")
        return view(value)

    return refuse_null


def _view(schema: Structural, profile: Profile) -> View:
    if schema.x_int_or_string:
        return scalars.int_or_string
    if schema.type == "object":
        return _objects(schema, profile)
    if schema.type == "array":
        return _lists(schema, profile)
    if schema.type == "string":
        return scalars.texts(schema.validation.keywords.get("format", ""))
    if schema.type in scalars.BY_TYPE:
        return scalars.BY_TYPE[schema.type]
    return Preserved if schema.x_preserve_unknown_fields else _typeless(schema.type)


def _typeless(type_: str) -> View:
    def refuse(_value: JSONValue) -> Value:
        raise EvaluationError(
            "invalid type, expected object, array, number, integer, boolean or string, or no type with "
            f"x-kubernetes-int-or-string or x-kubernetes-preserve-unknown-fields is true, got {type_}"
        )

    return refuse


def _objects(schema: Structural, profile: Profile) -> View:
    if schema.x_embedded_resource:
        schema = with_type_and_object_meta(schema, profile)
    fields: Fields
    if schema.properties:
        fields = Properties(profile, schema.properties, partial(compile, profile=profile))
    elif schema.value_schema is not None:
        fields = Entries(profile, compile(schema.value_schema, profile))
    else:
        fields = Fields(profile)

    def see(value: JSONValue) -> Value:
        if type(value) is not dict:
            raise EvaluationError("invalid data, expected a map for the provided schema with type=object")
        return ObjectView(value, fields)

    return see


_LISTS: Final = {None: ListView, "": ListView, "atomic": ListView, "set": SetView, "map": MapListView}


def _lists(schema: Structural, profile: Profile) -> View:
    if schema.items is None:
        return _refuse_list
    keys = tuple(escape(key) or key for key in schema.x_list_map_keys or ())
    unchanged = scalars.UNCHANGED.get(_view(schema.items, profile), frozenset())
    items = ItemSchema(compile(schema.items, profile), unchanged, profile, keys)
    list_type = schema.x_list_type

    def see(value: JSONValue) -> Value:
        _check_list(value)
        if list_type not in _LISTS:
            raise EvaluationError(
                f"invalid x-kubernetes-list-type, expected 'map', 'set' or 'atomic' but got {list_type}"
            )
        return _LISTS[list_type](value, items)

    return see


def _refuse_list(value: JSONValue) -> Value:
    _check_list(value)
    raise EvaluationError("invalid array type, expected Items with a non-empty Schema")


def _check_list(value: JSONValue) -> None:
    if type(value) is not list:
        raise EvaluationError("invalid data, expected an array for the provided schema with type=array")


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
