"""The roles and bindings of a new cluster, from `defaultpolicy.json`."""

from __future__ import annotations

import functools
import json
from collections.abc import Mapping, Sequence
from importlib import resources
from typing import Any

from pytest_crd.engine.jsonvalue import JSONObject as Resource
from pytest_crd.server.authorization import aggregation, policy


@functools.cache
def objects() -> Sequence[Resource]:
    """Return the roles and bindings, with the rules of aggregated roles."""
    recorded = [_complete(item) for item in _table()["objects"]]
    cluster_roles = [item for item in recorded if item["kind"] == "ClusterRole"]
    changed = {role["metadata"]["name"]: role for role in aggregation.aggregate(cluster_roles)}
    return [changed.get(item["metadata"]["name"], item) if item["kind"] == "ClusterRole" else item for item in recorded]


def _complete(item: Mapping[str, Any]) -> Resource:
    """Return a recorded object with its kind, and with the labels and annotations that all have."""
    table = _table()
    metadata = {**item["metadata"], "annotations": table["annotations"]}
    metadata["labels"] = {**table["labels"], **metadata.get("labels", {})}
    return {**item, "apiVersion": policy.API_VERSION, "metadata": metadata}


@functools.cache
def _table() -> Mapping[str, Any]:
    """Return the output of `python -m oracle record defaultpolicy`."""
    text = resources.files(__package__).joinpath("defaultpolicy.json").read_text(encoding="utf-8")
    table: Mapping[str, Any] = json.loads(text)
    return table
