"""
Evaluate the expressions of the tables in tests/conformance/cel with the reference, and write the answers into them.

A table has JSON lines. The first line has the value of `self`, which is dyn or has a `schema`. Each other line has an
expression and its answers by the Kubernetes versions that share them: type, estimate, value or error, and cost; or the
compile error. New lines need nothing but the expression. A table with "previews" in its first line also has the answers of versions
without a server.
"""

from __future__ import annotations

import argparse
import json
from pathlib import Path
from typing import Final

from conformance import test_cel

from oracle.judges.cel import evaluate
from oracle.recorders import files

TABLES: Final = Path(__file__).parents[3] / "tests" / "conformance" / "cel"


def record(path: Path) -> str:
    """Return the table at *path* with the answers of all its versions."""
    first, *rows = map(json.loads, path.read_text(encoding="utf-8").splitlines())
    versions = test_cel.versions_of(path)
    expressions = list(dict.fromkeys(row["expression"] for row in rows))
    answers = [evaluate(version, first["self"], expressions, first.get("schema")) for version in versions]
    lines = [first]
    for index, expression in enumerate(expressions):
        agreeing: dict[str, list[str]] = {}
        for version, answered in zip(versions, answers, strict=True):
            agreeing.setdefault(json.dumps(answered[index]), []).append(version)
        if any('"error": "panic:' in answer for answer in agreeing):
            continue  # the reference crashes
        lines.append(
            {"expression": expression} | {" ".join(key): json.loads(answer) for answer, key in agreeing.items()}
        )
    return "".join(json.dumps(line, ensure_ascii=False) + "\n" for line in lines)


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the tables."""
    parser.add_argument("tables", nargs="*", type=Path, metavar="FILE", help="tables (default: all)")


def main(options: argparse.Namespace) -> int:
    """Record the named tables, or all; return 1 if a check finds a different answer."""
    tables = options.tables or sorted(TABLES.glob("*.jsonl"))
    changed = sum([files.keep(path, record(path), check=options.check) for path in tables])
    return files.outcome(changed, check=options.check)
