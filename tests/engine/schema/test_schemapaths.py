"""Paths into a schema, as `fieldPath` of a rule and `selectableFields` write them."""

from __future__ import annotations

import pytest

from pytest_crd.engine.schema import schemapaths, structural

SCHEMA = structural.from_schema(
    {
        "type": "object",
        "properties": {
            "a": {"type": "object", "properties": {"b": {"type": "integer"}, "a.b'c": {"type": "string"}}},
            "map": {"type": "object", "additionalProperties": {"type": "boolean"}},
            "any": {"type": "object", "additionalProperties": True},
            "list": {"type": "array", "items": {"type": "string"}},
        },
    }
)
NO_FIELD = "does not refer to a valid field"
ENDS = "unexpected end of JSON path"


@pytest.mark.parametrize(
    ("path", "spelled", "type_"),
    [
        (".a", "a", "object"),
        (".a.b", "a.b", "integer"),
        ("['a'].b", "a.b", "integer"),
        (".a['a.b\\'c']", "a.a.b'c", "string"),
        (".map.x", "map[x]", "boolean"),
        (".map['x.y']", "map[x.y]", "boolean"),
        (".map['\\\\a\\b\\f\\n\\r\\t\\v']", "map[\\a\b\f\n\r\t\v]", "boolean"),
        (".map['']", "map[]", "boolean"),
    ],
)
def test_a_path_leads_to_a_field(path: str, spelled: str, type_: str) -> None:
    target = schemapaths.find_target(path, SCHEMA)
    assert str(target.path) == spelled
    assert target.schema is not None
    assert target.schema.type == type_


def test_a_map_of_any_values_has_values_without_a_schema() -> None:
    assert schemapaths.find_target(".any.x", SCHEMA).schema is None
    with pytest.raises(schemapaths.PanicError):
        schemapaths.find_target(".any.x.y", SCHEMA)


@pytest.mark.parametrize(
    ("path", "problem"),
    [
        ("a", "expected [ or . but got: a"),
        ("]", "expected [ or . but got: ]"),
        (".", ENDS),
        (".a.", ENDS),
        (".x", NO_FIELD),
        (".a.x", NO_FIELD),
        (".a.b.c", NO_FIELD),
        (".list[0]", "expected single quoted string but got 0"),
        (".list['0']", NO_FIELD),
        ("..a", NO_FIELD),
        (".a[", ENDS),
        (".a['b'", ENDS),
        (".a['b'x", "expected ] but got x"),
        (".a['b", "expected single quoted string but got 'b"),
        (".a[']", "expected single quoted string but got ']"),
        (".a['b\\q']", "invalid string literal: invalid escape char \\q"),
    ],
)
def test_errors_about_invalid_paths_are_those_of_the_server(path: str, problem: str) -> None:
    with pytest.raises(schemapaths.PathError) as raised:
        schemapaths.find_target(path, SCHEMA)
    assert str(raised.value) == problem


def test_brackets_may_be_ruled_out() -> None:
    with pytest.raises(schemapaths.PathError, match=r"^array notation is not allowed$"):
        schemapaths.find_target("['a']", SCHEMA, array_notation=False)
    assert str(schemapaths.find_target(".a.b", SCHEMA, array_notation=False).path) == "a.b"
