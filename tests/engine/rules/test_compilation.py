"""What can only be wrong in this package ends in an error of its own."""

from __future__ import annotations

from typing import Final

import pytest

from pytest_crd.engine import profile
from pytest_crd.engine.cel.environment import Environment
from pytest_crd.engine.cel.errors import CompileError
from pytest_crd.engine.rules import environments, ruletree, schemadeclarations, timeformats
from pytest_crd.engine.rules.compilation import RuleScope
from pytest_crd.engine.rules.schemadeclarations import SchemaDeclarations
from pytest_crd.engine.schema.structural import Structural

NEWEST: Final = profile.named("1.37")


def test_the_problem_of_an_expression_without_one_is_a_bug() -> None:
    declared = schemadeclarations.declare(Structural(type="string"), NEWEST, "self")
    assert declared is not None
    known = SchemaDeclarations(declared, {})

    with pytest.raises(AssertionError, match="'self == self' compiles"):
        RuleScope(known, lambda: known).problem_of("self == self", environments.stored(NEWEST), optional=False)


def test_a_part_that_is_declared_inside_a_schema_only_is_a_bug() -> None:
    stored = environments.stored(NEWEST)
    builder = ruletree._Builder(
        NEWEST, lambda _: stored, lambda _: stored, looks_everywhere=True, with_rules=frozenset()
    )

    with pytest.raises(AssertionError, match="cannot be declared alone"):
        builder._named_alone(Structural(), is_resource=False)


def test_a_time_that_go_can_read_and_we_cannot_is_a_bug() -> None:
    with pytest.raises(AssertionError, match="is a time, but cannot be read"):
        timeformats._utc("x")


def _no_names() -> SchemaDeclarations:
    raise AssertionError("only the words of a refusal need the types' own names")


def _scope(**properties: Structural) -> RuleScope:
    """Return what rules of an object with *properties* speak about."""
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
def test_an_expression_is_compiled_once_over_types_that_it_cannot_tell_apart(
    rule: str, environment: Environment, type_of_a: Structural, *, optional: bool, is_shared: bool
) -> None:
    first = _scope(a=INTEGER, b=INTEGER).compile("self.a == self.a", STORED, optional=False)

    second = _scope(a=type_of_a, b=NUMBER).compile(rule, environment, optional=optional)

    assert (second is first) is is_shared


def test_an_expression_that_names_a_type_is_not_compiled_where_there_is_none() -> None:
    rule = "selfType.a{} == selfType.a{}"
    _scope(a=Structural(type="object")).compile(rule, STORED, optional=False)

    with pytest.raises(CompileError, match=r"undeclared reference to 'selfType\.a'"):
        _scope(a=INTEGER).compile(rule, STORED, optional=False)


def test_of_an_expression_over_many_types_the_last_compilations_are_kept() -> None:
    rule = "self.a == self.a"
    types = [INTEGER]
    for _ in range(16):
        types.append(Structural(type="array", items=types[-1]))
    compiled = [_scope(a=type_).compile(rule, STORED, optional=False) for type_ in types]

    assert _scope(a=types[-1]).compile(rule, STORED, optional=False) is compiled[-1]
    assert _scope(a=types[0]).compile(rule, STORED, optional=False) is not compiled[0]
