"""Without settings, CRDs are found anywhere in a project; without any CRD, the message lists the searched places."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
from support import sessions
from support.git import initialize

from pytest_crd.discovery.crdsources import Sources
from pytest_crd.engine import profile

if TYPE_CHECKING:
    from pathlib import Path

    from support.sessions import Project

pytestmark = pytest.mark.session
TEST = "def test_kinds(crds):\n    assert sorted(crd.kind for crd in crds) == {kinds}\n"
CHOOSE = "(found by looking through the project; set crd_paths to choose)"


def _expect(project: Project, *kinds: str, name: str = "test_kinds.py") -> None:
    project.write(name, TEST.format(kinds=sorted(kinds)))


@pytest.mark.parametrize("place", ["operator/config/crd/bases", "pkg/apis/crds", "install", "."])
def test_crds_are_found_in_any_folder(tmp_path: Path, place: str) -> None:
    folder, sources = sessions.Folder(tmp_path), Sources(tmp_path)
    folder.crd(f"{place}/gardens.yaml")
    folder.write("deploy/pod.yaml", "kind: Pod\n")

    assert [crd.kind for crd in sources.crds(profile.DEFAULT)] == ["Garden"]
    assert sources.places == f"{place} {CHOOSE}"


def test_a_file_with_all_crds_is_found(empty: Project) -> None:
    garden = empty.crd("install/all.yaml").read_text(encoding="utf-8")
    second = garden.replace("gardens", "ponds").replace("Garden", "Pond")
    empty.write("install/all.yaml", f"kind: Pod\n---\n{garden}---\n{second}")
    _expect(empty, "Garden", "Pond")

    empty.run().assert_outcomes(passed=1)


def test_many_places_are_counted(empty: Project) -> None:
    for number in range(7):
        empty.crd(f"services/s{number}/crd.yaml", plural=f"things{number}", kind=f"Thing{number}")
    _expect(empty, *(f"Thing{number}" for number in range(7)))

    result = empty.run()

    result.stdout.fnmatch_lines(
        [f"crd: 7 CRDs, 7 versions from services/s0 * services/s4 and 2 more folders {CHOOSE}*"]
    )


def test_a_conventional_place_without_crds_does_not_hide_others(empty: Project) -> None:
    empty.write("crds/README.yaml", "kind: Pod\n")
    empty.write("config/crd/patches/a.yaml", "kind: CustomResourceDefinition\nspec: {{ .Values.a }}\n")
    empty.crd("api/gardens.yaml")
    _expect(empty, "Garden")

    result = empty.run()

    result.assert_outcomes(passed=1)
    result.stdout.fnmatch_lines(
        [f"crd: 1 CRD, 1 version from api {CHOOSE}*", "crd: config/crd/patches/a.yaml: passed over, a Helm template"]
    )


def test_a_broken_file_found_by_the_search_is_a_note(empty: Project) -> None:
    empty.crd("api/gardens.yaml")
    empty.write("docs/example.yaml", "kind: CustomResourceDefinition\nspec: {\n")
    _expect(empty, "Garden")

    result = empty.run()

    result.assert_outcomes(passed=1)
    result.stdout.fnmatch_lines(["crd: docs/example.yaml:3: passed over, *"])


@pytest.mark.parametrize(
    ("old", "new", "words"),
    [
        pytest.param("k8s.io/v1", "k8s.io/v2", "apiVersion 'apiextensions.k8s.io/v2' of *", id="its apiVersion"),
        pytest.param("Definition", "Defintion", "kind 'CustomResourceDefintion' of *", id="its kind"),
    ],
)
def test_a_misspelt_crd_found_by_the_search_is_an_error(empty: Project, old: str, new: str, words: str) -> None:
    path = empty.crd("api/gardens.yaml")
    path.write_text(path.read_text(encoding="utf-8").replace(old, new), encoding="utf-8")
    empty.crd("api/ponds.yaml", plural="ponds", kind="Pond")
    empty.write("api/role.yaml", "kind: Role\nrules: [{apiGroups: [apiextensions.k8s.io]}]\n")
    _expect(empty, "Pond")

    result = empty.run()

    result.assert_outcomes(errors=1)
    result.stdout.fnmatch_lines([f"api/gardens.yaml:1: no server knows {words}"])


@pytest.mark.parametrize("place", ["pkg/testdata", "test/e2e", "hack/crds"])
def test_test_data_counts_without_other_crds(tmp_path: Path, place: str) -> None:
    folder, sources = sessions.Folder(tmp_path), Sources(tmp_path)
    folder.crd(f"{place}/gardens.yaml")
    path = folder.crd(f"{place}/ponds.yaml", plural="ponds", kind="Pond")
    path.write_text(path.read_text(encoding="utf-8").replace("k8s.io/v1", "k8s.io/v2"), encoding="utf-8")

    crds = sources.crds(profile.DEFAULT)

    assert [crd.kind for crd in crds] == ["Garden"]
    assert sources.places.startswith(f"{place} ")
    (note,) = map(str, crds.notes)
    assert note.startswith(f"{place}/ponds.yaml:1: passed over, no server")
    folder.crd("api/trees.yaml", plural="trees", kind="Tree")
    crds = Sources(tmp_path).crds(profile.DEFAULT)
    assert [crd.kind for crd in crds] == ["Tree"]
    (note,) = map(str, crds.notes)
    assert note == f"{place}/gardens.yaml: passed over with 1 more: test data counts where there is nothing else"


def test_ignored_files_are_left_out_but_named_without_other_crds(empty: Project) -> None:
    initialize(empty.path)
    empty.write(".gitignore", "/build/\n")
    for number in range(6):
        empty.crd(f"build/{number}.yaml")
    _expect(empty, "Garden")

    result = empty.run()

    result.assert_outcomes(errors=1)
    result.stdout.fnmatch_lines(
        [
            f"{empty.path}: no CRD was found: set crd_paths in the ini file, or --crd-path, to the files or folders *",
            f"{empty.path}: looked in config/crd/bases, *; then through the 0 YAML and JSON files that git does not ignore*",
            "build/0.yaml: has CRDs, but git ignores it",
            f"{empty.path}: git ignores 1 more files that have CRDs",
        ]
    )
    empty.crd("api/a.yaml")
    empty.run().assert_outcomes(passed=1)


def test_the_repository_around_a_project_is_searched_too(empty: Project, monkeypatch: pytest.MonkeyPatch) -> None:
    initialize(empty.path)
    empty.crd("config/crd/bases/gardens.yaml")
    empty.write("tests/pytest.ini", "[pytest]\n")
    _expect(empty, "Garden", name="tests/test_kinds.py")
    monkeypatch.chdir(empty.path / "tests")

    result = empty.run()

    result.assert_outcomes(passed=1)
    result.stdout.fnmatch_lines(["crd: 1 CRD, 1 version from ../config/crd/bases; Kubernetes 1.37"])
    empty.crd("tests/data/ponds.yaml", plural="ponds", kind="Pond")
    _expect(empty, "Pond", name="tests/test_kinds.py")
    empty.run().assert_outcomes(passed=1)


def test_an_exclusion_without_a_match_is_an_error(empty: Project) -> None:
    empty.crd("api/gardens.yaml")
    empty.crd("api/old/gardens.yaml")
    empty.ini("crd_paths = !api/old")
    _expect(empty, "Garden")

    result = empty.run()

    result.assert_outcomes(passed=1)
    assert "copy" not in str(result.stdout)


def test_exclusions_may_leave_no_crd(empty: Project) -> None:
    empty.crd("api/gardens.yaml")
    empty.ini("crd_paths = !api")
    _expect(empty, "Garden")

    result = empty.run()

    result.assert_outcomes(errors=1)
    result.stdout.fnmatch_lines(["*: no CRD was found: *"])


@pytest.fixture
def rendered(empty: Project) -> Project:
    """A project with a script that prints a CRD other than the one in the conventional place."""
    crd = empty.crd("config/crd/bases/gardens.yaml").read_text(encoding="utf-8")
    empty.write("rendered.yaml.txt", crd.replace("default: 3", "default: 4"))
    script = empty.write("build.sh", '#!/bin/sh\necho run >> "$0.log"\ncat "$1"\n')
    script.chmod(0o755)
    return empty


def test_crds_are_read_from_a_command_that_runs_once(rendered: Project) -> None:
    rendered.ini("crd_commands = ./build.sh 'rendered.yaml.txt'")
    rendered.write(
        "sub/test_it.py",
        "def test_it(crd_version):\n    assert crd_version.default({'spec': {}}).value['spec']['size'] == 4\n"
        "def test_that(crds):\n    assert len(crds) == 1\n",
    )

    result = rendered.run("sub")

    result.assert_outcomes(passed=2)
    result.stdout.fnmatch_lines(["crd: 1 CRD, 1 version from `./build.sh 'rendered.yaml.txt'`; Kubernetes 1.37"])
    assert (rendered.path / "build.sh.log").read_text(encoding="utf-8") == "run\n"


def test_paths_and_commands_go_together_and_the_command_line_replaces_both(rendered: Project) -> None:
    rendered.ini("crd_paths = config/crd/bases", "crd_commands =", "  ./build.sh rendered.yaml.txt")
    rendered.write("test_it.py", "def test_it(crds):\n    assert len(crds) == 2\n")
    rendered.run().assert_outcomes(passed=1)
    rendered.write("test_it.py", "def test_it(crds):\n    assert len(crds) == 1\n")
    rendered.run("--crd-path", "config").assert_outcomes(passed=1)


def test_a_command_that_fails_is_an_error_with_its_last_lines(rendered: Project) -> None:
    rendered.ini("crd_commands =", "  ./build.sh nothing.yaml", "  no-such-command")
    rendered.write("test_it.py", "def test_it(crd): pass\n")
    rendered.write("test_that.py", "def test_that(crd): pass\n")

    result = rendered.run()

    result.assert_outcomes(errors=2)
    result.stdout.fnmatch_lines(
        [
            "crd_commands: `./build.sh nothing.yaml`: exited with 1:",
            "  *nothing.yaml*",
            f"crd_commands: `no-such-command`: cannot be run in {rendered.path}: No such file or directory",
        ]
    )
    assert (rendered.path / "build.sh.log").read_text(encoding="utf-8") == "run\n"
    result.stdout.no_fnmatch_line("*Traceback*")


def test_a_malformed_command_is_a_usage_error(rendered: Project) -> None:
    rendered.ini("crd_commands = ./build.sh a | cat")

    result = rendered.run()

    assert result.ret == pytest.ExitCode.USAGE_ERROR
    result.stderr.fnmatch_lines(["ERROR: crd_commands: './build.sh a | cat': no shell runs it*"])


def test_commands_are_named_and_not_run_without_a_test_of_crds(rendered: Project) -> None:
    rendered.ini("crd_commands = ./build.sh a")
    rendered.write("test_it.py", "def test_it(): pass\n")

    result = rendered.run()

    result.stdout.fnmatch_lines(["crd: no CRD was asked for yet, none is loaded (./build.sh a)"])
    assert not (rendered.path / "build.sh.log").exists()
