"""
Ask the reference's expression language what the tables in tests/conformance/cel ask, and write what it answers into them.

A table is JSON, a line each. The first line has the value of `self`, which is dyn, or of a `schema` that stands there too; each other
one an expression and, by the Kubernetes versions that agree on it, an answer: the type, the estimate, the value or the error, and the
cost; or why it does not compile. Add expressions by lines with nothing but the expression.
"""

from __future__ import annotations

import argparse
import json
from pathlib import Path
from typing import Final

from oracle.judges.cel import VERSIONS, evaluate
from oracle.recorders import files

TABLES: Final = Path(__file__).parents[3] / "tests" / "conformance" / "cel"


def record(path: Path) -> str:
    """Return the table at *path* with the answers of all versions."""
    first, *rows = map(json.loads, path.read_text(encoding="utf-8").splitlines())
    expressions = list(dict.fromkeys(row["expression"] for row in rows))
    answers = [evaluate(version, first["self"], expressions, first.get("schema")) for version in VERSIONS]
    lines = [first]
    for index, expression in enumerate(expressions):
        agreeing: dict[str, list[str]] = {}
        for version, answered in zip(VERSIONS, answers, strict=True):
            agreeing.setdefault(json.dumps(answered[index]), []).append(version)
        if any('"error": "panic:' in answer for answer in agreeing):
            continue  # the reference itself fails
        lines.append(
            {"expression": expression} | {" ".join(key): json.loads(answer) for answer, key in agreeing.items()}
        )
    return "".join(json.dumps(line, ensure_ascii=False) + "\n" for line in lines)


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the tables."""
    parser.add_argument("tables", nargs="*", type=Path, metavar="FILE", help="tables (default: all)")


def main(options: argparse.Namespace) -> int:
    """Record the tables that are named, or all; return 1 where a check finds another answer than the recorded."""
    tables = options.tables or sorted(TABLES.glob("*.jsonl"))
    changed = sum([files.keep(path, record(path), check=options.check) for path in tables])
    return files.outcome(changed, check=options.check)
