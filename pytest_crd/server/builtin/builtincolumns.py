"""Columns of tables of built-in resources, from `builtincolumns.json`."""

from __future__ import annotations

import functools
import json
from collections.abc import Mapping, Sequence
from importlib import resources
from typing import Any

from pytest_crd.server.resourcetypes import TableColumn


@functools.cache
def _recorded_columns() -> Mapping[str, Sequence[Sequence[Any]]]:
    """Return the output of `python -m oracle record builtincolumns`."""
    text = resources.files(__package__).joinpath("builtincolumns.json").read_text(encoding="utf-8")
    columns: Mapping[str, Sequence[Sequence[Any]]] = json.loads(text)
    return columns


@functools.cache
def of_resource(resource: str) -> tuple[TableColumn, ...]:
    """Return the recorded columns of a resource; empty if none are recorded."""
    rows = _recorded_columns().get(resource, ())
    return tuple(
        TableColumn(name, type_, "", description, priority, form) for name, type_, form, priority, description in rows
    )
