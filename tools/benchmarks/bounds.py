"""
What messages and checks take of hostile objects and CRDs, beside a quarter of them.

Work that grows with the size takes four times as long, and with its square 16 times. Each case is also held to a few seconds, in a process of
its own: what takes longer is ended, and its ratio is without bounds.
"""

from __future__ import annotations

import argparse
import multiprocessing
import time
from collections.abc import Callable, Iterator, Mapping
from typing import Any, Final

from oracle.options import UsageError
from support import crds

from benchmarks.figures import Figure
from pytest_crd.cases import comparison, matching, refusals, schemafields
from pytest_crd.cases.caseparts import ExpectedError
from pytest_crd.engine.api.customresourcedefinition import CustomResourceDefinition
from pytest_crd.engine.errors.fielderror import ErrorType, FieldError
from pytest_crd.engine.yaml import manifest, yamlreader

_MOST_SECONDS: Final = 30.0
_LEAST_SECONDS: Final = 0.01
_PEER: Final = "a quarter of it"
_PART: Final = 4
_STRING: Final = {"type": "string"}


def _suggestions(size: int) -> Callable[[], object]:
    properties = {f"field{index:05}": _STRING for index in range(2_000)}
    spec = {"type": "object", "properties": properties}
    crd = CustomResourceDefinition.from_manifest(crds.manifest({"type": "object", "properties": {"spec": spec}}))
    fields = schemafields.SchemaFields(crd.version("v1"))
    return lambda: [fields.near(f"spec.fieldx{index:05}") for index in range(size)]


def _expected_errors(size: int) -> Callable[[], object]:
    errors = [FieldError(ErrorType.INVALID, f"spec.f{index}", 1, "is wrong") for index in range(size)]
    wanted = [ExpectedError(ErrorType.INVALID)] * (size // 2) + [ExpectedError(field=one.field) for one in errors]
    return lambda: matching.Matching(wanted, matching.ErrorIndex(errors), refusals.meets)


def _lines(size: int) -> Callable[[], object]:
    [document] = yamlreader.read("spec:\n" + "".join(f"  k{index}: 1\n" for index in range(size)), source="a.yaml")
    return lambda: [document.line_of(("spec", f"k{index}")) for index in range(size)]


def _lists(size: int) -> Callable[[], object]:
    expected, actual = ([f"a{index % count}" for index in range(size)] for count in (2, 3))
    return lambda: comparison.compare(expected, actual, None)


def _actions(size: int) -> Callable[[], object]:
    return lambda: manifest.is_template(b"{{\n" * size)


# By name, with the size of the whole.
CASES: Final[Mapping[str, tuple[Callable[[int], Callable[[], object]], int]]] = {
    "suggestions": (_suggestions, 40_000),
    "expected errors": (_expected_errors, 20_000),
    "lines of keys": (_lines, 20_000),
    "lists with few values": (_lists, 40_000),
    "open actions": (_actions, 1_000_000),
}


def seconds(name: str, size: int) -> float:
    """Return the seconds of processor time of a case of a size; without bounds if it takes too long."""
    ends, begins = multiprocessing.Pipe(duplex=False)
    process = multiprocessing.get_context("fork").Process(target=_run, args=(name, size, begins))
    process.start()
    took: float = ends.recv() if ends.poll(_MOST_SECONDS) else float("inf")
    process.kill()
    process.join()
    return took


def _run(name: str, size: int, result: Any) -> None:
    function = CASES[name][0](size)
    start = time.process_time()
    function()
    result.send(time.process_time() - start)


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the cases."""
    parser.add_argument("names", nargs="*", metavar="NAME", help=f"(default: all) {', '.join(CASES)}")


def main(options: argparse.Namespace) -> Iterator[Figure]:
    """Measure the named cases, or all."""
    if unknown := set(options.names) - CASES.keys():
        raise UsageError(f"no case is called {', '.join(sorted(unknown))}")
    for name in options.names or CASES:
        size = CASES[name][1]
        part, whole = (max(seconds(name, count), _LEAST_SECONDS) for count in (size // _PART, size))
        print(f"{name:24} {whole / part:8.1f}  ({whole:6.2f} s against {part:6.2f} s)", flush=True)
        yield Figure(name, whole / part, _PEER)
