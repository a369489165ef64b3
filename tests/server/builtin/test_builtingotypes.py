"""The recorded Go types have the fields of the published documents."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from pytest_crd.engine import profile
from pytest_crd.engine.golang.gotypes import GoType, List, Map, Pointer, Struct
from pytest_crd.engine.openapi import kubernetesdocuments
from pytest_crd.server.builtin import builtingotypes, builtinkinds

NEWEST = profile.named(profile.DEFAULT)
# The only type that is not recorded.
METADATA = "v1.ObjectMeta"


def _schemas() -> dict[str, Any]:
    documents = kubernetesdocuments.of_version(NEWEST)
    parts = [document["components"].get("schemas", {}) for path, document in documents.items() if path != "v2"]
    return {name: schema for part in parts for name, schema in part.items()}


def _pairs(kind: GoType, schema: Any, schemas: dict[str, Any], visited: set[str]) -> Iterator[tuple[str, Struct, Any]]:
    """Yield each struct of a type with the name and the schema of its definition."""
    if isinstance(kind, Pointer):
        yield from _pairs(kind.to, schema, schemas, visited)
    elif isinstance(kind, List):
        yield from _pairs(kind.item, schema["items"], schemas, visited)
    elif isinstance(kind, Map):
        yield from _pairs(kind.value, schema["additionalProperties"], schemas, visited)
    elif isinstance(kind, Struct) and kind.name != METADATA:
        reference = schema.get("$ref") or schema["allOf"][0]["$ref"]
        name = reference.rpartition("/")[2]
        if name not in visited:
            visited.add(name)
            yield name, kind, schemas[name]
            for field, type_ in kind.fields.items():
                if field in schemas[name]["properties"]:
                    yield from _pairs(type_, schemas[name]["properties"][field], schemas, visited)


def test_types_have_the_fields_of_their_definitions() -> None:
    schemas, visited = _schemas(), set[str]()
    kinds = {
        (item["group"], item["version"], item["kind"]): name
        for name, schema in schemas.items()
        for item in schema.get("x-kubernetes-group-version-kind", ())
    }
    differing = {}
    for record in builtinkinds.served_records(NEWEST):
        name = kinds[record.group, record.version, record.kind]
        type_ = builtingotypes.of_kind(record.api_version, record.kind, NEWEST)
        for definition, struct, schema in _pairs(type_, {"$ref": name}, schemas, visited):
            if difference := struct.fields.keys() ^ schema.get("properties", {}).keys():
                differing[definition] = difference
    assert not differing
    assert len(visited) > 480
