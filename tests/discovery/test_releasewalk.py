"""Walks over the releases of a repository."""

from __future__ import annotations

import contextlib
from collections.abc import Iterator
from pathlib import Path

import pytest
from support.git import git
from support.releases import FILE, NAME, crd, release, release_all, write

from pytest_crd.discovery import baseline
from pytest_crd.discovery import git as git_commands
from pytest_crd.discovery.baseline import Baseline
from pytest_crd.discovery.commitcrds import CommitReader, Project
from pytest_crd.discovery.git import GitAnswer
from pytest_crd.discovery.releasewalk import OldCrd
from pytest_crd.engine.inputerror import InputError
from pytest_crd.engine.profile import DEFAULT
from pytest_crd.progress import Progress, Tell

pytestmark = pytest.mark.session


def read(path: Path, location: str = "git:latest-tag") -> Baseline:
    return baseline.read(location, base=path, project=Project(path, (), path), kubernetes_version=DEFAULT)


def only(actual: Baseline) -> OldCrd:
    ((old,),) = actual.old_crds(DEFAULT).values()
    return old


def stored(old: OldCrd) -> list[tuple[str, str]]:
    return [(version.name, version.release) for version in old.find_history().stored]


def test_versions_stored_by_earlier_releases_are_added_up(tmp_path: Path) -> None:
    release_all(
        tmp_path,
        [
            ("v0.9.0", None),
            ("v1.0.0", crd("v1alpha1")),
            ("v1.0.1", crd("v1alpha1", field="other")),
            ("v1.1.0", crd("v1beta1", "v1alpha1")),
            ("v1.2.0", crd("v1", "v1beta1", "v1alpha1")),
        ],
    )
    write(tmp_path, crd("v1"))

    old = only(read(tmp_path))

    assert old.releases == ()
    assert stored(old) == [("v1alpha1", "v1.0.1"), ("v1beta1", "v1.1.0")]
    assert old.find_history().stored[0].crd.source == f"v1.0.1:{FILE}:1"


def test_a_version_that_a_release_drops_is_stored_no_longer(tmp_path: Path) -> None:
    release_all(
        tmp_path,
        [
            ("v1.0.0", crd("v1alpha1")),
            ("v1.1.0", crd("v1", "v1alpha1")),
            ("v1.2.0", crd("v1")),
            ("v1.3.0", crd("v1", "v1alpha1")),
        ],
    )
    write(tmp_path, crd("v1"))

    assert stored(only(read(tmp_path))) == [("v1", "v1.2.0")]


@pytest.mark.parametrize(
    ("location", "expected"),
    [
        ("git:latest-tag", ["v1alpha1", "v1beta1"]),
        ("git:v1.2.0", ["v1alpha1", "v1beta1"]),
        ("git:v1.1.0", ["v1alpha1"]),
        ("git:v1.1.0-rc.1", ["v1alpha1"]),
        ("git:v1.0.0", []),
        ("git:HEAD", ["v1alpha1", "v1beta1", "v1"]),
    ],
)
def test_the_releases_before_the_baseline_count(tmp_path: Path, location: str, expected: list[str]) -> None:
    release_all(
        tmp_path,
        [
            ("v1.0.0", crd("v1alpha1")),
            ("v1.1.0-rc.1", crd("v1gamma1", "v1alpha1")),
            ("v1.1.0", crd("v1beta1", "v1alpha1")),
            ("v1.2.0", crd("v1", "v1beta1", "v1alpha1")),
            ("nightly", crd("v1", "v1beta1", "v1alpha1")),
        ],
    )
    git(tmp_path, "tag", "other-1.0.0", "v1.0.0")

    assert [name for name, _ in stored(only(read(tmp_path, location)))] == expected


def test_tags_with_the_prefix_of_the_baseline_count(tmp_path: Path) -> None:
    release_all(
        tmp_path,
        [
            ("op-v1", crd("v1alpha1")),
            ("v2.0.0", crd("v1gamma1", "v1alpha1")),
            ("op-v2", crd("v1beta1", "v1alpha1")),
            ("op-v3", crd("v1", "v1beta1", "v1alpha1")),
        ],
    )

    assert stored(only(read(tmp_path, "git:op-v3"))) == [("v1alpha1", "op-v1"), ("v1beta1", "op-v2")]


def test_pre_releases_count_without_releases(tmp_path: Path) -> None:
    release_all(
        tmp_path,
        [("v1.0.0-rc.1", crd("v1alpha1")), ("v1.0.0-rc.2", crd("v1", "v1alpha1"))],
    )

    assert stored(only(read(tmp_path, "git:v1.0.0-rc.2"))) == [("v1alpha1", "v1.0.0-rc.1")]


