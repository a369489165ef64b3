"""The CRDs and objects of the benchmarks: the example project's Backup and, with $CRD_CORPUS, real ones."""

from __future__ import annotations

import os
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from benchmarks import peers
from pytest_crd.engine.jsonvalue import JSONValue
from pytest_crd.engine.yaml import yamlreader

BACKUPS = Path(__file__).parents[2] / "example_project/config/crd/bases/backups.yaml"
_MONITORING = "example__prometheus-operator-crd__monitoring.coreos.com_prometheuses.yaml"
# CRD, object, and the minimum number of nodes of the object: tolerations are added until it has them.
_CORPUS_SUBJECTS = (
    (
        f"crds/prometheus-operator+prometheus-operator/{_MONITORING}",
        "samples/argoproj+argo-cd/resource_customizations__monitoring.coreos.com__Prometheus__testdata__healthy.yaml",
        237,
    ),
    (
        "crds/scylladb+scylla-operator/scylla.scylladb.com_scylladbclusters.yaml",
        "samples/scylladb+scylla-operator/examples__multi-dc__namespaces__scylla__10_scylladbcluster.yaml",
        0,
    ),
    (
        "crds/kubernetes-sigs+gateway-api/config__crd__standard__gateway.networking.k8s.io_httproutes.yaml",
        "samples/kubernetes-sigs+gateway-api/examples__standard__basic-http.yaml",
        0,
    ),
)


@dataclass(frozen=True, slots=True)
class Subject:
    """
    A CRD and one of its custom resources.

    Attributes:
        crd: The manifest of the CRD.
        resource: The custom resource, without a status.
    """

    crd: JSONValue
    resource: JSONValue

    @property
    def namespace(self) -> str:
        """The namespace of the resource."""
        return str(self.resource["metadata"].get("namespace", "default"))


def nodes(value: JSONValue) -> int:
    """Return the number of values in *value*, itself included."""
    children = value.values() if isinstance(value, dict) else value if isinstance(value, list) else ()
    return 1 + sum(map(nodes, children))


def backup(group: str) -> dict[str, JSONValue]:
    """Return a Backup with forty volumes, about 240 nodes."""
    volumes = [{"name": f"v{index}", "path": "/data", "exclude": ["tmp", "cache"]} for index in range(40)]
    head = {"apiVersion": f"{group}/v1", "kind": "Backup", "metadata": {"name": "nightly"}}
    return {**head, "spec": {"schedule": "@daily", "volumes": volumes}}


def subjects(*, with_rules: bool = False) -> Iterator[Subject]:
    """Yield the subjects; their CRDs keep CEL rules only if *with_rules* is true."""

    def prepare(crd: JSONValue) -> JSONValue:
        return crd if with_rules else peers.without_rules(crd)

    [backups] = _documents(BACKUPS)
    yield Subject(prepare(backups), backup(backups["spec"]["group"]))
    corpus = os.environ.get("CRD_CORPUS")
    if not corpus:
        print("no $CRD_CORPUS: real objects are not measured")
        return
    for crd_file, object_file, size in _CORPUS_SUBJECTS:
        [crd] = _documents(Path(corpus, crd_file))
        kind = crd["spec"]["names"]["kind"]
        resource = next(document for document in _documents(Path(corpus, object_file)) if document["kind"] == kind)
        resource = {key: value for key, value in resource.items() if key != "status"}
        yield Subject(prepare(crd), _grown(resource, size))


def _documents(path: Path) -> list[JSONValue]:
    return [document.value for document in yamlreader.read(path.read_text(), source=str(path)) if document.value]


def _grown(resource: JSONValue, size: int) -> JSONValue:
    missing = size - nodes(resource)
    if missing <= 0:
        return resource
    tolerations = [
        {"key": f"key-{index}", "operator": "Exists", "effect": "NoSchedule"} for index in range(missing // 4)
    ]
    spec = resource["spec"]
    return {**resource, "spec": {**spec, "tolerations": [*spec.get("tolerations", ()), *tolerations]}}
