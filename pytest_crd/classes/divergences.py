"""Divergences: differences between a class and a CRD, as data."""

from __future__ import annotations

import enum
import json
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any


class DivergenceKind(enum.StrEnum):
    """The kind of a divergence."""

    CLASS_REFUSES = "only the class refuses"
    CRD_REFUSES = "only the CRD refuses"
    CRD_DROPS = "the CRD drops"
    CLASS_LOSES = "the class loses"
    DEFAULT = "another default"
    CHANGED = "another value"


@dataclass(frozen=True, slots=True, repr=False)
class Divergence:
    """
    A difference between a class and a CRD.

    Attributes:
        kind: The kind of difference.
        path: The field: `spec.days`.
        words: The values of both, or the error of the side that refuses.
        resource: The smallest object that shows it, as it is sent.
        place: `file:line` of the field or keyword of the CRD, or of the nearest field around it; empty if it is unknown.
    """

    kind: DivergenceKind
    path: str
    words: str
    resource: Mapping[str, Any]
    place: str = ""

    def __str__(self) -> str:
        """Return it on one line, with its object."""
        place = f" ({self.place})" if self.place else ""
        return f"{self.path}: {self.kind}: {self.words}{place}; object: {json.dumps(self.resource, ensure_ascii=False)}"

    __repr__ = __str__  # for lists in assertions of pytest
