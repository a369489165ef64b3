"""CEL values of JSON values under a schema; the answers are recorded from the reference implementation in 1.37."""

from __future__ import annotations

from typing import Any, Final

import pytest
from conformance import test_cel

from pytest_crd.engine import profile
from pytest_crd.engine.cel.errors import EvaluationError, UnsupportedExpressionError
from pytest_crd.engine.cel.run.interpreter import Program
from pytest_crd.engine.cel.text import spelling
from pytest_crd.engine.cel.values import workload
from pytest_crd.engine.rules import environments, schemadeclarations, views
from pytest_crd.engine.rules.listviews import MapListSum, MapListView
from pytest_crd.engine.rules.schemadeclarations import SchemaDeclarations
from pytest_crd.engine.rules.variables import Bindings
from pytest_crd.engine.rules.views import ObjectView, Preserved
from pytest_crd.engine.schema import structural
from pytest_crd.engine.schema.structural import Structural

Schema = dict[str, Any]
NEWEST: Final = profile.named("1.37")


def answer(schema: Schema, value: Any, expression: str) -> str:
    """Return value and type of an expression about *value*, or its error."""
    node = structural.from_schema(schema)
    declared = schemadeclarations.declare(node, NEWEST, "Self")
    assert declared is not None
    provider = SchemaDeclarations(declared, schemadeclarations.structs(declared))
    environment = environments.stored(NEWEST).extend({"self": declared.type}, provider)
    variables = Bindings()
    variables.bind("self", views.compile(node, NEWEST), value)
    outcome = Program(environment.compile(expression), environment.functions).evaluate(variables)
    return test_cel.value_text(outcome.value) if outcome.error is None else f"error: {outcome.error}"


