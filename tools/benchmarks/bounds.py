"""
The growth of messages and checks with hostile objects and CRDs, as a ratio to inputs of a quarter of the size.

Linear work has a ratio of 4, quadratic work of 16. Each case runs in its own process for at most 30 seconds; a case
that takes longer is killed and has an infinite ratio.
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
    wanted = [ExpectedError(ErrorType.INVALID)] * (size // 2) + [ExpectedError(field=error.field) for error in errors]
    return lambda: matching.Matching(wanted, matching.ErrorIndex(errors), refusals.meets)


def _lines(size: int) -> Callable[[], object]:
    [document] = yamlreader.read("spec:\n" + "".join(f"  k{index}: 1\n" for index in range(size)), source="a.yaml")
    return lambda: [document.line_of(("spec", f"k{index}")) for index in range(size)]


def _lists(size: int) -> Callable[[], object]:
    expected, actual = ([f"a{index % count}" for index in range(size)] for count in (2, 3))
    return lambda: comparison.compare(expected, actual, None)


def _actions(size: int) -> Callable[[], object]:
    return lambda: manifest.is_template(b"{{\n" * size)


# By name: a function from a size to the call to measure, and the full size.
CASES: Final[Mapping[str, tuple[Callable[[int], Callable[[], object]], int]]] = {
    "suggestions": (_suggestions, 40_000),
    "expected errors": (_expected_errors, 20_000),
    "lines of keys": (_lines, 20_000),
    "lists with few values": (_lists, 40_000),
    "open actions": (_actions, 1_000_000),
}


def seconds(name: str, size: int) -> float:
    """Return the processor time of a case of *size* in seconds, infinite if it takes too long."""
    receiver, sender = multiprocessing.Pipe(duplex=False)
    process = multiprocessing.get_context("fork").Process(target=_run, args=(name, size, sender))
    process.start()
    took: float = receiver.recv() if receiver.poll(_MOST_SECONDS) else float("inf")
    process.kill()
    process.join()
    return took


def _run(name: str, size: int, result: Any) -> None:
    function = CASES[name][0](size)
    start = time.process_time()
    function()
    result.send(time.process_time() - start)


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the names of cases."""
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
