"""Bugs of this package in compilation raise their own errors; equal compilations are shared."""

from __future__ import annotations

from typing import Final

import pytest

from pytest_crd.engine import profile
from pytest_crd.engine.cel.environment import Environment
from pytest_crd.engine.cel.errors import CompileError
from pytest_crd.engine.rules import environments, scalars, schemadeclarations, tree
from pytest_crd.engine.rules.compilation import RuleScope
from pytest_crd.engine.rules.schemadeclarations import SchemaDeclarations
from pytest_crd.engine.schema.structural import Structural

NEWEST: Final = profile.named("1.37")


def test_asking_for_the_problem_of_a_valid_expression_is_a_bug() -> None:
    declared = schemadeclarations.declare(Structural(type="string"), NEWEST, "self")
    assert declared is not None
    declarations = SchemaDeclarations(declared, {})

    with pytest.raises(AssertionError, match="'self == self' compiles"):
        RuleScope(declarations, lambda: declarations).problem_of(
            "self == self", environments.stored(NEWEST), optional=False
        )


def test_a_part_that_cannot_be_declared_alone_is_a_bug() -> None:
    stored = environments.stored(NEWEST)
    builder = tree._Builder(NEWEST, lambda _: stored, lambda _: stored, looks_everywhere=True, with_rules=frozenset())

    with pytest.raises(AssertionError, match="cannot be declared alone"):
        builder._named_alone(Structural(), is_resource=False)


def test_a_time_that_go_can_read_and_we_cannot_is_a_bug() -> None:
    with pytest.raises(AssertionError, match="is a time, but cannot be read"):
        scalars._utc("x")


def _no_names() -> SchemaDeclarations:
    raise AssertionError("only the words of a refusal need the types' own names")


def _scope(**properties: Structural) -> RuleScope:
    """Return the scope of rules of an object with *properties*."""
    declared = schemadeclarations.declare(Structural(type="object", properties=properties), NEWEST, "selfType")
    assert declared is not None
    return RuleScope(SchemaDeclarations(declared, schemadeclarations.structs(declared)), _no_names)


INTEGER: Final = Structural(type="integer")
NUMBER: Final = Structural(type="number")
STORED: Final = environments.stored(NEWEST)


@pytest.mark.parametrize(
    ("rule", "environment", "optional", "type_of_a", "is_shared"),
    [
        ("self.a == self.a", STORED, False, INTEGER, True),
        ("self.a == self.a", STORED, False, NUMBER, False),
        ("self.a != self.a", STORED, False, INTEGER, False),
        ("self.a == self.a", environments.new(NEWEST), False, INTEGER, False),
        ("self.a == self.a", STORED, True, INTEGER, False),
    ],
)
def test_a_compilation_is_shared_by_types_with_the_same_lookups(
    rule: str, environment: Environment, type_of_a: Structural, *, optional: bool, is_shared: bool
) -> None:
    first = _scope(a=INTEGER, b=INTEGER).compile("self.a == self.a", STORED, optional=False)

    second = _scope(a=type_of_a, b=NUMBER).compile(rule, environment, optional=optional)

    assert (second is first) is is_shared


def test_an_expression_with_a_type_name_does_not_compile_without_that_type() -> None:
    rule = "selfType.a{} == selfType.a{}"
    _scope(a=Structural(type="object")).compile(rule, STORED, optional=False)

    with pytest.raises(CompileError, match=r"undeclared reference to 'selfType\.a'"):
        _scope(a=INTEGER).compile(rule, STORED, optional=False)


def test_the_last_compilations_of_an_expression_are_cached() -> None:
    rule = "self.a == self.a"
    types = [INTEGER]
    for _ in range(16):
        types.append(Structural(type="array", items=types[-1]))
    compiled = [_scope(a=type_).compile(rule, STORED, optional=False) for type_ in types]

    assert _scope(a=types[-1]).compile(rule, STORED, optional=False) is compiled[-1]
    assert _scope(a=types[0]).compile(rule, STORED, optional=False) is not compiled[0]
