"""
The operators between two operands: the functions they stand for, and how strongly they bind.

Reference:
    cel-go common/operators/operators.go.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final, NamedTuple


class Operator(NamedTuple):
    """An operator: the higher *precedence*, the more strongly it binds."""

    precedence: int
    function: str


OPERATORS: Final[Mapping[str, Operator]] = {
    "*": Operator(3, "_*_"),
    "/": Operator(3, "_/_"),
    "%": Operator(3, "_%_"),
    "+": Operator(2, "_+_"),
    "-": Operator(2, "_-_"),
    "<": Operator(1, "_<_"),
    "<=": Operator(1, "_<=_"),
    ">=": Operator(1, "_>=_"),
    ">": Operator(1, "_>_"),
    "==": Operator(1, "_==_"),
    "!=": Operator(1, "_!=_"),
    "in": Operator(1, "@in"),
}
