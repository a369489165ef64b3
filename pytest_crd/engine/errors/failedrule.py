"""The CEL rule behind an error: what it says, where it stands, and which values decided."""

from __future__ import annotations

from collections.abc import Callable
from functools import cached_property
from typing import TypeAlias

# Mapping keys and list indices.
Steps: TypeAlias = "tuple[str | int, ...]"
# Gives `file:line` of what steps lead to; with the offset of a character of a text, `file:line:column` of that.
Locate: TypeAlias = "Callable[[Steps, int | None], str]"


class FailedRule:
    """
    A rule that is false for a value, or that cannot be evaluated for it; or, in an error about a CRD, one that is wrong itself.

    What takes time is found out when it is first asked for.

    Attributes:
        text: The rule as it is declared, or the `messageExpression` that is wrong.
        steps: Where it stands, from the schema of the version: keys and indices. In an error about a CRD: from the root of the
            CRD, as its errors spell it.
        offset: Which character of the text is wrong, in code points; None where it is the whole.
        was_evaluated: Whether it is false for a value; else there it ended in an error, or was not run to its end.
    """

    def __init__(  # noqa: PLR0913 - what a rule is known by
        self,
        text: str,
        steps: Steps,
        explain: Callable[[], tuple[str, ...]],
        locate: Locate | None = None,
        *,
        offset: int | None = None,
        was_evaluated: bool = True,
    ) -> None:
        """Take the rule, what finds the values that decided, and what knows where a schema stands in a file."""
        self.text = text
        self.steps = steps
        self.offset = offset
        self.was_evaluated = was_evaluated
        self._explain = explain
        self._locate = locate

    @cached_property
    def parts(self) -> tuple[str, ...]:
        """The values that decided: `self.replicas = 11`; empty where nothing can be said; the last says where some are left out."""
        return self._explain()

    @cached_property
    def source(self) -> str:
        """Where it stands, `file:line`, or `file:line:column` of what is wrong in it; empty where no file was read."""
        return "" if self._locate is None else self._locate(self.steps, self.offset)

    @property
    def lines(self) -> tuple[str, ...]:
        """What there is to say of it, line by line."""
        where = f" ({self.source})" if self.source else ""
        return f"rule{where}: {' '.join(self.text.split())}", *self.parts

    def located(self, locate: Locate) -> FailedRule:
        """Return the same rule, of which *locate* knows where it stands."""
        return FailedRule(
            self.text, self.steps, self._explain, locate, offset=self.offset, was_evaluated=self.was_evaluated
        )

    def __reduce__(self) -> tuple[object, ...]:
        """Return what another process needs to say the same: there, nothing can be found out any more."""
        return _known, (self.text, self.steps, self.parts, self.source, self.offset, self.was_evaluated)

    def __repr__(self) -> str:
        """Return the rule and its place."""
        return f"<FailedRule {self.text!r}{f' ({self.source})' if self.source else ''}>"


def _known(  # noqa: PLR0913, PLR0917 - what `__reduce__` has
    text: str,
    steps: Steps,
    parts: tuple[str, ...],
    source: str,
    offset: int | None,
    was_evaluated: bool,  # noqa: FBT001
) -> FailedRule:
    return FailedRule(text, steps, lambda: parts, lambda *_: source, offset=offset, was_evaluated=was_evaluated)
