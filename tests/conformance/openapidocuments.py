"""The OpenAPI documents of pytest-crd's server, and JSON texts in Go's style."""

from __future__ import annotations

from collections.abc import Mapping

from oracle.generators import servergen

from pytest_crd.engine.api.customresourcedefinition import CustomResourceDefinition
from pytest_crd.engine.golang import printing
from pytest_crd.engine.jsonvalue import JSONValue
from pytest_crd.server.api import Api


def served_documents() -> Mapping[str, tuple[str, JSONValue]]:
    """Return the OpenAPI documents for the CRDs of `servergen`: `v2` or `v3` and the document, by path below `/openapi`."""
    api = Api([CustomResourceDefinition.from_manifest(crd) for crd in servergen.crds()])
    root = api.catalog.openapi(["v3"]) or {}
    paths = ["v2", *(f"v3/{path}" for path in root["paths"])]
    return {path: (path[:2], api.catalog.openapi(path.split("/"))) for path in paths}


def as_go(value: JSONValue) -> str:
    """Return *value* as the JSON text that Go writes, but with unsorted keys."""
    if isinstance(value, dict):
        return "{" + ",".join(f"{printing.marshal(key)}:{as_go(item)}" for key, item in value.items()) + "}"
    if isinstance(value, list):
        return f"[{','.join(map(as_go, value))}]"
    return printing.marshal(value)
