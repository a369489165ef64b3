"""`@pytest.mark.crd_parity`: the class and the CRD that a test compares with the fixture `crd_parity`."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pydantic  # noqa: F401 - sessions in this process share it
import pytest
from support import crds

if TYPE_CHECKING:
    from support.sessions import Project

TEST = """\
import pytest
from pydantic import BaseModel

class Spec(BaseModel):
    days: int = 3

class Other(BaseModel):
    days: int = 4

class Odd(BaseModel):
    days: int | bool = 3

{mark}
def test_it(crd_parity):
    {body}
"""
CRD = crds.text(
    "plural: gardens, singular: garden, kind: Garden, listKind: GardenList",
    """\
    type: object
    required: [spec]
    properties:
      spec: {type: object, properties: {days: {type: integer, default: 3}}}
    """,
    group="stories.example.com",
)


def _run(project: Project, mark: str, body: str = "crd_parity.check()") -> pytest.RunResult:
    project.write("config/crd/bases/gardens.yaml", CRD)
    project.write("test_it.py", TEST.format(mark=mark, body=body))
    return project.run()


def test_a_class_that_agrees_passes(empty: Project) -> None:
    _run(empty, '@pytest.mark.crd_parity(Spec, "gardens/v1")').assert_outcomes(passed=1)


@pytest.mark.parametrize("marks", ["{}", '@pytest.mark.crd_parity(Spec, "gardens/v1")\n{}'])
def test_a_class_that_differs_fails_with_its_report(empty: Project, marks: str) -> None:
    result = _run(empty, marks.format('@pytest.mark.crd_parity(Other, "gardens.stories.example.com/v1")'))

    result.assert_outcomes(failed=1)
    result.stdout.fnmatch_lines(
        [
            "test_it.py:*: test_it, Other, Kubernetes *",
            "  spec.days: another default (config/crd/bases/gardens.yaml:17)",
        ]
    )


def test_differences_can_be_allowed(empty: Project) -> None:
    mark = '@pytest.mark.crd_parity(Other, "gardens.stories.example.com/v1", allow=["spec.days another default: why"])'
    _run(empty, mark).assert_outcomes(passed=1)

    result = _run(empty, mark.replace("Other", "Spec"))

    result.assert_outcomes(failed=1)
    result.stdout.fnmatch_lines(["allowed in crd_parity_allow, but no longer found: gardens.stories.example.com/v1 spec.days another default; remove the line"])  # fmt: skip


@pytest.mark.parametrize(
    ("mark", "message"),
    [
        ("", 'say which class with @pytest.mark.crd_parity(BackupSpec, "backups.example.com/v1")'),
        ('@pytest.mark.crd_parity("gardens/v1")', 'write @pytest.mark.crd_parity(BackupSpec, "backups.example.com/v1")'),
        ('@pytest.mark.crd_parity(Spec, "gardens")', "@pytest.mark.crd_parity: 'gardens' is not CRD/VERSION, as in backups.example.com/v1"),
        ('@pytest.mark.crd_parity(Spec, "ponds/v1")', "@pytest.mark.crd_parity: *ponds*"),
        ('@pytest.mark.crd_parity(Spec, "gardens/v1", allow=["spec"])', "@pytest.mark.crd_parity: 'gardens/v1 spec' is not CRD/VERSION FIELD KIND: REASON*"),
        ('@pytest.mark.crd_parity(Odd, "gardens/v1")', "Odd, days: a union of boolean and integer*"),
    ],
)  # fmt: skip
def test_a_wrong_mark_fails_the_test(empty: Project, mark: str, message: str) -> None:
    result = _run(empty, mark)

    assert {*result.parseoutcomes()} & {"failed", "errors"}
    result.stdout.fnmatch_lines([f"*{message}"])


def test_a_test_that_does_not_compare_fails(empty: Project) -> None:
    result = _run(empty, '@pytest.mark.crd_parity(Spec, "gardens/v1")', "pass")

    result.assert_outcomes(failed=1)
    result.stdout.fnmatch_lines(["the test passed, but did nothing with its crd_parity: call crd_parity.check() (parity[[]gardens-v1])"])  # fmt: skip


def test_crds_that_cannot_be_read_fail_the_test(empty: Project) -> None:
    empty.write("config/crd/bases/broken.yaml", CRD.replace("versions:", "version:"))

    result = _run(empty, '@pytest.mark.crd_parity(Spec, "gardens/v1")')

    result.assert_outcomes(errors=1)
