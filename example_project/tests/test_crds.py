import pytest


def test_every_version_is_structural(crd_version):
    crd_version.assert_structural()


def test_every_crd_serves_what_it_stores(crd):
    assert [version.name for version in crd.versions if version.storage and version.served]


def test_no_crd_has_a_schema_that_is_not_structural(crd):
    assert "NonStructuralSchema" not in [condition.type for condition in crd.conditions]


@pytest.mark.crd("Backup")
@pytest.mark.crd("BackupLocation")
def test_the_crds_of_today_are_accepted(crd):
    crd.assert_accepted(strict=True)


@pytest.mark.crd("Restore")
def test_the_crd_of_v1beta1_was_accepted_when_it_was_stored(crd):
    assert crd.response.code == 404
    crd.under("1.21").assert_accepted()


def test_there_is_one_crd_for_each_kind(crds):
    assert sorted(crd.kind for crd in crds) == ["Backup", "BackupLocation", "Restore"]


@pytest.mark.crd("backups.storage.example.com", version="v1alpha1")
def test_the_old_version_knows_no_retention(crd_version):
    pruned = crd_version.prune({"spec": {"schedule": "@daily", "retention": {"days": 7}}})

    assert pruned.value["spec"] == {"schedule": "@daily"}
    assert pruned.paths == ("spec.retention",)


@pytest.mark.crd("Backup", version="v1")
def test_an_empty_retention_is_filled_in(crd, crd_version):
    defaulted = crd_version.default({"spec": {"schedule": "@daily", "retention": {}}})

    assert crd.scope == "Namespaced"
    assert defaulted.value["spec"]["retention"] == {"days": 30, "keepLast": 3}
    assert "spec.retention.days" in defaulted.paths
