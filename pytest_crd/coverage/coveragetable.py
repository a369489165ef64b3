"""The terminal table: one line for each version, in the style of coverage.py."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from pytest_crd import wording
from pytest_crd.coverage.summary import Counted, Summary, Tally, VersionCoverage

_HEAD = ("Points", "Held", "Seen", "Miss", "Cover")


def lines(summary: Summary, *, with_missing: bool) -> Iterator[str]:
    """
    Yield the lines of the table.

    Args:
        summary: The coverage summary.
        with_missing: Whether to list the missing lines and, below the table, each missing point.
    """
    width = max(len(version.name) for version in summary.versions)
    missing = "   Missing" if with_missing else ""
    yield f"{'Name':{width}}   {'   '.join(_HEAD)}{missing}"
    rule = "-" * (width + len("   ".join(("", *_HEAD))) + len(missing))
    yield rule
    for version in summary.versions:
        ranges = f"   {_ranges(counted.line for counted in version.missing)}" if with_missing else ""
        yield _row(version.name, version.tally, width, ranges)
    yield rule
    yield _row("TOTAL", summary.tally, width)
    if summary.tally.left_out:
        yield f"{wording.counted(summary.tally.left_out, 'point')} left out by `# crd: no cover` or crd_cov_exclude"
    if summary.tally.kubernetes:
        points = wording.counted(summary.tally.kubernetes, "point")
        yield f"{points} inside of embedded Kubernetes types not counted; {summary.tally.kubernetes_held} held"
    for version in summary.versions if with_missing else ():
        yield from _missing(version)


def _row(name: str, tally: Tally, width: int, suffix: str = "") -> str:
    return f"{name:{width}}   {tally.points:6}   {tally.held:4}   {tally.seen:4}   {tally.missed:4}   {tally.percent_text:>5}{suffix}".rstrip()


def _missing(version: VersionCoverage) -> Iterator[str]:
    if version.missing:
        yield ""
        reason = "" if version.requests else ", as no test that passed has made a request to it"
        yield f"{version.name}: {wording.counted(len(version.missing), 'point')} missing{reason}"
        yield from (f"  {place(version, counted)}: {counted.text}" for counted in version.missing)


def place(version: VersionCoverage, counted: Counted) -> str:
    """Return the place of a point, `file:line`."""
    return f"{version.lines.file}:{counted.line}"


def _ranges(numbers: Iterable[int]) -> str:
    """Return line numbers in the style of coverage.py: `3, 7-9`."""
    runs: list[list[int]] = []
    for number in sorted(set(numbers)):
        if runs and number == runs[-1][1] + 1:
            runs[-1][1] = number
        else:
            runs.append([number, number])
    return ", ".join(f"{first}" if first == last else f"{first}-{last}" for first, last in runs)