CASES: Final[list[tuple[Schema, list[tuple[Any, str, str]]]]] = [
    ({"type": "object", "properties": {"a": {"type": "integer"}}}, [
        ({"a": None}, "has(self.a)", "bool false"),
        ({"a": "x"}, "self.a", "error: invalid data, expected int, got string"),
    ]),
    ({"type": "object", "properties": {"a": {"type": "number"}}}, [
        ({"a": 1}, "self.a", "double 1"),
        ({"a": 1.5}, "self.a", "double 1.5"),
        ({"a": "x"}, "self.a", "error: invalid data, expected float, got string"),
    ]),
    ({"type": "object", "properties": {"a": {"type": "boolean"}}}, [
        ({"a": True}, "self.a", "bool true"),
        ({"a": [1]}, "self.a", "error: invalid data, expected bool, got []interface {}"),
    ]),
    ({"type": "object", "properties": {"a": {"type": "string"}}}, [
        ({"a": {}}, "self.a", "error: invalid data, expected string, got map[string]interface {}"),
    ]),
    ({"type": "object", "properties": {"a": {"x-kubernetes-int-or-string": True}}}, [
        ({"a": 1.5}, "self.a == 1", "error: invalid data, expected XIntOrString value to be either a string or integer"),
    ]),
    ({"type": "object", "properties": {"a": {"type": "object", "properties": {"k": {"type": "string"}, "v": {"type": "integer"}}}}}, [
        ({"a": 1}, "self.a.k", "error: invalid data, expected a map for the provided schema with type=object"),
    ]),
    ({"type": "object", "properties": {"a": {"type": "array", "items": {"type": "integer"}}}}, [
        ({"a": 1}, "self.a[0]", "error: invalid data, expected an array for the provided schema with type=array"),
        ({"a": None}, "self.a[0]", "error: no such key: a"),
        ({"a": None}, "has(self.a)", "bool false"),
        ({"a": [1, "x"]}, "self.a[0]", "int 1"),
        ({"a": [1, "x"]}, "self.a[1]", "error: invalid data, expected int, got string"),
        ({"a": [1, "x"]}, "size(self.a)", "int 2"),
    ]),
    ({"type": "object", "properties": {"a": {"type": "object", "additionalProperties": {"type": "integer"}}}}, [
        ({"a": {"x": None, "y": 1}}, "self.a['y']", "int 1"),
        ({"a": {"x": None, "y": 1}}, "self.a['x']", "error: invalid data, got null for schema with nullable=false"),
        ({"a": {"x": None, "y": 1}}, "self.a.map(k, k).size()", "int 2"),
        ({"a": {"x": None, "y": 1}}, "1 in self.a.map(k, 1)", "bool true"),
        ({"a": {"x": None, "y": 1}}, "'x' in self.a", "error: invalid data, got null for schema with nullable=false"),
    ]),
    ({"type": "object", "properties": {"a": {"type": "object", "additionalProperties": {"type": "integer", "nullable": True}}}}, [
        ({"a": {"x": None}}, "self.a == {'x': 1}", "bool false"),
        ({"a": {"x": None}}, "{'x': 1} == self.a", "bool false"),
    ]),
    ({"type": "object", "properties": {"a": {"x-kubernetes-preserve-unknown-fields": True, "type": "object"}, "b": {"x-kubernetes-preserve-unknown-fields": True, "type": "object"}}}, [
        ({"a": {"x": 1}, "b": {"x": 1}}, "dyn(self.a)['x']", "error: no such key: x"),
        ({"a": {"x": 1}, "b": {"x": 2}}, "self.a == dyn({'x': 2})", "error: no such overload"),
    ]),
    ({"type": "object", "properties": {"a": {"type": "object", "properties": {"p": {"x-kubernetes-preserve-unknown-fields": True}}}, "b": {"type": "object", "properties": {"p": {"x-kubernetes-preserve-unknown-fields": True}}}}}, [
        ({"a": {"p": [1]}, "b": {"p": [1]}}, "dyn(self.a) == dyn(self.b)", "bool true"),
        ({"a": {"p": [1]}, "b": {"p": [1]}}, "dyn(self.a) == dyn({'p': 1})", "bool false"),
        ({"a": {"p": [1]}, "b": {"p": [1]}}, "dyn(self.a) == dyn(1)", "error: no such overload"),
    ]),
    ({"type": "object", "properties": {"a": {"type": "object", "properties": {"k": {"type": "string"}, "v": {"type": "integer"}}}, "b": {"type": "object", "properties": {"k": {"type": "string"}, "v": {"type": "integer"}}}}}, [
        ({"a": {"k": "x"}, "b": {"k": "x"}}, "dyn(self.a) == dyn(self.b)", "bool true"),
        ({"a": {"k": "x"}, "b": {"k": "x"}}, "dyn(self.a)[1] == 1", "error: no such overload"),
        ({"a": {"k": "x"}, "b": {"k": "x"}}, "dyn(self.a) == dyn({'v': 'x'})", "bool false"),
        ({"a": {"k": "x"}, "b": {"k": "x"}}, "dyn(self.a) != 5", "bool true"),
        ({"a": {"k": "x"}, "b": {"k": "x"}}, "dyn(self.a) == 5", "error: no such overload"),
    ]),
    ({"type": "object", "properties": {"a-b": {"type": "integer"}, "in": {"type": "integer"}}}, [
        ({"a-b": 1, "in": 2}, "self.__in__ + self.a__dash__b", "int 3"),
    ]),
    ({"type": "object", "properties": {"a": {"type": "array", "items": {"type": "string"}, "x-kubernetes-list-type": "set"}, "b": {"type": "array", "items": {"type": "string"}, "x-kubernetes-list-type": "set"}}}, [
        ({"a": ["x", "y"], "b": ["y", "z"]}, "self.a + self.b", 'list [string "x", string "y", string "z"]'),
        ({"a": ["x", "y"], "b": ["y", "z"]}, "self.a == self.b", "bool false"),
        ({"a": ["x", "y"], "b": ["y", "z"]}, "self.a == ['y', 'x']", "bool true"),
        ({"a": ["x", "y"], "b": ["y", "z"]}, "self.a == ['y']", "bool false"),
        ({"a": ["x", "y"], "b": ["y", "z"]}, "'x' in self.a", "bool true"),
        ({"a": ["x", "y"], "b": ["y", "z"]}, "self.a + ['x', 'q']", 'list [string "x", string "y", string "q"]'),
        ({"a": ["x", "y"], "b": ["y", "z"]}, "dyn(self.a) == 5", "error: no such overload"),
        ({"a": ["x", "y"], "b": ["y", "z"]}, "self.a[1]", 'string "y"'),
        ({"a": ["x", "y"], "b": ["y", "z"]}, "self.a.map(x, x)", 'list [string "x", string "y"]'),
    ]),
    ({"type": "object", "properties": {"a": {"type": "array", "items": {"type": "object", "properties": {"k": {"type": "string"}, "v": {"type": "integer"}}}, "x-kubernetes-list-type": "set"}}}, [
        ({"a": [{"k": "x"}]}, "self.a == self.a", "error: listSet operations are only supported on lists of scalar values"),
    ]),
    ({"type": "object", "properties": {"a": {"type": "array", "items": {"type": "object", "properties": {"k": {"type": "string"}, "v": {"type": "integer"}}}, "x-kubernetes-list-type": "map", "x-kubernetes-list-map-keys": ["k"]}, "b": {"type": "array", "items": {"type": "object", "properties": {"k": {"type": "string"}, "v": {"type": "integer"}}}, "x-kubernetes-list-type": "map", "x-kubernetes-list-map-keys": ["k"]}}}, [
        ({"a": [{"k": "x", "v": 1}, {"k": "y"}], "b": [{"k": "y", "v": 2}, {"k": "z"}]}, "dyn(self.a) == 5", "error: no such overload"),
        ({"a": [{"k": "x", "v": 1}, {"k": "y"}], "b": [{"k": "y", "v": 2}, {"k": "z"}]}, "self.a == []", "bool false"),
        ({"a": [{"k": "x", "v": 1}, {"k": "y"}], "b": [{"k": "y", "v": 2}, {"k": "z"}]}, "self.a == self.a", "bool true"),
        ({"a": [{"k": "x", "v": 1}, {"k": "y"}], "b": [{"k": "y", "v": 2}, {"k": "z"}]}, "self.a == [self.a[1], self.a[0]]", "bool true"),
        ({"a": [{"k": "x", "v": 1}, {"k": "y"}], "b": [{"k": "y", "v": 2}, {"k": "z"}]}, "self.a == [self.a[0], self.a[0]]", "bool false"),
        ({"a": [{"k": "x", "v": 1}, {"k": "y"}], "b": [{"k": "y", "v": 2}, {"k": "z"}]}, "self.a[0] in self.a", "bool true"),
    ]),
    ({"type": "object", "properties": {"a": {"type": "array", "items": {"type": "string", "format": "duration"}}, "b": {"type": "array", "items": {"type": "string", "format": "duration"}}}}, [
        ({"a": ["1h"], "b": ["60m"]}, "self.a == self.b", "bool true"),
        ({"a": ["1h"], "b": ["60m"]}, "self.a + self.b", "list [duration 1h0m0s, duration 1h0m0s]"),
        ({"a": ["1h"], "b": ["60m"]}, "self.a == [duration('2h')]", "bool false"),
    ]),
    ({"type": "object", "properties": {"a": {"type": "array", "items": {"type": "string", "format": "date"}, "x-kubernetes-list-type": "atomic"}}}, [
        ({"a": ["2020-01-01", "x"]}, "self.a[0]", "timestamp 2020-01-01T00:00:00Z"),
        ({"a": ["2020-01-01", "x"]}, "self.a[1]", 'error: Invalid date formatted string x: parsing time "x" as "2006-01-02": cannot parse "x" as "2006"'),
        ({"a": ["2020-01-01", "x"]}, "size(self.a)", "int 2"),
        ({"a": ["2020-01-01", "x"]}, "self.a == [timestamp(0)]", "bool false"),
    ]),
    ({"type": "object", "properties": {"a": {"type": "array", "items": {"type": "object", "properties": {"k": {"type": "string"}, "v": {"type": "integer"}}}, "x-kubernetes-list-type": "map", "x-kubernetes-list-map-keys": ["k"]}}}, [
        ({"a": [{"k": "x", "v": 1}, {"k": "y"}]}, "(self.a + self.a.filter(i, i.k == 'y')).map(i, i.k)", 'list [string "x", string "y"]'),
        ({"a": [{"k": "x", "v": 1}, {"k": "y"}]}, "self.a + [] == self.a", "bool true"),
        ({"a": [{"k": "x", "v": 1}, {"k": "y"}]}, "[] + self.a == self.a", "bool true"),
    ]),
    ({"type": "object", "properties": {"a": {"type": "array", "items": {"type": "object", "properties": {"k": {"type": "string"}, "v": {"type": "integer"}}}, "x-kubernetes-list-type": "map", "x-kubernetes-list-map-keys": ["k", "v"]}}}, [
        ({"a": [{"k": "x", "v": 1}, {"k": "x", "v": 2}, {"k": "x"}]}, "self.a == [self.a[2], self.a[0], self.a[1]]", "bool true"),
        ({"a": [{"k": "x", "v": 1}, {"k": "x", "v": 2}, {"k": "x"}]}, "dyn(self.a) == [{'k': 'x'}, {'k': 'x'}, {'k': 'x'}]", "bool false"),
        ({"a": [{"k": "x", "v": 1}, {"k": "x", "v": 2}, {"k": "x"}]}, "dyn(self.a) == [1, 2, 3]", "bool false"),
    ]),
    ({"type": "object", "additionalProperties": {"type": "integer"}}, [
        ({"a-b": 1, "c": None}, "'a-b' in self", "bool true"),
        ({"a-b": 1, "c": None}, "'a__dash__b' in self", "bool false"),
        ({"a-b": 1, "c": None}, "size(self)", "int 2"),
        ({"a-b": 1, "c": None}, "self.map(k, k).size()", "int 2"),
    ]),
    ({"type": "object", "additionalProperties": {"type": "object", "properties": {"k": {"type": "string"}}}}, [
        ({"a": {}}, "self.map(k, dyn(self[k]))[0] == dyn(self.a)", "bool true"),
    ]),
    ({"type": "object", "properties": {"a-b": {"type": "integer"}, "in": {"type": "integer"}, "9": {"type": "integer"}}}, [
        ({"a-b": 1, "in": 2, "9": 3, "u": 1}, "'a__dash__b' in dyn(self)", "bool true"),
        ({"a-b": 1, "in": 2, "9": 3, "u": 1}, "'a-b' in dyn(self)", "bool true"),
        ({"a-b": 1, "in": 2, "9": 3, "u": 1}, "'__x__' in dyn(self)", "bool false"),
        ({"a-b": 1, "in": 2, "9": 3, "u": 1}, "self.__in__", "int 2"),
        ({"a-b": 1, "in": 2, "9": 3, "u": 1}, "size(dyn(self))", "int 4"),
        ({"a-b": 1, "in": 2, "9": 3, "u": 1}, "dyn(self)['9']", "int 3"),
    ]),
    ({"type": "object", "properties": {"a": {"type": "string", "format": "date-time"}}}, [
        ({"a": "0000-01-01T00:00:00Z"}, "self.a", "timestamp 0000-01-01T00:00:00Z"),
        ({"a": "0001-01-01T00:00:00+14:00"}, "self.a", "timestamp 0001-01-01T00:00:00+14:00"),
        ({"a": "9999-12-31T23:59:59-01:00"}, "self.a", "timestamp 9999-12-31T23:59:59-01:00"),
        ({"a": "2020-02-29T12:00:00Z"}, "self.a", "timestamp 2020-02-29T12:00:00Z"),
        ({"a": "2020-02-29T12:00:00"}, "self.a", "timestamp 2020-02-29T12:00:00Z"),
        ({"a": "2020-02-29T12:00:00.25"}, "self.a", "timestamp 2020-02-29T12:00:00.25Z"),
        ({"a": "2020-02-29t12:00:00Z"}, "self.a", 'error: Invalid date-time formatted string 2020-02-29t12:00:00Z: parsing time "2020-02-29t12:00:00Z" as "2006-01-02T15:04:05": cannot parse "t12:00:00Z" as "T"'),
        ({"a": "2020-02-29T24:00:00"}, "self.a", 'error: Invalid date-time formatted string 2020-02-29T24:00:00: parsing time "2020-02-29T24:00:00": hour out of range'),
        ({"a": "2020-02-29T1:00:00"}, "self.a", "timestamp 2020-02-29T01:00:00Z"),
        ({"a": "2020-02-29T12:60:00"}, "self.a", 'error: Invalid date-time formatted string 2020-02-29T12:60:00: parsing time "2020-02-29T12:60:00": minute out of range'),
        ({"a": "2020-02-29T12:00:61"}, "self.a", 'error: Invalid date-time formatted string 2020-02-29T12:00:61: parsing time "2020-02-29T12:00:61": second out of range'),
        ({"a": "2020-02-29T12:00:00 "}, "self.a", 'error: Invalid date-time formatted string 2020-02-29T12:00:00 : parsing time "2020-02-29T12:00:00 ": extra text: " "'),
        ({"a": "2020-02-29"}, "self.a", 'error: Invalid date-time formatted string 2020-02-29: parsing time "2020-02-29" as "2006-01-02T15:04:05": cannot parse "" as "T"'),
        ({"a": "2020-02-30T12:00:00"}, "self.a", 'error: Invalid date-time formatted string 2020-02-30T12:00:00: parsing time "2020-02-30T12:00:00": day out of range'),
        ({"a": ""}, "self.a", "timestamp 1970-01-01T00:00:00Z"),
    ]),
    ({"type": "object", "properties": {"a": {"type": "array", "items": {"type": "object", "properties": {"k": {"type": "string"}, "v": {"type": "integer"}}, "nullable": True}}}}, [
        ({"a": [None, {"k": "x"}]}, "self.a[0] == null", "bool true"),
        ({"a": [None, {"k": "x"}]}, "self.a == self.a", "bool true"),
        ({"a": [None, {"k": "x"}]}, "self.a == [null, null]", "error: no such overload"),
    ]),
    ({"type": "object", "properties": {"a": {"type": "string", "format": "duration"}}}, [
        ({"a": "1h"}, "self.a", "duration 1h0m0s"),
        ({"a": "-1.5s"}, "self.a", "duration -1.5s"),
        ({"a": "2 weeks"}, "self.a", "duration 336h0m0s"),
        ({"a": "3 min 2 sec"}, "self.a", "duration 3m2s"),
        ({"a": "1d 1 hr"}, "self.a", "duration 25h0m0s"),
        ({"a": "5 parsecs"}, "self.a", "error: Invalid duration 5 parsecs: unable to parse 5 parsecs as duration"),
        ({"a": "99999999999999999999 s"}, "self.a", 'error: Invalid duration 99999999999999999999 s: strconv.Atoi: parsing "99999999999999999999": value out of range'),
        ({"a": "9223372036854775807 w"}, "self.a", "duration -168h0m0s"),
        ({"a": ""}, "self.a", "error: Invalid duration : unable to parse  as duration"),
        ({"a": "x"}, "self.a", "error: Invalid duration x: unable to parse x as duration"),
    ]),
    ({"type": "object", "properties": {"a": {"type": "string", "format": "date"}}}, [
        ({"a": "2020-02-29"}, "self.a", "timestamp 2020-02-29T00:00:00Z"),
        ({"a": "0000-02-29"}, "self.a", "timestamp 0000-02-29T00:00:00Z"),
        ({"a": "2019-02-29"}, "self.a", 'error: Invalid date formatted string 2019-02-29: parsing time "2019-02-29": day out of range'),
        ({"a": "2020-13-01"}, "self.a", 'error: Invalid date formatted string 2020-13-01: parsing time "2020-13-01": month out of range'),
        ({"a": "2020-00-01"}, "self.a", 'error: Invalid date formatted string 2020-00-01: parsing time "2020-00-01": month out of range'),
        ({"a": "2020-1-01"}, "self.a", 'error: Invalid date formatted string 2020-1-01: parsing time "2020-1-01" as "2006-01-02": cannot parse "1-01" as "01"'),
        ({"a": "2020-01-01x"}, "self.a", 'error: Invalid date formatted string 2020-01-01x: parsing time "2020-01-01x": extra text: "x"'),
        ({"a": "20200-01-01"}, "self.a", 'error: Invalid date formatted string 20200-01-01: parsing time "20200-01-01" as "2006-01-02": cannot parse "0-01-01" as "-"'),
        ({"a": ""}, "self.a", 'error: Invalid date formatted string : parsing time "" as "2006-01-02": cannot parse "" as "2006"'),
        ({"a": "x"}, "self.a", 'error: Invalid date formatted string x: parsing time "x" as "2006-01-02": cannot parse "x" as "2006"'),
        ({"a": "2020-01-00"}, "self.a", 'error: Invalid date formatted string 2020-01-00: parsing time "2020-01-00": day out of range'),
        ({"a": 'ä"\\x'}, "self.a", 'error: Invalid date formatted string ä"\\x: parsing time "\\xc3\\xa4\\"\\\\x" as "2006-01-02": cannot parse "\\xc3\\xa4\\"\\\\x" as "2006"'),
    ]),
    ({"type": "object", "properties": {"a": {"type": "string", "format": "byte"}}}, [
        ({"a": "YWJj"}, "self.a", "bytes 616263"),
        ({"a": "YQ=="}, "self.a", "bytes 61"),
        ({"a": "_-8="}, "self.a", "bytes ffef"),
        ({"a": "/+8="}, "self.a", "error: Invalid byte formatted string /+8=: illegal base64 data at input byte 0"),
        ({"a": "Y\nQ=="}, "self.a", "bytes 61"),
        ({"a": "YQ"}, "self.a", "error: Invalid byte formatted string YQ: illegal base64 data at input byte 0"),
        ({"a": "YQ="}, "self.a", "error: Invalid byte formatted string YQ=: illegal base64 data at input byte 3"),
        ({"a": "YQ=x"}, "self.a", "error: Invalid byte formatted string YQ=x: illegal base64 data at input byte 2"),
        ({"a": "Y==="}, "self.a", "error: Invalid byte formatted string Y===: illegal base64 data at input byte 1"),
        ({"a": "YQ==x"}, "self.a", "error: Invalid byte formatted string YQ==x: illegal base64 data at input byte 4"),
        ({"a": "YWI=x"}, "self.a", "error: Invalid byte formatted string YWI=x: illegal base64 data at input byte 4"),
        ({"a": "YWI="}, "self.a", "bytes 6162"),
        ({"a": "YWI"}, "self.a", "error: Invalid byte formatted string YWI: illegal base64 data at input byte 0"),
        ({"a": "Y"}, "self.a", "error: Invalid byte formatted string Y: illegal base64 data at input byte 0"),
        ({"a": "*"}, "self.a", "error: Invalid byte formatted string *: illegal base64 data at input byte 0"),
        ({"a": "ä"}, "self.a", "error: Invalid byte formatted string ä: illegal base64 data at input byte 0"),
        ({"a": "="}, "self.a", "error: Invalid byte formatted string =: illegal base64 data at input byte 0"),
        ({"a": "YQ=\n="}, "self.a", "bytes 61"),
        ({"a": "YWJjYQ"}, "self.a", "error: Invalid byte formatted string YWJjYQ: illegal base64 data at input byte 4"),
        ({"a": "YWJj\nYQ"}, "self.a", "error: Invalid byte formatted string YWJj\nYQ: illegal base64 data at input byte 5"),
    ]),
]  # fmt: skip


