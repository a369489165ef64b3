"""Where CRDs come from: crd_paths, --crd-path, and the conventional places."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

import pytest

from pytest_crd.engine.project import CONVENTIONAL_PATHS

if TYPE_CHECKING:
    from plugin.conftest import Project

NAMES = "def test_names(crds):\n    assert sorted(crd.kind for crd in crds) == {kinds}\n"


def _expect(project: Project, *kinds: str) -> None:
    project.write("test_names.py", NAMES.format(kinds=sorted(kinds)))


@pytest.mark.parametrize(
    "paths",
    [
        pytest.param("api/a.yaml api/b.yaml", id="two files"),
        pytest.param("api", id="a folder"),
        pytest.param("api/a.yaml api", id="a file and the folder that it is in"),
        pytest.param("api/*.yaml", id="a glob"),
        pytest.param("**/[ab].yaml", id="a glob through all folders"),
        pytest.param("'api'", id="a quoted folder"),
    ],
)
def test_crd_paths_are_files_folders_and_globs(empty: Project, paths: str) -> None:
    empty.crd("api/a.yaml")
    empty.crd("api/b.yaml", plural="ponds", kind="Pond")
    empty.ini(f"crd_paths = {paths}")
    _expect(empty, "Garden", "Pond")

    empty.run().assert_outcomes(passed=1)


def test_an_absolute_path_is_taken_as_it_is(empty: Project, tmp_path_factory: pytest.TempPathFactory) -> None:
    empty.crd("api/a.yaml")
    empty.write("elsewhere/pytest.ini", f"[pytest]\ncrd_paths = {empty.path}/api/*.yaml\n")
    empty.write("elsewhere/test_names.py", NAMES.format(kinds=["Garden"]))

    empty.run("-c", "elsewhere/pytest.ini", "elsewhere").assert_outcomes(passed=1)


def test_json_streams_and_lists_hold_crds(empty: Project) -> None:
    from pytest_crd.engine.reading import yamlreader

    one = empty.crd("api/a.yaml").read_text(encoding="utf-8")
    other = one.replace("gardens", "ponds").replace("Garden", "Pond")
    third = yamlreader.read_one(one.replace("gardens", "trees").replace("Garden", "Tree")).value
    fourth = yamlreader.read_one(one.replace("gardens", "bushes").replace("Garden", "Bush")).value
    empty.write("api/a.yaml", f"{one}---\n{other}---\nkind: ConfigMap\napiVersion: v1\n")
    empty.write("api/third.json", json.dumps(third))
    empty.write("api/list.yml", json.dumps({"apiVersion": "v1", "kind": "List", "items": [fourth, {"kind": "Other"}]}))
    empty.ini("crd_paths = api")
    _expect(empty, "Garden", "Pond", "Tree", "Bush")

    result = empty.run()

    result.assert_outcomes(passed=1)
    result.stdout.no_fnmatch_line("crd: 1 CRD,*")


@pytest.mark.parametrize("place", CONVENTIONAL_PATHS)
def test_the_conventional_places_are_looked_at_where_nothing_is_set(empty: Project, place: str) -> None:
    empty.crd(f"{place.replace('*', 'garden')}/gardens.yaml")
    _expect(empty, "Garden")

    result = empty.run()

    result.assert_outcomes(passed=1)


def test_the_command_line_replaces_the_ini_file(empty: Project) -> None:
    empty.crd("api/a.yaml")
    empty.crd("other/b.yaml", plural="ponds", kind="Pond")
    empty.crd("other/c.yaml", plural="trees", kind="Tree")
    empty.ini("crd_paths = api")
    _expect(empty, "Pond", "Tree")

    empty.run("--crd-path", "other/b.yaml", "--crd-path=other/c.yaml").assert_outcomes(passed=1)


def test_ini_paths_are_relative_to_the_ini_file(empty: Project, monkeypatch: pytest.MonkeyPatch) -> None:
    empty.crd("api/a.yaml")
    empty.ini("crd_paths = api")
    empty.write("tests/unit/test_names.py", NAMES.format(kinds=["Garden"]))
    monkeypatch.chdir(empty.path / "tests" / "unit")

    empty.run().assert_outcomes(passed=1)


def test_paths_on_the_command_line_are_relative_to_where_pytest_was_called(
    empty: Project, monkeypatch: pytest.MonkeyPatch
) -> None:
    empty.crd("tests/api/a.yaml")
    empty.ini()
    empty.write("tests/test_names.py", NAMES.format(kinds=["Garden"]))
    monkeypatch.chdir(empty.path / "tests")

    empty.run("--crd-path", "api").assert_outcomes(passed=1)


@pytest.mark.parametrize("path", ["nowhere", "api/*.json", "api/b.yaml"])
def test_a_path_that_names_nothing_is_a_usage_error(empty: Project, path: str) -> None:
    empty.crd("api/a.yaml")
    _expect(empty, "Garden")

    result = empty.run("--crd-path", path)

    assert result.ret == pytest.ExitCode.USAGE_ERROR
    result.stderr.fnmatch_lines([f"ERROR: *{path.replace('*', '[*]')}*matches nothing in {empty.path}"])


def test_a_crd_file_that_cannot_be_read_is_a_collection_error(project: Project) -> None:
    project.write("config/crd/bases/broken.yaml", "kind: CustomResourceDefinition\nspec: {\n")
    project.write("test_garden.py", "def test_garden(crd):\n    pass\n")

    result = project.run()

    result.assert_outcomes(errors=1)
    result.stdout.fnmatch_lines(["*ERROR collecting test_garden.py*", "config/crd/bases/broken.yaml:3: *"])
    result.stdout.no_fnmatch_line("*Traceback*")


def test_a_crd_file_that_cannot_be_read_fails_what_asks_for_all_crds(project: Project) -> None:
    project.write("config/crd/bases/broken.yaml", "kind: CustomResourceDefinition\nspec: {\n")
    project.write("test_garden.py", "def test_garden(crds):\n    pass\n")

    result = project.run()

    result.assert_outcomes(errors=1)
    result.stdout.fnmatch_lines(["config/crd/bases/broken.yaml:3: *"])


def test_two_crds_of_one_name_are_an_error_that_names_both_files(project: Project) -> None:
    project.crd("config/crd/bases/zardens.yaml")
    project.cases()

    result = project.run()

    result.assert_outcomes(errors=1)
    result.stdout.fnmatch_lines(
        ["config/crd/bases/zardens.yaml:*gardens.stories.example.com is declared twice*config/crd/bases/gardens.yaml*"]
    )


def test_templates_and_patches_are_passed_over_with_a_note(gardener: Project) -> None:
    gardener.write("config/crd/bases/templates.yaml", "kind: CustomResourceDefinition\nspec: {{ .Values.spec }}\n")
    gardener.write(
        "config/crd/bases/patch.yaml",
        "apiVersion: apiextensions.k8s.io/v1\nkind: CustomResourceDefinition\n"
        "metadata: {name: gardens.stories.example.com}\nspec: {conversion: {strategy: None}}\n",
    )

    result = gardener.run()

    result.assert_outcomes(passed=3)
    result.stdout.fnmatch_lines(
        [
            "crd: 1 CRD, 1 version from config/crd/bases*; Kubernetes 1.37",
            "crd: config/crd/bases/patch.yaml:1: passed over, a patch:*",
            "crd: config/crd/bases/templates.yaml: passed over, a Helm template",
        ]
    )


def test_the_header_counts(empty: Project) -> None:
    empty.crd("crds/a.yaml")
    empty.crd("crds/b.yaml", plural="ponds", kind="Pond")
    _expect(empty, "Garden", "Pond")
    empty.write("test_each.py", "def test_each(crd_version):\n    pass\n")

    result = empty.run("--crd-kubernetes-version", "1.36")

    result.stdout.fnmatch_lines(["crd: 2 CRDs, 2 versions from crds; Kubernetes 1.36"])
