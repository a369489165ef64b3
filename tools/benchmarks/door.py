"""The door to all benchmarks: runs those that are named, and puts what they find into one table."""

from __future__ import annotations

import importlib
import itertools
import sys
from collections.abc import Iterator, Sequence
from typing import Final

from oracle.options import UsageError, parser_of

from benchmarks import budgets, machine
from benchmarks.figures import Figure, table
from benchmarks.table import BENCHMARKS, Benchmark

_CALL: Final = "python -m benchmarks"
_HELP: Final = frozenset({"-h", "--help"})
_KNOWN: Final = {one.name: one for one in BENCHMARKS}


def main(arguments: Sequence[str]) -> int:
    """
    Run the benchmarks that *arguments* begin with, or all; what follows one alone are its own.

    Returns:
        The exit code: 1 where a ratio is above its budget; 2 where a benchmark lacks what it needs, or the command line names
        nothing that there is.

    Raises:
        SystemExit: The arguments of a benchmark are none, or ask for its help.
    """
    if arguments and arguments[0] in _HELP:
        print("\n".join(overview()))
        return 0
    names = list(itertools.takewhile(_KNOWN.__contains__, arguments)) if arguments else list(_KNOWN)
    rest = arguments[len(names) :]
    if not names or (rest and len(names) > 1):
        wrong = f"no benchmark `{rest[0]}`" if not names else f"`{rest[0]}`: arguments are for one benchmark alone"
        print(wrong, *overview(), sep="\n", file=sys.stderr)
        return 2
    rows: list[tuple[str, Figure]] = []
    lacking = [name for name in names if not _measured(_KNOWN[name], rest, rows)]
    print("", *machine.lines(), "", *table(rows), *(f"{name}: not measured" for name in lacking), sep="\n")
    above = [] if rest else [one for name in names if name not in lacking for one in _above(name, rows)]
    print(*above, sep="\n", end="\n" if above else "", file=sys.stderr)
    return 2 if lacking else int(bool(above))


def _above(name: str, rows: Sequence[tuple[str, Figure]]) -> Iterator[str]:
    """Yield which figures of a benchmark with its defaults are above their budgets."""
    yield from budgets.problems(budgets.read(), name, [figure for of, figure in rows if of == name])


def _measured(benchmark: Benchmark, arguments: Sequence[str], rows: list[tuple[str, Figure]]) -> bool:
    """Add the figures of a benchmark to *rows*; return whether it had what it needs."""
    module = importlib.import_module(f"benchmarks.{benchmark.name}")
    parser = parser_of(module, f"{_CALL} {benchmark.name}", _terms(benchmark))
    options = parser.parse_args(arguments)
    print(f"{benchmark.name}: {benchmark.measures}", flush=True)
    try:
        rows += [(benchmark.name, figure) for figure in module.main(options)]
    except UsageError as error:
        print(error, file=sys.stderr)
        return False
    return True


def overview() -> Iterator[str]:
    """Yield the lines that say which benchmarks there are."""
    yield f"usage: {_CALL} [NAME …]  (or NAME ARGUMENT …: `NAME --help`); without a name all, a quarter of an hour\n"
    for one in BENCHMARKS:
        yield f"  {one.name:11}{one.measures}"
        yield f"  {'':11}{_terms(one)}"
    yield "\nA corpus is the folder that $CRD_CORPUS names, with `crds` and `samples` of real projects."


def _terms(benchmark: Benchmark) -> str:
    return f"needs {benchmark.needs or 'nothing'}; takes {benchmark.takes}"
