"""
Allowances: breaking changes that a project permits an upgrade or a rollback, by CRD, path and kind.

If several findings share these, each has an allowance of its own, which also names the cause: an allowance without one allows one finding.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import Final, TypeAlias

from pytest_crd.upgrades.upgradefindings import BREAKING, Finding

ANY: Final = "*"
_BELOW: Final = "**"
_EACH: Final = "[*]"
_STEP: Final = re.compile(r"\[[^\[\]]*\]|[^.\[\]]+")
ROLLBACK: Final = "rollback"
_FORM: Final = (
    "NAME PATH KIND or rollback NAME PATH KIND, where KIND is one of refused, data loss, changed, or left out for all of them; "
    "if several findings share path and kind, KIND: CAUSE allows one, and KIND: * all"
)
_STARS: Final = "`*` stands for a whole step of a path, as in spec.*.name, and `**` for all below, as in spec.**"
# The number of lines that a failure suggests before lines of one place are merged.
_MOST_LINES: Final = 5
# The end of the beginning of a cause, and the longest cause that is written in full.
_MORE: Final = "…"
_LONGEST: Final = 80

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
        cause: The cause of a finding, or its beginning with `…`; `*` or empty matches each.
    """

    crd: str
    path: str
    kind: str = ""
    is_rollback: bool = False
    cause: str = ""

    @property
    def is_pattern(self) -> bool:
        """Whether the path has wildcards."""
        return any(step in (ANY, _BELOW) for step in _steps(self.path))

    @property
    def is_for_one(self) -> bool:
        """Whether the allowance permits one finding of a CRD, because it has no pattern and names no cause."""
        return not (self.is_pattern or self.kind in ("", ANY) or self.cause)

    @property
    def is_general(self) -> bool:
        """Whether the allowance covers all CRDs and all paths; such a rule is not reported as outdated."""
        return (self.crd, self.path) == (ANY, _BELOW)

    def covers(self, crd: str, finding: Finding) -> bool:
        """Return True if the allowance permits *finding* in the CRD named *crd*."""
        return (
            self.crd in (ANY, crd)
            and self.kind in ("", ANY, finding.kind.value)
            and self._covers_cause(finding.cause)
            and finding.is_breaking
            and finding.is_allowable
            and (
                self.path in (_BELOW, finding.path)
                or (self.is_pattern and _matches(_steps(self.path), _steps(finding.path)))
            )
        )

    def _covers_cause(self, cause: str) -> bool:
        if self.cause.endswith(_MORE):
            return cause.startswith(self.cause.removesuffix(_MORE))
        return self.cause in ("", ANY, cause)

    def __str__(self) -> str:
        """Return the line of the settings that declares the allowance."""
        kind = f"{self.kind}: {self.cause}" if self.cause else self.kind
        return " ".join(filter(None, (ROLLBACK if self.is_rollback else "", self.crd, self.path, kind)))


def parse(line: str) -> Allowance:
    """
    Parse one line of the `crd_baseline_allow` setting.

    Raises:
        ValueError: The line is malformed; the message shows the expected form.
    """
    words = line.split()
    is_rollback = words[:1] == [ROLLBACK]
    words = words[is_rollback:]
    kind, colon, cause = " ".join(words[2:]).partition(":")
    cause = cause.strip()
    if (
        len(words) < 2
        or kind not in {"", ANY, *(breaking.value for breaking in BREAKING)}
        or (colon and not (kind and cause))
    ):
        raise ValueError(f"{line!r} is not {_FORM}")
    if any(ANY in step and step not in (ANY, _BELOW, _EACH) for step in _steps(words[1])):
        raise ValueError(f"{line!r}: {_STARS}")
    return Allowance(words[0], words[1], kind, is_rollback, cause)


def suggest(
    crd: str, findings: Iterable[Finding], *, is_rollback: bool = False, others: Iterable[Finding] = ()
) -> list[Allowance]:
    """
    Return allowances that would permit all *findings* of a CRD.

    If one place has more than a few, they are merged into a wildcard. If several share path and kind, each has its cause.

    Args:
        crd: The name of the CRD.
        findings: The findings.
        is_rollback: Whether they are findings of a rollback.
        others: Further findings of the CRD, which the allowances do not permit.
    """
    causes = _group_causes(findings)
    shared = _group_causes((*findings, *others))
    return [
        Allowance(crd, *entry, is_rollback, cause)
        for entry in _merge_entries([*causes], 0)
        for cause in _name_causes(causes.get(entry, {}), shared.get(entry, {}))
    ]


def _group_causes(findings: Iterable[Finding]) -> dict[_Entry, dict[str, None]]:
    """Return the distinct causes of each path and kind."""
    causes: dict[_Entry, dict[str, None]] = {}
    for finding in findings:
        causes.setdefault((finding.path, finding.kind.value), {})[finding.cause] = None
    return causes


def _name_causes(causes: Iterable[str], shared: Iterable[str]) -> Iterator[str]:
    """Yield each cause as an allowance names it, shortened if that tells it from the *shared* ones; empty if it is the only one."""
    texts = [*shared]
    if len(texts) < 2:
        yield ""
        return
    for cause in causes:
        begin = cause[:_LONGEST]
        is_clear = sum(text.startswith(begin) for text in texts) == 1
        yield f"{begin}{_MORE}" if len(cause) > _LONGEST and is_clear else cause


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
