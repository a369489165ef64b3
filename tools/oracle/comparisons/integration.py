"""
Run apiextensions-apiserver's own `test/integration` against `pytest-crd serve`, and against the server that it has itself.

A line is printed for each test. `tools/oracle/integration/failing.toml` has those that do not pass here, and why: the command fails where
one of them passes, or says something else, where another one does not pass, and where one fails on the real server.
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
# Upstream's tests wait half a minute for what does not come, some of them often; one on the real server needs longer now and then.
_PATIENCE: Final = 60.0
_MORE_PATIENCE: Final = 240.0
_SERVER: Final = (sys.executable, "-m", "oracle.servers.empty")


class Reason(NamedTuple):
    """
    Why tests do not pass.

    Attributes:
        why: For a reader.
        says: What each of them prints then.
        tests: Their names; `TEST/PART` where the other parts pass.
    """

    why: str
    says: str
    tests: tuple[str, ...]


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the names of tests."""
    parser.add_argument("tests", nargs="*", metavar="TEST", help="run these only; unset: all")
    parser.add_argument("--here", action="store_true", help="do not run them against the real server")


def main(options: argparse.Namespace) -> int:
    """Return 1 where what fails is not what is known to."""
    suites = _suites(_FIXTURE, options.tests)
    ours = gotests.run_all(suites, {**os.environ, "PYTEST_CRD_SERVER": json.dumps(_SERVER)}, _PATIENCE)
    theirs = {} if options.here else _judged(options.tests)
    known = reasons()
    for name, outcome in ours.items():
        words = [_word(outcome), *([_word(theirs[name])] if theirs else [])]
        print(f"{name:64}", *(f"{word:7}" for word in words), "; ".join(_whys(outcome, known)))
    wrong = [
        *surprises(ours, known),
        *(f"{name} fails on the real server" for name, one in theirs.items() if one.failed),
    ]
    if not options.tests:
        wrong += [f"{test} is known not to pass, and there is no such test" for test in outlived(ours, known)]
    print(*wrong, sep="\n", end="\n" if wrong else "")
    passed = sum(not outcome.failed for outcome in ours.values())
    print(f"{len(ours)} tests, {passed} pass here, {len(wrong)} surprises")
    return int(bool(wrong))


def reasons() -> list[Reason]:
    """Return why tests do not pass, as the file has it."""
    table = tomllib.loads(FAILING.read_text(encoding="utf-8"))
    return [Reason(one["why"], one["says"], tuple(one["tests"])) for one in table["reason"]]


def surprises(outcomes: Mapping[str, Outcome], known: Sequence[Reason]) -> Iterator[str]:
    """Yield what came otherwise than it is known to, of tests that were run."""
    expected = {test: reason for reason in known for test in reason.tests if test.partition("/")[0] in outcomes}
    for name, outcome in outcomes.items():
        for test in outcome.failed:
            if test not in expected:
                yield f"{test} fails, and nothing says why:\n{_tail(outcome)}"
            elif expected[test].says not in outcome.output:
                yield f"{test} fails without a word of `{expected[test].says}`:\n{_tail(outcome)}"
        passing = [test for test in expected if test.partition("/")[0] == name and test not in outcome.failed]
        yield from (f"{test} passes" for test in passing)


def outlived(names: Collection[str], known: Iterable[Reason]) -> list[str]:
    """Return the tests that have a reason not to pass and that are not there any more."""
    return [test for reason in known for test in reason.tests if test.partition("/")[0] not in names]


def _suites(replaced: Mapping[str, Path], wanted: Sequence[str]) -> dict[str, Suite]:
    """Return by the names of the tests that are wanted what runs them."""
    built = [gotests.build(_MODULE, package, replaced) for package in _PACKAGES]
    found = {name: suite for suite in built for name in suite.names}
    if unknown := [name for name in wanted if name not in found]:
        raise shared.UsageError(f"no such test: {', '.join(unknown)}")
    return {name: suite for name, suite in found.items() if not wanted or name in wanted}


def _judged(wanted: Sequence[str]) -> dict[str, Outcome]:
    """Return what comes of tests on the real server; of one that fails, what comes of it when it is run once more, alone."""
    etcd, port = programs.build("etcd", programs.SOURCES / "etcd", "."), apiserver.free_port(pair=True)
    suites = _suites({}, wanted)
    with (
        (programs.cache() / "integration-etcd.log").open("wb") as log,
        apiserver.running([str(etcd), str(port)], log.fileno()),
    ):
        environment = {**os.environ, "KUBE_INTEGRATION_ETCD_URL": f"http://127.0.0.1:{port}"}
        found = gotests.run_all(suites, environment, _MORE_PATIENCE)
        for name in [name for name, outcome in found.items() if outcome.failed]:
            found[name] = suites[name].run(name, environment, _MORE_PATIENCE)
    return found


def _word(outcome: Outcome) -> str:
    return "fails" if outcome.failed else "passes"


def _whys(outcome: Outcome, known: Sequence[Reason]) -> list[str]:
    return [reason.why for reason in known if any(test in reason.tests for test in outcome.failed)]


def _tail(outcome: Outcome) -> str:
    return "\n".join(f"    {line[:300]}" for line in outcome.output.splitlines()[-12:])
