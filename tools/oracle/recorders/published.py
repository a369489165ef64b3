"""
Ask real API servers what they publish of the CRDs and schemas of `publishedgen`, and write it down.

A server of each version is started, of the named ones or all. Of a CRD the schemas of its objects are written down, and a digest of each
whole document; of the schema of a field what is published of it.
"""

from __future__ import annotations

import argparse
import json
from collections.abc import Iterator, Mapping, Sequence
from typing import Any, Final

from conformance import published

from oracle.generators import publishedgen
from oracle.recorders import types
from oracle.servers import apiserver
from oracle.servers.crds import collection, delete
from oracle.servers.versions import VERSIONS
from pytest_crd.live import client, settling

JSONValue = Any

_GROUP: Final = "keywords.example.com"
# How many schemas stand in one CRD.
_TOGETHER: Final = 300


class Publishing:
    """What a server publishes."""

    def __init__(self, server: client.Server) -> None:
        self._server = server

    def of(self, manifest: JSONValue) -> dict[str, JSONValue] | None:
        """
        Create a CRD, and return what is published of it.

        Returns:
            By version and form, `v1/3`, the document; None where the server refuses the CRD.
        """
        server = self._server
        delete(server, manifest)
        if server.ask("POST", collection(manifest), manifest).code != 201:
            return None
        settling.wait_until_served(server, manifest)
        group = manifest["spec"]["group"]
        names = [one["name"] for one in manifest["spec"].get("versions", [{"name": manifest["spec"].get("version")}])]
        served = [name for name in names if self._serves(manifest, name)]
        whole = server.wait(
            "/openapi/v2", lambda answer: all(parts_of(answer.body, group, one) for one in served), "v2"
        )
        found = {f"{name}/2": parts_of(whole.body, group, name) for name in names}
        for name in names:
            path = f"/openapi/v3/apis/{group}/{name}"
            if name in served and server.ask("GET", "/openapi/v3").code == 200:
                server.wait(path, lambda answer: answer.code == 200, path)
            answer = server.ask("GET", path)  # nothing at all for a version that is not served
            found[f"{name}/3"] = answer.body if isinstance(answer.body, dict) and answer.code == 200 else None
        delete(server, manifest)
        server.wait("/openapi/v2", lambda answer: not any(parts_of(answer.body, group, one) for one in names), "no v2")
        return found

    def _serves(self, manifest: JSONValue, version: str) -> bool:
        return self._server.ask("GET", client.resource_path(manifest, version)).code == 200


def parts_of(document: JSONValue, group: str, version: str) -> JSONValue:
    """Return of the document of a whole server in v2 what belongs to a version; None where nothing does."""
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
    """Yield what is published of each schema of a field that the server takes."""
    taken = [schema for schema in publishedgen.schemas() if _takes(server, schema)]
    for start in range(0, len(taken), _TOGETHER):
        part = taken[start : start + _TOGETHER]
        found = Publishing(server).of(published.crd_of_fields(part))
        assert found is not None, "the server takes each schema alone, but not all of them"
        by_form = {form: _fields(found[f"v1/{form}"]) for form in ("2", "3")}
        for index, schema in enumerate(part):
            name = published.field(index)
            yield schema, {form: fields[name] for form, fields in by_form.items() if fields is not None}


def _takes(server: client.Server, schema: JSONValue) -> bool:
    manifest = published.crd_of_fields([schema])
    return server.ask("POST", collection(manifest), manifest, query={"dryRun": "All"}).code == 201


def _fields(document: JSONValue) -> JSONValue:
    return None if document is None else published.own_schema(document, published.crd_of_fields([]))["properties"]


def _crds(server: client.Server) -> Iterator[tuple[str, JSONValue, JSONValue]]:
    for name, manifest in publishedgen.crds():
        found = Publishing(server).of(manifest)
        if found is not None:
            yield name, manifest, {key: published.abridged(document, manifest) for key, document in found.items()}


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the versions."""
    parser.add_argument("versions", nargs="*", default=VERSIONS, metavar="VERSION", help="(default: all)")


def main(options: argparse.Namespace) -> int:
    """Record; return 1 where a check finds another answer than the recorded."""
    schemas = {_key(item["schema"]): item for item in _known(published.schemas())}
    crds = {item["name"]: item for item in _known(published.crds())}
    before = _key([*schemas.values(), *crds.values()])
    for version in options.versions:
        for item in (*schemas.values(), *crds.values()):
            item["answers"].pop(version, None)
        with apiserver.started(version) as url:
            server = client.Server(url)
            for schema, found in _schemas(server):
                item = schemas.setdefault(_key(schema), {"schema": schema, "answers": {}})
                item["answers"][version] = published.shortened(schema, found)
            for name, manifest, answers in _crds(server):
                item = crds.setdefault(name, {"name": name, "crd": manifest, "answers": {}})
                item["answers"][version] = answers
    changed = before != _key([*schemas.values(), *crds.values()])
    if not options.check:
        published.write(_spanned(schemas), _spanned(crds))
    print("changed" if changed else "as recorded")
    return int(changed and options.check)


def _known(items: Sequence[JSONValue]) -> Iterator[JSONValue]:
    """Yield recorded items with their answers version by version."""
    for item in items:
        answers = {version: one for span, one in item["answers"].items() for version in published.versions(span)}
        yield {**item, "answers": answers}


def _spanned(content: Mapping[str, JSONValue]) -> Iterator[JSONValue]:
    for item in content.values():
        if item["answers"]:
            yield {**item, "answers": published.spanned(item["answers"])}


def _key(value: JSONValue) -> str:
    return json.dumps(value, sort_keys=True)
