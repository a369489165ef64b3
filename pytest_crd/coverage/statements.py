"""
Statements: the expectations of a passed case, and the reached points that they hold.

A point is held if the case would fail with another behaviour of the schema there. Expected errors are compared with the words of the
server's errors, to recognize the keyword and its limit; no other module of coverage reads these words.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from functools import cached_property
from typing import Final

from pytest_crd import lazyre
from pytest_crd.cases import comparison, refusals
from pytest_crd.cases.caseresult import JudgedCase
from pytest_crd.cases.model import ConvertCase, RequestCase
from pytest_crd.cases.parts import ExpectedError
from pytest_crd.coverage.evidence import (
    Evidence,
    Kept,
    KeptSomewhere,
    LeftOut,
    NullDropped,
    Path,
    PutIn,
    Unknown,
    ValueRefused,
)
from pytest_crd.engine import fieldpath
from pytest_crd.engine.errors.fielderror import ErrorType, FieldError
from pytest_crd.engine.golang.regexp import patterns
from pytest_crd.engine.jsonvalue import JSONValue
from pytest_crd.engine.schema.schemamap import Each, Place

# Types of errors that identify their keyword, which has no limit that could differ.
_PLAIN: Final = frozenset({ErrorType.REQUIRED, ErrorType.DUPLICATE, ErrorType.NOT_SUPPORTED})
# The declared value in the words of an error: a number, a pattern, a type or a format.
_DECLARED: Final = lazyre.compile(r"(?<=of type )[^:]+|\d+(?:\.\d+)?")
_PATTERN: Final = "match '"
_SUBJECT: Final = " in body "
_OTHER: Final = "\N{HORIZONTAL ELLIPSIS}"


def states(case: RequestCase, error: FieldError, others: Sequence[FieldError]) -> bool:
    """
    Return True if a passed case expects *error* specifically enough to identify its keyword.

    Args:
        case: The case.
        error: The error.
        others: The other errors of the answer.
    """
    return _is_expected(case, error, others, _names_keyword)


def states_words(case: RequestCase, error: FieldError, others: Sequence[FieldError]) -> bool:
    """Return True if a passed case expects the words of an error, which a `messageExpression` computed; arguments as in `states`."""
    return _is_expected(case, error, others, _has_words)


def texts(case: RequestCase) -> Iterator[str]:
    """Yield the complete texts that a case expects in its refusal."""
    for expected in (*(case.errors or ()), *(case.contains_errors or ())):
        yield from filter(None, (expected.message, expected.detail))
    if case.error is not None:
        yield case.error


def _is_expected(
    case: RequestCase,
    error: FieldError,
    others: Sequence[FieldError],
    is_enough: Callable[[ExpectedError, FieldError], bool],
) -> bool:
    # Each error in a complete list has its own expectation; an error in a partial list counts only if it meets no other error.
    unambiguous = (
        item for item in case.contains_errors or () if not any(refusals.meets(item, rival) for rival in others)
    )
    matching = (item for item in (*(case.errors or ()), *unambiguous) if refusals.meets(item, error))
    return any(is_enough(item, error) for item in matching) or _is_part_expected(case.error, error, others)


def _names_keyword(expected: ExpectedError, error: FieldError) -> bool:
    if error.rule is not None and expected.rule is not None:
        return True
    is_plain = error.rule is None and error.type in _PLAIN and expected.type is error.type
    return is_plain or _has_words(expected, error)


def _has_words(expected: ExpectedError, error: FieldError) -> bool:
    if expected.message is not None or expected.detail is not None:
        return True
    if expected.matches is None:
        return False
    finds = patterns.compile(expected.matches)
    return not any(finds(message) for message in _alter_message(error))


def _is_part_expected(part: str | None, error: FieldError, others: Sequence[FieldError]) -> bool:
    """Return True if *part* of the whole message is about *error* and would be missing without it."""
    if part is None:
        return False
    if str(error) in part:
        return True
    if part not in str(error) or any(part in str(item) for item in others):
        return False
    return not any(part in f"{error.field}: {message}" for message in _alter_message(error))


def _alter_message(error: FieldError) -> Iterator[str]:
    """Yield the message without its detail, and with other declared values: one without any likeness, and ones that contain it."""
    begin = error.message.removesuffix(error.detail)
    if error.detail:
        yield begin
    head, subject, tail = error.detail.rpartition(_SUBJECT)
    if error.rule is None and _alter(tail, _replace) != tail:
        yield from (f"{begin}{head}{subject}{_alter(tail, alter)}" for alter in (_replace, _begin, _continue))


def _alter(tail: str, alter: Callable[[str], str]) -> str:
    """Return a part of a message with other declared values; a pattern ends at the last quote."""
    before, opening, rest = tail.partition(_PATTERN)
    pattern, closing, after = rest.rpartition("'")
    if closing:
        return f"{_alter(before, alter)}{opening}{alter(pattern)}{closing}{_alter(after, alter)}"
    return _DECLARED.sub(lambda declared: alter(declared[0]), tail)


def _replace(_: str) -> str:
    return _OTHER


def _begin(declared: str) -> str:
    """Return a longer declared value with the same end."""
    return f"{_OTHER}{declared}"


def _continue(declared: str) -> str:
    """Return a longer declared value with the same begin; for a number another one, as `at most 5` is specific enough."""
    return _OTHER if declared[-1:].isdigit() and declared[:1].isdigit() else f"{declared}{_OTHER}"


class Statement:
    """The expectations of a passed case."""

    def __init__(self, verdict: JudgedCase) -> None:
        """Take the case and its answer from the verdict."""
        self._case = verdict.case
        version = verdict.version
        self._schema = (version.crd.version(self._case.to) if isinstance(self._case, ConvertCase) else version).schema
        answer = verdict.result.answer
        assert answer is not None  # noqa: S101 - a judged case has an answer
        self._stored = answer.stored
        self._errors = answer.errors

    def states(self, evidence: Evidence) -> bool:  # noqa: PLR0911 - one line for each kind
        """Return True if the case expects the result that *evidence* of a reached point implies."""
        match evidence:
            case Kept(path):
                return path in self._whole or path in self._parts
            case KeptSomewhere(place):
                return any(_is_at(path, place) for path in (*self._whole, *self._parts))
            case PutIn(path):
                return path in self._whole or (path in self._parts and self._is_plain(path))
            case NullDropped(path):
                return self._is_listed("nullsDropped", path) or self._is_absent(path)
            case LeftOut(path):
                return self._is_absent(path)
            case Unknown(path):
                return self._is_listed("pruned", path) or self._is_absent(path) or self._is_in_message(path)
            case ValueRefused(error):
                return isinstance(self._case, RequestCase) and states(self._case, *self._among(error))
            case _:
                words = self._among(evidence.error)
                return isinstance(self._case, RequestCase) and states_words(self._case, *words)

    # Results

    @cached_property
    def _whole(self) -> frozenset[Path]:
        """The paths in the object that `expected` states, without any others."""
        return self._places(self._case.expected)

    @cached_property
    def _parts(self) -> frozenset[Path]:
        """The paths in the object that `contains` states, which may be incomplete."""
        return self._places(self._case.contains)

    def _places(self, expected: JSONValue) -> frozenset[Path]:
        if expected is None or self._stored is None:
            return frozenset()
        return frozenset(comparison.find_stated(expected, self._stored.value, self._schema))

    def _is_plain(self, path: Path) -> bool:
        """Return True if the value at *path* has no objects, in which `contains` would not notice additional fields."""
        return not _has_object(_at(self._stored.value, path)) if self._stored is not None else False

    # Dropped fields

    def _is_listed(self, key: str, path: Path) -> bool:
        """Return True if the case lists *path* under *key*."""
        return fieldpath.unknown_field(path) in (self._case.listed.get(key) or ())

    def _is_absent(self, path: Path) -> bool:
        """Return True if the case expects no value at *path*."""
        spelled = fieldpath.unknown_field(path)
        is_absent = any(fieldpath.leads_to(above, spelled) for above in self._case.absent or ())
        return is_absent or path[:-1] in self._whole

    def _is_in_message(self, path: Path) -> bool:
        """Return True if the case expects a warning or error about the unknown field at *path*."""
        if not isinstance(self._case, RequestCase):
            return False
        words = f'unknown field "{fieldpath.unknown_field(path)}"'
        return words in (self._case.warnings or ()) or any(words in text for text in texts(self._case))

    # Refusals

    def _among(self, error: FieldError) -> tuple[FieldError, tuple[FieldError, ...]]:
        return error, tuple(item for item in self._errors if item != error)


def _is_at(path: Path, place: Place) -> bool:
    """Return True if *path* is at *place*, in which `Each` steps match any key or index."""
    return len(path) == len(place) and all(
        isinstance(step, Each) or step == path_step for path_step, step in zip(path, place, strict=True)
    )


def _at(value: JSONValue, path: Path) -> JSONValue:
    for step in path:
        value = value[step]
    return value


def _has_object(value: JSONValue) -> bool:
    return isinstance(value, dict) or (isinstance(value, list) and any(map(_has_object, value)))
