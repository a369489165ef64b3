from __future__ import annotations

from typing import Any

import pytest

from pytest_crd.engine import profile
from pytest_crd.engine.errors.refusal import Refusal
from pytest_crd.engine.metadata import typemeta
from pytest_crd.engine.metadata.typemeta import GroupVersionKind

NEW, OLDEST = profile.named("1.37"), profile.named("1.21")
CASE = GroupVersionKind("a.b", "v1", "Case")
WHOLE = {"apiVersion": "a.b/v1", "kind": "Case"}
UNRECOGNIZED = "the object provided is unrecognized (must be of type Case): "
WRONG_TYPE = f"{UNRECOGNIZED}couldn't get version/kind; json parse error: json: cannot unmarshal"


def undecodable(resource: Any, of: profile.Profile = NEW, body: str = "") -> str:
    refusal = typemeta.refuse_undecodable(resource, CASE, of, body=body)
    if refusal is None:
        return ""
    assert (refusal.code, refusal.reason, refusal.errors) == (400, "BadRequest", ())
    return refusal.message


@pytest.mark.parametrize("value", [pytest.param(None, id="null"), pytest.param({}, id="an object")])
def test_objects_and_null_are_accepted(value: Any) -> None:
    assert typemeta.refuse_other_than_object(value, CASE) is None


@pytest.mark.parametrize(
    ("value", "body", "name", "summary"),
    [
        pytest.param([1], "", "array", "5b315d", id="a list"),
        pytest.param("a", "a", "string", "61", id="a text"),
        pytest.param(1, "1", "number", "31", id="a number"),
    ],
)
def test_non_objects_are_refused(value: Any, body: str, name: str, summary: str) -> None:
    refusal = typemeta.refuse_other_than_object(value, CASE, body=body)
    kind = 'struct { APIVersion string "json:\\"apiVersion,omitempty\\""; Kind string "json:\\"kind,omitempty\\"" }'
    assert refusal == Refusal(400, "BadRequest", f"{WRONG_TYPE} {name} into Go value of type {kind} ({summary})")


@pytest.mark.parametrize("of", [pytest.param(NEW, id="in 1.37"), pytest.param(OLDEST, id="in 1.21")])
@pytest.mark.parametrize(
    "resource",
    [
        pytest.param(WHOLE, id="the right type"),
        pytest.param({"kind": "Other"}, id="a wrong kind without a version"),
        pytest.param({"apiVersion": "", "kind": "Case"}, id="an empty version"),
    ],
)
def test_decodable_types_are_accepted(resource: Any, of: profile.Profile) -> None:
    assert undecodable(resource, of) == ""


@pytest.mark.parametrize(
    ("value", "name"),
    [
        pytest.param(1, "number", id="a number"),
        pytest.param(1.5, "number", id="a fraction"),
        pytest.param(True, "bool", id="a boolean"),
        pytest.param([], "array", id="a list"),
        pytest.param({}, "object", id="an object"),
    ],
)
def test_apiVersion_and_kind_are_strings(value: Any, name: str) -> None:  # noqa: N802 - the field's name
    for field in WHOLE:
        message = undecodable({**WHOLE, field: value})
        assert message.startswith(f"{WRONG_TYPE} {name} into Go struct field .{field} of type string (")


@pytest.mark.parametrize(
    ("body", "field"),
    [
        pytest.param('{"kind": …', "kind", id="JSON is read in its order"),
        pytest.param("kind: …", "apiVersion", id="YAML in sorted order"),
    ],
)
def test_only_the_first_wrong_type_is_reported(body: str, field: str) -> None:
    assert f"Go struct field .{field} of" in undecodable({"kind": 1, "apiVersion": 1}, body=body)


def test_an_api_version_with_two_slashes_is_refused() -> None:
    message = undecodable({"apiVersion": "a/b/c", "kind": ""})
    assert message.startswith(f"{UNRECOGNIZED}unexpected GroupVersion string: a/b/c (")


@pytest.mark.parametrize(
    ("body", "summary"),
    [
        pytest.param('{"a":1}', '{"a":1}', id="short JSON"),
        pytest.param("{" + "é" * 15, "{" + "é" * 14 + "\ufffd ...", id="thirty bytes of JSON"),
        pytest.param("a: 1", "613a2031", id="YAML in hexadecimal"),
        pytest.param("a" * 31, "61" * 30 + " ...", id="thirty bytes of YAML"),
    ],
)
def test_messages_quote_the_sent_body(body: str, summary: str) -> None:
    assert undecodable({}, body=body) == f"{UNRECOGNIZED}Object 'Kind' is missing in '{body}' ({summary})"


def test_a_resource_without_a_text_is_quoted_as_json() -> None:
    assert undecodable({"b": "é", "a": 1}).endswith("""in '{"b":"é","a":1}' ({"b":"é","a":1})""")


