"""Notes: what was passed over, and of which kind, so that many of one kind can be counted."""

from __future__ import annotations

import enum
from dataclasses import dataclass

from pytest_crd.engine.inputerror import Mistake


class RemarkKind(enum.StrEnum):
    """What was passed over; the value is the word for several."""

    PATCH = "patches"
    TEMPLATE = "templates"
    COPY = "copies"
    TWIN = "v1beta1 twins"
    UNREADABLE = "files that cannot be used"
    IGNORED = "ignored samples"


@dataclass(frozen=True, slots=True, order=True)
class Remark(Mistake):
    """
    What is worth to know, and where it stands.

    Attributes:
        kind: What was passed over; None where each is told by itself.
    """

    kind: RemarkKind | None = None

    @property
    def place(self) -> str:
        """`file:line`, or the file alone."""
        return f"{self.source}:{self.line}" if self.line else self.source
