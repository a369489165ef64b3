"""The boundary of a project: its repository or folder, with links resolved."""

from __future__ import annotations

from pathlib import Path

import pytest

from pytest_crd import boundary
from pytest_crd.boundary import ProjectBoundary
from pytest_crd.engine.inputerror import ManifestError
from pytest_crd.engine.yaml import manifest


@pytest.fixture
def project(tmp_path: Path) -> Path:
    """A folder of a repository, beside files of others."""
    for name in ("repository/app/own.yaml", "repository/shared/a.yaml", "elsewhere/deep/private.yaml"):
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).write_text("kind: ConfigMap\n", encoding="utf-8")
    return tmp_path / "repository/app"


@pytest.mark.parametrize("kind", ["folder", "file"])
def test_the_project_is_the_repository_around_a_folder(project: Path, kind: str) -> None:
    assert boundary.find_project(project) == str(project)
    git = project.parent / ".git"
    git.mkdir() if kind == "folder" else git.write_text("gitdir: elsewhere\n", encoding="utf-8")

    assert boundary.find_project(project) == str(project.parent)


@pytest.mark.parametrize(
    ("path", "is_inside"),
    [
        (".", True),
        ("own.yaml", True),
        ("../shared/a.yaml", True),
        ("../../repository/app", True),
        ("missing", True),
        ("link", False),
        ("link/missing", False),
        ("../../elsewhere", False),
        ("../../repository-of-another", False),
        ("/etc/passwd", False),
    ],
)
def test_a_path_is_inside_with_its_links_resolved(project: Path, path: str, *, is_inside: bool) -> None:
    (project.parent / ".git").mkdir()
    (project / "link").symlink_to("../../elsewhere")

    assert boundary.is_inside(project / path, boundary.find_project(project)) == is_inside


def test_only_a_named_folder_outside_is_read(project: Path) -> None:
    private = project / "../../elsewhere/deep/private.yaml"
    with pytest.raises(OSError, match="leads out of the project; copy the file into the project"):
        ProjectBoundary(project).read(private)

    assert ProjectBoundary(project, ["../../elsewhere/*/p*.yaml"]).read(private) == b"kind: ConfigMap\n"
    assert ProjectBoundary(project).read(project / "own.yaml") == b"kind: ConfigMap\n"


@pytest.mark.parametrize(
    ("pattern", "start"), [("a/b.yaml", "a/b.yaml"), ("a/*/b", "a/"), ("*", ""), ("/x/y/[a]/z", "/x/y/")]
)
def test_the_start_of_a_glob_has_no_wildcards(pattern: str, start: str) -> None:
    assert boundary.start_of(pattern) == start


@pytest.mark.parametrize("pattern", ["inner", "inner/**", "inner/*/*.yaml", "inner/link.yaml"])
def test_files_behind_links_are_refused_by_the_name_of_the_link_alone(project: Path, pattern: str) -> None:
    (project / "inner").mkdir()
    (project / "inner/link.yaml").symlink_to("../../../elsewhere/deep/private.yaml")
    (project / "inner/folder").symlink_to("../../../elsewhere/deep")
    files = manifest.files([pattern], base=project, named=())

    assert {file.name for file in files} <= {"inner/link.yaml", "inner/folder"}
    for file in files:
        with pytest.raises(ManifestError, match=r"^inner/\w+(\.yaml)?: it leads out of the project; "):
            file.read()


def test_patterns_of_the_user_may_lead_anywhere(project: Path) -> None:
    (project / "link").symlink_to("../../elsewhere")

    for pattern in ("link", "../../elsewhere/deep/*.yaml", "link/deep/private.yaml"):
        (file,) = manifest.files([pattern], base=project)
        assert file.read() == b"kind: ConfigMap\n"


@pytest.mark.parametrize("path", ["link/out.json", "../../elsewhere/out.json", "link/missing/out.json"])
def test_a_relative_path_of_an_output_stays_in_the_project(
    project: Path, path: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(project)
    (project / "link").symlink_to("../../elsewhere")

    with pytest.raises(OSError, match="its folder leads out of the project; write the absolute path"):
        boundary.require_output(Path(path))
    boundary.require_output(project / path)
    boundary.require_output(Path("new/out.json"))
