"""
Write down of which messages OpenAPI documents are made in protobuf: pytest_crd/server/protobuf/openapifields.json.

And what Go writes of documents that are drawn at random, and of those that our server publishes, in tests/conformance/openapiproto.jsonl. Of the
latter, which are long, a hash is kept.
"""

from __future__ import annotations

import argparse
import base64
import hashlib
import json
import subprocess
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any, Final

from conformance import openapidocuments, serverside

import pytest_crd.server.protobuf
from oracle.generators import openapigen
from oracle.recorders import origin
from oracle.servers import programs
from oracle.servers.versions import NEWEST

JSONValue = Any
_TABLE: Final = Path(pytest_crd.server.protobuf.__file__).with_name("openapifields.json")
_ORIGIN: Final = origin.statement(
    "openapifields", "github.com/google/gnostic-models", "Apache-2.0, Copyright 2017 Google LLC"
)
_ORIGIN_LINE: Final = f'"{origin.KEY}": {json.dumps(_ORIGIN)}'
_EXAMPLES: Final = Path(serverside.__file__).with_name("openapiproto.jsonl")
_SEED: Final = 1


def add_arguments(_: argparse.ArgumentParser) -> None:
    """Add nothing."""


def main(_options: argparse.Namespace) -> int:
    """Write both files."""
    flags = (f"-modfile=k8s-{NEWEST}.mod", "./openapifields")
    program = programs.build(f"openapifields-{NEWEST}", programs.SOURCES / "kube", *flags)
    found = _answered(program, ())["messages"]
    messages: openapigen.Messages = {name: (one["isChoice"], _rows(one)) for name, one in found.items()}
    lines = (f"{json.dumps(name)}: {_compact(row)}" for name, row in sorted(messages.items()))
    _TABLE.write_text("{\n" + ",\n".join([_ORIGIN_LINE, *lines]) + "\n}\n", encoding="utf-8")
    drawn = [_asked(version, one) for version, one in openapigen.documents(messages, _SEED)]
    served = openapidocuments.served()
    answered = _answered(program, (*drawn, *(_asked(*one) for one in served.values())))["examples"]
    examples = answered[: len(drawn)] + [
        {"path": path, "sha256": hashlib.sha256(base64.b64decode(one["bytes"])).hexdigest()}
        for path, one in zip(served, answered[len(drawn) :], strict=True)
    ]
    # A text in which lines end otherwise would end a line of the file.
    _EXAMPLES.write_text("".join(json.dumps(one, separators=(",", ":")) + "\n" for one in examples), encoding="utf-8")
    print(f"{len(messages)} messages, {len(examples)} documents")
    return 0


def _asked(version: str, document: JSONValue) -> Mapping[str, JSONValue]:
    return {"version": version, "document": document}


def _answered(program: Path, asked: Iterable[Mapping[str, JSONValue]]) -> JSONValue:
    """Return what the program says of documents, which it gets as Go writes JSON, but for the order of their names."""
    text = "".join(f"{openapidocuments.as_go(one)}\n" for one in asked)
    done = subprocess.run([str(program)], input=text, check=True, capture_output=True, text=True)
    return json.loads(done.stdout)


def _rows(message: Mapping[str, Any]) -> list[tuple[int, str, str]]:
    return [(field["number"], field["name"], field["kind"]) for field in message["fields"]]


def _compact(value: JSONValue) -> str:
    return json.dumps(value, separators=(",", ":"))
