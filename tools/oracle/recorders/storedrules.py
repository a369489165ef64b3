"""
Ask servers about rules that no server takes: those of a CRD that is stored since an older version took it.

For each line of tests/conformance/storedrules.jsonl a CRD is created with a schema that says nothing; then its `spec` gets the line's schema, in etcd, where CRDs are of v1beta1 in all versions. The object is created, and
the CRD written again as it is stored. What is answered comes into the line, by the versions that agree. With `unpruned` the CRD is
one of v1beta1 that keeps unknown fields. Add cases by lines with `name`, `schema` and `spec`.
"""

from __future__ import annotations

import argparse
import base64
import json
import time
import urllib.request
from typing import Any, Final

from conformance.test_storedrules import GROUP, TABLE, VERSIONS, crd

from oracle.recorders import files
from oracle.servers import apiserver
from pytest_crd.live import client

# How long a server takes to see what is written behind its back.
_SECONDS: Final = 1.2

JSONValue = Any


def resource(name: str, spec: JSONValue) -> JSONValue:
    """Return an object of the CRD called *name*."""
    return {"apiVersion": f"{GROUP}/v1", "kind": name.title(), "metadata": {"name": "x"}, "spec": spec}


def answered(server: client.Server, etcd: str, version: str, row: JSONValue) -> dict[str, JSONValue]:
    """Return what *server* answers to the object and to the CRD of *row*."""
    path = client.crd_path("apiextensions.k8s.io/v1", f"{row['name']}s.{GROUP}")
    harmless = crd(row["name"], {"type": "object"}, unpruned=False)
    _of(server.ask("POST", client.crd_path("apiextensions.k8s.io/v1"), harmless), 201)
    time.sleep(_SECONDS)
    key = f"/k8s-{version}/apiextensions.k8s.io/customresourcedefinitions/{row['name']}s.{GROUP}"
    (found,) = _ask_etcd(etcd, "range", {"key": _coded(key)})["kvs"]
    stored = json.loads(base64.b64decode(found["value"]))
    stored["spec"]["validation"]["openAPIV3Schema"]["properties"]["spec"] = row["schema"]
    stored["spec"]["preserveUnknownFields"] = bool(row.get("unpruned"))
    _ask_etcd(etcd, "put", {"key": _coded(key), "value": _coded(json.dumps(stored))})
    time.sleep(_SECONDS)
    created = server.ask("POST", client.resource_path(harmless, "v1"), resource(row["name"], row["spec"]))
    written = server.ask("PUT", path, server.ask("GET", path).body)
    server.ask("DELETE", path)
    return {"create": _answer(created, created.body.get("spec")), "update": _answer(written, None)}


def _answer(answer: client.ServerAnswer, kept: JSONValue) -> list[JSONValue]:
    return [answer.code, answer.message if answer.code >= 400 else kept]


def _of(answer: client.ServerAnswer, code: int) -> None:
    if answer.code != code:
        raise RuntimeError(answer.message)


def _coded(text: str) -> str:
    return base64.b64encode(text.encode()).decode()


def _ask_etcd(etcd: str, what: str, body: JSONValue) -> JSONValue:
    request = urllib.request.Request(f"{etcd}/v3/kv/{what}", data=json.dumps(body).encode())  # noqa: S310 - on loopback
    with urllib.request.urlopen(request) as answer:  # noqa: S310
        return json.load(answer)


def recorded() -> str:
    """Return the table with the answers of all versions."""
    rows = [json.loads(line) for line in TABLE.read_text(encoding="utf-8").splitlines()]
    asked = [{key: row[key] for key in ("name", "schema", "spec", "unpruned") if key in row} for row in rows]
    answers: list[dict[str, list[str]]] = [{} for _ in asked]
    for version in VERSIONS:
        with apiserver.started_over_etcd(version) as (url, etcd):
            server = client.Server(url)
            for row, agreeing in zip(asked, answers, strict=True):
                agreeing.setdefault(json.dumps(answered(server, etcd, version, row)), []).append(version)
    lines = []
    for row, agreeing in zip(asked, answers, strict=True):
        by_version = {" ".join(versions): json.loads(answer) for answer, versions in agreeing.items()}
        lines.append(json.dumps(row | by_version, ensure_ascii=False) + "\n")
    return "".join(lines)


def add_arguments(_parser: argparse.ArgumentParser) -> None:
    """Add nothing."""


def main(options: argparse.Namespace) -> int:
    """Record; return 1 where a check finds something else than the recorded."""
    changed = files.keep(TABLE, recorded(), check=options.check)
    return files.outcome(int(changed), check=options.check)
