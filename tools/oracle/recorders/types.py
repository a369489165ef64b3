"""
Record the Kubernetes types and parameters in the OpenAPI documents of custom resources.

A server of each version is started in turn, and `pytest_crd/engine/openapi/types.json` is written. Equal definitions of
several versions are written once.
"""

from __future__ import annotations

import argparse
import json
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Final

from conformance import casefile

from oracle.recorders import files, origin
from oracle.servers import apiserver
from oracle.servers.crds import collection, delete
from oracle.servers.versions import VERSIONS
from pytest_crd.engine.jsonvalue import JSONValue
from pytest_crd.live import client, settling

FILE: Final = Path(__file__).parents[3] / "pytest_crd" / "engine" / "openapi" / "types.json"
_ORIGIN: Final = origin.statement("types", f"the OpenAPI documents of apiextensions-apiserver {', '.join(VERSIONS)}")
GROUP: Final = "types.example.com"
_GVK: Final = "x-kubernetes-group-version-kind"
_CRD_GROUP: Final = "apiextensions.k8s.io"


def crd(*, scales: bool) -> JSONValue:
    """Return a CRD whose paths have all operations, with the scale subresource if *scales*."""
    manifest = casefile.manifest({"type": "object"}, group=GROUP)
    manifest["spec"]["scope"] = "Namespaced"
    scale = {"specReplicasPath": ".spec.replicas", "statusReplicasPath": ".status.replicas"}
    manifest["spec"]["versions"][0]["subresources"] = {"status": {}, **({"scale": scale} if scales else {})}
    return manifest


def published(server: client.Server, manifest: JSONValue) -> tuple[JSONValue, JSONValue]:
    """Return the v3 and the v2 document of a server with a CRD; None for v3 if the server has none."""
    delete(server, manifest)
    server.ask("POST", collection(manifest), manifest)
    settling.wait_until_served(server, manifest)
    own = f"/apis/{GROUP}/v1/cases"
    v2 = server.wait("/openapi/v2", lambda answer: own in answer.body["paths"], "the OpenAPI document").body
    v3 = server.ask("GET", f"/openapi/v3/apis/{GROUP}/v1")
    delete(server, manifest)
    server.wait("/openapi/v2", lambda answer: own not in answer.body["paths"], "the end of the CRD")
    return (v3.body if v3.code == 200 else None), v2


def definitions(v3: JSONValue, v2: JSONValue) -> dict[str, JSONValue]:
    """
    Return the schemas of the Kubernetes types, in their v3 form if there is one.

    Raises:
        RuntimeError: A v2 schema does not follow from the v3 schema.
    """
    if v3 is None:
        return {name: _short(name, v2["definitions"][name]) for name in sorted(_reachable(v2))}
    schemas = {name: schema for name, schema in v3["components"]["schemas"].items() if name.startswith("io.k8s.")}
    for name, schema in schemas.items():
        if as_v2(schema) != _without_own_group(v2["definitions"][name]):
            raise RuntimeError(
                f"{name} differs in v2 from its conversion from v3: describe the difference in `types` of the engine"
            )
    return {name: _short(name, schema) for name, schema in sorted(schemas.items())}


def as_v2(value: JSONValue) -> JSONValue:
    """Return a v3 schema in v2 form: references beside other keywords, and no defaults."""
    if isinstance(value, list):
        return [as_v2(item) for item in value]
    if not isinstance(value, dict):
        return value.replace("#/components/schemas/", "#/definitions/") if isinstance(value, str) else value
    merged = {key: item for key, item in value.items() if key not in ("allOf", "default")}
    for reference in value.get("allOf", ()):
        merged |= reference
    return {key: as_v2(item) for key, item in merged.items()}


def _without_own_group(schema: JSONValue) -> JSONValue:
    """Return a v2 schema without the kinds of the CRD group, which the server adds for itself."""
    kinds = [kind for kind in schema.get(_GVK, ()) if kind["group"] != _CRD_GROUP]
    return {**schema, _GVK: kinds} if _GVK in schema else schema


