"""Built-in kinds and CRDs are decoded from and encoded in protobuf as Go does it."""

from __future__ import annotations

import base64
import json
from pathlib import Path
from typing import Any, Final

import pytest

from pytest_crd.server.protobuf import protoreading, protowire, protowriting
from pytest_crd.server.protobuf.protofields import ProtobufError

pytestmark = pytest.mark.replay
RECORDED: Final = Path(__file__).with_name("protobuf.jsonl")


@pytest.fixture(scope="module")
def examples() -> list[Any]:
    return [json.loads(line) for line in RECORDED.read_text(encoding="utf-8").splitlines()]


def test_objects_are_decoded_as_by_go(examples: list[Any]) -> None:
    for example in examples:
        expected = {"error": example["error"]} if "error" in example else {"json": example["json"]}
        assert _read(example) == expected
    assert len({example["kind"] for example in examples}) == 151
    assert len({example.get("error") for example in examples}) > 20


def test_objects_are_encoded_as_by_go(examples: list[Any]) -> None:
    for example in examples:
        if "json" not in example:
            continue
        api_version, kind = example["kind"].split(" ")
        raw = protoreading.envelope(
            protowriting.write({"apiVersion": api_version, "kind": kind, **example["json"]})
        ).raw
        assert raw == base64.b64decode(example["written"] if "written" in example else example["bytes"])


def test_truncated_objects_are_errors_except_between_fields(examples: list[Any]) -> None:
    """Each truncation is an error, unless it is between two fields."""
    read = [example for example in examples if "json" in example]
    for example in read[::7]:
        whole = base64.b64decode(example["bytes"])
        answers = {end: _read({**example, "bytes": base64.b64encode(whole[:end])}) for end in range(len(whole))}
        assert {end for end, answer in answers.items() if "json" in answer} == {0, *_ends(whole)} - {len(whole)}
        assert all("json" in answer or answer["error"] == "unexpected EOF" for answer in answers.values())


def _ends(whole: bytes) -> set[int]:
    return {part.end for part in protowire.parts(whole, "", lambda *_: None)}


def _read(example: Any) -> Any:
    try:
        return {"json": protoreading.read(base64.b64decode(example["bytes"]), *example["kind"].split(" "))}
    except ProtobufError as error:
        return {"error": str(error)}
