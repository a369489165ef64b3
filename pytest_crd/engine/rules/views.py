"""
Values of a resource as expressions see them: the JSON values themselves, but where the schema makes something else of them.

Numbers of type `number` are doubles, texts of some formats are times and bytes, lists may be sets and maps, and objects have
the properties that the schema knows.

Reference:
    apiserver pkg/cel/common/valuesunstructured.go, UnstructuredToVal; valuesreflect.go for sums of lists.
"""

from __future__ import annotations

import base64
from collections.abc import Callable, Hashable, Iterator, Mapping, Sequence
from typing import Any, Final, TypeAlias

from pytest_crd.engine import jsonvalue
from pytest_crd.engine.cel import equality
from pytest_crd.engine.cel.errors import EvaluationError
from pytest_crd.engine.cel.values import MISSING, ListValue, MapValue, Opaque, Value, find, is_list, is_map
from pytest_crd.engine.golang import printing
from pytest_crd.engine.jsonvalue import JSONValue
from pytest_crd.engine.profile import Profile
from pytest_crd.engine.rules import times
from pytest_crd.engine.rules.declarations import with_type_and_object_meta
from pytest_crd.engine.rules.escaping import escape, unescape
from pytest_crd.engine.schema.structural import Structural

# Makes what expressions see of a JSON value; raises EvaluationError where it is none of its schema.
View: TypeAlias = Callable[[JSONValue], Value]

_NO_OVERLOAD: Final = "no such overload"
# As Go prints types with %T.
_GO_TYPES: Final = {
    bool: "bool",
    int: "int64",
    float: "float64",
    str: "string",
    list: "[]interface {}",
    dict: "map[string]interface {}",
}


def compile(schema: Structural, profile: Profile) -> View:  # noqa: A001 - as `re.compile`
    """
    Return what makes values of *schema* visible to expressions; for what lies inside it is made when that is first asked for.

    Args:
        schema: The schema.
        profile: The Kubernetes version.
    """
    seen = _view(schema, profile)
    if schema.nullable:
        return lambda value: None if value is None else seen(value)

    def refuse_null(value: JSONValue) -> Value:
        if value is None:
            raise EvaluationError("invalid data, got null for schema with nullable=false")
        return seen(value)

    return refuse_null


def _view(schema: Structural, profile: Profile) -> View:
    if schema.x_int_or_string:
        return _int_or_string
    if schema.type == "object":
        return _objects(schema, profile)
    if schema.type == "array":
        return _lists(schema, profile)
    if schema.type == "string":
        return _texts(schema.validation.keywords.get("format", ""))
    if schema.type in _SCALARS:
        return _SCALARS[schema.type]
    return Preserved if schema.x_preserve_unknown_fields else _typeless(schema.type)


def _typeless(type_: str) -> View:
    def refuse(_value: JSONValue) -> Value:
        raise EvaluationError(
            "invalid type, expected object, array, number, integer, boolean or string, or no type with "
            f"x-kubernetes-int-or-string or x-kubernetes-preserve-unknown-fields is true, got {type_}"
        )

    return refuse


def _int_or_string(value: JSONValue) -> Value:
    if type(value) is str or type(value) is int:
        return value
    raise EvaluationError("invalid data, expected XIntOrString value to be either a string or integer")


def _number(value: JSONValue) -> Value:
    if type(value) is float:
        return value
    if type(value) is int:
        return float(value)
    raise _unexpected("float", value)


def _integer(value: JSONValue) -> Value:
    if type(value) is int:
        return value
    raise _unexpected("int", value)


def _boolean(value: JSONValue) -> Value:
    if type(value) is bool:
        return value
    raise _unexpected("bool", value)


def _string(value: JSONValue) -> Value:
    if type(value) is str:
        return value
    raise _unexpected("string", value)


_SCALARS: Final[Mapping[str, View]] = {"number": _number, "integer": _integer, "boolean": _boolean}
# Lists of these are themselves what expressions see, as long as every item is of its type.
_PLAIN: Final[Mapping[View, frozenset[type]]] = {
    _string: frozenset({str}),
    _integer: frozenset({int}),
    _boolean: frozenset({bool}),
}


def _unexpected(expected: str, value: JSONValue) -> EvaluationError:
    return EvaluationError(f"invalid data, expected {expected}, got {_GO_TYPES[type(value)]}")


def _texts(format_: str) -> View:
    read = _FORMATS.get(format_)
    return _string if read is None else lambda value: read(_string(value))


# Texts of the format are read with the alphabet of URLs, although the format itself takes the other one. Go skips line breaks.
_STANDARD: Final = str.maketrans("-_+/", "+/**", "\r\n")


def _bytes(text: str) -> bytes:
    try:
        return base64.b64decode(text.translate(_STANDARD), validate=True)
    except ValueError:
        raise EvaluationError(f"Invalid byte formatted string {text}: {times.base64_problem(text)}") from None


