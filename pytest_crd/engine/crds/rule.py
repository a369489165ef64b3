"""CEL rule (`x-kubernetes-validations`) of a CRD, with its estimated cost."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

EXPRESSION_LIMIT: Final = 10_000_000
"""Limit of the estimated cost of one expression."""
CRD_LIMIT: Final = 100_000_000
"""Limit of the estimated cost of all expressions of one schema."""


@dataclass(frozen=True, slots=True)
class Rule:
    """
    A rule of a version's schema.

    Attributes:
        path: The values that it applies to: `spec.items[*]`; empty for the whole object.
        index: Its position among the rules of these values, from 0.
        rule: The expression.
        message: The fixed message of its failure; empty if the CRD has none.
        message_expression: The expression of the message; empty if there is none.
        reason: The reason of the error: `FieldValueInvalid` unless the CRD declares another.
        field_path: The field below `path` that the error names; empty for `path` itself.
        is_transition: Whether it uses `oldSelf`.
        cost: The estimated maximal cost in one request: that of one evaluation times the maximal number of values; 0 if
            the rule does not compile.
        message_cost: The estimated maximal cost of `message_expression`.
        steps: Its keys and indices in the schema of the version.
        problem: The server's message if one of its two expressions does not compile; else empty.
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
        """The cost of the costlier expression as a fraction of the limit for one expression; refused if above 1."""
        return max(self.cost, self.message_cost) / EXPRESSION_LIMIT
