"""
Recognition: the errors of an answer that a case expects specifically enough to identify the keyword and its limit.

Expected errors are compared with the words of the server's errors; no other module of coverage reads these words.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import Final

from pytest_crd import lazyre
from pytest_crd.cases import refusals
from pytest_crd.cases.model import RequestCase
from pytest_crd.cases.parts import ExpectedError
from pytest_crd.engine.errors.fielderror import ErrorType, FieldError
from pytest_crd.engine.golang.regexp import patterns

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
