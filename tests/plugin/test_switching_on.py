"""The plugin is there once, however it is asked for, and costs nothing where nobody needs it."""

from __future__ import annotations

import json
import sys
from types import SimpleNamespace
from typing import TYPE_CHECKING

import pytest

from pytest_crd import plugin

if TYPE_CHECKING:
    from plugin.conftest import Project

USES_IT = "def test_garden(crd):\n    assert crd.kind == 'Garden'\n"
WAYS = [
    pytest.param(
        flag, named, no_autoload, id=f"{flag or 'no -p'}, conftest: {named or 'no'}, autoload: {not no_autoload}"
    )
    for flag in (None, "crd", "pytest_crd.plugin")
    for named in (None, "crd", "pytest_crd.plugin")
    for no_autoload in (False, True)
    # Without autoload nobody knows the name `crd` unless `-p crd` has introduced it.
    if not no_autoload or (flag or named == "pytest_crd.plugin")
]


@pytest.mark.parametrize(("flag", "named", "no_autoload"), WAYS)
def test_every_way_of_switching_it_on_works(
    project: Project,
    monkeypatch: pytest.MonkeyPatch,
    flag: str | None,
    named: str | None,
    no_autoload: object,
) -> None:
    project.write("test_garden.py", USES_IT)
    if named:
        project.write("conftest.py", f'pytest_plugins = ["{named}"]\n')
    if no_autoload:
        monkeypatch.setenv("PYTEST_DISABLE_PLUGIN_AUTOLOAD", "1")

    arguments = ("-p", flag) if flag else ()
    result = project.pytester.runpytest_subprocess("-p", "no:cacheprovider", *arguments)

    result.assert_outcomes(passed=1)
    assert str(result.stdout).count("crd: 1 CRD, 1 version") == 1


def test_it_can_be_switched_off(gardener: Project) -> None:
    gardener.write("test_garden.py", USES_IT)

    result = gardener.pytester.runpytest_subprocess("-p", "no:cacheprovider", "-p", "no:crd")

    result.assert_outcomes(errors=1)
    result.stdout.fnmatch_lines(["*fixture 'crd' not found*"])


@pytest.mark.parametrize("fixture", ["crds", "crd", "crd_version", "crd_case"])
def test_it_stays_switched_off_where_a_conftest_names_the_module(gardener: Project, fixture: str) -> None:
    gardener.write("conftest.py", 'pytest_plugins = ["pytest_crd.plugin"]\n')
    gardener.write("test_garden.py", f"def test_garden({fixture}): pass\ndef test_other(): pass\n")

    result = gardener.pytester.runpytest_subprocess("-p", "no:cacheprovider", "-p", "no:crd")

    result.assert_outcomes(passed=1, errors=1)
    result.stdout.fnmatch_lines(["pytest-crd is switched off by `-p no:crd`"])
    result.stdout.no_fnmatch_line("crd: *")


def test_an_option_of_it_is_unknown_where_it_is_switched_off(project: Project) -> None:
    result = project.pytester.runpytest_subprocess("-p", "no:crd", "--crd-path", "config")

    assert result.ret == pytest.ExitCode.USAGE_ERROR


def test_a_session_without_crds_imports_nothing_but_the_hooks(empty: Project) -> None:
    empty.write(
        "test_other.py",
        "import sys\n"
        "def test_other():\n"
        "    import json\n"
        "    with open('modules.json', 'w') as file:\n"
        "        json.dump(sorted(sys.modules), file)\n",
    )

    result = empty.pytester.run(sys.executable, "-m", "pytest", "-p", "no:cacheprovider", "-p", "no:hypothesispytest")

    result.assert_outcomes(passed=1)
    modules = json.loads((empty.path / "modules.json").read_text(encoding="utf-8"))
    assert [name for name in modules if name.partition(".")[0] == "pytest_crd"] == [
        "pytest_crd",
        "pytest_crd.coverageoptions",
        "pytest_crd.fixtures",
        "pytest_crd.idle",
        "pytest_crd.liveoptions",
        "pytest_crd.options",
        "pytest_crd.plugin",
        "pytest_crd.session",
    ]
    assert not {"yaml", "deepdiff", "jsonschema", "re2"} & set(modules)


