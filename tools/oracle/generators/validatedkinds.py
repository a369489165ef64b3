"""Kinds with compared validation: a valid object, and values of its fields."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Final, NamedTuple

from pytest_crd.engine.jsonvalue import JSONValue

ABSENT: Final = object()
"""The value of a field that is not there."""


class Kind(NamedTuple):
    """
    A kind.

    Attributes:
        path: The path of its objects; `{ns}` stands for a namespace.
        base: A valid object without metadata.
        pools: The values of fields, by path; may be empty.
        subresources: The subresources that updates write.
        is_dry: Whether all writes after the first are dry runs, because stored objects change other answers.
        mutated: The share of changes by Go type instead of from the pools.
    """

    path: str
    base: Mapping[str, JSONValue]
    pools: Mapping[str, Sequence[Any]]
    subresources: Sequence[str] = ()
    is_dry: bool = False
    mutated: float = 0.0
