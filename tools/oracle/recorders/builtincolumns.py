"""
Record the table columns of built-in kinds: pytest_crd/server/builtin/builtincolumns.json.

Also rows of objects of many kinds, with the objects, in tests/conformance/builtintables.jsonl. All times are shifted to
a fixed one.
"""

from __future__ import annotations

import argparse
import json
import re
from collections.abc import Iterator, Mapping
from datetime import UTC, datetime
from pathlib import Path
from random import SystemRandom
from typing import Final

from conformance import serverside

import pytest_crd.server.builtin
from oracle.generators import builtinobjects
from oracle.recorders import origin
from oracle.servers import kubeapiserver
from oracle.servers.dialogue import Cluster
from oracle.servers.versions import NEWEST
from pytest_crd.engine.jsonvalue import JSONValue

_COLUMNS: Final = Path(pytest_crd.server.builtin.__file__).with_name("builtincolumns.json")
_ORIGIN: Final = origin.statement("builtincolumns", f"the tables of kube-apiserver {NEWEST}")
_ROWS: Final = Path(serverside.__file__).with_name("builtintables.jsonl")
_TABLE: Final = {"accept": "application/json;as=Table;g=meta.k8s.io;v=v1"}
_NAMESPACE: Final = "columns"
# Fields that differ in each run.
_VARYING: Final = ("uid", "resourceVersion", "managedFields", "deletionGracePeriodSeconds")
_SECONDS: Final = re.compile(r"\d+s")
_UID: Final = re.compile(r"[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}")


add_arguments = kubeapiserver.add_arguments


def main(options: argparse.Namespace) -> int:
    """Write both files."""
    with kubeapiserver.at(options.server, NEWEST) as url:
        return _record(Cluster(url, options.token))


def _record(cluster: Cluster) -> int:
    namespace = f"columns-{SystemRandom().randrange(10**6)}"
    _demand(cluster.request("POST", "/api/v1/namespaces", {"metadata": {"name": namespace}}))
    columns: dict[str, JSONValue] = {}
    lines = []
    for resource, value in builtinobjects.objects():
        for title, table, line in _rows(cluster, namespace, resource, value):
            columns[title] = table["columnDefinitions"]
            lines.append(line)
    _COLUMNS.write_text(_columns(columns), encoding="utf-8")
    text = "".join(json.dumps(line, ensure_ascii=False, separators=(",", ":")) + "\n" for line in lines)
    _ROWS.write_text(text.replace(namespace, _NAMESPACE), encoding="utf-8")
    print(f"{len(columns)} resources, {len(lines)} rows")
    return 0


def _columns(columns: Mapping[str, JSONValue]) -> str:
    """Return the columns as JSON, one per line."""
    listed = [f'"{origin.KEY}": {json.dumps(_ORIGIN)}']
    for resource, definitions in columns.items():
        rows = (
            [definition[key] for key in ("name", "type", "format", "priority", "description")]
            for definition in definitions
        )
        listed.append(f'"{resource}": [\n' + ",\n".join(json.dumps(row, ensure_ascii=False) for row in rows) + "\n]")
    return "{" + ",\n".join(listed) + "}\n"


def _rows(
    cluster: Cluster, namespace: str, resource: str, value: JSONValue
) -> Iterator[tuple[str, JSONValue, JSONValue]]:
    """Yield resource, table and recorded line of an object, and of its Scale for some kinds."""
    by = datetime.now(UTC).replace(microsecond=0) - builtinobjects.NOW
    sent = builtinobjects.shifted(json.loads(json.dumps(value).replace("{ns}", namespace)), by)
    path = _path(resource, namespace)
    if resource == "namespaces":
        sent["metadata"]["name"] = f"{namespace}-x"
    object_path = f"{path}/{sent['metadata']['name']}"
    _write(cluster, path, object_path, sent)
    for title, below in ((resource, ""), ("scale", "/scale")) if resource.endswith("apps/v1") else ((resource, ""),):
        table = _demand(cluster.request("GET", f"{object_path}{below}?includeObject=Object", headers=_TABLE))
        row = builtinobjects.shifted(table["rows"][0], -by)
        row["object"]["metadata"] = _stable_metadata(row["object"]["metadata"])
        cells = ["0s" if _is_new(cell) else cell for cell in row["cells"]]
        line = {"resource": title, "sent": value, **row, "cells": cells}
        yield title, table, json.loads(_UID.sub("UID", json.dumps(line)))
    if "deletionTimestamp" not in sent["metadata"]:
        _demand(cluster.request("DELETE", object_path))  # frees its addresses


def _write(cluster: Cluster, path: str, object_path: str, sent: JSONValue) -> None:
    """Create an object with its status; delete it if it has a deletionTimestamp."""
    _demand(cluster.request("POST", path, sent))
    if "status" in sent:
        stored = _demand(cluster.request("GET", object_path))
        _demand(cluster.request("PUT", f"{object_path}/status", {**stored, "status": sent["status"]}))
    if "deletionTimestamp" in sent["metadata"]:
        _demand(cluster.request("DELETE", object_path))


def _stable_metadata(metadata: JSONValue) -> JSONValue:
    """Return metadata without fields that differ in each run, and with fixed times."""
    times = dict.fromkeys(("creationTimestamp", "deletionTimestamp"), builtinobjects.NOW.strftime("%Y-%m-%dT%H:%M:%SZ"))
    return {key: times.get(key, value) for key, value in metadata.items() if key not in _VARYING}


def _is_new(cell: JSONValue) -> bool:
    """Return True if a cell is an age of seconds, as for an object that was just created."""
    return isinstance(cell, str) and _SECONDS.fullmatch(cell) is not None


def _path(resource: str, namespace: str) -> str:
    plural, _, group_version = resource.partition(".")
    lead = f"/apis/{group_version}" if group_version else "/api/v1"
    return f"{lead}/{plural}" if plural == "namespaces" else f"{lead}/namespaces/{namespace}/{plural}"


def _demand(answer: tuple[int, str]) -> JSONValue:
    code, text = answer
    if code >= 300:
        raise RuntimeError(text)
    return json.loads(text)
