"""What a case expects of a refusal, held against the errors that are there: which are met, missing, unasked and near."""

from __future__ import annotations

import difflib
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Final

from pytest_crd.cases import ownership
from pytest_crd.cases.caseparts import ExpectedError
from pytest_crd.cases.model import ApplyCase, RequestCase
from pytest_crd.cases.result import Accepted, ErrorsMismatch, MessageMismatch, Mismatch, NearMiss, Rejected
from pytest_crd.engine import Response
from pytest_crd.engine.errors.fielderror import ErrorType, FieldError
from pytest_crd.engine.golang.regexp import patterns
from pytest_crd.engine.requests import rules

# From here on, a text counts as a variant of another.
_ALIKE: Final = 0.6


def of_response(
    case: RequestCase, response: Response, *, hint: str = "", ratcheted: Sequence[FieldError] = ()
) -> Iterator[Mismatch]:
    """
    Yield where the verdict and its errors are not those that *case* expects.

    Args:
        case: What is expected: `errors`, `containsErrors`, `error`, `conflicts`; without them, that the object is accepted.
        response: What the server answers.
        hint: What may have led to a refusal; may be empty.
        ratcheted: What is wrong with an object that is accepted.
    """
    if not case.expects_refusal:
        if not response.accepted:
            yield Rejected(response.code, response.errors, hint)
        return
    if response.accepted:
        expected = (*(case.errors or ()), *(case.contains_errors or ()))
        conflicts = case.conflicts if isinstance(case, ApplyCase) else None
        yield Accepted(response.code, expected, case.error, tuple(ratcheted), conflicts or ())
        return
    if isinstance(case, ApplyCase):
        yield from ownership.of_conflicts(case, response)
    for key, wanted, is_open in (("errors", case.errors, False), ("containsErrors", case.contains_errors, True)):
        if wanted is not None and (mismatch := _errors_mismatch(key, wanted, response, is_open=is_open)):
            yield mismatch
    if case.error is not None and case.error not in response.message:
        yield MessageMismatch(case.error, response.message)


def _errors_mismatch(
    key: str, wanted: Sequence[ExpectedError], response: Response, *, is_open: bool
) -> ErrorsMismatch | None:
    pairs = _pairs(wanted, response.errors)
    met = tuple(error for index, error in enumerate(response.errors) if index in pairs)
    # That rules were not checked need not be expected: it follows from the other errors.
    others = [error for index, error in enumerate(response.errors) if index not in pairs and not rules.is_notice(error)]
    unasked = tuple(error for error in others if error.type is not ErrorType.REQUEST)
    missing = [one for index, one in enumerate(wanted) if index not in pairs.values()]
    if not missing and (is_open or not others):
        return None
    refusal = f"{response.code}: {response.message}" if len(unasked) < len(others) else ""
    with_nearest = tuple((one, _nearest(one, unasked)) for one in missing)
    return ErrorsMismatch(key, with_nearest, unasked, met, refusal)


def _pairs(wanted: Sequence[ExpectedError], found: Sequence[FieldError]) -> dict[int, int]:
    """
    Return which error that is there meets which expected one, by index; as many as there can be.

    An expected error that says little may fit several: then one that fits only one of them must not find it taken.
    """
    taken: dict[int, int] = {}

    def place(expected: int, tried: set[int]) -> bool:
        for index, error in enumerate(found):
            if index not in tried and not _wrong(wanted[expected], error):
                tried.add(index)
                if index not in taken or place(taken[index], tried):
                    taken[index] = expected
                    return True
        return False

    for expected in range(len(wanted)):
        place(expected, set())
    return taken


def meets(expected: ExpectedError, error: FieldError) -> bool:
    """Return whether *error* is one that is *expected*."""
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
    """Return whether *part* is in the text of a CEL rule; how either is broken into lines does not count."""
    return " ".join(part.split()) in " ".join(rule.split())


def _nearest(expected: ExpectedError, errors: Sequence[FieldError]) -> NearMiss | None:
    near = [error for error in errors if _is_near(expected, error)]
    if not near:
        return None
    best = min(near, key=lambda error: (len(_wrong(expected, error)), -_likeness(expected, error)))
    return NearMiss(best, _wrong(expected, best))


def _is_near(expected: ExpectedError, error: FieldError) -> bool:
    if expected.rule is not None and error.rule is not None and expected.field in (None, error.field):
        return True
    return expected.field == error.field or _likeness(expected, error) >= _ALIKE


def _likeness(expected: ExpectedError, error: FieldError) -> float:
    """Return how much of the words of *expected* is in those of *error*, from 0 to 1."""
    stated = expected.message or expected.detail or expected.matches or ""
    words = error.detail if expected.detail else error.message
    return difflib.SequenceMatcher(None, stated, words, autojunk=False).ratio()
