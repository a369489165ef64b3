"""Value validation: answers of real servers, and laws for every schema and value."""

from __future__ import annotations

import copy

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tiers import examples

from pytest_crd.engine import profile
from pytest_crd.engine.errors.fielderror import FieldError
from pytest_crd.engine.fieldpath import FieldPath
from pytest_crd.engine.jsonvalue import JSONValue
from pytest_crd.engine.values import valuevalidation

Schema = dict[str, JSONValue]


def errors(schema: Schema, value: JSONValue, version: str = "1.37") -> tuple[FieldError, ...]:
    return valuevalidation.compile(schema, profile.named(version)).create(value)


def find_errors(schema: Schema, value: JSONValue, version: str = "1.37") -> list[str]:
    return [str(error) for error in errors(schema, value, version)]


def field(schema: Schema) -> Schema:
    return {"type": "object", "properties": {"a": schema}}


@pytest.mark.parametrize(
    ("schema", "value"),
    [
        pytest.param({"type": "string"}, "x", id="a text is a string"),
        pytest.param({"type": "integer"}, 1, id="an int is an integer"),
        pytest.param({"type": "integer"}, 1.0, id="a whole float is an integer"),
        pytest.param({"multipleOf": 0.1}, 4.9999999999, id="a float very near to a multiple is one"),
        pytest.param({"type": "number"}, 1, id="an integer is a number"),
        pytest.param({"type": "boolean"}, True, id="true is a boolean"),
        pytest.param({"properties": {"b": {"type": "string"}}}, {"b": "x", "c": 1}, id="a field without a schema"),
        pytest.param({"required": ["b", "c"]}, {"c": 1, "b": None}, id="what is required may be null"),
        pytest.param({"items": {"type": "string"}, "maxItems": 2, "minItems": 1}, ["x", "y"], id="items of their type"),
        pytest.param({"type": "array"}, [1], id="without items a list holds anything"),
        pytest.param({"type": "object"}, {"b": 1}, id="without properties an object holds anything"),
        pytest.param({}, {"b": [None]}, id="without a type everything goes"),
        pytest.param({}, None, id="without a type null goes"),
        pytest.param(
            {"type": "string", "nullable": True, "minLength": 2}, None, id="nothing is asked of a nullable null"
        ),
        pytest.param({"x-kubernetes-int-or-string": True}, "x", id="a text is an int or string"),
        pytest.param({"type": "string", "format": "date"}, ["x"], id="a list goes where a format hides the type"),
        pytest.param({"type": "string", "format": "bogus"}, "x", id="an unknown format is not asked"),
        pytest.param({"type": "object", "additionalProperties": True}, {"b": None}, id="a map of anything"),
        pytest.param({"enum": [97, 0.5, "a", None]}, 97, id="an entry of an enum"),
        pytest.param({"enum": [1000000]}, 1000000.0, id="a float is compared with integers as one"),
        pytest.param({"enum": [1]}, 1.5, id="a float is compared with integers without its fraction"),
        pytest.param({"enum": [1.0]}, 1, id="an integer is compared with floats as one"),
        pytest.param({"enum": ["a"]}, 97, id="an integer is compared with texts as a character"),
        pytest.param({"enum": ["\ufffd"]}, -1, id="an integer that is no character is the replacement character"),
        pytest.param({"enum": [{"b": [1]}]}, {"b": [1]}, id="an object is compared as a whole"),
        pytest.param({"enum": []}, 1, id="an empty enum allows everything"),
    ],
)
def test_valid_values_have_no_errors(schema: Schema, value: JSONValue) -> None:
    assert errors(field(schema), {"a": value}) == ()
    assert valuevalidation.compile(schema, profile.named("1.37")).accepts(value)


