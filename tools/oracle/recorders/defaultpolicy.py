"""Record the roles and bindings of a new cluster: pytest_crd/server/authorization/defaultpolicy.json."""

from __future__ import annotations

import argparse
import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any, Final

import pytest_crd.server.authorization
from oracle.recorders import origin
from oracle.servers import kubeapiserver
from oracle.servers.dialogue import Cluster
from oracle.servers.versions import NEWEST
from pytest_crd.engine.jsonvalue import JSONValue
from pytest_crd.server.authorization import policy

_TABLE: Final = Path(pytest_crd.server.authorization.__file__).with_name("defaultpolicy.json")
_ORIGIN: Final = origin.statement("defaultpolicy", f"a new kube-apiserver {NEWEST}")
_LABELS: Final = {"kubernetes.io/bootstrapping": "rbac-defaults"}
_ANNOTATIONS: Final = {"rbac.authorization.kubernetes.io/autoupdate": "true"}


add_arguments = kubeapiserver.add_arguments


def main(options: argparse.Namespace) -> int:
    """Write the file."""
    with kubeapiserver.at(options.server, NEWEST) as url:
        return _record(Cluster(url, options.token))


def _record(cluster: Cluster) -> int:
    rows: list[JSONValue] = []
    for kind, plural in policy.PLURALS.items():
        items = json.loads(cluster.request("GET", f"/apis/{policy.API_VERSION}/{plural}")[1])["items"]
        labels = [item["metadata"].get("labels", {}) for item in items]
        rows += [_row(kind, item) for item, own in zip(items, labels, strict=True) if own.items() >= _LABELS.items()]
    lines = ",\n".join(json.dumps(row, separators=(",", ":")) for row in rows)
    parts = ((origin.KEY, _ORIGIN), ("labels", _LABELS), ("annotations", _ANNOTATIONS))
    head = "".join(f"{json.dumps(key)}: {json.dumps(value)},\n" for key, value in parts)
    _TABLE.write_text(f'{{{head}"objects": [\n{lines}\n]}}\n', encoding="utf-8")
    print(f"{_TABLE.name}: {len(rows)} objects")
    return 0


def _row(kind: str, item: Mapping[str, Any]) -> JSONValue:
    """Return an object without the fields of one cluster and the common labels and annotations."""
    metadata = {key: item["metadata"][key] for key in ("name", "namespace") if key in item["metadata"]}
    if item["metadata"]["annotations"] != _ANNOTATIONS:
        raise ValueError(f"{kind} {metadata['name']} has further annotations")
    labels = {key: value for key, value in item["metadata"]["labels"].items() if key not in _LABELS}
    fields = {key: value for key, value in item.items() if key != "metadata" and value is not None}
    return {"kind": kind, "metadata": {**metadata, **({"labels": labels} if labels else {})}, **fields}