def test_a_release_with_a_broken_crd_is_a_problem_of_the_history(tmp_path: Path) -> None:
    release_all(
        tmp_path,
        [("v0.9.0", "kind: CustomResourceDefinition\na: [\n"), ("v1.0.0", crd("v1alpha1")), ("v1.1.0", crd("v1"))],
    )
    write(tmp_path, crd("v1", "v1alpha1"))

    history = only(read(tmp_path)).find_history()

    assert [version.name for version in history.stored] == ["v1alpha1"]
    (problem,) = history.problems
    assert problem.startswith(f"the CRDs of v0.9.0 are not known: v0.9.0:{FILE}:3")


def test_a_shallow_clone_is_a_problem_of_the_history(tmp_path: Path) -> None:
    (tmp_path / "a").mkdir()
    release_all(tmp_path / "a", [("v1.0.0", crd("v1alpha1")), ("v1.1.0", crd("v1", "v1alpha1"))])
    git(tmp_path, "clone", "-q", "--depth", "1", (tmp_path / "a").as_uri(), "b")

    history = only(read(tmp_path / "b", "git:HEAD")).find_history()

    (problem,) = history.problems
    assert history.stored == ()
    assert problem.startswith("the versions stored before HEAD are not known: git:HEAD: ")
    assert "is a shallow clone" in problem


def test_schemas_that_cannot_be_left_out_are_read(tmp_path: Path) -> None:
    text = crd("v1alpha1").replace(
        "  - name",
        "  - schema: {openAPIV3Schema: &a {type: object}}\n    served: false\n    storage: false\n    name: v0\n  - name",
    )
    shared = text.replace("          # a comment\n", "          more: &b {type: object}\n") + "  conversion: *b\n"
    release_all(tmp_path, [("v0.9.0", text), ("v1.0.0", shared), ("v1.1.0", crd("v1", "v1alpha1"))])
    write(tmp_path, crd("v1"))

    history = only(read(tmp_path)).find_history()

    assert [(version.name, version.release) for version in history.stored] == [("v1alpha1", "v1.0.0")]
    assert history.problems == ()


def test_a_link_is_followed_in_each_release(tmp_path: Path) -> None:
    for number, name in enumerate(("v1alpha1", "v1")):
        write(tmp_path, crd(name, "v1alpha1"), f"real/{name}.yaml")
        (tmp_path / "real/now").unlink(missing_ok=True)
        (tmp_path / "real/now").symlink_to(f"{name}.yaml")
        if not number:
            (tmp_path / "crds").mkdir()
            (tmp_path / "crds/a.yaml").symlink_to("../real/now.yaml")
            (tmp_path / "crds/nowhere.yaml").symlink_to("gone.yaml")
        (tmp_path / "real/now.yaml").write_text(crd(name), encoding="utf-8")
        release(tmp_path, f"v1.{number}.0", "", "real/empty.yaml")
    reader = CommitReader(tmp_path, Project(tmp_path, ("crds",), tmp_path), DEFAULT)

    versions = [reader.read(tag, tag).files.crds[0].versions[0].name for tag in ("v1.0.0", "v1.1.0")]

    assert versions == ["v1alpha1", "v1"]


def test_a_file_of_several_releases_is_read_once(tmp_path: Path) -> None:
    release_all(tmp_path, [("v1.0.0", crd("v1")), ("v1.1.0", crd("v1"))])
    reader = CommitReader(tmp_path, Project(tmp_path, (), tmp_path), DEFAULT)

    first, second = (reader.read(tag, tag).files.crds for tag in ("v1.0.0", "v1.1.0"))

    assert first == second


@pytest.mark.parametrize(("file", "searches"), [("notes.txt", 0), ("tools/a.py", 2)])
def test_only_releases_with_python_files_are_searched_for_hooks(
    file: str, searches: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / file).parent.mkdir(exist_ok=True)
    (tmp_path / file).write_text("", encoding="utf-8")
    release_all(tmp_path, [("v0.9.0", crd("v1alpha1")), ("v1.0.0", crd("v1"))])
    write(tmp_path, crd("v1", "v2"))
    commands, run_git = [], git_commands.run

    def record(folder: Path, *arguments: str, **options: bytes) -> GitAnswer:
        commands.append(arguments[0])
        return run_git(folder, *arguments, **options)

    monkeypatch.setattr(git_commands, "run", record)
    project = Project(tmp_path, (), tmp_path, make=lambda *_: ())

    old = only(baseline.read("git:latest-tag", base=tmp_path, project=project, kubernetes_version=DEFAULT))

    assert stored(old) == [("v1alpha1", "v0.9.0")]
    assert commands.count("grep") == searches


