"""Replay what the reference's expression language answered, without it: types, estimates, values, errors and costs must be the same."""

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
from pytest_crd.engine.cel.values import celdurations, timestamps
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

Answer = dict[str, Any]


class NoSizes:
    """What knows nothing of the sizes of variables."""

    def size(self, _path: tuple[str, ...], _type: Type) -> SizeEstimate | None:
        return None


def environment(version: str) -> Environment:
    return environments.stored(profile.KNOWN[version]).extend({"self": celtypes.DYN, "oldSelf": celtypes.DYN})


def answer(expression: str, version: str, variables: Mapping[str, Value]) -> Answer:
    env = environment(version)
    return _answered(lambda: env.compile(expression), env, NoSizes(), variables)


def answer_of_schema(expression: str, version: str, schema: str, self_value: JSONValue) -> Answer:
    """Return the answer where `self` is a value of *schema*, which is JSON."""
    scope, view = of_schema(version, schema)
    variables = Bindings()
    variables.bind("self", view, self_value)
    env = environments.stored(profile.KNOWN[version])
    return _answered(lambda: scope.compile(expression, env, optional=False).checked, env, scope, variables)


@functools.cache
def of_schema(version: str, schema: str) -> tuple[RuleScope, View]:
    kubernetes, node = profile.KNOWN[version], structural.from_schema(json.loads(schema))
    declared = schemadeclarations.declare(node, kubernetes, "selfType1")
    assert declared is not None
    scope = RuleScope(SchemaDeclarations(declared, schemadeclarations.structs(declared)), lambda: scope.declarations)
    return scope, views.compile(node, kubernetes)


def _answered(
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
    """Return what is to be said of an expression that compiles."""
    answered: Answer = {"type": _printed(checked.type)}
    try:
        program = Program(checked, env.functions)
    except ProgramError as error:
        return answered | {"program": str(error)}
    estimate = env.estimate(checked, sizes)
    answered["estimate"] = [estimate.min, estimate.max]
    try:
        outcome = program.evaluate(variables)
    except CostLimitError as error:
        return answered | {"error": str(error)}
    if outcome.error is not None:
        answered["error"] = str(outcome.error)
    else:
        answered["value"] = shown(outcome.value)
    return answered | {"cost": outcome.cost}


def _printed(type_: Type) -> str:
    """Return a type as Go prints it, which is not how the checker's messages do."""
    if type_.parameters:
        return f"{type_.declared_name}({', '.join(map(_printed, type_.parameters))})"
    return type_.declared_name


def shown(value: Value) -> str:
    """Return a value as the reference program prints it, with its type."""
    if isinstance(value, EvaluationError):
        return f"error {value}"
    if is_list(value):
        return f"list [{', '.join(map(shown, value))}]"
    if is_map(value):
        return f"map {{{', '.join(sorted(f'{shown(key)}: {shown(find_or_error(value, key))}' for key in value))}}}"
    if isinstance(value, Opaque):
        return f"{type_name(value)} {_json(value.name if isinstance(value, Format) else str(value))}"
    return SHOWN[type(value)](value)


def _optional(optional: Optional) -> str:
    if not optional.has_value:
        return "optional none"
    try:
        return f"optional ({shown(optional.value)})"
    except EvaluationError as error:
        return f"optional ({shown(error)})"


SHOWN: Final[Mapping[type, Callable[[Any], str]]] = {
    type(None): lambda _: "null",
    bool: lambda value: f"bool {str(value).lower()}",
    int: lambda value: f"int {value}",
    UInt: lambda value: f"uint {value.value}",
    float: lambda value: f"double {printing.number(value)}",
    str: lambda value: f"string {_json(value)}",
    bytes: lambda value: f"bytes {value.hex()}",
    Duration: lambda value: f"duration {celdurations.show(value)}",
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


def pytest_generate_tests(metafunc: pytest.Metafunc) -> None:
    """Answer each table for each version; what takes seconds, by its size or its patterns, waits for a run of everything."""
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
            for version in VERSIONS
        ]
        metafunc.parametrize(("path", "version"), params)


def replayed(path: Path, version: str, *, all_versions: bool) -> Iterator[str]:
    """
    Yield what differs for each expression of a table, in *version*; empty where nothing does.

    Args:
        path: The table.
        version: A Kubernetes version.
        all_versions: Whether expressions count that a newer version answers alike.
    """
    first, rows = table(path)
    schema = json.dumps(first["schema"]) if "schema" in first else None
    for row in rows:
        versions, expected = next((key.split(), answered) for key, answered in row.items() if version in key.split())
        if version != versions[-1] and not all_versions:
            continue
        if "limit exceeded" in expected.get("error", ""):
            expected = {key: value for key, value in expected.items() if key != "cost"}
        if schema is None:
            found = answer(row["expression"], version, first)
        else:
            found = answer_of_schema(row["expression"], version, schema, first["self"])
        yield "" if found == expected else f"{row['expression']}\n  expected {expected}\n  found    {found}"


@pytest.mark.replay
def test_expressions_are_answered_as_the_reference_does(
    path: Path, version: str, request: pytest.FixtureRequest, compared: Callable[[str, int], None]
) -> None:
    """Each answer is compared under the newest of the versions that give it, or under all of them."""
    differences = list(replayed(path, version, all_versions=request.config.getoption("all_versions")))

    wrong = list(filter(None, differences))
    assert table(path)[1]
    assert not wrong, "\n".join(wrong)
    compared("answers about expressions of CEL", len(differences))


def test_there_are_tables_for_all_versions() -> None:
    assert len(PATHS) > 15


def test_each_answer_says_which_versions_give_it_in_their_order() -> None:
    for path in PATHS:
        for row in table(path)[1]:
            versions = [version for key in row.keys() - {"expression"} for version in key.split()]
            assert sorted(versions) == list(VERSIONS), row["expression"]
            assert all(key.split() == sorted(key.split()) for key in row.keys() - {"expression"})