@pytest.mark.parametrize(
    ("schema", "value", "expected"),
    [
        pytest.param(
            {"type": "string"},
            1,
            ['a: Invalid value: "integer": a in body must be of type string: "integer"'],
            id="a type error prints the type",
        ),
        pytest.param(
            {"type": "string"},
            None,
            ['a: Invalid value: "null": a in body must be of type string: "null"'],
            id="null is a type",
        ),
        pytest.param(
            {"type": "integer"},
            1.5,
            [
                'a: Invalid value: "number": a in body must be of type integer: "number"',
                '<nil>: Invalid value: "": Checked value must be of type integer (default format) in a',
            ],
            id="a fraction is no integer, and does not fit one",
        ),
        pytest.param(
            {"x-kubernetes-int-or-string": True},
            True,
            ['a: Invalid value: "boolean": a in body must be of type integer,string: "boolean"'],
            id="an integer or string is one of two types",
        ),
        pytest.param(
            {"type": "string", "format": "ipv4"},
            "1.1.1",
            ['a: Invalid value: "1.1.1": a in body must be of type ipv4: "1.1.1"'],
            id="a format error prints the value",
        ),
        pytest.param(
            {"type": "integer", "format": "int32"},
            True,
            ['a: Invalid value: "": a in body must be of type int32: ""'],
            id="beside a format a boolean has no type",
        ),
        pytest.param(
            {"type": "integer", "format": "int32"},
            "1",
            ['a: Invalid value: "string": a in body must be of type integer: "string"'],
            id="a format of numbers does not hide the type of a text",
        ),
        pytest.param(
            {"type": "string", "maxLength": 1}, "éé", ["a: Too long: may not be more than 1 byte"], id="too long"
        ),
        pytest.param(
            {"type": "string", "minLength": 2},
            "é",
            ['a: Invalid value: "é": a in body should be at least 2 chars long'],
            id="characters are counted, not bytes",
        ),
        pytest.param(
            {"type": "string", "maxLength": -1}, "", ["a: Too long: value is too long"], id="a limit below zero"
        ),
        pytest.param(
            {"type": "string", "minLength": 2, "pattern": "^b"},
            "a",
            ['a: Invalid value: "a": a in body should be at least 2 chars long'],
            id="of several failures of a text the first is reported",
        ),
        pytest.param(
            {"type": "string", "pattern": "^b"},
            "a",
            ["a: Invalid value: \"a\": a in body should match '^b'"],
            id="a pattern",
        ),
        pytest.param(
            {"type": "string", "enum": ["b", "<", 2]},
            "c",
            ['a: Unsupported value: "c": supported values: "b", "<", "2"'],
            id="entries keep their order",
        ),
        pytest.param(
            {"type": "string", "nullable": True, "enum": [None]},
            None,
            ['a: Unsupported value: null: supported values: "null"'],
            id="null is in no enum",
        ),
        pytest.param(
            {"type": "array", "minItems": 1},
            [],
            ["a: Invalid value: 0: a in body should have at least 1 items"],
            id="too few items",
        ),
        pytest.param(
            {"type": "array", "maxItems": 1}, [1, 2], ["a: Too many: 2: must have at most 1 item"], id="too many items"
        ),
        pytest.param(
            {"type": "array", "maxItems": -1}, [], ["a: Too many: 0: has too many items"], id="fewer items than none"
        ),
        pytest.param(
            {"type": "array", "uniqueItems": True},
            [1, 1.0, 1],
            ['a: Invalid value: "": a in body shouldn\'t contain duplicates'],
            id="equal items",
        ),
        pytest.param(
            {"type": "array", "items": {"type": "string"}},
            ["b", 1],
            ['a[1]: Invalid value: "integer": a[1] in body must be of type string: "integer"'],
            id="an item",
        ),
        pytest.param(
            {"type": "object", "minProperties": 3, "maxProperties": 1, "required": ["d", "c"]},
            {"b": 1, "e": 2},
            [
                "a: Invalid value: 2: a in body should have at least 3 properties",
                "a: Too many: 2: must have at most 1 item",
                "a.d: Required value",
                "a.c: Required value",
            ],
            id="counts come first, and what is required last, in its order",
        ),
        pytest.param(
            {"type": "object", "additionalProperties": {"maximum": 1}},
            {"x.y": 2, "b": 3},
            [
                "a.b: Invalid value: 3: a.b in body should be less than or equal to 1",
                "a.x.y: Invalid value: 2: a.x.y in body should be less than or equal to 1",
            ],
            id="map entries by name",
        ),
        pytest.param(
            {"required": ["b", "c"], "properties": {"b": {"type": "string"}}},
            {"b": 1},
            ['a.b: Invalid value: "integer": a.b in body must be of type string: "integer"', "a.c: Required value"],
            id="what is there may be wrong, and what is not, missing",
        ),
        pytest.param(
            {"items": {"items": {"type": "string"}}, "maxItems": 2},
            [["b"], [1]],
            ['a[1][0]: Invalid value: "integer": a[1][0] in body must be of type string: "integer"'],
            id="an item of an item",
        ),
        pytest.param(
            {"type": "object", "additionalProperties": False},
            {"b": 1},
            ['a: Invalid value: "b": a.b in body is a forbidden property'],
            id="a forbidden property",
        ),
    ],
)
def test_errors_are_those_of_a_server(schema: Schema, value: JSONValue, expected: list[str]) -> None:
    assert find_errors(field(schema), {"a": value}) == expected


