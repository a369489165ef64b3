"""Which version of an API the server prefers."""

from __future__ import annotations

from pytest_crd.engine.crds import versionpriority

# From the most to the least preferred, as a server lists them.
PREFERRED = [
    "v10",
    "v2",
    "v1",
    "v11beta2",
    "v10beta3",
    "v3beta1",
    "v12alpha1",
    "v11alpha2",
    "foo1",
    "foo10",
    "v01",
    "v1gamma1",
]


def test_stable_versions_come_first_then_beta_then_alpha_then_all_others_by_name() -> None:
    assert sorted(sorted(PREFERRED), key=versionpriority.sort_key, reverse=True) == PREFERRED
