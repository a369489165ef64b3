"""Comparison of the errors of a refusal with the expected ones: met, missing, unasked and similar errors."""

from __future__ import annotations

import difflib
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Final

from pytest_crd import suggestions
from pytest_crd.cases import denials, expectedowners
from pytest_crd.cases.caseparts import ExpectedError
from pytest_crd.cases.caseresult import Accepted, ErrorsMismatch, MessageMismatch, Mismatch, NearMiss, Rejected
from pytest_crd.cases.matching import ErrorIndex, Matching
from pytest_crd.cases.model import ApplyCase, RequestCase
from pytest_crd.engine import Response
from pytest_crd.engine.errors.fielderror import ErrorType, FieldError
from pytest_crd.engine.golang.regexp import patterns
from pytest_crd.engine.registry import resourcerules

# From this likeness on, a text counts as a variant of another.
_ALIKE: Final = 0.6
_LONGEST_WORDS: Final = 200


def compare_response(
    case: RequestCase, response: Response, *, hint: str = "", ratcheted: Sequence[FieldError] = ()
) -> Iterator[Mismatch]:
    """
    Yield the mismatches between a response and the verdict and errors that *case* expects.

    Args:
        case: The case, with `errors`, `containsErrors`, `error`, `conflicts`; without them, it expects acceptance.
        response: The server's response.
        hint: A possible cause of a refusal, or of missing denials; may be empty.
        ratcheted: The tolerated errors of an accepted object.
    """
    if not case.expects_refusal:
        if not response.accepted:
            yield Rejected(response.code, response.errors, hint)
        return
    if response.accepted:
        expected = (*(case.errors or ()), *(case.contains_errors or ()))
        conflicts = case.conflicts if isinstance(case, ApplyCase) else None
        denied = tuple(map(denials.describe, case.denied or ()))
        yield Accepted(response.code, expected, case.error, tuple(ratcheted), conflicts or (), denied, hint)
        return
    yield from denials.compare_denials(case, response)
    yield from denials.find_unstated_failures(case, response)
    if isinstance(case, ApplyCase):
        yield from expectedowners.compare_conflicts(case, response)
    for key, wanted, is_open in (("errors", case.errors, False), ("containsErrors", case.contains_errors, True)):
        if wanted is not None and (mismatch := _errors_mismatch(key, wanted, response, is_open=is_open)):
            yield mismatch
    if case.error is not None and case.error not in response.message:
        yield MessageMismatch(case.error, response.message)


def _errors_mismatch(
    key: str, wanted: Sequence[ExpectedError], response: Response, *, is_open: bool
) -> ErrorsMismatch | None:
    pairs = Matching(wanted, ErrorIndex(response.errors), meets).pairs
    met = tuple(error for index, error in enumerate(response.errors) if index in pairs)
    # The notice that rules were not checked need not be expected: it follows from the other errors.
    others = [
        error
        for index, error in enumerate(response.errors)
        if index not in pairs and not resourcerules.is_notice(error)
    ]
    unasked = tuple(error for error in others if error.type is not ErrorType.REQUEST)
    are_met = set(pairs.values())
    missing = [expected for index, expected in enumerate(wanted) if index not in are_met]
    if not missing and (is_open or not others):
        return None
    refusal = f"{response.code}: {response.message}" if len(unasked) < len(others) else ""
    search = _NearSearch(unasked)
    with_nearest = tuple((expected, search.nearest(expected)) for expected in missing)
    return ErrorsMismatch(key, with_nearest, unasked, met, refusal, unsearched=search.unsearched)


def meets(expected: ExpectedError, error: FieldError) -> bool:
    """Return whether *error* meets *expected*."""
    return not _wrong(expected, error)


def _wrong(expected: ExpectedError, error: FieldError) -> tuple[str, ...]:
    """Return the keys of *expected* that *error* does not meet."""
    return tuple(key for key, is_met in _CHECKS.items() if not is_met(expected, error))


_CHECKS: Final[Mapping[str, Callable[[ExpectedError, FieldError], bool]]] = {
    "field": lambda expected, error: expected.field in (None, error.field),
    "type": lambda expected, error: expected.type in (None, error.type),
    "message": lambda expected, error: expected.message in (None, error.message),
    "detail": lambda expected, error: expected.detail in (None, error.detail),
    "rule": lambda expected, error: (
        expected.rule is None or (error.rule is not None and is_in_rule(expected.rule, error.rule.text))
    ),
    "matches": lambda expected, error: expected.matches is None or patterns.compile(expected.matches)(error.message),
}


def is_in_rule(part: str, rule: str) -> bool:
    """Return whether *part* is in the text of a CEL rule, regardless of line breaks."""
    return " ".join(part.split()) in " ".join(rule.split())


class _NearSearch:
    """
    Search for the errors that are most similar to expected ones, within a budget.

    Attributes:
        unsearched: The number of expected errors after the budget was spent.
    """

    def __init__(self, errors: Sequence[FieldError]) -> None:
        self._errors = ErrorIndex(errors)
        self._budget = suggestions.WorkBudget()
        self.unsearched = 0

    def nearest(self, expected: ExpectedError) -> NearMiss | None:
        """Return the error that is most similar to an expected one; None if no error is similar or the budget is spent."""
        try:
            near = [*self._near(expected)]
        except suggestions.SpentBudgetError:
            self.unsearched += 1
            return None
        if not near:
            return None
        error = self._errors.errors[min(near)[-1]]
        return NearMiss(error, _wrong(expected, error))

    def _near(self, expected: ExpectedError) -> Iterator[tuple[int, float, int]]:
        """Yield the number of deviations of each similar error, the negated likeness of its words, and its index."""
        at_field = set(self._errors.of_field(expected.field))
        for index, error in enumerate(self._errors.errors):
            self._budget.spend(1)
            is_of_rule = expected.rule is not None and error.rule is not None and expected.field in (None, error.field)
            is_near = is_of_rule or index in at_field
            likeness = self._likeness(expected, error, least=0 if is_near else _ALIKE)
            if is_near or likeness >= _ALIKE:
                yield len(_wrong(expected, error)), -likeness, index

    def _likeness(self, expected: ExpectedError, error: FieldError, *, least: float) -> float:
        """Return the share of *expected*'s words in *error*, from 0 to 1; 0 if it is below *least*."""
        expected_words = (expected.message or expected.detail or expected.matches or "")[:_LONGEST_WORDS]
        error_words = (error.detail if expected.detail else error.message)[:_LONGEST_WORDS]
        matcher = difflib.SequenceMatcher(None, expected_words, error_words, autojunk=False)
        if matcher.real_quick_ratio() < least:
            return 0
        self._budget.spend(len(expected_words) + len(error_words))
        if matcher.quick_ratio() < least:
            return 0
        self._budget.spend(len(expected_words) * len(error_words))
        return matcher.ratio()
