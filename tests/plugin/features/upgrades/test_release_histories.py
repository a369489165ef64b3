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
HISTORY = [("v1.0.0", crd("v1alpha1")), ("v1.1.0", crd("v1", "v1alpha1"))]


@pytest.fixture(scope="module")
def repository(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A repository with both releases; created once, because git takes as long as an upgrade."""
    folder = tmp_path_factory.mktemp("repository")
    release_all(folder, HISTORY)
    return folder


@pytest.fixture
def dropped(empty: Project, repository: Path) -> Project:
    """A project that stored v1alpha1 in its first release, stores v1 since its second, and drops v1alpha1 today."""
    shutil.copytree(repository, empty.path, dirs_exist_ok=True)
    write(empty.path, crd("v1"))
    return empty


def test_a_dropped_version_that_an_earlier_release_stored_fails(dropped: Project) -> None:
    result = dropped.run(
        *("-v", "--crd-baseline", "auto", "--crd-baseline", "git:latest-tag", "--crd-baseline", "git:v1.1.0")
    )

    result.assert_outcomes(failed=3)
    result.stdout.fnmatch_lines(
        [
            "refused: status.storedVersions[[]0]",
            f"  the CRD: {REFUSED}",
            f"  - v1.0.0:{FILE}:11  name: v1alpha1, storage: true",
            f"  + {FILE}:1          (nothing)",
            "  crd_baseline_migrated = example.com/v1alpha1: REASON, if all stored objects are migrated",
            "",
            "refused: v1alpha1 (v1alpha1)",
            "crd_baseline_allow =",
            f"    {NAME} v1alpha1 refused",
        ]
        * 3
    )
    result.stdout.no_fnmatch_line(f"    {NAME} status*")


def test_nothing_is_suggested_to_allow_if_only_a_migration_is_missing(dropped: Project) -> None:
    result = dropped.run("--crd-baseline", "auto", "--crd-baseline-allow", f"{NAME} v1alpha1 refused")

    result.assert_outcomes(failed=1)
    result.stdout.no_fnmatch_line("*if this is intended*")


def test_a_declared_migration_is_no_failure(dropped: Project) -> None:
    dropped.ini(
        f"crd_baseline = auto\ncrd_baseline_allow =\n    {NAME} v1alpha1 refused\n"
        "crd_baseline_migrated =\n    example.com/v1alpha1: the operator migrates objects since v1.1.0\n"
    )

    dropped.run().assert_outcomes(passed=1)


@pytest.mark.parametrize(
    ("entry", "stored"), [("example.com/v1beta1", "example.com/v1alpha1"), ("example.com/v1", "example.com/v1alpha1")]
)
def test_a_migration_of_a_version_that_was_not_stored_is_an_error(dropped: Project, entry: str, stored: str) -> None:
    result = dropped.run("--crd-baseline", "auto", "--crd-baseline-migrated", f"{entry}: done")

    result.assert_outcomes(errors=1)
    result.stdout.fnmatch_lines(
        [f"crd_baseline_migrated: {entry}: no earlier release stored it in a CRD that still lists it; stored: {stored}"]
    )


def test_the_error_about_a_migration_says_if_nothing_was_stored(empty: Project) -> None:
    release_all(empty.path, HISTORY[:1])
    write(empty.path, crd("v1alpha1", field="other"))

    result = empty.run("--crd-baseline", "auto", "--crd-baseline-migrated", "example.com/v1alpha1: done")

    result.stdout.fnmatch_lines(["*still lists it; stored: none"])


def test_a_migration_without_a_reason_is_a_usage_error(dropped: Project) -> None:
    result = dropped.run("--crd-baseline", "auto", "--crd-baseline-migrated", "example.com/v1alpha1:")

    result.stderr.fnmatch_lines(
        ["*--crd-baseline-migrated: 'example.com/v1alpha1:' is not GROUP/VERSION: REASON, as in *"]
    )


def test_a_migration_is_not_judged_if_a_baseline_is_unreadable(dropped: Project) -> None:
    result = dropped.run(
        *("--crd-baseline", "auto", "--crd-baseline", "git:v9", "--crd-baseline-migrated", "example.com/v1: done")
    )

    result.stdout.no_fnmatch_line("*still lists it*")


def test_all_releases_are_judged_in_one_test(empty: Project) -> None:
    history = [
        ("v1.0.0", crd("v1alpha1", field="first")),
        ("v1.1.0", crd("v1", "v1alpha1")),
        ("v1.2.0", crd("v1")),
        ("v1.2.1", crd("v1")),
    ]
    release_all(empty.path, history)
    write(empty.path, crd("v1", field="other"))

    result = empty.run("--crd-baseline", "git:all-tags")

    result.assert_outcomes(failed=1)
    result.stdout.fnmatch_lines(
        [
            "crd: upgrades from git:all-tags: 4 releases from v1.0.0 to v1.2.1: 1 CRD, 0 objects to judge by",
            f"crd: {NAME}: v1.2.0 is refused as an update of v1.1.0: {REFUSED}",
            f"{FILE}:1: upgrade[[]{NAME}] from 4 releases, Kubernetes 1.37",
            "refused: status.storedVersions[[]0]",
            "  releases: v1.0.0, v1.1.0",
            "data loss: spec.size (v1)",
            "  spec.size is dropped",
            "  releases: v1.1.0, v1.2.0, v1.2.1",
        ]
    )


def test_many_releases_are_shortened(empty: Project) -> None:
    release_all(empty.path, [(f"v1.{minor}.0", crd("v1")) for minor in range(6)])
    write(empty.path, crd("v1", field="other"))

    result = empty.run("--crd-baseline", "git:all-tags")

    result.stdout.fnmatch_lines(["  releases: v1.0.0, v1.1.0 … v1.5.0 (6 releases)"])


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


def test_a_crd_that_an_early_release_removed_is_not_judged(empty: Project) -> None:
    early = "olds.example.com"
    write(empty.path, crd("v1", name=early), "config/crd/bases/olds.yaml")
    release_all(empty.path, [("v1.0.0", crd("v1"))])
    (empty.path / "config/crd/bases/olds.yaml").unlink()
    release_all(empty.path, [("v1.1.0", crd("v1"))])
    write(empty.path, "changed", "README.md")

    result = empty.run("--crd-baseline", "git:all-tags")

    result.assert_outcomes(passed=1)
    result.stdout.fnmatch_lines([f"crd: not judged, because earlier releases removed them: {early} (last in v1.0.0)"])


def test_crds_of_commands_are_rendered_at_the_last_release(dropped: Project) -> None:
    dropped.ini("crd_baseline = auto", f"crd_commands = cat {FILE}")

    result = dropped.run()

    result.assert_outcomes(failed=1)
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
