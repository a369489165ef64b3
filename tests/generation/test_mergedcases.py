"""Merged cases: a file without room for a case of each value has several values in one object."""

from __future__ import annotations

import re
from collections.abc import Iterable
from typing import Any

import pytest
from synthesis import versions
from synthesis.versions import fields

from pytest_crd import engine
from pytest_crd.cases import caserunner
from pytest_crd.cases.model import AnyCase
from pytest_crd.cases.subject import CaseSubject
from pytest_crd.generation import generate, reach

TEXT: dict[str, Any] = {"type": "string"}
INNER: dict[str, Any] = {"type": "object", "properties": {"text": {**TEXT, "maxLength": 3}}}
SPEC = fields(
    **{f"n{index}": {"type": "integer", "minimum": 3, "maximum": 9} for index in range(10)},
    **{f"o{index}": INNER for index in range(6)},
    **{f"l{index}": {"type": "array", "items": TEXT} for index in range(2)},
)
LINES = 240


def _failing(cases: Iterable[AnyCase], version: engine.CrdVersion) -> list[str]:
    subject = CaseSubject(version)
    return [case.name for case in cases if not caserunner.run(case, subject).holds]


@pytest.fixture(scope="module")
def text() -> str:
    return generate([versions.create_version(SPEC)], most_lines=LINES).text


@pytest.fixture(scope="module")
def cases(text: str) -> list[AnyCase]:
    return [*reach.parse_cases(text)]


def test_merged_cases_hold_what_single_cases_have_no_room_for(text: str, cases: list[AnyCase]) -> None:
    assert text.count("\n") <= LINES
    assert "are refused together" in text
    assert "drop unknown fields together" in text
    assert _failing(cases, versions.create_version(SPEC)) == []


@pytest.mark.parametrize("name", ["n0", "n4", "n9"])
@pytest.mark.parametrize("keyword", ["minimum", "maximum"])
def test_each_bound_in_a_merged_case_is_noticed(cases: list[AnyCase], name: str, keyword: str) -> None:
    moved = {**SPEC["properties"][name], keyword: SPEC["properties"][name][keyword] + 1}

    changed = {**SPEC, "properties": {**SPEC["properties"], name: moved}}

    assert _failing(cases, versions.create_version(changed)) != []


def test_lists_that_become_sets_are_noticed(cases: list[AnyCase]) -> None:
    as_set = {**SPEC["properties"]["l1"], "x-kubernetes-list-type": "set"}

    assert _failing(cases, versions.create_version({**SPEC, "properties": {**SPEC["properties"], "l1": as_set}})) != []


def test_values_that_exclude_each_other_are_not_merged() -> None:
    rule = {"rule": "!(has(self.n0) && has(self.n1))", "message": "n0 or n1"}
    version = versions.create_version({**SPEC, "x-kubernetes-validations": [rule]})

    assert _failing(reach.parse_cases(generate([version], most_lines=LINES).text), version) == []


def test_accepted_values_are_merged_and_written_once() -> None:
    merged = generate([versions.create_version(SPEC)], most_lines=170).text

    assert "are accepted together" in merged
    assert re.search(r"  patch: &(\S+)\n(    .*\n)+  contains: \*\1\n", merged)


def test_long_texts_are_merged_with_long_texts_alone() -> None:
    long = {name: {**TEXT, "maxLength": 300} for name in ("long", "longer")}
    version = versions.create_version({**SPEC, "properties": {**SPEC["properties"], **long}})

    merged = generate([version], most_lines=LINES).text

    assert _failing(reach.parse_cases(merged), version) == []
    assert re.findall(r"path: (\S+), value: a, times: 301}\n", merged) == ["/spec/long", "/spec/longer"]
    assert not re.search(r"times: 301}\n  .*/spec/[^l]", merged)


def test_files_for_several_kubernetes_versions_have_no_merged_cases() -> None:
    version = versions.create_version(SPEC)
    old = version.crd.under("1.32").version("v1")

    assert " together" not in generate([version, old], most_lines=LINES).text
