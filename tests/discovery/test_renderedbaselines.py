"""CRDs that commands print in a checkout of a commit."""

from __future__ import annotations

import subprocess
from collections.abc import Callable, Sequence
from pathlib import Path

import pytest
from support.releases import FILE, crd, release, release_all, write

from pytest_crd.discovery import baseline
from pytest_crd.discovery.baseline import Baseline, NoCrdsError
from pytest_crd.discovery.checkouts import Checkout
from pytest_crd.discovery.commitcrds import CommitReader, Project
from pytest_crd.discovery.madecrds import MadeManifests
from pytest_crd.discovery.releases import AbsentError
from pytest_crd.engine.inputerror import CrdError, Mistake
from pytest_crd.engine.profile import DEFAULT

pytestmark = pytest.mark.session
CAT = f"cat {FILE}"


def read(path: Path, location: str, *commands: str, paths: Sequence[str] = (), folder: str = ".") -> Baseline:
    project = Project(path / folder, tuple(paths), path, commands)
    return baseline.read(location, base=path, project=project, kubernetes_version=DEFAULT)


def list_crds(actual: Baseline) -> list[tuple[str, list[str]]]:
    return [(crd.source, [version.name for version in crd.versions]) for crd in actual.crds(DEFAULT)]


@pytest.fixture
def repository(tmp_path: Path) -> Path:
    release_all(tmp_path, [("v1.0.0", crd("v1alpha1")), ("v1.1.0", crd("v1", "v1alpha1"))])
    write(tmp_path, crd("v1"))
    return tmp_path


def test_a_command_runs_in_a_checkout_of_the_commit(repository: Path) -> None:
    actual = read(repository, "git:v1.0.0", CAT)

    assert list_crds(actual) == [(f"v1.0.0:{CAT}:1", ["v1alpha1"])]
    worktrees = subprocess.run(["git", "worktree", "list"], cwd=repository, check=True, capture_output=True).stdout
    assert worktrees.count(b"\n") == 1


def test_a_command_runs_in_the_folder_of_the_project(repository: Path) -> None:
    actual = read(repository, "git:v1.0.0", "cat crd/bases/things.yaml", folder="config")

    assert list_crds(actual) == [("v1.0.0:cat crd/bases/things.yaml:1", ["v1alpha1"])]


