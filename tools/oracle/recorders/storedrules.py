"""
Record answers about rules that all servers reject, in a CRD that was stored by an older version.

For each line of tests/conformance/storedrules.jsonl a CRD is created with an empty schema. Then the line's schema is
written into etcd as the schema of `spec`; CRDs in etcd are v1beta1 in all versions. The object is created, and the
stored CRD is updated unchanged. The line gets the answers by the versions that share them. With `unpruned` the CRD
preserves unknown fields, as v1beta1 allows. New lines need `name`, `schema` and `spec`.
"""

from __future__ import annotations

import argparse
import base64
import json
import time
import urllib.request
from typing import Final

from conformance.test_storedrules import GROUP, TABLE, VERSIONS, crd

from oracle.recorders import files
from oracle.servers import apiserver
from pytest_crd.engine.jsonvalue import JSONValue
from pytest_crd.live import client

# How long a server takes to see a change in etcd, in seconds.
_CACHE_SECONDS: Final = 1.2


def resource(name: str, spec: JSONValue) -> JSONValue:
    """Return an object of the CRD called *name*."""
    return {"apiVersion": f"{GROUP}/v1", "kind": name.title(), "metadata": {"name": "x"}, "spec": spec}


def record_row(server: client.Server, etcd: str, version: str, row: JSONValue) -> dict[str, JSONValue]:
    """Return the answers of *server* to the create of the object and to the update of the CRD of *row*."""
    path = client.crd_path("apiextensions.k8s.io/v1", f"{row['name']}s.{GROUP}")
    harmless = crd(row["name"], {"type": "object"}, unpruned=False)
    _check_code(server.ask("POST", client.crd_path("apiextensions.k8s.io/v1"), harmless), 201)
    time.sleep(_CACHE_SECONDS)
    key = f"/k8s-{version}/apiextensions.k8s.io/customresourcedefinitions/{row['name']}s.{GROUP}"
    (entry,) = _ask_etcd(etcd, "range", {"key": _coded(key)})["kvs"]
    stored = json.loads(base64.b64decode(entry["value"]))
    stored["spec"]["validation"]["openAPIV3Schema"]["properties"]["spec"] = row["schema"]
    stored["spec"]["preserveUnknownFields"] = bool(row.get("unpruned"))
    _ask_etcd(etcd, "put", {"key": _coded(key), "value": _coded(json.dumps(stored))})
    time.sleep(_CACHE_SECONDS)
    created = server.ask("POST", client.resource_path(harmless, "v1"), resource(row["name"], row["spec"]))
    written = server.ask("PUT", path, server.ask("GET", path).body)
    server.ask("DELETE", path)
    return {"create": _answer(created, created.body.get("spec")), "update": _answer(written, None)}


def _answer(answer: client.ServerAnswer, accepted_value: JSONValue) -> list[JSONValue]:
    return [answer.code, answer.message if answer.code >= 400 else accepted_value]


def _check_code(answer: client.ServerAnswer, code: int) -> None:
    if answer.code != code:
        raise RuntimeError(answer.message)


def _coded(text: str) -> str:
    return base64.b64encode(text.encode()).decode()


def _ask_etcd(etcd: str, operation: str, body: JSONValue) -> JSONValue:
    request = urllib.request.Request(f"{etcd}/v3/kv/{operation}", data=json.dumps(body).encode())  # noqa: S310 - on loopback
    with urllib.request.urlopen(request) as answer:  # noqa: S310
        return json.load(answer)


def record_table() -> str:
    """Return the table with the answers of all versions."""
    rows = [json.loads(line) for line in TABLE.read_text(encoding="utf-8").splitlines()]
    inputs = [{key: row[key] for key in ("name", "schema", "spec", "unpruned") if key in row} for row in rows]
    answers: list[dict[str, list[str]]] = [{} for _ in inputs]
    for version in VERSIONS:
        with apiserver.started_over_etcd(version) as (url, etcd):
            server = client.Server(url)
            for row, agreeing in zip(inputs, answers, strict=True):
                agreeing.setdefault(json.dumps(record_row(server, etcd, version, row)), []).append(version)
    lines = []
    for row, agreeing in zip(inputs, answers, strict=True):
        by_version = {" ".join(versions): json.loads(answer) for answer, versions in agreeing.items()}
        lines.append(json.dumps(row | by_version, ensure_ascii=False) + "\n")
    return "".join(lines)


def add_arguments(_parser: argparse.ArgumentParser) -> None:
    """Add no arguments."""


def main(options: argparse.Namespace) -> int:
    """Record the table; return 1 if a check finds a difference."""
    changed = files.keep(TABLE, record_table(), check=options.check)
    return files.outcome(int(changed), check=options.check)
