"""Lines about the coverage of admission policies."""

from __future__ import annotations

from collections.abc import Collection, Iterator

import pytest

from pytest_crd.engine import profile
from pytest_crd.engine.inputerror import InputError
from pytest_crd.plugin import projectpolicies
from pytest_crd.plugin.settings import project
from pytest_crd.plugin.settings.manifestplaces import ManifestPlaces
from pytest_crd.policies import policycoverage, reading


def lines(config: pytest.Config, places: ManifestPlaces, reached: Collection[tuple[str, ...]]) -> Iterator[str]:
    """
    Yield a line for each policy, and one for each result that no passed test has seen.

    Args:
        config: The session's configuration.
        places: The places of the policies.
        reached: The points that passed tests reach.
    """
    named = profile.named(project.kubernetes_versions(config)[0])
    try:
        policies = reading.read(projectpolicies.read_manifests(config, places), named).policies
    except InputError as error:
        yield f"crd: coverage of policies is not known: {error}"
        return
    for bound in (*policies.mutating, *policies.validating):
        points = policycoverage.points(bound.policy, bound.bindings)
        missing = [point for point in points if tuple(point) not in reached]
        yield f"{bound.policy.source}:{bound.policy.line}: {bound.policy.name}: {len(points) - len(missing)} of {len(points)} results"
        yield from (f"  not seen: {point.text}" for point in missing)
