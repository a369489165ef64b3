"""Record the defaults of the Go types of the built-in kinds in the server: pytest_crd/server/builtin/builtindefaults.json."""

from __future__ import annotations

import argparse
import json
import subprocess
from collections import Counter
from collections.abc import Mapping
from pathlib import Path
from typing import Any, Final

import pytest_crd.server.builtin
from oracle.recorders import origin
from oracle.servers import programs
from oracle.servers.versions import NEWEST

_TABLE: Final = Path(pytest_crd.server.builtin.__file__).with_name("builtindefaults.json")
_ORIGIN: Final = origin.statement("builtindefaults", f"the defaulting functions of kubernetes {NEWEST}")
# Fields with the time of the request as default.
_TIMES: Final = frozenset({"timeAdded"})


def add_arguments(_: argparse.ArgumentParser) -> None:
    """Add no arguments."""


def main(_options: argparse.Namespace) -> int:
    """Write the file."""
    flags = (f"-modfile=k8s-{NEWEST}.mod", "./builtindefaults")
    program = programs.build(f"builtindefaults-{NEWEST}", programs.SOURCES / "kube", *flags)
    process = subprocess.run([str(program)], check=True, capture_output=True, text=True)
    text, count = _table(json.loads(process.stdout))
    _TABLE.write_text(text, encoding="utf-8")
    print(f"{count} types")
    return 0


def _table(found: Mapping[str, Mapping[str, Mapping[str, Any]]]) -> tuple[str, int]:
    """Return the file's text and its number of types; `exceptions` has the kinds in which a type has other defaults than in most."""
    types: dict[str, str] = {}
    exceptions: dict[str, dict[str, Any]] = {}
    for name in sorted(found):
        texts = {kind: _compact(defaults) for kind, defaults in found[name].items()}
        usual = Counter(sorted(texts.values(), reverse=True)).most_common(1)[0][0]
        if usual != "{}":
            types[name] = usual
        for kind in sorted(kind for kind in texts if texts[kind] != usual):
            exceptions.setdefault(kind, {})[name] = json.loads(texts[kind])
    lines = ",\n".join(f"{json.dumps(name)}: {text}" for name, text in types.items())
    others = ",\n".join(f"{json.dumps(kind)}: {_compact(exceptions[kind])}" for kind in sorted(exceptions))
    return (
        f'{{"{origin.KEY}": {json.dumps(_ORIGIN)},\n"types": {{\n{lines}\n}},\n"exceptions": {{\n{others}\n}}}}\n',
        len(types),
    )


def _compact(defaults: Mapping[str, Any]) -> str:
    defaults = {name: value for name, value in defaults.items() if name not in _TIMES}
    return json.dumps(defaults, sort_keys=True, separators=(",", ":"))
