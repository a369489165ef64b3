"""
CEL views of the values of a resource: JSON values themselves, unless the schema gives them another type.

Reference:
    apiserver pkg/cel/common/valuesunstructured.go, UnstructuredToVal.
"""

from __future__ import annotations

from functools import partial
from typing import Final

from pytest_crd.engine.cel.errors import EvaluationError
from pytest_crd.engine.cel.values.celvalues import Value
from pytest_crd.engine.jsonvalue import JSONValue
from pytest_crd.engine.profile import Profile
from pytest_crd.engine.rules import scalars
from pytest_crd.engine.rules.escaping import escape
from pytest_crd.engine.rules.listviews import ItemSchema, ListView, MapListView, SetView
from pytest_crd.engine.rules.objectviews import Entries, Fields, ObjectView, Preserved, Properties
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
