"""
Write down the columns of tables of built-in kinds: pytest_crd/server/builtin/builtincolumns.json.

And rows of objects of many kinds, with the objects, in tests/conformance/builtintables.jsonl. Times are moved to one time for all.
"""

from __future__ import annotations

import argparse
import json
import re
from collections.abc import Iterator, Mapping
from datetime import UTC, datetime
from pathlib import Path
from random import SystemRandom
from typing import Any, Final

from conformance import serverside

import pytest_crd.server.builtin
from oracle.generators import builtinobjects
from oracle.recorders import origin
from oracle.servers import kubeapiserver
from oracle.servers.dialogue import Cluster
from oracle.servers.versions import NEWEST

JSONValue = Any

_COLUMNS: Final = Path(pytest_crd.server.builtin.__file__).with_name("builtincolumns.json")
_ORIGIN: Final = origin.statement("builtincolumns", f"the tables of kube-apiserver {NEWEST}")
_ROWS: Final = Path(serverside.__file__).with_name("builtintables.jsonl")
_TABLE: Final = {"accept": "application/json;as=Table;g=meta.k8s.io;v=v1"}
_NAMESPACE: Final = "columns"
# What differs each time.
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
        for shown, table, line in _rows(cluster, namespace, resource, value):
            columns[shown] = table["columnDefinitions"]
            lines.append(line)
    _COLUMNS.write_text(_columns(columns), encoding="utf-8")
    text = "".join(json.dumps(line, ensure_ascii=False, separators=(",", ":")) + "\n" for line in lines)
    _ROWS.write_text(text.replace(namespace, _NAMESPACE), encoding="utf-8")
    print(f"{len(columns)} resources, {len(lines)} rows")
    return 0


def _columns(columns: Mapping[str, JSONValue]) -> str:
    """Return the columns, a line for each."""
    listed = [f'"{origin.KEY}": {json.dumps(_ORIGIN)}']
    for resource, definitions in columns.items():
        rows = ([one[key] for key in ("name", "type", "format", "priority", "description")] for one in definitions)
        listed.append(f'"{resource}": [\n' + ",\n".join(json.dumps(row, ensure_ascii=False) for row in rows) + "\n]")
    return "{" + ",\n".join(listed) + "}\n"


def _rows(
    cluster: Cluster, namespace: str, resource: str, value: JSONValue
) -> Iterator[tuple[str, JSONValue, JSONValue]]:
    """Yield what is shown of an object, in which table, and what is written down of it; of some its Scale, too."""
    by = datetime.now(UTC).replace(microsecond=0) - builtinobjects.NOW
    sent = builtinobjects.shifted(json.loads(json.dumps(value).replace("{ns}", namespace)), by)
    path = _path(resource, namespace)
    if resource == "namespaces":
        sent["metadata"]["name"] = f"{namespace}-x"
    at = f"{path}/{sent['metadata']['name']}"
    _write(cluster, path, at, sent)
    for shown, below in ((resource, ""), ("scale", "/scale")) if resource.endswith("apps/v1") else ((resource, ""),):
        table = _demand(cluster.request("GET", f"{at}{below}?includeObject=Object", headers=_TABLE))
        row = builtinobjects.shifted(table["rows"][0], -by)
        row["object"]["metadata"] = _lasting(row["object"]["metadata"])
        cells = ["0s" if _is_new(cell) else cell for cell in row["cells"]]
        line = {"resource": shown, "sent": value, **row, "cells": cells}
        yield shown, table, json.loads(_UID.sub("UID", json.dumps(line)))
    if "deletionTimestamp" not in sent["metadata"]:
        _demand(cluster.request("DELETE", at))  # so that its addresses are free again


def _write(cluster: Cluster, path: str, at: str, sent: JSONValue) -> None:
    """Have an object with its status, and have it deleted where it is to be."""
    _demand(cluster.request("POST", path, sent))
    if "status" in sent:
        stored = _demand(cluster.request("GET", at))
        _demand(cluster.request("PUT", f"{at}/status", {**stored, "status": sent["status"]}))
    if "deletionTimestamp" in sent["metadata"]:
        _demand(cluster.request("DELETE", at))


def _lasting(metadata: JSONValue) -> JSONValue:
    """Return metadata without what differs each time."""
    times = dict.fromkeys(("creationTimestamp", "deletionTimestamp"), builtinobjects.NOW.strftime("%Y-%m-%dT%H:%M:%SZ"))
    return {key: times.get(key, value) for key, value in metadata.items() if key not in _VARYING}


def _is_new(cell: JSONValue) -> bool:
    """Return whether a cell says for how long what was just made is there."""
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