_FORMATS: Final[Mapping[str, Callable[[str], Value]]] = {
    "duration": times.duration,
    "date": times.date,
    "date-time": times.date_time,
    "byte": _bytes,
}


class Preserved(Opaque):
    """What a schema without a type keeps: expressions cannot look into it, but compare it as a part of what they see."""

    __slots__ = ("value",)

    type_name = "unknown"

    def __init__(self, value: JSONValue) -> None:
        self.value = value

    def equal(self, other: Value) -> bool:
        """Return whether *other* is the same JSON value."""
        return isinstance(other, Preserved) and jsonvalue.equal(self.value, other.value)

    def __str__(self) -> str:
        return printing.marshal(self.value)


def _objects(schema: Structural, profile: Profile) -> View:
    if schema.x_embedded_resource:
        schema = with_type_and_object_meta(schema, profile)
    fields: _Fields
    if schema.properties:
        fields = _Properties(schema.properties, profile)
    elif schema.value_schema is not None:
        fields = _Entries(schema.value_schema, profile)
    else:
        fields = _NOTHING

    def see(value: JSONValue) -> Value:
        if type(value) is not dict:
            raise EvaluationError("invalid data, expected a map for the provided schema with type=object")
        return ObjectView(value, fields)

    return see


class _Fields:
    """Which keys of an object expressions see, and how they see what stands there: none, for want of a schema."""

    is_object = False

    def view(self, key: str) -> View | None:  # noqa: ARG002 - the others look at it
        """Return how the value under *key* is seen; None where it is not."""
        return None


class _Properties(_Fields):
    """The properties of an object: their names are escaped, and one that is null is not there."""

    is_object = True

    def __init__(self, properties: Mapping[str, Structural], profile: Profile) -> None:
        self._properties = properties
        self._profile = profile
        self._views: dict[str, View] = {}

    def view(self, key: str) -> View | None:
        """Return how the property *key* is seen; None where the schema does not know it."""
        view = self._views.get(key)
        if view is None and key in self._properties:
            view = self._views[key] = compile(self._properties[key], self._profile)
        return view


class _Entries(_Fields):
    """The entries of a map."""

    def __init__(self, schema: Structural, profile: Profile) -> None:
        self._view = compile(schema, profile)

    def view(self, key: str) -> View:  # noqa: ARG002 - whatever it is
        """Return how the values are seen."""
        return self._view


_NOTHING: Final = _Fields()


class ObjectView(MapValue):
    """An object or a map of a resource."""

    __slots__ = ("_fields", "value")

    def __init__(self, value: Mapping[str, JSONValue], fields: _Fields) -> None:
        self.value = value
        self._fields = fields

    def __len__(self) -> int:
        return len(self.value)

    def __iter__(self) -> Iterator[Value]:
        for key in self.value:
            if self._fields.view(key) is not None:
                yield (escape(key) or key) if self._fields.is_object else key

    def find(self, key: Value) -> Value:
        """Return the value under *key*, or MISSING."""
        if type(key) is not str:
            raise EvaluationError(_NO_OVERLOAD)
        name = unescape(key) if self._fields.is_object else key
        if name is None or name not in self.value:
            return MISSING
        value = self.value[name]
        if value is None and self._fields.is_object:
            return MISSING
        view = self._fields.view(name)
        return MISSING if view is None else view(value)

    def equal(self, other: Value) -> bool:
        """
        Return whether *other* has equal values under the same keys; of unknown fields, those that both have.

        Raises:
            EvaluationError: *other* is no map.
        """
        if not is_map(other):
            raise EvaluationError(_NO_OVERLOAD)
        if len(self) != len(other):
            return False
        return all(self._is_equal_at(key, other) for key in self.value)

    def _is_equal_at(self, key: str, other: Any) -> bool:
        if self._fields.view(key) is not None:
            mine, its = self.find(key), find(other, key)
            if mine is MISSING or its is MISSING:
                return mine is its
            return _equal(mine, its)
        if not isinstance(other, ObjectView):
            raise EvaluationError(_NO_OVERLOAD)
        return key not in other.value or jsonvalue.equal(self.value[key], other.value[key])


def _lists(schema: Structural, profile: Profile) -> View:
    if schema.items is None:
        return _refuse_list
    item = compile(schema.items, profile)
    plain = _PLAIN.get(_view(schema.items, profile))
    keys = tuple(escape(key) or key for key in schema.x_list_map_keys or ())
    list_type = schema.x_list_type

    def see(value: JSONValue) -> Value:
        if type(value) is not list:
            raise EvaluationError("invalid data, expected an array for the provided schema with type=array")
        if list_type == "set":
            return SetView(_adapted(value, item, plain))
        if list_type == "map":
            return MapListView(_adapted(value, item, plain), keys)
        if list_type in {None, "", "atomic"}:
            adapted = _adapted(value, item, plain)
            return adapted if adapted is value else AtomicView(adapted)
        raise EvaluationError(f"invalid x-kubernetes-list-type, expected 'map', 'set' or 'atomic' but got {list_type}")

    return see


