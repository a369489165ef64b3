"""The baseline, read from a folder, a file or a commit."""

from __future__ import annotations

import re
import subprocess
from collections.abc import Sequence
from pathlib import Path

import pytest
from hypothesis import example, given
from hypothesis import strategies as st
from support.git import git

from pytest_crd.discovery import baseline, filetrees, releases
from pytest_crd.discovery import git as asked
from pytest_crd.discovery.baseline import Baseline
from pytest_crd.discovery.commitcrds import Project
from pytest_crd.discovery.filetrees import FolderTree, GitTree
from pytest_crd.engine.inputerror import InputError
from pytest_crd.engine.profile import DEFAULT

pytestmark = pytest.mark.session

CRD = """\
apiVersion: apiextensions.k8s.io/v1
kind: CustomResourceDefinition
metadata: {{name: {plural}.example.com}}
spec:
  group: example.com
  scope: Namespaced
  names: {{plural: {plural}, kind: {kind}}}
  versions: [{{name: v1, served: true, storage: true, schema: {{openAPIV3Schema: {{type: object}}}}}}]
"""
SPEEDS = CRD.format(plural="speeds", kind="Speed")


class Repository:
    """A git repository in a folder."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self.git("init", "-q", "--template=", "-b", "main")

    def git(self, *arguments: str) -> None:
        git(self.path, *arguments)

    def write(self, name: str, text: str = SPEEDS) -> Path:
        path = self.path / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")
        return path

    def commit(self, tag: str = "") -> None:
        self.git("add", "-A", "-f")
        self.git("commit", "-q", "--allow-empty", "-m", tag or "x")
        if tag:
            self.git("tag", tag)

    def read(self, wanted: str, *paths: str, folder: str = ".") -> Baseline:
        home = self.path / folder
        return baseline.read(wanted, base=self.path, project=Project(home, paths, home), kubernetes_version=DEFAULT)


@pytest.fixture
def repository(tmp_path: Path) -> Repository:
    return Repository(tmp_path)


def sources(found: Baseline) -> list[str]:
    return [crd.source for crd in found.crds(DEFAULT)]


def test_a_folder_is_read_as_it_is(tmp_path: Path) -> None:
    (tmp_path / "old").mkdir()
    (tmp_path / "old/a.yaml").write_text(SPEEDS, encoding="utf-8")
    project = Project(tmp_path, (), tmp_path)

    actual = baseline.read("old", base=tmp_path, project=project, kubernetes_version="1.36")

    assert (actual.words, sources(actual)) == ("old", ["old/a.yaml:1"])
    assert actual.tree == FolderTree(tmp_path / "old")
    assert actual.crds("1.32")[0].kubernetes_version == "1.32"


def test_a_file_as_baseline_has_no_tree(tmp_path: Path) -> None:
    (tmp_path / "a.yaml").write_text(SPEEDS, encoding="utf-8")

    actual = baseline.read("a.yaml", base=tmp_path, project=Project(tmp_path, (), tmp_path), kubernetes_version=DEFAULT)

    assert (sources(actual), actual.tree) == (["a.yaml:1"], None)


def test_a_folder_without_crds_is_a_mistake(tmp_path: Path) -> None:
    (tmp_path / "a.yaml").write_text("kind: Pod\n", encoding="utf-8")

    with pytest.raises(InputError, match="no CustomResourceDefinition in the file"):
        baseline.read("a.yaml", base=tmp_path, project=Project(tmp_path, (), tmp_path), kubernetes_version=DEFAULT)


def test_a_commit_is_read_and_nothing_is_checked_out(repository: Repository) -> None:
    path = repository.write("config/crd/bases/a.yaml")
    repository.commit("v1")
    path.write_text("changed", encoding="utf-8")

    actual = repository.read("git:v1")

    assert sources(actual) == ["v1:config/crd/bases/a.yaml:1"]
    assert re.fullmatch(r"git:v1 \([0-9a-f]{9}\) of 2\d{3}-\d\d-\d\d", actual.words)
    assert path.read_text(encoding="utf-8") == "changed"
    assert (
        subprocess.run(["git", "worktree", "list"], cwd=repository.path, check=True, capture_output=True).stdout.count(
            b"\n"
        )
        == 1
    )


@pytest.mark.parametrize(
    ("names", "expected"),
    [
        (["config/crd/bases/a.yaml", "config/crd/patches/a.yaml"], ["config/crd/bases/a.yaml"]),
        (["pkg/deep/a.yaml", "vendor/a.yaml", ".hidden/a.yaml", "test/a.yaml"], ["pkg/deep/a.yaml"]),
        (["testdata/a.yaml"], ["testdata/a.yaml"]),
    ],
)
def test_without_paths_a_commit_is_searched_like_the_project(
    repository: Repository, names: list[str], expected: list[str]
) -> None:
    for name in names:
        repository.write(name)
    repository.commit("v1")

    assert sources(repository.read("git:v1")) == [f"v1:{name}:1" for name in expected]


def test_virtual_environments_are_left_out_of_a_commit(repository: Repository) -> None:
    repository.write("env/lib/a.yaml")
    repository.write("env/pyvenv.cfg", "")
    repository.write("b.yaml")
    repository.commit("v1")

    assert sources(repository.read("git:v1")) == ["v1:b.yaml:1"]


def test_the_project_may_be_a_folder_of_the_repository(repository: Repository) -> None:
    repository.write("operator/tests/conftest.py", "")
    repository.write("operator/config/crd/a.yaml")
    repository.commit("v1")

    assert sources(repository.read("git:v1", folder="operator")) == ["v1:operator/config/crd/a.yaml:1"]
    assert sources(repository.read("git:v1", folder="operator/tests")) == ["v1:operator/config/crd/a.yaml:1"]


def test_crd_paths_apply_to_a_commit(repository: Repository) -> None:
    repository.write("api/a/a.yaml")
    repository.write("api/b/b.yaml", CRD.format(plural="others", kind="Other"))
    repository.write("api/b/left.yaml")
    repository.commit("v1")
    (repository.path / "api/b/b.yaml").unlink()

    assert sources(repository.read("git:v1", "api/*", "!api/b/left.yaml")) == ["v1:api/a/a.yaml:1", "v1:api/b/b.yaml:1"]
    assert sources(repository.read("git:v1", str(repository.path / "api/a"))) == ["v1:api/a/a.yaml:1"]
    assert sources(repository.read("git:v1", "!api/a")) == ["v1:api/b/b.yaml:1", "v1:api/b/left.yaml:1"]
    assert sources(repository.read("git:v1", "../api/a", folder="api")) == ["v1:api/a/a.yaml:1"]


def test_links_in_a_commit_are_followed(repository: Repository) -> None:
    repository.write("real/a.yaml")
    (repository.path / "crds").mkdir()
    (repository.path / "crds/a.yaml").symlink_to("../real/a.yaml")
    (repository.path / "crds/nowhere.yaml").symlink_to("gone.yaml")
    repository.commit("v1")

    assert sources(repository.read("git:v1", "crds")) == ["v1:crds/a.yaml:1"]


def test_a_commit_without_crds_is_an_error_with_the_searched_places(repository: Repository) -> None:
    repository.write("a.yaml", "kind: Pod\n")
    repository.commit("v1")

    with pytest.raises(InputError, match=r"git:v1: no CRD in any of its files at git:v1 \("):
        repository.read("git:v1")
    with pytest.raises(InputError, match=r"no CRD in crds \.\./out at git:v1"):
        repository.read("git:v1", "crds", "../out")


def test_a_broken_crd_at_the_commit_is_a_mistake(repository: Repository) -> None:
    repository.write("crds/a.yaml", "kind: CustomResourceDefinition\na: [\n")
    repository.commit("v1")

    with pytest.raises(InputError, match=r"v1:crds/a\.yaml:3"):
        repository.read("git:v1")


def test_a_commit_is_named_without_a_path(repository: Repository) -> None:
    repository.commit("v1")

    with pytest.raises(InputError, match=r"git:v1:crds: a commit is named without a path: git:v1$"):
        repository.read("git:v1:crds")


def test_a_missing_commit_says_how_to_fetch_it(repository: Repository) -> None:
    repository.commit()

    with pytest.raises(InputError, match=r"git:v9: there is no such commit in .*`fetch-depth: 0`"):
        repository.read("git:v9")
    with pytest.raises(InputError, match="there is no such commit"):
        repository.read("git:--all")


def test_a_folder_outside_of_git_is_an_error(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="is in no git repository: fatal: not a git repository"):
        releases.find_commit(tmp_path, "v1")


def test_git_that_cannot_be_run_is_an_error(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PATH", "")

    with pytest.raises(InputError, match="git cannot be run"):
        releases.find_commit(tmp_path, "v1")


def latest(repository: Repository, ref: str = "latest-tag") -> str:
    return releases.find_commit(repository.path, ref).ref


def test_the_last_release_is_the_nearest_tag(repository: Repository) -> None:
    repository.write("a.yaml")
    repository.commit("v1.9.0")
    repository.commit("1.10.0")
    repository.commit()

    assert latest(repository) == "1.10.0"


def test_a_release_is_judged_against_the_one_before_it(repository: Repository) -> None:
    path = repository.write("a.yaml")
    repository.commit("v1.0.0")
    repository.commit("v2.0.0")

    assert latest(repository) == "v1.0.0"
    path.write_text("changed since", encoding="utf-8")
    assert latest(repository) == "v2.0.0"


def test_before_the_first_commit_of_a_branch_nothing_was_released(repository: Repository) -> None:
    repository.commit("v1.0.0")
    repository.git("checkout", "-q", "--orphan", "anew")

    with pytest.raises(InputError, match="has no release tag that shares history with the current commit"):
        latest(repository)


def test_a_release_on_a_branch_of_its_own_counts_for_what_comes_after_it(repository: Repository) -> None:
    repository.commit("v1.13.0-rc.0")
    repository.git("checkout", "-q", "-b", "release-1.13")
    repository.commit("v1.13.0")
    repository.commit("v1.13.1")
    repository.git("checkout", "-q", "main")
    repository.commit("v1.14.0-rc.0")
    repository.git("checkout", "-q", "-b", "release-1.14")
    repository.commit("v1.14.0")
    repository.git("checkout", "-q", "main")
    repository.commit("sometime")

    assert latest(repository) == "v1.14.0"
    repository.git("checkout", "-q", "release-1.13")
    assert latest(repository) == "v1.13.0"
    repository.commit()
    assert latest(repository) == "v1.13.1"
    repository.git("checkout", "-q", "release-1.14")
    assert latest(repository) == "v1.13.1"


def test_a_commit_without_a_tag_has_its_own_day(repository: Repository) -> None:
    repository.write("a.yaml")
    repository.commit("v1.0.0")

    assert (
        repository.read("git:HEAD").words.partition(" of ")[2]
        == repository.read("git:v1.0.0").words.partition(" of ")[2]
    )


def test_passed_over_tags_are_listed_with_the_date(repository: Repository) -> None:
    repository.write("a.yaml")
    repository.commit("v1.0.0")
    repository.commit("v1.1.0-rc.1")
    repository.commit("nightly")
    repository.git("checkout", "-q", "--orphan", "elsewhere")
    repository.commit("v9.0.0")
    repository.git("checkout", "-q", "main")

    words = repository.read("git:latest-tag").words

    day = subprocess.run(
        ["git", "log", "-1", "--format=%cs", "v1.0.0"], cwd=repository.path, check=True, capture_output=True, text=True
    ).stdout.strip()
    assert words.endswith(
        f" of {day}; passed over: v9.0.0 (shares no commit), v1.1.0-rc.1 (a pre-release), nightly (no version)"
    )
    for name in ("a", "b"):
        repository.commit(name)
    assert "v9.0.0 (shares no commit), v1.1.0-rc.1 (a pre-release), nightly (no version), 2 more" in (
        repository.read("git:latest-tag").words
    )


def test_pre_releases_count_without_releases(repository: Repository) -> None:
    for tag in ("v1.0.0-rc.2", "v1.0.0-rc.10", "v1.0.0-alpha", "v1.0.0-rc.x+build"):
        repository.git("commit", "-q", "--allow-empty", "-m", "x") if tag == "v1.0.0-rc.2" else None
        repository.git("tag", tag)
    repository.commit()

    assert latest(repository) == "v1.0.0-rc.x+build"


def test_a_pattern_selects_the_tags_of_releases(repository: Repository) -> None:
    repository.commit("operator-v2")
    repository.commit("operator-v3-beta")
    repository.commit("chart-9.0.0")
    repository.commit("operator-next")
    repository.commit()

    assert latest(repository, "latest-tag(operator-v*)") == "operator-v2"
    assert latest(repository, "latest-tag(chart-*)") == "chart-9.0.0"
    with pytest.raises(InputError, match=r"has no tag that matches 'x\*' and has a version \(the newest: "):
        latest(repository, "latest-tag(x*)")
    with pytest.raises(InputError, match=r"has no tag that is a version as v1\.2\.3 .*git:latest-tag\(PATTERN\) says"):
        latest(repository)


def test_without_a_release_the_message_says_how_to_fetch_tags(repository: Repository) -> None:
    repository.commit()
    with pytest.raises(InputError, match=r"has no tag; if its tags are not.*fetch --tags"):
        latest(repository)
    repository.git("tag", "v1.0.0")
    with pytest.raises(InputError, match=r"has no release tag before v1\.0\.0 that shares"):
        latest(repository)


def test_a_shallow_clone_has_no_last_release(repository: Repository, tmp_path: Path) -> None:
    repository.commit("v1.0.0")
    repository.commit("v1.1.0")
    shallow = tmp_path / "shallow"
    repository.git("clone", "-q", "--depth", "1", repository.path.as_uri(), str(shallow))

    with pytest.raises(InputError, match="is a shallow clone, so no release can be found: git fetch"):
        releases.find_commit(shallow, "latest-tag")


def test_a_commit_that_git_cannot_list_is_a_mistake(repository: Repository) -> None:
    repository.write("a.yaml")
    repository.commit("v1")
    with pytest.raises(InputError, match="git lists no files: fatal"):
        filetrees.of_commit(repository.path, "0" * 40, ref="v1", folder="")
    missing = GitTree(repository.path, "v1", "", {"a.yaml": "0" * 40})
    with pytest.raises(InputError, match="fetch it whole, without a filter"):
        missing.read(["a.yaml"])


def test_contents_that_git_cannot_read_are_a_mistake(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="git gives no files: fatal"):
        GitTree(tmp_path, "v1", "", {"a.yaml": "0" * 40}).read(["a.yaml"])


def test_submodules_have_no_files(repository: Repository, tmp_path_factory: pytest.TempPathFactory) -> None:
    second = Repository(tmp_path_factory.mktemp("other"))
    second.write("crds/a.yaml")
    second.commit()
    repository.git("-c", "protocol.file.allow=always", "submodule", "add", "-q", str(second.path), "crds")
    repository.write("b.yaml")
    repository.commit("v1")

    assert sources(repository.read("git:v1")) == ["v1:b.yaml:1"]


NAMES = (
    "a.yaml",
    "b.json",
    "c.txt",
    ".h/a.yaml",
    "x/a.yaml",
    "x/UP.YAML",
    "x/y/UP.YML",
    "x/.h/a.yaml",
    "x/y/b.yml",
    "x/y/z/.a.yaml",
    "crds/x1/a.yaml",
    "crds/x2/b.yaml",
)
PARTS = st.sampled_from(["*", "**", "x", "y", "?", "x?", "[xy]", "crds", "a.yaml", "*.yaml", "b.*", ".h", "z", "c.txt"])


@pytest.fixture(scope="module")
def both(tmp_path_factory: pytest.TempPathFactory) -> tuple[FolderTree, GitTree]:
    repository = Repository(tmp_path_factory.mktemp("both"))
    for name in NAMES:
        repository.write(name, "")
    repository.commit("v1")
    commit = releases.find_commit(repository.path, "v1")
    return FolderTree(repository.path), filetrees.of_commit(repository.path, commit.id, ref="v1", folder="")


@example("x/**/?")
@example("**/a.yaml")
@example("x/**/z/*.yaml")
@example("a.yaml/**")
@given(st.lists(PARTS, min_size=1, max_size=4).map("/".join))
def test_a_pattern_matches_the_same_files_in_a_folder_and_a_commit(
    both: tuple[FolderTree, GitTree], pattern: str
) -> None:
    of_folder, of_commit = both

    assert sorted(of_folder.names([pattern])) == sorted(of_commit.names([pattern]))


@pytest.mark.parametrize("pattern", ["x/y", "x/*", "x/**/*.yaml"])
def test_files_outside_of_the_fixed_part_of_a_pattern_are_not_matched(
    both: tuple[FolderTree, GitTree], monkeypatch: pytest.MonkeyPatch, pattern: str
) -> None:
    matches, tried = filetrees._matches, set[str]()

    def record(pattern: Sequence[str], steps: Sequence[str], *, is_file: bool) -> bool:
        tried.update(steps[:1] if is_file else ())
        return matches(pattern, steps, is_file=is_file)

    of_commit = both[1]
    expected = of_commit.names([pattern])
    monkeypatch.setattr(filetrees, "_matches", record)

    assert of_commit.names([pattern]) == expected
    assert "crds" not in tried


def test_a_tree_reads_existing_files_only(both: tuple[FolderTree, GitTree], monkeypatch: pytest.MonkeyPatch) -> None:
    of_folder, of_commit = both
    assert of_folder.read(["a.yaml", "none.yaml"]) == of_commit.read(["a.yaml", "none.yaml"]) == {"a.yaml": b""}
    assert of_commit.display_name("a.yaml") == "v1:a.yaml"
    assert of_folder.display_name("a.yaml") == str(of_folder.folder / "a.yaml")
    monkeypatch.chdir(of_folder.folder)
    assert of_folder.display_name("a.yaml") == "a.yaml"
    assert sorted(of_folder.every()) == sorted(of_commit.every())
    assert asked.run(of_folder.folder, "status", "--porcelain").output == b""
