"""
Recognition: which of the errors of an answer a case has stated, so that no other keyword and no other limit could stand behind it.

What an expected error says is held against the words of an error; nothing else in coverage looks at such words.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence
from typing import Final

from pytest_crd.cases import refusals
from pytest_crd.cases.caseparts import ExpectedError
from pytest_crd.cases.model import RequestCase
from pytest_crd.engine.errors.fielderror import ErrorType, FieldError
from pytest_crd.engine.golang.regexp import patterns

# What each of these stands for is said by the type alone: its keyword has no limit that could be another one.
_PLAIN: Final = frozenset({ErrorType.REQUIRED, ErrorType.DUPLICATE, ErrorType.NOT_SUPPORTED})
# What a keyword declares, as it stands in the words of its error: its number, its pattern, its type or format.
_DECLARED: Final = re.compile(r"(?<=match ').*(?=')|(?<=of type )[^:]+|\d+(?:\.\d+)?", re.DOTALL)
_SUBJECT: Final = " in body "


def states(case: RequestCase, error: FieldError, others: Sequence[FieldError]) -> bool:
    """
    Return whether a case that holds states an error of the answer by what tells its keyword from others.

    Args:
        case: What is expected.
        error: The error.
        others: The other errors of the answer.
    """
    return _is_stated(case, error, others, _names_keyword)


def states_words(case: RequestCase, error: FieldError, others: Sequence[FieldError]) -> bool:
    """Return whether a case that holds states the words of an error, which a `messageExpression` has made; as `states`."""
    return _is_stated(case, error, others, _has_words)


def texts(case: RequestCase) -> Iterator[str]:
    """Yield the whole texts that a case expects in its refusal."""
    for one in (*(case.errors or ()), *(case.contains_errors or ())):
        yield from filter(None, (one.message, one.detail))
    if case.error is not None:
        yield case.error


def _is_stated(
    case: RequestCase,
    error: FieldError,
    others: Sequence[FieldError],
    is_enough: Callable[[ExpectedError, FieldError], bool],
) -> bool:
    # Of a whole list each error has its own; what is only some of the errors might be met by another.
    own = (one for one in case.contains_errors or () if not any(refusals.meets(one, other) for other in others))
    found = (one for one in (*(case.errors or ()), *own) if refusals.meets(one, error))
    return any(is_enough(one, error) for one in found) or _is_part_stated(case.error, error, others)


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
    return not any(finds(message) for message in _altered(error))


def _is_part_stated(part: str | None, error: FieldError, others: Sequence[FieldError]) -> bool:
    """Return whether a part of the whole message is about *error*, and would not be there without it."""
    if part is None:
        return False
    if str(error) in part:
        return True
    if part not in str(error) or any(part in str(other) for other in others):
        return False
    return not any(part in f"{error.field}: {message}" for message in _altered(error))


def _altered(error: FieldError) -> Iterator[str]:
    """Yield the message as others would have it: without its detail, and as if the keyword declared something else."""
    begin = error.message.removesuffix(error.detail)
    if error.detail:
        yield begin
    head, subject, tail = error.detail.rpartition(_SUBJECT)
    altered = _DECLARED.sub("\N{HORIZONTAL ELLIPSIS}", tail)
    if error.rule is None and altered != tail:
        yield f"{begin}{head}{subject}{altered}"
