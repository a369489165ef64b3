"""Comparison of the errors of a refusal with the expected ones: met, missing, unasked and similar errors."""

from __future__ import annotations

import difflib
import json
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Final

from pytest_crd import lazyimport, suggestions
from pytest_crd.cases.deviations import (
    Accepted,
    ErrorsMismatch,
    MessageMismatch,
    Mismatch,
    NearMiss,
    PathsMismatch,
    Rejected,
    Unstated,
)
from pytest_crd.cases.model import ApplyCase, RequestCase
from pytest_crd.cases.parts import ExpectedDenial, ExpectedError
from pytest_crd.engine import Response
from pytest_crd.engine.errors.fielderror import ErrorType, FieldError
from pytest_crd.engine.errors.refusal import Denial

if TYPE_CHECKING:
    from pytest_crd.cases import expectedowners
    from pytest_crd.engine.golang.regexp import patterns
    from pytest_crd.engine.registry import resourcerules
else:
    resourcerules = lazyimport.module("pytest_crd.engine.registry.resourcerules")
    patterns = lazyimport.module("pytest_crd.engine.golang.regexp.patterns")
    expectedowners = lazyimport.module("pytest_crd.cases.expectedowners")

# From this likeness on, a text counts as a variant of another.
_ALIKE: Final = 0.6
_LONGEST_WORDS: Final = 200
_KEYS: Final = ("field", "message", "detail")


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
        denied = tuple(map(describe_denial, case.denied or ()))
        yield Accepted(response.code, expected, case.error, tuple(ratcheted), conflicts or (), denied, hint)
        return
    yield from compare_denials(case, response)
    yield from find_unstated_failures(case, response)
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


def compare_denials(case: RequestCase, response: Response) -> Iterator[PathsMismatch | MessageMismatch]:
    """Yield a mismatch if the denials of a refusal are not as *case* expects; order does not count."""
    if case.denied is None:
        return
    unasked = [*response.denials]
    missing, met = [], []
    for expected in case.denied:
        denial = next((item for item in unasked if _meets(expected, item)), None)
        if denial is None:
            missing.append(describe_denial(expected))
        else:
            unasked.remove(denial)
            met.append(describe_denial(expected))
    others = [describe_denial(ExpectedDenial(denial.by, denial.message, denial.reason)) for denial in unasked]
    if not response.denials:
        yield from (MessageMismatch(expected.by, response.message, "denied") for expected in case.denied)
    elif missing or others:
        yield PathsMismatch("denied", tuple(missing), tuple(others), tuple(met))


def find_unstated_failures(case: RequestCase, response: Response) -> Iterator[Unstated]:
    """Yield a mismatch for each policy that denies a request because it could not decide, if *case* does not state that failure."""
    for denial in response.denials:
        if denial.own_texts is None or _states_failure(case, denial, denial.own_texts, response.message):
            continue
        key = next((key for key in ("denied", "error") if key in case.declared), "errors")
        words = f"the policy {denial.by} could not decide: {denial.message}"
        yield Unstated(
            key, f"{words}; if this is intended, state a part of these words that is none of the policy's own texts"
        )


def _states_failure(case: RequestCase, denial: Denial, own_texts: Sequence[str], message: str) -> bool:
    """Return whether the case states words of the failure, or a reason, that no decision of the policy has."""
    expected = [item for item in case.denied or () if _meets(item, denial)]
    texts = [text for item in expected for text in (item.message, item.reason)]
    if case.error is not None and case.error not in message.replace(denial.message, ""):
        texts.append(case.error)
    for error in (*(case.errors or ()), *(case.contains_errors or ())):
        texts += [error.message, error.detail]
        if error.matches is not None:
            is_found = patterns.compile(error.matches)
            texts += (
                [denial.message] if not any(map(is_found, (*own_texts, message.replace(denial.message, "")))) else []
            )
    return any(text is not None and not any(text in own for own in own_texts) for text in texts)


