"""OpenAPI documents are encoded in protobuf as Go encodes them."""

from __future__ import annotations

import base64
import hashlib
import json
from pathlib import Path
from typing import Any, Final

import pytest

from conformance import openapidocuments
from pytest_crd.server.protobuf import openapiwriting

pytestmark = pytest.mark.replay
RECORDED: Final = Path(__file__).with_name("openapiproto.jsonl")


@pytest.fixture(scope="module")
def examples() -> list[Any]:
    return [json.loads(line) for line in RECORDED.read_text(encoding="utf-8").splitlines()]


def test_generated_documents_are_encoded_as_by_go(examples: list[Any]) -> None:
    generated = [example for example in examples if "document" in example]
    for example in generated:
        assert openapiwriting.write(example["document"], example["version"]) == base64.b64decode(example["bytes"])
    # One for each message, and one with texts for each version.
    assert len(generated) == 108


def test_the_served_document_of_version_2_is_encoded_as_by_go(examples: list[Any]) -> None:
    """`test_documenthashes.py` compares the documents of version 3 with a server."""
    served = openapidocuments.published(openapidocuments.server("1.37").catalog.openapi("v2"))
    assert [hashlib.sha256(openapiwriting.write(served, "v2")).hexdigest()] == [
        example["sha256"] for example in examples if "document" not in example
    ]
