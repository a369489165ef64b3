"""
Binary operators with their functions and precedences.

Reference:
    cel-go common/operators/operators.go.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final, NamedTuple


class Operator(NamedTuple):
    """Binary operator; a higher *precedence* binds more strongly."""

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
