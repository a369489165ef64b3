"""
Record the merge types of the built-in kinds in the server: pytest_crd/server/builtin/builtintypes.json.

They come from the OpenAPI v3 documents of a whole kube-apiserver: the list type and map keys of each list, its
strategic merge key, and whether an object is atomic.
"""

from __future__ import annotations

import argparse
import json
from collections.abc import Mapping
from pathlib import Path
from typing import Final

import pytest_crd.server.builtin
from oracle.recorders import origin
from oracle.servers import kubeapiserver
from oracle.servers.dialogue import Cluster
from oracle.servers.versions import NEWEST
from pytest_crd.engine.jsonvalue import JSONValue

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
# Kinds whose objects have a generation.
_GENERATIONS: Final = frozenset({"pods", "deployments", "statefulsets", "jobs"})
# Kinds for which a DELETE returns the object.
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
    own = next(resource for resource in resources if resource["name"] == plural)
    group, _, version = group_version.rpartition("/")
    gvk = {"group": group, "kind": own["kind"], "version": version}
    name = next(name for name, schema in schemas.items() if gvk in schema.get(_GVK, ()))
    below = [resource["name"].partition("/")[2] for resource in resources if resource["name"].startswith(f"{plural}/")]
    return {
        **gvk,
        "plural": plural,
        "singular": own["singularName"],
        "namespaced": own["namespaced"],
        "verbs": own["verbs"],
        "shortNames": own.get("shortNames", []),
        "categories": own.get("categories", []),
        "subresources": [name_ for name_ in below if name_ in ("status", "scale")],
        "generates": plural in _GENERATIONS,
        "shownWhenDeleted": plural in _SHOWN_WHEN_DELETED,
        "type": _collect(name, schemas, types),
    }


def _collect(name: str, schemas: JSONValue, types: dict[str, JSONValue]) -> str:
    """Return the short name of a type after adding its merge facts to *types*, or an empty string if it has none."""
    short = name.rpartition(".")[2]
    if short not in types:
        types[short] = {}
        fields = _fields(schemas[name], schemas, types)
        if schemas[name].get("x-kubernetes-map-type") == "atomic":
            fields = {".": {"map": "atomic"}}
        types[short] = fields
        if not fields:
            del types[short]
    return short if short in types else ""


def _fields(schema: JSONValue, schemas: JSONValue, types: dict[str, JSONValue]) -> JSONValue:
    fields = {}
    for field, field_schema in schema.get("properties", {}).items():
        if field == "metadata" and "apiVersion" in schema["properties"]:
            continue
        if node := _node(field_schema, schemas, types):
            fields[field] = node
    return fields


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
    reference = schema.get("$ref") or next((part["$ref"] for part in schema.get("allOf", ()) if "$ref" in part), "")
    return str(reference).removeprefix(_PREFIX)
