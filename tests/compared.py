"""
Counts of the comparisons with recorded answers of servers: summed up by tests, reported at the end, and checked against `compared.toml`.

A test that compares less than yesterday passes as before. So tests count their comparisons, and a run of all tests fails if a count is not
its written figure. Counts of random examples and of the corpus may be higher.
"""

from __future__ import annotations

import functools
import itertools
import os
import tomllib
from collections import Counter
from collections.abc import Callable, Generator, Iterator, Mapping
from pathlib import Path
from typing import Any, Final

import pytest

FILE: Final = Path(__file__).with_name("compared.toml")
# The property of a test with the kind and number of its comparisons.
_PROPERTY: Final = "compared"
_RANDOM: Final = "random examples"
# The figures of these kinds are minimums: hypothesis and the corpus decide the number.
_MINIMUMS: Final = frozenset({_RANDOM, "answers about CRDs and samples of projects", "executions of suites"})


def pytest_addoption(parser: pytest.Parser) -> None:
    """Declare the option for more comparisons than usual."""
    parser.addoption(
        "--all-versions",
        action="store_true",
        help="replay each recorded answer under all Kubernetes versions that answer so, not under one of them",
    )


@pytest.fixture
def compared(request: pytest.FixtureRequest) -> Callable[[str, int], None]:
    """A function that a test calls with a kind of answers and the number that it has compared."""

    def count(what: str, number: int) -> None:
        request.node.user_properties.append((_PROPERTY, [what, number]))

    return count


@pytest.hookimpl(wrapper=True)
def pytest_runtest_call(item: pytest.Item) -> Generator[None]:
    """Count the examples of a test that hypothesis drives."""
    handle = getattr(getattr(item, "obj", None), "hypothesis", None)
    if handle is None:
        return (yield)
    test, count = handle.inner_test, Counter[str]()

    @functools.wraps(test)
    def counted(*arguments: Any, **named: Any) -> Any:
        count[_RANDOM] += 1
        return test(*arguments, **named)

    handle.inner_test = counted
    try:
        return (yield)
    finally:
        handle.inner_test = test
        item.user_properties.append((_PROPERTY, [_RANDOM, count[_RANDOM]]))


def pytest_sessionfinish(session: pytest.Session) -> None:
    """Fail a run of all tests with other counts than the written figures."""
    if session.exitstatus == pytest.ExitCode.OK and _problems(session.config):
        session.exitstatus = pytest.ExitCode.TESTS_FAILED


def pytest_terminal_summary(terminalreporter: pytest.TerminalReporter, config: pytest.Config) -> None:
    """Write the counts, and the lines to write for wrong figures."""
    if counts := _counts(config):
        terminalreporter.section("compared with servers", sep="-")
        for kind, number in sorted(counts.items()):
            terminalreporter.write_line(f"{number:8,} {kind}")
    for problem in _problems(config):
        terminalreporter.write_line(f"{FILE.name}: {problem}", red=True)


def figures(sections: tuple[str, ...]) -> dict[str, tuple[int, str]]:
    """Return the figure of each kind in *sections* of the file, and its section; later sections override earlier ones."""
    written = tomllib.loads(FILE.read_text(encoding="utf-8"))
    return {kind: (number, section) for section in sections for kind, number in written[section].items()}


def _sections(config: pytest.Config) -> tuple[str, ...]:
    """Return the sections for a run; empty for a restricted run, and in a worker."""
    is_whole = config.args_source is pytest.Config.ArgsSource.TESTPATHS
    narrowed = ("keyword", "deselect", "ignore", "ignore_glob", "lf", "collectonly", "maxfail")
    if not is_whole or hasattr(config, "workerinput") or any(config.getoption(name, None) for name in narrowed):
        return ()
    is_section_of_run = {
        "all-versions": config.getoption("all_versions"),
        "slow": "not slow" not in config.getoption("markexpr"),
        "corpus": os.environ.get("CRD_CORPUS"),
    }
    return ("quick", *(section for section, is_asked in is_section_of_run.items() if is_asked))


def _problems(config: pytest.Config) -> list[str]:
    return list(wrong_figures(_counts(config), figures(_sections(config))))


def wrong_figures(counts: Mapping[str, int], written: Mapping[str, tuple[int, str]]) -> Iterator[str]:
    """Yield the line to write for each of *counts* that differs from its figure in *written*; nothing if that is empty."""
    for kind in sorted(counts.keys() | written.keys()) if written else ():
        count = counts.get(kind, 0)
        number, section = written.get(kind, (0, "quick"))
        if count < number or (count > number and (kind not in _MINIMUMS or not number)):
            yield f'[{section}] has {number} {kind}; if the change is right, write "{kind}" = {count}'


def _counts(config: pytest.Config) -> dict[str, int]:
    """Return the counts by kind, of this process and the workers of pytest-xdist."""
    reporter = config.pluginmanager.get_plugin("terminalreporter")
    counts = Counter[str]()
    for report in itertools.chain.from_iterable((reporter.stats if reporter else {}).values()):
        if getattr(report, "when", "") == "call":
            for name, value in report.user_properties:
                if name == _PROPERTY:
                    counts[value[0]] += value[1]
    return counts
