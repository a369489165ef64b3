"""The most that ratios may be: `budgets.toml` beside this."""

from __future__ import annotations

import tomllib
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Final, TypeAlias

from benchmarks.figures import Figure

_FILE: Final = Path(__file__).with_suffix(".toml")
# By benchmark, and by what it measures.
Budgets: TypeAlias = "Mapping[str, Mapping[str, float]]"


def read() -> Budgets:
    """Return the budgets."""
    return tomllib.loads(_FILE.read_text(encoding="utf-8"))


def problems(budgets: Budgets, name: str, figures: Sequence[Figure]) -> Iterator[str]:
    """
    Yield what is wrong with the figures of one benchmark.

    Args:
        budgets: The budgets.
        name: The benchmark.
        figures: What it has measured; a budget for something else has outlived what it was for.
    """
    own = budgets.get(name, {})
    measured = {figure.what for figure in figures}
    yield from (f"{name}: nothing measures {what!r}, which has a budget" for what in own if what not in measured)
    for figure in figures:
        most = own.get(figure.what, figure.ratio)
        if figure.ratio > most:
            yield f"{name}: {figure.what} takes {figure.ratio:.2f} times as long as {figure.peer}, and {most:g} at the most are right"
