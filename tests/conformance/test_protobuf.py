"""What Go writes of built-in kinds in protobuf is read here as Go reads it."""

from __future__ import annotations

import base64
import json
from pathlib import Path
from typing import Any, Final

import pytest

from pytest_crd.server import protobuf
from pytest_crd.server.protobuf import ProtobufError

pytestmark = pytest.mark.replay
RECORDED: Final = Path(__file__).with_name("protobuf.jsonl")


@pytest.fixture(scope="module")
def examples() -> list[Any]:
    return [json.loads(line) for line in RECORDED.read_text(encoding="utf-8").splitlines()]


def test_what_go_writes_is_read_as_go_reads_it(examples: list[Any]) -> None:
    for one in examples:
        api_version, kind = one["kind"].split(" ")
        assert protobuf.read(base64.b64decode(one["bytes"]), api_version, kind) == one["json"]
    assert len({one["kind"] for one in examples}) == 15


def test_what_is_cut_off_is_never_read_silently_as_another_object(examples: list[Any]) -> None:
    """Each cut is an error, or one between two fields."""
    for one in examples[::7]:
        api_version, kind = one["kind"].split(" ")
        whole = base64.b64decode(one["bytes"])
        ends, words = set(), set()
        for end in range(len(whole)):
            try:
                protobuf.read(whole[:end], api_version, kind)
                ends.add(end)
            except ProtobufError as error:
                words.add(str(error))
        assert words <= {"unexpected EOF"}
        assert len(ends) <= sum(1 for _ in protobuf._wire(whole, ""))
