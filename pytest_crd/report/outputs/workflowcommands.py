"""
Annotations of GitHub Actions: lines of the log that its pages show at a line of a file.

Reference:
    GitHub's documentation of workflow commands; actions/toolkit packages/core/src/command.ts, escapeData and escapeProperty.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from pytest_crd.report import text
from pytest_crd.report.outputs import uniquefindings
from pytest_crd.report.outputs.repositorypaths import Roots
from pytest_crd.report.outputs.uniquefindings import OutputFinding
from pytest_crd.report.testfacts import SessionFacts

# So many of a kind does a page show of one step.
MOST: Final = 10
_MOST_DETAILS: Final = 5


def lines(facts: SessionFacts, roots: Roots, *, has_summary: bool) -> Iterator[str]:
    """
    Yield the lines: what fails, then what the server warns of, ten at the most, and how many more there are.

    Args:
        facts: What became of the session.
        roots: What names of files are relative to.
        has_summary: Whether there is a job summary, which has the rest.
    """
    made = [] if not facts.remark else [f"::error title=pytest-crd::{_data(facts.remark)}"]
    made += [_line("error", one) for one in uniquefindings.by_rank(uniquefindings.errors(facts, roots))]
    made += [_line("warning", one) for one in uniquefindings.warnings(facts, roots)]
    yield from made[:MOST]
    if (more := len(made) - MOST) > 0:
        where = "in the job summary" if has_summary else "in the report above"
        yield f"crd: {more} more annotation{'' if more == 1 else 's'} would be too many; {'it stands' if more == 1 else 'they stand'} {where}"


def _line(level: str, found: OutputFinding) -> str:
    place, count = found.place, len(found.verdicts)
    title = found.first.name if count == 1 else f"{found.first.name} and {count - 1} more"
    details = [line for detail in found.cause.details for line in text.visible_lines(detail)]
    message = "\n".join((found.words, *details[:_MOST_DETAILS], uniquefindings.found_by(found)))
    given = {"file": place.path, "line": place.line, "col": place.column, "title": title}
    properties = ",".join(f"{name}={_property(str(value))}" for name, value in given.items() if value)
    return f"::{level} {properties}::{_data(message)}"


def _data(value: str) -> str:
    return value.replace("%", "%25").replace("\r", "%0D").replace("\n", "%0A")


def _property(value: str) -> str:
    return _data(value).replace(":", "%3A").replace(",", "%2C")
