"""
Ask a whole kube-apiserver and our authorizer for access: Roles of operators, random users and requests, as SubjectAccessReviews.

The roles come from files, one operator in each, with a prefix before their names and namespaces. The reason of an allowed request may be that
of any binding that allows it, as the server asks bindings in random order. `--record FILE` writes some reviews with the server's answers.
"""

from __future__ import annotations

import argparse
import json
import time
from collections.abc import Iterator, Mapping
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from random import Random, SystemRandom
from typing import Any, Final

from conformance import accessreviews

from oracle.generators import accessgen
from oracle.servers import kubeapiserver
from oracle.servers.dialogue import Cluster
from oracle.servers.versions import NEWEST
from pytest_crd.discovery import rolefiles
from pytest_crd.engine.jsonvalue import JSONValue
from pytest_crd.server.authorization import policy
from pytest_crd.server.authorization.storedroles import StoredRoles

_AT_ONCE: Final = 8
# Seconds until the server's authorizer has seen new objects.
SETTLE: Final = 3.0
_TAKEN: Final = 409
_MERGE: Final = {"content-type": "application/merge-patch+json"}


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the folder, the counts, the seed, the server and the file."""
    parser.add_argument("folder", type=Path, help="a folder with files of Roles and bindings, one for each operator")
    parser.add_argument("--reviews", type=int, default=20_000, help="number of access reviews (default: 20000)")
    parser.add_argument("--seed", type=int, default=SystemRandom().randrange(10**6))
    parser.add_argument("--limit", type=int, default=5, help="number of differences to print")
    parser.add_argument(
        "--record", type=Path, metavar="FILE", help="write the roles and reviews with answers into this file"
    )
    kubeapiserver.add_arguments(parser)


def main(options: argparse.Namespace) -> int:
    """Compare; return 1 if an answer differs."""
    with kubeapiserver.at(options.server, NEWEST) as url:
        return _compare(Cluster(url, options.token), options)


def _compare(cluster: Cluster, options: argparse.Namespace) -> int:
    source = Random(options.seed)  # noqa: S311 - a reproducible sequence
    objects = [
        value
        for path in sorted(options.folder.glob("*.yaml"))
        for value in install(cluster, path, accessgen.prefix_of(path.stem))
    ]
    roles = accessreviews.stored_roles(objects)
    aggregate(cluster, roles)
    time.sleep(SETTLE)
    specs = [accessgen.review(source, objects, roles) for _ in range(options.reviews)]
    with ThreadPoolExecutor(_AT_ONCE) as pool:
        answers = [*pool.map(lambda spec: review_access(cluster, spec), specs)]
    differences = [
        (spec, answer, difference)
        for spec, answer in zip(specs, answers, strict=True)
        if (difference := accessreviews.find_difference(spec, answer, roles))
    ]
    for spec, answer, difference in differences[: options.limit]:
        print(json.dumps(spec), f"server: {json.dumps(answer)}", f"ours: {difference}", sep="\n  ")
    allowed = sum(answer["allowed"] for answer in answers)
    print(
        f"{len(objects)} roles and bindings, {len(specs)} reviews, {allowed} allowed, {len(differences)} differ (seed {options.seed})"
    )
    if options.record:
        accessreviews.write(options.record, objects, zip(specs, answers, strict=True))
    return 1 if differences else 0


def install(cluster: Cluster, path: Path, prefix: str) -> Iterator[JSONValue]:
    """Create the roles and bindings of an operator; yield the accepted ones."""
    for item in rolefiles.read([path.name], (), base=path.parent, folder=path.parent):
        if item.kind not in policy.PLURALS or not isinstance(item.value, dict):
            continue
        value = accessgen.prefixed(item.value, prefix)
        namespace = value["metadata"].get("namespace", "")
        if namespace:
            cluster.request("POST", "/api/v1/namespaces", {"metadata": {"name": namespace}})
        code, text = cluster.request("POST", _path(value), value)
        if code == _TAKEN:  # by an earlier run
            code, text = cluster.request("GET", f"{_path(value)}/{value['metadata']['name']}")
        if code in (200, 201):
            stored = json.loads(text)
            yield {key: field for key, field in stored.items() if key != "metadata"} | {
                "metadata": _bare(stored["metadata"])
            }


def _bare(metadata: Mapping[str, Any]) -> JSONValue:
    return {key: metadata[key] for key in ("name", "namespace", "labels") if key in metadata}


def aggregate(cluster: Cluster, roles: StoredRoles) -> None:
    """Give the server's aggregated ClusterRoles their rules, as no controller runs there."""
    path = f"/apis/{policy.API_VERSION}/clusterroles"
    for item in json.loads(cluster.request("GET", path)[1])["items"]:
        name = item["metadata"]["name"]
        role = roles.find_role("ClusterRole", "", name) if item.get("aggregationRule") else None
        if role is not None:
            patch = {"rules": [accessgen.rule_value(rule) for rule in role.rules]}
            cluster.request("PATCH", f"{path}/{name}", patch, _MERGE)


def _path(value: Mapping[str, Any]) -> str:
    kind, namespace = value["kind"], value["metadata"].get("namespace", "")
    within = f"/namespaces/{namespace}" if kind in policy.NAMESPACED else ""
    return f"/apis/{policy.API_VERSION}{within}/{policy.PLURALS[kind]}"


def review_access(cluster: Cluster, spec: JSONValue) -> Any:
    code, text = cluster.request("POST", accessreviews.PATH, {"spec": spec})
    if code != 201:
        raise RuntimeError(text)
    return json.loads(text)["status"]
