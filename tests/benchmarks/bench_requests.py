"""
What requests for custom resources cost, in ratios to copy.deepcopy, jsonschema, the Go packages and a server, each measured in the same run.

    python tests/benchmarks/bench_requests.py [--server URL] [--kubernetes-version 1.37]

The objects are the example project's Backup with forty volumes and, with $CRD_CORPUS, real ones; CEL rules are left out on all sides.
Times are processor times, but for those of the server. The Go packages get decoded objects of their own; what is measured of the
engine includes its copy of the test's object.
"""

from __future__ import annotations

import argparse
import copy
import os
import sys
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import jsonschema

from pytest_crd import engine
from pytest_crd.engine import profile
from pytest_crd.engine.reading import yamlreader
from pytest_crd.engine.values import validation

sys.path.append(str(Path(__file__).parents[1]))

from benchmarks import bench_passes, peers

JSONValue = Any

_BACKUPS = Path(__file__).parents[2] / "example_project/config/crd/bases/backups.yaml"
_MONITORING = "example__prometheus-operator-crd__monitoring.coreos.com_prometheuses.yaml"
# CRD, object, and how many nodes the object is to have at least: tolerations are added until it has them.
_OF_CORPUS = (
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
    A CRD and one of its resources.

    Attributes:
        crd: The manifest.
        resource: The resource, without a status.
    """

    crd: JSONValue
    resource: JSONValue

    @property
    def namespace(self) -> str:
        """The namespace of the resource."""
        return str(self.resource["metadata"].get("namespace", "default"))


def subjects(*, with_rules: bool = False) -> Iterator[Subject]:
    """Yield what is measured; *with_rules*: the CRDs as they are."""

    def stripped(crd: JSONValue) -> JSONValue:
        return crd if with_rules else peers.without_rules(crd)

    volumes = [{"name": f"v{index}", "path": "/data", "exclude": ["tmp", "cache"]} for index in range(40)]
    [backups] = _documents(_BACKUPS)
    yield Subject(
        stripped(backups),
        {
            "apiVersion": f"{backups['spec']['group']}/v1",
            "kind": "Backup",
            "metadata": {"name": "nightly"},
            "spec": {"schedule": "@daily", "volumes": volumes},
        },
    )
    corpus = os.environ.get("CRD_CORPUS")
    if not corpus:
        print("no $CRD_CORPUS: nothing is measured with real objects")
        return
    for crd_file, object_file, size in _OF_CORPUS:
        [crd] = _documents(Path(corpus, crd_file))
        kind = crd["spec"]["names"]["kind"]
        resource = next(made for made in _documents(Path(corpus, object_file)) if made["kind"] == kind)
        resource = {key: value for key, value in resource.items() if key != "status"}
        yield Subject(stripped(crd), _grown(resource, size))


def _documents(path: Path) -> list[JSONValue]:
    return [document.value for document in yamlreader.read(path.read_text(), source=str(path)) if document.value]


def _grown(resource: JSONValue, size: int) -> JSONValue:
    missing = size - bench_passes.nodes(resource)
    if missing <= 0:
        return resource
    tolerations = [
        {"key": f"key-{index}", "operator": "Exists", "effect": "NoSchedule"} for index in range(missing // 4)
    ]
    spec = resource["spec"]
    return {**resource, "spec": {**spec, "tolerations": [*spec.get("tolerations", ()), *tolerations]}}


def measure(subject: Subject, kubernetes_version: str, reference: peers.Reference | None, server: str | None) -> None:
    """Print the ratios of one subject."""
    crd = engine.CustomResourceDefinition.from_manifest(subject.crd, kubernetes_version=kubernetes_version)
    name = subject.resource["apiVersion"].rpartition("/")[2]
    version, resource, namespace = crd.version(name), subject.resource, subject.namespace
    stored = _accepted(version.create(resource, namespace=namespace))
    _accepted(version.update(stored, old=stored, namespace=namespace))
    schema = next(item for item in subject.crd["spec"]["versions"] if item["name"] == name)["schema"]["openAPIV3Schema"]
    validator = validation.compile(schema, profile.named(kubernetes_version))
    peer = jsonschema.Draft4Validator(schema)
    copied, values, by_peer, create, update = peers.best(
        [
            lambda: copy.deepcopy(resource),
            lambda: validator.create(stored),
            lambda: list(peer.iter_errors(stored)),
            lambda: version.create(resource, namespace=namespace),
            lambda: version.update(stored, old=stored, namespace=namespace),
        ]
    )
    print(f"{crd.kind}, {bench_passes.nodes(resource)} nodes; copy.deepcopy takes {copied * 1e6:.0f} µs")
    print(
        f"  value validation: {values / copied:.2f} times copy.deepcopy, {by_peer / values:.0f} times as fast as jsonschema"
    )
    print(f"  create: {create / copied:.2f} times copy.deepcopy ({create * 1e6:.0f} µs)")
    print(f"  update: {update / copied:.2f} times copy.deepcopy ({update * 1e6:.0f} µs)")
    if reference is not None:
        its = reference.measure(subject.crd, resource, namespace=namespace, rounds=15, calls=50)
        pairs = {
            "value validation": (values, its["validate"]),
            "create": (create, its["create"]),
            "update": (update, its["update"]),
        }
        listed = ", ".join(f"{what} {ours / go:.2f} ({go * 1e6:.0f} µs)" for what, (ours, go) in pairs.items())
        print(f"  times the Go packages: {listed}")
    if server:
        took = peers.dry_run(server, subject.crd, resource)
        print(f"  a dry-run create on the server takes {took / create:.0f} times as long ({took * 1e6:.0f} µs)")


def _accepted(response: Any) -> Mapping[str, JSONValue]:
    if not response.accepted:
        raise ValueError(response.message)
    return dict(response.stored)


def main() -> None:
    """Run what the command line asks for."""
    parser = argparse.ArgumentParser(description="What requests for custom resources cost.")
    parser.add_argument("--server", metavar="URL", help="ask this API server, too")
    parser.add_argument("--kubernetes-version", metavar="VERSION", default=profile.DEFAULT)
    options = parser.parse_args()
    with peers.reference(options.kubernetes_version) as reference:
        for subject in subjects():
            measure(subject, options.kubernetes_version, reference, options.server)


if __name__ == "__main__":
    main()
