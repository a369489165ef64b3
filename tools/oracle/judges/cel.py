"""What the reference's expression language answers, and where the engine answers otherwise."""

from __future__ import annotations

import json
import subprocess
from collections.abc import Sequence
from typing import Any, Final, NamedTuple

from conformance import test_cel

from oracle.generators.expressiongen import SELF
from oracle.servers import programs

VERSIONS: Final = ("1.32", "1.33", "1.34", "1.35", "1.36", "1.37")
# The reference goes through maps in random order: it is asked again before an answer of its counts as another one.
_ATTEMPTS: Final = 12

Answer = dict[str, Any]


class Difference(NamedTuple):
    """An expression that is answered differently: *found* is the engine's answer, or how it failed."""

    expression: str
    expected: Answer
    found: Any

    def __str__(self) -> str:
        """Return what is to be said of it."""
        return f"{self.expression}\n  expected {self.expected}\n  found    {self.found}"


def ask(version: str, self_value: Any, expressions: Sequence[str], schema: Any = None) -> list[Answer]:
    """Return what the reference of a Kubernetes version answers to each expression, in its newest environment."""
    question = {"environment": version, "self": self_value, "expressions": list(expressions), "schema": schema}
    program = programs.of_version("celeval", version)
    done = subprocess.run([program], input=json.dumps(question) + "\n", capture_output=True, text=True, check=True)
    answers: dict[str, Any] = json.loads(done.stdout)
    if "problem" in answers:
        raise RuntimeError(answers["problem"])
    return list(answers["answers"])


def compare(expressions: Sequence[str], version: str) -> list[Difference]:
    """Return the expressions that are answered differently."""
    differences = []
    for expression, expected in zip(expressions, ask(version, SELF, expressions), strict=True):
        if "panic" in expected.get("error", "") or "internal error" in expected.get("error", ""):
            continue  # the reference itself fails
        found: Any
        try:
            found = test_cel.answer(expression, version, {"self": SELF})
        except Exception as error:  # noqa: BLE001 - a crash is a finding like any other
            found = repr(error)
        if "limit exceeded" in expected.get("error", ""):
            expected.pop("cost")
        if found != expected and found not in _other_answers(expression, version):
            differences.append(Difference(expression, expected, found))
    return differences


def _other_answers(expression: str, version: str) -> list[Answer]:
    """Return what the reference answers to the same expression, asked again and again."""
    return ask(version, SELF, [expression] * _ATTEMPTS)
