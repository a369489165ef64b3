"""Objects as clients show them that know nothing of their types: tables with the columns of a CRD, and metadata alone."""

from __future__ import annotations

from collections.abc import Iterable
from datetime import UTC, datetime
from typing import Final

from pytest_crd.engine.golang import printing
from pytest_crd.engine.jsonvalue import JSONObject as Resource
from pytest_crd.engine.jsonvalue import JSONValue
from pytest_crd.server import jsonpath, statuses
from pytest_crd.server.resourcetypes import AGE, ResourceType, TableColumn

_NAME: Final = TableColumn(
    "Name",
    "string",
    ".metadata.name",
    "Name must be unique within a namespace. Is required when creating resources, although some resources may allow a client to request the "
    "generation of an appropriate name automatically. Name is primarily intended for creation idempotence and configuration definition. "
    "Cannot be updated. More info: https://kubernetes.io/docs/concepts/overview/working-with-objects/names#names",
    format="name",
)
_OF_SCALES: Final = (
    TableColumn("Desired", "integer", ".spec.replicas", "Number of desired replicas"),
    TableColumn("Available", "integer", ".status.replicas", "Number of actual replicas"),
    AGE,
)
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
    columns = [_NAME, *(_OF_SCALES if is_scale else type_.columns())]
    found: dict[str, JSONValue] = {"kind": "Table", "apiVersion": f"meta.k8s.io/{version}", "metadata": metadata}
    found["columnDefinitions"] = [_definition(one) for one in columns] if heads else None
    found["rows"] = [_row(columns, one, version, include) for one in rows]
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


def _row(columns: Iterable[TableColumn], shown: Resource, version: str, include: str) -> Resource:
    name, *others = columns
    cells = (one.cell(shown) if one.cell is not None else _cell(one, shown) for one in others)
    row: dict[str, JSONValue] = {"cells": [_cell(name, shown) or "", *cells]}
    if include != "None":
        row["object"] = shown if include == "Object" else partial(shown, version=version)
    else:
        row["object"] = None
    return row


def _cell(column: TableColumn, shown: Resource) -> JSONValue:
    """
    Return what stands in a cell: a value of the type of its column; null where there is none.

    Reference:
        apiextensions-apiserver registry/customresource/tableconvertor, cellForJSONValue.
    """
    values = jsonpath.find(shown, column.path)
    if not values or values[0] is None:
        return None
    value = values[0]
    if column.type == "string":
        return value if isinstance(value, str) else _joined(values)
    if column.type == "date":
        return _age(value) if isinstance(value, str) else None
    is_number = isinstance(value, int | float) and not isinstance(value, bool)
    if column.type == "integer":
        return int(value) if is_number else None
    if column.type == "number":
        return float(value) if is_number else None
    return value if column.type == "boolean" and isinstance(value, bool) else None


def _joined(values: list[JSONValue]) -> str:
    return " ".join(one if isinstance(one, str) else printing.marshal(one) for one in values)


def _age(text: str) -> str:
    """Return how long ago a time is, in words; of what is no time that."""
    try:
        then = datetime.fromisoformat(text)
    except ValueError:
        return "<invalid>"
    if then.tzinfo is None:
        return "<invalid>"
    return duration(int((datetime.now(UTC) - then).total_seconds()))


def duration(seconds: int) -> str:  # noqa: PLR0911 - a line for each length
    """
    Return a length of time as people read it, in two units at most.

    Args:
        seconds: How long it is.

    Reference:
        apimachinery util/duration/duration.go, HumanDuration.
    """
    minutes, hours, days = seconds // 60, seconds // 3600, seconds // 86400
    if seconds < -1:
        return "<invalid>"
    if seconds < 0:
        return "0s"
    if seconds < 120:
        return f"{seconds}s"
    if minutes < 10:
        return _units(minutes, "m", seconds % 60, "s")
    if minutes < 180:
        return f"{minutes}m"
    if hours < 8:
        return _units(hours, "h", minutes % 60, "m")
    if hours < 48:
        return f"{hours}h"
    if hours < 192:
        return _units(days, "d", hours % 24, "h")
    if days < 730:
        return f"{days}d"
    years = days // 365
    return _units(years, "y", days % 365, "d") if years < 8 else f"{years}y"


def _units(great: int, great_unit: str, small: int, small_unit: str) -> str:
    return f"{great}{great_unit}{small}{small_unit}" if small else f"{great}{great_unit}"
