"""Hooks of a session with admission policies: its header, the policies for requests, and their coverage."""

from __future__ import annotations

import functools
from collections.abc import Collection, Generator
from typing import Any, Final, NamedTuple

import pytest

from pytest_crd.engine import profile
from pytest_crd.engine.inputerror import InputError
from pytest_crd.plugin import projectpolicies, session
from pytest_crd.plugin.session import Part
from pytest_crd.plugin.settings import coverage, project
from pytest_crd.plugin.settings.coverage import CoverageSettings
from pytest_crd.plugin.settings.manifestplaces import ManifestPlaces
from pytest_crd.plugin.settings.policies import CHECKED_POLICIES
from pytest_crd.plugin.settings.webhooks import ADD_POLICIES, AddPolicies
from pytest_crd.policies import policycoverage, reading
from pytest_crd.wording import escape_lines

# The key of the points that a worker of pytest-xdist sends to its controller.
_REACHED: Final = "pytest_crd_policy_coverage"
# The key of a worker's policies, and of its matched policies.
_SEEN: Final = "pytest_crd_policies"


class Hooks:
    """Lets requests of cases ask the policies of the settings; with `--crd-cov`, reports the coverage of the policies."""

    def __init__(self, config: pytest.Config, places: ManifestPlaces) -> None:
        """Take the places of the policies; they are read when the first request needs them."""
        self._config, self._places = config, places
        add: AddPolicies = functools.partial(projectpolicies.add, config, places)
        config.stash[ADD_POLICIES] = add
        config.stash[CHECKED_POLICIES] = projectpolicies.make_scope(config, places)
        names = " ".join((*places.paths, *(f"`{command}`" for command in places.commands)))
        session.add_part(config, lambda: Part(words=f"admission policies from {names}"))
        self._settings = coverage.read(config)
        self._coverage: PolicyCoverage | None = None
        self._reached: set[tuple[str, ...]] = set()
        self._seen: set[tuple[str, ...]] = set()
        self._matched: set[tuple[str, ...]] = set()

    @pytest.hookimpl(wrapper=True)
    def pytest_runtest_makereport(
        self, item: pytest.Item, call: pytest.CallInfo[None]
    ) -> Generator[None, pytest.TestReport, pytest.TestReport]:
        """Count the points of a passed test."""
        report = yield
        if self._settings is not None and call.when == "call":
            reached = projectpolicies.take_reached(item.config)
            if report.passed and not hasattr(report, "wasxfail"):
                self._reached |= reached
        return report

    @pytest.hookimpl(trylast=True)
    def pytest_sessionfinish(self, session: pytest.Session) -> None:
        """Measure the coverage, and fail a session with too little; a worker of pytest-xdist sends its points to the controller."""
        output = getattr(session.config, "workeroutput", None)
        self._seen |= {
            (item.kind, item.name, f"{item.source}:{item.line}") for item in projectpolicies.read_policies(self._config)
        }
        self._matched |= projectpolicies.matched_policies(self._config)
        if output is not None:
            output[_REACHED], output[_SEEN] = sorted(self._reached), [sorted(self._seen), sorted(self._matched)]
        elif self._settings is not None and not self._config.option.collectonly:
            self._coverage = _measure(self._config, self._places, self._settings, self._reached)
            if not self._coverage.is_enough and session.exitstatus == pytest.ExitCode.OK:
                session.exitstatus = pytest.ExitCode.TESTS_FAILED

    @pytest.hookimpl(optionalhook=True)
    def pytest_testnodedown(self, node: Any) -> None:
        """Add the points of a worker of pytest-xdist."""
        output = getattr(node, "workeroutput", {})
        self._reached |= set(map(tuple, output.get(_REACHED, ())))
        seen, matched = output.get(_SEEN, ((), ()))
        self._seen |= set(map(tuple, seen))
        self._matched |= set(map(tuple, matched))

    def pytest_terminal_summary(self, terminalreporter: pytest.TerminalReporter) -> None:
        """Write the policies that no request of a whole session matches, and the coverage of each policy."""
        unmatched = sorted(f"{name} ({place})" for kind, name, place in self._seen if (kind, name) not in self._matched)
        is_whole = self._config.args_source is not pytest.Config.ArgsSource.ARGS and not self._config.option.keyword
        if unmatched and is_whole:
            terminalreporter.ensure_newline()
            terminalreporter.write_line(
                f"crd: no request of the session matches these policies: {', '.join(unmatched)}", yellow=True
            )
        if self._coverage is None:
            return
        terminalreporter.ensure_newline()
        terminalreporter.section("coverage of admission policies", sep="_")
        for line in self._coverage.lines:
            terminalreporter.write_line(escape_lines(line))


class PolicyCoverage(NamedTuple):
    """
    The coverage of the policies.

    Attributes:
        lines: A line for each policy, and one for each result that no passed test has seen.
        is_enough: Whether at least `crd_cov_fail_under` percent of the results are seen.
    """

    lines: tuple[str, ...]
    is_enough: bool = True


def _measure(
    config: pytest.Config, places: ManifestPlaces, settings: CoverageSettings, reached: Collection[tuple[str, ...]]
) -> PolicyCoverage:
    """
    Return the coverage of the policies.

    Args:
        config: The session's configuration.
        places: The places of the policies.
        settings: The settings of coverage.
        reached: The points that passed tests reach.
    """
    named = profile.named(project.kubernetes_versions(config)[0])
    try:
        policies = reading.read(projectpolicies.read_manifests(config, places), named).policies
    except InputError as error:
        return PolicyCoverage((f"crd: coverage of policies is not known: {error}",), is_enough=not settings.fail_under)
    lines: list[str] = []
    reached_total = total = 0
    for bound in (*policies.mutating, *policies.validating):
        points = policycoverage.points(bound.policy, bound.bindings)
        missing = [point for point in points if tuple(point) not in reached]
        place, count = f"{bound.policy.source}:{bound.policy.line}", len(points) - len(missing)
        lines += [f"{place}: {bound.policy.name}: {count} of {len(points)} results"]
        lines += [f"  not seen: {point.text}" for point in missing]
        reached_total, total = reached_total + count, total + len(points)
    if 100 * reached_total >= settings.fail_under * total:
        return PolicyCoverage(tuple(lines))
    if settings.appends:
        problem = f"results of earlier runs do not count, so crd_cov_fail_under is not applied to {reached_total} of {total} results"
        return PolicyCoverage((*lines, f"crd: {problem}"))
    percent = f"{100 * reached_total // total}%, less than the {settings.fail_under:g}% of crd_cov_fail_under"
    return PolicyCoverage((*lines, f"crd: coverage of admission policies is {percent}"), is_enough=False)
