"""
Run integration tests of Kubernetes unchanged against `pytest-crd serve` and against the server that they start.

These are `test/integration` of apiextensions-apiserver, and the tests of admission policies in Kubernetes' own
`test/integration`. One line per test is printed. `tools/oracle/integration/failing.toml` lists the tests that fail
here, with reasons. The command fails if a listed test passes or fails with different output, if another test fails, or if a test fails on the
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
# Upstream's tests wait half a minute for events that do not happen, some repeatedly; a test on the real server
# occasionally needs longer.
_PATIENCE: Final = 150.0
_MORE_PATIENCE: Final = 240.0
_SERVER: Final = (sys.executable, "-m", "oracle.servers.empty")


class Project(NamedTuple):
    """
    Integration tests of a module.

    Attributes:
        module: The module.
        packages: The packages of the tests, by their paths in the module.
        fixtures: The files that start a server of pytest-crd, by the paths of the files that they replace.
    """

    module: Module
    packages: tuple[str, ...]
    fixtures: Mapping[str, Path]


PROJECTS: Final[Mapping[str, Project]] = {
    "apiextensions-apiserver": Project(
        Module("k8s.io/apiextensions-apiserver", FOLDER),
        ("test/integration", "test/integration/conversion"),
        {"test/integration/fixtures/server.go": FOLDER / "fixtures/server.go"},
    ),
    "kubernetes": Project(
        Module("k8s.io/kubernetes", FOLDER),
        ("test/integration/apiserver/cel", "test/integration/apiserver/cel/authorizerselector/selectorenabled"),
        {
            "cmd/kube-apiserver/app/testing/testserver.go": FOLDER / "testing/testserver.go",
            "test/integration/framework/etcd.go": FOLDER / "framework/etcd.go",
            "test/integration/framework/test_server.go": FOLDER / "framework/test_server.go",
        },
    ),
}


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
    """Add the names of tests and of a project."""
    parser.add_argument("tests", nargs="*", metavar="TEST", help="run these only; unset: all")
    parser.add_argument("--project", choices=PROJECTS, help="run the tests of this project only; unset: of each")
    parser.add_argument("--here", action="store_true", help="do not run them against the real server")


def main(options: argparse.Namespace) -> int:
    """Run the tests; return 1 if an outcome is a surprise."""
    names = [options.project] if options.project else [*PROJECTS]
    projects = [PROJECTS[name] for name in names]
    environment = {**os.environ, "PYTEST_CRD_SERVER": json.dumps(_SERVER)}
    suites = _suites([(project, project.fixtures) for project in projects], options.tests, environment)
    ours = gotests.run_all(suites, environment, _PATIENCE)
    theirs = {} if options.here else _run_on_real_server(projects, options.tests)
    reasons_ = [reason for name in names for reason in reasons(name)]
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


def reasons(project: str) -> list[Reason]:
    """Return the reasons for failures of a project's tests in the file."""
    table = tomllib.loads(FAILING.read_text(encoding="utf-8"))
    return [Reason(entry["why"], entry["says"], tuple(entry["tests"])) for entry in table[project]]


def surprises(outcomes: Mapping[str, Outcome], known: Sequence[Reason]) -> Iterator[str]:
    """Yield a message for each outcome that does not match the *known* reasons, among tests that ran."""
    expected = {test: reason for reason in known for test in reason.tests if test.partition("/")[0] in outcomes}
    for name, outcome in outcomes.items():
        for test in outcome.failed:
            reason = next((expected[whole] for whole in _wholes(test) if whole in expected), None)
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


def _suites(
    projects: Iterable[tuple[Project, Mapping[str, Path]]], wanted: Sequence[str], environment: Mapping[str, str]
) -> dict[str, Suite]:
    """
    Return the suite of each wanted test, or of all tests if *wanted* is empty.

    Args:
        projects: The projects, with the files of each that are replaced.
        wanted: The names of tests.
        environment: The environment of the tests.

    Raises:
        UsageError: A wanted test does not exist.
    """
    built = [
        gotests.build(project.module, package, replaced)
        for project, replaced in projects
        for package in project.packages
    ]
    suites = {name: suite for suite in built for name in suite.list_names(environment)}
    if unknown := [name for name in wanted if name not in suites]:
        raise shared.UsageError(f"no such test: {', '.join(unknown)}")
    return {name: suite for name, suite in suites.items() if not wanted or name in wanted}


def _run_on_real_server(projects: Iterable[Project], wanted: Sequence[str]) -> dict[str, Outcome]:
    """Return the outcomes of tests on the real server; a failed test runs a second time, alone."""
    etcd, port = programs.build("etcd", programs.SOURCES / "etcd", "."), apiserver.free_port(pair=True)
    with (
        (programs.cache() / "integration-etcd.log").open("wb") as log,
        apiserver.running([str(etcd), str(port)], log.fileno()),
    ):
        environment = {**os.environ, "KUBE_INTEGRATION_ETCD_URL": f"http://127.0.0.1:{port}"}
        suites = _suites([(project, {}) for project in projects], wanted, environment)
        outcomes = gotests.run_all(suites, environment, _MORE_PATIENCE)
        for name in [name for name, outcome in outcomes.items() if outcome.failed]:
            outcomes[name] = suites[name].run(name, environment, _MORE_PATIENCE)
    return outcomes


def _word(outcome: Outcome) -> str:
    return "fails" if outcome.failed else "passes"


def _whys(outcome: Outcome, known: Sequence[Reason]) -> list[str]:
    failed = {name for test in outcome.failed for name in _wholes(test)}
    return [reason.why for reason in known if not failed.isdisjoint(reason.tests)]


def _wholes(test: str) -> list[str]:
    """Return the names of a test and of the tests around it, innermost first."""
    parts = test.split("/")
    return ["/".join(parts[:count]) for count in range(len(parts), 0, -1)]


def _tail(outcome: Outcome) -> str:
    return "\n".join(f"    {line[:300]}" for line in outcome.output.splitlines()[-12:])
