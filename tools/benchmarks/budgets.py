"""Budgets: the highest allowed ratios, from `budgets.toml` beside this file."""

from __future__ import annotations

import tomllib
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Final, TypeAlias

from benchmarks.figures import Figure

_FILE: Final = Path(__file__).with_suffix(".toml")
_ROOM: Final = 1.05
# By benchmark and by name of the figure.
Budgets: TypeAlias = "Mapping[str, Mapping[str, float]]"


def read() -> Budgets:
    """Return the budgets."""
    return tomllib.loads(_FILE.read_text(encoding="utf-8"))


def problems(budgets: Budgets, name: str, figures: Sequence[Figure]) -> Iterator[str]:
    """
    Yield a message for each figure above its budget, and for each budget without a figure.

    Args:
        budgets: The budgets of all benchmarks.
        name: The benchmark.
        figures: Its figures.
    """
    own = budgets.get(name, {})
    measured = {figure.name for figure in figures}
    yield from (f"{name}: nothing measures {title!r}, which has a budget" for title in own if title not in measured)
    for figure in figures:
        most = own.get(figure.name, figure.ratio)
        if figure.ratio > most and figure.is_counted:
            yield (
                f"{name}: {figure.name} is {figure.ratio:.3f} of {figure.peer}, and {most:g} at the most are right; if it is meant, write "
                f"into {_FILE.name}:\n[{name}]\n{line(figure)}"
            )
        elif figure.ratio > most:
            yield f"{name}: {figure.name} takes {figure.ratio:.2f} times as long as {figure.peer}, and {most:g} at the most are right"


def line(figure: Figure) -> str:
    """Return the line of `budgets.toml` for a counted figure: the figure and five percent."""
    return f'"{figure.name}" = {figure.ratio * _ROOM:.3f}'
