"""Upgrades of a CRD that earlier releases have stored in other versions."""

from __future__ import annotations

from typing import Any

from pytest_crd.discovery.releasewalk import OldCrd, ReleaseCrds, StorageHistory, StoredVersion
from pytest_crd.engine import CustomResourceDefinition
from pytest_crd.upgrades import histories
from pytest_crd.upgrades.migrations import Migration
from pytest_crd.upgrades.projectobjects import Specimens
from pytest_crd.upgrades.upgrade import Upgrade
from pytest_crd.upgrades.upgradefindings import Finding, Kind
from upgrades.changes import JSON, crd_with_versions, obj

STORED = "status.storedVersions[0]"
NOT_LISTED = (
    f'the CRD: {STORED}: Invalid value: "v1alpha1": missing from spec.versions; v1alpha1 was previously a storage version, and '
    "must remain in spec.versions until a storage migration ensures no data remains persisted in v1alpha1 and removes "
    "v1alpha1 from status.storedVersions"
)


def version(name: str, *, storage: bool = False, **fields: Any) -> JSON:
    schema = obj(spec=obj(**fields))
    return {"name": name, "served": True, "storage": storage, "schema": {"openAPIV3Schema": schema}}


def crd(*names: str, **fields: Any) -> CustomResourceDefinition:
    """Return a CRD with versions; the first one is stored."""
    return crd_with_versions(*(version(name, storage=name == names[0], **fields) for name in names))


def old(crd_: CustomResourceDefinition, *stored: str, problems: tuple[str, ...] = ()) -> OldCrd:
    """Return a CRD of a baseline after releases that have stored other versions."""
    versions = tuple(StoredVersion(name, "v1.0.0", crd(name)) for name in stored)
    return OldCrd(crd_, (), lambda: StorageHistory(versions, problems))


def paths(effects: Upgrade) -> list[str]:
    return [finding.path for finding in effects.findings if finding.kind is Kind.REFUSED]


def judge(before: OldCrd, after: CustomResourceDefinition | None, *migrated: Migration) -> Upgrade:
    return histories.judge(before, after, Specimens(), migrated)


def test_a_dropped_version_that_an_earlier_release_stored_is_refused() -> None:
    effects = judge(old(crd("v1", "v1alpha1"), "v1alpha1"), crd("v1"))

    assert paths(effects) == [STORED, "v1alpha1"]
    finding = effects.findings[0]
    assert finding.words == NOT_LISTED
    assert finding.lines[0][0].text == "name: v1alpha1, storage: true"


def test_the_storage_version_of_the_release_is_stored_besides() -> None:
    effects = judge(old(crd("v1beta1", "v1alpha1"), "v1alpha1"), crd("v1"))

    assert paths(effects) == [STORED, "status.storedVersions[1]", "v1beta1", "v1alpha1"]


def test_a_dropped_version_that_was_never_stored_is_only_unserved() -> None:
    assert paths(judge(old(crd("v1", "v1alpha1"), "v1beta1"), crd("v1"))) == ["v1alpha1"]


def test_a_dropped_storage_version_is_refused_as_before() -> None:
    effects = judge(old(crd("v1alpha1"), "v1alpha1"), crd("v1"))

    assert paths(effects) == [STORED, "v1alpha1"]
    assert (effects.findings[0].lines[0][0].text, effects.findings[0].remedy) == ("0: v1alpha1", "")


def test_the_status_of_the_file_counts_besides() -> None:
    manifest = {**crd("v1", "v1beta1", "v1alpha1").declared, "status": {"storedVersions": ["v1beta1"]}}
    before = CustomResourceDefinition.from_manifest(manifest)

    effects = judge(old(before, "v1alpha1"), crd("v1"))

    assert paths(effects) == [STORED, "status.storedVersions[1]", "v1beta1", "v1alpha1"]
    assert [finding.lines[0][0].text for finding in effects.findings[:2]] == [
        "0: v1beta1",
        "name: v1alpha1, storage: true",
    ]


def test_the_history_is_read_only_if_a_version_is_dropped() -> None:
    def fail() -> StorageHistory:
        raise AssertionError

    before = OldCrd(crd("v1", "v1alpha1"), (), fail)

    assert judge(before, crd("v1", "v1alpha1")) == Upgrade()
    assert [finding.path for finding in judge(before, None).findings] == ["metadata.name"]


