"""What a project allows an upgrade or a rollback to do: by CRD, path and kind, each of which may stand for several."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Final, TypeAlias

from pytest_crd.upgrades.upgradefindings import BREAKING, Finding

ANY: Final = "*"
_BELOW: Final = "**"
_EACH: Final = "[*]"
_STEP: Final = re.compile(r"\[[^\]]*\]|[^.\[\]]+")
ROLLBACK: Final = "rollback"
_FORM: Final = "NAME PATH KIND or rollback NAME PATH KIND, where KIND is one of refused, data loss, changed, or left out for all of them"
_STARS: Final = "`*` stands for a whole step of a path, as in spec.*.name, and `**` for all below, as in spec.**"
# How many lines a failure suggests before some are put together.
_MOST: Final = 5

# A path and a kind.
_Entry: TypeAlias = tuple[str, str]


@dataclass(frozen=True, slots=True)
class Allowance:
    """
    What is allowed.

    Attributes:
        crd: The name of the CRD; `*` for each.
        path: Where, as a finding names it; `*` for one step of it, `**` for any number, at the end for at least one; alone for all.
        kind: What kind of finding; `*` or empty for each.
        is_rollback: Whether a rollback is allowed it, and not an upgrade.
    """

    crd: str
    path: str
    kind: str = ""
    is_rollback: bool = False

    @property
    def is_pattern(self) -> bool:
        """Whether the path stands for several."""
        return any(step in (ANY, _BELOW) for step in _steps(self.path))

    @property
    def is_general(self) -> bool:
        """Whether it is a rule for all that there is, which is kept though nothing needs it right now."""
        return (self.crd, self.path) == (ANY, _BELOW)

    def covers(self, crd: str, finding: Finding) -> bool:
        """Return whether it allows a finding in a CRD."""
        return (
            self.crd in (ANY, crd)
            and self.kind in ("", ANY, finding.kind.value)
            and finding.is_breaking
            and (
                self.path in (_BELOW, finding.path)
                or (self.is_pattern and _fits(_steps(self.path), _steps(finding.path)))
            )
        )

    def __str__(self) -> str:
        """Return the line that states it."""
        return " ".join(filter(None, (ROLLBACK if self.is_rollback else "", self.crd, self.path, self.kind)))


def read(line: str) -> Allowance:
    """
    Return what a line allows.

    Raises:
        ValueError: It is none; the message says how one looks.
    """
    words = line.split()
    is_rollback = words[:1] == [ROLLBACK]
    words = words[is_rollback:]
    kind = " ".join(words[2:])
    if len(words) < 2 or kind not in {"", ANY, *(one.value for one in BREAKING)}:
        raise ValueError(f"{line!r} is not {_FORM}")
    if any(ANY in step and step not in (ANY, _BELOW, _EACH) for step in _steps(words[1])):
        raise ValueError(f"{line!r}: {_STARS}")
    return Allowance(words[0], words[1], kind, is_rollback)


def suggested(crd: str, findings: Iterable[Finding], *, is_rollback: bool = False) -> list[Allowance]:
    """Return what would have to be allowed to a CRD for some findings: few lines, those below one place put together."""
    entries = dict.fromkeys((one.path, one.kind.value) for one in findings)
    return [Allowance(crd, *entry, is_rollback) for entry in _put_together([*entries], 0)]


def _put_together(entries: Sequence[_Entry], depth: int) -> list[_Entry]:
    """Return *entries*, of which the first *depth* steps are the same; those below these as one where there are more than a few."""
    own = [entry for entry in entries if len(_steps(entry[0])) == depth]
    groups: dict[Sequence[str], list[_Entry]] = {}
    for entry in entries:
        if entry not in own:
            groups.setdefault(_steps(entry[0])[: depth + 1], []).append(entry)
    found = [*own, *(one for group in groups.values() for one in _put_together(group, depth + 1))]
    if not (depth and groups) or len(found) <= _MOST:
        return found
    below = [entry for group in groups.values() for entry in group]
    kinds = {kind for _, kind in below}
    path = below[0][0]
    end = [step.end() for step in _STEP.finditer(path)][depth - 1]
    star = ANY if all(len(_steps(path)) == depth + 1 for path, _ in below) else _BELOW
    return [*own, (f"{path[:end]}.{star}", kinds.pop() if len(kinds) == 1 else "")]


def _steps(path: str) -> tuple[str, ...]:
    return tuple(_STEP.findall(path))


def _fits(pattern: Sequence[str], steps: Sequence[str]) -> bool:
    """Return whether a path is one that a pattern stands for."""
    if not pattern:
        return not steps
    first, rest = pattern[0], pattern[1:]
    if first == _BELOW:
        return bool(steps) if not rest else any(_fits(rest, steps[index:]) for index in range(len(steps) + 1))
    return bool(steps) and first in (ANY, steps[0]) and _fits(rest, steps[1:])
