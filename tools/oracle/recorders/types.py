"""
Ask real API servers which types of Kubernetes and which parameters they publish beside custom resources, and write them down.

A server of each version is started in turn, and `pytest_crd/engine/openapi/types.json` written. What is the same in several versions
stands there once.
"""

from __future__ import annotations

import argparse
import json
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any, Final

from conformance import casefile

from oracle.recorders import files, origin
from oracle.servers import apiserver
from oracle.servers.crds import collection, delete
from oracle.servers.versions import VERSIONS
from pytest_crd.live import client, settling

JSONValue = Any

FILE: Final = Path(__file__).parents[3] / "pytest_crd" / "engine" / "openapi" / "types.json"
_ORIGIN: Final = origin.statement("types", f"the OpenAPI documents of apiextensions-apiserver {', '.join(VERSIONS)}")
GROUP: Final = "types.example.com"
_GVK: Final = "x-kubernetes-group-version-kind"
_CRD_GROUP: Final = "apiextensions.k8s.io"


def crd(*, scales: bool) -> JSONValue:
    """Return a CRD whose paths have all operations that there are, those on scales where it *scales*."""
    manifest = casefile.manifest({"type": "object"}, group=GROUP)
    manifest["spec"]["scope"] = "Namespaced"
    scale = {"specReplicasPath": ".spec.replicas", "statusReplicasPath": ".status.replicas"}
    manifest["spec"]["versions"][0]["subresources"] = {"status": {}, **({"scale": scale} if scales else {})}
    return manifest


def published(server: client.Server, manifest: JSONValue) -> tuple[JSONValue, JSONValue]:
    """Return the two documents of a server that has a CRD, v3 and v2; None where it has no such document."""
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
    Return the schemas of the types, in the form of v3 where there is one.

    Raises:
        RuntimeError: The form of v2 does not follow from that of v3.
    """
    if v3 is None:
        return {name: _short(name, v2["definitions"][name]) for name in sorted(_reachable(v2))}
    found = {name: schema for name, schema in v3["components"]["schemas"].items() if name.startswith("io.k8s.")}
    for name, schema in found.items():
        if as_v2(schema) != _without_own_group(v2["definitions"][name]):
            raise RuntimeError(f"{name} is in v2 what does not follow from v3: say how in `types` of the engine")
    return {name: _short(name, schema) for name, schema in sorted(found.items())}


def as_v2(value: JSONValue) -> JSONValue:
    """Return a schema of v3 as v2 has it: a reference beside other keywords, and no defaults."""
    if isinstance(value, list):
        return [as_v2(item) for item in value]
    if not isinstance(value, dict):
        return value.replace("#/components/schemas/", "#/definitions/") if isinstance(value, str) else value
    merged = {key: item for key, item in value.items() if key not in ("allOf", "default")}
    for reference in value.get("allOf", ()):
        merged |= reference
    return {key: as_v2(item) for key, item in merged.items()}


def _without_own_group(schema: JSONValue) -> JSONValue:
    """Return a schema of v2 without the kinds of the group of CRDs, which the server adds for itself."""
    kinds = [kind for kind in schema.get(_GVK, ()) if kind["group"] != _CRD_GROUP]
    return {**schema, _GVK: kinds} if _GVK in schema else schema


def _short(name: str, schema: JSONValue) -> JSONValue:
    """Return a schema with its kinds as `group/version`, for all of them have the name of the type."""
    if _GVK not in schema:
        return schema
    kind = name.rpartition(".")[2].partition("_")[0]
    if any(one["kind"] != kind for one in schema[_GVK]):
        raise RuntimeError(f"{name} has a kind of another name")
    return {**schema, _GVK: [f"{one['group']}/{one['version']}".removeprefix("/") for one in schema[_GVK]]}


def _reachable(v2: JSONValue) -> set[str]:
    """Return the names of the definitions of Kubernetes to which the paths of the CRD lead."""
    paths = [item for path, item in v2["paths"].items() if f"/{GROUP}/" in path]
    found: set[str] = set()
    rest = [*references(paths)]
    while rest:
        name = rest.pop()
        if name not in found:
            found.add(name)
            rest += references(v2["definitions"][name])
    return {name for name in found if name.startswith("io.k8s.")}


def references(value: JSONValue) -> Iterator[str]:
    """Yield the names of the definitions of v2 to which *value* refers."""
    if isinstance(value, dict):
        if isinstance(value.get("$ref"), str) and value["$ref"].startswith("#/definitions/"):
            yield value["$ref"].removeprefix("#/definitions/")
        for item in value.values():
            yield from references(item)
    elif isinstance(value, list):
        for item in value:
            yield from references(item)


def parameters(v2: JSONValue) -> list[JSONValue]:
    """Return each parameter with the actions that have it, and how it is called where operations share it."""
    found: dict[str, JSONValue] = {}
    for path, item in v2["paths"].items():
        if f"/{GROUP}/" in path:
            for operation in item.values():
                if isinstance(operation, dict):
                    for given in (*item["parameters"], *operation.get("parameters", ())):
                        _add(found, _resolved(v2, given), operation["x-kubernetes-action"])
    return [{**one, "actions": sorted(one["actions"])} for _, one in sorted(found.items())]


def _resolved(v2: JSONValue, parameter: JSONValue) -> JSONValue:
    if "$ref" not in parameter:
        return parameter
    name = parameter["$ref"].removeprefix("#/parameters/")
    return {**v2["parameters"][name], "sharedAs": name}


def _add(found: dict[str, JSONValue], parameter: JSONValue, action: str) -> None:
    # The others tell of the CRD.
    body = parameter.get("schema", {}).get("$ref", "")
    if parameter["name"] == "name" or (parameter["in"] == "body" and "io.k8s.apimachinery" not in body):
        return
    key = json.dumps([parameter["name"], parameter])
    found.setdefault(key, {**parameter, "actions": set()})["actions"].add(action)


def written() -> str:
    """Return the content of the file: what the servers of all versions publish."""
    schemas: dict[str, list[JSONValue]] = {}
    given: list[JSONValue] = []
    for version in VERSIONS:
        with apiserver.started(version) as url:
            server = client.Server(url)
            # In 1.21 one that scales has other types.
            answers = [published(server, crd(scales=scales)) for scales in (True, False)]
        for v3, v2 in answers:
            for name, schema in definitions(v3, v2).items():
                _note(schemas.setdefault(name, []), {"schema": schema}, version)
            for parameter in parameters(v2):
                _note(given, {"parameter": parameter}, version)
    content = {origin.KEY: _ORIGIN, "definitions": dict(sorted(schemas.items())), "parameters": given}
    return json.dumps(content, indent=1, ensure_ascii=False) + "\n"


def _note(known: list[JSONValue], found: Mapping[str, JSONValue], version: str) -> None:
    """Add *version* to what is known already, or what was found."""
    for one in known:
        if all(one[key] == value for key, value in found.items()):
            one["versions"] += [version] if version not in one["versions"] else []
            return
    known.append({"versions": [version], **found})


def add_arguments(_parser: argparse.ArgumentParser) -> None:
    """Add nothing."""


def main(options: argparse.Namespace) -> int:
    """Record; return 1 where a check finds something else than the recorded."""
    changed = files.keep(FILE, written(), check=options.check)
    return files.outcome(int(changed), check=options.check)
