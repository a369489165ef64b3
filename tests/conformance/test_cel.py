"""Replay of the reference's answers to CEL expressions: types, estimates, values, errors and costs have to be equal."""

from __future__ import annotations

import functools
import json
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from typing import Any, Final

import pytest

from pytest_crd.engine import profile
from pytest_crd.engine.cel.environment import Environment
from pytest_crd.engine.cel.errors import CompileError, CostLimitError, EvaluationError
from pytest_crd.engine.cel.library.formatfunctions import Format
from pytest_crd.engine.cel.run.interpreter import Program, ProgramError
from pytest_crd.engine.cel.types import celtypes
from pytest_crd.engine.cel.types.celtypes import Type
from pytest_crd.engine.cel.types.checked import CheckedExpression
from pytest_crd.engine.cel.types.costs import SizeEstimate, SizeProvider
from pytest_crd.engine.cel.values import durations, timestamps
from pytest_crd.engine.cel.values.celvalues import (
    Duration,
    Opaque,
    Optional,
    Timestamp,
    TypeValue,
    UInt,
    Value,
    find_or_error,
    is_list,
    is_map,
    type_name,
)
from pytest_crd.engine.golang import printing
from pytest_crd.engine.jsonvalue import JSONValue
from pytest_crd.engine.rules import environments, schemadeclarations, views
from pytest_crd.engine.rules.compilation import RuleScope
from pytest_crd.engine.rules.scalars import View
from pytest_crd.engine.rules.schemadeclarations import SchemaDeclarations
from pytest_crd.engine.rules.variables import Bindings
from pytest_crd.engine.schema import structural

TABLES: Final = Path(__file__).parent / "cel"
PATHS: Final = sorted(TABLES.glob("*.jsonl"))
VERSIONS: Final = ("1.32", "1.33", "1.34", "1.35", "1.36", "1.37")
# Versions without a server: tables with "previews" in the first line have their answers, too.
PREVIEWS: Final = tuple(version for version in profile.KNOWN if version in profile.PREVIEWS)
# Expressions that previews are known to answer otherwise: the names of Go types of lists and maps, and a presence test in a conditional.
UNLIKE_PREVIEWS: Final = frozenset({"[1, 2][dyn([1])]", "self.o.distinct()", "true ? has(self.?o.b) : false"})

Answer = dict[str, Any]


class Sizes:
    """A size provider with the same largest size for each value with a path; None if it knows none."""

    def __init__(self, largest: int | None = None) -> None:
        self._largest = largest

    def size(self, path: tuple[str, ...], _type: Type) -> SizeEstimate | None:
        return SizeEstimate(0, self._largest) if path and self._largest is not None else None


def environment(version: str) -> Environment:
    return environments.stored(profile.KNOWN[version]).extend({"self": celtypes.DYN, "oldSelf": celtypes.DYN})


def answer(expression: str, version: str, variables: Mapping[str, Value], sizes: int | None = None) -> Answer:
    """Return the answer with an untyped `self`; *sizes* limits the sizes of its parts."""
    env = environment(version)
    return _evaluate(lambda: env.compile(expression), env, Sizes(sizes), variables)


def answer_of_schema(expression: str, version: str, schema: str, self_value: JSONValue) -> Answer:
    """Return the answer with `self` as a value of *schema*, which is JSON text."""
    scope, view = of_schema(version, schema)
    variables = Bindings()
    variables.bind("self", view, self_value)
    env = environments.stored(profile.KNOWN[version])
    return _evaluate(lambda: scope.compile(expression, env, optional=False).checked, env, scope, variables)


@functools.cache
def of_schema(version: str, schema: str) -> tuple[RuleScope, View]:
    kubernetes, node = profile.KNOWN[version], structural.from_schema(json.loads(schema))
    declared = schemadeclarations.declare(node, kubernetes, "selfType1")
    assert declared is not None
    scope = RuleScope(SchemaDeclarations(declared, schemadeclarations.structs(declared)), lambda: scope.declarations)
    return scope, views.compile(node, kubernetes)


def _evaluate(
    compiled: Callable[[], CheckedExpression], env: Environment, sizes: SizeProvider, variables: Mapping[str, Value]
) -> Answer:
    try:
        checked = compiled()
    except CompileError as error:
        return {"compile": str(error)}
    return of_checked(checked, env, sizes, variables)


def of_checked(
    checked: CheckedExpression, env: Environment, sizes: SizeProvider, variables: Mapping[str, Value]
) -> Answer:
    """Return the answer to a compiled expression: type, estimate, value or error, and cost."""
    answer_: Answer = {"type": _type_text(checked.type)}
    try:
        program = Program(checked, env.functions)
    except ProgramError as error:
        return answer_ | {"program": str(error)}
    estimate = env.estimate(checked, sizes)
    answer_["estimate"] = [estimate.min, estimate.max]
    try:
        outcome = program.evaluate(variables)
    except CostLimitError as error:
        return answer_ | {"error": str(error)}
    if outcome.error is not None:
        answer_["error"] = str(outcome.error)
    else:
        answer_["value"] = value_text(outcome.value)
    return answer_ | {"cost": outcome.cost}


def _type_text(type_: Type) -> str:
    """Return a type as Go prints it, which differs from the checker's messages."""
    if type_.parameters:
        return f"{type_.declared_name}({', '.join(map(_type_text, type_.parameters))})"
    return type_.declared_name


def value_text(value: Value) -> str:
    """Return a value with its type as the reference program prints it."""
    if isinstance(value, EvaluationError):
        return f"error {value}"
    if is_list(value):
        return f"list [{', '.join(map(value_text, value))}]"
    if is_map(value):
        return f"map {{{', '.join(sorted(f'{value_text(key)}: {value_text(find_or_error(value, key))}' for key in value))}}}"
    if isinstance(value, Opaque):
        return f"{type_name(value)} {_json(value.name if isinstance(value, Format) else str(value))}"
    return SHOWN[type(value)](value)


