"""
The time of requests for custom resources, relative to copy.deepcopy, jsonschema, the Go packages and a server.

The objects are the example project's Backup with forty volumes and, with $CRD_CORPUS, real ones. CEL rules are removed
on all sides. All ratios are from one run. Times are processor times, except those of the server. The Go packages get
decoded objects of their own; the times of the engine include its copy of the test's object.
"""

from __future__ import annotations

import argparse
import copy
from collections.abc import Iterator, Mapping
from typing import Any

import jsonschema
from oracle import options as shared

from benchmarks import peers
from benchmarks.figures import Figure
from benchmarks.subjects import Subject, nodes, subjects
from pytest_crd import engine
from pytest_crd.engine import profile
from pytest_crd.engine.jsonvalue import JSONValue
from pytest_crd.engine.values import valuevalidation


def measure(
    subject: Subject, kubernetes_version: str, reference: peers.Reference | None, server: str
) -> Iterator[Figure]:
    """Print and yield the ratios of one subject."""
    crd = engine.CustomResourceDefinition.from_manifest(subject.crd, kubernetes_version=kubernetes_version)
    version = crd.version(subject.resource["apiVersion"].rpartition("/")[2])
    resource, namespace = subject.resource, subject.namespace
    ours, copied, by_peer = _seconds(subject, version)
    print(f"{crd.kind}, {nodes(resource)} nodes; copy.deepcopy takes {copied * 1e6:.0f} µs")
    values = ours["value validation"]
    print(
        f"  value validation: {values / copied:.2f} times copy.deepcopy, {by_peer / values:.0f} times as fast as jsonschema"
    )
    yield Figure(f"value validation of a {crd.kind}", values / by_peer, "jsonschema")
    for verb in ("create", "update"):
        print(f"  {verb}: {ours[verb] / copied:.2f} times copy.deepcopy ({ours[verb] * 1e6:.0f} µs)")
        yield Figure(f"{verb} of a {crd.kind}", ours[verb] / copied, "copy.deepcopy")
    if reference is not None:
        times = reference.measure(subject.crd, resource, namespace=namespace, rounds=15, calls=50)
        go = {"value validation": times["validate"], "create": times["create"], "update": times["update"]}
        listed = ", ".join(
            f"{name} {seconds / go[name]:.2f} ({go[name] * 1e6:.0f} µs)" for name, seconds in ours.items()
        )
        print(f"  times the Go packages: {listed}")
        yield from (
            Figure(f"{name} of a {crd.kind}", seconds / go[name], "the Go packages") for name, seconds in ours.items()
        )
    if server:
        took, create = peers.dry_run(server, subject.crd, resource), ours["create"]
        print(f"  a dry-run create on the server takes {took / create:.0f} times as long ({took * 1e6:.0f} µs)")
        yield Figure(f"create of a {crd.kind}", create / took, "a dry run on the server")


def _seconds(subject: Subject, version: engine.CrdVersion) -> tuple[dict[str, float], float, float]:
    """Return the times of the engine by name, the time of copy.deepcopy, and the time of jsonschema for value validation."""
    resource, namespace = subject.resource, subject.namespace
    stored = _stored_object(version.create(resource, namespace=namespace))
    _stored_object(version.update(stored, old=stored, namespace=namespace))
    declared = next(item for item in subject.crd["spec"]["versions"] if item["name"] == version.name)
    schema = declared["schema"]["openAPIV3Schema"]
    validator = valuevalidation.compile(schema, profile.named(version.crd.kubernetes_version))
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
    return {"value validation": values, "create": create, "update": update}, copied, by_peer


def _stored_object(response: Any) -> Mapping[str, JSONValue]:
    if not response.accepted:
        raise ValueError(response.message)
    return dict(response.stored)


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the server and the Kubernetes version."""
    parser.add_argument("--server", metavar="URL", default="", help="measure this API server, too")
    shared.add_version(parser, choices=None, default=profile.DEFAULT)


def main(options: argparse.Namespace) -> Iterator[Figure]:
    """Measure all subjects."""
    with peers.reference(options.kubernetes_version) as reference:
        for subject in subjects():
            yield from measure(subject, options.kubernetes_version, reference, options.server)
