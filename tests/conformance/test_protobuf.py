"""What Go reads and writes of built-in kinds and CRDs in protobuf is read and written here as Go does it."""

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


def test_it_is_read_as_go_reads_it(examples: list[Any]) -> None:
    for one in examples:
        expected = {"error": one["error"]} if "error" in one else {"json": one["json"]}
        assert _read(one) == expected
    assert len({one["kind"] for one in examples}) == 40
    assert len({one.get("error") for one in examples}) > 20


def test_it_is_written_as_go_writes_it(examples: list[Any]) -> None:
    for one in examples:
        if "json" not in one:
            continue
        api_version, kind = one["kind"].split(" ")
        raw = protoreading.envelope(protowriting.write({"apiVersion": api_version, "kind": kind, **one["json"]})).raw
        assert raw == base64.b64decode(one["written"] if "written" in one else one["bytes"])


def test_what_is_cut_off_is_never_read_silently_as_another_object(examples: list[Any]) -> None:
    """Each cut is an error, or one between two fields."""
    read = [one for one in examples if "json" in one]
    for one in read[::7]:
        whole = base64.b64decode(one["bytes"])
        found = {end: _read({**one, "bytes": base64.b64encode(whole[:end])}) for end in range(len(whole))}
        assert {end for end, answer in found.items() if "json" in answer} == {0, *_ends(whole)} - {len(whole)}
        assert all("json" in answer or answer["error"] == "unexpected EOF" for answer in found.values())


def _ends(whole: bytes) -> set[int]:
    return {part.end for part in protowire.parts(whole, "", lambda *_: None)}


def _read(example: Any) -> Any:
    try:
        return {"json": protoreading.read(base64.b64decode(example["bytes"]), *example["kind"].split(" "))}
    except ProtobufError as error:
        return {"error": str(error)}
