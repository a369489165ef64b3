"""
Regular expressions: Kubernetes' library.

Reference:
    k8s.io/apiserver pkg/cel/library/regex.go.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from pytest_crd.engine.cel import regexes
from pytest_crd.engine.cel.costs import Argument, CallEstimate, EstimateContext, SizeEstimate
from pytest_crd.engine.cel.errors import EvaluationError
from pytest_crd.engine.cel.functions import Function, Library, Overload
from pytest_crd.engine.cel.library import costing
from pytest_crd.engine.cel.regexes import Regex
from pytest_crd.engine.cel.types import INT, STRING, list_of


def library() -> Library:
    """Return the library."""
    return Library("kubernetes.regex", _FUNCTIONS)


def _compiled(pattern: str) -> Regex:
    try:
        return regexes.compile(pattern)
    except EvaluationError as error:
        raise EvaluationError(f"Illegal regex: {error}") from None


def _find(text: str, pattern: str) -> str:
    return _compiled(pattern).find(text)


def _find_all(text: str, pattern: str, limit: int = -1) -> list[str]:
    return _compiled(pattern).find_all(text, limit)


def _estimate(context: EstimateContext, arguments: Sequence[Argument]) -> CallEstimate:
    cost = costing.estimate_matching(context, arguments).cost
    return CallEstimate(cost, SizeEstimate(0, context.size(arguments[0]).max))


_FUNCTIONS: Final = tuple(
    Function(
        name,
        tuple(
            Overload(id_, parameters, result, call, is_member=True, cost=costing.matching, estimate=_estimate)
            for id_, parameters in overloads
        ),
        costing.matching,
    )
    for name, call, result, overloads in (
        ("find", _find, STRING, [("string_find_string", (STRING, STRING))]),
        (
            "findAll",
            _find_all,
            list_of(STRING),
            [("string_find_all_string", (STRING, STRING)), ("string_find_all_string_int", (STRING, STRING, INT))],
        ),
    )
)
