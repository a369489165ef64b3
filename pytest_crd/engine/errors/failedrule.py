"""CEL rule behind an error: its text, its place, and the values that decided."""

from __future__ import annotations

from collections.abc import Callable
from functools import cached_property
from typing import TypeAlias

# Mapping keys and list indices.
Steps: TypeAlias = "tuple[str | int, ...]"
# Returns `file:line` of steps; with the offset of a character in a text, `file:line:column` of the character.
Locate: TypeAlias = "Callable[[Steps, int | None], str]"


class FailedRule:
    """
    Rule that is false for a value or cannot be evaluated; in an error about a CRD, a rule that is itself wrong.

    Expensive attributes are computed on first use.

    Attributes:
        text: The declared rule, or the `messageExpression` that is wrong.
        steps: Its path in the schema of the version: keys and indices. In an error about a CRD: its path in the CRD, as
            its errors spell it.
        offset: The first wrong character of the text, in code points; None for the whole text.
        was_evaluated: Whether the rule evaluated to false; otherwise it ended in an error, or did not run to its end.
    """

    def __init__(  # noqa: PLR0913 - the attributes of a rule
        self,
        text: str,
        steps: Steps,
        explain: Callable[[], tuple[str, ...]],
        locate: Locate | None = None,
        *,
        offset: int | None = None,
        was_evaluated: bool = True,
    ) -> None:
        """Create a rule; *explain* returns the deciding values, *locate* the place of a path in its file."""
        self.text = text
        self.steps = steps
        self.offset = offset
        self.was_evaluated = was_evaluated
        self._explain = explain
        self._locate = locate

    @cached_property
    def parts(self) -> tuple[str, ...]:
        """The values that decided, such as `self.replicas = 11`; may be empty. The last line says if some are omitted."""
        return self._explain()

    @cached_property
    def source(self) -> str:
        """Its place, `file:line`, or `file:line:column` of the wrong part; empty if no file was read."""
        return "" if self._locate is None else self._locate(self.steps, self.offset)

    @property
    def lines(self) -> tuple[str, ...]:
        """The lines of its explanation: the rule with its place, then the deciding values."""
        place = f" ({self.source})" if self.source else ""
        return f"rule{place}: {' '.join(self.text.split())}", *self.parts

    def located(self, locate: Locate) -> FailedRule:
        """Return the same rule with a function that locates it."""
        return FailedRule(
            self.text, self.steps, self._explain, locate, offset=self.offset, was_evaluated=self.was_evaluated
        )

    def __reduce__(self) -> tuple[object, ...]:
        """Return the arguments to unpickle an equal rule with all attributes computed."""
        return _restore, (self.text, self.steps, self.parts, self.source, self.offset, self.was_evaluated)

    def __repr__(self) -> str:
        """Return the rule and its place."""
        return f"<FailedRule {self.text!r}{f' ({self.source})' if self.source else ''}>"


def _restore(  # noqa: PLR0913, PLR0917 - the arguments of `__reduce__`
    text: str,
    steps: Steps,
    parts: tuple[str, ...],
    source: str,
    offset: int | None,
    was_evaluated: bool,  # noqa: FBT001
) -> FailedRule:
    return FailedRule(text, steps, lambda: parts, lambda *_: source, offset=offset, was_evaluated=was_evaluated)