@pytest.mark.parametrize(
    ("resource", "body", "version", "context"),
    [
        pytest.param(
            {"a": 1},
            "",
            "v1",
            """'{"a":1}', error found in #7 byte of ...|{"a":1}|..., bigger context ...|{"a":1}|...""",
            id="no version",
        ),
        pytest.param(
            {"apiVersion": "a/v2", "z": "<"},
            "",
            "v2",
            """'{"apiVersion":"a/v2","z":"<"}', error found in #10 byte of ...|","z":"<"}|...,"""
            """ bigger context ...|{"apiVersion":"a/v2","z":"<"}|...""",
            id="another version",
        ),
        pytest.param(
            {"a": 1},
            '{"a":1}\n',
            "v1",
            '\'{"a":1}\', error found in #7 byte of ...|{"a":1}\n|..., bigger context ...|{"a":1}\n|...',
            id="a line break behind it",
        ),
        pytest.param(
            {"b": 1, "a": 1},
            "b: 1\na: 1",
            "v1",
            """'{"a":1,"b":1}', error found in #10 byte of ...|":1,"b":1}|..., bigger context ...|{"a":1,"b":1}|...""",
            id="YAML as sorted JSON",
        ),
    ],
)
def test_the_oldest_version_locates_the_missing_kind(resource: Any, body: str, version: str, context: str) -> None:
    assert undecodable(resource, OLDEST, body) == (
        f"Case in version \"{version}\" cannot be handled as a Case: unmarshalerDecoder: Object 'Kind' is missing in {context}"
    )


@pytest.mark.parametrize(
    ("of", "version"), [pytest.param(NEW, "", id="in 1.37"), pytest.param(OLDEST, "v1", id="in 1.21")]
)
def test_a_null_version_is_refused(of: profile.Profile, version: str) -> None:
    problem = ".apiVersion accessor error: <nil> is of the type <nil>, expected string"
    message = f'Other in version "{version}" cannot be handled as a Case: {problem}'
    assert undecodable({"apiVersion": None, "kind": "Other"}, of) == message


@pytest.mark.parametrize(
    ("sent", "called"),
    [
        pytest.param({"apiVersion": "a.b/v2"}, "a.b/v2", id="another version"),
        pytest.param({"apiVersion": "v1"}, "v1", id="no group"),
        pytest.param({"apiVersion": "/v1"}, "v1", id="an empty group"),
        pytest.param({"apiVersion": "/"}, "", id="a slash"),
        pytest.param({}, "", id="none at all"),
    ],
)
def test_another_version_is_refused(sent: Any, called: str) -> None:
    message = f"the API version in the data ({called}) does not match the expected API version (a.b/v1)"
    refusal = typemeta.refuse_version(sent, CASE, NEW)
    assert refusal == Refusal(400, "BadRequest", message)


def test_the_version_of_the_url_is_accepted() -> None:
    assert typemeta.refuse_version(WHOLE, CASE, NEW) is None


@pytest.mark.parametrize("sent", [{}, {"apiVersion": ""}, {"apiVersion": "/"}, {"apiVersion": "a.b/"}])
def test_without_a_version_the_oldest_version_fails(sent: Any) -> None:
    problem = "Object 'apiVersion' is missing in 'object has no apiVersion field'"
    refusal = typemeta.refuse_version(sent, CASE, OLDEST)
    assert refusal == Refusal(500, "InternalError", f"Internal error occurred: {problem}", problem=problem)


def test_kind_and_version_are_those_of_the_crd() -> None:
    assert typemeta.validate(WHOLE, CASE) == []
    assert list(map(str, typemeta.validate({"kind": "Other"}, CASE))) == [
        'kind: Invalid value: "Other": must be Case',
        'apiVersion: Invalid value: "": must be a.b/v1',
    ]


@pytest.mark.parametrize(
    ("more", "problem"),
    [
        ({"KIND": 1}, "number into Go struct field .kind"),
        ({"\u212aind": [1]}, "array into Go struct field .kind"),
        ({"apiVer\u017fion": {}}, "object into Go struct field .apiVersion"),
    ],
)
def test_a_key_that_differs_by_case_must_hold_a_text(more: dict[str, Any], problem: str) -> None:
    assert undecodable(WHOLE | more).startswith(f"{WRONG_TYPE} {problem} of type string ")
    assert undecodable(more | WHOLE).startswith(f"{WRONG_TYPE} {problem} of type string ")


def test_texts_and_null_under_keys_of_another_case_are_accepted() -> None:
    assert undecodable(WHOLE | {"KIND": None, "Kind": "x", "apiversion": "v2"}) == ""


def test_the_last_api_version_counts() -> None:
    assert undecodable(WHOLE | {"APIVERSION": "a/b/c"}).startswith(
        f"{UNRECOGNIZED}unexpected GroupVersion string: a/b/c"
    )
    assert undecodable({"APIVERSION": "a/b/c"} | WHOLE) == ""


def test_each_duplicate_of_a_key_is_checked() -> None:
    body = '{"apiVersion":"a.b/v1","kind":"Case","Kind":1,"apiVersion":[]}'
    sent = {"apiVersion": [], "kind": "Case", "Kind": 1}
    assert undecodable(sent, body=body).startswith(f"{WRONG_TYPE} number into Go struct field .kind of type string ")
