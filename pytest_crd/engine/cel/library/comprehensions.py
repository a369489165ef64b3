"""
Comprehensions with two variables: cel-go's extension, with the function that builds their maps.

Reference:
    cel-go ext/comprehensions.go; common/types/map.go, InsertMapKeyValue.
"""

from __future__ import annotations

from typing import Any, Final

from pytest_crd.engine.cel.errors import EvaluationError
from pytest_crd.engine.cel.text import macros
from pytest_crd.engine.cel.types.celtypes import map_of, parameter
from pytest_crd.engine.cel.types.functions import Function, Library, Overload
from pytest_crd.engine.cel.values.celvalues import MISSING, Value, find
from pytest_crd.engine.cel.values.display import show
from pytest_crd.engine.cel.values.maps import KeyedMap

_K: Final = parameter("K")
_V: Final = parameter("V")
_MAP: Final = map_of(_K, _V)


def library() -> Library:
    """Return the comprehensions library."""
    return Library("comprehensions", (_INSERT,), macros.TWO_VARIABLES)


def _insert(target: Any, key: Value, value: Value) -> KeyedMap:
    """
    Return *target* with one more entry; raise EvaluationError if the key exists.

    The accumulator of a comprehension is modified in place, because nothing else refers to it.
    """
    if find(target, key) is not MISSING:
        raise EvaluationError(f"insert failed: key {show(key)} already exists")
    result = target if isinstance(target, KeyedMap) and target.growing else KeyedMap.grown_from(target)
    result.set(key, value)
    return result


def _insert_all(target: Any, entries: Any) -> Any:
    for key in entries:
        target = _insert(target, key, find(entries, key))
    return target


_INSERT: Final = Function(
    "cel.@mapInsert",
    (
        Overload("@mapInsert_map_key_value", (_MAP, _K, _V), _MAP, _insert),
        Overload("@mapInsert_map_map", (_MAP, _MAP), _MAP, _insert_all),
    ),
)