def _adapted(value: list[JSONValue], item: View, plain: frozenset[type] | None) -> Sequence[Value]:
    if plain is not None and plain.issuperset(map(type, value)):
        return value
    try:
        return [item(element) for element in value]
    except EvaluationError:
        return _Unsure(value, item)


class _Unsure(Sequence[Value]):
    """The items of a list of which some are none of their schema: an error for who asks for them, and for nobody else."""

    def __init__(self, value: Sequence[JSONValue], item: View) -> None:
        self._value = value
        self._item = item

    def __len__(self) -> int:
        return len(self._value)

    def __getitem__(self, index: Any) -> Value:
        return self._item(self._value[index])


def _refuse_list(value: JSONValue) -> Value:
    if type(value) is not list:
        raise EvaluationError("invalid data, expected an array for the provided schema with type=array")
    raise EvaluationError("invalid array type, expected Items with a non-empty Schema")


class _TypedList(ListValue):
    """A list of a resource that Python's does not stand for."""

    __slots__ = ("elements",)

    def __init__(self, elements: Sequence[Value]) -> None:
        self.elements = elements

    def __len__(self) -> int:
        return len(self.elements)

    def __getitem__(self, index: int) -> Value:
        return self.elements[index]

    def __iter__(self) -> Iterator[Value]:
        return iter(self.elements)

    def contains(self, element: Value) -> bool:
        """Return whether *element* equals one of the elements."""
        return equality.contains(self.elements, element)

    def _has_size_of(self, other: Value) -> bool:
        """Return whether *other* is as long; raise EvaluationError where it is no list."""
        if not is_list(other):
            raise EvaluationError(_NO_OVERLOAD)
        return len(self) == len(other)


class AtomicView(_TypedList):
    """A list as any other."""

    __slots__ = ()

    def equal(self, other: Value) -> bool:
        """Return whether *other* is a list of equal elements in the same order."""
        return self._has_size_of(other) and all(map(_equal, self.elements, other))

    def add(self, other: Value) -> Value:
        """Return the elements of both."""
        return [*self.elements, *other]


class SetView(_TypedList):
    """A set: the order of its elements does not count, and a sum has each once."""

    __slots__ = ()

    def equal(self, other: Value) -> bool:
        """Return whether *other* is a list of the same elements in any order."""
        if not self._has_size_of(other):
            return False
        mine = {_scalar(element) for element in self.elements}
        its = {_scalar(element) for element in other}
        return mine == its

    def add(self, other: Value) -> Value:
        """Return the elements of both, each once."""
        elements = list(self.elements)
        known = set(map(_scalar, elements))
        for element in other:
            key = _scalar(element)
            if key not in known:
                known.add(key)
                elements.append(element)
        return SetView(elements)


class MapListView(_TypedList):
    """A list-map: items are told apart by their keys, their order does not count, and a sum has each key once."""

    __slots__ = ("_keys",)

    def __init__(self, elements: Sequence[Value], keys: tuple[str, ...]) -> None:
        super().__init__(elements)
        self._keys = keys

    def equal(self, other: Value) -> bool:
        """Return whether *other* is a list of equal items in any order."""
        if not self._has_size_of(other):
            return False
        mine = {self._key(item): item for item in self.elements}
        seen: set[Hashable] = set()
        for item in other:
            key = self._key(item)
            if key not in mine or not _equal(mine[key], item):
                return False
            seen.add(key)
        return len(seen) == len(mine)

    def add(self, other: Value) -> Value:
        """Return the items of both; those of *other* stand in the place of those with the same keys."""
        items = list(self.elements)
        places = {self._key(item): index for index, item in enumerate(items)}
        for item in other:
            place = places.get(self._key(item))
            if place is None:
                items.append(item)
            else:
                items[place] = item
        return MapListView(items, self._keys)

    def _key(self, item: Value) -> Hashable:
        if not is_map(item):
            return (None,)
        # Go looks for the escaped names, which the raw items do not have where escaping changes them.
        raw = item.value if isinstance(item, ObjectView) else item
        values = [raw.get(key) if isinstance(raw, dict) else find(raw, key) for key in self._keys]
        return tuple((type(value), value) for value in values)


def _equal(left: Value, right: Value) -> bool:
    """Return whether parts of two values are equal: other than whole ones, not even null may be beside an object or a list."""
    if isinstance(left, ObjectView | _TypedList):
        return left.equal(right)
    return equality.equal(left, right)


def _scalar(element: Value) -> Hashable:
    """Return what tells the elements of sets apart."""
    if is_list(element) or is_map(element):
        raise EvaluationError("listSet operations are only supported on lists of scalar values")
    return type(element), element