@pytest.mark.parametrize(
    ("schema", "value", "expression", "expected"),
    [(schema, *case) for schema, cases in CASES for case in cases],
)
def test_values_have_the_types_of_their_schema_in_expressions(
    schema: Schema, value: Any, expression: str, expected: str
) -> None:
    assert answer(schema, value, expression) == expected


@pytest.mark.parametrize(
    ("node", "value", "problem"),
    [
        (Structural(type="x"), 1, "invalid type, expected object, array, .* is true, got x"),
        (Structural(type="array"), 1, "expected an array for the provided schema with type=array"),
        (Structural(type="array"), [1], "invalid array type, expected Items with a non-empty Schema"),
        (
            Structural(type="array", x_list_type="bag", items=Structural(type="string")),
            ["a"],
            "invalid x-kubernetes-list-type, expected 'map', 'set' or 'atomic' but got bag",
        ),
    ],
)
def test_values_of_schemas_without_a_cel_type_are_errors(node: Structural, value: Any, problem: str) -> None:
    with pytest.raises(EvaluationError, match=problem):
        views.compile(node, NEWEST)(value)


def test_a_value_without_type_is_printed_as_json() -> None:
    assert str(Preserved({"a": [1]})) == '{"a":[1]}'


def test_unknown_fields_are_compared_if_both_objects_have_them() -> None:
    view = views.compile(
        structural.from_schema(
            {"type": "object", "properties": {"a": {"type": "string"}}, "x-kubernetes-preserve-unknown-fields": True}
        ),
        NEWEST,
    )
    first, same, different, unlike = (
        view(value) for value in ({"a": "1", "x": 1}, {"a": "1", "y": 1}, {"a": "1", "x": 2}, {"x": 1})
    )
    assert isinstance(first, ObjectView)

    assert first.equal(same)
    assert not first.equal(different)
    assert not first.equal(unlike)
    with pytest.raises(EvaluationError, match="no such overload"):
        first.equal({"a": "1", "x": 1})


