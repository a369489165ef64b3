"""
Write down how CRDs and the built-in kinds that a server of tests stores are written in protobuf: pytest_crd/server/protobuf/protofields.json.

And examples of each, drawn at random: what Go writes, and the JSON of what it reads from that, in tests/conformance/protobuf.jsonl.
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
    """Add nothing."""


def main(_options: argparse.Namespace) -> int:
    """Write both files."""
    flags = (f"-modfile=k8s-{NEWEST}.mod", "./protofields")
    program = programs.build(f"protofields-{NEWEST}", programs.SOURCES / "kube", *flags)
    done = subprocess.run([str(program)], check=True, capture_output=True, text=True)
    found = json.loads(done.stdout)
    _TABLE.write_text(_table(found), encoding="utf-8")
    lines = (json.dumps(one, ensure_ascii=False, separators=(",", ":")) + "\n" for one in found["examples"])
    _EXAMPLES.write_text("".join(lines), encoding="utf-8")
    print(f"{len(found['types'])} types, {len(found['examples'])} examples")
    return 0


def _table(found: Mapping[str, Any]) -> str:
    """Return the table with a line for each kind and each type."""
    types = {name: [_row(field) for field in fields] for name, fields in sorted(found["types"].items())}
    parts = [f'"{origin.KEY}": {json.dumps(_ORIGIN)}']
    for part, rows in (("kinds", found["kinds"]), ("types", types)):
        lines = (f"{json.dumps(name)}: {json.dumps(row, separators=(',', ':'))}" for name, row in rows.items())
        parts.append(f'"{part}": {{\n' + ",\n".join(lines) + "\n}")
    return "{" + ",\n".join(parts) + "}\n"


def _row(field: Mapping[str, Any]) -> Sequence[Any]:
    return [field[key] for key in ("number", "name", "kind", "flags", "go")]
