"""Simple JSON paths, `.spec.replicas`: what printer columns and the scale subresource name fields by."""

from __future__ import annotations


def problem_of(path: str) -> str:
    """
    Return what is wrong with a path that is not empty; an empty text where nothing is.

    Reference:
        apiextensions-apiserver apis/apiextensions/validation, validateSimpleJSONPath, which asks for no more than this.
    """
    return "" if path.startswith(".") else "must be a simple json path starting with ."
