"""
Expressions that were checked: what the checker found out about their nodes.

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
    What a name means.

    Attributes:
        name: Of an identifier, or of a selection that is a name with dots: the full name of the variable. Of a call: that
            of the function; where it is not what the call says, the call's target is a part of it, and no argument.
        overloads: Of a call: the overloads that may be meant. There is one unless an argument is dyn.
        value: Of an identifier for a constant: its value.
    """

    name: str
    overloads: tuple[Overload, ...] = ()
    value: Any = None


@dataclass(slots=True, eq=False)
class CheckedExpression:
    """
    An expression whose types agree.

    Attributes:
        parsed: The expression.
        types: The type of each node, by its id.
        references: What each identifier and call means, by its id.
        dialect: The language that it is written in.
        go: What its regular expressions may hold.
    """

    parsed: ParsedExpression
    types: Mapping[int, Type]
    references: Mapping[int, Reference]
    dialect: Dialect
    go: GoRelease

    @property
    def type(self) -> Type:
        """The type of the whole."""
        return self.types[self.parsed.root.id]
