"""Notation and equality of values of Go types."""

from __future__ import annotations

from typing import Any

import pytest

from pytest_crd.engine import profile
from pytest_crd.engine.crds import internaltypes
from pytest_crd.engine.errors import badvalues
from pytest_crd.engine.fieldpath import FieldPath
from pytest_crd.engine.golang import gotypes, structs
from pytest_crd.engine.golang.gotypes import BOOL, BYTES, INT32, STRING, GoType, List, Map, Pointer, Raw, Struct

NEWEST = profile.named("1.37")
OLD = profile.named("1.32")
OLDEST = profile.named("1.21")
ANY = Raw("apiextensions.JSON")


@pytest.mark.parametrize(
    ("value", "kind", "json", "go"),
    [
        pytest.param(None, List(STRING), "null", "[]string(nil)", id="no list"),
        pytest.param([], List(STRING), "[]", "[]string{}", id="an empty list"),
        pytest.param(["<"], List(STRING), '["\\u003c"]', '[]string{"<"}', id="a list of strings"),
        pytest.param({"b": "x", "a": "y"}, Map(STRING), '{"a":"y","b":"x"}', 'map[string]string{"a":"y", "b":"x"}', id="a map"),
        pytest.param({"<&>": 1}, Map(INT32), '{"\\u003c\\u0026\\u003e":1}', 'map[string]int32{"<&>":1}', id="a key that JSON escapes"),
        pytest.param(None, STRING, '""', '""', id="no string"),
        pytest.param(None, BOOL, "false", "false", id="no bool"),
        pytest.param(7, INT32, "7", "7", id="an integer"),
        pytest.param(10, gotypes.FLOAT64, "10", "10", id="a number"),
        pytest.param("YWI=", BYTES, '"YWI="', "[]byte{0x61, 0x62}", id="bytes"),
        pytest.param(None, Pointer(STRING), "null", "(*string)(nil)", id="a nil pointer"),
        pytest.param("a", Pointer(STRING), '"a"', "(*string)(0xc000000000)", id="a pointer, whose target does not show"),
        pytest.param({"a": [None, 1]}, ANY, '{"a":[null,1]}', 'map[string]interface {}{"a":[]interface {}{interface {}(nil), 1}}', id="any JSON"),
        pytest.param({"b": True}, Struct("p.T", {"b": BOOL, "jsonPath": STRING}), '{"B":true,"JSONPath":""}', 'p.T{B:true, JSONPath:""}', id="a struct, in Go's names"),
    ],
)  # fmt: skip
def test_values_are_printed_as_json_or_in_go_syntax(value: Any, kind: GoType, json: str, go: str) -> None:
    assert structs.to_json(value, kind) == json
    assert structs.to_go_syntax(value, kind) == go


def test_a_schema_is_printed_with_all_its_fields() -> None:
    schema = {
        "type": "object",
        "maximum": 1,
        "items": [{"type": "string"}],
        "additionalProperties": {"type": "string"},
        "additionalItems": False,
        "dependencies": {"a": ["b"], "c": {"id": "x"}},
        "x-kubernetes-int-or-string": True,
    }
    printed = structs.to_json(schema, internaltypes.schema(NEWEST))
    assert printed.startswith('{"ID":"","Schema":"","Ref":null,"Description":"","Type":"object","Nullable":false,')
    assert '"AdditionalItems":{"Allows":false,"Schema":null}' in printed
    assert '"AdditionalProperties":{"Allows":true,"Schema":{"ID":""' in printed
    assert '"Items":{"Schema":null,"JSONSchemas":[{"ID":""' in printed
    assert '"Dependencies":{"a":{"Schema":null,"Property":["b"]},"c":{"Schema":{"ID":"x"' in printed
    assert printed.endswith(
        '"XIntOrString":true,"XListMapKeys":null,"XListType":null,"XMapType":null,"XValidations":null}'
    )


def test_versions_know_the_fields_of_their_kubernetes_version() -> None:
    version = {"name": "v1", "served": True}
    newest = structs.to_json(version, internaltypes.version(NEWEST))
    assert newest.endswith('"AdditionalPrinterColumns":null,"SelectableFields":null}')
    oldest = structs.to_go_syntax([version], internaltypes.versions(OLDEST))
    assert oldest.endswith("AdditionalPrinterColumns:[]apiextensions.CustomResourceColumnDefinition(nil)}}")
    assert "XValidations" not in structs.to_json({}, internaltypes.schema(OLDEST))


@pytest.mark.parametrize(
    ("left", "right", "answer"),
    [
        pytest.param(None, {}, False, id="a pointer to nothing is not none"),
        pytest.param({"openAPIV3Schema": {"type": ""}}, {"openAPIV3Schema": {}}, True, id="an empty text is none"),
        pytest.param(
            {"openAPIV3Schema": {"properties": {}, "required": []}},
            {"openAPIV3Schema": {}},
            True,
            id="an empty list or map is none",
        ),
        pytest.param(
            {"openAPIV3Schema": {"maximum": 0}}, {"openAPIV3Schema": {}}, False, id="a zero behind a pointer is one"
        ),
        pytest.param(
            {"openAPIV3Schema": {"properties": {"a": {"default": 1}}}},
            {"openAPIV3Schema": {"properties": {"a": {"default": True}}}},
            False,
            id="defaults are JSON",
        ),
        pytest.param(
            {"openAPIV3Schema": {"allOf": [{"type": "string"}]}},
            {"openAPIV3Schema": {"allOf": [{"type": "string"}, {}]}},
            False,
            id="lists of other length",
        ),
        pytest.param(
            {"openAPIV3Schema": {"items": {"type": "string"}}},
            {"openAPIV3Schema": {"items": {"type": "string", "nullable": False}}},
            True,
            id="the same items",
        ),
        pytest.param(
            {"openAPIV3Schema": {"properties": {"a": {}}}},
            {"openAPIV3Schema": {"properties": {"b": {}}}},
            False,
            id="other names",
        ),
    ],
)
def test_empty_equals_absent_except_behind_a_pointer(left: Any, right: Any, *, answer: bool) -> None:
    kind = internaltypes.validation(NEWEST)
    assert structs.equal(left, right, kind) is answer
    assert structs.equal(right, left, kind) is answer


def test_old_servers_print_values_in_go_syntax() -> None:
    path = FieldPath(("a",))
    listed = badvalues.invalid_of_type(path, ["x"], internaltypes.STRINGS, "no", NEWEST)
    assert str(listed) == 'a: Invalid value: ["x"]: no'
    assert (
        str(badvalues.invalid_of_type(path, ["x"], internaltypes.STRINGS, "no", OLD))
        == 'a: Invalid value: []string{"x"}: no'
    )


def test_old_servers_print_the_target_of_a_string_pointer() -> None:
    path = FieldPath(("a",))
    assert (
        badvalues.invalid_of_type(path, "<", internaltypes.STRING_POINTER, "no", NEWEST).message
        == 'Invalid value: "\\u003c": no'
    )
    assert (
        badvalues.invalid_of_type(path, "<", internaltypes.STRING_POINTER, "no", OLD).message
        == 'Invalid value: "<": no'
    )
