"""The command line of all benchmarks: it runs them and prints one table of their figures."""

from __future__ import annotations

import importlib
import itertools
import sys
from collections.abc import Iterator, Sequence
from typing import Final

from oracle.options import UsageError, make_parser

from benchmarks import budgets, machine
from benchmarks.figures import Figure, table
from benchmarks.table import BENCHMARKS, Benchmark

_CALL: Final = "python -m benchmarks"
_HELP: Final = frozenset({"-h", "--help"})
_BY_NAME: Final = {benchmark.name: benchmark for benchmark in BENCHMARKS}


def main(arguments: Sequence[str]) -> int:
    """
    Run the benchmarks named at the start of *arguments*, or all; further arguments belong to the only named benchmark.

    Returns:
        The exit code: 1 if a ratio is above its budget; 2 if a benchmark lacks a requirement or the command line names an unknown benchmark.

    Raises:
        SystemExit: The arguments of a benchmark are wrong or ask for its help.
    """
    if arguments and arguments[0] in _HELP:
        print("\n".join(overview()))
        return 0
    names = list(itertools.takewhile(_BY_NAME.__contains__, arguments)) if arguments else list(_BY_NAME)
    rest = arguments[len(names) :]
    if not names or (rest and len(names) > 1):
        wrong = f"no benchmark `{rest[0]}`" if not names else f"`{rest[0]}`: arguments are for one benchmark alone"
        print(wrong, *overview(), sep="\n", file=sys.stderr)
        return 2
    rows: list[tuple[str, Figure]] = []
    lacking = [name for name in names if not _measure(_BY_NAME[name], rest, rows)]
    print("", *machine.lines(), "", *table(rows), *(f"{name}: not measured" for name in lacking), sep="\n")
    problems = [] if rest else [problem for name in names if name not in lacking for problem in _problems(name, rows)]
    print(*problems, sep="\n", end="\n" if problems else "", file=sys.stderr)
    return 2 if lacking else int(bool(problems))


def _problems(name: str, rows: Sequence[tuple[str, Figure]]) -> Iterator[str]:
    """Yield a message for each figure of a benchmark that is above its budget."""
    yield from budgets.problems(budgets.read(), name, [figure for benchmark, figure in rows if benchmark == name])


def _measure(benchmark: Benchmark, arguments: Sequence[str], rows: list[tuple[str, Figure]]) -> bool:
    """Add the figures of a benchmark to *rows*; return False if a requirement is missing."""
    module = importlib.import_module(f"benchmarks.{benchmark.name}")
    parser = make_parser(module, f"{_CALL} {benchmark.name}", _requirements(benchmark))
    options = parser.parse_args(arguments)
    print(f"{benchmark.name}: {benchmark.measures}", flush=True)
    try:
        rows += [(benchmark.name, figure) for figure in module.main(options)]
    except UsageError as error:
        print(error, file=sys.stderr)
        return False
    return True


def overview() -> Iterator[str]:
    """Yield the lines of the help: usage and the list of benchmarks."""
    yield f"usage: {_CALL} [NAME …]  (or NAME ARGUMENT …: `NAME --help`); without a name all run, in a quarter of an hour\n"
    for benchmark in BENCHMARKS:
        yield f"  {benchmark.name:11}{benchmark.measures}"
        yield f"  {'':11}{_requirements(benchmark)}"
    yield "\nA corpus is the folder that $CRD_CORPUS names, with `crds` and `samples` of real projects."


def _requirements(benchmark: Benchmark) -> str:
    return f"needs {benchmark.needs or 'nothing'}; takes {benchmark.takes}"
