"""Record the fields of the Go types of the built-in kinds in the server: pytest_crd/server/builtin/builtinfields.json."""

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
    """Add no arguments."""


def main(_options: argparse.Namespace) -> int:
    """Write the file."""
    flags = (f"-modfile=k8s-{NEWEST}.mod", "./builtinfields")
    program = programs.build(f"builtinfields-{NEWEST}", programs.SOURCES / "kube", *flags)
    process = subprocess.run([str(program)], check=True, capture_output=True, text=True)
    fields = json.loads(process.stdout)
    _TABLE.write_text(_table(fields), encoding="utf-8")
    print(f"{len(fields['kinds'])} kinds, {len(fields['types'])} types")
    return 0


def _table(fields: Mapping[str, Any]) -> str:
    """Return the file's text, with one line per kind and type."""
    types = {name: [type_["go"], *type_["fields"]] for name, type_ in fields["types"].items()}
    parts = [f'"{origin.KEY}": {json.dumps(_ORIGIN)}']
    for part, rows in (("kinds", fields["kinds"]), ("types", types)):
        lines = (f"{json.dumps(name)}: {json.dumps(rows[name], separators=(',', ':'))}" for name in sorted(rows))
        parts.append(f'"{part}": {{\n' + ",\n".join(lines) + "\n}")
    return "{" + ",\n".join(parts) + "}\n"
