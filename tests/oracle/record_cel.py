"""
Ask the reference's expression language what the tables in tests/conformance/cel ask, and write what it answers into them.

`python tests/oracle/record_cel.py [FILE …]`: a table is JSON, a line each. The first line has the value of `self`, which is dyn, or of a
`schema` that stands there too; each other one an expression and, by the Kubernetes versions that agree on it, an answer: the type, the estimate, the value or the error, and the
cost; or why it does not compile. Add expressions by lines with nothing but the expression.
"""

from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Any, Final

import serve

VERSIONS: Final = ("1.32", "1.33", "1.34", "1.35", "1.36", "1.37")
TABLES: Final = Path(__file__).parents[1] / "conformance" / "cel"

Answer = dict[str, Any]


def ask(version: str, self_value: Any, expressions: Sequence[str], schema: Any = None) -> list[Answer]:
    """Return what the reference of a Kubernetes version answers to each expression, in its newest environment."""
    question = {"environment": version, "self": self_value, "expressions": list(expressions), "schema": schema}
    program = serve.of_version("celeval", version)
    done = subprocess.run([program], input=json.dumps(question) + "\n", capture_output=True, text=True, check=True)
    answers: dict[str, Any] = json.loads(done.stdout)
    if "problem" in answers:
        raise RuntimeError(answers["problem"])
    return list(answers["answers"])


def record(path: Path) -> str:
    """Return the table at *path* with the answers of all versions."""
    first, *rows = map(json.loads, path.read_text(encoding="utf-8").splitlines())
    expressions = list(dict.fromkeys(row["expression"] for row in rows))
    answers = [ask(version, first["self"], expressions, first.get("schema")) for version in VERSIONS]
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


def main() -> None:
    """Record the tables that are named, or all."""
    for path in map(Path, sys.argv[1:]) if sys.argv[1:] else sorted(TABLES.glob("*.jsonl")):
        path.write_text(record(path), encoding="utf-8")
        print(path.name)


if __name__ == "__main__":
    main()
