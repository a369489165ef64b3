"""Coverage of admission policies in a session: its lines, and whether it is enough."""

from __future__ import annotations

from collections.abc import Collection
from typing import NamedTuple

import pytest

from pytest_crd.engine import profile
from pytest_crd.engine.inputerror import InputError
from pytest_crd.plugin import projectpolicies
from pytest_crd.plugin.settings import project
from pytest_crd.plugin.settings.coverage import CoverageSettings
from pytest_crd.plugin.settings.manifestplaces import ManifestPlaces
from pytest_crd.policies import policycoverage, reading


class PolicyCoverage(NamedTuple):
    """
    The coverage of the policies.

    Attributes:
        lines: A line for each policy, and one for each result that no passed test has seen.
        is_enough: Whether at least `crd_cov_fail_under` percent of the results are seen.
    """

    lines: tuple[str, ...]
    is_enough: bool = True


def measure(
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
