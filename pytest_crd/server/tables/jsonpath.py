"""
JSONPath of printer columns and selectors.

Reference:
    client-go util/jsonpath; apiextensions-apiserver registry/customresource/tableconvertor.
"""

from __future__ import annotations

import functools
from collections.abc import Sequence

from pytest_crd.engine.jsonvalue import JSONValue
from pytest_crd.server.tables import jsonpathparser
from pytest_crd.server.tables.jsonpathparser import JSONPathError
from pytest_crd.server.tables.jsonpathsteps import PathEvaluationError, Step

__all__ = ["JSONPathError", "find_values", "is_valid"]


def is_valid(path: str) -> bool:
    """Return True if a server can parse *path*."""
    try:
        _steps(path)
    except JSONPathError:
        return False
    return True


def find_values(value: JSONValue, path: str) -> Sequence[JSONValue]:
    """
    Return the values that *path* reaches, in order; empty if it reaches none or cannot be evaluated.

    Raises:
        JSONPathError: The path cannot be parsed.
        UnsupportedStepError: The path has a step that is not evaluated here.
    """
    try:
        reached = [step([value]) for step in _steps(path)]
    except PathEvaluationError:
        return []
    return reached[0]


@functools.cache
def _steps(path: str) -> tuple[Step, ...]:
    return tuple(jsonpathparser.parse(f"{{{path}}}"))
