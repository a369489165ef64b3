"""
Record the merge types of the built-in kinds in the server: pytest_crd/server/builtin/builtintypes.json.

They come from the OpenAPI v3 documents of the newest version, which `record kubernetesdocuments` writes: the list type and map keys of each list, its
strategic merge key, and whether an object is atomic.
"""

from __future__ import annotations

import argparse
import json
from pathlib import Path
from typing import Final

import pytest_crd.server.builtin
from oracle.recorders import origin
from oracle.servers.versions import NEWEST
from pytest_crd.engine import profile
from pytest_crd.engine.jsonvalue import JSONValue
from pytest_crd.engine.openapi import kubernetesdocuments
from pytest_crd.server.builtin import builtinkinds

_FILE: Final = Path(pytest_crd.server.builtin.__file__).with_name("builtintypes.json")
_ORIGIN: Final = origin.statement("builtintypes", f"the OpenAPI documents of kube-apiserver {NEWEST}")
_PREFIX: Final = "#/components/schemas/"
_GVK: Final = "x-kubernetes-group-version-kind"


def add_arguments(_: argparse.ArgumentParser) -> None:
    """Add no arguments."""


def main(_options: argparse.Namespace) -> int:
    """Write the file."""
    text = table()
    _FILE.write_text(text, encoding="utf-8")
    print(f"{_FILE.name}: {len(text)} characters")
    return 0


def table() -> str:
    """Return the text of the file."""
    documents = kubernetesdocuments.of_version(profile.named(NEWEST))
    types: dict[str, JSONValue] = {}
    for group_version in dict.fromkeys((kind.group, kind.version) for kind in builtinkinds.records()):
        path = f"apis/{'/'.join(group_version)}" if group_version[0] else f"api/{group_version[1]}"
        schemas = documents[path]["components"]["schemas"]
        for name in schemas:
            if any(kind["group"] == group_version[0] for kind in schemas[name].get(_GVK, ())):
                _collect(name, schemas, types)
    lines = ",\n".join(
        f"{json.dumps(name)}: {json.dumps(types[name], separators=(',', ':'))}" for name in sorted(types) if types[name]
    )
    return f'{{"{origin.KEY}": {json.dumps(_ORIGIN)},\n"types": {{\n{lines}\n}}}}\n'


def _collect(name: str, schemas: JSONValue, types: dict[str, JSONValue]) -> None:
    """Add the merge facts of a type and of the types of its fields to *types*."""
    short = ".".join(name.split(".")[-3:])
    if short not in types:
        types[short] = {}
        fields = _fields(schemas[name], schemas, types)
        is_atomic = schemas[name].get("x-kubernetes-map-type") == "atomic"
        types[short] = {".": {"map": "atomic"}} if is_atomic else fields


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
    if referred:
        _collect(referred, schemas, types)
    if schema.get("type") == "array":
        node |= _list(schema, schemas[referred] if referred else {})
    if map_type := schema.get("x-kubernetes-map-type"):
        node["map"] = map_type
    return node


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
