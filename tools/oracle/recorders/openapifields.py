"""
Record the protobuf messages of OpenAPI documents: pytest_crd/server/protobuf/openapifields.json.

Also Go's encoding of random documents, and a hash of its encoding of our server's document of version 2, in
tests/conformance/openapiproto.jsonl.
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
from pytest_crd.engine.jsonvalue import JSONValue

_TABLE: Final = Path(pytest_crd.server.protobuf.__file__).with_name("openapifields.json")
_ORIGIN: Final = origin.statement(
    "openapifields", "github.com/google/gnostic-models", "Apache-2.0, Copyright 2017 Google LLC"
)
_ORIGIN_LINE: Final = f'"{origin.KEY}": {json.dumps(_ORIGIN)}'
_EXAMPLES: Final = Path(serverside.__file__).with_name("openapiproto.jsonl")
_SEED: Final = 1


def add_arguments(_: argparse.ArgumentParser) -> None:
    """Add no arguments."""


def main(_options: argparse.Namespace) -> int:
    """Write both files."""
    flags = (f"-modfile=k8s-{NEWEST}.mod", "./openapifields")
    program = programs.build(f"openapifields-{NEWEST}", programs.SOURCES / "kube", *flags)
    messages_ = _encode(program, ())["messages"]
    messages: openapigen.Messages = {name: (message["isChoice"], _rows(message)) for name, message in messages_.items()}
    lines = (f"{json.dumps(name)}: {_compact(row)}" for name, row in sorted(messages.items()))
    _TABLE.write_text("{\n" + ",\n".join([_ORIGIN_LINE, *lines]) + "\n}\n", encoding="utf-8")
    generated = [_request(version, document) for version, document in openapigen.documents(messages, _SEED)]
    served = openapidocuments.published(openapidocuments.server(NEWEST).catalog.openapi("v2"))
    *examples, example = _encode(program, (*generated, _request("v2", served)))["examples"]
    examples.append({"sha256": hashlib.sha256(base64.b64decode(example["bytes"])).hexdigest()})
    # ASCII, because other line separators in a text would end a line of the file.
    _EXAMPLES.write_text(
        "".join(json.dumps(example, separators=(",", ":")) + "\n" for example in examples), encoding="utf-8"
    )
    print(f"{len(messages)} messages, {len(examples)} documents")
    return 0


def _request(version: str, document: JSONValue) -> Mapping[str, JSONValue]:
    return {"version": version, "document": document}


def _encode(program: Path, requests: Iterable[Mapping[str, JSONValue]]) -> JSONValue:
    """Return the program's answer for documents, which it gets as JSON in Go's style, except for the order of keys."""
    text = "".join(f"{openapidocuments.as_go(request)}\n" for request in requests)
    process = subprocess.run([str(program)], input=text, check=True, capture_output=True, text=True)
    return json.loads(process.stdout)


def _rows(message: Mapping[str, Any]) -> list[tuple[int, str, str]]:
    return [(field["number"], field["name"], field["kind"]) for field in message["fields"]]


def _compact(value: JSONValue) -> str:
    return json.dumps(value, separators=(",", ":"))
