"""Upgrades in clusters that have lived through several releases."""

from __future__ import annotations

import shutil
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from support.releases import FILE, NAME, crd, release_all, write

if TYPE_CHECKING:
    from support.sessions import Project

REFUSED = (
    'status.storedVersions[0]: Invalid value: "v1alpha1": missing from spec.versions; v1alpha1 was previously a storage '
    "version, and must remain in spec.versions until *"
).replace("[0]", "[[]0]")
# The names of a CRD with an allowance for its dropped version, and of a CRD with a migration besides.
ALLOWED, MIGRATED = "others.example.com", "others.example.org"


def _crds(*versions: str) -> str:
    return "---\n".join(crd(*versions, name=name) for name in (NAME, ALLOWED, MIGRATED))


@pytest.fixture(scope="module")
def repository(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A repository with two releases of three CRDs; created once, because git takes as long as an upgrade."""
    folder = tmp_path_factory.mktemp("repository")
    release_all(folder, [("v1.0.0", _crds("v1alpha1")), ("v1.1.0", _crds("v1", "v1alpha1"))])
    return folder


@pytest.fixture
def dropped(empty: Project, repository: Path) -> Project:
    """A project that stored v1alpha1 in its first release, stores v1 since its second, and drops v1alpha1 today."""
    shutil.copytree(repository, empty.path, dirs_exist_ok=True)
    write(empty.path, _crds("v1"))
    return empty


def test_a_dropped_version_that_an_earlier_release_stored_fails(dropped: Project) -> None:
    """An allowance is suggested, unless only a migration is missing; a declared migration is no failure."""
    dropped.ini(
        "crd_baseline_allow =",
        *(f"    {name} v1alpha1 refused" for name in (ALLOWED, MIGRATED)),
        "crd_baseline_migrated =",
        "    example.org/v1alpha1: the operator migrates objects since v1.1.0",
    )
    baselines = ("auto", "git:latest-tag", "git:v1.1.0")

    result = dropped.run("-v", *(word for name in baselines for word in ("--crd-baseline", name)))

    result.assert_outcomes(failed=6, passed=3)
    result.stdout.fnmatch_lines(["crd: upgrades from git:v1.1.0 (*) of 2*-*-*: 3 CRDs, 0 objects to judge by"] * 3)
    for baseline in baselines:
        result.stdout.fnmatch_lines([f"{FILE}::upgrade[[]{NAME}-{baseline}] FAILED*"])
        result.stdout.fnmatch_lines(
            [
                f"{FILE}:1: upgrade[[]{NAME}-{baseline}] from v1.1.0:{FILE}:1, Kubernetes 1.37",
                "",
                "refused: status.storedVersions[[]0]",
                f"  the CRD: {REFUSED}",
                f"  - v1.0.0:{FILE}:11  name: v1alpha1, storage: true",
                f"  + {FILE}:1          (nothing)",
                "  crd_baseline_migrated = example.com/v1alpha1: REASON, if all stored objects are migrated",
                "",
                "refused: v1alpha1 (v1alpha1)",
            ],
            consecutive=True,
        )
        section = result.stdout.str().partition(f": upgrade[{ALLOWED}-{baseline}] from ")[2].partition("\n____")[0]
        assert "refused: status.storedVersions[0]" in section
        assert "if this is intended" not in section
        result.stdout.fnmatch_lines([f"{FILE}::upgrade[[]{MIGRATED}-{baseline}] PASSED*"])
    assert result.outlines.count("crd_baseline_allow =") == len(baselines)
    assert result.outlines.count(f"    {NAME} v1alpha1 refused") == len(baselines)
    result.stdout.no_fnmatch_line(f"    {NAME} status*")


def test_all_releases_are_judged_in_one_test(empty: Project) -> None:
    """A CRD that an early release removed is not judged, and many releases of an effect are shortened."""
    early, late = "olds.example.com", "lates.example.com"
    texts = [
        crd("v1alpha1", field="first"),
        crd("v1", "v1alpha1"),
        crd("v1"),
        crd("v1"),
        crd("v1"),
        crd("v1"),
    ]
    releases = [f"v1.{minor}.0" for minor in range(len(texts))]
    unchanged = crd("v1", name=late)
    olds = f"---\n{crd('v1', name=early)}"
    release_all(
        empty.path,
        [
            (tag, f"{text}---\n{unchanged}{olds if tag == releases[0] else ''}")
            for tag, text in zip(releases, texts, strict=True)
        ],
    )
    write(empty.path, f"{crd('v1', field='other')}---\n{crd('v1', name=late, field='other')}")

    result = empty.run("--crd-baseline", "git:all-tags")

    result.assert_outcomes(failed=2)
    result.stdout.fnmatch_lines(
        [
            "crd: upgrades from git:all-tags: 6 releases from v1.0.0 to v1.5.0: 2 CRDs, 0 objects to judge by",
            f"crd: {NAME}: v1.2.0 is refused as an update of v1.1.0: {REFUSED}",
            f"{FILE}:1: upgrade[[]{NAME}] from 6 releases, Kubernetes 1.37",
            "refused: status.storedVersions[[]0]",
            "  releases: v1.0.0, v1.1.0",
            "data loss: spec.size (v1)",
            "  spec.size is dropped",
            "  releases: v1.1.0, v1.2.0, v1.3.0, v1.4.0, v1.5.0",
            f"{FILE}:*: upgrade[[]{late}] from 6 releases, Kubernetes 1.37",
            "  releases: v1.0.0, v1.1.0 … v1.5.0 (6 releases)",
        ]
    )
    result.stdout.fnmatch_lines([f"crd: not judged, because earlier releases removed them: {early} (last in v1.0.0)"])


def test_all_releases_have_rollbacks(empty: Project) -> None:
    release_all(empty.path, [("v1.0.0", crd("v1")), ("v1.1.0", crd("v1", field="other"))])

    result = empty.run("--crd-baseline", "git:all-tags", "--crd-baseline-rollback", "-k", "rollback")

    result.assert_outcomes(failed=1, deselected=1)
    result.stdout.fnmatch_lines(
        [
            "crd: upgrades from git:all-tags: 1 release, v1.0.0: 1 CRD, 0 objects to judge by",
            f"{FILE}:1: rollback[[]{NAME}] to 1 release, Kubernetes 1.37",
            "data loss: spec.other (v1)",
            "  spec.other is dropped",
            "  releases: v1.0.0",
        ]
    )


def test_crds_of_commands_are_rendered_at_the_last_release(dropped: Project) -> None:
    dropped.ini("crd_baseline = auto", f"crd_commands = cat {FILE}")

    result = dropped.run("-k", NAME)

    result.assert_outcomes(failed=1, deselected=2)
    result.stdout.fnmatch_lines([f"pytest.ini:3: upgrade[[]{NAME}] from v1.1.0:cat {FILE}:1, Kubernetes 1.37"])


def test_a_command_that_fails_at_the_last_release_is_a_failure(dropped: Project) -> None:
    dropped.write("config/now.yaml", crd("v1"))
    dropped.ini("crd_baseline = auto", "crd_commands = cat config/now.yaml")

    result = dropped.run()

    result.assert_outcomes(failed=1)
    result.stdout.fnmatch_lines(
        [
            "v1.1.0: crd_commands: `cat config/now.yaml`: exited with 1:",
            "  cat: config/now.yaml: No such file or directory",
        ]
    )
