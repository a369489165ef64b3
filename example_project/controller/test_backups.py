from pathlib import Path

from kopf.testing import KopfRunner

OPERATOR = Path(__file__).with_name("backups.py")


def test_a_backup_is_scheduled(crd_server):
    with KopfRunner(["run", "-A", str(OPERATOR)], env=crd_server.environ(), timeout=10):
        backups = crd_server["backups"]
        backups.create({"metadata": {"name": "nightly"}, "spec": {"schedule": "@daily"}})
        scheduled = backups.wait(
            "nightly", lambda backup: backup.get("status", {}).get("phase") == "Pending", timeout=10
        )

    assert scheduled["spec"]["retention"]["days"] == 30  # a default of the schema
