"""
Record the protobuf fields of CRDs and of the built-in kinds in the server: pytest_crd/server/protobuf/protofields.json.

Also random examples of each, in Go's encoding and as the JSON that Go decodes from it, in
tests/conformance/protobuf.jsonl.
"""

from __future__ import annotations

import argparse
import json
import subprocess
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, Final

from conformance import serverside

import pytest_crd.server.protobuf
from oracle.recorders import origin
from oracle.servers import programs
from oracle.servers.versions import NEWEST

_TABLE: Final = Path(pytest_crd.server.protobuf.__file__).with_name("protofields.json")
_ORIGIN: Final = origin.statement("protofields", f"k8s.io/api and k8s.io/apiextensions-apiserver {NEWEST}")
_EXAMPLES: Final = Path(serverside.__file__).with_name("protobuf.jsonl")


def add_arguments(_: argparse.ArgumentParser) -> None:
    """Add no arguments."""


def main(_options: argparse.Namespace) -> int:
    """Write both files."""
    flags = (f"-modfile=k8s-{NEWEST}.mod", "./protofields")
    program = programs.build(f"protofields-{NEWEST}", programs.SOURCES / "kube", *flags)
    process = subprocess.run([str(program)], check=True, capture_output=True, text=True)
    fields = json.loads(process.stdout)
    _TABLE.write_text(_table(fields), encoding="utf-8")
    lines = (json.dumps(example, ensure_ascii=False, separators=(",", ":")) + "\n" for example in fields["examples"])
    _EXAMPLES.write_text("".join(lines), encoding="utf-8")
    print(f"{len(fields['types'])} types, {len(fields['examples'])} examples")
    return 0


def _table(table: Mapping[str, Any]) -> str:
    """Return the file's text, with one line per kind and type."""
    types = {name: [_row(field) for field in fields] for name, fields in sorted(table["types"].items())}
    parts = [f'"{origin.KEY}": {json.dumps(_ORIGIN)}']
    for part, rows in (("kinds", table["kinds"]), ("types", types)):
        lines = (f"{json.dumps(name)}: {json.dumps(row, separators=(',', ':'))}" for name, row in rows.items())
        parts.append(f'"{part}": {{\n' + ",\n".join(lines) + "\n}")
    return "{" + ",\n".join(parts) + "}\n"


def _row(field: Mapping[str, Any]) -> Sequence[Any]:
    return [field[key] for key in ("number", "name", "kind", "flags", "go")]
