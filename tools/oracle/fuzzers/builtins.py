"""
Compare the objects that our server and a whole kube-apiserver store for the same creates of built-in kinds.

Each object is sent as a dry run. Objects that the cluster refuses do not count, because our server validates few kinds.
Generated values such as uids, times and addresses are ignored.

`--validation` compares instead all answers to writes of validated kinds, refusals included.
"""

from __future__ import annotations

import argparse
import json
import re
import time
from collections import Counter
from collections.abc import Iterator, Mapping
from concurrent.futures import ThreadPoolExecutor
from random import Random, SystemRandom
from typing import Final

from conformance import serverside

from oracle import options as shared
from oracle.comparisons import valuedifferences
from oracle.fuzzers import validation
from oracle.generators import drawnobjects, smallobjects
from oracle.generators.drawnobjects import Enums
from oracle.servers import kubeapiserver
from oracle.servers.dialogue import Cluster
from pytest_crd.engine.jsonvalue import JSONValue
from pytest_crd.server.api import Api
from pytest_crd.server.builtin import builtinkinds
from pytest_crd.server.builtin.builtinkinds import BuiltInRecord
from pytest_crd.server.http.httpmessages import HTTPAnswer

_AT_ONCE: Final = 8
_BATCH: Final = 200
_CREATED: Final = 201
_GENERATED: Final = ("uid", "creationTimestamp", "resourceVersion", "generation")
_UUID: Final = re.compile(r"[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}")
_NOW: Final = re.compile(r"20(?!24)\d\d-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?Z")


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the count, the kinds, the seed and the server."""
    parser.add_argument("--objects", type=int, default=500, help="number of objects of each kind (default: 500)")
    parser.add_argument("--kinds", nargs="+", default=(), metavar="KIND", help="only these kinds")
    parser.add_argument("--seed", type=int, default=SystemRandom().randrange(10**6))
    parser.add_argument("--limit", type=int, default=2, help="number of differences of each kind to print")
    parser.add_argument("--validation", action="store_true", help="compare all answers to writes of validated kinds")
    shared.add_version(parser)
    kubeapiserver.add_arguments(parser)


def main(options: argparse.Namespace) -> int:
    """Send the objects; return 1 if a stored object differs."""
    with kubeapiserver.at(options.server, options.kubernetes_version) as url:
        fuzz = validation.fuzz if options.validation else _fuzz
        return fuzz(Cluster(url, options.token), options)


def _fuzz(cluster: Cluster, options: argparse.Namespace) -> int:
    print(f"seed {options.seed}", flush=True)
    started, differing = time.monotonic(), 0
    api = Api(kubernetes_version=options.kubernetes_version)
    for record in builtinkinds.records():
        if (record.api_version, record.kind) in smallobjects.contents() and (
            not options.kinds or record.kind in options.kinds
        ):
            counts = _compare(cluster, api, record, options)
            differing += counts["differ"]
            print(
                f"{record.api_version} {record.kind}: {counts['stored']} stored, {counts['differ']} differ", flush=True
            )
    print(f"{differing} differ ({time.monotonic() - started:.0f} s)")
    return int(bool(differing))


def _compare(cluster: Cluster, api: Api, record: BuiltInRecord, options: argparse.Namespace) -> Mapping[str, int]:
    lead = f"/apis/{record.api_version}" if record.group else f"/api/{record.version}"
    path = f"{lead}/namespaces/default/{record.plural}" if record.namespaced else f"{lead}/{record.plural}"
    schemas = json.loads(cluster.request("GET", f"/openapi/v3{lead}")[1])["components"]["schemas"]
    counts: Counter[str] = Counter()
    for sent, code, theirs in _answers(cluster, f"{path}?dryRun=All", record, options, drawnobjects.enums_of(schemas)):
        if code != _CREATED:
            continue
        counts["stored"] += 1
        answer = api.answer(serverside.to_http({"method": "POST", "path": f"{path}?dryRun=All", "body": sent}))
        assert isinstance(answer, HTTPAnswer)
        ours, expected = _stable(answer.value), _stable(theirs)
        if ours != expected:
            counts["differ"] += 1
            if counts["differ"] <= options.limit:
                print(f"\n{json.dumps(sent)}")
                print("\n".join(f"  {line}" for line in valuedifferences.find(expected, ours)), flush=True)
    return counts


def _answers(
    cluster: Cluster, path: str, record: BuiltInRecord, options: argparse.Namespace, enums: Enums
) -> Iterator[tuple[JSONValue, int, JSONValue]]:
    """Yield each object with code and value of the cluster's answer."""

    def send(number: int) -> tuple[JSONValue, int, JSONValue]:
        random = Random(f"{options.seed}/{record.api_version}/{record.kind}/{number}")  # noqa: S311
        sent = drawnobjects.draw(random, record.api_version, record.kind, enums)
        code, text = cluster.request("POST", path, sent, {"user-agent": "probe/1"})
        return sent, code, json.loads(text) if code == _CREATED else text

    with ThreadPoolExecutor(_AT_ONCE) as executor:
        for start in range(0, options.objects, _BATCH):
            yield from executor.map(send, range(start, min(start + _BATCH, options.objects)))


def _stable(value: JSONValue) -> JSONValue:
    """Return an object without generated values."""
    text = _NOW.sub("NOW", _UUID.sub("UUID", json.dumps(value)))
    stable = json.loads(text)
    if stable.get("kind") == "CertificateSigningRequest":
        stable["spec"] = {key: value for key, value in stable["spec"].items() if key not in ("username", "uid")}
    if stable.get("kind") == "Service" and stable["spec"].get("clusterIP", "None") != "None":
        stable["spec"] |= {"clusterIP": "IP", "clusterIPs": ["IP"] * len(stable["spec"].get("clusterIPs", ()))}
        for port in (*stable["spec"].get("ports", ()), stable["spec"]):
            for key in port.keys() & {"nodePort", "healthCheckNodePort"}:
                port[key] = min(port[key], 30000)
    return stable
