"""
Validation rules (`x-kubernetes-validations`): where a schema has them, and when the server does not get as far as them.

Nothing here evaluates a rule.
"""

from __future__ import annotations

import inspect
import warnings
from collections.abc import Iterable, Iterator
from typing import Final

from pytest_crd.engine.errors import gosyntax
from pytest_crd.engine.errors.fielderror import ErrorType, FieldError
from pytest_crd.engine.errors.response import Response
from pytest_crd.engine.fieldpath import FieldPath
from pytest_crd.engine.profile import Profile
from pytest_crd.engine.schema.structural import Structural

_BLOCKING: Final = frozenset(
    {
        ErrorType.NOT_SUPPORTED,
        ErrorType.REQUIRED,
        ErrorType.TOO_LONG,
        ErrorType.TOO_MANY,
        ErrorType.TYPE_INVALID,
    }
)
_NOT_CHECKED: Final = (
    "some validation rules were not checked because the object was invalid; "
    "correct the existing errors to complete validation"
)


_NOT_CALLERS: Final = ("pytest_crd.", "functools")


class RulesNotEvaluatedWarning(UserWarning):
    """An answer that leaves out what validation rules would have said: they cannot be evaluated yet."""


def places(schema: Structural | None) -> tuple[str, ...]:
    """
    Return where in a resource the rules of *schema* hold: `spec.replicas`, `spec.items[*]`, `spec.labels.*`, `self` at the root.

    Reference:
        apiextensions-apiserver schema/cel/validation.go, hasXValidations.
    """
    return () if schema is None else tuple(_places(schema, ""))


def blocked(errors: Iterable[FieldError], profile: Profile) -> FieldError | None:
    """
    Return the error that stands for the rules where *errors* keep the server from evaluating them, else None.

    Args:
        errors: What is wrong with a resource otherwise.
        profile: How the error is printed.

    Errors:
        Invalid, at no field.

    Reference:
        apiextensions-apiserver registry/customresource/strategy.go, hasBlockingErr.
    """
    if not any(error.type in _BLOCKING for error in errors):
        return None
    printed = None if profile.prints_values_as_json else '"null"'
    return gosyntax.invalid_as(FieldPath(), None, printed, _NOT_CHECKED)


def is_notice(error: FieldError) -> bool:
    """Return whether *error* is the one that `blocked` gives, which says nothing of the resource itself."""
    return error.field == str(FieldPath()) and error.detail == _NOT_CHECKED


def warned(asked: object, answer: Response) -> Response:
    """Return *answer* to a caller's caller; warn where it leaves out what rules would have said about what was *asked*."""
    if answer.unevaluated:
        listed = ", ".join(answer.unevaluated)
        message = f"{asked!r}: validation rules cannot be evaluated yet, the answer leaves them out: {listed}"
        warnings.warn(message, RulesNotEvaluatedWarning, stacklevel=_to_caller())
    return answer


def _to_caller() -> int:
    """Return the stack level of who asked, who is neither of this package nor behind a cached property."""
    frame, level = inspect.currentframe(), 0
    while frame is not None and str(frame.f_globals.get("__name__")).startswith(_NOT_CALLERS):
        frame, level = frame.f_back, level + 1
    return level


def _places(schema: Structural, path: str) -> Iterator[str]:
    if schema.x_validations:
        yield path or "self"
    if schema.items is not None:
        yield from _places(schema.items, f"{path}[*]")
    if schema.value_schema is not None:
        yield from _places(schema.value_schema, f"{path}.*" if path else "*")
    for name, child in schema.properties.items():
        yield from _places(child, f"{path}.{name}" if path else name)