@pytest.mark.parametrize(
    ("schema", "value", "expected"),
    [
        pytest.param(
            {"anyOf": [{"minLength": 5}, {"pattern": "^a"}]},
            "b",
            [
                '"a" must validate at least one schema (anyOf)',
                "a in body should be at least 5 chars long",
            ],
            id="of branches that met equally much the first is reported",
        ),
        pytest.param(
            {"anyOf": [{"required": ["z"]}, {"properties": {"x": {"minLength": 2}}}]},
            {"x": "1"},
            [
                '"a" must validate at least one schema (anyOf)',
                "a.x in body should be at least 2 chars long",
            ],
            id="the branch that looked at more is reported",
        ),
        pytest.param({"anyOf": [{"minLength": 5}, {"pattern": "^a"}]}, "a", [], id="one branch is enough"),
        pytest.param(
            {"oneOf": [{"minimum": 5}, {"multipleOf": 2}]},
            6,
            ['"a" must validate one and only one schema (oneOf). Found 2 valid alternatives'],
            id="two branches are too many",
        ),
        pytest.param(
            {"oneOf": [{"minimum": 5}, {"multipleOf": 2}]},
            3,
            [
                '"a" must validate one and only one schema (oneOf). Found none valid',
                "a in body should be greater than or equal to 5",
            ],
            id="no branch is too few",
        ),
        pytest.param({"oneOf": [{"minimum": 5}, {"multipleOf": 2}]}, 5, [], id="exactly one branch"),
        pytest.param(
            {"minimum": 0, "oneOf": [{"minimum": -9}, {"minimum": 5}], "allOf": [{"minimum": -9}]},
            -1,
            ["a in body should be greater than or equal to 0"],
            id="a junctor that holds says nothing of an error beside it",
        ),
        pytest.param(
            {"minimum": 9, "allOf": [{"minimum": 5}, {"multipleOf": 2}], "anyOf": [{}]},
            4,
            [
                "a in body should be greater than or equal to 5",
                '"a" must validate all the schemas (allOf)',
                "a in body should be greater than or equal to 9",
            ],
            id="branches come before allOf, and junctors before keywords",
        ),
        pytest.param(
            {"allOf": [{"minimum": 5}]},
            4,
            [
                "a in body should be greater than or equal to 5",
                '"a" must validate all the schemas (allOf). None validated',
            ],
            id="none of all",
        ),
        pytest.param({"not": {"minimum": 5}}, 5, ['"a" must not validate the schema (not)'], id="what must not hold"),
        pytest.param({"not": {"minimum": 5}}, 4, [], id="what does not hold"),
        pytest.param(
            {"required": ["b"], "allOf": [{"required": ["b"]}, {}]},
            {},
            ["a.b", '"a" must validate all the schemas (allOf)'],
            id="what is said twice is reported once",
        ),
        pytest.param(
            {"allOf": [{"enum": ["x y"]}, {"enum": ["x", "y"]}]},
            "z",
            ['supported values: "x y"', '"a" must validate all the schemas (allOf). None validated'],
            id="enums that read alike are one",
        ),
        pytest.param(
            {"nullable": True, "type": "string", "not": {}, "anyOf": [{"type": "string"}]},
            None,
            [],
            id="junctors are not asked of null",
        ),
    ],
)
def test_errors_of_junctors_are_those_of_a_server(schema: Schema, value: JSONValue, expected: list[str]) -> None:
    reported = [error.detail or error.field for error in errors(field(schema), {"a": value})]
    assert reported == expected


