"""The matching of expected errors: as many as can be are met, with work that grows with their number."""

from __future__ import annotations

import pytest
from hypothesis import given, strategies

from pytest_crd import suggestions
from pytest_crd.cases import refusals
from pytest_crd.cases.parts import ExpectedError
from pytest_crd.cases.refusals import ErrorIndex, Matching, _errors_mismatch
from pytest_crd.engine.errors.fielderror import ErrorType, FieldError
from pytest_crd.report import verdictwords
from pytest_crd.suggestions import WorkBudget

_TYPES = strategies.sampled_from([ErrorType.INVALID, ErrorType.REQUIRED])
_FIELDS, _DETAILS = strategies.sampled_from("ab"), strategies.sampled_from("xy")
_ERRORS = strategies.builds(FieldError, _TYPES, _FIELDS, strategies.just(1), _DETAILS)
_NONE = strategies.none()
_EXPECTED = strategies.builds(
    ExpectedError, _NONE | _TYPES, _NONE | _FIELDS, message=_NONE, detail=_NONE | _DETAILS, matches=_NONE, rule=_NONE
)


def _most(wanted: list[ExpectedError], errors: list[FieldError]) -> int:
    """Return how many expectations can be met, by trial of each possibility."""
    if not wanted:
        return 0
    first, *rest = wanted
    others = [errors[:index] + errors[index + 1 :] for index, item in enumerate(errors) if refusals.meets(first, item)]
    return max(_most(rest, errors), *(1 + _most(rest, remaining) for remaining in others), 0)


def _error(index: int) -> FieldError:
    return FieldError(ErrorType.INVALID, f"spec.f{index:05}", 1, "is wrong")


@given(wanted=strategies.lists(_EXPECTED, max_size=5), errors=strategies.lists(_ERRORS, max_size=5))
def test_as_many_expectations_are_met_as_can_be(wanted: list[ExpectedError], errors: list[FieldError]) -> None:
    pairs = Matching(wanted, ErrorIndex(errors), refusals.meets).pairs

    assert all(refusals.meets(wanted[entry], errors[index]) for index, entry in pairs.items())
    assert len(set(pairs.values())) == len(pairs) == _most(wanted, errors)


@pytest.mark.parametrize("loose", [0, 1, 2])
@pytest.mark.parametrize("letter", ["f", "g"])
def test_the_work_of_a_matching_grows_with_the_number_of_errors(letter: str, loose: int) -> None:
    def work(count: int) -> int:
        visited = []
        wanted = [ExpectedError(ErrorType.INVALID)] * (loose * count // 2)
        wanted += [ExpectedError(field=f"spec.{letter}{index:05}") for index in range(count)]

        def is_met(expected: ExpectedError, error: FieldError) -> bool:
            visited.append(error)
            return refusals.meets(expected, error)

        Matching(wanted, ErrorIndex([_error(index) for index in range(count)]), is_met)
        return len(visited)

    assert work(1_000) <= 4 * work(250)


def test_thousands_of_equal_expectations_are_met() -> None:
    wanted = [ExpectedError(ErrorType.INVALID)] * 3_000

    assert len(Matching(wanted, ErrorIndex([_error(index) for index in range(2_000)]), refusals.meets).pairs) == 2_000


def test_missing_errors_are_listed_though_no_nearest_is_looked_for(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(suggestions, "WorkBudget", lambda: WorkBudget(60_000))
    wanted = [ExpectedError(message=f"Invalid value: {index}: is wrong") for index in range(2, 50)]

    mismatch = _errors_mismatch("errors", wanted, _Refusal([_error(index) for index in range(50)]), is_open=False)  # type: ignore[arg-type]

    assert mismatch is not None
    assert len(mismatch.missing) == 48
    lines = [line for line in verdictwords.lines(mismatch, verbosity=0) if line.label == "missing"]
    assert len(lines) == 48
    assert lines[0].note == ""
    assert lines[-1].note == "similar errors were not looked for, as there are too many"


class _Refusal:
    code, message = 422, "refused"

    def __init__(self, errors: list[FieldError]) -> None:
        self.errors = errors
