"""Simple JSON paths, such as `.spec.replicas`, of printer columns and the scale subresource."""

from __future__ import annotations


def problem_of(path: str) -> str:
    """
    Return the error message about a path that is not empty; empty if it is valid.

    Reference:
        apiextensions-apiserver apis/apiextensions/validation, validateSimpleJSONPath, which checks nothing else.
    """
    return "" if path.startswith(".") else "must be a simple json path starting with ."