def test_printing_shows_unreadable_values_as_errors_and_omits_unknown_fields() -> None:
    schema = {"type": "object", "properties": {"a": {"type": "array", "items": {"type": "integer"}}}}
    view = views.compile(structural.from_schema(schema), NEWEST)({"a": [1, "x"], "unknown": 1})

    assert spelling.value(view) == '{"a": [1, error: invalid data, expected int, got string]}'


def test_items_with_new_keys_are_added_to_a_list_of_type_map() -> None:
    schema = {
        "type": "array",
        "x-kubernetes-list-type": "map",
        "x-kubernetes-list-map-keys": ["k"],
        "items": {
            "type": "object",
            "required": ["k"],
            "properties": {"k": {"type": "string"}, "v": {"type": "integer"}},
        },
    }
    view = views.compile(structural.from_schema(schema), NEWEST)
    left_view, right_view = view([{"k": "a", "v": 1}]), view([{"k": "b", "v": 2}, {"k": "a", "v": 3}])
    assert isinstance(left_view, MapListView)

    together = left_view.add(right_view)

    assert isinstance(together, MapListSum)
    assert together.equal(view([{"k": "a", "v": 3}, {"k": "b", "v": 2}]))


def test_undeclared_names_have_no_type_and_no_size() -> None:
    node = structural.from_schema(
        {
            "type": "object",
            "properties": {"m": {"type": "object", "maxProperties": 3, "additionalProperties": {"type": "string"}}},
        }
    )
    declared = schemadeclarations.declare(node, NEWEST, "Self")
    assert declared is not None
    declarations = SchemaDeclarations(declared, schemadeclarations.structs(declared))

    assert declarations.find_field("nothing", "a") is None
    assert declarations.max_elements(("self", "m")) == 3
    assert declarations.max_elements(("self", "m", "@keys")) is not None
    assert declarations.max_elements(("self", "@keys")) is None
    assert declarations.max_elements(("self", "none", "deeper")) is None


