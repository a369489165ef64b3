"""The table of a terminal: a line for each version, as those have it who know coverage.py."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from pytest_crd.coverage.summary import Counted, Summary, Tally, VersionCoverage

_HEAD = ("Points", "Held", "Seen", "Miss", "Cover")


def lines(summary: Summary, *, with_missing: bool) -> Iterator[str]:
    """
    Yield the lines of the table.

    Args:
        summary: What was reached.
        with_missing: Whether to tell what is missing: the lines, and below the table each point.
    """
    width = max(len(one.name) for one in summary.versions)
    missing = "   Missing" if with_missing else ""
    yield f"{'Name':{width}}   {'   '.join(_HEAD)}{missing}"
    rule = "-" * (width + len("   ".join(("", *_HEAD))) + len(missing))
    yield rule
    for one in summary.versions:
        behind = f"   {_ranges(counted.line for counted in one.missing)}" if with_missing else ""
        yield _row(one.name, one.tally, width, behind)
    yield rule
    yield _row("TOTAL", summary.tally, width)
    if summary.tally.left_out:
        yield f"{_points(summary.tally.left_out)} left out by `# crd: no cover` or crd_cov_exclude"
    for one in summary.versions if with_missing else ():
        yield from _missing(one)


def _row(name: str, tally: Tally, width: int, behind: str = "") -> str:
    return f"{name:{width}}   {tally.points:6}   {tally.held:4}   {tally.seen:4}   {tally.missed:4}   {tally.shown:>5}{behind}".rstrip()


def _points(count: int) -> str:
    return f"{count} point{'' if count == 1 else 's'}"


def _missing(version: VersionCoverage) -> Iterator[str]:
    if version.missing:
        yield ""
        asked = "" if version.requests else ", as no test that passed has made a request to it"
        yield f"{version.name}: {_points(len(version.missing))} missing{asked}"
        yield from (f"  {place(version, one)}: {one.text}" for one in version.missing)


def place(version: VersionCoverage, counted: Counted) -> str:
    """Return `file:line` of a point."""
    return f"{version.lines.file}:{counted.line}"


def _ranges(numbers: Iterable[int]) -> str:
    """Return line numbers as coverage.py lists them: `3, 7-9`."""
    runs: list[list[int]] = []
    for number in sorted(set(numbers)):
        if runs and number == runs[-1][1] + 1:
            runs[-1][1] = number
        else:
            runs.append([number, number])
    return ", ".join(f"{first}" if first == last else f"{first}-{last}" for first, last in runs)
