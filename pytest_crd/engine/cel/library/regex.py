"""
Kubernetes' library for regular expressions.

Reference:
    k8s.io/apiserver pkg/cel/library/regex.go.
"""

from __future__ import annotations

from collections.abc import Sequence

from pytest_crd.engine.cel.errors import EvaluationError
from pytest_crd.engine.cel.library import costing
from pytest_crd.engine.cel.types.celtypes import INT, STRING, Type, list_of
from pytest_crd.engine.cel.types.costs import (
    REGEX_LENGTH,
    STRING_TRAVERSAL,
    Argument,
    CallEstimate,
    EstimateContext,
    SizeEstimate,
)
from pytest_crd.engine.cel.types.functions import Function, Implementation, Library, Overload
from pytest_crd.engine.cel.values import re2patterns
from pytest_crd.engine.cel.values.re2patterns import Regex
from pytest_crd.engine.golang.release import GoRelease


def library(go: GoRelease) -> Library:
    """Return the regex library; *go* decides the syntax of regular expressions."""

    def compiled(pattern: str) -> Regex:
        try:
            return re2patterns.compile(pattern, go)
        except EvaluationError as error:
            raise EvaluationError(f"Illegal regex: {error}") from None

    def find(text: str, pattern: str) -> str:
        return compiled(pattern).find(text)

    def find_all(text: str, pattern: str, limit: int = -1) -> list[str]:
        return compiled(pattern).find_all(text, limit)

    every = ("string_find_all_string", (STRING, STRING)), ("string_find_all_string_int", (STRING, STRING, INT))
    return Library(
        "kubernetes.regex",
        (
            _function("find", find, STRING, (("string_find_string", (STRING, STRING)),)),
            _function("findAll", find_all, list_of(STRING), every),
        ),
    )


def _estimate(context: EstimateContext, arguments: Sequence[Argument]) -> CallEstimate:
    size = context.size(arguments[0])
    text = (size + SizeEstimate(1, 1)).cost(STRING_TRAVERSAL)
    return CallEstimate(text * context.size(arguments[1]).cost(REGEX_LENGTH), SizeEstimate(0, size.max))


def _function(
    name: str, call: Implementation, result: Type, signatures: Sequence[tuple[str, tuple[Type, ...]]]
) -> Function:
    overloads = (
        Overload(id_, parameters, result, call, is_member=True, cost=costing.matching, estimate=_estimate)
        for id_, parameters in signatures
    )
    return Function(name, tuple(overloads), costing.matching)
