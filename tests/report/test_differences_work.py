"""The work to explain one difference: it grows with its depth, and not with the number of changed paths."""

from __future__ import annotations

from pytest_crd.report import objectdifferences


class _Paths(dict[str, str]):
    lookups = 0

    def __contains__(self, key: object) -> bool:
        self.lookups += 1
        return super().__contains__(key)


def test_only_the_paths_above_a_difference_are_looked_up() -> None:
    paths = _Paths({path: path for path in ["spec.a", "spec.a[1]", *(f"spec.x{index}" for index in range(5_000))]})

    assert objectdifferences._covering("spec.a[1].b.c", paths) == "spec.a[1]"
    assert objectdifferences._covering("spec.ab", paths) == ""
    assert paths.lookups <= 8
