"""Objects as clients show them that know nothing of their types: tables with the columns of a CRD, and metadata alone."""

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
from pytest_crd.server.tables.jsonpathsteps import UnsupportedStepError

_INCLUDED: Final = ("Metadata", "Object", "None")


def demand_included(include: str) -> None:
    """
    Pass when the rows of a table can have what is asked for.

    Raises:
        ApiError: 400: they cannot.
    """
    if include and include not in _INCLUDED:
        problem = (
            f"includeObject: Invalid value: {printing.quote(include)}: must be 'Metadata', 'Object', 'None', or empty"
        )
        raise statuses.bad_request(f"Unable to convert to Table as requested: {problem}")


def table(  # noqa: PLR0913 - what a table is made of
    type_: ResourceType,
    shown: Iterable[Resource],
    metadata: Resource,
    *,
    version: str = "v1",
    include: str = "",
    heads: bool = True,
) -> Resource:
    """
    Return a table.

    Args:
        type_: What is shown.
        shown: The objects, as they are read.
        metadata: That of the list, or of the one object.
        version: Of which version of `meta.k8s.io`.
        include: What rows have of their objects: `Object`, `None`, else their metadata.
        heads: Whether it says what the columns are.

    Reference:
        apiextensions-apiserver registry/customresource/tableconvertor.
    """
    rows = [*shown]
    is_scale = any(one["kind"] == "Scale" for one in rows)
    columns = type_.scale_columns() if is_scale else type_.columns()
    found: dict[str, JSONValue] = {"kind": "Table", "apiVersion": f"meta.k8s.io/{version}", "metadata": metadata}
    found["columnDefinitions"] = [_definition(one) for one in columns] if heads else None
    found["rows"] = [_row(type_, columns, one, version, include) for one in rows]
    return found


def partial(shown: Resource, *, version: str = "v1") -> Resource:
    """Return the metadata of an object alone."""
    api_version = f"meta.k8s.io/{version}"
    return {"kind": "PartialObjectMetadata", "apiVersion": api_version, "metadata": shown["metadata"]}


def partial_list(shown: Iterable[Resource], metadata: Resource, *, version: str = "v1") -> Resource:
    """Return a list of the metadata of objects alone."""
    items = [partial(one, version=version) for one in shown]
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


def _row(type_: ResourceType, columns: Iterable[TableColumn], shown: Resource, version: str, include: str) -> Resource:
    cells = type_.cells(shown)
    row: dict[str, JSONValue] = {"cells": [*_cells(columns, shown)] if cells is None else cells}
    if conditions := type_.row_conditions(shown):
        row["conditions"] = [*conditions]
    if include != "None":
        row["object"] = shown if include == "Object" else partial(shown, version=version)
    else:
        row["object"] = None
    return row


def _cells(columns: Iterable[TableColumn], shown: Resource) -> Iterable[JSONValue]:
    return (_cell(one, shown) if one.cell is None else one.cell(shown) for one in columns)


def _cell(column: TableColumn, shown: Resource) -> JSONValue:
    """
    Return what stands in a cell: a value of the type of its column; null where there is none.

    Reference:
        apiextensions-apiserver registry/customresource/tableconvertor, cellForJSONValue.
    """
    try:
        values = jsonpath.find(shown, column.path)
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
    return isinstance(value, int | float) and not isinstance(value, bool)
