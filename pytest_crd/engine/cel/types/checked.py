"""
Checked expressions with the types and references of their nodes.

Reference:
    cel-go common/ast/ast.go, AST, ReferenceInfo.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from pytest_crd.engine.cel.dialect import Dialect
from pytest_crd.engine.cel.text.ast import ParsedExpression
from pytest_crd.engine.cel.types.celtypes import Type
from pytest_crd.engine.cel.types.functions import Overload
from pytest_crd.engine.golang.release import GoRelease


@dataclass(slots=True, eq=False)
class Reference:
    """
    Meaning of an identifier, a qualified name or a call.

    Attributes:
        name: Full name of the variable or function. If it differs from the function in the call, the call's target is
            part of the name and not an argument.
        overloads: Candidate overloads of a call. There is one unless an argument is dyn.
        value: Value of a constant.
    """

    name: str
    overloads: tuple[Overload, ...] = ()
    value: Any = None


@dataclass(slots=True, eq=False)
class CheckedExpression:
    """
    Well-typed expression.

    Attributes:
        parsed: The syntax tree.
        types: Types by node id.
        references: References by node id of identifiers and calls.
        dialect: The language of the expression.
        go: The Go release, which decides the syntax of regular expressions.
    """

    parsed: ParsedExpression
    types: Mapping[int, Type]
    references: Mapping[int, Reference]
    dialect: Dialect
    go: GoRelease

    @property
    def type(self) -> Type:
        """Type of the whole expression."""
        return self.types[self.parsed.root.id]
