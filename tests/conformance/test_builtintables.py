"""Table rows of built-in kinds as kube-apiserver prints them, from stored and from sent objects."""

from __future__ import annotations

import json
from datetime import UTC, datetime
from pathlib import Path
from typing import Any, Final

import pytest

from pytest_crd.engine import profile
from pytest_crd.server import clock
from pytest_crd.server.builtin import builtintypes
from pytest_crd.server.builtin.builtintypes import BuiltInType
from pytest_crd.server.tables import tables

pytestmark = pytest.mark.replay
RECORDED: Final = Path(__file__).with_name("builtintables.jsonl")
_NOW: Final = "2026-01-01T00:00:00Z"
# Columns with values that a server allocates on creation, and that are missing here.
_ALLOCATED: Final = {"jobs.batch/v1": "Selector"}


@pytest.fixture(scope="module")
def rows() -> list[Any]:
    return [json.loads(line) for line in RECORDED.read_text(encoding="utf-8").splitlines()]


@pytest.fixture(autouse=True)
def _at_the_time_of_the_recording(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(clock, "now", lambda: datetime(2026, 1, 1, tzinfo=UTC))


def _type(row: Any) -> BuiltInType:
    resource = "deployments.apps/v1" if row["resource"] == "scale" else row["resource"]
    plural, _, group_version = resource.partition(".")
    types = builtintypes.built_in(profile.named("1.37"))
    return next(type_ for type_ in types if (type_.names.plural, type_.api_version) == (plural, group_version or "v1"))


def _print_row(row: Any, stored: Any) -> Any:
    (row_,) = tables.table(_type(row), [stored], {}, include="Object")["rows"]
    return row_


def test_stored_objects_are_printed_as_by_the_server(rows: list[Any]) -> None:
    for row in rows:
        expected = {key: row[key] for key in ("cells", "conditions", "object") if key in row}
        assert _print_row(row, row["object"]) == expected
    assert len({row["resource"] for row in rows}) == 14


def test_sent_objects_are_printed_with_the_defaults_of_a_server(rows: list[Any]) -> None:
    for row in rows:
        if row["resource"] in ("scale", "namespaces"):
            continue
        sent = row["sent"]
        stored = {**sent, "metadata": {**sent["metadata"], "creationTimestamp": _NOW}}
        printed, headings = _print_row(row, stored), [column.name for column in _type(row).columns()]
        server_cells = dict(zip(headings, row["cells"], strict=True))
        allocated = _ALLOCATED.get(row["resource"])
        expected = {**server_cells, allocated: "<none>"} if allocated else server_cells
        assert dict(zip(headings, printed["cells"], strict=True)) == expected
