"""The plugin is there once, however it is asked for, and costs nothing where nobody needs it."""

from __future__ import annotations

import json
import sys
from typing import TYPE_CHECKING

import pytest

from pytest_crd import plugin

if TYPE_CHECKING:
    from plugin.conftest import Project

USES_IT = "def test_garden(crd):\n    assert crd.kind == 'Garden'\n"
WAYS = [
    pytest.param((), None, False, id="installed"),
    pytest.param(("-p", "crd"), None, False, id="installed and -p crd"),
    pytest.param((), "crd", False, id="installed and a conftest that names crd"),
    pytest.param((), "pytest_crd.plugin", False, id="installed and a conftest that names the module"),
    pytest.param(
        ("-p", "crd"), "pytest_crd.plugin", False, id="installed, -p crd and a conftest that names the module"
    ),
    pytest.param(
        ("-p", "pytest_crd.plugin"), "crd", False, id="installed, -p with the module and a conftest that names crd"
    ),
    pytest.param((), "pytest_crd.plugin", True, id="no autoload and a conftest that names the module"),
    pytest.param(("-p", "pytest_crd.plugin"), None, True, id="no autoload and -p with the module"),
    pytest.param(
        ("-p", "pytest_crd.plugin"),
        "pytest_crd.plugin",
        True,
        id="no autoload, -p and a conftest, both with the module",
    ),
    pytest.param(("-p", "crd"), None, True, id="no autoload and -p crd"),
    pytest.param(("-p", "crd"), "crd", True, id="no autoload, -p crd and a conftest that names crd"),
    pytest.param(
        ("-p", "crd"), "pytest_crd.plugin", True, id="no autoload, -p crd and a conftest that names the module"
    ),
]


@pytest.mark.parametrize(("arguments", "named", "no_autoload"), WAYS)
def test_every_way_of_switching_it_on_works(
    project: Project,
    monkeypatch: pytest.MonkeyPatch,
    arguments: tuple[str, ...],
    named: str | None,
    no_autoload: object,
) -> None:
    project.write("test_garden.py", USES_IT)
    if named:
        project.write("conftest.py", f'pytest_plugins = ["{named}"]\n')
    if no_autoload:
        monkeypatch.setenv("PYTEST_DISABLE_PLUGIN_AUTOLOAD", "1")

    result = project.pytester.runpytest_subprocess("-p", "no:cacheprovider", *arguments)

    result.assert_outcomes(passed=1)
    assert str(result.stdout).count("crd: 1 CRD, 1 version") == 1


def test_it_can_be_switched_off(gardener: Project) -> None:
    gardener.write("test_garden.py", USES_IT)

    result = gardener.pytester.runpytest_subprocess("-p", "no:cacheprovider", "-p", "no:crd")

    result.assert_outcomes(errors=1)
    result.stdout.fnmatch_lines(["*fixture 'crd' not found*"])


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
        "pytest_crd.fixtures",
        "pytest_crd.options",
        "pytest_crd.plugin",
    ]
    assert not {"yaml", "deepdiff", "jsonschema", "re2"} & set(modules)


def test_a_session_without_crds_says_nothing_of_them(empty: Project) -> None:
    empty.write("test_other.py", "def test_other():\n    pass\n")

    result = empty.run()

    result.assert_outcomes(passed=1)
    result.stdout.no_fnmatch_line("crd:*")


def test_crds_are_not_read_before_somebody_asks_for_one(empty: Project) -> None:
    empty.write("config/crd/bases/broken.yaml", "kind: CustomResourceDefinition\n  broken: [")
    empty.write("test_other.py", "def test_other():\n    pass\n")
    empty.ini("crd_paths = config/crd/bases")

    result = empty.run()

    result.assert_outcomes(passed=1)
    result.stdout.fnmatch_lines(["crd: no CRD was asked for, none was loaded (crd_paths: config/crd/bases)"])


def test_markers_and_fixtures_are_listed(empty: Project) -> None:
    markers, fixtures = empty.run("--markers"), empty.run("--fixtures")

    markers.stdout.fnmatch_lines(["@pytest.mark.crd(name, version=None):*", "@pytest.mark.crd_cases(?globs):*"])
    fixtures.stdout.fnmatch_lines(["crds *[[]session scope[]]*", "crd -*", "crd_version -*", "crd_case -*"])
    assert set(plugin.__all__) == {"crd", "crd_case", "crd_version", "crds"}