def _short(name: str, schema: JSONValue) -> JSONValue:
    """
    Return a schema with its kinds as `group/version`.

    Raises:
        RuntimeError: A kind has a different name than the type.
    """
    if _GVK not in schema:
        return schema
    kind = name.rpartition(".")[2].partition("_")[0]
    if any(gvk["kind"] != kind for gvk in schema[_GVK]):
        raise RuntimeError(f"{name} has a kind with a different name")
    return {**schema, _GVK: [f"{gvk['group']}/{gvk['version']}".removeprefix("/") for gvk in schema[_GVK]]}


def _reachable(v2: JSONValue) -> set[str]:
    """Return the names of the Kubernetes definitions that the paths of the CRD refer to, also indirectly."""
    paths = [item for path, item in v2["paths"].items() if f"/{GROUP}/" in path]
    names: set[str] = set()
    rest = [*references(paths)]
    while rest:
        name = rest.pop()
        if name not in names:
            names.add(name)
            rest += references(v2["definitions"][name])
    return {name for name in names if name.startswith("io.k8s.")}


def references(value: JSONValue) -> Iterator[str]:
    """Yield the names of the v2 definitions that *value* refers to."""
    if isinstance(value, dict):
        if isinstance(value.get("$ref"), str) and value["$ref"].startswith("#/definitions/"):
            yield value["$ref"].removeprefix("#/definitions/")
        for item in value.values():
            yield from references(item)
    elif isinstance(value, list):
        for item in value:
            yield from references(item)


def parameters(v2: JSONValue) -> list[JSONValue]:
    """Return each parameter with its actions, and with its shared name if several operations share it."""
    parameters_: dict[str, JSONValue] = {}
    for path, item in v2["paths"].items():
        if f"/{GROUP}/" in path:
            for operation in item.values():
                if isinstance(operation, dict):
                    for parameter in (*item["parameters"], *operation.get("parameters", ())):
                        _add(parameters_, _resolved(v2, parameter), operation["x-kubernetes-action"])
    return [{**parameter, "actions": sorted(parameter["actions"])} for _, parameter in sorted(parameters_.items())]


def _resolved(v2: JSONValue, parameter: JSONValue) -> JSONValue:
    if "$ref" not in parameter:
        return parameter
    name = parameter["$ref"].removeprefix("#/parameters/")
    return {**v2["parameters"][name], "sharedAs": name}


def _add(parameters_: dict[str, JSONValue], parameter: JSONValue, action: str) -> None:
    # The remaining parameters depend on the CRD.
    body = parameter.get("schema", {}).get("$ref", "")
    if parameter["name"] == "name" or (parameter["in"] == "body" and "io.k8s.apimachinery" not in body):
        return
    key = json.dumps([parameter["name"], parameter])
    parameters_.setdefault(key, {**parameter, "actions": set()})["actions"].add(action)


def record_types() -> str:
    """Return the content of the file, from the servers of all versions."""
    schemas: dict[str, list[JSONValue]] = {}
    parameters_: list[JSONValue] = []
    for version in VERSIONS:
        with apiserver.started(version) as url:
            server = client.Server(url)
            # In 1.21 a CRD with scale has different types.
            answers = [published(server, crd(scales=scales)) for scales in (True, False)]
        for v3, v2 in answers:
            for name, schema in definitions(v3, v2).items():
                _add_version(schemas.setdefault(name, []), {"schema": schema}, version)
            for parameter in parameters(v2):
                _add_version(parameters_, {"parameter": parameter}, version)
    content = {origin.KEY: _ORIGIN, "definitions": dict(sorted(schemas.items())), "parameters": parameters_}
    return json.dumps(content, indent=1, ensure_ascii=False) + "\n"


def _add_version(items: list[JSONValue], item: Mapping[str, JSONValue], version: str) -> None:
    """Add *version* to an equal known item, or append the item."""
    for known_item in items:
        if all(known_item[key] == value for key, value in item.items()):
            known_item["versions"] += [version] if version not in known_item["versions"] else []
            return
    items.append({"versions": [version], **item})


def add_arguments(_parser: argparse.ArgumentParser) -> None:
    """Add nothing."""


def main(options: argparse.Namespace) -> int:
    """Record; return 1 where a check finds something else than the recorded."""
    changed = files.keep(FILE, record_types(), check=options.check)
    return files.outcome(int(changed), check=options.check)
