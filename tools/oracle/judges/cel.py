"""Answers of the reference's CEL implementation, and differences of the engine."""

from __future__ import annotations

import json
import subprocess
from collections.abc import Sequence
from typing import Any, Final, NamedTuple

from conformance import test_cel

from oracle.generators.expressiongen import SELF
from oracle.servers import programs
from oracle.servers.versions import PREVIEWS

VERSIONS: Final = (*test_cel.VERSIONS, *test_cel.PREVIEWS)
# The reference iterates over maps in random order: an expression is evaluated this often before its answers count as
# different.
_ATTEMPTS: Final = 12

Answer = dict[str, Any]


class Difference(NamedTuple):
    """
    An expression with different answers.

    Attributes:
        expression: The expression.
        expected: The answer of the reference.
        actual: The answer of the engine, or the repr of its exception.
    """

    expression: str
    expected: Answer
    actual: Any

    def __str__(self) -> str:
        """Return the expression with both answers."""
        return f"{self.expression}\n  expected {self.expected}\n  actual   {self.actual}"


def evaluate(
    version: str, self_value: Any, expressions: Sequence[str], schema: Any = None, sizes: int | None = None
) -> list[Answer]:
    """
    Return the answers of the reference of a Kubernetes version to each expression, in its newest environment.

    Args:
        version: The Kubernetes version.
        self_value: The value of `self`.
        expressions: The expressions.
        schema: The schema of `self`; None for an untyped value.
        sizes: The largest size of each part of an untyped `self`, for estimates; None if it is unknown.

    Raises:
        RuntimeError: The reference cannot evaluate the request.
    """
    environment = "stored" if version in PREVIEWS else version
    question = {"environment": environment, "self": self_value, "expressions": list(expressions)}
    question |= {"schema": schema, "sizes": sizes}
    program = programs.build_for_version("celeval", version)
    process = subprocess.run([program], input=json.dumps(question) + "\n", capture_output=True, text=True, check=True)
    answers: dict[str, Any] = json.loads(process.stdout)
    if "problem" in answers:
        raise RuntimeError(answers["problem"])
    return list(answers["answers"])


def compare(expressions: Sequence[str], version: str, sizes: int | None = None) -> list[Difference]:
    """Return the expressions with different answers; *sizes* as in `evaluate`."""
    differences = []
    for expression, expected in zip(expressions, evaluate(version, SELF, expressions, sizes=sizes), strict=True):
        if "panic" in expected.get("error", "") or "internal error" in expected.get("error", ""):
            continue  # the reference crashes
        actual: Any
        try:
            actual = test_cel.answer(expression, version, {"self": SELF}, sizes)
        except Exception as error:  # noqa: BLE001 - a crash is a finding like any other
            actual = repr(error)
        if "limit exceeded" in expected.get("error", ""):
            expected.pop("cost")
        if actual != expected and actual not in _other_answers(expression, version, sizes):
            differences.append(Difference(expression, expected, actual))
    return differences


def _other_answers(expression: str, version: str, sizes: int | None) -> list[Answer]:
    """Return the reference's answers to repeated evaluations of an expression."""
    return evaluate(version, SELF, [expression] * _ATTEMPTS, sizes=sizes)
