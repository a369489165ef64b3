"""Tables and metadata-only objects, for clients without knowledge of the type."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Final

from pytest_crd.engine import jsonvalue
from pytest_crd.engine.golang import printing
from pytest_crd.engine.jsonvalue import JSONObject as Resource
from pytest_crd.engine.jsonvalue import JSONValue
from pytest_crd.server.http import statuses
from pytest_crd.server.resourcetypes import ResourceType, TableColumn
from pytest_crd.server.tables import ages, jsonpath
from pytest_crd.server.tables.jsonpathsteps import Byte, UnsupportedStepError

_INCLUDED: Final = ("Metadata", "Object", "None")


def demand_included(include: str) -> None:
    """
    Raise ApiError if `includeObject` has an unknown value.

    Raises:
        ApiError: 400.
    """
    if include and include not in _INCLUDED:
        problem = (
            f"includeObject: Invalid value: {printing.quote(include)}: must be 'Metadata', 'Object', 'None', or empty"
        )
        raise statuses.bad_request(f"Unable to convert to Table as requested: {problem}")


def table(  # noqa: PLR0913 - the parts of a table
    type_: ResourceType,
    objects: Iterable[Resource],
    metadata: Resource,
    *,
    version: str = "v1",
    include: str = "",
    heads: bool = True,
) -> Resource:
    """
    Return a Table.

    Args:
        type_: The resource.
        objects: The objects, in the version of the resource.
        metadata: The metadata of the list or object.
        version: The version of `meta.k8s.io`.
        include: The object in each row: `Object`, `None`, else its metadata.
        heads: Whether the Table has column definitions.

    Reference:
        apiextensions-apiserver registry/customresource/tableconvertor.
    """
    rows = [*objects]
    is_scale = any(row["kind"] == "Scale" for row in rows)
    columns = type_.scale_columns() if is_scale else type_.columns()
    table_: dict[str, JSONValue] = {"kind": "Table", "apiVersion": f"meta.k8s.io/{version}", "metadata": metadata}
    table_["columnDefinitions"] = [_definition(column) for column in columns] if heads else None
    table_["rows"] = [_row(type_, columns, row, version, include) for row in rows]
    return table_


def partial(object_: Resource, *, version: str = "v1") -> Resource:
    """Return the PartialObjectMetadata of an object."""
    api_version = f"meta.k8s.io/{version}"
    return {"kind": "PartialObjectMetadata", "apiVersion": api_version, "metadata": object_["metadata"]}


def partial_list(objects: Iterable[Resource], metadata: Resource, *, version: str = "v1") -> Resource:
    """Return a PartialObjectMetadataList."""
    items = [partial(object_, version=version) for object_ in objects]
    return {
        "kind": "PartialObjectMetadataList",
        "apiVersion": f"meta.k8s.io/{version}",
        "metadata": metadata,
        "items": items or None,
    }


def _definition(column: TableColumn) -> Resource:
    return {
        "name": column.name,
        "type": column.type,
        "format": column.format,
        "description": column.description,
        "priority": column.priority,
    }


def _row(
    type_: ResourceType, columns: Iterable[TableColumn], object_: Resource, version: str, include: str
) -> Resource:
    cells = type_.cells(object_)
    row: dict[str, JSONValue] = {"cells": [*_cells(columns, object_)] if cells is None else cells}
    if conditions := type_.row_conditions(object_):
        row["conditions"] = [*conditions]
    if include != "None":
        row["object"] = object_ if include == "Object" else partial(object_, version=version)
    else:
        row["object"] = None
    return row


def _cells(columns: Iterable[TableColumn], object_: Resource) -> Iterable[JSONValue]:
    return (_cell(column, object_) if column.cell is None else column.cell(object_) for column in columns)


def _cell(column: TableColumn, object_: Resource) -> JSONValue:
    """
    Return the value of a cell in the type of its column; None if the path leads to no such value.

    Reference:
        apiextensions-apiserver registry/customresource/tableconvertor, cellForJSONValue.
    """
    try:
        values = jsonpath.find_values(object_, column.path)
    except UnsupportedStepError as error:
        raise statuses.failure(500, "", str(error)) from None
    if not values:
        return None
    value = values[0]
    if column.type == "string":
        return _text(value)
    if column.type == "date":
        return ages.since(value) if isinstance(value, str) else None
    if column.type == "integer":
        return _int64(value) if _is_number(value) else None
    if column.type == "number":
        return jsonvalue.number(float(value)) if _is_number(value) else None
    return value if column.type == "boolean" and isinstance(value, bool) else None


def _int64(value: float) -> int:
    """Return a number as int64; the smallest one for a float beyond, as Go converts it on amd64."""
    whole = int(value)
    return whole if jsonvalue.MIN_INT64 <= whole <= jsonvalue.MAX_INT64 else jsonvalue.MIN_INT64


def _text(value: JSONValue) -> str:
    """Return a value as kubectl prints it."""
    if value is None:
        return "<no value>"
    if isinstance(value, str):
        return value
    return printing.number(value) if _is_number(value) else printing.marshal(value)


def _is_number(value: JSONValue) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool | Byte)
