"""The plugin is registered once, however it is switched on, and costs nothing in sessions without CRDs."""

from __future__ import annotations

import json
from types import SimpleNamespace

import pytest
from support.sessions import CASES, GARDEN, Project

from pytest_crd import plugin
from pytest_crd.plugin import options, session
from pytest_crd.plugin.settings import project as projectsettings
from pytest_crd.plugin.settings.allsettings import SETTINGS

USES_IT = "def test_garden(crd):\n    assert crd.kind == 'Garden'\n"
WAYS = [
    pytest.param(
        flag, named, no_autoload, id=f"{flag or 'no -p'}, conftest: {named or 'no'}, autoload: {not no_autoload}"
    )
    for flag in (None, "crd", "pytest_crd.plugin")
    for named in (None, "crd", "pytest_crd.plugin")
    for no_autoload in (False, True)
    # Without autoload, a conftest.py finds the name `crd` only in pytest 9.2 and later, or if `-p crd` is given.
    if not no_autoload or flag or named == "pytest_crd.plugin" or (named and pytest.version_tuple >= (9, 2))
]
# A conftest.py alone, as the README says; the slow tests take the other ways.
IN_A_PROCESS = [
    pytest.param(
        *way.values, id=way.id, marks=() if way.values == (None, "pytest_crd.plugin", True) else pytest.mark.slow
    )
    for way in WAYS
]
# Slow plugins that these tests do not need.
WITHOUT = tuple(
    word
    for name in (
        *("cacheprovider", "hypothesispytest", "xdist", "xdist.looponfail", "unraisableexception"),
        *("anyio", "platformdirs"),
    )
    for word in ("-p", f"no:{name}")
)


@pytest.mark.parametrize(("flag", "no_autoload"), [("crd", False), ("pytest_crd.plugin", True)])
def test_the_plugin_is_registered_once_if_several_places_name_it(
    project: Project, pytester: pytest.Pytester, monkeypatch: pytest.MonkeyPatch, flag: str, *, no_autoload: bool
) -> None:
    arguments = _switch_on(project, monkeypatch, flag, "crd", "pytest_crd.plugin", no_autoload=no_autoload)

    result = pytester.runpytest_inprocess(*WITHOUT, *arguments)

    result.assert_outcomes(passed=1)
    assert str(result.stdout).count("crd: 1 CRD, 1 version") == 1


@pytest.mark.parametrize(("flag", "named", "no_autoload"), IN_A_PROCESS)
def test_the_plugin_can_be_switched_on_in_each_way_in_a_new_process(
    project: Project,
    pytester: pytest.Pytester,
    monkeypatch: pytest.MonkeyPatch,
    flag: str | None,
    named: str | None,
    *,
    no_autoload: bool,
) -> None:
    arguments = _switch_on(project, monkeypatch, flag, *([named] if named else []), no_autoload=no_autoload)

    result = pytester.runpytest_subprocess(*WITHOUT, *arguments)

    result.assert_outcomes(passed=1)
    assert str(result.stdout).count("crd: 1 CRD, 1 version") == 1


def _switch_on(
    project: Project, monkeypatch: pytest.MonkeyPatch, flag: str | None, *named: str, no_autoload: bool
) -> tuple[str, ...]:
    """Write a test that uses the plugin, and return the arguments that it is run with."""
    project.write("test_garden.py", USES_IT)
    if named:
        project.write("conftest.py", f"pytest_plugins = {[*named]}\n")
    if no_autoload:
        monkeypatch.setenv("PYTEST_DISABLE_PLUGIN_AUTOLOAD", "1")
    return ("-p", flag) if flag else ()


def test_the_plugin_can_be_switched_off(gardener: Project, pytester: pytest.Pytester) -> None:
    gardener.write("test_garden.py", USES_IT)

    result = pytester.runpytest_inprocess(*WITHOUT, "-p", "no:crd")

    result.assert_outcomes(errors=1)
    result.stdout.fnmatch_lines(["*fixture 'crd' not found*"])