@pytest.mark.parametrize(
    ("schema", "value", "message"),
    [
        ({"minLength": 3}, "ab", "a: Too short: must be at least 3 characters"),
        ({"minLength": 1}, "", "a: Too short: must be at least 1 character"),
        ({"minItems": 2}, [1], "a: Too few: 1: must have at least 2 items"),
        ({"minItems": 1}, [], "a: Too few: 0: must have at least 1 item"),
        ({"minProperties": 1}, {}, "a: Too few: 0: must have at least 1 item"),
        ({"maxItems": 1}, [1, 2], "a: Too many: 2: must have at most 1 item"),
    ],
)
def test_shortages_have_their_own_types_in_the_preview(schema: Schema, value: JSONValue, message: str) -> None:
    """Upstream's own sources: apiextensions-apiserver 0.38 pkg/apiserver/validation, kubeOpenAPIResultToFieldErrors."""
    assert find_errors(field(schema), {"a": value}, "1.38") == [message]


@pytest.mark.parametrize(
    ("schema", "reason"),
    [({"minLength": 1}, "FieldValueTooShort"), ({"minItems": 1}, "FieldValueTooFew")],
)
def test_causes_of_shortages_have_their_own_reasons_in_the_preview(schema: Schema, reason: str) -> None:
    value: JSONValue = "" if "minLength" in schema else []

    assert [error.type.reason for error in errors(field(schema), {"a": value}, "1.38")] == [reason]
    assert [error.type.reason for error in errors(field(schema), {"a": value}, "1.37")] == ["FieldValueInvalid"]


@pytest.mark.parametrize(
    ("schema", "within", "beyond"),
    [
        pytest.param({"maxLength": 2}, "éé", "ééé", id="maxLength"),
        pytest.param({"minLength": 2}, "éé", "é", id="minLength"),
        pytest.param({"maxItems": 2}, [1, 2], [1, 2, 3], id="maxItems"),
        pytest.param({"minItems": 2}, [1, 2], [1], id="minItems"),
        pytest.param({"maxProperties": 1}, {"b": 1}, {"b": 1, "c": 1}, id="maxProperties"),
        pytest.param({"minProperties": 1}, {"b": 1}, {}, id="minProperties"),
        pytest.param({"maximum": 2}, 2, 3, id="maximum of an integer"),
        pytest.param({"maximum": 2.5}, 2.5, 2.6, id="maximum of a float"),
        pytest.param({"minimum": 2}, 2, 1, id="minimum of an integer"),
        pytest.param({"minimum": 2.5}, 2.5, 2.4, id="minimum of a float"),
        pytest.param({"maximum": 2, "exclusiveMaximum": True}, 1, 2, id="exclusiveMaximum of an integer"),
        pytest.param({"maximum": 2.5, "exclusiveMaximum": True}, 2.4, 2.5, id="exclusiveMaximum of a float"),
        pytest.param({"minimum": 2, "exclusiveMinimum": True}, 3, 2, id="exclusiveMinimum of an integer"),
        pytest.param({"minimum": 2.5, "exclusiveMinimum": True}, 2.6, 2.5, id="exclusiveMinimum of a float"),
    ],
)
@pytest.mark.parametrize("version", ["1.21", "1.37", "1.38"])
def test_limits_are_inclusive(schema: Schema, within: JSONValue, beyond: JSONValue, version: str) -> None:
    assert find_errors(field(schema), {"a": within}, version) == []
    assert len(find_errors(field(schema), {"a": beyond}, version)) == 1


