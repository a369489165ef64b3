import pytest


def test_every_crd_serves_what_it_stores(crd):
    assert [version.name for version in crd.versions if version.storage and version.served]


def test_there_is_one_crd_for_each_kind(crds):
    assert sorted(crd.kind for crd in crds) == ["Backup", "BackupLocation", "BackupPolicy", "Restore"]


@pytest.mark.crd("Restore")
def test_the_crd_of_v1beta1_was_accepted_when_it_was_stored(crd):
    assert crd.response.code == 404
    crd.under("1.21").assert_accepted()


@pytest.mark.crd("backups.storage.example.com", version="v1alpha1")
def test_the_old_version_knows_no_retention(crd_version):
    pruned = crd_version.prune({"spec": {"schedule": "@daily", "retention": {"days": 7}}})

    assert pruned.value["spec"] == {"schedule": "@daily"}
    assert pruned.paths == ("spec.retention",)


@pytest.mark.crd("Backup", version="v1")
def test_an_empty_retention_is_filled_in(crd_version):
    stored = crd_version.create({"spec": {"schedule": "@daily", "retention": {}}}).stored

    assert stored["spec"]["retention"] == {"days": 30, "keepLast": 3}
