"""Semantic versions, and the versions of their library."""

from __future__ import annotations

from pytest_crd.engine.cel.library import semver
from pytest_crd.engine.cel.values import celvalues


def test_only_library_version_1_has_normalization() -> None:
    def overloads(version: int) -> list[str]:
        return [overload.id for function in semver.library(version).functions for overload in function.overloads]

    assert set(overloads(1)) - set(overloads(0)) == {"string_bool_to_semver", "is_semver_string_bool"}


def test_semantic_versions_have_no_size() -> None:
    assert celvalues.size(semver.Semver((1, 2, 3), (), ())) is None
