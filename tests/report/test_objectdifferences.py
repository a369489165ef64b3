"""Why a field differs, as far as the passes tell."""

from __future__ import annotations

from typing import Any

import pytest

from pytest_crd.cases import comparison
from pytest_crd.cases.caseresult import Disregarded, Trace
from pytest_crd.cases.deviations import ObjectMismatch
from pytest_crd.report import objectdifferences
from pytest_crd.report.objectdifferences import DifferenceKind, ObjectDifference


def _differences(expected: Any, actual: Any, sent: Any, trace: Trace = Trace()) -> list[ObjectDifference]:  # noqa: B008 - frozen
    remainder = comparison.compare(expected, actual, None)
    assert remainder is not None
    return objectdifferences.find_differences(
        ObjectMismatch("expected", expected, actual, actual, remainder, sent), trace
    )


@pytest.mark.parametrize(
    ("actual", "sent", "trace", "reason"),
    [
        pytest.param({}, {}, Trace(), "the input does not have it, and no default puts it in", id="never there"),
        pytest.param({}, {"a": {"b": 1}}, Trace(), "", id="gone for a reason that no pass gives"),
        pytest.param(
            {}, {"a": {"b": 1}}, Trace(pruned=("a",)), "pruned: the schema does not specify it", id="pruned itself"
        ),
        pytest.param(
            {},
            {"a": None},
            Trace(nulls=("a",)),
            "null dropped: the schema does not allow null there, and has no default for it",
            id="a dropped null",
        ),
        pytest.param(
            {},
            {"a": {"b": 1}},
            Trace(lost=("a",)),
            "lost on storing: the storage version does not specify it",
            id="lost on storing",
        ),
    ],
)
def test_a_missing_field_says_why(actual: Any, sent: Any, trace: Trace, reason: str) -> None:
    (results,) = _differences({"a": {"b": 1}}, actual, sent, trace)

    assert (results.path, results.kind, results.reason) == ("a", DifferenceKind.MISSING, reason)


def test_a_field_below_a_pruned_one_names_that() -> None:
    (actual,) = _differences({"a": {"b": 1, "c": 1}}, {"a": {"c": 1}}, {}, Trace(pruned=("a",)))

    assert actual.reason == "pruned: the schema does not specify a"


def test_a_field_below_a_dropped_null_names_that() -> None:
    (actual,) = _differences({"a": {"b": 1, "c": 1}}, {"a": {"c": 1}}, {}, Trace(nulls=("a",)))

    assert actual.reason == "null dropped: the schema does not allow null at a, and has no default for it"


@pytest.mark.parametrize(
    ("sent", "trace", "reason"),
    [
        pytest.param({"a": 1}, Trace(), "kept from the input", id="from the input"),
        pytest.param({}, Trace(), "", id="from nowhere that a pass knows"),
        pytest.param({}, Trace(defaulted=("a",)), "the schema's default", id="a default"),
    ],
)
def test_an_unexpected_field_says_why(sent: Any, trace: Trace, reason: str) -> None:
    (actual,) = _differences({}, {"a": 1}, sent, trace)

    assert (actual.kind, actual.actual, actual.reason) == (DifferenceKind.UNEXPECTED, 1, reason)


def test_a_changed_field_below_a_default_names_that() -> None:
    (actual,) = _differences({"a": {"b": 1}}, {"a": {"b": 2}}, {}, Trace(defaulted=("a",)))

    assert (actual.kind, actual.expected, actual.actual) == (DifferenceKind.CHANGED, 1, 2)
    assert actual.reason == "the schema's default for a"


@pytest.mark.parametrize(
    ("kept", "reason"),
    [
        (Disregarded.DROPPED_ON_CREATE, "dropped: a create drops the status, which is a subresource"),
        (Disregarded.STATUS_ON_UPDATE, "kept from `old`: an update leaves the status alone, which is a subresource"),
        (Disregarded.REST_ON_STATUS_UPDATE, "kept from `old`: an update of the status leaves all else alone"),
    ],
)
def test_a_field_below_a_disregarded_part_has_that_reason(kept: Disregarded, reason: str) -> None:
    (actual,) = _differences({"a": {"b": 1}}, {"a": {"b": 2}}, {}, Trace(pruned=("a",), disregarded={"a": kept}))

    assert actual.reason == reason


def test_a_list_against_another_type_is_one_difference() -> None:
    (actual,) = _differences({"a": [1, {"b": 2}]}, {"a": "x"}, {})

    assert (actual.expected, actual.actual) == ([1, {"b": 2}], "x")


def test_differences_come_in_the_order_of_their_paths() -> None:
    expected = {"b": 1, "a": [1, 2, 3], "c": {"__x": 1}}
    actual = {"b": 2, "a": [9, 2, 8], "c": {}}

    assert [results.path for results in _differences(expected, actual, {})] == ["a[0]", "a[2]", "b", "c.__x"]
