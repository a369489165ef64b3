"""
Run apiextensions-apiserver's own `test/integration` against `pytest-crd serve` and against its own server.

One line per test is printed. `tools/oracle/integration/failing.toml` lists the tests that fail here, with reasons. The
command fails if a listed test passes or fails with different output, if another test fails, or if a test fails on the
real server.
"""

from __future__ import annotations

import argparse
import json
import os
import sys
import tomllib
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Final, NamedTuple

from oracle import options as shared
from oracle.servers import apiserver, gotests, programs
from oracle.servers.gotests import Module, Outcome, Suite

FOLDER: Final = programs.SOURCES / "integration"
FAILING: Final = FOLDER / "failing.toml"
_MODULE: Final = Module("k8s.io/apiextensions-apiserver", FOLDER)
_PACKAGES: Final = ("test/integration", "test/integration/conversion")
_FIXTURE: Final = {"test/integration/fixtures/server.go": FOLDER / "fixtures/server.go"}
# Upstream's tests wait half a minute for events that do not happen, some repeatedly; a test on the real server
# occasionally needs longer.
_PATIENCE: Final = 60.0
_MORE_PATIENCE: Final = 240.0
_SERVER: Final = (sys.executable, "-m", "oracle.servers.empty")


class Reason(NamedTuple):
    """
    A reason why tests fail.

    Attributes:
        why: The explanation.
        says: A text in the output of each test.
        tests: The names of the tests; `TEST/PART` if other parts pass or have another reason.
    """

    why: str
    says: str
    tests: tuple[str, ...]


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the names of tests."""
    parser.add_argument("tests", nargs="*", metavar="TEST", help="run these only; unset: all")
    parser.add_argument("--here", action="store_true", help="do not run them against the real server")


def main(options: argparse.Namespace) -> int:
    """Run the tests; return 1 if an outcome is a surprise."""
    suites = _suites(_FIXTURE, options.tests)
    ours = gotests.run_all(suites, {**os.environ, "PYTEST_CRD_SERVER": json.dumps(_SERVER)}, _PATIENCE)
    theirs = {} if options.here else _run_on_real_server(options.tests)
    reasons_ = reasons()
    for name, outcome in ours.items():
        words = [_word(outcome), *([_word(theirs[name])] if theirs else [])]
        print(f"{name:64}", *(f"{verdict:7}" for verdict in words), "; ".join(_whys(outcome, reasons_)))
    problems = [
        *surprises(ours, reasons_),
        *(f"{name} fails on the real server" for name, outcome in theirs.items() if outcome.failed),
    ]
    if not options.tests:
        problems += [f"{test} is listed as failing, but there is no such test" for test in find_missing(ours, reasons_)]
    print(*problems, sep="\n", end="\n" if problems else "")
    passed = sum(not outcome.failed for outcome in ours.values())
    print(f"{len(ours)} tests, {passed} pass here, {len(problems)} surprises")
    return int(bool(problems))


def reasons() -> list[Reason]:
    """Return the reasons for failures in the file."""
    table = tomllib.loads(FAILING.read_text(encoding="utf-8"))
    return [Reason(entry["why"], entry["says"], tuple(entry["tests"])) for entry in table["reason"]]


def surprises(outcomes: Mapping[str, Outcome], known: Sequence[Reason]) -> Iterator[str]:
    """Yield a message for each outcome that does not match the *known* reasons, among tests that ran."""
    expected = {test: reason for reason in known for test in reason.tests if test.partition("/")[0] in outcomes}
    for name, outcome in outcomes.items():
        for test in outcome.failed:
            reason = expected.get(test) or expected.get(name)
            if reason is None:
                yield f"{test} fails without a known reason:\n{_tail(outcome)}"
            elif reason.says not in outcome.output:
                yield f"{test} fails without a word of `{reason.says}`:\n{_tail(outcome)}"
        failing = [f"{test}/" for test in outcome.failed]
        passing = [
            test
            for test in expected
            if test.partition("/")[0] == name and not any(failed.startswith(f"{test}/") for failed in failing)
        ]
        yield from (f"{test} passes" for test in passing)


def find_missing(names: Collection[str], known: Iterable[Reason]) -> list[str]:
    """Return the tests with a reason to fail that do not exist any more."""
    return [test for reason in known for test in reason.tests if test.partition("/")[0] not in names]


def _suites(replaced: Mapping[str, Path], wanted: Sequence[str]) -> dict[str, Suite]:
    """
    Return the suite of each wanted test, or of all tests if *wanted* is empty.

    Raises:
        UsageError: A wanted test does not exist.
    """
    built = [gotests.build(_MODULE, package, replaced) for package in _PACKAGES]
    suites = {name: suite for suite in built for name in suite.names}
    if unknown := [name for name in wanted if name not in suites]:
        raise shared.UsageError(f"no such test: {', '.join(unknown)}")
    return {name: suite for name, suite in suites.items() if not wanted or name in wanted}


def _run_on_real_server(wanted: Sequence[str]) -> dict[str, Outcome]:
    """Return the outcomes of tests on the real server; a failed test runs a second time, alone."""
    etcd, port = programs.build("etcd", programs.SOURCES / "etcd", "."), apiserver.free_port(pair=True)
    suites = _suites({}, wanted)
    with (
        (programs.cache() / "integration-etcd.log").open("wb") as log,
        apiserver.running([str(etcd), str(port)], log.fileno()),
    ):
        environment = {**os.environ, "KUBE_INTEGRATION_ETCD_URL": f"http://127.0.0.1:{port}"}
        outcomes = gotests.run_all(suites, environment, _MORE_PATIENCE)
        for name in [name for name, outcome in outcomes.items() if outcome.failed]:
            outcomes[name] = suites[name].run(name, environment, _MORE_PATIENCE)
    return outcomes


def _word(outcome: Outcome) -> str:
    return "fails" if outcome.failed else "passes"


def _whys(outcome: Outcome, known: Sequence[Reason]) -> list[str]:
    failed = {name for test in outcome.failed for name in (test, test.partition("/")[0])}
    return [reason.why for reason in known if not failed.isdisjoint(reason.tests)]


def _tail(outcome: Outcome) -> str:
    return "\n".join(f"    {line[:300]}" for line in outcome.output.splitlines()[-12:])
