"""
What the rules of the grammar have matched of a text.

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
    What a rule matched.

    Attributes:
        rule: Name of the rule.
        start: Its first token.
        parent: What it is a part of.
        invoked_from: The state at which the rule was called; None for the whole.
        name: Name of the alternative; that of the rule where there is one alternative, or none was found.
        parts: Tokens and trees by their labels; lists of them for labels that take many.
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
        found: list[Any] = self.parts.get(label, [])
        return found
