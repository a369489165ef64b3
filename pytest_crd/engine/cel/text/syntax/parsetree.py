"""
Parse trees of the grammar's rules.

Reference:
    antlr4 runtime, ParserRuleContext.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

from pytest_crd.engine.cel.text.syntax.network import NetworkState
from pytest_crd.engine.cel.text.syntax.tokenstream import Token


@dataclass(slots=True, eq=False)
class ParseTree:
    """
    Match of a rule.

    Attributes:
        rule: Name of the rule.
        start: The first token.
        parent: The tree that contains this one.
        invoked_from: The state that called the rule; None for the root.
        name: Name of the alternative; name of the rule if it has one alternative or none matched.
        parts: Tokens and trees by label; lists for labels with several parts.
    """

    rule: str
    start: Token
    parent: ParseTree | None
    invoked_from: NetworkState | None
    name: str
    parts: dict[str, Any] = field(default_factory=dict)

    def get(self, label: str) -> Any:
        """Return the part called *label*, or None."""
        return self.parts.get(label)

    def all(self, label: str) -> list[Any]:
        """Return the parts called *label*."""
        parts: list[Any] = self.parts.get(label, [])
        return parts
