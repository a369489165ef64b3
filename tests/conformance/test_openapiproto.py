"""What Go writes of OpenAPI documents in protobuf is written here as Go does it."""

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


def test_it_is_written_as_go_writes_it(examples: list[Any]) -> None:
    drawn = [one for one in examples if "document" in one]
    for one in drawn:
        assert openapiwriting.write(one["document"], one["version"]) == base64.b64decode(one["bytes"])
    # One for each message, and one of texts for each version.
    assert len(drawn) == 108


def test_what_the_server_publishes_is_written_as_go_writes_it(examples: list[Any]) -> None:
    recorded = {one["path"]: one["sha256"] for one in examples if "path" in one}
    served = openapidocuments.served()
    assert {
        path: hashlib.sha256(openapiwriting.write(document, version)).hexdigest()
        for path, (version, document) in served.items()
    } == recorded
    assert "v3/apis/fuzz.example.com/v1" in recorded
