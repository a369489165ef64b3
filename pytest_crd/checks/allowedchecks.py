"""Failing checks that a project allows with a reason."""

from __future__ import annotations

import fnmatch
import functools
import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Final, NamedTuple

from pytest_crd.checks.verdict import Check, CheckFinding, CheckVerdict
from pytest_crd.engine.inputerror import ManifestError, Mistake

SETTING: Final = "crd_checks_allow"
_FORM: Final = (
    "CHECK SUBJECT: REASON or CHECK SUBJECT [warn]: REASON, as in copies things.example.com: the chart is older"
)
_LINE: Final = re.compile(r"(\S++)\s++((?:[^\s:\[]|:(?!\s)|\[(?!warn\]))++)\s*+(?:(\[warn\])\s*+)?:\s++(\S.*)")


class AllowedCheck(NamedTuple):
    """
    An entry of the setting.

    Attributes:
        check: The kind of the check; `*` matches any characters.
        subject: The name of the checked thing; `*` matches any characters.
        reason: The reason that the project gives.
        warns: Whether the findings are warnings; else the check is skipped.
    """

    check: str
    subject: str
    reason: str
    warns: bool = False

    def covers(self, check: Check) -> bool:
        """Return True if the entry is about *check*."""
        return _matches(self.check, check.kind) and _matches(self.subject, check.subject)

    def find_effects(self, check: Check) -> frozenset[str]:
        """Return the names of the effects of *check* that the entry is about; empty if it is about none, or about the whole check."""
        if self.covers(check) or not check.effects or not _matches(self.subject, check.crd):
            return frozenset()
        return frozenset(name for name in check.effects if _matches(self.check, name))

    def __str__(self) -> str:
        """Return the entry without its reason."""
        return f"{self.check} {self.subject}"


def parse(line: str) -> AllowedCheck:
    """
    Parse one line of the setting.

    Raises:
        ValueError: The line is malformed or has no reason; the message shows the expected form.
    """
    match = _LINE.fullmatch(line.strip())
    if match is None:
        raise ValueError(f"{line!r} is not {_FORM}")
    return AllowedCheck(match[1], match[2], match[4], warns=bool(match[3]))


def apply(allowed: Sequence[AllowedCheck], checks: Mapping[Path, Sequence[Check]]) -> dict[Path, list[Check]]:
    """
    Return the checks; failures that the project allows are skipped, or become warnings.

    An entry that covers one check fails it if it holds, as the entry is out of date.

    Raises:
        ManifestError: An entry covers no check.
    """
    all_checks = [check for same_file in checks.values() for check in same_file]
    mistakes = [
        Mistake(f"{SETTING}: {entry}", 0, "there is no such check")
        for entry in allowed
        if not any(entry.covers(check) or entry.find_effects(check) for check in all_checks)
    ]
    if mistakes:
        raise ManifestError(mistakes)
    counts = {entry: _count(entry, all_checks) for entry in allowed}
    return {path: [_allow(check, counts) for check in same_file] for path, same_file in checks.items()}


def _count(entry: AllowedCheck, checks: Sequence[Check]) -> int:
    """Return the number of checks, or of their effects, that an entry covers."""
    return sum(entry.covers(check) or len(entry.find_effects(check)) for check in checks)


def _allow(check: Check, counts: Mapping[AllowedCheck, int]) -> Check:
    """Return a check with its allowed failures and effects; *counts* has the result of `_count` for each entry."""
    for item, count in counts.items():
        if names := item.find_effects(check):
            run = functools.partial(_run_without_effects, check.run, item, names, is_exact=count == 1)
            check = replace(check, run=run)
    entry = next((entry for entry in counts if entry.covers(check)), None)
    if entry is None:
        return check
    return replace(check, run=functools.partial(_run, check.run, entry, is_exact=counts[entry] == 1), is_allowed=True)


def _run(run: Callable[[], CheckVerdict], entry: AllowedCheck, *, is_exact: bool) -> CheckVerdict:
    """Return the verdict of a check: with findings it is passed over or warns; without any, an exact entry is out of date."""
    verdict, reason = run(), f"allowed by {SETTING}: {entry.reason}"
    if verdict.findings and not entry.warns:
        return CheckVerdict(passed_over=reason)
    if verdict.findings:
        allowed = (finding._replace(text=f"{finding.text} ({reason})") for finding in verdict.findings)
        return replace(verdict, heading="", findings=(), allowed=(*verdict.allowed, *allowed))
    if is_exact and not verdict.passed_over:
        outdated = CheckFinding(SETTING, f"{entry}: the check holds; remove the line")
        return replace(verdict, heading="allowed to fail, but it holds", findings=(outdated,))
    return verdict


def _run_without_effects(
    run: Callable[[], CheckVerdict], entry: AllowedCheck, names: frozenset[str], *, is_exact: bool
) -> CheckVerdict:
    """Return the verdict of a check; its warnings about the effects *names* are notes, or never fail. Without any, an exact entry is out of date."""
    verdict, reason = run(), f"allowed by {SETTING}: {entry.reason}"
    covered = [
        warning._replace(text=f"{warning.text} ({reason})") for warning in verdict.warnings if warning.name in names
    ]
    if is_exact and not covered and not verdict.findings and not verdict.passed_over:
        outdated = CheckFinding(SETTING, f"{entry}: the check has no such warning; remove the line")
        return replace(verdict, heading="allowed to warn, but it does not", findings=(outdated,))
    warnings = tuple(warning for warning in verdict.warnings if warning.name not in names)
    if entry.warns:
        return replace(verdict, warnings=warnings, allowed=(*verdict.allowed, *covered))
    notes = (f"{warning.place}: {warning.text}" for warning in covered)
    return replace(verdict, warnings=warnings, notes=(*verdict.notes, *notes))


def _matches(pattern: str, text: str) -> bool:
    return fnmatch.fnmatchcase(text, pattern.replace("[", "[[]"))
