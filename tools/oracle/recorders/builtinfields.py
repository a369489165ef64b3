"""Write down the fields of the Go types of the built-in kinds that a server of tests stores: pytest_crd/server/builtin/builtinfields.json."""

from __future__ import annotations

import argparse
import json
import subprocess
from collections.abc import Mapping
from pathlib import Path
from typing import Any, Final

import pytest_crd.server.builtin
from oracle.recorders import origin
from oracle.servers import programs
from oracle.servers.versions import NEWEST

_TABLE: Final = Path(pytest_crd.server.builtin.__file__).with_name("builtinfields.json")
_ORIGIN: Final = origin.statement("builtinfields", f"k8s.io/api {NEWEST}")


def add_arguments(_: argparse.ArgumentParser) -> None:
    """Add nothing."""


def main(_options: argparse.Namespace) -> int:
    """Write the file."""
    flags = (f"-modfile=k8s-{NEWEST}.mod", "./builtinfields")
    program = programs.build(f"builtinfields-{NEWEST}", programs.SOURCES / "kube", *flags)
    done = subprocess.run([str(program)], check=True, capture_output=True, text=True)
    found = json.loads(done.stdout)
    _TABLE.write_text(_table(found), encoding="utf-8")
    print(f"{len(found['kinds'])} kinds, {len(found['types'])} types")
    return 0


def _table(found: Mapping[str, Any]) -> str:
    """Return the table with a line for each kind and each type."""
    types = {name: [one["go"], *one["fields"]] for name, one in found["types"].items()}
    parts = [f'"{origin.KEY}": {json.dumps(_ORIGIN)}']
    for part, rows in (("kinds", found["kinds"]), ("types", types)):
        lines = (f"{json.dumps(name)}: {json.dumps(rows[name], separators=(',', ':'))}" for name in sorted(rows))
        parts.append(f'"{part}": {{\n' + ",\n".join(lines) + "\n}")
    return "{" + ",\n".join(parts) + "}\n"
