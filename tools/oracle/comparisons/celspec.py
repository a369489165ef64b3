"""
Compare the engine with the reference on the standard tables of cel-spec.

The tables are those of the module `cel.dev/expr` that the reference uses. The expected answers are the reference's, not
the tables': its environment has no protobuf messages and no variables but `self`, and it rejects many expressions.
Variables are bound by comprehensions. Tests with values that no literal can express are skipped, and counted by reason.
"""

from __future__ import annotations

import argparse
import base64
import collections
import json
import re
import subprocess
import sys
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from typing import Any, Final

from oracle import options as shared
from oracle.judges import cel
from oracle.servers import programs
from oracle.servers.versions import NEWEST

# Protobuf messages that validation rules do not need; the engine rejects them with these errors.
_UNSUPPORTED: Final = re.compile(
    r"^UnsupportedExpressionError\('(protobuf messages of type google\.protobuf\.Any"
    r"|fields of protobuf messages set to (list|map))'\)$"
)


class SkippedError(Exception):
    """A test that cannot be evaluated; the message is the reason."""


def tests() -> Iterator[Mapping[str, Any]]:
    """Yield the tests of all tables."""
    folder = programs.REFERENCE
    command = ("go", "list", f"-modfile=k8s-{NEWEST}.mod", "-m", "-f", "{{.Dir}}", "cel.dev/expr")
    module = subprocess.run(command, cwd=folder, capture_output=True, text=True, check=True).stdout.strip()
    tables = sorted(Path(module).glob("tests/simple/testdata/*.textproto"))
    program = programs.build_for_version("celspec", NEWEST)
    lines = subprocess.run([program, *tables], capture_output=True, text=True, check=True).stdout.splitlines()
    for line in lines:
        yield json.loads(line)["test"]


def expression(test: Mapping[str, Any]) -> str:
    """
    Return the expression of a test with its variables bound.

    Raises:
        SkippedError: A variable has a value without a literal.
    """
    text = str(test["expr"])
    for name, bound in test.get("bindings", {}).items():
        if not name.isidentifier() or name in {"true", "false", "null"}:
            raise SkippedError("a variable has a name that no variable of a comprehension can have")
        text = f"[{literal(bound.get('value', {}))}].map({name}, {text})[0]"
    return text


def literal(value: Mapping[str, Any]) -> str:
    """
    Return a literal for a value in protobuf's JSON.

    Raises:
        SkippedError: Values of this type have no literal.
    """
    for kind, written in value.items():
        if kind in _LITERALS:
            return _LITERALS[kind](written)
        raise SkippedError(f"a variable is of the kind {kind}")
    raise SkippedError("a variable is unknown, or an error")


def _list(value: Mapping[str, Any]) -> str:
    return f"[{', '.join(map(literal, value.get('values', ())))}]"


def _map(value: Mapping[str, Any]) -> str:
    entries = (f"{literal(entry['key'])}: {literal(entry['value'])}" for entry in value.get("entries", ()))
    return f"{{{', '.join(entries)}}}"


def _bytes(value: str) -> str:
    escaped = "".join(map("\\x{:02x}".format, base64.b64decode(value)))
    return f'b"{escaped}"'


_LITERALS: Final[Mapping[str, Callable[[Any], str]]] = {
    "nullValue": lambda _: "null",
    "boolValue": json.dumps,
    "int64Value": str,
    "uint64Value": "{}u".format,
    "doubleValue": lambda value: f'double("{value}")',
    "stringValue": json.dumps,
    "bytesValue": _bytes,
    "listValue": _list,
    "mapValue": _map,
}


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the version."""
    shared.add_version(parser, "--version", choices=cel.VERSIONS)


def main(options: argparse.Namespace) -> int:
    """Compare each expression of the tables once; return 1 if one is answered differently."""
    tally: collections.Counter[str] = collections.Counter()
    expressions: dict[str, None] = {}
    for test in tests():
        try:
            expressions[expression(test)] = None
        except SkippedError as reason:
            tally[f"skipped: {reason}"] += 1
    compared = cel.compare(list(expressions), options.kubernetes_version)
    differences = [difference for difference in compared if not _UNSUPPORTED.search(str(difference.actual))]
    tally["evaluated"], tally["answered differently"] = len(expressions), len(differences)
    tally["known gap: the engine reports an unsupported message"] = len(compared) - len(differences)
    print(*differences, sep="\n")
    for title, count in sorted(tally.items()):
        print(f"{count:>6} {title}", file=sys.stderr)
    return int(bool(differences))
