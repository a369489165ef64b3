"""What a project allows an upgrade to do: by CRD, path and kind."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

from pytest_crd.upgrades.findings import BREAKING, Finding

_FORM: Final = "NAME PATH KIND, where KIND is one of refused, data loss, changed"


@dataclass(frozen=True, slots=True)
class Allowance:
    """
    What is allowed.

    Attributes:
        crd: The name of the CRD.
        path: Where, as a finding names it.
        kind: What kind of finding.
    """

    crd: str
    path: str
    kind: str

    def covers(self, crd: str, finding: Finding) -> bool:
        """Return whether it allows a finding in a CRD."""
        return (self.crd, self.path, self.kind) == (crd, finding.path, finding.kind.value)

    def __str__(self) -> str:
        """Return the line that states it."""
        return f"{self.crd} {self.path} {self.kind}"


def read(line: str) -> Allowance:
    """
    Return what a line allows.

    Raises:
        ValueError: It is none; the message says how one looks.
    """
    words = line.split(None, 2)
    kind = " ".join(words[2].split()) if len(words) == 3 else ""
    if kind not in {one.value for one in BREAKING}:
        raise ValueError(f"{line!r} is not {_FORM}")
    return Allowance(words[0], words[1], kind)


def outdated(allowances: Sequence[Allowance], crd: str, findings: Sequence[Finding]) -> list[Allowance]:
    """Return those of *allowances* that are about a CRD and that none of its findings needs."""
    return [one for one in allowances if one.crd == crd and not any(one.covers(crd, finding) for finding in findings)]
