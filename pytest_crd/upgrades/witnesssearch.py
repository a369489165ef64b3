"""The state of a search for the objects that show one schema difference, and its result if none does."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any, Final, NamedTuple, TypeAlias

from pytest_crd.engine.schema.schemamap import Place
from pytest_crd.synthesis import shrinking
from pytest_crd.upgrades.schemadifferences import Difference
from pytest_crd.upgrades.upgradefindings import BREAKING, Kind

# The number of candidates for a difference after which a breaking effect is enough.
_MOST_CANDIDATES: Final = 80
# The kind, place and cause of an effect.
Key: TypeAlias = tuple[Kind, Place, str]


class Unshown(NamedTuple):
    """
    A difference without a witness.

    Attributes:
        words: The difference, and the lines that declare it.
        refusing: Its name if it may refuse objects; else empty.
        difference: The schema difference; None for anything else.
    """

    words: str
    refusing: str
    difference: Difference | None = None


@dataclass(slots=True)
class WitnessSearch:
    """
    The search for objects that show one difference.

    Attributes:
        budget: The number of values that may still be visited.
        is_complete: Whether all candidates were tried.
        seen: The kinds, places and causes of the effects that were found.
        tried: The number of candidates that were tried.
        earlier: The reason for which the old CRD refuses an object that a new rule refuses, too; empty if there is none.
    """

    budget: int
    is_complete: bool
    seen: set[Key] = field(default_factory=set)
    tried: int = 0
    earlier: str = ""

    @property
    def is_breaking(self) -> bool:
        """Whether a breaking effect was found."""
        return any(kind in BREAKING for kind, _, _ in self.seen)

    @property
    def is_enough(self) -> bool:
        """Whether further candidates would show no more than other objects for a breaking effect."""
        return self.tried >= _MOST_CANDIDATES and self.is_breaking

    def spend(self, value: Any, cost: int = 0) -> bool:
        """Count a candidate; return False if the budget is spent."""
        if self.budget <= 0:
            self.is_complete = False
            return False
        self.tried += 1
        self.budget -= cost + shrinking.count_values(value)
        return True


def is_seen(key: Key, seen: set[Key]) -> bool:
    """Return True if an effect was seen; for effects that break nothing, any of the kind counts."""
    return key in seen or (key[0] not in BREAKING and any(kind is key[0] for kind, _, _ in seen))