def describe_denial(denial: ExpectedDenial) -> str:
    """Return a denial as in a case file: `{by: v.example.com, message: "no"}`."""
    texts = {"message": denial.message, "reason": denial.reason}
    stated = [f"{key}: {json.dumps(text, ensure_ascii=False)}" for key, text in texts.items() if text is not None]
    return "{" + ", ".join((f"by: {denial.by}", *stated)) + "}"


def _meets(expected: ExpectedDenial, denial: Denial) -> bool:
    is_message = expected.message is None or expected.message in denial.message
    return expected.by == denial.by and is_message and expected.reason in (None, denial.reason)


class ErrorIndex:
    """
    Index of errors by the texts that expectations can state.

    Attributes:
        errors: The errors.
    """

    def __init__(self, errors: Sequence[FieldError]) -> None:
        """Take the errors; they are indexed when the first expectation asks for them."""
        self.errors = errors
        self._by_key: dict[str, dict[str, list[int]]] = {}

    def possible(self, expected: ExpectedError) -> Sequence[int]:
        """Return the indices of the errors with a text that *expected* states; all indices if it states no whole text."""
        for key in _KEYS:
            if (text := getattr(expected, key)) is not None:
                return self._indexed(key).get(text, ())
        return range(len(self.errors))

    def of_field(self, field: str | None) -> Sequence[int]:
        """Return the indices of the errors at *field*."""
        return () if field is None else self._indexed("field").get(field, ())

    def _indexed(self, key: str) -> dict[str, list[int]]:
        if key not in self._by_key:
            index = self._by_key[key] = {}
            for place, error in enumerate(self.errors):
                index.setdefault(getattr(error, key), []).append(place)
        return self._by_key[key]


class Matching:
    """
    A maximum matching of expectations and errors.

    Equal expectations form a group. They fit the same errors, so that a search visits each group once.

    Attributes:
        pairs: The index of the met expectation by the index of the error.
    """

    def __init__(
        self, wanted: Sequence[ExpectedError], actual: ErrorIndex, is_met: Callable[[ExpectedError, FieldError], bool]
    ) -> None:
        """
        Match as many expectations as possible.

        An expectation that states little may fit several errors; it gives way to one that fits a single error.

        Args:
            wanted: The expectations.
            actual: The errors.
            is_met: Predicate that tells if an error meets an expectation.
        """
        self.pairs: dict[int, int] = {}
        self._wanted = wanted
        self._fitting = {
            expected: [place for place in actual.possible(expected) if is_met(expected, actual.errors[place])]
            for expected in dict.fromkeys(wanted)
        }
        # A taken error stays taken, so that each group looks at each of its errors once.
        self._free = {expected: iter(fitting) for expected, fitting in self._fitting.items()}
        self._hopeless: set[ExpectedError] = set()
        for entry in range(len(wanted)):
            self._place(entry)

    def _place(self, start: int) -> None:
        """Give the expectation *start* an error, moving others if needed; a group that finds none is hopeless."""
        if self._wanted[start] in self._hopeless:
            return
        visited, queue = {self._wanted[start]}, [start]
        moves: dict[int, tuple[int, int]] = {}
        for entry in queue:
            if (free := self._next_free(self._wanted[entry])) is not None:
                self._shift(start, entry, free, moves)
                return
            for error, owner in self._owners(entry):
                group = self._wanted[owner]
                if group not in visited and group not in self._hopeless:
                    visited.add(group)
                    moves[owner] = entry, error
                    queue.append(owner)
        self._hopeless |= visited

    def _owners(self, entry: int) -> Iterator[tuple[int, int]]:
        """Yield the errors that fit an expectation, each with the expectation that it meets now."""
        return ((error, self.pairs[error]) for error in self._fitting[self._wanted[entry]])

    def _next_free(self, expected: ExpectedError) -> int | None:
        return next((error for error in self._free[expected] if error not in self.pairs), None)

    def _shift(self, start: int, entry: int, error: int, moves: dict[int, tuple[int, int]]) -> None:
        """Give *error* to *entry*, the error of *entry* to its predecessor on the way, and so on until *start*."""
        while entry != start:
            self.pairs[error] = entry
            entry, error = moves[entry]
        self.pairs[error] = start
