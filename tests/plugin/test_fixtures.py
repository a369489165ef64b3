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

    result = two.run("--collect-only", "-q")

    assert result.ret == pytest.ExitCode.OK, str(result.stdout)
    actual = [line for line in result.outlines if "::" in line]
    expected = 0
    for number, run in enumerate(RUNS):
        ids: Any = run.values[1]
        expected += len(ids)
        named = [line.removeprefix(f"test_{number}.py::") for line in actual if line.startswith(f"test_{number}.py::")]
        assert sorted(named) == sorted(ids), run.id
    two.run("--strict-markers").assert_outcomes(passed=expected)


@pytest.mark.parametrize(
    ("test", "words"),
    [
        pytest.param(
            "@pytest.mark.crd('Gardn')\ndef test_it(crd): pass",
            "test_it.py::test_it: no CRD is called 'Gardn'; did you mean 'Garden'?",
            id="an unknown CRD",
        ),
        pytest.param(
            "@pytest.mark.crd('Garden', version='v9')\ndef test_it(crd_version): pass",
            "test_it.py::test_it: gardens.stories.example.com has no version 'v9'; it has: v1",
            id="an unknown version",
        ),
        pytest.param(
            "@pytest.mark.crd('Garden', 'v1')\ndef test_it(crd): pass",
            'test_it.py::test_it: write @pytest.mark.crd("name") or*',
            id="a version without a name",
        ),
        pytest.param("@pytest.mark.crd()\ndef test_it(crd): pass", "*write @pytest.mark.crd*", id="no name"),
        pytest.param("@pytest.mark.crd(1)\ndef test_it(crd): pass", "*write @pytest.mark.crd*", id="a number"),
        pytest.param(
            "@pytest.mark.crd('Garden', versoin='v1')\ndef test_it(crd): pass",
            "*write @pytest.mark.crd*",
            id="a misspelt argument",
        ),
        pytest.param(
            "def test_it(crd_case): pass",
            'test_it.py::test_it: say which cases with @pytest.mark.crd_cases("cases/[*].yaml")',
            id="cases without a marker",
        ),
        pytest.param(
            "@pytest.mark.crd_cases('cases/*.yaml')\ndef test_it(crd_case): pass",
            "test_it.py::test_it: crd_cases: 'cases/[*].yaml' matches no file in *",
            id="cases that match nothing",
        ),
    ],
)
def test_a_marker_that_matches_nothing_is_an_error(two: Project, test: str, words: str) -> None:
    two.write("test_it.py", f"import pytest\n{test}\n")

    result = two.run()

    result.assert_outcomes(errors=1)
    result.stdout.fnmatch_lines([words])
    result.stdout.no_fnmatch_line("*Traceback*")


@pytest.mark.parametrize("fixture", ["crds", "crd", "crd_version"])
def test_a_fixture_that_finds_no_crd_is_an_error(empty: Project, fixture: str) -> None:
    empty.write("test_it.py", f"def test_it({fixture}): pass\n")

    result = empty.run()

    result.assert_outcomes(errors=1)
    result.stdout.fnmatch_lines(["*no CRD was found: set crd_paths*"])


def test_a_crd_without_a_served_version_is_an_error_for_crd_version(project: Project) -> None:
    path = project.crd()
    path.write_text(path.read_text(encoding="utf-8").replace("served: true", "served: false"), encoding="utf-8")
    project.write("test_it.py", "def test_it(crd_version): pass\n")

    result = project.run()

    result.assert_outcomes(errors=1)
    result.stdout.fnmatch_lines(["test_it.py::test_it: no CRD serves a version"])


def test_a_kind_that_two_crds_claim_is_an_error(project: Project) -> None:
    project.crd("config/crd/bases/other.yaml", plural="plots")
    project.write("test_it.py", "import pytest\n@pytest.mark.crd('Garden')\ndef test_it(crd): pass\n")

    result = project.run()

    result.assert_outcomes(errors=1)
    result.stdout.fnmatch_lines(["test_it.py::test_it: 'Garden' names several CRDs: *"])


@pytest.mark.parametrize("fixture", ["crd", "crd_version", "crd_case"])
def test_a_project_fixture_of_the_same_name_is_left_alone(empty: Project, fixture: str) -> None:
    empty.write("conftest.py", f"import pytest\n@pytest.fixture\ndef {fixture}():\n    return 'mine'\n")
    empty.write("test_it.py", f"def test_it({fixture}):\n    assert {fixture} == 'mine'\n")

    empty.run().assert_outcomes(passed=1)


def test_a_parameter_of_the_same_name_is_left_alone(empty: Project) -> None:
    empty.write(
        "test_it.py",
        "import pytest\n@pytest.mark.parametrize('name', ['crd'])\ndef test_it(name):\n    assert name == 'crd'\n",
    )

    empty.run().assert_outcomes(passed=1)


def test_a_fixture_requested_at_run_time_is_an_error_with_a_remedy(project: Project) -> None:
    project.write("test_it.py", "def test_it(request):\n    request.getfixturevalue('crd')\n")

    result = project.run()

    result.assert_outcomes(failed=1)
    result.stdout.fnmatch_lines(["crd must be an argument of the test, not asked for by name"])


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


def test_a_wrong_case_file_is_a_collection_error_of_the_python_test(gardener: Project) -> None:
    gardener.write("cases/a.yaml", "crd: gardens.stories.example.com\n")
    gardener.write(
        "test_it.py",
        "import pytest\n@pytest.mark.crd_cases('cases/*.yaml')\ndef test_it(crd_case):\n    crd_case.check()\n",
    )

    result = gardener.run("test_it.py")

    result.assert_outcomes(errors=1)
    result.stdout.fnmatch_lines(["cases/a.yaml:1: *"])


def test_a_schema_that_is_not_structural_fails_without_inner_frames(project: Project) -> None:
    path = project.crd()
    path.write_text(path.read_text(encoding="utf-8").replace("{type: string}", "{}", 1), encoding="utf-8")
    project.write("test_it.py", "def test_it(crd_version):\n    crd_version.assert_structural()\n")

    result = project.run()

    result.assert_outcomes(failed=1)
    result.stdout.fnmatch_lines(["*gardens.stories.example.com v1 is not structural*", "*label].type: Required value*"])
    result.stdout.no_fnmatch_line("*engine/crd.py*")
