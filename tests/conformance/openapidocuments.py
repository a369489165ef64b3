"""The OpenAPI documents of pytest-crd's server, and JSON texts in Go's style."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping
from typing import Final

from oracle.generators import servergen

from pytest_crd.engine.api.customresourcedefinition import CustomResourceDefinition
from pytest_crd.engine.golang import printing
from pytest_crd.engine.jsonvalue import JSONValue
from pytest_crd.server.api import Api
from pytest_crd.server.openapiendpoints import PublishedDocument

# The paths of a server that ours lacks.
LACKING: Final = (
    "/.well-known/openid-configuration/",
    "/api/v1/componentstatuses",
    "/api/v1/componentstatuses/{name}",
    "/openid/v1/jwks/",
)


def server(kubernetes_version: str) -> Api:
    """Return our server of a Kubernetes version with the CRDs of `servergen`."""
    crds = [
        CustomResourceDefinition.from_manifest(crd, kubernetes_version=kubernetes_version) for crd in servergen.crds()
    ]
    return Api(crds, kubernetes_version=kubernetes_version)


def published(document: PublishedDocument | None) -> JSONValue:
    """Return the content of a document, which there must be."""
    assert document is not None
    return document.value


def without_lacking(document: Mapping[str, JSONValue]) -> dict[str, JSONValue]:
    """Return a document of a server without the paths that ours lacks."""
    return {**document, "paths": {path: item for path, item in document["paths"].items() if path not in LACKING}}


def tag(document: Mapping[str, JSONValue]) -> str:
    """Return a server's hash of a document of version 3 with keys in the server's order."""
    text = json.dumps(document, separators=(",", ":"), ensure_ascii=False)
    for char in "<>&\u2028\u2029":
        text = text.replace(char, f"\\u{ord(char):04x}")
    return hashlib.sha512(text.encode()).hexdigest().upper()


def digest(document: JSONValue) -> str:
    """Return a hash of the content of a document, whatever the order of its keys."""
    return hashlib.sha256(json.dumps(document, sort_keys=True).encode()).hexdigest()


def as_go(value: JSONValue) -> str:
    """Return *value* as the JSON text that Go writes, but with unsorted keys."""
    if isinstance(value, dict):
        return "{" + ",".join(f"{printing.marshal(key)}:{as_go(item)}" for key, item in value.items()) + "}"
    if isinstance(value, list):
        return f"[{','.join(map(as_go, value))}]"
    return printing.marshal(value)
