"""Compare tables of custom resources whose columns have random JSONPaths, with an API server of CRDs."""

from __future__ import annotations

import argparse
import json
import time
from concurrent.futures import ThreadPoolExecutor
from random import Random, SystemRandom
from typing import Any, Final

from conformance import serverside

from oracle import options as shared
from oracle.servers import kubeapiserver
from oracle.servers.dialogue import Cluster
from pytest_crd.engine.api.customresourcedefinition import CustomResourceDefinition
from pytest_crd.engine.jsonvalue import JSONValue
from pytest_crd.server.api import Api

_AT_ONCE: Final = 8
_CRDS: Final = "/apis/apiextensions.k8s.io/v1/customresourcedefinitions"
_TABLE: Final = "application/json;as=Table;g=meta.k8s.io;v=v1"
_SPEC: Final = {
    "s": "text", "i": 5, "f": 1.5, "b": True, "n": None, "l": [1, 2, 3, 4], "e": [], "o": {"a": "x", "b": {"c": [{"d": 1}, {"d": "y"}]}},
    "ports": [{"name": "web", "port": 80}, {"name": "api", "port": 8080, "on": True}, {"name": "none"}], "t": "2020-01-02T03:04:05Z",
    "conditions": [{"type": "Ready", "status": "True"}, {"type": "Old", "status": "False"}], "dotted.key": {"x": "dot"}, "big": 12345678901,
}  # fmt: skip
_TOKENS: Final = (
    ".spec", ".s", ".i", ".f", ".b", ".n", ".l", ".e", ".o", ".a", ".c", ".d", ".ports", ".conditions", ".name", ".port", ".type", ".status", ".t", ".x",
    "[0]", "[-1]", "[1:]", "[:2]", "[0:9]", "[::2]", "[::-1]", "[1:2:0]", "[*]", "[0,1]", "[5]", "['s']", "['s','i']", '["s"]', "[a]", ".*", "..", "..name",
    "..type", '[?(@.type=="Ready")]', "[?(@.type=='Old')]", "[?(@.type==Ready)]", "[?(@.port>80)]", "[?(@.port>=80)]", "[?(@.port!=80)]", "[?(@.on)]",
    '[?(@["type"]=="Old")]', "[?(@.port==80)].name", "[?(@ > 2)]", "[?(2 < @)]", "[?(@.name==@.name)]", r".dotted\.key", "['dotted.key']", "{.spec.i}", "} {",
    "}", "{", ".", "$", "@", " ", ".spec.{s}", "{range .l[*]}", "{end}", '{"x"}', "[", "]", "[]", "[?()]", "[?(@.a", "'", '"', "-", "[1", ".l[1].x", ".l.x",
)  # fmt: skip
_TYPES: Final = ("string", "integer", "number", "boolean", "date")


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the count, the seed, the version and the server."""
    parser.add_argument("--columns", type=int, default=500, help="number of columns (default: 500)")
    parser.add_argument("--seed", type=int, default=SystemRandom().randrange(10**6))
    shared.add_version(parser)
    kubeapiserver.add_arguments(parser)


def main(options: argparse.Namespace) -> int:
    """Compare the tables; return 1 if one differs."""
    print(f"seed {options.seed}", flush=True)
    with kubeapiserver.at(options.server, options.kubernetes_version) as url, ThreadPoolExecutor(_AT_ONCE) as executor:
        cluster = Cluster(url, options.token)
        session = f"{SystemRandom().randrange(16**5):05x}"
        columns = [_column(Random(f"{options.seed}/{number}")) for number in range(options.columns)]  # noqa: S311
        tables = executor.map(
            lambda pair: _ask(cluster, f"c{pair[0]}.{session}.example.com", pair[1]), enumerate(columns)
        )
        differing = 0
        for column, theirs in zip(columns, tables, strict=True):
            ours = _answer(column, options.kubernetes_version)
            if ours != theirs:
                differing += 1
                print(f"{json.dumps(column)}\n  server {json.dumps(theirs)}\n  engine {json.dumps(ours)}", flush=True)
    print(f"{len(columns)} columns, {differing} differ")
    return int(bool(differing))


def _column(random: Random) -> JSONValue:
    count = random.choice((1, 2, 2, 3, 3, 4))
    start = ".spec" if random.random() < 0.8 else ""
    path = start + "".join(random.choice(_TOKENS) for _ in range(count))
    return {"name": "X", "type": random.choice(_TYPES), "jsonPath": path}


def _crd(group: str, column: JSONValue) -> JSONValue:
    schema = {"openAPIV3Schema": {"type": "object", "x-kubernetes-preserve-unknown-fields": True}}
    version = {"name": "v1", "served": True, "storage": True, "schema": schema, "additionalPrinterColumns": [column]}
    names = {"plural": "things", "singular": "thing", "kind": "Thing", "listKind": "ThingList"}
    spec = {"group": group, "scope": "Cluster", "names": names, "versions": [version]}
    metadata = {"name": f"things.{group}"}
    return {
        "apiVersion": "apiextensions.k8s.io/v1",
        "kind": "CustomResourceDefinition",
        "metadata": metadata,
        "spec": spec,
    }


def _object(group: str) -> JSONValue:
    return {"apiVersion": f"{group}/v1", "kind": "Thing", "metadata": {"name": "a"}, "spec": _SPEC}


def _ask(cluster: Cluster, group: str, column: JSONValue) -> JSONValue:
    """Return the table of a cluster, or the message of a refused CRD."""
    code = cluster.request("POST", _CRDS, _crd(group, column))[0]
    if code != 201:
        return "refused"
    path = f"/apis/{group}/v1/things"
    for _ in range(100):
        code, _ = cluster.request("POST", path, _object(group))
        if code == 201:
            break
        time.sleep(0.1)
    table = cluster.request("GET", f"{path}/a", headers={"accept": _TABLE})
    cluster.request("DELETE", f"{_CRDS}/things.{group}")
    return _summarize(*table)


def _answer(column: JSONValue, version: str) -> JSONValue:
    group = "columns.example.com"
    crd = CustomResourceDefinition.from_manifest(_crd(group, column), kubernetes_version=version)
    if not crd.response.accepted:
        return "refused"
    api = Api([crd], kubernetes_version=version)
    path = f"/apis/{group}/v1/things"
    send = serverside.to_http
    api.answer(send({"method": "POST", "path": path, "body": _object(group)}))
    reply: Any = api.answer(send({"method": "GET", "path": f"{path}/a", "accept": _TABLE}))
    return _summarize(reply.code, reply.body.decode())


def _summarize(code: int, text: str) -> JSONValue:
    value = json.loads(text)
    if code != 200:
        return [code, value.get("message")]
    columns = [column["name"] for column in value["columnDefinitions"]]
    cells = value["rows"][0]["cells"]
    return [columns, cells if columns[-1] == "X" else len(cells)]
