"""
Processor time of tests: `--costs` prints it by folder at the end of a run, and fails a run above the budgets.

Processor time, also of the processes that a test starts, hardly depends on other programs. The speed of the machine is measured with a fixed
calculation in each worker, and all seconds are those of a machine that takes `_CALCULATION` seconds for it.

In a run that counts branches, the first call of a function is dear. There the budget of all tests is checked, and the budget of a single test is not:
`.ci/run` checks it in a run on another Python.
"""

from __future__ import annotations

import os
import time
from collections import Counter
from collections.abc import Generator, Iterable, Iterator
from typing import Final, NamedTuple

import pytest
import rows
import untested
from hypothesis.internal import charmap  # nothing public computes it early

# Seconds of all tests that the README's test command runs.
BUDGET: Final = 130.0
# Seconds of a test, or of each of its rows, without a marker of `_MARKERS`.
BUDGET_OF_TEST: Final = 1.0
# The measured speed of a machine is not exact: a run fails above this multiple of a budget.
_TOLERANCE: Final = 1.25
# Markers of tests that may take longer.
_MARKERS: Final = ("session", "replay", "counted", "corpus", "older", "long", "slow")
# Markers of tests that the README's test command leaves out.
_LEFT_OUT: Final = ("older", "long", "slow")
_DEAREST: Final = 20
_ROUNDS: Final = 5
_CALCULATION: Final = 0.0085
# The share of the time of a test that counts its branches.
_COUNTING: Final = 2.1
# The property of a test with its cost.
_PROPERTY: Final = "cost"
_START: Final = pytest.StashKey[float]()
_SPEED: Final = pytest.StashKey[float]()


class Cost(NamedTuple):
    """
    The cost of a test.

    Attributes:
        name: The node id.
        seconds: The processor time.
        markers: The markers among `_MARKERS`.
        dearest: The processor time of the dearest row; 0 for a test without rows.
    """

    name: str
    seconds: float
    markers: tuple[str, ...] = ()
    dearest: float = 0

    @property
    def is_of_readme(self) -> bool:
        """Whether the README's test command runs the test."""
        return not {*self.markers} & {*_LEFT_OUT}


def pytest_addoption(parser: pytest.Parser) -> None:
    """Declare the option that prints the costs."""
    parser.addoption(
        "--costs", action="store_true", help="print the processor time of tests, and fail above the budgets"
    )


def pytest_collection_finish(session: pytest.Session) -> None:
    """Measure the speed of the machine, and let no test compute hypothesis' table of characters."""
    if session.config.getoption("costs", default=False):
        charmap.charmap()
        counting = _COUNTING if _is_counting() else 1
        session.config.stash[_SPEED] = min(_calculate() for _ in range(_ROUNDS)) / _CALCULATION * counting


def _is_counting() -> bool:
    return untested.VARIABLE in os.environ


def _calculate() -> float:
    """Return the processor seconds of a fixed calculation."""
    start = time.process_time()
    table = {}
    for number in range(50_000):
        table[f"{number % 977}"] = [number, str(number)]
    return time.process_time() - start


def _spent() -> float:
    """Return the processor seconds of this process and of its ended processes."""
    times = os.times()
    return time.process_time() + times.children_user + times.children_system


@pytest.hookimpl(wrapper=True, tryfirst=True)
def pytest_runtest_setup(item: pytest.Item) -> Generator[None]:
    """Note the start of a test."""
    item.stash[_START] = _spent()
    return (yield)


@pytest.hookimpl(wrapper=True, tryfirst=True)
def pytest_runtest_teardown(item: pytest.Item) -> Generator[None]:
    """Report the cost of a test."""
    try:
        return (yield)
    finally:
        if _SPEED in item.config.stash:
            seconds = (_spent() - item.stash[_START]) / item.config.stash[_SPEED]
            markers = [name for name in _MARKERS if item.get_closest_marker(name)]
            dearest = item.stash.get(rows.DEAREST, 0) / item.config.stash[_SPEED]
            item.user_properties.append((_PROPERTY, [seconds, markers, dearest]))


def pytest_sessionfinish(session: pytest.Session) -> None:
    """Fail a run above the budgets."""
    if session.exitstatus == pytest.ExitCode.OK and [*excesses(_costs(session.config), is_counting=_is_counting())]:
        session.exitstatus = pytest.ExitCode.TESTS_FAILED


def pytest_terminal_summary(terminalreporter: pytest.TerminalReporter, config: pytest.Config) -> None:
    """Write the costs by folder, the dearest tests, and the excesses."""
    costs = _costs(config)
    if not costs:
        return
    terminalreporter.section("processor time of tests", sep="-")
    for line in table(costs):
        terminalreporter.write_line(line)
    for line in excesses(costs, is_counting=_is_counting()):
        terminalreporter.write_line(line, red=True)


def _costs(config: pytest.Config) -> list[Cost]:
    """Return the costs of this process and of the workers of pytest-xdist; empty without `--costs`, and in a worker."""
    reporter = config.pluginmanager.get_plugin("terminalreporter")
    if not config.getoption("costs") or hasattr(config, "workerinput") or reporter is None:
        return []
    reports = [
        report for each in reporter.stats.values() for report in each if getattr(report, "when", "") == "teardown"
    ]
    return [
        Cost(report.nodeid, value[0], tuple(value[1]), value[2])
        for report in reports
        for name, value in report.user_properties
        if name == _PROPERTY
    ]


def table(costs: Iterable[Cost]) -> Iterator[str]:
    """Yield a line for each folder, the dearest first, a sum, and a line for each of the dearest tests."""
    listed = sorted(costs, key=lambda cost: -cost.seconds)
    number, seconds = Counter[str](), Counter[str]()
    for cost in listed:
        folder = "/".join(cost.name.partition("::")[0].split("/")[:2])
        number[folder] += 1
        seconds[folder] += cost.seconds  # type: ignore[assignment] # a sum
    yield from (f"{seconds[folder]:8.1f} s {number[folder]:6} tests  {folder}" for folder, _ in seconds.most_common())
    of_readme = [cost.seconds for cost in listed if cost.is_of_readme]
    yield f"{sum(cost.seconds for cost in listed):8.1f} s {len(listed):6} tests"
    yield f"{sum(of_readme):8.1f} s {len(of_readme):6} tests of the README's test command, whose budget is {BUDGET:.0f} s"
    yield from (f"{cost.seconds:8.2f} s {cost.name}" for cost in listed[:_DEAREST])


def excesses(costs: Iterable[Cost], *, is_counting: bool = False) -> Iterator[str]:
    """Yield a line with the remedy if the sum is above its budget, and one for each test above its own unless *is_counting*."""
    listed = [*costs]
    total = sum(cost.seconds for cost in listed if cost.is_of_readme)
    if total > BUDGET * _TOLERANCE:
        yield (
            f"the tests of the README's test command take {total:.0f} s of processor time, more than {BUDGET:.0f} s: make the dearest ones "
            "above cheaper, ask several questions in one session of pytest, or mark tests of rare cases with `long`"
        )
    for cost in listed:
        seconds = cost.dearest or cost.seconds
        if seconds > BUDGET_OF_TEST * _TOLERANCE and not cost.markers and not is_counting:
            row = "a row of " if cost.dearest else ""
            yield (
                f"{row}{cost.name} takes {seconds:.1f} s of processor time, more than {BUDGET_OF_TEST:.0f} s: make it cheaper, or mark it "
                "with `long`"
            )