def test_problems_of_the_history_are_warnings() -> None:
    effects = judge(old(crd("v1", "v1alpha1"), problems=("unreadable",)), crd("v1"))

    assert effects.warnings == ("unreadable",)


def test_a_migrated_version_is_not_refused() -> None:
    before = old(crd("v1", "v1alpha1"), "v1alpha1")

    assert paths(judge(before, crd("v1"), Migration("example.com", "v1alpha1", "x"))) == ["v1alpha1"]
    assert STORED in paths(judge(before, crd("v1"), Migration("other.com", "v1alpha1", "x")))


def test_the_storage_version_of_the_baseline_cannot_be_migrated_yet() -> None:
    before = old(crd("v1alpha1"), "v1alpha1")

    assert STORED in paths(judge(before, crd("v1"), Migration("example.com", "v1alpha1", "x")))
    assert list(histories.find_migratable(before)) == []


def test_a_crd_without_a_storage_version_stores_those_of_earlier_releases() -> None:
    invalid = crd_with_versions(version("v1"), version("v1alpha1"))

    stored = histories.with_stored(invalid, old(invalid, "v1alpha1").find_history().stored)

    assert stored.declared["status"] == {"storedVersions": ["v1alpha1"]}


def test_findings_of_several_releases_are_one_with_their_names() -> None:
    text, number = {"type": "string"}, {"type": "integer"}
    first, second = crd("v1", a=text), crd("v1", a=text, b=text)
    olds = [OldCrd(first, ("v1.0.0", "v1.0.1")), OldCrd(second, ("v1.1.0",))]
    new = crd("v1", a=number)

    effects = histories.merge([(item, judge(item, new)) for item in olds])

    releases = {(finding.kind, finding.path): finding.releases for finding in effects.findings}
    assert releases[Kind.REFUSED, "spec.a"] == ("v1.0.0", "v1.0.1", "v1.1.0")
    assert releases[Kind.DATA_LOSS, "spec.b"] == ("v1.1.0",)
    assert [finding.kind for finding in effects.findings] == sorted(
        (finding.kind for finding in effects.findings), key=list(Kind).index
    )


def test_words_of_several_releases_are_joined() -> None:
    finding = Finding(Kind.REFUSED, "spec", "x")
    first = Upgrade((finding,), ("a", "b"), ("w",), ("n",), ("u",))
    second = Upgrade((finding,), ("b", "c"), ("w",), ("m",), ("u", "v"))
    olds = [OldCrd(crd("v1"), (tag,)) for tag in ("v1.0.0", "v1.1.0")]

    actual = histories.merge([*zip(olds, (first, second), strict=True)])

    assert (actual.unshown, actual.warnings, actual.notices, actual.undecided) == (
        ("a", "b", "c"),
        ("w",),
        ("n", "m"),
        ("u", "v"),
    )


def test_releases_that_break_an_upgrade_from_the_one_before_are_listed() -> None:
    alpha = StoredVersion("v1alpha1", "v1.0.0", crd("v1alpha1"))
    stored = {"things.example.com": {"v1alpha1": alpha}}
    releases = [
        ReleaseCrds("v1.0.0", (crd("v1alpha1"),), {}, is_prerelease=False),
        ReleaseCrds("v1.1.0", (crd("v1", "v1alpha1"),), stored, is_prerelease=False),
        ReleaseCrds("v1.1.1", (crd("v1", "v1alpha1"),), stored, is_prerelease=False),
        ReleaseCrds("v1.2.0", (crd("v1"),), stored, is_prerelease=False),
        ReleaseCrds("v1.3.0-rc.1", (crd("v2"),), stored, is_prerelease=True),
    ]

    expected = f"things.example.com: v1.2.0 is refused as an update of v1.1.1: {NOT_LISTED.removeprefix('the CRD: ')}"
    assert list(histories.find_refusals(releases, "1.37", ())) == [expected]
    assert list(histories.find_refusals(releases, "1.37", [Migration("example.com", "v1alpha1", "x")])) == []
