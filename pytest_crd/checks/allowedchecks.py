"""Failing checks that a project allows with a reason."""

from __future__ import annotations

import fnmatch
import functools
import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Final, NamedTuple

from pytest_crd.checks.verdict import Check, CheckVerdict
from pytest_crd.engine.inputerror import ManifestError, Mistake

SETTING: Final = "crd_checks_allow"
_FORM: Final = "CHECK SUBJECT: REASON, as in copies things.example.com: the chart is older"
_LINE: Final = re.compile(r"(\S+)\s+(\S+?)\s*:\s+(\S.*)")


class AllowedCheck(NamedTuple):
    """
    An entry of the setting.

    Attributes:
        check: The kind of the check; `*` matches any characters.
        subject: The name of the checked thing; `*` matches any characters.
        reason: The reason that the project gives.
    """

    check: str
    subject: str
    reason: str

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
    return AllowedCheck(match[1], match[2], match[3])


def apply(allowed: Sequence[AllowedCheck], checks: Mapping[Path, Sequence[Check]]) -> dict[Path, list[Check]]:
    """
    Return the checks, and skip failures that the project allows.

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
    return {path: [_allow(check, allowed) for check in same_file] for path, same_file in checks.items()}


def _allow(check: Check, allowed: Sequence[AllowedCheck]) -> Check:
    entry = next((entry for entry in allowed if entry.covers(check)), None)
    return check if entry is None else replace(check, run=functools.partial(_run, check.run, entry), is_allowed=True)


def _run(run: Callable[[], CheckVerdict], entry: AllowedCheck) -> CheckVerdict:
    """Return the verdict of a check; one with findings is passed over."""
    verdict = run()
    return CheckVerdict(passed_over=f"allowed by {SETTING}: {entry.reason}") if verdict.findings else verdict


def _matches(pattern: str, text: str) -> bool:
    return fnmatch.fnmatchcase(text, pattern.replace("[", "[[]"))
