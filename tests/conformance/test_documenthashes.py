"""Hashes of OpenAPI documents of built-in kinds and CRDs, as a whole kube-apiserver has them."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Callable
from pathlib import Path
from typing import Any, Final

import pytest

from conformance import openapidocuments
from pytest_crd.server.resourcecatalog import ServerCatalog

pytestmark = pytest.mark.replay
FILE: Final = Path(__file__).with_name("documenthashes.json")
RECORDED: Final = json.loads(FILE.read_text(encoding="utf-8"))


@pytest.fixture(scope="module", params=RECORDED)
def version(request: pytest.FixtureRequest) -> str:
    return str(request.param)


@pytest.fixture(scope="module")
def catalog(version: str) -> ServerCatalog:
    return openapidocuments.server(version).catalog


def test_documents_of_version_3_have_the_hashes_of_the_server(
    catalog: ServerCatalog, version: str, compared: Callable[[str, int], None]
) -> None:
    recorded: dict[str, Any] = {path: hashes for path, hashes in RECORDED[version].items() if path != "v2"}
    served = {path: hashes["json"] for path, hashes in recorded.items() if hashes}
    index = openapidocuments.published(catalog.openapi("v3"))["paths"]
    assert {path: entry["serverRelativeURL"].partition("?hash=")[2] for path, entry in index.items()} == served
    assert recorded.keys() - served.keys() == {".well-known/openid-configuration", "openid/v1/jwks"}
    compared("OpenAPI documents of servers", len(served))


def test_documents_of_version_3_have_the_protobuf_form_of_the_server(catalog: ServerCatalog, version: str) -> None:
    recorded = {path: hashes["protobuf"] for path, hashes in RECORDED[version].items() if "protobuf" in hashes}
    forms = {}
    for path in recorded:
        document = catalog.openapi(f"v3/{path}")
        assert document is not None
        forms[path] = hashlib.sha256(document.protobuf).hexdigest()
    assert forms == recorded
    # The document of the core group has paths that our server lacks.
    assert {path for path, hashes in RECORDED[version].items() if hashes.keys() == {"json"}} == {"api/v1"}


def test_the_document_of_version_2_has_the_content_of_the_server(catalog: ServerCatalog, version: str) -> None:
    document = openapidocuments.published(catalog.openapi("v2"))
    assert openapidocuments.digest(document) == RECORDED[version]["v2"]["content"]
