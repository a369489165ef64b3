"""
Write down how the built-in kinds that a server of tests stores are merged: pytest_crd/server/builtin/builtintypes.json.

A whole kube-apiserver publishes it in OpenAPI v3: of each list whether its items are owned one by one and by which keys, and by which key a
strategic merge patch finds them; of each object whether it is owned as a whole.
"""

from __future__ import annotations

import argparse
import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any, Final

import pytest_crd.server.builtin
from oracle.recorders import origin
from oracle.servers import kubeapiserver
from oracle.servers.dialogue import Cluster
from oracle.servers.versions import NEWEST

JSONValue = Any

KINDS: Final[Mapping[str, tuple[str, ...]]] = {
    "v1": (
        "namespaces",
        "configmaps",
        "secrets",
        "events",
        "serviceaccounts",
        "pods",
        "services",
        "persistentvolumeclaims",
    ),
    "apps/v1": ("deployments", "statefulsets"),
    "batch/v1": ("jobs",),
    "coordination.k8s.io/v1": ("leases",),
    "events.k8s.io/v1": ("events",),
}
_FILE: Final = Path(pytest_crd.server.builtin.__file__).with_name("builtintypes.json")
_ORIGIN: Final = origin.statement("builtintypes", f"the OpenAPI documents of kube-apiserver {NEWEST}")
_PREFIX: Final = "#/components/schemas/"
_GVK: Final = "x-kubernetes-group-version-kind"
# Those whose objects count their generations.
_GENERATIONS: Final = frozenset({"pods", "deployments", "statefulsets", "jobs"})
# Those of which a deletion answers with the object.
_SHOWN_WHEN_DELETED: Final = frozenset({"pods", "services", "serviceaccounts", "persistentvolumeclaims", "namespaces"})


add_arguments = kubeapiserver.add_arguments


def main(options: argparse.Namespace) -> int:
    """Write the file."""
    with kubeapiserver.at(options.server, NEWEST) as url:
        return _record(Cluster(url, options.token))


def _record(cluster: Cluster) -> int:
    kinds: list[JSONValue] = []
    types: dict[str, JSONValue] = {}
    for group_version, plurals in KINDS.items():
        lead = f"apis/{group_version}" if "/" in group_version else f"api/{group_version}"
        schemas = json.loads(cluster.request("GET", f"/openapi/v3/{lead}")[1])["components"]["schemas"]
        resources = json.loads(cluster.request("GET", f"/{lead}")[1])["resources"]
        kinds += [_kind(group_version, plural, resources, schemas, types) for plural in plurals]
    text = json.dumps(
        {origin.KEY: _ORIGIN, "kinds": kinds, "types": dict(sorted(types.items()))}, indent=1, ensure_ascii=False
    )
    _FILE.write_text(text + "\n", encoding="utf-8")
    print(f"{_FILE.name}: {len(kinds)} kinds, {len(types)} types, {len(text)} characters")
    return 0


def _kind(
    group_version: str, plural: str, resources: list[JSONValue], schemas: JSONValue, types: dict[str, JSONValue]
) -> JSONValue:
    own = next(one for one in resources if one["name"] == plural)
    group, _, version = group_version.rpartition("/")
    gvk = {"group": group, "kind": own["kind"], "version": version}
    name = next(name for name, schema in schemas.items() if gvk in schema.get(_GVK, ()))
    below = [one["name"].partition("/")[2] for one in resources if one["name"].startswith(f"{plural}/")]
    return {
        **gvk,
        "plural": plural,
        "singular": own["singularName"],
        "namespaced": own["namespaced"],
        "verbs": own["verbs"],
        "shortNames": own.get("shortNames", []),
        "categories": own.get("categories", []),
        "subresources": [one for one in below if one in ("status", "scale")],
        "generates": plural in _GENERATIONS,
        "shownWhenDeleted": plural in _SHOWN_WHEN_DELETED,
        "type": _collect(name, schemas, types),
    }


def _collect(name: str, schemas: JSONValue, types: dict[str, JSONValue]) -> str:
    """Return the short name of a type, and put into *types* what of it decides how it is merged; empty where nothing does."""
    short = name.rpartition(".")[2]
    if short not in types:
        types[short] = {}
        found = _fields(schemas[name], schemas, types)
        if schemas[name].get("x-kubernetes-map-type") == "atomic":
            found = {".": {"map": "atomic"}}
        types[short] = found
        if not found:
            del types[short]
    return short if short in types else ""


def _fields(schema: JSONValue, schemas: JSONValue, types: dict[str, JSONValue]) -> JSONValue:
    found = {}
    for field, of_field in schema.get("properties", {}).items():
        if field == "metadata" and "apiVersion" in schema["properties"]:
            continue
        if node := _node(of_field, schemas, types):
            found[field] = node
    return found


def _node(schema: JSONValue, schemas: JSONValue, types: dict[str, JSONValue]) -> JSONValue:
    node: dict[str, JSONValue] = {}
    referred = (
        _referred(schema) or _referred(schema.get("items") or {}) or _referred(schema.get("additionalProperties") or {})
    )
    if referred and (type_ := _collect(referred, schemas, types)):
        node["type"] = type_
    if schema.get("type") == "array":
        node |= _list(schema, schemas[referred] if referred else {})
    if schema.get("x-kubernetes-map-type") == "atomic":
        node["map"] = "atomic"
    return node if node.keys() - {"of"} else {}


def _list(schema: JSONValue, items: JSONValue) -> JSONValue:
    node: dict[str, JSONValue] = {}
    list_type = schema.get("x-kubernetes-list-type", "")
    keys = schema.get("x-kubernetes-list-map-keys", [])
    merges = "merge" in schema.get("x-kubernetes-patch-strategy", "").split(",")
    merge_key = schema.get("x-kubernetes-patch-merge-key", "")
    if not list_type and merges:
        list_type, keys = ("map", [merge_key]) if merge_key else ("set", [])
    if list_type in ("map", "set"):
        node["list"] = list_type
    if list_type == "map":
        node["keys"] = keys
        properties = items.get("properties", {})
        node["defaults"] = {key: properties[key]["default"] for key in keys if "default" in properties.get(key, {})}
    if merges:
        node["patchKey"] = merge_key
    return node


def _referred(schema: JSONValue) -> str:
    found = schema.get("$ref") or next((one["$ref"] for one in schema.get("allOf", ()) if "$ref" in one), "")
    return str(found).removeprefix(_PREFIX)
