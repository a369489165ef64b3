"""The Kubernetes client for Python with this server."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from kubernetes import client, config, dynamic
from kubernetes.dynamic.exceptions import ConflictError, NotFoundError, UnprocessibleEntityError
from support import servers

from pytest_crd.server.http import kubeconfigfile
from pytest_crd.server.http.certificates import Certificates
from pytest_crd.server.httpserver import HTTPServer, new_token

# The client loads a model at its first use. A session in this process drops the modules that it loads, and two copies of a model differ.
MODELS = (client.V1ConfigMap, client.V1CustomResourceDefinitionList, client.V1NamespaceList, client.VersionInfo)


@pytest.fixture
def connected(tmp_path: Path) -> Iterator[Any]:
    token, certificates = new_token(), Certificates()
    server = HTTPServer(servers.api(token=token), certificates, token=token)
    path = tmp_path / "kubeconfig"
    path.write_text(kubeconfigfile.text(server.url, certificates.authority, token), encoding="utf-8")
    server.start()
    connect: Any = config.new_client_from_config
    with connect(str(path)) as created:
        yield created
        created.rest_client.pool_manager.clear()
    server.stop()


def test_custom_resources_are_written_read_and_watched(connected: Any) -> None:
    dynamic_client: Any = dynamic.DynamicClient
    jobs = dynamic_client(connected).resources.get(api_version="fuzz.example.com/v1", kind="Job")
    created = jobs.create(body=servers.job("a"), namespace="default")
    assert created.spec.replicas == 1
    with pytest.raises(ConflictError):
        jobs.create(body=servers.job("a"), namespace="default")
    with pytest.raises(NotFoundError):
        jobs.get(name="nope", namespace="default")
    with pytest.raises(UnprocessibleEntityError):
        jobs.create(body={**servers.job("b"), "spec": {"replicas": -1}}, namespace="default")
    events: list[tuple[str, int]] = []
    begun = threading.Event()

    def follow() -> None:
        for event in jobs.watch(namespace="default", timeout=10):
            events.append((event["type"], event["object"].spec.replicas))
            begun.set()
            if event["type"] == "DELETED":
                return

    thread = threading.Thread(target=follow)
    thread.start()
    assert begun.wait(10)
    merge = "application/merge-patch+json"
    jobs.patch(name="a", namespace="default", body={"spec": {"replicas": 2}}, content_type=merge)
    applied = {**servers.job("a"), "spec": {"replicas": 3}}
    jobs.server_side_apply(body=applied, namespace="default", field_manager="m", force_conflicts=True)
    jobs.status.patch(name="a", namespace="default", body={"status": {"phase": "Ready"}}, content_type=merge)
    assert [item.metadata.name for item in jobs.get(namespace="default").items] == ["a"]
    jobs.delete(name="a", namespace="default")
    thread.join(10)
    assert events == [("ADDED", 1), ("MODIFIED", 2), ("MODIFIED", 3), ("MODIFIED", 3), ("DELETED", 3)]


@pytest.mark.long
def test_built_in_kinds_and_crds_are_read_as_their_types(connected: Any) -> None:
    core: Any = client.CoreV1Api(connected)
    core.create_namespaced_config_map(
        "default", client.V1ConfigMap(metadata=client.V1ObjectMeta(name="c"), data={"a": "b"})
    )
    assert core.read_namespaced_config_map("c", "default").data == {"a": "b"}
    assert "kube-system" in [item.metadata.name for item in core.list_namespace().items]
    crds: Any = client.ApiextensionsV1Api(connected).list_custom_resource_definition().items
    assert [item.status.conditions[1].status for item in crds] == ["True", "True"]
    assert client.VersionApi(connected).get_code().minor == "37"
