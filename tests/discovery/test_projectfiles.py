"""Files of a project with CRDs, with and without git."""

from __future__ import annotations

import os
from pathlib import Path

import pytest
from support.git import git, initialize

from pytest_crd.discovery import git as git_module
from pytest_crd.discovery import projectfiles

pytestmark = pytest.mark.session

FILES = (
    "operator/config/a.yaml",
    "deploy/all.yml",
    "deploy/list.json",
    "deploy/UP.YAML",
    "deploy/notes.txt",
    "deploy/pod.yaml",
    "vendor/x/b.yaml",
    "web/node_modules/x/c.yaml",
    ".hidden/d.yaml",
    "environment/lib/e.yaml",
    "build/f.yaml",
    "test/g.yaml",
)
FOUND = ["deploy/UP.YAML", "deploy/all.yml", "deploy/list.json", "operator/config/a.yaml", "test/g.yaml"]


@pytest.fixture
def root(tmp_path: Path) -> Path:
    for name in FILES:
        path = tmp_path / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text("kind: Pod" if "pod" in name else "kind: CustomResourceDefinition", encoding="utf-8")
    (tmp_path / "environment/pyvenv.cfg").touch()
    (tmp_path / ".gitignore").write_text("/build/\n", encoding="utf-8")
    return tmp_path


def _names(paths: tuple[Path, ...], root: Path) -> list[str]:
    return [str(path.relative_to(root)) for path in paths]


def test_without_git_hidden_and_third_party_files_are_left_out(root: Path) -> None:
    discovery = projectfiles.find_crd_files(root)

    assert (discovery.is_of_git, discovery.count, _names(discovery.files, root)) == (False, 7, ["build/f.yaml", *FOUND])
    assert projectfiles.ignored(root) == ()
    assert projectfiles.repository(root) is None


def test_git_excludes_ignored_files_and_includes_untracked_ones(root: Path) -> None:
    initialize(root)
    git(root, "add", "deploy", "vendor", ".hidden")
    (root / "deploy/gone.yaml").write_text("kind: CustomResourceDefinition", encoding="utf-8")
    git(root, "add", "deploy")
    (root / "deploy/gone.yaml").unlink()

    discovery = projectfiles.find_crd_files(root)

    assert (discovery.is_of_git, _names(discovery.files, root)) == (True, FOUND)
    assert _names(projectfiles.ignored(root), root) == ["build/f.yaml"]
    assert projectfiles.repository(root / "deploy") == root.resolve()
    assert _names(projectfiles.find_crd_files(root / "deploy").files, root) == FOUND[:3]


def test_git_that_does_not_trust_the_owner_is_not_run_again(root: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    initialize(root)
    monkeypatch.setenv("GIT_TEST_ASSUME_DIFFERENT_OWNER", "1")

    assert not projectfiles.find_crd_files(root).is_of_git


@pytest.mark.parametrize("script", [None, "#!/bin/sh\nexec sleep 9\n"], ids=["not there", "hangs"])
def test_files_are_walked_if_git_is_missing_or_hangs(
    root: Path, tmp_path_factory: pytest.TempPathFactory, monkeypatch: pytest.MonkeyPatch, script: str | None
) -> None:
    folder = tmp_path_factory.mktemp("bin")
    if script:
        (folder / "git").write_text(script, encoding="utf-8")
        (folder / "git").chmod(0o755)
    path = os.environ["PATH"] if script else ""
    monkeypatch.setenv("PATH", f"{folder}{os.pathsep}{path}")
    monkeypatch.setattr(git_module, "_SECONDS", 0.2)

    assert not projectfiles.find_crd_files(root).is_of_git


def test_in_a_git_hook_the_repository_of_the_folder_is_used(
    root: Path, tmp_path_factory: pytest.TempPathFactory, monkeypatch: pytest.MonkeyPatch
) -> None:
    second = tmp_path_factory.mktemp("other")
    initialize(second)
    initialize(root)
    monkeypatch.setenv("GIT_DIR", str(second / ".git"))
    monkeypatch.setenv("GIT_INDEX_FILE", str(second / ".git/index"))

    assert _names(projectfiles.find_crd_files(root).files, root) == FOUND


@pytest.mark.parametrize(
    ("name", "answer"),
    [
        ("testdata/a.yaml", True),
        ("pkg/testdata/a.yaml", True),
        ("tests/a.yaml", True),
        ("test-infra/crds/a.yaml", True),
        ("e2e/a.yaml", True),
        ("e2e-tests/backup/conf/a.yaml", True),
        ("integration_test/a.yaml", True),
        ("e2ee/a.yaml", False),
        ("hack/a.yaml", True),
        ("hacking/a.yaml", False),
        ("latest/a.yaml", False),
        ("config/test.yaml", False),
    ],
)
def test_test_data_is_recognized_by_its_folders(tmp_path: Path, name: str, *, answer: bool) -> None:
    assert projectfiles.is_for_tests(tmp_path / name, tmp_path) is answer
