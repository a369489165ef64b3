"""Reports on skipped files, by verbosity."""

from __future__ import annotations

import pytest

from pytest_crd.engine.loading.crdfiles import Remark, RemarkKind
from pytest_crd.report import remarkwords

FOUND = [Remark(f"{name}.yaml", 2, "passed over, a patch", RemarkKind.PATCH) for name in "ab"]
OTHERS = [
    Remark("c.yaml", 0, "passed over, a template", RemarkKind.TEMPLATE),
    Remark("d.yaml", 1, "x"),
    Remark("e.yaml", 0, "x"),
]


@pytest.mark.parametrize(
    ("verbosity", "expected"),
    [
        (-1, []),
        (0, [*map(str, OTHERS), "passed over: 2 patches (-v names them)"]),
        (1, [*map(str, OTHERS), "passed over, 2 patches: a.yaml:2, b.yaml:2"]),
        (2, [*map(str, FOUND), *map(str, OTHERS)]),
    ],
)
def test_notes_are_counted_by_their_kind(verbosity: int, expected: list[str]) -> None:
    assert list(remarkwords.lines([*FOUND, *OTHERS], verbosity=verbosity)) == expected


def test_several_kinds_are_one_line() -> None:
    templates = [Remark(f"{name}.yaml", 0, "passed over, a template", RemarkKind.TEMPLATE) for name in "xyz"]

    assert list(remarkwords.lines([*FOUND, *templates], verbosity=0)) == [
        "passed over: 2 patches, 3 templates (-v names them)"
    ]
    assert (
        list(remarkwords.lines([*FOUND, *templates], verbosity=1))[1]
        == "passed over, 3 templates: x.yaml, y.yaml, z.yaml"
    )


@pytest.mark.parametrize(
    ("verbosity", "expected"),
    [
        (-1, []),
        (0, ["22 objects (-v names them)"]),
        (1, [f"{', '.join(map(str, range(20)))} and 2 more (-vv: all)"]),
        (2, list(map(str, range(22)))),
    ],
)
def test_names_are_counted_and_listed(verbosity: int, expected: list[str]) -> None:
    assert list(remarkwords.listed(list(map(str, range(22))), "objects", verbosity=verbosity)) == expected
    assert list(remarkwords.listed(["one"], "objects", verbosity=verbosity)) == (["one"] if verbosity >= 0 else [])
