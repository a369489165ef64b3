"""`@pytest.mark.crd_parity`: the class and the CRD that a test compares with the fixture `crd_parity`."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
from support import crds
from support.sessions import Folder

if TYPE_CHECKING:
    from support.sessions import Project

TESTS = """\
import pytest
from pydantic import BaseModel

class Spec(BaseModel):
    days: int = 3

class Other(BaseModel):
    days: int = 4

class Odd(BaseModel):
    days: int | bool = 3

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
ALLOWS = '@pytest.mark.crd_parity({}, "gardens.stories.example.com/v1", allow=["spec.days another default: why"])'
DIFFERS = '@pytest.mark.crd_parity(Other, "gardens.stories.example.com/v1")'
DIFFERENCE = (
    "test_it.py:*: {}, Other, Kubernetes *",
    "  spec.days: another default (config/crd/bases/gardens.yaml:17)",
)
# The mark of a test, the outcome, and lines of the report.
MARKS: dict[str, tuple[str, str, tuple[str, ...]]] = {
    "agrees": ('@pytest.mark.crd_parity(Spec, "gardens/v1")', "PASSED", ()),
    "differs": (DIFFERS, "FAILED", DIFFERENCE),
    "differs_in_the_nearest_mark": (
        f'@pytest.mark.crd_parity(Spec, "gardens/v1")\n{DIFFERS}',
        "FAILED",
        DIFFERENCE,
    ),
    "differs_as_allowed": (ALLOWS.format("Other"), "PASSED", ()),
    "allows_in_vain": (
        ALLOWS.format("Spec"),
        "FAILED",
        (
            "allowed in crd_parity_allow, but no longer found: gardens.stories.example.com/v1 spec.days another default; remove the line",
        ),
    ),
    "has_no_mark": ("", "", ('*say which class with @pytest.mark.crd_parity(BackupSpec, "backups.example.com/v1")',)),
    "names_no_class": (
        '@pytest.mark.crd_parity("gardens/v1")',
        "",
        ('*write @pytest.mark.crd_parity(BackupSpec, "backups.example.com/v1")',),
    ),
    "names_no_version": (
        '@pytest.mark.crd_parity(Spec, "gardens")',
        "",
        ("*@pytest.mark.crd_parity: 'gardens' is not CRD/VERSION, as in backups.example.com/v1",),
    ),
    "names_an_unknown_crd": (
        '@pytest.mark.crd_parity(Spec, "ponds/v1")',
        "",
        ("*@pytest.mark.crd_parity: *ponds*",),
    ),
    "allows_without_a_reason": (
        '@pytest.mark.crd_parity(Spec, "gardens/v1", allow=["spec"])',
        "",
        ("*@pytest.mark.crd_parity: 'gardens/v1 spec' is not CRD/VERSION FIELD KIND: REASON*",),
    ),
    "has_an_odd_class": (
        '@pytest.mark.crd_parity(Odd, "gardens/v1")',
        "",
        ("*Odd, days: a union of boolean and integer*",),
    ),
    "does_not_compare": (
        '@pytest.mark.crd_parity(Spec, "gardens/v1")',
        "FAILED",
        ("the test passed, but did nothing with its crd_parity: call crd_parity.check() (parity[[]gardens-v1])",),
    ),
}


def _test(name: str, mark: str) -> str:
    body = "pass" if name == "does_not_compare" else "crd_parity.check()"
    return f"{mark}\ndef test_{name}(crd_parity):\n    {body}\n\n"


@pytest.fixture(scope="module")
def report(tmp_path_factory: pytest.TempPathFactory) -> pytest.RunResult:
    folder = Folder(tmp_path_factory.mktemp("marks"))
    folder.write("config/crd/bases/gardens.yaml", CRD)
    folder.write("test_it.py", TESTS + "".join(_test(name, mark) for name, (mark, *_) in MARKS.items()))
    return folder.run("-v")


@pytest.mark.session
@pytest.mark.parametrize("name", MARKS)
def test_a_mark_names_what_is_compared(report: pytest.RunResult, name: str) -> None:
    _, outcome, lines = MARKS[name]

    if outcome:
        report.stdout.fnmatch_lines([f"test_it.py::test_{name} {outcome}*"])
    else:
        report.stdout.no_fnmatch_line(f"test_it.py::test_{name} PASSED*")
    report.stdout.fnmatch_lines([line.format(f"test_{name}") for line in lines])


def test_crds_that_cannot_be_read_fail_the_test(empty: Project) -> None:
    empty.write("config/crd/bases/gardens.yaml", CRD)
    empty.write("config/crd/bases/broken.yaml", CRD.replace("versions:", "version:"))
    empty.write("test_it.py", TESTS + _test("agrees", MARKS["agrees"][0]))

    empty.run().assert_outcomes(errors=1)