def test_an_any_of_over_nulls_prefers_the_branch_that_allows_null() -> None:
    """A null that passes the type counts as met, which is how the second branch is chosen."""
    schema = {"items": {}, "anyOf": [{"items": {"type": "string"}}, {"items": {"nullable": True, "enum": [1]}}]}
    assert [error.field for error in errors(field(schema), {"a": [None]})] == ["<nil>", "a[0]"]
    assert errors(field(schema), {"a": [None]})[1].type == "NotSupported"


def test_at_the_root_names_begin_without_a_dot() -> None:
    schema = {"type": "object", "required": ["a"], "maxProperties": 0, "additionalProperties": {"type": "string"}}
    assert find_errors(schema, {"": 1, "b": 1}) == [
        "<nil>: Too many: 2: must have at most 0 items",
        '<nil>: Invalid value: "integer": . in body must be of type string: "integer"',
        'b: Invalid value: "integer": .b in body must be of type string: "integer"',
        "a: Required value",
    ]


def test_below_a_path_the_text_names_the_value_as_if_it_were_the_root() -> None:
    validator = valuevalidation.compile(
        {"type": "object", "properties": {"a": {"type": "string"}}}, profile.named("1.37")
    )
    status = FieldPath(("status",))
    assert [str(error) for error in validator.create(1, status)] == [
        'status: Invalid value: "integer":  in body must be of type object: "integer"'
    ]
    assert [str(error) for error in validator.create({"a": 1}, status)] == [
        'status.a: Invalid value: "integer": a in body must be of type string: "integer"'
    ]


@pytest.mark.parametrize(
    ("version", "schema", "value", "expected"),
    [
        pytest.param(
            "1.21",
            {"type": "array", "items": {"type": "string"}},
            [1],
            'a: Invalid value: "integer": a in body must be of type string: "integer"',
            id="1.21 does not name the item",
        ),
        pytest.param(
            "1.21",
            {"type": "string", "maxLength": 1},
            "bb",
            'a: Invalid value: "bb": a in body should be at most 1 chars long',
            id="1.21 prints what is too long",
        ),
        pytest.param(
            "1.21",
            {"type": "array", "maxItems": 1},
            [1, 2],
            "a: Invalid value: 2: a in body should have at most 1 items",
            id="1.21 words too many items otherwise",
        ),
        pytest.param(
            "1.21",
            {"type": "object", "maxProperties": 1, "required": ["z"]},
            {"b": 1, "c": 2},
            "a: Invalid value: 1: a in body should have at most 1 properties",
            id="1.21 prints the limit of properties, and goes no further",
        ),
        pytest.param(
            "1.21",
            {"type": "object", "minProperties": 1},
            {},
            "a: Invalid value: 1: a in body should have at least 1 properties",
            id="1.21 prints the lower limit of properties, too",
        ),
        pytest.param(
            "1.32",
            {"type": "string", "maxLength": 1},
            "bb",
            "a: Too long: may not be more than 1 bytes",
            id="1.32 does not inflect bytes",
        ),
        pytest.param(
            "1.32",
            {"type": "array", "maxItems": 1},
            [1, 2],
            "a: Too many: 2: must have at most 1 items",
            id="1.32 does not inflect items",
        ),
        pytest.param(
            "1.32",
            {"enum": ["b"]},
            {"c": [None, 1.5]},
            'a: Unsupported value: map[string]interface {}{"c":[]interface {}{interface {}(nil), 1.5}}: '
            'supported values: "b"',
            id="1.32 prints objects in Go's syntax",
        ),
        pytest.param(
            "1.32",
            {"nullable": True, "enum": ["b"]},
            None,
            'a: Unsupported value: "null": supported values: "b"',
            id="1.32 prints null as a text",
        ),
        pytest.param(
            "1.35",
            {"type": "object", "format": "date"},
            "2020-01-01",
            "",
            id="until 1.35 a format of texts hides the type object",
        ),
        pytest.param("1.35", {"type": "integer", "format": "int32"}, 2**40, "", id="until 1.35 int32 is no format"),
    ],
)
def test_answers_depend_on_the_kubernetes_version(
    version: str, schema: Schema, value: JSONValue, expected: str
) -> None:
    assert "".join(find_errors(field(schema), {"a": value}, version)) == expected


