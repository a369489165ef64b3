"""Messages of rules: results of message expressions, and names of rules."""

from __future__ import annotations

from typing import Any, Final

import pytest

from pytest_crd.engine.cel.run.interpreter import Program
from pytest_crd.engine.fieldpath import FieldPath
from pytest_crd.engine.profile import KNOWN
from pytest_crd.engine.rules import environments, messages
from pytest_crd.engine.schema import structural

PLENTY: Final = 10_000_000
EXPENSIVE: Final = "[1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12]"


def evaluated(expression: str, *, budget: int = PLENTY) -> messages.Evaluated:
    environment = environments.stored(KNOWN["1.37"])
    program = Program(environment.compile(expression), environment.functions)
    return messages.evaluate({"messageExpression": expression}, program, {}, budget)


@pytest.mark.parametrize(
    ("expression", "message"),
    [
        pytest.param("' words\u00a0'", "words", id="without the space around it"),
        pytest.param("'two\\nlines'", "", id="not two lines"),
        pytest.param("''", "", id="not nothing"),
        pytest.param(f"'{'x' * 5120}'", "x" * 5120, id="as long as it may be"),
        pytest.param(f"'{'x' * 5121}'", "", id="not longer"),
        pytest.param("string([1][size([1])])", "", id="not an error"),
    ],
)
def test_a_message_expression_yields_one_line(expression: str, message: str) -> None:
    result = evaluated(expression)

    assert result.message == message
    assert not result.problem


def test_a_message_above_its_cost_limit_stops_the_evaluation() -> None:
    nested = (
        f"{EXPENSIVE}.all(a, {EXPENSIVE}.all(b, {EXPENSIVE}.all(c, {EXPENSIVE}.all(d, {EXPENSIVE}.all(e, e > 0)))))"
    )
    result = evaluated(f"{nested} ? 'a' : 'b'")

    assert result.problem.startswith("no further validation rules will be run due to call cost exceeds limit")
    assert evaluated(f"{nested} ? 'a' : 'b'", budget=5).problem.startswith("messageExpression evaluation failed")
    assert evaluated("string(size([1]))", budget=1).problem.startswith("messageExpression evaluation failed")


@pytest.mark.parametrize(
    ("rule", "words"),
    [
        ({"rule": " self ", "message": " is wrong "}, "is wrong"),
        ({"rule": " self "}, "failed rule: self"),
        ({"rule": "self", "message": ""}, "failed rule: self"),
    ],
)
def test_a_rule_is_named_by_its_message_or_by_itself(rule: dict[str, Any], words: str) -> None:
    assert messages.failure_message(rule) == words


@pytest.mark.parametrize(
    ("field_path", "expected", "steps"),
    [
        ("", "s", ()),
        (".a", "s.a", ("a",)),
        (".c.d", "s.c.d", ("c", "d")),
        ("['c'].e['x.y']", "s.c.e[x.y]", ("c", "e", "x.y")),
        (".b", "s", ()),
        (".", "s", ()),
        ("x[", "s", ()),
    ],
)
def test_an_error_is_reported_at_the_field_path_of_the_rule(
    field_path: str, expected: str, steps: tuple[str, ...]
) -> None:
    text, of_texts = {"type": "string"}, {"type": "object", "additionalProperties": {"type": "string"}}
    inner = {"type": "object", "properties": {"d": text, "e": of_texts}}
    schema = structural.from_schema({"type": "object", "properties": {"a": text, "c": inner}})
    rule = {"rule": "false", "fieldPath": field_path}

    path = messages.error_path(rule, FieldPath(("s",)), schema)

    assert (str(path), path.steps) == (expected, ("s", *steps))