def _optional(optional: Optional) -> str:
    if not optional.has_value:
        return "optional none"
    try:
        return f"optional ({value_text(optional.value)})"
    except EvaluationError as error:
        return f"optional ({value_text(error)})"


SHOWN: Final[Mapping[type, Callable[[Any], str]]] = {
    type(None): lambda _: "null",
    bool: lambda value: f"bool {str(value).lower()}",
    int: lambda value: f"int {value}",
    UInt: lambda value: f"uint {value.value}",
    float: lambda value: f"double {printing.number(value)}",
    str: lambda value: f"string {_json(value)}",
    bytes: lambda value: f"bytes {value.hex()}",
    Duration: lambda value: f"duration {durations.show(value)}",
    Timestamp: lambda value: f"timestamp {timestamps.text(value)}",
    TypeValue: lambda value: f"type {value.name}",
    Optional: _optional,
}


def _json(text: str) -> str:
    return json.dumps(text, ensure_ascii=False).replace("\u2028", "\\u2028").replace("\u2029", "\\u2029")


@functools.cache
def table(path: Path) -> tuple[Mapping[str, Value], list[dict[str, Any]]]:
    first, *rows = map(json.loads, path.read_text(encoding="utf-8").splitlines())
    return first, rows


def versions_of(path: Path) -> tuple[str, ...]:
    """Return the versions with answers in a table."""
    return (*VERSIONS, *PREVIEWS) if "previews" in table(path)[0] else VERSIONS


def pytest_generate_tests(metafunc: pytest.Metafunc) -> None:
    """Evaluate each table for each version; slow tables run only in a run of everything."""
    if {"path", "version"} <= set(metafunc.fixturenames):
        waiting = () if metafunc.config.getoption("all_versions") else ("limits", "long-patterns")
        params = [
            pytest.param(
                path,
                version,
                id=f"{path.stem}-{version}",
                marks=(pytest.mark.slow,) if path.stem in waiting else (),
            )
            for path in PATHS
            for version in versions_of(path)
        ]
        metafunc.parametrize(("path", "version"), params)


def replay(path: Path, version: str, *, all_versions: bool) -> Iterator[str]:
    """
    Yield the difference for each expression of a table in *version*, an empty text for equal answers.

    Args:
        path: The table.
        version: A Kubernetes version.
        all_versions: Whether to include expressions that a newer version answers the same, and expressions that a preview answers as
            an older version.
    """
    first, rows = table(path)
    schema = json.dumps(first["schema"]) if "schema" in first else None
    for row in rows:
        versions, expected = next((key.split(), answered) for key, answered in row.items() if version in key.split())
        newest = next((candidate for candidate in reversed(versions) if candidate not in PREVIEWS), version)
        if (version != newest and not all_versions) or (version in PREVIEWS and row["expression"] in UNLIKE_PREVIEWS):
            continue
        if "limit exceeded" in expected.get("error", ""):
            expected = {key: value for key, value in expected.items() if key != "cost"}
        if schema is None:
            actual = answer(row["expression"], version, first)
        else:
            actual = answer_of_schema(row["expression"], version, schema, first["self"])
        yield "" if actual == expected else f"{row['expression']}\n  expected {expected}\n  actual   {actual}"


@pytest.mark.replay
def test_expressions_have_the_answers_of_the_reference(
    path: Path, version: str, request: pytest.FixtureRequest, compared: Callable[[str, int], None]
) -> None:
    """Each answer is compared under the newest version that gives it, or under every version."""
    differences = list(replay(path, version, all_versions=request.config.getoption("all_versions")))

    wrong = list(filter(None, differences))
    assert table(path)[1]
    assert not wrong, "\n".join(wrong)
    compared("answers about expressions of CEL", len(differences))


def test_tables_exist() -> None:
    assert len(PATHS) > 15


def test_each_answer_lists_its_versions_in_order() -> None:
    for path in PATHS:
        for row in table(path)[1]:
            versions = [version for key in row.keys() - {"expression"} for version in key.split()]
            assert sorted(versions) == list(versions_of(path)), row["expression"]
            assert all(key.split() == sorted(key.split()) for key in row.keys() - {"expression"})


@pytest.mark.parametrize("expression", sorted(UNLIKE_PREVIEWS))
def test_expressions_that_previews_answer_otherwise_still_do(expression: str) -> None:
    first, row = next(
        (table(path)[0], row)
        for path in PATHS
        if "previews" in table(path)[0]
        for row in table(path)[1]
        if row["expression"] == expression
    )
    expected = next(answered for key, answered in row.items() if PREVIEWS[-1] in key.split())

    assert answer(expression, PREVIEWS[-1], first) != expected


@pytest.mark.parametrize(
    ("expression", "most"),
    [
        ("url(self.val1).getScheme().matches('^[a-z]+$')", 365),
        ("url(self.val1).getHostname().matches('^[a-z]+$')", 365),
        ("url(self.val1).getEscapedPath().matches('^/[a-z]+$')", 1206),
    ],
)
def test_parts_of_urls_are_bounded_in_the_preview(expression: str, most: int) -> None:
    """Upstream's own figures: apiextensions-apiserver 0.38 pkg/apiserver/schema/cel, celcoststability_test.go."""
    schema = json.dumps({"type": "object", "properties": {"val1": {"type": "string", "maxLength": 300}}})

    assert answer_of_schema(expression, "1.38", schema, {"val1": "http://a/b"})["estimate"][1] == most
