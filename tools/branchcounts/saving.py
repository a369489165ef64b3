"""pytest plugin that saves the counts at the end of a session, because pytest-xdist kills its workers before Python's own end."""

from __future__ import annotations

from branchcounts.counting import Count


def pytest_sessionfinish() -> None:
    """Save the counts of this process."""
    if Count.running is not None:
        Count.running.save()