def test_the_plugin_stays_switched_off_if_a_conftest_names_its_module(
    gardener: Project, pytester: pytest.Pytester
) -> None:
    fixtures = ("crds", "crd", "crd_version", "crd_case", "crd_parity", "crd_server")
    gardener.write("conftest.py", 'pytest_plugins = ["pytest_crd.plugin"]\n')
    tests = "".join(f"def test_{fixture}({fixture}): pass\n" for fixture in fixtures)
    gardener.write("test_garden.py", f"{tests}def test_other(): pass\n")
    gardener.path.joinpath("link.txt").symlink_to("test_garden.py")

    result = pytester.runpytest_inprocess(*WITHOUT, "-p", "no:crd")

    result.assert_outcomes(passed=1, errors=6)
    assert result.outlines.count("pytest-crd is switched off by `-p no:crd`") == 6
    result.stdout.no_fnmatch_line("crd: *")


def test_options_of_a_switched_off_plugin_are_unknown(project: Project, pytester: pytest.Pytester) -> None:
    result = pytester.runpytest_inprocess(*WITHOUT, "-p", "no:crd", "--crd-path", "config")

    assert result.ret == pytest.ExitCode.USAGE_ERROR


# Prints the loaded modules and their finders: pytest's own finder rewrites a module.
TELLS_MODULES = """\
import json, sys

def {hook}():
    loaders = {{name: type(getattr(module, "__loader__", None)).__name__ for name, module in sys.modules.items()}}
    with open("modules.json", "w") as file:
        json.dump(loaders, file)
"""


def test_a_session_without_crds_imports_only_the_start_of_the_plugin_even_if_a_test_fails(empty: Project) -> None:
    empty.crd()
    empty.crd("api/gardens.yaml")
    empty.write("test_other.py", "def test_other():\n    pass\n\ndef test_fails():\n    assert False\n")
    empty.write("conftest.py", TELLS_MODULES.format(hook="pytest_unconfigure"))

    empty.start().assert_outcomes(passed=1, failed=1)

    modules = json.loads(empty.read("modules.json"))
    assert sorted(name for name in modules if name.partition(".")[0] == "pytest_crd") == [
        "pytest_crd",
        "pytest_crd.plugin",
        "pytest_crd.plugin.hookspecs",
        "pytest_crd.plugin.options",
    ]
    assert not {"yaml", "deepdiff", "jsonschema", "re2"} & modules.keys()


def test_the_table_of_options_has_the_settings_in_their_order() -> None:
    assert [row[0][0] for row in options.OPTIONS] == [setting.option for setting in SETTINGS]


FOUND = (
    "crd: 1 CRD, 1 version from config/crd, and no test: `pytest-crd test` checks them, `pytest-crd init` sets up tests"
)
UNREADABLE = "CRDs that cannot be read"


@pytest.mark.parametrize(
    ("arguments", "line"),
    [(("-q",), FOUND), (("config",), ""), (("--crd-stored", "gardens.stories.example.com"), "")],
)
def test_a_session_without_tests_names_the_commands_for_its_crds(
    arguments: tuple[str, ...], line: str, empty: Project
) -> None:
    """Unless it is about a part of the project, or has settings."""
    empty.crd("config/crd/gardens.yaml")

    result = empty.run(*arguments)

    assert result.ret == pytest.ExitCode.NO_TESTS_COLLECTED
    assert [own for own in result.outlines if "no test: " in own] == ([line] if line else [])


@pytest.mark.parametrize(
    ("text", "words"), [(GARDEN, "1 CRD, 1 version from config/crd"), (f"{GARDEN}a: [\n", UNREADABLE), ("a: 1\n", "")]
)
def test_the_crds_of_a_project_without_settings_are_counted(text: str, words: str, empty: Project) -> None:
    empty.write("config/crd/gardens.yaml", text)
    config = empty.parse()

    projectsettings.read(config)

    assert session.describe_crds(config) == words


def test_a_session_with_deselected_python_tests_names_no_command(empty: Project) -> None:
    empty.crd()
    empty.write("test_other.py", "def test_other():\n    pass\n")

    result = empty.run("-k", "nothing")

    result.stdout.no_fnmatch_line("crd: *")


@pytest.mark.parametrize("host", ["GITHUB_ACTIONS", "GITLAB_CI"])
def test_the_ci_of_a_code_host_is_known_from_the_environment(monkeypatch: pytest.MonkeyPatch, host: str) -> None:
    monkeypatch.delenv("PYTEST_CURRENT_TEST")
    for name in ("GITHUB_ACTIONS", "GITLAB_CI"):
        monkeypatch.setenv(name, "true" if name == host else "")

    assert options.find_code_host() == host.partition("_")[0].lower()