def test_cases_that_hold_import_nothing_that_only_other_cases_need(project: Project) -> None:
    project.cases(
        "crd: gardens.stories.example.com\ncreate:\n- name: a\n  input: {spec: {size: 1}}\n  accepted: true\n"
    )
    project.write(
        "conftest.py",
        "import json, sys\n"
        "def pytest_unconfigure():\n"
        "    with open('modules.json', 'w') as file:\n"
        "        json.dump(sorted(sys.modules), file)\n",
    )

    result = project.pytester.run(sys.executable, "-m", "pytest", "-p", "no:cacheprovider", "-p", "no:hypothesispytest")

    result.assert_outcomes(passed=1)
    modules = set(json.loads((project.path / "modules.json").read_text(encoding="utf-8")))
    assert {"pytest_crd.nodes", "pytest_crd.cases.runner"} <= modules
    assert not modules & {
        "deepdiff",
        "pytest_crd.cases.openshift.crds",
        "pytest_crd.cases.openshift.runner",
        "pytest_crd.cases.openshift.suite",
        "pytest_crd.checks.plan",
        "pytest_crd.engine.reading.scalarplaces",
        "pytest_crd.examples",
        "pytest_crd.report.text",
    }


def test_a_session_without_crds_says_nothing_of_them(empty: Project) -> None:
    empty.write("test_other.py", "def test_other():\n    pass\n")

    result = empty.run()

    result.assert_outcomes(passed=1)
    result.stdout.no_fnmatch_line("crd:*")


@pytest.mark.parametrize("workers", ["-n1", "-n2"])
def test_what_is_loaded_is_said_once_under_xdist(gardener: Project, workers: str) -> None:
    gardener.write("config/crd/bases/templates.yaml", "kind: CustomResourceDefinition\nspec: {{ .Values.spec }}\n")

    result = gardener.run(workers)

    result.assert_outcomes(passed=3)
    assert [line for line in result.outlines if line.startswith("crd: ")] == [
        "crd: 1 CRD, 1 version from config/crd/bases; Kubernetes 1.37",
        "crd: config/crd/bases/templates.yaml: passed over, a Helm template",
    ]


def test_a_quiet_session_says_only_what_was_passed_over(gardener: Project) -> None:
    gardener.write("config/crd/bases/templates.yaml", "kind: CustomResourceDefinition\nspec: {{ .Values.spec }}\n")

    result = gardener.run("-q")

    assert [line for line in result.outlines if line.startswith("crd: ")] == [
        "crd: config/crd/bases/templates.yaml: passed over, a Helm template"
    ]


def test_a_worker_that_crashed_tells_nothing() -> None:
    plugin.pytest_testnodedown(SimpleNamespace())


def test_crds_are_not_read_before_somebody_asks_for_one(empty: Project) -> None:
    empty.write("config/crd/bases/broken.yaml", "kind: CustomResourceDefinition\n  broken: [")
    empty.write("test_other.py", "def test_other():\n    pass\n")
    empty.ini("crd_paths = config/crd/bases")

    result = empty.run()

    result.assert_outcomes(passed=1)
    result.stdout.fnmatch_lines(["crd: no CRD was asked for yet, none is loaded (config/crd/bases)"])


def test_markers_and_fixtures_are_listed(empty: Project) -> None:
    markers, fixtures = empty.run("--markers"), empty.run("--fixtures")

    markers.stdout.fnmatch_lines(["@pytest.mark.crd(name, version=None):*", "@pytest.mark.crd_cases(?globs):*"])
    fixtures.stdout.fnmatch_lines(["crds *[[]session scope[]]*", "crd -*", "crd_version -*", "crd_case -*"])
    assert set(plugin.__all__) == {"crd", "crd_case", "crd_version", "crds"}
