"""The fixtures run a test for every CRD, version and case, or for the ones that a marker names; never for nothing."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest

if TYPE_CHECKING:
    from support.sessions import Project

TWO_VERSIONS = "  - {name: v2, served: true, storage: false, schema: {openAPIV3Schema: {type: object}}}\n"
UNSERVED = "  - {name: v0, served: false, storage: false, schema: {openAPIV3Schema: {type: object}}}\n"


@pytest.fixture
def two(project: Project) -> Project:
    """A project with two CRDs; the second has several versions."""
    path = project.crd("config/crd/bases/ponds.yaml", plural="ponds", kind="Pond")
    path.write_text(path.read_text(encoding="utf-8") + TWO_VERSIONS + UNSERVED, encoding="utf-8")
    return project


RUNS = [
    pytest.param(
        "def test_it(crd): pass",
        ["test_it[gardens.stories.example.com]", "test_it[ponds.stories.example.com]"],
        id="crd is each CRD",
    ),
    pytest.param(
        "def test_it(crd_version): pass",
        [
            "test_it[gardens.stories.example.com-v1]",
            "test_it[ponds.stories.example.com-v1]",
            "test_it[ponds.stories.example.com-v2]",
        ],
        id="crd_version is each served version",
    ),
    pytest.param(
        "def test_it(crds, crd, crd_version): assert crd_version.crd is crd",
        [
            "test_it[gardens.stories.example.com-v1]",
            "test_it[ponds.stories.example.com-v1]",
            "test_it[ponds.stories.example.com-v2]",
        ],
        id="crd and crd_version go together",
    ),
    pytest.param("def test_it(crds): pass", ["test_it"], id="crds is one for all"),
    pytest.param(
        "@pytest.mark.crd('Pond')\ndef test_it(crd_version): pass",
        ["test_it[ponds.stories.example.com-v1]", "test_it[ponds.stories.example.com-v2]"],
        id="a marker names a kind",
    ),
    pytest.param(
        "@pytest.mark.crd('ponds.stories.example.com', version='v0')\ndef test_it(crd_version): pass",
        ["test_it[ponds.stories.example.com-v0]"],
        id="a marker names a version that is not served",
    ),
    pytest.param(
        "@pytest.mark.crd('Pond', version='v2')\n@pytest.mark.crd('Garden')\ndef test_it(crd_version): pass",
        ["test_it[ponds.stories.example.com-v2]", "test_it[gardens.stories.example.com-v1]"],
        id="two markers name two CRDs",
    ),
    pytest.param(
        "@pytest.mark.crd('Pond')\ndef test_it(crd): pass",
        ["test_it[ponds.stories.example.com]"],
        id="a marker names the CRD of crd",
    ),
]


def test_a_test_runs_once_for_each_value_of_its_fixtures(two: Project) -> None:
    for number, run in enumerate(RUNS):
        two.write(f"test_{number}.py", f"import pytest\n{run.values[0]}\n")

    result = two.run("--strict-markers", "-v")

    actual = [line.rpartition(" PASSED")[0] for line in result.outlines if " PASSED" in line]
    expected = 0
    for number, run in enumerate(RUNS):
        ids: Any = run.values[1]
        expected += len(ids)
        named = [line.removeprefix(f"test_{number}.py::") for line in actual if line.startswith(f"test_{number}.py::")]
        assert sorted(named) == sorted(ids), run.id
    result.assert_outcomes(passed=expected)


# Tests that cannot be collected, and the words about it.
MISTAKEN = {
    "an unknown CRD": (
        "@pytest.mark.crd('Gardn')\ndef test_it(crd): pass",
        "test_it.py::test_it: no CRD is called 'Gardn'; did you mean 'Garden'?",
    ),
    "an unknown version": (
        "@pytest.mark.crd('Garden', version='v9')\ndef test_it(crd_version): pass",
        "test_it.py::test_it: gardens.stories.example.com has no version 'v9'; it has: v1",
    ),
    "a version without a name": (
        "@pytest.mark.crd('Garden', 'v1')\ndef test_it(crd): pass",
        'test_it.py::test_it: write @pytest.mark.crd("name") or*',
    ),
    "no name": ("@pytest.mark.crd()\ndef test_it(crd): pass", "*write @pytest.mark.crd*"),
    "a number": ("@pytest.mark.crd(1)\ndef test_it(crd): pass", "*write @pytest.mark.crd*"),
    "a misspelt argument": (
        "@pytest.mark.crd('Garden', versoin='v1')\ndef test_it(crd): pass",
        "*write @pytest.mark.crd*",
    ),
    "cases without a marker": (
        "def test_it(crd_case): pass",
        'test_it.py::test_it: say which cases with @pytest.mark.crd_cases("cases/[*].yaml")',
    ),
    "cases that match nothing": (
        "@pytest.mark.crd_cases('cases/*.yaml')\ndef test_it(crd_case): pass",
        "test_it.py::test_it: crd_cases: 'cases/[*].yaml' matches no file in *",
    ),
    "a kind that two CRDs claim": (
        "@pytest.mark.crd('Plot')\ndef test_it(crd): pass",
        "test_it.py::test_it: 'Plot' names several CRDs: *",
    ),
    "a wrong case file": (
        "@pytest.mark.crd_cases('wrong/*.yaml')\ndef test_it(crd_case): crd_case.check()",
        "wrong/a.yaml:1: *",
    ),
}


def test_a_marker_that_matches_nothing_is_an_error(two: Project) -> None:
    for number, plural in enumerate(("plots", "plats")):
        two.crd(f"config/crd/bases/{number}.yaml", plural=plural, kind="Plot")
    two.write("wrong/a.yaml", "crd: gardens.stories.example.com\n")
    for number, (test, _) in enumerate(MISTAKEN.values()):
        two.write(f"test_{number}.py", f"import pytest\n{test}\n")

    result = two.run()

    result.assert_outcomes(errors=len(MISTAKEN))
    for number, (_, words) in enumerate(MISTAKEN.values()):
        title = f"*ERROR collecting test_{number}.py *"
        result.stdout.fnmatch_lines([title, words.replace("test_it.py", f"test_{number}.py")], consecutive=True)
    result.stdout.no_fnmatch_line("*Traceback*")


def test_a_fixture_that_finds_no_crd_is_an_error(empty: Project) -> None:
    fixtures = ("crds", "crd", "crd_version")
    for fixture in fixtures:
        empty.write(f"test_{fixture}.py", f"def test_it({fixture}): pass\n")

    result = empty.run("--continue-on-collection-errors")

    result.assert_outcomes(errors=3)
    for fixture in fixtures:
        result.stdout.fnmatch_lines(
            [f"*ERROR *test_{fixture}.py*" if fixture != "crds" else "*ERROR at setup of test_it*"]
        )
    assert (
        sum("no CRD was found: set crd_paths" in line for line in result.outlines if not line.startswith("ERROR")) == 3
    )


def test_a_crd_without_a_served_version_is_an_error_for_crd_version(project: Project) -> None:
    path = project.crd()
    path.write_text(path.read_text(encoding="utf-8").replace("served: true", "served: false"), encoding="utf-8")
    project.write("test_it.py", "def test_it(crd_version): pass\n")

    result = project.run()

    result.assert_outcomes(errors=1)
    result.stdout.fnmatch_lines(["test_it.py::test_it: no CRD serves a version"])


def test_a_project_fixture_or_parameter_of_the_same_name_is_left_alone(empty: Project) -> None:
    names = ("crd", "crd_version", "crd_case")
    fixtures = "".join(f"@pytest.fixture\ndef {name}():\n    return 'mine'\n" for name in names)
    tests = "".join(f"def test_{name}({name}):\n    assert {name} == 'mine'\n" for name in names)
    empty.write("conftest.py", f"import pytest\n{fixtures}")
    empty.write(
        "test_it.py",
        f"import pytest\n{tests}@pytest.mark.parametrize('name', ['crd'])\ndef test_it(name):\n    assert name == 'crd'\n",
    )

    empty.run().assert_outcomes(passed=4)


def test_cases_in_python_tests_carry_names_and_marks(gardener: Project) -> None:
    gardener.cases(
        "crd: gardens.stories.example.com\npruning:\n"
        "- {name: one, input: {spec: {}}, expected: {spec: {}}}\n"
        "- {name: two, input: {spec: {}}, expected: {}, xfail: known}\n"
        "- {name: three, input: {spec: {}}, expected: {}, skip: later}\n",
        name="tests/cases/garden.yaml",
    )
    gardener.write(
        "tests/test_it.py",
        "import pytest\n@pytest.mark.crd_cases('cases/*.yaml')\n"
        "def test_it(crd_case):\n    assert repr(crd_case).endswith(f'garden.yaml::{crd_case.name}>')\n    crd_case.check()\n",
    )

    result = gardener.run("-v", "tests/test_it.py")

    result.assert_outcomes(passed=1, xfailed=1, skipped=1)
    result.stdout.fnmatch_lines(["tests/test_it.py::test_it[[]one[]] PASSED*"])


def test_a_schema_that_is_not_structural_fails_without_inner_frames(project: Project) -> None:
    """A fixture with parameters that is requested at run time is an error with a remedy."""
    path = project.crd()
    path.write_text(path.read_text(encoding="utf-8").replace("{type: string}", "{}", 1), encoding="utf-8")
    project.write(
        "test_it.py",
        "def test_it(crd_version):\n    crd_version.assert_structural()\n\n"
        "def test_crd(request):\n    request.getfixturevalue('crd')\n\n"
        "def test_crds(request):\n    request.getfixturevalue('crds')\n",
    )

    result = project.run()

    result.assert_outcomes(failed=2, passed=1)
    result.stdout.fnmatch_lines(["*gardens.stories.example.com v1 is not structural*", "*label].type: Required value*"])
    result.stdout.fnmatch_lines(["crd must be an argument of the test, not asked for by name"])
    result.stdout.no_fnmatch_line("*engine/crd.py*")
