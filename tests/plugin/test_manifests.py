"""CRDs that Python code of a project builds: the hook `pytest_crd_manifests`."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
from support.git import commit
from support.sessions import GARDEN

if TYPE_CHECKING:
    from support.sessions import Project

pytestmark = pytest.mark.session

POND = GARDEN.replace("gardens", "ponds").replace("garden", "pond").replace("Garden", "Pond")
HEAD = f"import pathlib, yaml\nGARDEN = {GARDEN!r}\nPOND = {POND!r}\n"
CASES = "crd: Pond\ncreate:\n- {name: the size is filled in, input: {spec: {}}, contains: {spec: {size: 3}}}\n"
NONE = "return a mapping of names to manifests: *"


def _hook(project: Project, returns: str, name: str = "conftest.py", arguments: str = "config") -> None:
    """Write a hook that counts its calls in a file."""
    called = "    with pathlib.Path(__file__).with_name('called').open('a') as file:\n        file.write('x')\n"
    project.write(name, f"{HEAD}def pytest_crd_manifests({arguments}):\n{called}    return {returns}\n")


@pytest.mark.parametrize(
    "returns",
    [
        pytest.param("{'ponds': POND}", id="a text"),
        pytest.param("{'ponds': POND.encode()}", id="bytes"),
        pytest.param("{'ponds': yaml.safe_load(POND)}", id="a mapping"),
        pytest.param("{'ponds': (one for one in [POND, 'kind: Role'])}", id="an iterable, with another kind"),
    ],
)
def test_a_crd_of_the_hook_belongs_to_the_project(empty: Project, returns: str) -> None:
    _hook(empty, returns)
    empty.cases(CASES)
    empty.write("test_it.py", "def test_it(crds, crd, crd_version):\n    assert crd is crds['Pond']\n")

    result = empty.run("--crd-checks", "--crd-cov")

    result.assert_outcomes(passed=7)
    result.stdout.fnmatch_lines(["crd: 1 CRD, 1 version from conftest.py (pytest_crd_manifests); Kubernetes 1.37"])
    result.stdout.fnmatch_lines(["*ponds.stories.example.com*"])
    assert empty.read("called") == "x"


def test_crds_of_the_hook_join_files_and_precede_test_data(project: Project) -> None:
    _hook(project, "{'ponds': POND}", arguments="")
    project.write("test_it.py", "def test_it(crds):\n    assert [one.kind for one in crds] == ['Garden', 'Pond']\n")

    project.run().assert_outcomes(passed=1)

    project.path.joinpath("config/crd/bases/gardens.yaml").rename(project.write("testdata/gardens.yaml", ""))
    project.write("test_it.py", "def test_it(crds):\n    assert [one.kind for one in crds] == ['Pond']\n")

    result = project.run()

    result.assert_outcomes(passed=1)
    result.stdout.fnmatch_lines(
        ["crd: testdata/gardens.yaml: passed over: test data counts where there is nothing else"]
    )


def test_a_copy_of_a_file_counts_once_and_a_different_crd_is_an_alternative(project: Project) -> None:
    _hook(project, "{'copy': GARDEN, 'other': GARDEN.replace('default: 3', 'default: 4')}")
    project.write("test_it.py", "def test_it(crds, crd):\n    assert crds['conftest.py[other]'].kind == 'Garden'\n")

    project.run().assert_outcomes(passed=2)


def test_a_path_on_the_command_line_replaces_crds_of_the_hook(project: Project) -> None:
    _hook(project, "{}")
    project.write("test_it.py", "def test_it(crd):\n    pass\n")

    project.run("--crd-path", "config").assert_outcomes(passed=1)

    assert not (project.path / "called").exists()


def test_the_hook_is_not_called_before_a_crd_is_needed(empty: Project) -> None:
    _hook(empty, "{}")
    empty.write("test_it.py", "def test_it():\n    pass\n")

    empty.run().assert_outcomes(passed=1)

    assert not (empty.path / "called").exists()


@pytest.mark.long
def test_each_worker_calls_the_hook(empty: Project) -> None:
    _hook(empty, "{'ponds': POND}")
    empty.cases(CASES)

    result = empty.start("-p", "xdist.plugin", "-n", "2", "--crd-checks")

    result.assert_outcomes(passed=6)
    assert empty.read("called") == "xx"


@pytest.mark.parametrize(
    ("returns", "words"),
    [
        pytest.param("None", f"conftest.py: pytest_crd_manifests returns None; {NONE}", id="nothing"),
        pytest.param("{}", f"conftest.py: pytest_crd_manifests returns no manifest; {NONE}", id="no manifest"),
        pytest.param("[POND]", f"conftest.py: * returns an object of the type list; {NONE}", id="no names"),
        pytest.param("{'': POND}", "conftest.py: pytest_crd_manifests returns '' for a name; *", id="an empty name"),
        pytest.param(
            "{1: POND}", "conftest.py: pytest_crd_manifests returns 1 for a name; *", id="a number for a name"
        ),
        pytest.param(
            "{'a': []}", "conftest.py[[]a]: no CustomResourceDefinition in what it returns", id="an empty iterable"
        ),
        pytest.param(
            "{'ok': POND, 'a': 'kind: Role'}",
            "conftest.py[[]a]: no CustomResourceDefinition in what it returns",
            id="no CRD",
        ),
        pytest.param(
            "{'a': object()}",
            "conftest.py[[]a]: an object of the type object; a manifest is a mapping, or a text of YAML or JSON",
            id="no manifest below a name",
        ),
        pytest.param(
            "{'a': [{'kind': {1, 2}}, POND]}",
            "conftest.py[[]a #1]: kind: {1, 2} is not JSON (set); write a list",
            id="no JSON",
        ),
        pytest.param("{'a': POND + ' x'}", "conftest.py[[]a]:*", id="no YAML"),
        pytest.param("{'a': POND.replace('spec', 'spek')}", "conftest.py[[]a]:*", id="a patch"),
        pytest.param(
            "{'a': POND.replace('kind: Custom', 'kind: Costum')}", "conftest.py[[]a]:1: *", id="a misspelt kind"
        ),
    ],
)
def test_a_mistake_names_the_plugin_of_the_hook(empty: Project, returns: str, words: str) -> None:
    _hook(empty, returns)
    empty.write("test_it.py", "def test_it(crd):\n    pass\n")
    empty.cases(CASES)

    result = empty.run("--crd-checks")

    result.assert_outcomes(errors=3)
    result.stdout.fnmatch_lines([words])
    assert empty.read("called") == "x"


@pytest.mark.parametrize(
    ("statement", "last"),
    [
        ("{}['x']", "KeyError: 'x'"),
        ("pytest.skip('not today')", "Skipped: not today"),
        ("pytest.fail('no')", "Failed: no"),
        ("sys.exit(0)", "SystemExit: 0"),
    ],
)
def test_a_hook_that_raises_is_reported_with_its_traceback(empty: Project, statement: str, last: str) -> None:
    empty.write(
        "conftest.py",
        f"import pytest, sys\ndef one():\n    yield {statement}\ndef pytest_crd_manifests():\n    return {{'a': one()}}\n",
    )
    empty.write("test_it.py", "def test_it(crd):\n    pass\n")

    result = empty.run()

    result.assert_outcomes(errors=1)
    result.stdout.fnmatch_lines(
        ["conftest.py: pytest_crd_manifests fails:", "Traceback *", f"    yield {statement}", f"*{last}"],
        consecutive=False,
    )


def test_mistakes_of_all_hooks_are_reported_at_once(empty: Project) -> None:
    empty.write("maker.py", "def pytest_crd_manifests():\n    return None\n")
    empty.write(
        "conftest.py",
        "import pytest\npytest_plugins = ['maker']\n"
        "@pytest.hookimpl(wrapper=True)\ndef pytest_crd_manifests():\n    return (yield)\n",
    )
    empty.write("test_it.py", "def test_it(crds):\n    pass\n")

    result = empty.run()

    result.assert_outcomes(errors=1)
    result.stdout.fnmatch_lines(["maker: pytest_crd_manifests returns None; *"])
    result.stdout.fnmatch_lines(
        ["conftest.py: pytest_crd_manifests cannot be a wrapper: each returns its own manifests"]
    )


def test_a_hook_that_is_registered_too_late_is_refused(project: Project) -> None:
    _hook(project, "{'ponds': POND}", "operator/conftest.py")
    project.write("operator/test_it.py", "def test_it(crd):\n    pass\n")

    result = project.run("--crd-checks")

    result.assert_outcomes(errors=1)
    result.stdout.fnmatch_lines(["*operator/conftest.py: pytest_crd_manifests is registered too late, *"])
    project.run("--crd-checks", "--crd-python", "operator").assert_outcomes(passed=12)


def test_a_conftest_may_name_the_plugin_and_have_the_hook(empty: Project) -> None:
    _hook(empty, "{'ponds': POND}")
    empty.write("conftest.py", f"pytest_plugins = ['pytest_crd.plugin']\n{empty.read('conftest.py')}")
    empty.cases(CASES)

    empty.run().assert_outcomes(passed=1)


def test_the_upgrade_of_a_hooks_crd_is_judged_if_the_baseline_has_a_file_of_it(project: Project) -> None:
    project.write("config/crd/bases/ponds.yaml", POND)
    commit(project.path, tag="v1.0.0")
    project.path.joinpath("config/crd/bases/ponds.yaml").unlink()
    _hook(project, "{'ponds': POND.replace('maximum: 10', 'maximum: 5'), 'rivers': POND.replace('ond', 'river')}")

    result = project.run("--crd-baseline", "git:latest-tag", "-p", "no:python")

    result.assert_outcomes(passed=1, failed=1)
    result.stdout.fnmatch_lines(
        ["crd: not compared with git:v1.0.0 *, which *: privers.stories.example.com (conftest.py)"]
    )
    result.stdout.fnmatch_lines(["*conftest.py[[]ponds]:*"])


def test_a_baseline_without_files_of_the_hooks_crds_is_reported(empty: Project) -> None:
    empty.write("README.md", "")
    commit(empty.path, tag="v1.0.0")
    _hook(empty, "{'ponds': POND}")
    commit(empty.path)

    result = empty.run("--crd-baseline", "git:latest-tag")

    result.assert_outcomes(failed=1)
    result.stdout.fnmatch_lines(
        ["*: no CRD in any of its files at git:v1.0.0 *, and no pytest_crd_manifests makes one there"]
    )


def test_a_run_without_conftest_reports_that_its_hook_does_not_count(project: Project) -> None:
    _hook(project, "{'ponds': POND}")
    _hook(project, "{'ponds': POND}", "operator/conftest.py")

    result = project.run("--noconftest", "--crd-checks")

    message = "CRDs that pytest_crd_manifests makes in conftest.py operator/conftest.py are not tested and not compared"
    result.stdout.fnmatch_lines([f"crd: no conftest.py is loaded: {message}"])
    assert not (project.path / "called").exists()
