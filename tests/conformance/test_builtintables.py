"""Rows of built-in kinds in tables are those that kube-apiserver has printed: of what it stored, and of what was sent."""

from __future__ import annotations

import json
from datetime import UTC, datetime
from pathlib import Path
from typing import Any, Final

import pytest

from pytest_crd.engine import profile
from pytest_crd.server.builtin import builtintypes
from pytest_crd.server.builtin.builtintypes import BuiltInType
from pytest_crd.server.tables import ages, tables

pytestmark = pytest.mark.replay
RECORDED: Final = Path(__file__).with_name("builtintables.jsonl")
_NOW: Final = "2026-01-01T00:00:00Z"
# What a server puts into an object when it is created, and is not put in here.
_ALLOCATED: Final = {"jobs.batch/v1": "Selector"}


@pytest.fixture(scope="module")
def rows() -> list[Any]:
    return [json.loads(line) for line in RECORDED.read_text(encoding="utf-8").splitlines()]


@pytest.fixture(autouse=True)
def _at_the_time_of_the_recording(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(ages, "now", lambda: datetime(2026, 1, 1, tzinfo=UTC))


def _type(row: Any) -> BuiltInType:
    resource = "deployments.apps/v1" if row["resource"] == "scale" else row["resource"]
    plural, _, group_version = resource.partition(".")
    types = builtintypes.built_in(profile.named("1.37"))
    return next(one for one in types if (one.names.plural, one.api_version) == (plural, group_version or "v1"))


def _printed(row: Any, shown: Any) -> Any:
    (found,) = tables.table(_type(row), [shown], {}, include="Object")["rows"]
    return found


def test_what_a_server_stores_is_printed_as_it_prints_it(rows: list[Any]) -> None:
    for row in rows:
        expected = {key: row[key] for key in ("cells", "conditions", "object") if key in row}
        assert _printed(row, row["object"]) == expected
    assert len({row["resource"] for row in rows}) == 14


def test_what_is_sent_is_printed_as_if_it_had_the_defaults_of_a_server(rows: list[Any]) -> None:
    for row in rows:
        if row["resource"] in ("scale", "namespaces"):
            continue
        sent = row["sent"]
        shown = {**sent, "metadata": {**sent["metadata"], "creationTimestamp": _NOW}}
        printed, headings = _printed(row, shown), [one.name for one in _type(row).columns()]
        of_server = dict(zip(headings, row["cells"], strict=True))
        allocated = _ALLOCATED.get(row["resource"])
        expected = {**of_server, allocated: "<none>"} if allocated else of_server
        assert dict(zip(headings, printed["cells"], strict=True)) == expected