def test_a_command_gets_no_variables_of_a_git_hook(repository: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("GIT_DIR", "nowhere")

    actual = read(repository, "git:v1.0.0", f"git show HEAD:{FILE}")

    assert [versions for _, versions in list_crds(actual)] == [["v1alpha1"]]


def test_paths_and_commands_are_read(repository: Path) -> None:
    write(repository, crd("v1", name="others.example.com"), "api/others.yaml")
    release(repository, "v1.2.0", crd("v1"))

    actual = read(repository, "git:v1.2.0", CAT, paths=["api"])

    assert [source for source, _ in list_crds(actual)] == ["v1.2.0:api/others.yaml:1", f"v1.2.0:{CAT}:1"]


def test_files_are_not_searched_beside_commands(repository: Path) -> None:
    write(repository, crd("v1", name="others.example.com"), "api/others.yaml")
    release(repository, "v1.2.0", crd("v1"))

    actual = read(repository, "git:v1.2.0", "cat api/others.yaml", paths=["!README.md"])

    assert [source for source, _ in list_crds(actual)] == ["v1.2.0:cat api/others.yaml:1"]


@pytest.mark.parametrize(
    ("command", "message"),
    [
        ("ls nowhere", r"v1\.0\.0: crd_commands: `ls nowhere`: exited with \d:\n  ls: .*nowhere"),
        ("cat README.md", r"v1\.0\.0:cat README.md: no CustomResourceDefinition in what it prints"),
    ],
)
def test_a_command_that_fails_is_an_error_and_no_missing_baseline(repository: Path, command: str, message: str) -> None:
    with pytest.raises(CrdError, match=message) as caught:
        read(repository, "git:v1.0.0", command, CAT)

    assert not isinstance(caught.value, AbsentError)


def test_versions_that_commands_printed_at_earlier_releases_were_stored(repository: Path) -> None:
    release(repository, "v1.2.0", crd("v1", "v1alpha1"))
    write(repository, crd("v1"))

    ((old,),) = read(repository, "git:latest-tag", CAT).old_crds(DEFAULT).values()

    stored = old.find_history().stored
    assert [(version.name, version.crd.source) for version in stored] == [
        ("v1alpha1", f"v1.0.0:{CAT}:1"),
        ("v1", f"v1.1.0:{CAT}:1"),
    ]


def test_commands_run_at_each_release_and_equal_output_is_read_once(tmp_path: Path) -> None:
    release_all(
        tmp_path, [("v0.9.0", None), ("v1.0.0", crd("v1")), ("v1.0.1", crd("v1")), ("v1.1.0", crd("v1", field="b"))]
    )
    write(tmp_path, crd("v1"))

    actual = read(tmp_path, "git:all-tags", CAT)

    (olds,) = actual.old_crds(DEFAULT).values()
    assert [old.releases for old in olds] == [("v1.0.0", "v1.0.1"), ("v1.1.0",)]
    assert actual.releases[0].crds == actual.releases[1].crds
    (note,) = actual.notes
    assert note.startswith(f"the CRDs of v0.9.0 are not known: v0.9.0: crd_commands: `{CAT}`: exited with 1:")


def test_the_hooks_of_a_checkout_make_crds_if_a_python_file_names_them(repository: Path) -> None:
    write(repository, "def pytest_crd_manifests(): ...", "conftest.py")
    release(repository, "v1.2.0", None)
    calls: list[tuple[bool, str]] = []

    def make(checkout: Checkout, folder: Path, waiting: Callable[[], None]) -> list[MadeManifests]:
        waiting()
        calls.append((checkout.root == folder, (folder / "conftest.py").read_text(encoding="utf-8")))
        return [MadeManifests("conftest.py[a]", {"conftest.py[a]": crd("v9").encode()})]

    project = Project(repository, ("none",), repository, make=make)
    actual = baseline.read("git:v1.2.0", base=repository, project=project, kubernetes_version=DEFAULT)

    assert calls == [(True, "def pytest_crd_manifests(): ...")]
    assert list_crds(actual) == [("v1.2.0:conftest.py[a]:1", ["v9"])]
    assert actual.makers == ("conftest.py",)
    with pytest.raises(NoCrdsError, match="and no pytest_crd_manifests makes one there"):
        baseline.read("git:v1.1.0", base=repository, project=project, kubernetes_version=DEFAULT)
    assert len(calls) == 1


@pytest.mark.parametrize("message", ["fails", ""])
def test_a_hook_that_fails_in_a_checkout_is_a_mistake(repository: Path, message: str) -> None:
    write(repository, "def pytest_crd_manifests(): ...", "conftest.py")
    release(repository, "v1.2.0", None)

    def make(*_: object) -> list[MadeManifests]:
        if message:
            raise CrdError([Mistake("conftest.py", 0, message)])
        return [MadeManifests("conftest.py[a]", {"conftest.py[a]": b"kind: Role"})]

    project = Project(repository, (), repository, make=make)
    with pytest.raises(CrdError) as error:
        baseline.read("git:v1.2.0", base=repository, project=project, kubernetes_version=DEFAULT)

    assert str(error.value) in {
        "v1.2.0: conftest.py: fails",
        "v1.2.0:conftest.py[a]: no CustomResourceDefinition in what it returns",
    }


def test_a_commit_that_git_cannot_search_is_a_mistake(repository: Path) -> None:
    project = Project(repository, (), repository, make=lambda *_: [])

    assert CommitReader(repository, project, DEFAULT)._has_hook("nowhere")
