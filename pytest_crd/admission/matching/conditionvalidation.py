"""
Validation of match conditions, in webhook configurations and admission policies.

Reference:
    kubernetes apis/admissionregistration/validation/validation.go.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Final, TypeAlias

from pytest_crd.admission.expressions.admissionexpressions import AdmissionExpression
from pytest_crd.engine.errors import fielderror
from pytest_crd.engine.errors.fielderror import Errors
from pytest_crd.engine.fieldpath import FieldPath
from pytest_crd.engine.golang import gostrings
from pytest_crd.engine.jsonvalue import JSONObject
from pytest_crd.engine.metadata import names
from pytest_crd.engine.profile import Profile

Compile: TypeAlias = Callable[[str], AdmissionExpression]
_MOST_CONDITIONS: Final = 64


def validate(conditions: Sequence[JSONObject | None], path: FieldPath, profile: Profile, compile_: Compile) -> Errors:
    """
    Yield the errors of match conditions.

    Args:
        conditions: The decoded conditions.
        path: Their path.
        profile: The Kubernetes version.
        compile_: Compiles a condition.
    """
    if len(conditions) > _MOST_CONDITIONS:
        yield fielderror.too_many(path, len(conditions), _MOST_CONDITIONS)
    names_before: set[str] = set()
    for index, condition in enumerate(conditions):
        place = path.index(index)
        name, expression = (condition or {}).get("name", ""), (condition or {}).get("expression", "")
        trimmed = gostrings.trim_space(expression)
        if not trimmed:
            yield fielderror.required(place.child("expression"), "")
        else:
            yield from validate_compiled(compile_(trimmed), place.child("expression"))
        if not name:
            yield fielderror.required(place.child("name"), "")
            continue
        for problem in names.label_key(name, profile):
            yield fielderror.invalid(place.child("name"), name, problem)
        if name in names_before:
            yield fielderror.duplicate(place.child("name"), name)
        names_before.add(name)


def validate_compiled(compiled: AdmissionExpression, path: FieldPath, text: str | None = None) -> Errors:
    """
    Yield the error of an expression that does not compile.

    Args:
        compiled: The compiled expression.
        path: Its path.
        text: The text in the error; None for that of the compiled expression.
    """
    if compiled.is_internal:
        yield fielderror.internal(path, compiled.problem)
    elif compiled.problem:
        yield fielderror.invalid(path, compiled.text if text is None else text, compiled.problem)
