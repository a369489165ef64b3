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
        if not any(map(entry.covers, all_checks))
    ]
    if mistakes:
        raise ManifestError(mistakes)
    counts = {entry: sum(map(entry.covers, all_checks)) for entry in allowed}
    return {path: [_allow(check, counts) for check in same_file] for path, same_file in checks.items()}


def _allow(check: Check, counts: Mapping[AllowedCheck, int]) -> Check:
    """Return a check with its allowed failures; *counts* has the number of checks that each entry covers."""
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


def _matches(pattern: str, text: str) -> bool:
    return fnmatch.fnmatchcase(text, pattern.replace("[", "[[]"))
