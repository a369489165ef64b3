"""
Annotations of GitHub Actions: lines of the log that its pages show at a line of a file.

Reference:
    GitHub's documentation of workflow commands; actions/toolkit packages/core/src/command.ts, escapeData and
        escapeProperty.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from pytest_crd.report import text
from pytest_crd.report.outputs import uniquefindings
from pytest_crd.report.outputs.repositorypaths import Roots
from pytest_crd.report.outputs.uniquefindings import OutputFinding
from pytest_crd.report.testfacts import SessionFacts
from pytest_crd.wording import counted

# The most annotations of a kind that a page shows for one step.
MOST: Final = 10
_MOST_DETAILS: Final = 5


def lines(facts: SessionFacts, roots: Roots, *, has_summary: bool) -> Iterator[str]:
    """
    Yield the lines: failures, then the server's warnings, ten at most, and the number of others.

    Args:
        facts: The outcome of the session.
        roots: The folders that names of files are relative to.
        has_summary: Whether there is a job summary with the others.
    """
    annotations = [] if not facts.remark else [f"::error title=pytest-crd::{_data(facts.remark)}"]
    annotations += [
        _line("error", finding)
        for finding in uniquefindings.sort_by_rank(uniquefindings.errors_by_origin(facts, roots))
    ]
    annotations += [_line("warning", finding) for finding in uniquefindings.warnings(facts, roots)]
    yield from annotations[:MOST]
    if (more := len(annotations) - MOST) > 0:
        where = "in the job summary" if has_summary else "in the report above"
        yield f"crd: {counted(more, 'more annotation')} would be too many; {'it stands' if more == 1 else 'they stand'} {where}"


def _line(level: str, finding: OutputFinding) -> str:
    place, count = finding.place, len(finding.verdicts)
    title = finding.first.name if count == 1 else f"{finding.first.name} and {count - 1} more"
    details = [line for detail in finding.cause.details for line in text.visible_lines(detail)]
    message = "\n".join((finding.words, *details[:_MOST_DETAILS], uniquefindings.list_tests(finding)))
    values = {"file": place.path, "line": place.line, "col": place.column, "title": title}
    properties = ",".join(f"{name}={_property(str(value))}" for name, value in values.items() if value)
    return f"::{level} {properties}::{_data(message)}"


def _data(value: str) -> str:
    return value.replace("%", "%25").replace("\r", "%0D").replace("\n", "%0A")


def _property(value: str) -> str:
    return _data(value).replace(":", "%3A").replace(",", "%2C")
