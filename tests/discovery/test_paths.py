"""Sources of CRDs: crd_paths, --crd-path, and the conventional places."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

import pytest
from support import sessions

from pytest_crd.discovery.crdsources import Sources
from pytest_crd.discovery.search import CONVENTIONAL_PATHS
from pytest_crd.engine import profile

if TYPE_CHECKING:
    from pathlib import Path

    from support.sessions import Project

pytestmark = pytest.mark.session
NAMES = "def test_names(crds):\n    assert sorted(crd.kind for crd in crds) == {kinds}\n"


def _expect(project: Project, *kinds: str) -> None:
    project.write("test_names.py", NAMES.format(kinds=sorted(kinds)))


def _kinds(sources: Sources) -> list[str]:
    return sorted(crd.kind for crd in sources.crds(profile.DEFAULT))


@pytest.mark.parametrize(
    "paths",
    [
        pytest.param("api/a.yaml api/b.yaml", id="two files"),
        pytest.param("api", id="a folder"),
        pytest.param("api/a.yaml api", id="a file and the folder that it is in"),
        pytest.param("api/*.yaml", id="a glob"),
        pytest.param("**/[ab].yaml", id="a glob through all folders"),
    ],
)
def test_crd_paths_are_files_folders_and_globs(tmp_path: Path, paths: str) -> None:
    folder = sessions.Folder(tmp_path)
    folder.crd("api/a.yaml")
    folder.crd("api/b.yaml", plural="ponds", kind="Pond")

    assert _kinds(Sources(tmp_path, tuple(paths.split()))) == ["Garden", "Pond"]


def test_a_setting_may_quote_a_folder(empty: Project) -> None:
    empty.crd("api/a.yaml")
    empty.crd("api/b.yaml", plural="ponds", kind="Pond")
    empty.ini("crd_paths = 'api'")
    _expect(empty, "Garden", "Pond")

    empty.run().assert_outcomes(passed=1)


def test_an_absolute_path_is_used_as_it_is(empty: Project) -> None:
    empty.crd("api/a.yaml")
    (empty.path / ".git").mkdir()
    empty.write("elsewhere/pytest.ini", f"[pytest]\ncrd_paths = {empty.path}/api/*.yaml\n")
    empty.write("elsewhere/test_names.py", NAMES.format(kinds=["Garden"]))

    empty.run("-c", "elsewhere/pytest.ini", "elsewhere").assert_outcomes(passed=1)


def test_json_streams_and_lists_hold_crds(empty: Project) -> None:
    from pytest_crd.engine.yaml import yamlreader

    item = empty.crd("api/a.yaml").read_text(encoding="utf-8")
    second = item.replace("gardens", "ponds").replace("Garden", "Pond")
    third = yamlreader.read_one(item.replace("gardens", "trees").replace("Garden", "Tree")).value
    fourth = yamlreader.read_one(item.replace("gardens", "bushes").replace("Garden", "Bush")).value
    empty.write("api/a.yaml", f"{item}---\n{second}---\nkind: ConfigMap\napiVersion: v1\n")
    empty.write("api/third.json", json.dumps(third))
    empty.write("api/list.yml", json.dumps({"apiVersion": "v1", "kind": "List", "items": [fourth, {"kind": "Other"}]}))
    empty.ini("crd_paths = api")
    _expect(empty, "Garden", "Pond", "Tree", "Bush")

    result = empty.run()

    result.assert_outcomes(passed=1)
    result.stdout.no_fnmatch_line("crd: 1 CRD,*")


@pytest.mark.parametrize("place", CONVENTIONAL_PATHS)
def test_the_conventional_places_are_searched_without_settings(tmp_path: Path, place: str) -> None:
    sessions.Folder(tmp_path).crd(f"{place.replace('*', 'garden')}/gardens.yaml")
    sources = Sources(tmp_path)

    assert _kinds(sources) == ["Garden"]
    assert sources.places == place


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


@pytest.mark.parametrize("path", ["nowhere", "api/*.json", "api/b.yaml", "!nowhere", "!"])
def test_a_path_that_matches_nothing_is_a_usage_error_of_its_setting(empty: Project, path: str) -> None:
    empty.crd("api/a.yaml")
    _expect(empty, "Garden")
    words = f"'{path.replace('*', '[*]')}' matches nothing in {empty.path}"

    result = empty.run("--crd-path", path)

    assert result.ret == pytest.ExitCode.USAGE_ERROR
    result.stderr.fnmatch_lines([f"ERROR: --crd-path: {words}"])
    if path != "nowhere":
        return
    empty.ini(f"crd_paths = {path}")
    result = empty.run()
    assert result.ret == pytest.ExitCode.USAGE_ERROR
    result.stderr.fnmatch_lines([f"ERROR: crd_paths: {words}"])


WRONG = [
    ("kind: Pod\n", " no CustomResourceDefinition in the file"),
    ("kind: CustomResourceDefinition\na: {\n", "3: *"),
    (
        "kind: CustomResourceDefinition\na: {{ .Values.a }}\n",
        "2: *(a Helm template: use what it renders to: crd_commands = helm template *)",
    ),
    (
        "apiVersion: apiextensions.k8s.io/v1\nkind: CustomResourceDefiniton\n",
        "1: no server knows kind 'CustomResourceDefiniton' of *; did you mean kind 'CustomResourceDefinition'*",
    ),
]


def test_a_file_that_is_named_must_have_a_crd(empty: Project) -> None:
    empty.crd("api/a.yaml")
    paths = ["--crd-path", "api/a.yaml"]
    for number, (text, _) in enumerate(WRONG):
        empty.write(f"api/{number}.yaml", text)
        paths += ["--crd-path", f"api/{number}.yaml"]
    _expect(empty, "Garden")

    result = empty.run(*paths)

    result.assert_outcomes(errors=1)
    for number, (_, words) in enumerate(WRONG):
        result.stdout.fnmatch_lines([f"api/{number}.yaml:{words}"])


@pytest.mark.parametrize("place", ["api", "config/crd"])
def test_a_misspelt_kind_in_a_folder_is_an_error(empty: Project, place: str) -> None:
    empty.crd(f"{place}/a.yaml")
    path = empty.crd(f"{place}/b.yaml", plural="ponds", kind="Pond")
    path.write_text(path.read_text(encoding="utf-8").replace("Definition", "Defintion"), encoding="utf-8")
    _expect(empty, "Garden")
    if place == "api":
        empty.ini("crd_paths = api")

    result = empty.run()

    result.assert_outcomes(errors=1)
    result.stdout.fnmatch_lines(
        [f"{place}/b.yaml:1: no server knows kind 'CustomResourceDefintion' of *; did you mean *"]
    )


def test_an_exclamation_mark_excludes_files(empty: Project) -> None:
    empty.crd("api/full/a.yaml")
    empty.crd("api/minimal/a.yaml", plural="ponds", kind="Pond")
    empty.ini("crd_paths = api !api/minimal")
    _expect(empty, "Garden")

    empty.run().assert_outcomes(passed=1)


def test_exclusions_apply_without_other_paths(empty: Project) -> None:
    empty.crd("config/crd/bases/a.yaml")
    empty.crd("config/crd/bases/b.yaml", plural="ponds", kind="Pond")
    empty.ini("crd_paths = !**/b.yaml")
    _expect(empty, "Garden")

    empty.run().assert_outcomes(passed=1)


def _give_alternatives(project: Project) -> None:
    path = project.crd("config/crd/bases/minimal.yaml")
    path.write_text(path.read_text(encoding="utf-8").replace("default: 3", "default: 4"), encoding="utf-8")


def test_alternatives_are_all_checked_and_named_by_their_files(project: Project) -> None:
    _give_alternatives(project)
    project.write("test_each.py", "def test_each(crd_version):\n    assert {*crd_version.structural_errors} == set()\n")

    result = project.run("-v")

    result.assert_outcomes(passed=2)
    result.stdout.fnmatch_lines(
        [
            "crd: 2 CRDs, 2 versions from config/crd/bases; Kubernetes 1.37",
            "crd: alternatives, each checked: gardens.stories.example.com (config/crd/bases/gardens.yaml:1), *minimal.yaml:1)",
            "test_each.py::test_each[[]gardens.stories.example.com@config/crd/bases/gardens.yaml-v1[]] PASSED*",
            "test_each.py::test_each[[]gardens.stories.example.com@config/crd/bases/minimal.yaml-v1[]] PASSED*",
        ]
    )


def test_the_name_of_alternatives_is_an_error_that_says_how_to_select_one(project: Project) -> None:
    _give_alternatives(project)
    project.cases()
    words = (
        "*'gardens.stories.example.com' names several CRDs: *gardens.yaml:1), *minimal.yaml:1);"
        " say which by its file, as in 'config/crd/bases/gardens.yaml'"
    )
    mark = "import pytest\n@pytest.mark.crd('{name}')\ndef test_it(crd): pass\n"
    project.write("test_it.py", mark.format(name="gardens.stories.example.com"))

    result = project.run()

    result.assert_outcomes(errors=2)
    result.stdout.fnmatch_lines([f"test_garden.crd.yaml:1: {words}"])
    result.stdout.fnmatch_lines([f"test_it.py::test_it: {words}"])
    project.write("test_it.py", mark.format(name="config/crd/bases/minimal.yaml"))
    cases = project.path / "test_garden.crd.yaml"
    text = cases.read_text(encoding="utf-8")
    cases.write_text(text.replace("gardens.stories.example.com", "config/crd/bases/gardens.yaml"), encoding="utf-8")
    project.run().assert_outcomes(passed=4)


def test_copies_count_once_with_a_note(gardener: Project) -> None:
    gardener.crd("config/crd/bases/zardens.yaml")

    result = gardener.run()

    result.assert_outcomes(passed=3)
    result.stdout.fnmatch_lines(
        [
            "crd: config/crd/bases/zardens.yaml:1: passed over, a copy of gardens.stories.example.com in config/*gardens.yaml:1"
        ]
    )


def test_a_crd_file_that_cannot_be_read_is_a_collection_error(project: Project) -> None:
    project.write("config/crd/bases/broken.yaml", "kind: CustomResourceDefinition\nspec: {\n")
    project.write("test_garden.py", "def test_garden(crd):\n    pass\n")

    result = project.run()

    result.assert_outcomes(errors=1)
    result.stdout.fnmatch_lines(["*ERROR collecting test_garden.py*", "config/crd/bases/broken.yaml:3: *"])
    result.stdout.no_fnmatch_line("*Traceback*")


def test_an_unreadable_crd_file_fails_tests_of_all_crds(project: Project) -> None:
    project.write("config/crd/bases/broken.yaml", "kind: CustomResourceDefinition\nspec: {\n")
    project.write("test_garden.py", "def test_garden(crds):\n    pass\n")

    result = project.run()

    result.assert_outcomes(errors=1)
    result.stdout.fnmatch_lines(["config/crd/bases/broken.yaml:3: *"])


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


def test_the_header_counts_crds_and_versions(empty: Project) -> None:
    empty.crd("crds/a.yaml")
    empty.crd("crds/b.yaml", plural="ponds", kind="Pond")
    _expect(empty, "Garden", "Pond")
    empty.write("test_each.py", "def test_each(crd_version):\n    pass\n")

    result = empty.run("--crd-kubernetes-version", "1.36")

    result.stdout.fnmatch_lines(["crd: 2 CRDs, 2 versions from crds; Kubernetes 1.36"])


OUTSIDE = {
    "crd_paths": "crd_paths = PATH/a.yaml",
    "a glob": "crd_paths = PATH/*.yaml",
    "crd_samples": "crd_checks = on\ncrd_samples = PATH",
    "crd_policies": "crd_policies = PATH",
    "crd_webhook_configurations": "crd_webhooks = all: https://127.0.0.1:1\ncrd_webhook_configurations = PATH",
    "ca": "crd_webhooks = all: https://127.0.0.1:1 ca=PATH/a.yaml",
    "crd_baseline": "crd_baseline = PATH",
    "addopts": "addopts = --crd-path=PATH/a.yaml",
}


@pytest.mark.parametrize("lines", OUTSIDE.values(), ids=OUTSIDE)
def test_an_ini_file_names_no_path_outside_of_the_project(
    empty: Project, lines: str, tmp_path_factory: pytest.TempPathFactory
) -> None:
    outside = tmp_path_factory.mktemp("outside")
    (outside / "a.yaml").write_text("secret", encoding="utf-8")
    (empty.path / "link").symlink_to(outside)
    empty.ini(lines.replace("PATH", "link"))

    result = empty.run()

    assert result.ret == pytest.ExitCode.USAGE_ERROR
    assert "leads out of the project" in result.stderr.str()
    assert "pytest.ini:" in result.stderr.str()
    assert "secret" not in result.stdout.str() + result.stderr.str()


def test_an_ini_file_in_a_folder_of_a_repository_names_paths_of_the_repository(empty: Project) -> None:
    empty.crd("crds/a.yaml")
    (empty.path / ".git").mkdir()
    empty.write("app/pytest.ini", "[pytest]\ncrd_paths = ../crds\n")
    empty.write("app/test_names.py", NAMES.format(kinds=["Garden"]))

    empty.run("-c", "app/pytest.ini", "app").assert_outcomes(passed=1)


@pytest.mark.parametrize("how", ["option", "separate", "environment", "file"])
def test_the_user_names_paths_anywhere(
    empty: Project, how: str, tmp_path_factory: pytest.TempPathFactory, monkeypatch: pytest.MonkeyPatch
) -> None:
    outside = tmp_path_factory.mktemp("outside")
    empty.crd("a.yaml").rename(outside / "a.yaml")
    empty.write("test_names.py", NAMES.format(kinds=["Garden"]))
    option = f"--crd-path={outside}/a.yaml"
    monkeypatch.setenv("PYTEST_ADDOPTS", option if how == "environment" else "")
    empty.write("options.txt", f"{option}\n")
    arguments = {"option": [option], "separate": ["--crd-path", f"{outside}/a.yaml"], "file": ["@options.txt"]}

    empty.run(*arguments.get(how, [])).assert_outcomes(passed=1)


@pytest.mark.parametrize(
    "text",
    [
        "crd: link/a.yaml\ncreate:\n- {name: a, input: {}, accepted: true}\n",
        "crd: gardens.stories.example.com\ncreate:\n- {name: a, inputFile: ../link/a.yaml, accepted: true}\n",
        "crd: gardens.stories.example.com\nupdate:\n- {name: a, old: {}, input: {}, oldCRD: {path: link/a.yaml}, accepted: true}\n",
    ],
    ids=["crd", "inputFile", "oldCRD"],
)
def test_a_case_file_names_no_path_outside_of_the_project(
    empty: Project, text: str, tmp_path_factory: pytest.TempPathFactory
) -> None:
    outside = tmp_path_factory.mktemp("outside")
    (outside / "a.yaml").write_text("secret: secret", encoding="utf-8")
    empty.crd("a.yaml")
    (empty.path / "link").symlink_to(outside)
    (empty.path / "tests").mkdir()
    empty.ini("crd_paths = a.yaml")
    empty.write("tests/test_a.crd.yaml", text.replace(" link/", " ../link/").replace("path: link", "path: ../link"))

    result = empty.run()

    result.assert_outcomes(errors=1)
    result.stdout.fnmatch_lines(["*test_a.crd.yaml:[0-9]: *leads out of the project; copy the file into the project*"])
    assert "secret" not in result.stdout.str()


def test_a_case_file_behind_a_link_counts_only_if_the_command_line_names_it(
    empty: Project, tmp_path_factory: pytest.TempPathFactory
) -> None:
    outside = tmp_path_factory.mktemp("outside")
    empty.crd("a.yaml")
    empty.cases(name="test_a.crd.yaml").rename(outside / "test_a.crd.yaml")
    (empty.path / "cases").symlink_to(outside)
    empty.ini(f"crd_paths = a.yaml\ntestpaths = {outside}")

    for arguments in ([], ["."]):
        result = empty.run(*arguments)
        result.assert_outcomes(errors=1)
        result.stdout.fnmatch_lines(["*test_a.crd.yaml: cannot be read: it leads out of the project; *"])
    empty.run("-c", "pytest.ini", outside).assert_outcomes(passed=3)
