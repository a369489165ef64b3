"""Comparison of objects, paths and warnings with the expectations of a case."""

from __future__ import annotations

from typing import Any

import pytest

from pytest_crd.cases import expectations
from pytest_crd.cases.caseresult import Trace
from pytest_crd.cases.deviations import ObjectMismatch, PathsMismatch, Present
from pytest_crd.cases.model import CreateCase
from pytest_crd.cases.sections import CaseLines
from pytest_crd.engine.yaml import yamlreader

LINES = CaseLines(yamlreader.read_one("a: 1"))
STORED = {
    "apiVersion": "example.com/v1",
    "kind": "Garden",
    "metadata": {"name": "it", "namespace": "ns", "uid": "u"},
    "spec": {"a": 1, "ab": 2},
}


def _mismatches(*, made_up: frozenset[str] = frozenset(), **stated: Any) -> list[Any]:
    case = CreateCase(name="a", input={}, lines=LINES, **stated)
    return list(expectations.compare_object(case, STORED, {}, None, made_up=made_up))


@pytest.mark.parametrize(
    "stated",
    [
        pytest.param({"expected": {"spec": {"a": 1, "ab": 2}}}, id="what is filled in may be left out"),
        pytest.param({"expected": {**STORED, "metadata": {"name": "it"}}}, id="the namespace may be left out"),
        pytest.param({"expected": {**STORED, "metadata": {"name": "it", "uid": "other"}}}, id="a uid is not compared"),
        pytest.param({"contains": {"spec": {"a": 1}}}, id="a part"),
        pytest.param({"contains": {"kind": "Garden"}}, id="a part of what is filled in"),
        pytest.param({"absent": ("spec.b", "metadata.labels")}, id="what is not there"),
        pytest.param({}, id="nothing"),
    ],
)
def test_an_object_is_as_expected(stated: Any) -> None:
    assert _mismatches(**stated) == []


@pytest.mark.parametrize(
    ("stated", "expected", "actual"),
    [
        pytest.param({"expected": {"spec": {"a": 1}}}, {"spec": {}}, {"spec": {"ab": 2}}, id="a field too many"),
        pytest.param(
            {"expected": {"spec": {"a": True, "ab": 2}}}, {"spec": {"a": True}}, {"spec": {"a": 1}}, id="type"
        ),
        pytest.param(
            {"expected": {"metadata": {"name": "it", "namespace": "other"}, "spec": {"a": 1, "ab": 2}}},
            {"metadata": {"namespace": "other"}},
            {"metadata": {"namespace": "ns"}},
            id="another namespace",
        ),
        pytest.param(
            {"expected": {"metadata": {}, "spec": {"a": 1, "ab": 2}}},
            {"metadata": {}},
            {"metadata": {"name": "it"}},
            id="a name that was stated",
        ),
        pytest.param({"contains": {"spec": {"b": 1}}}, {"spec": {"b": 1}}, {"spec": {}}, id="a missing field"),
        pytest.param({"contains": {"kind": "Pod"}}, {"kind": "Pod"}, {"kind": "Garden"}, id="another kind"),
    ],
)
def test_an_object_is_not_as_expected(stated: Any, expected: Any, actual: Any) -> None:
    (mismatch,) = _mismatches(**stated)

    assert isinstance(mismatch, ObjectMismatch)
    assert mismatch.key in stated
    assert (mismatch.remainder.expected, mismatch.remainder.actual) == (expected, actual)


def test_a_name_that_was_made_up_is_compared_only_where_the_case_states_one() -> None:
    spec = {"a": 1, "ab": 2}
    made_up = frozenset({"name"})

    assert _mismatches(expected={"metadata": {}, "spec": spec}, made_up=made_up) == []
    assert len(_mismatches(expected={"metadata": {"name": "other"}, "spec": spec}, made_up=made_up)) == 1


def test_an_absent_field_is_found_by_its_whole_path() -> None:
    assert _mismatches(absent=("spec.a", "spec.b", "spec.ab.c")) == [Present("spec.a", 1)]


def test_paths_are_compared_in_any_order_and_as_often_as_they_stand_there() -> None:
    trace = Trace(pruned=("b", "a", "a"), defaulted=("c",))

    assert list(expectations.compare_paths({"pruned": ("a", "b", "a"), "lost": ()}, trace)) == []
    assert list(expectations.compare_paths({"pruned": ("a", "x"), "defaulted": None}, trace)) == [
        PathsMismatch("pruned", missing=("x",), unasked=("b", "a"), met=("a",))
    ]


@pytest.mark.parametrize(
    ("key", "found"),
    [
        ("pruned", Trace(pruned=("a",))),
        ("defaulted", Trace(defaulted=("a",))),
        ("nullsDropped", Trace(nulls=("a",))),
        ("lost", Trace(lost=("a",))),
    ],
)
def test_each_list_is_compared_with_the_trace_of_one_pass(key: str, found: Trace) -> None:
    assert list(expectations.compare_paths({key: ("a",)}, found)) == []
    assert list(expectations.compare_paths({key: ()}, found)) == [PathsMismatch(key, (), ("a",), ())]
    assert list(expectations.compare_paths({key: ("a",)}, Trace(), ("a",))) == [PathsMismatch(key, ("a",), (), ())]


def test_warnings_are_those_of_the_answer() -> None:
    assert list(expectations.compare_paths({"warnings": ("w",)}, Trace(pruned=("w",)), ("w",))) == []
    assert list(expectations.compare_paths({"warnings": ("w",)}, Trace(pruned=("w",)))) == [
        PathsMismatch("warnings", ("w",), (), ())
    ]
