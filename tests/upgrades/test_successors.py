"""CRDs of today that replace a CRD of the baseline."""

from __future__ import annotations

from collections.abc import Mapping

import pytest

from pytest_crd.discovery.releasewalk import OldCrd
from pytest_crd.engine import CustomResourceDefinition
from pytest_crd.upgrades.successors import find_successions
from upgrades.changes import TEXT, crd


def at(source: str) -> CustomResourceDefinition:
    original = crd(TEXT)
    manifest = original.declared
    return CustomResourceDefinition.from_manifest(manifest, source=source)


@pytest.mark.parametrize(
    ("olds", "today", "expected"),
    [
        ({"t": "v1:crds/a.yaml:1"}, [], {"t": []}),
        ({"t": "v1:crds/a.yaml:1"}, ["other/b.yaml:1"], {"t": ["other/b.yaml:1"]}),
        (
            {"t": "v1:crds/a.yaml:1"},
            ["config/a.yaml:1", "crds/a.yaml:1"],
            {"t@crds/a.yaml": ["crds/a.yaml:1"], "t@config/a.yaml": ["config/a.yaml:1"]},
        ),
        (
            {"t@full/a.yaml": "full/a.yaml:1", "t@less/a.yaml": "less/a.yaml:1"},
            ["less/a.yaml:1", "full/a.yaml:1"],
            {"t@full/a.yaml": ["full/a.yaml:1"], "t@less/a.yaml": ["less/a.yaml:1"]},
        ),
        (
            {"t@full/a.yaml": "full/a.yaml:1", "t@less/a.yaml": "less/a.yaml:1"},
            ["less/a.yaml:1", "full/a.yaml:1", "new/full/b.yaml:1"],
            {
                "t@full/a.yaml-full/a.yaml": ["full/a.yaml:1"],
                "t@full/a.yaml-new/full/b.yaml": ["new/full/b.yaml:1"],
                "t@less/a.yaml-less/a.yaml": ["less/a.yaml:1"],
                "t@less/a.yaml-new/full/b.yaml": ["new/full/b.yaml:1"],
            },
        ),
        (
            {"t": "v1:crds/a.yaml:1"},
            ["b.yaml:1", "b.yaml:9"],
            {"t@b.yaml:1": ["b.yaml:1"], "t@b.yaml:9": ["b.yaml:9"]},
        ),
    ],
    ids=["removed", "moved", "new copy", "alternatives", "new alternative", "one file"],
)
def test_each_crd_of_today_replaces_an_old_one(
    olds: Mapping[str, str], today: list[str], expected: Mapping[str, list[str]]
) -> None:
    successions = find_successions(
        {id_: [OldCrd(at(source))] for id_, source in olds.items()}, [at(item) for item in today]
    )

    assert {item.id: [new.source for new in item.today] for item in successions} == expected
