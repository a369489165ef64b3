"""What benchmarks find."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import NamedTuple


class Figure(NamedTuple):
    """
    A ratio of two times of one run.

    Attributes:
        what: What was measured.
        ratio: How many times as long as the peer it takes.
        peer: What it is held against.
    """

    what: str
    ratio: float
    peer: str


def table(rows: Sequence[tuple[str, Figure]]) -> Iterator[str]:
    """Yield the lines of a table of figures, each with the name of its benchmark."""
    lines = [("benchmark", "what", "times", "against")]
    lines += [(name, figure.what, _rounded(figure.ratio), figure.peer) for name, figure in rows]
    first, second, third = (max(len(line[column]) for line in lines) for column in range(3))
    for name, what, ratio, peer in lines:
        yield f"{name:{first}}  {what:{second}}  {ratio:>{third}}  {peer}"


def _rounded(ratio: float) -> str:
    return f"{ratio:.2f}" if ratio >= 0.1 else f"{ratio:.5f}"
