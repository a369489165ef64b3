"""
Record the built-in kinds in the server: pytest_crd/server/builtin/builtinkinds.json.

Names, verbs and subresources come from the discovery documents of a whole kube-apiserver. The treatment of objects is
observed: a small object of each kind is created, updated and deleted.
"""

from __future__ import annotations

import argparse
import json
from collections.abc import Iterator, Mapping
from pathlib import Path
from random import SystemRandom
from typing import Final

import pytest_crd.server.builtin
from oracle.generators import smallobjects
from oracle.recorders import origin
from oracle.servers import kubeapiserver
from oracle.servers.dialogue import Cluster
from oracle.servers.versions import NEWEST
from pytest_crd.engine.jsonvalue import JSONValue

_FILE: Final = Path(pytest_crd.server.builtin.__file__).with_name("builtinkinds.json")
_ORIGIN: Final = origin.statement("builtinkinds", f"the discovery documents of kube-apiserver {NEWEST}")
_AGGREGATED: Final = {"accept": "application/json;g=apidiscovery.k8s.io;v=v2;as=APIGroupDiscoveryList"}
# The group of CRDs, which have a strategy of their own.
_CRDS: Final = "apiextensions.k8s.io"
# Kinds that older servers lack in this version, with the first minor version of Kubernetes 1 that serves them.
_SINCE: Final = {
    "IPAddress": 33,
    "ServiceCIDR": 33,
    "DeviceClass": 34,
    "ResourceClaim": 34,
    "ResourceClaimTemplate": 34,
    "ResourceSlice": 34,
    "VolumeAttributesClass": 34,
    "MutatingAdmissionPolicy": 36,
    "MutatingAdmissionPolicyBinding": 36,
    "ClusterTrustBundle": 37,
    "DeviceTaintRule": 37,
    "PodCertificateRequest": 37,
    "StorageVersionMigration": 37,
}
# Treatment of kinds with objects that need others; from their strategies in kubernetes pkg/registry.
_UNOBSERVED: Final[Mapping[str, JSONValue]] = {"PodCertificateRequest": {"locked": True, "statusKeepsMetadata": True}}


add_arguments = kubeapiserver.add_arguments


def main(options: argparse.Namespace) -> int:
    """Write the file."""
    with kubeapiserver.at(options.server, NEWEST) as url:
        return _record(Cluster(url, options.token))


def _record(cluster: Cluster) -> int:
    namespace = f"kinds-{SystemRandom().randrange(10**6)}"
    _demand(cluster.request("POST", "/api/v1/namespaces", {"metadata": {"name": namespace}}))
    rows = [{**kind, **_treatment(cluster, kind, namespace)} for kind in _kinds(cluster)]
    lines = ",\n".join(json.dumps(row, separators=(",", ":")) for row in rows)
    _FILE.write_text(f'{{"{origin.KEY}": {json.dumps(_ORIGIN)},\n"kinds": [\n{lines}\n]}}\n', encoding="utf-8")
    print(f"{len(rows)} kinds")
    return 0


def _kinds(cluster: Cluster) -> Iterator[dict[str, JSONValue]]:
    """Yield the kinds with stored objects and those that are only answered, in the order of discovery; empty properties are absent."""
    for root in ("/api", "/apis"):
        for group in _demand(cluster.request("GET", root, headers=_AGGREGATED))["items"]:
            name = group["metadata"].get("name", "")
            for version in group["versions"] if name != _CRDS else ():
                for resource in version["resources"]:
                    if "delete" in resource["verbs"] or resource["verbs"] == ["create"]:
                        yield _kind(name, version["version"], resource)


def _kind(group: str, version: str, resource: JSONValue) -> dict[str, JSONValue]:
    kind = resource["responseKind"]["kind"]
    row = {
        "group": group,
        "version": version,
        "kind": kind,
        "plural": resource["resource"],
        "singular": resource["singularResource"],
        "namespaced": resource["scope"] == "Namespaced",
        "since": _SINCE.get(kind, 0),
        "verbs": resource["verbs"],
        "shortNames": resource.get("shortNames", []),
        "categories": resource.get("categories", []),
        "subresources": [_subresource(kind, below) for below in resource.get("subresources", ())],
    }
    return {key: value for key, value in row.items() if value or key in ("group", "namespaced")}


def _subresource(kind: str, below: JSONValue) -> JSONValue:
    """Return name, verbs and, if it is another one than its resource's, the kind of a subresource with its group and version."""
    own = below["responseKind"]
    own_kind = [own["kind"], own.get("group", ""), own.get("version", "")] if own["kind"] != kind else []
    return [below["subresource"], below["verbs"], *own_kind]


def _treatment(cluster: Cluster, kind: Mapping[str, JSONValue], namespace: str) -> Mapping[str, JSONValue]:
    """Return the observed treatment of a kind; false properties are absent."""
    if kind["verbs"] == ["create"]:
        return {}
    if kind["kind"] in _UNOBSERVED:
        treatment: Mapping[str, JSONValue] = _UNOBSERVED[kind["kind"]]
        return treatment
    group_version = f"{kind['group']}/{kind['version']}".removeprefix("/")
    lead = f"/apis/{group_version}" if kind["group"] else f"/api/{group_version}"
    path = f"{lead}/namespaces/{namespace}/{kind['plural']}" if kind["namespaced"] else f"{lead}/{kind['plural']}"
    small = json.dumps(smallobjects.named(group_version, kind["kind"], f"{namespace}-a")).replace("{ns}", namespace)
    sent = json.loads(small)
    created = _demand(cluster.request("POST", path, sent))
    name = created["metadata"]["name"]
    absent = {**sent, "metadata": {**sent["metadata"], "name": f"{namespace}-b"}}
    unlocked = cluster.request("PUT", f"{path}/{name}", sent)[1]
    observed = {
        "generates": "generation" in created["metadata"],
        "locked": "metadata.resourceVersion" in unlocked and "must be specified for an update" in unlocked,
        "createdByUpdate": cluster.request("PUT", f"{path}/{namespace}-b?dryRun=All", absent)[0] == 201,
        "statusKeepsMetadata": _status_keeps_metadata(cluster, kind, f"{path}/{name}"),
    }
    deleted = _demand(cluster.request("DELETE", f"{path}/{name}?gracePeriodSeconds=0&propagationPolicy=Background"))
    observed["shownWhenDeleted"] = deleted["kind"] == kind["kind"]
    return {key: value for key, value in observed.items() if value}


def _status_keeps_metadata(cluster: Cluster, kind: Mapping[str, JSONValue], path: str) -> bool:
    """Return True if an update of the status leaves all metadata unchanged."""
    if not any(below[0] == "status" for below in kind.get("subresources", ())):
        return False
    stored = _demand(cluster.request("GET", path))
    labelled = {**stored, "metadata": {**stored["metadata"], "annotations": {"a": "b"}}}
    return "annotations" not in _demand(cluster.request("PUT", f"{path}/status?dryRun=All", labelled))["metadata"]


def _demand(answer: tuple[int, str]) -> JSONValue:
    code, text = answer
    if code >= 300:
        raise RuntimeError(text)
    return json.loads(text)
