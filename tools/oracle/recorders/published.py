"""
Record the OpenAPI documents of real API servers for the CRDs and schemas of `publishedgen`.

A server of each named version is started, or of all versions. Recorded are the schemas of each CRD's objects, a digest
of each whole document, and the published schema of each field.
"""

from __future__ import annotations

import argparse
import json
from collections.abc import Iterator, Mapping, Sequence
from typing import Final

from conformance import published

from oracle.generators import publishedgen
from oracle.recorders import types
from oracle.servers import apiserver
from oracle.servers.crds import collection, delete
from oracle.servers.versions import VERSIONS
from pytest_crd.engine.jsonvalue import JSONValue
from pytest_crd.live import client, settling

_GROUP: Final = "keywords.example.com"
# The number of schemas in one CRD.
_SCHEMAS_PER_CRD: Final = 300


class Publishing:
    """The OpenAPI documents of a server."""

    def __init__(self, server: client.Server) -> None:
        self._server = server

    def read(self, manifest: JSONValue) -> dict[str, JSONValue] | None:
        """
        Create a CRD, read its OpenAPI documents, and delete it.

        Returns:
            The documents, or None for a missing one, by version and OpenAPI version: `v1/3`. None if the server rejects the CRD.
        """
        server = self._server
        delete(server, manifest)
        if server.ask("POST", collection(manifest), manifest).code != 201:
            return None
        settling.wait_until_served(server, manifest)
        group = manifest["spec"]["group"]
        names = [
            version["name"] for version in manifest["spec"].get("versions", [{"name": manifest["spec"].get("version")}])
        ]
        served = [name for name in names if self._serves(manifest, name)]
        whole = server.wait(
            "/openapi/v2", lambda answer: all(parts_of(answer.body, group, name) for name in served), "v2"
        )
        documents = {f"{name}/2": parts_of(whole.body, group, name) for name in names}
        for name in names:
            path = f"/openapi/v3/apis/{group}/{name}"
            if name in served and server.ask("GET", "/openapi/v3").code == 200:
                server.wait(path, lambda answer: answer.code == 200, path)
            answer = server.ask("GET", path)  # 404 for a version that is not served
            documents[f"{name}/3"] = answer.body if isinstance(answer.body, dict) and answer.code == 200 else None
        delete(server, manifest)
        server.wait(
            "/openapi/v2", lambda answer: not any(parts_of(answer.body, group, name) for name in names), "no v2"
        )
        return documents

    def _serves(self, manifest: JSONValue, version: str) -> bool:
        return self._server.ask("GET", client.resource_path(manifest, version)).code == 200


def parts_of(document: JSONValue, group: str, version: str) -> JSONValue:
    """Return the parts of a server's v2 document that belong to a version, or None if there are none."""
    paths = {path: item for path, item in document["paths"].items() if path.startswith(f"/apis/{group}/{version}/")}
    if not paths:
        return None
    names = sorted({ref for ref in _refs(paths) if ref.startswith("#/parameters/")})
    parameters = {ref.removeprefix("#/parameters/"): None for ref in names}
    parameters = {name: document["parameters"][name] for name in parameters}
    definitions: dict[str, JSONValue] = {}
    rest = [*types.references(paths), *types.references(parameters)]
    while rest:
        name = rest.pop()
        if name not in definitions:
            definitions[name] = document["definitions"][name]
            rest += types.references(definitions[name])
    return {"paths": paths, "definitions": definitions, **({"parameters": parameters} if parameters else {})}


def _refs(value: JSONValue) -> Iterator[str]:
    if isinstance(value, dict):
        if isinstance(value.get("$ref"), str):
            yield value["$ref"]
        for item in value.values():
            yield from _refs(item)
    elif isinstance(value, list):
        for item in value:
            yield from _refs(item)


def _schemas(server: client.Server) -> Iterator[tuple[JSONValue, JSONValue]]:
    """Yield each accepted field schema with its published forms by OpenAPI version."""
    accepted = [schema for schema in publishedgen.schemas() if _is_accepted(server, schema)]
    for start in range(0, len(accepted), _SCHEMAS_PER_CRD):
        part = accepted[start : start + _SCHEMAS_PER_CRD]
        documents = Publishing(server).read(published.crd_of_fields(part))
        assert documents is not None, "the server accepts each schema alone, but not all together"
        by_form = {form: _fields(documents[f"v1/{form}"]) for form in ("2", "3")}
        for index, schema in enumerate(part):
            name = published.field(index)
            yield schema, {form: fields[name] for form, fields in by_form.items() if fields is not None}


def _is_accepted(server: client.Server, schema: JSONValue) -> bool:
    manifest = published.crd_of_fields([schema])
    return server.ask("POST", collection(manifest), manifest, query={"dryRun": "All"}).code == 201


def _fields(document: JSONValue) -> JSONValue:
    return None if document is None else published.own_schema(document, published.crd_of_fields([]))["properties"]


def _crds(server: client.Server) -> Iterator[tuple[str, JSONValue, JSONValue]]:
    for name, manifest in publishedgen.crds():
        documents = Publishing(server).read(manifest)
        if documents is not None:
            yield name, manifest, {key: published.abridge(document, manifest) for key, document in documents.items()}


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the versions."""
    parser.add_argument("versions", nargs="*", default=VERSIONS, metavar="VERSION", help="(default: all)")


def main(options: argparse.Namespace) -> int:
    """Record the documents; return 1 if a check finds a difference."""
    schemas = {_key(item["schema"]): item for item in _by_version(published.schemas())}
    crds = {item["name"]: item for item in _by_version(published.crds())}
    before = _key([*schemas.values(), *crds.values()])
    for version in options.versions:
        for item in (*schemas.values(), *crds.values()):
            item["answers"].pop(version, None)
        with apiserver.started(version) as url:
            server = client.Server(url)
            for schema, answers_ in _schemas(server):
                item = schemas.setdefault(_key(schema), {"schema": schema, "answers": {}})
                item["answers"][version] = published.shorten(schema, answers_)
            for name, manifest, answers in _crds(server):
                item = crds.setdefault(name, {"name": name, "crd": manifest, "answers": {}})
                item["answers"][version] = answers
    changed = before != _key([*schemas.values(), *crds.values()])
    if not options.check:
        published.write(_spanned(schemas), _spanned(crds))
    print("changed" if changed else "as recorded")
    return int(changed and options.check)


def _by_version(items: Sequence[JSONValue]) -> Iterator[JSONValue]:
    """Yield recorded items with their answers by single version."""
    for item in items:
        answers = {version: answer for span, answer in item["answers"].items() for version in published.versions(span)}
        yield {**item, "answers": answers}


def _spanned(content: Mapping[str, JSONValue]) -> Iterator[JSONValue]:
    for item in content.values():
        if item["answers"]:
            yield {**item, "answers": published.join_versions(item["answers"])}


def _key(value: JSONValue) -> str:
    return json.dumps(value, sort_keys=True)
