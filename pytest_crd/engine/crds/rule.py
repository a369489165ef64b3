"""A CEL rule (`x-kubernetes-validations`) of a CRD: what it says, and what the server thinks of it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

EXPRESSION_LIMIT: Final = 10_000_000
"""What one expression may cost, by estimate."""
CRD_LIMIT: Final = 100_000_000
"""What all expressions of one schema may cost together, by estimate."""


@dataclass(frozen=True, slots=True)
class Rule:
    """
    A rule of a version's schema.

    Attributes:
        path: Of which values it speaks: `spec.items[*]`; empty for the whole object.
        index: Its position among the rules of these values, from 0.
        rule: The expression.
        message: What is said where it is false; empty where the CRD gives no fixed text.
        message_expression: The expression that makes the message; empty where there is none.
        reason: The reason of the error: `FieldValueInvalid` unless the CRD says otherwise.
        field_path: The field below `path` that the error names; empty for `path` itself.
        is_transition: Whether it speaks of `oldSelf`.
        cost: What it costs at most in one request, by the server's estimate: that of one evaluation times the number of
            values that there can be; 0 where it cannot be compiled.
        message_cost: What `message_expression` costs at most.
        steps: Where it stands in the schema of the version: keys and indices.
        problem: Why one of its two expressions cannot be compiled, in the server's words; empty where both can.
    """

    path: str
    index: int
    rule: str
    message: str = ""
    message_expression: str = ""
    reason: str = "FieldValueInvalid"
    field_path: str = ""
    is_transition: bool = False
    cost: int = 0
    message_cost: int = 0
    steps: tuple[str | int, ...] = ()
    problem: str = ""

    @property
    def budget_share(self) -> float:
        """Which part of what one expression may cost the costlier of its two expressions takes: above 1 the CRD is refused."""
        return max(self.cost, self.message_cost) / EXPRESSION_LIMIT