def test_all_releases_are_walked_by_version_and_pre_releases_last(tmp_path: Path) -> None:
    release_all(
        tmp_path,
        [
            ("v0.1.0", None),
            ("v1.0.0-rc.1", crd("v1alpha1", field="early")),
            ("v1.0.0", crd("v1alpha1")),
            ("v1.0.1", crd("v1alpha1")),
            ("v1.9.0", "kind: CustomResourceDefinition\na: [\n"),
            ("v1.10.0", crd("v1", "v1alpha1")),
            ("v2.0.0-rc.1", crd("v1", "v1alpha1", field="next")),
        ],
    )
    write(tmp_path, crd("v1"))
    steps: list[str] = []

    actual = baseline.read(
        "git:all-tags",
        base=tmp_path,
        project=Project(tmp_path, (), tmp_path),
        kubernetes_version=DEFAULT,
        progress=recorded(steps),
    )

    assert steps == ["v0.1.0", "v1.0.0", "v1.0.1", "v1.9.0", "v1.10.0", "v1.0.0-rc.1", "v2.0.0-rc.1"]
    assert actual.words == (
        "git:all-tags: 5 releases from v0.1.0 to v1.10.0, 2 pre-releases, 1 without CRDs, 1 not read"
    )
    (note,) = actual.notes
    assert note.startswith("the CRDs of v1.9.0 are not known: ")
    assert [crd.versions[0].name for crd in actual.crds(DEFAULT)] == ["v1"]
    (olds,) = actual.old_crds(DEFAULT).values()
    assert [(old.releases, stored(old)) for old in olds] == [
        (("v1.0.0", "v1.0.1"), [("v1alpha1", "v1.0.0")]),
        (("v1.10.0",), [("v1alpha1", "v1.0.1")]),
        (("v1.0.0-rc.1",), []),
        (("v2.0.0-rc.1",), [("v1alpha1", "v1.0.1"), ("v1", "v1.10.0")]),
    ]


def recorded(steps: list[str]) -> Progress:
    @contextlib.contextmanager
    def progress(title: str) -> Iterator[Tell]:
        assert title == "reading git:all-tags"
        yield lambda _done, _total, at: steps.append(at)

    return progress


def test_alternatives_keep_their_file_in_each_release(tmp_path: Path) -> None:
    for tag, field in (("v1.0.0", "a"), ("v1.1.0", "b")):
        write(tmp_path, crd("v1", field=field), "crds/one/a.yaml")
        release(tmp_path, tag, crd("v1", field="other"), "crds/two/a.yaml")
    write(tmp_path, "changed", "README.md")

    actual = read(tmp_path, "git:all-tags(v*)").old_crds(DEFAULT)

    assert {id_: [old.releases for old in olds] for id_, olds in actual.items()} == {
        f"{NAME}@crds/one/a.yaml": [("v1.0.0",), ("v1.1.0",)],
        f"{NAME}@crds/two/a.yaml": [("v1.0.0", "v1.1.0")],
    }


def test_releases_without_crds_are_an_error(tmp_path: Path) -> None:
    release_all(tmp_path, [("v1.0.0", "kind: CustomResourceDefinition\na: [\n"), ("v1.1.0", None)])
    write(tmp_path, "changed", "README.md")

    with pytest.raises(InputError) as caught:
        read(tmp_path, "git:all-tags")

    first, second = str(caught.value).splitlines()
    assert first == (
        "git:all-tags: no CRD in any of its files at git:all-tags: 2 releases from v1.0.0 to v1.1.0, 1 without CRDs, "
        "1 not read"
    )
    assert second.startswith("git:all-tags: the CRDs of v1.0.0 are not known: ")


def test_crds_that_earlier_releases_removed_are_noted(tmp_path: Path) -> None:
    for number in range(4):
        write(tmp_path, crd("v1", name=f"olds{number}.example.com"), f"config/crd/bases/old{number}.yaml")
    release(tmp_path, "v1.0.0", crd("v1"))
    for number in range(4):
        (tmp_path / f"config/crd/bases/old{number}.yaml").unlink()
    release(tmp_path, "v1.1.0", crd("v1"))
    write(tmp_path, crd("v1", name="news.example.com"), "config/crd/bases/new.yaml")
    release(tmp_path, "v1.2.0-rc.1", crd("v1"))
    write(tmp_path, "changed", "README.md")

    actual = read(tmp_path, "git:all-tags")

    assert list(actual.old_crds(DEFAULT)) == [NAME, "news.example.com"]
    assert actual.notes == (
        (
            "not judged, because earlier releases removed them: olds0.example.com (last in v1.0.0), "
            "olds1.example.com (last in v1.0.0), olds2.example.com (last in v1.0.0) and 1 more"
        ),
    )


def test_a_last_release_that_cannot_be_read_is_an_error(tmp_path: Path) -> None:
    release_all(tmp_path, [("v1.0.0", crd("v1")), ("v1.1.0", "kind: CustomResourceDefinition\na: [\n")])
    write(tmp_path, crd("v1"))

    with pytest.raises(InputError, match=rf"v1\.1\.0:{FILE}:3"):
        read(tmp_path, "git:all-tags")


def test_only_pre_releases_before_the_first_release_are_walked_in_order(tmp_path: Path) -> None:
    release_all(tmp_path, [("v1.0.0-rc.1", crd("v1alpha1")), ("v1.0.0-rc.2", crd("v1", "v1alpha1"))])
    write(tmp_path, crd("v1"))

    (olds,) = read(tmp_path, "git:all-tags").old_crds(DEFAULT).values()

    assert [stored(old) for old in olds] == [[], [("v1alpha1", "v1.0.0-rc.1")]]
