from pathlib import Path

import pytest

testing = pytest.importorskip("kopf.testing", reason="pip install kopf 'pytest-crd[server]'")

OPERATOR = Path(__file__).with_name("backups.py")


@pytest.mark.crd_server(namespaces=["team-a"], objects=["../config/samples/location.yaml"])
def test_a_backup_is_scheduled(crd_server):
    with testing.KopfRunner(["run", "-A", str(OPERATOR)], env=crd_server.environ(), timeout=10):
        backups = crd_server["backups"]
        backups.create({"metadata": {"name": "nightly"}, "spec": {"schedule": "@daily"}}, namespace="team-a")
        scheduled = backups.wait(
            "nightly", lambda it: it.get("status", {}).get("phase") == "Pending", namespace="team-a", timeout=10
        )

    assert scheduled["spec"]["retention"]["days"] == 30  # a default of the schema
    assert crd_server["backuplocations"].list()
