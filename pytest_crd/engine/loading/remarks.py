"""Notes about skipped files and manifests, with kinds for counting."""

from __future__ import annotations

import enum

from pytest_crd.engine.inputerror import Mistake
from pytest_crd.records import dataclass


class RemarkKind(enum.StrEnum):
    """Kind of a skipped manifest; the value is its plural for messages."""

    PATCH = "patches"
    TEMPLATE = "templates"
    COPY = "copies"
    TWIN = "v1beta1 twins"
    UNREADABLE = "files that cannot be used"
    IGNORED = "ignored samples"


@dataclass(frozen=True, order=True)
class Remark(Mistake):
    """
    A note with its place.

    Attributes:
        kind: The kind of the skipped manifest; None if the note is never counted.
        is_hint: True if the note is about nothing that is left out by mistake.
    """

    kind: RemarkKind | None = None
    is_hint: bool = False

    @property
    def is_expected(self) -> bool:
        """Whether nothing is left out by mistake: a short summary counts such notes."""
        return self.is_hint or self.kind not in {None, RemarkKind.UNREADABLE}

    @property
    def place(self) -> str:
        """`file:line`, or the file alone."""
        return f"{self.source}:{self.line}" if self.line else self.source