def test_a_pattern_that_does_not_compile_never_matches() -> None:
    [text] = find_errors({"type": "string", "pattern": "("}, "x")
    assert text.endswith("'(, but pattern is invalid: error parsing regexp: missing closing ): `(`'")


def test_without_ratcheting_an_update_is_validated_like_a_create() -> None:
    schema, value = field({"type": "string", "maxLength": 1}), {"a": "long"}
    old_server = valuevalidation.compile(schema, profile.named("1.21"))
    assert old_server.update(value, value) == old_server.create(value) != ()


_NAMES = st.sampled_from("abc")
_SCALARS = st.sampled_from([None, True, 0, 1, 97, -2, 1.5, 1e19, "", "a", "ab", "2020-01-01"])
_VALUES = st.recursive(
    _SCALARS,
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(_NAMES, inner, max_size=3),
    max_leaves=6,
)
_KEYWORDS = st.fixed_dictionaries(
    {},
    optional={
        "type": st.sampled_from(["string", "integer", "number", "boolean", "object", "array"]),
        "nullable": st.booleans(),
        "x-kubernetes-int-or-string": st.booleans(),
        "format": st.sampled_from(["date", "int32", "float", "bogus"]),
        "enum": st.lists(_VALUES, max_size=3),
        "pattern": st.sampled_from(["^a", ""]),
        "minLength": st.integers(0, 2),
        "maxLength": st.integers(0, 2),
        "minimum": st.sampled_from([0, 1.5, 1e19]),
        "maximum": st.sampled_from([1, 0.5, 1e39]),
        "exclusiveMaximum": st.booleans(),
        "multipleOf": st.sampled_from([2, 0.5]),
        "minItems": st.integers(0, 2),
        "maxItems": st.integers(0, 2),
        "minProperties": st.integers(0, 2),
        "maxProperties": st.integers(0, 2),
        "required": st.lists(_NAMES, max_size=2),
        "additionalProperties": st.booleans(),
    },
)
_SCHEMAS = st.recursive(
    _KEYWORDS,
    lambda inner: st.builds(
        lambda keywords, nested: keywords | nested,
        _KEYWORDS,
        st.fixed_dictionaries(
            {},
            optional={
                "items": inner,
                "properties": st.dictionaries(_NAMES, inner, max_size=3),
                "additionalProperties": inner,
                "not": inner,
                "allOf": st.lists(inner, max_size=2),
                "anyOf": st.lists(inner, max_size=2),
                "oneOf": st.lists(inner, max_size=2),
            },
        ),
    ),
    max_leaves=6,
)


@given(schema=_SCHEMAS, value=_VALUES, version=st.sampled_from(["1.32", "1.35", "1.37"]))
@examples(80)
def test_the_fast_test_and_the_examination_agree(schema: Schema, value: JSONValue, version: str) -> None:
    """The fast test accepts a value if and only if the examination has no failures; neither changes the value."""
    validator = valuevalidation.compile(schema, profile.named(version))
    before = copy.deepcopy(value)
    errors = validator._node.examine(value, "")
    assert validator.accepts(value) == (not errors.failures) == (validator.create(value) == ())
    assert repr(value) == repr(before)


@given(schema=_SCHEMAS, value=_VALUES, old=_VALUES)
@examples(50)
def test_ratcheting_only_removes_errors(schema: Schema, value: JSONValue, old: JSONValue) -> None:
    """An update reports nothing that a create of the same value would not report, too."""
    validator = valuevalidation.compile(schema, profile.named("1.37"))
    assert {str(error) for error in validator.update(value, old)} <= {str(error) for error in validator.create(value)}