def test_the_plugin_is_installed_and_its_passing_cases_import_nothing_for_failures(
    project: Project, pytester: pytest.Pytester
) -> None:
    project.cases(
        f"{CASES}create:\n- {{name: a, input: {{spec: {{size: 1}}}}, accepted: true}}\n"
        "- {name: b, input: {spec: {rows: 11}}, errors: [{field: spec.rows, type: Invalid}]}\n"
    )
    project.write("conftest.py", TELLS_MODULES.format(hook="pytest_unconfigure"))

    result = pytester.runpytest_subprocess(*WITHOUT)

    result.assert_outcomes(passed=5)
    assert str(result.stdout).count("crd: 1 CRD, 1 version") == 1
    loaders = json.loads(project.read("modules.json"))
    assert {"pytest_crd.plugin.items.cases", "pytest_crd.cases.caserunner"} <= loaders.keys()
    assert not loaders.keys() & {
        "deepdiff",
        "pytest_crd.cases.openshift.crds",
        "pytest_crd.cases.openshift.suiterunner",
        "pytest_crd.cases.openshift.suite",
        "pytest_crd.checks.checkplan",
        "pytest_crd.coverage",
        "pytest_crd.synthesis",
        "pytest_crd.report.text",
    }
    assert not [name for name in loaders if name.startswith(("pytest_crd.casefiles", "pytest_crd.plugin.features."))]
    # pytest rewrites no module that is imported after the hooks.
    assert (
        loaders["pytest_crd.plugin.items.cases"]
        == loaders["pytest_crd.engine.api.customresourcedefinition"]
        == "SourceFileLoader"
    )
    assert loaders["conftest"] == "AssertionRewritingHook"


def test_the_header_of_a_session_without_crds_is_empty(empty: Project) -> None:
    """A link to a folder above it is not collected."""
    empty.crd()
    empty.write("test_other.py", "def test_other():\n    pass\n")
    empty.path.joinpath("below").symlink_to(empty.path, target_is_directory=True)

    result = empty.run()

    result.assert_outcomes(passed=1)
    result.stdout.no_fnmatch_line("crd:*")


PATCH = "kind: CustomResourceDefinition\nmetadata: {name: gardens.stories.example.com}\nspec: {conversion: {strategy: None}}\n"


def test_passed_over_files_are_explained_by_vv_and_missing_in_the_header_of_a_quiet_session(gardener: Project) -> None:
    for name in "ab":
        gardener.write(f"config/crd/bases/patch{name}.yaml", f"apiVersion: apiextensions.k8s.io/v1\n{PATCH}")
    gardener.write("config/crd/bases/template.yaml", "kind: CustomResourceDefinition\nspec: {{ .Values.spec }}\n")

    verbose, quiet = (_crd_lines(gardener.run(option)) for option in ("-vv", "-q"))

    reason = "passed over, a patch: it has neither spec.group, spec.names nor spec.versions"
    template = "crd: config/crd/bases/template.yaml: passed over, a Helm template"
    assert verbose[1:] == [*(f"crd: config/crd/bases/patch{name}.yaml:1: {reason}" for name in "ab"), template]
    assert quiet == []


def _crd_lines(result: pytest.RunResult) -> list[str]:
    return [line for line in result.outlines if line.startswith("crd: ")]


def test_a_crashed_worker_sends_no_header() -> None:
    plugin.pytest_testnodedown(SimpleNamespace())


def test_crds_are_not_read_before_one_is_needed(empty: Project) -> None:
    empty.write("config/crd/bases/broken.yaml", "kind: CustomResourceDefinition\n  broken: [")
    empty.write("test_other.py", "def test_other():\n    pass\n")
    empty.ini("crd_paths = config/crd/bases")

    result = empty.run()

    result.assert_outcomes(passed=1)
    result.stdout.fnmatch_lines(["crd: no CRD was asked for yet, none is loaded (config/crd/bases)"])


def test_markers_and_fixtures_are_listed(empty: Project) -> None:
    markers, fixtures = empty.run("--markers"), empty.run("--fixtures")

    markers.stdout.fnmatch_lines(["@pytest.mark.crd(name, version=None):*", "@pytest.mark.crd_cases(?globs):*"])
    fixtures.stdout.fnmatch_lines_random(
        ["crds *[[]session scope[]]*", "crd -*", "crd_version -*", "crd_case -*", "crd_server -*", "crd_parity -*"]
    )
    servers = {"crd_server", "crd_server_module", "crd_server_session"}
    assert set(plugin.__all__) == {"crd", "crd_case", "crd_parity", "crd_version", "crds"} | servers