_MANY: Final = [f"item {index}" for index in range(100)]
_LISTS: Final = {"type": "object", "properties": {
    "list": {"type": "array", "items": {"type": "string"}},
    "dates": {"type": "array", "items": {"type": "string", "format": "date"}},
    "set": {"type": "array", "x-kubernetes-list-type": "set", "items": {"type": "string"}},
    "map": {"type": "object", "additionalProperties": {"type": "string"}},
    "object": {"type": "object", "x-kubernetes-preserve-unknown-fields": True, "properties": {"a": {"type": "string"}}},
}}  # fmt: skip
_LISTED: Final = {
    "list": _MANY,
    "dates": ["2020-01-01"] * 100,
    "set": _MANY,
    "map": dict.fromkeys(_MANY, "a"),
    "object": {"a": "b", "c": [_MANY], "d": {"e": _MANY}},
}


@pytest.mark.parametrize(
    "text",
    [
        "[self.list] == [self.list]",
        "[self.dates] == [self.dates]",
        "!(timestamp(a) in dyn(self.dates))",
        "[self.set] == [self.set]",
        "size(self.set + self.set) == 100",
        "[self.map] == [self.map]",
        "[self.object] == [self.object]",
    ],
)
def test_comparing_values_counts_as_work(text: str, monkeypatch: pytest.MonkeyPatch) -> None:
    looped = "self.list.all(b, " + text.replace("timestamp(a)", "timestamp('2021-01-01T00:00:00Z')") + ")"
    assert answer(_LISTS, _LISTED, looped) == "bool true"

    monkeypatch.setattr(workload, "MOST", 5_000)
    with pytest.raises(UnsupportedExpressionError, match="more than 5000 values without cost"):
        answer(_LISTS, _LISTED, looped)


def test_a_set_to_which_an_optional_map_is_added_is_not_supported() -> None:
    with pytest.raises(UnsupportedExpressionError, match="sets and keys of lists with optional lists and maps"):
        answer(_LISTS, _LISTED, "dyn(self.set) + [optional.of(self.map)] == []")
