"""Expressions and values as CEL text, which parses to the same tree."""

from __future__ import annotations

import dataclasses
from typing import Any

import pytest

from pytest_crd.engine import profile
from pytest_crd.engine.cel.errors import EvaluationError
from pytest_crd.engine.cel.text import ast, spelling
from pytest_crd.engine.cel.types import celtypes
from pytest_crd.engine.cel.values.celvalues import NONE, Duration, ListValue, Optional, Timestamp, TypeValue, UInt
from pytest_crd.engine.rules import environments

ENVIRONMENT = environments.stored(profile.named("1.37")).extend({"self": celtypes.DYN})


def _read(text: str) -> ast.Node:
    return ENVIRONMENT.compile(text).parsed.root


def _tree(node: Any) -> Any:
    """Return a tree without node ids."""
    if isinstance(node, tuple):
        return tuple(map(_tree, node))
    if not dataclasses.is_dataclass(node):
        return node
    fields = (field.name for field in dataclasses.fields(node) if field.name != "id")
    return type(node), *(_tree(getattr(node, name)) for name in fields)


@pytest.mark.parametrize(
    "text",
    [
        "1 - (2 - 3) - 4",
        "(1 + 2) * 3 / 4 % 5",
        "-(1 - 2) == -self.a",
        "size([-1]) == 1",
        "!(self.a && self.b) || self.c",
        "(self.a || self.b) && self.c && self.d && self.e",
        "(self.a ? self.b : self.c) ? self.d : self.e ? self.f : self.g",
        "self.a[0].b['c d'].?d[?1].orValue({})",
        "has(self.a.b) && 'a' in self.c",
        "self.`a-b`.c == 1u",
        "{'a': 1, ?'b': optional.of(2)} == {'c': 1}",
        "[1, ?optional.of(2)] == [3]",
        "self.all(x, x > 1) && self.exists(x, x > 1) && self.exists_one(x, x > 1)",
        "self.map(x, x + 1) == self.filter(x, x > 1) && self.map(x, x > 1, x + 1) == []",
        "self.all(i, x, i < x) && self.exists(i, x, i < x) && self.exists_one(i, x, i < x)",
        "self.transformList(i, x, x) == self.transformList(i, x, i > 1, x)",
        "self.transformMap(k, v, v) == self.transformMap(k, v, k > 1, v)",
        "self.transformMapEntry(k, v, {v: k}) == self.transformMapEntry(k, v, k > 1, {v: k})",
        "self.?a.optMap(x, x + 1).hasValue() && self.?a.optFlatMap(x, x.?b).hasValue()",
        "self.a ? optional.of(self.b).hasValue() : false",
        "self.a ? size(self.b.map(x, x)) : 1",
        "sets.contains([1, 2], self.a) && self.name.matches('^a\\\\n\"b$') && type(self) == int",
        "b'a\\x00\\\\\"' == b'' && 1.5 < 2.0 && 1e100 > 3.0 && null == self.a && true != false",
    ],
)
def test_written_expressions_parse_to_the_same_tree(text: str) -> None:
    written = spelling.expression(_read(text))

    assert _tree(_read(written)) == _tree(_read(text))
    assert spelling.expression(_read(written)) == written


def test_struct_literals_are_written() -> None:
    fields = (ast.FieldValue(3, "b", ast.Constant(4, 1)), ast.FieldValue(5, "c", ast.Constant(6, 2), optional=True))

    assert spelling.expression(ast.StructLiteral(1, "A", fields)) == "A{b: 1, ?c: 2}"


class _Broken(ListValue):
    """List that raises an error for its second element."""

    def __len__(self) -> int:
        return 2

    def __getitem__(self, index: int) -> Any:
        if index:
            raise EvaluationError("no such thing")
        return 1

    def equal(self, other: Any) -> bool:
        raise NotImplementedError

    def add(self, other: Any) -> Any:
        raise NotImplementedError

    def contains(self, element: Any) -> bool:
        raise NotImplementedError


@pytest.mark.parametrize(
    ("value", "text"),
    [
        (None, "null"),
        (True, "true"),
        (-1, "-1"),
        (UInt(1), "1u"),
        (1.0, "1.0"),
        (float("inf"), "+Inf"),
        ('a"\n', '"a\\"\\n"'),
        (b'a"\x00', 'b"a\\x22\\x00"'),
        ([1, "a", [], {}], '[1, "a", [], {}]'),
        ({"a": {"b": None}, "c": 2.5}, '{"a": {"b": null}, "c": 2.5}'),
        (Duration(1_500_000_000), 'duration("1.5s")'),
        (Timestamp(0), 'timestamp("1970-01-01T00:00:00Z")'),
        (Optional(1), "optional.of(1)"),
        (NONE, "optional.none()"),
        (TypeValue("list"), "list(dyn)"),
        (_Broken(), "[1, error: no such thing]"),
    ],
)
def test_values_are_written_in_cel_syntax(value: Any, text: str) -> None:
    assert spelling.value(value) == text


@pytest.mark.parametrize(
    ("value", "text"),
    [
        ("abcdefghij", '"abcdefg…'),
        ("abcdef", '"abcdef"'),
        ([10, 20, 30, 40], "[10, 20,… (4 items)"),
        ({"abcdefgh": 1}, '{"abcdef… (1 field)'),
    ],
)
def test_long_values_are_truncated(value: Any, text: str) -> None:
    assert spelling.value(value, 8) == text


def test_only_the_written_elements_of_a_long_list_are_read() -> None:
    class Endless(_Broken):
        def __len__(self) -> int:
            return 10**9

        def __getitem__(self, index: int) -> Any:
            assert index < 10
            return index

    assert spelling.value(Endless(), 10) == "[0, 1, 2, … (1000000000 items)"
