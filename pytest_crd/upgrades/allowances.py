"""Allowances: breaking changes that a project permits an upgrade or a rollback, by CRD, path and kind."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Final, TypeAlias

from pytest_crd.upgrades.upgradefindings import BREAKING, Finding

ANY: Final = "*"
_BELOW: Final = "**"
_EACH: Final = "[*]"
_STEP: Final = re.compile(r"\[[^\[\]]*\]|[^.\[\]]+")
ROLLBACK: Final = "rollback"
_FORM: Final = "NAME PATH KIND or rollback NAME PATH KIND, where KIND is one of refused, data loss, changed, or left out for all of them"
_STARS: Final = "`*` stands for a whole step of a path, as in spec.*.name, and `**` for all below, as in spec.**"
# The number of lines that a failure suggests before lines of one place are merged.
_MOST_LINES: Final = 5

# A path and a kind of finding.
_Entry: TypeAlias = tuple[str, str]


@dataclass(frozen=True, slots=True)
class Allowance:
    """
    A permitted breaking change.

    Attributes:
        crd: The name of the CRD; `*` matches each.
        path: The path of a finding; `*` matches one step, `**` any number of steps, but at least one at the end. `**` alone matches all paths.
        kind: The kind of finding; `*` or empty matches each.
        is_rollback: Whether the allowance is for rollbacks and not for upgrades.
    """

    crd: str
    path: str
    kind: str = ""
    is_rollback: bool = False

    @property
    def is_pattern(self) -> bool:
        """Whether the path has wildcards."""
        return any(step in (ANY, _BELOW) for step in _steps(self.path))

    @property
    def is_general(self) -> bool:
        """Whether the allowance covers all CRDs and all paths; such a rule is not reported as outdated."""
        return (self.crd, self.path) == (ANY, _BELOW)

    def covers(self, crd: str, finding: Finding) -> bool:
        """Return True if the allowance permits *finding* in the CRD named *crd*."""
        return (
            self.crd in (ANY, crd)
            and self.kind in ("", ANY, finding.kind.value)
            and finding.is_breaking
            and finding.is_allowable
            and (
                self.path in (_BELOW, finding.path)
                or (self.is_pattern and _matches(_steps(self.path), _steps(finding.path)))
            )
        )

    def __str__(self) -> str:
        """Return the line of the settings that declares the allowance."""
        return " ".join(filter(None, (ROLLBACK if self.is_rollback else "", self.crd, self.path, self.kind)))


def parse(line: str) -> Allowance:
    """
    Parse one line of the `crd_baseline_allow` setting.

    Raises:
        ValueError: The line is malformed; the message shows the expected form.
    """
    words = line.split()
    is_rollback = words[:1] == [ROLLBACK]
    words = words[is_rollback:]
    kind = " ".join(words[2:])
    if len(words) < 2 or kind not in {"", ANY, *(breaking.value for breaking in BREAKING)}:
        raise ValueError(f"{line!r} is not {_FORM}")
    if any(ANY in step and step not in (ANY, _BELOW, _EACH) for step in _steps(words[1])):
        raise ValueError(f"{line!r}: {_STARS}")
    return Allowance(words[0], words[1], kind, is_rollback)


def suggest(crd: str, findings: Iterable[Finding], *, is_rollback: bool = False) -> list[Allowance]:
    """
    Return allowances that would permit all *findings* of a CRD.

    If one place has more than a few, they are merged into a wildcard.
    """
    entries = dict.fromkeys((finding.path, finding.kind.value) for finding in findings)
    return [Allowance(crd, *entry, is_rollback) for entry in _merge_entries([*entries], 0)]


def _merge_entries(entries: Sequence[_Entry], depth: int) -> list[_Entry]:
    """Return *entries*, which share their first *depth* steps; if there are more than a few, merged into a wildcard entry."""
    own = [entry for entry in entries if len(_steps(entry[0])) == depth]
    groups: dict[Sequence[str], list[_Entry]] = {}
    for entry in entries:
        if entry not in own:
            groups.setdefault(_steps(entry[0])[: depth + 1], []).append(entry)
    merged = [*own, *(inner for group in groups.values() for inner in _merge_entries(group, depth + 1))]
    if not (depth and groups) or len(merged) <= _MOST_LINES:
        return merged
    below = [entry for group in groups.values() for entry in group]
    kinds = {kind for _, kind in below}
    path = below[0][0]
    end = [step.end() for step in _STEP.finditer(path)][depth - 1]
    star = ANY if all(len(_steps(path)) == depth + 1 for path, _ in below) else _BELOW
    return [*own, (f"{path[:end]}.{star}", kinds.pop() if len(kinds) == 1 else "")]


def _steps(path: str) -> tuple[str, ...]:
    return tuple(_STEP.findall(path))


def _matches(pattern: Sequence[str], steps: Sequence[str]) -> bool:
    """Return True if *steps* match *pattern*."""
    if not pattern:
        return not steps
    first, rest = pattern[0], pattern[1:]
    if first == _BELOW:
        return bool(steps) if not rest else any(_matches(rest, steps[index:]) for index in range(len(steps) + 1))
    return bool(steps) and first in (ANY, steps[0]) and _matches(rest, steps[1:])
