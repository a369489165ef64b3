"""CRDs that Python code of a project builds: the hook `pytest_crd_manifests`."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
from support.git import commit
from support.sessions import GARDEN

from pytest_crd.plugin import session
from pytest_crd.plugin.settings import project as settings

if TYPE_CHECKING:
    from support.sessions import Project

pytestmark = pytest.mark.session

POND = GARDEN.replace("gardens", "ponds").replace("garden", "pond").replace("Garden", "Pond")
HEAD = f"import pathlib, yaml\nGARDEN = {GARDEN!r}\nPOND = {POND!r}\n"
CASES = "crd: Pond\ncreate:\n- {name: the size is filled in, input: {spec: {}}, contains: {spec: {size: 3}}}\n"
NONE = "return a mapping of names to manifests: *"
RAISES = ["PLUGIN: pytest_crd_manifests fails:", "Traceback *"]


def _hook(project: Project, returns: str, name: str = "conftest.py", arguments: str = "config") -> None:
    """Write a hook that counts its calls in a file."""
    called = "    with pathlib.Path(__file__).with_name('called').open('a') as file:\n        file.write('x')\n"
    project.write(name, f"{HEAD}def pytest_crd_manifests({arguments}):\n{called}    return {returns}\n")


def test_crds_of_the_hook_belong_to_the_project_in_each_form(empty: Project) -> None:
    """A conftest.py with the hook may name the plugin."""
    text = "POND.replace('ond', {!r})"
    forms = (
        "'text': POND",
        f"'bytes': {text.format('uddle')}.encode()",
        f"'mapping': yaml.safe_load({text.format('aper')})",
        f"'iterable': (one for one in [{text.format('ear')}, 'kind: Role'])",
    )
    _hook(empty, f"{{{', '.join(forms)}}}")
    empty.write("conftest.py", f"pytest_plugins = ['pytest_crd.plugin']\n{empty.read('conftest.py')}")
    empty.cases(CASES)
    empty.write("test_it.py", "def test_it(crds, crd, crd_version):\n    assert crd is crds[crd.kind]\n")

    result = empty.run("--crd-checks", "--crd-cov", "-k", "not applies")

    result.assert_outcomes(passed=4 * 4 + 4 + 1, deselected=4)
    result.stdout.fnmatch_lines(["crd: 4 CRDs, 4 versions from conftest.py (pytest_crd_manifests); Kubernetes 1.37"])
    for name in ("ponds", "puddles", "papers", "pears"):
        result.stdout.fnmatch_lines([f"*{name}.stories.example.com*"])
    assert empty.read("called") == "x"


def test_crds_of_the_hook_join_files_and_a_copy_of_a_file_counts_once(project: Project) -> None:
    """A different CRD of the same name is an alternative."""
    _hook(project, "{'ponds': POND, 'copy': GARDEN, 'other': GARDEN.replace('default: 3', 'default: 4')}", arguments="")
    project.write(
        "test_it.py",
        "def test_it(crds, crd):\n    assert crds['conftest.py[other]'].kind == 'Garden'\n"
        "    assert sorted(one.kind for one in crds) == ['Garden', 'Garden', 'Pond']\n",
    )
    project.cases(CASES)

    project.run().assert_outcomes(passed=4)


def test_crds_of_the_hook_precede_test_data(empty: Project) -> None:
    _hook(empty, "{'ponds': POND}", arguments="")
    empty.crd("testdata/gardens.yaml")
    empty.write("test_it.py", "def test_it(crds):\n    assert [one.kind for one in crds] == ['Pond']\n")

    result = empty.run()

    result.assert_outcomes(passed=1)
    result.stdout.fnmatch_lines(
        ["crd: testdata/gardens.yaml: passed over: test data counts where there is nothing else"]
    )


def test_a_path_on_the_command_line_replaces_crds_of_the_hook(project: Project) -> None:
    _hook(project, "{}")
    config = project.parse("--crd-path", "config")

    settings.read(config)

    assert [crd.kind for crd in session.catalogs(config)[0].crds] == ["Garden"]
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


# The result of a hook, and the lines about it, with the plugin in place of PLUGIN.
MISTAKES = {
    "nothing": ("None", [f"PLUGIN: pytest_crd_manifests returns None; {NONE}"]),
    "no_manifest": ("{}", [f"PLUGIN: pytest_crd_manifests returns no manifest; {NONE}"]),
    "no_names": ("[POND]", [f"PLUGIN: * returns an object of the type list; {NONE}"]),
    "an_empty_name": ("{'': POND}", ["PLUGIN: pytest_crd_manifests returns '' for a name; *"]),
    "number_for_a_name": ("{1: POND}", ["PLUGIN: pytest_crd_manifests returns 1 for a name; *"]),
    "an_empty_iterable": ("{'a': []}", ["PLUGIN[[]a]: no CustomResourceDefinition in what it returns"]),
    "no_CRD": ("{'ok': POND, 'a': 'kind: Role'}", ["PLUGIN[[]a]: no CustomResourceDefinition in what it returns"]),
    "no_manifest_below_a_name": (
        "{'a': object()}",
        ["PLUGIN[[]a]: an object of the type object; a manifest is a mapping, or a text of YAML or JSON"],
    ),
    "no_JSON": ("{'a': [{'kind': {1, 2}}, POND]}", ["PLUGIN[[]a #1]: kind: {1, 2} is not JSON (set); write a list"]),
    "no_YAML": ("{'a': POND + ' x'}", ["PLUGIN[[]a]:*"]),
    "a_patch": ("{'a': POND.replace('spec', 'spek')}", ["PLUGIN[[]a]:*"]),
    "a_misspelt_kind": ("{'a': POND.replace('kind: Custom', 'kind: Costum')}", ["PLUGIN[[]a]:1: *"]),
    "raises": ("broken(lambda: {}['x'])", [*RAISES, "*{}[[]'x'[]]*", "*KeyError: 'x'"]),
    "skips": ("broken(lambda: pytest.skip('not today'))", [*RAISES, "*Skipped: not today"]),
    "fails": ("broken(lambda: pytest.fail('no'))", [*RAISES, "*Failed: no"]),
    "exits": ("broken(lambda: sys.exit(0))", [*RAISES, "*SystemExit: 0"]),
}


def test_a_mistake_names_the_plugin_of_the_hook(empty: Project) -> None:
    _hook(empty, "None")
    empty.write("test_it.py", "def test_it(crd):\n    pass\n")
    empty.cases(CASES)

    result = empty.run("--crd-checks")

    result.assert_outcomes(errors=3)
    result.stdout.fnmatch_lines([f"conftest.py: pytest_crd_manifests returns None; {NONE}"])
    assert empty.read("called") == "x"


# Mistakes that are found after all hooks have returned.
UNREADABLE = ("an_empty_iterable", "no_CRD", "no_YAML", "a_patch", "a_misspelt_kind")


@pytest.mark.parametrize("names", [[name for name in MISTAKES if name not in UNREADABLE], list(UNREADABLE)])
def test_mistakes_of_all_hooks_are_reported_at_once(empty: Project, names: list[str]) -> None:
    for name in names:
        returns = MISTAKES[name][0]
        empty.write(
            f"{name}.py",
            f"{HEAD}import pytest, sys\ndef broken(act):\n    yield act()\ndef pytest_crd_manifests():\n"
            f"    return {{'a': {returns}}}\n"
            if returns.startswith("broken(")
            else f"{HEAD}def pytest_crd_manifests():\n    return {returns}\n",
        )
    empty.write(
        "conftest.py",
        f"import pytest\npytest_plugins = {names}\n"
        + (
            ""
            if "no_YAML" in names
            else "@pytest.hookimpl(wrapper=True)\ndef pytest_crd_manifests():\n    return (yield)\n"
        ),
    )
    empty.write("test_it.py", "def test_it(crds):\n    pass\n")

    result = empty.run()

    result.assert_outcomes(errors=1)
    for name in names:
        result.stdout.fnmatch_lines([line.replace("PLUGIN", name) for line in MISTAKES[name][1]])
    if "no_YAML" not in names:
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
