"""Results of benchmarks."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import NamedTuple


class Figure(NamedTuple):
    """
    A ratio of two times, or of two counts, of one run.

    Attributes:
        name: The operation that is measured.
        ratio: Its time in multiples of the peer's time.
        peer: The operation it is compared with.
        is_counted: Whether it is a ratio of counts, which no load on the machine changes.
    """

    name: str
    ratio: float
    peer: str
    is_counted: bool = False


def table(rows: Sequence[tuple[str, Figure]]) -> Iterator[str]:
    """Yield the lines of a table of figures, each with the name of its benchmark."""
    lines = [("benchmark", "what", "times", "against")]
    lines += [(benchmark, figure.name, _rounded(figure.ratio), figure.peer) for benchmark, figure in rows]
    first, second, third = (max(len(line[column]) for line in lines) for column in range(3))
    for benchmark, name, ratio, peer in lines:
        yield f"{benchmark:{first}}  {name:{second}}  {ratio:>{third}}  {peer}"


def _rounded(ratio: float) -> str:
    return f"{ratio:.2f}" if ratio >= 0.1 else f"{ratio:.5f}"
