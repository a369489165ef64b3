"""Checks of string formats, and warnings about unrecognized formats."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from pytest_crd.engine import profile
from pytest_crd.engine.formats import stringformats
from pytest_crd.engine.jsonvalue import JSONValue
from pytest_crd.engine.schema import subschemas

LATEST = profile.named("1.37")
FORMATS_OF_1_21 = (
    *("bsonobjectid", "uri", "email", "hostname", "ipv4", "ipv6", "cidr", "mac", "uuid", "uuid3", "uuid4", "uuid5"),
    *("isbn", "isbn10", "isbn13", "creditcard", "ssn", "hexcolor", "rgbcolor", "byte", "password", "date", "duration"),
    "datetime",
)


@pytest.mark.parametrize("version", profile.KNOWN)
@pytest.mark.parametrize("name", FORMATS_OF_1_21)
def test_every_version_checks_the_formats_of_1_21(name: str, version: str) -> None:
    assert stringformats.check(name, profile.named(version)) is not None


@pytest.mark.parametrize("name", ["k8s-short-name", "k8s-long-name"])
def test_kubernetes_names_are_formats_since_1_35(name: str) -> None:
    versions = [version for version in profile.KNOWN if stringformats.check(name, profile.named(version)) is not None]
    assert versions == ["1.35", "1.36", "1.37", "1.38"]


@pytest.mark.parametrize("name", ["", "-", "Date", "date time", "uri-reference", "int32", "float"])
def test_unknown_names_have_no_check(name: str) -> None:
    assert stringformats.check(name, LATEST) is None


@pytest.mark.parametrize("name", ["date-time", "d-a-t-e-t-i-m-e", "--datetime-"])
def test_dashes_in_format_names_are_ignored(name: str) -> None:
    assert stringformats.check(name, LATEST) is stringformats.check("datetime", LATEST)


def test_a_format_always_has_the_same_check() -> None:
    assert stringformats.check("ipv4", LATEST) is stringformats.check("ipv4", LATEST)


@settings(deadline=None)  # re2 is imported by the first host name
@given(name=st.sampled_from([*FORMATS_OF_1_21, "k8s-short-name", "k8s-long-name"]), text=st.text())
def test_checks_return_a_bool_for_any_text(name: str, text: str) -> None:
    check = stringformats.check(name, LATEST)
    assert check is not None
    assert check(text) in {True, False}


@pytest.mark.parametrize(
    ("name", "text", "accepted"),
    [
        pytest.param("bsonobjectid", "507f1f77bcf86cd79943901A", True, id="bsonobjectid: 24 hexadecimal digits"),
        pytest.param("bsonobjectid", "507f1f77bcf86cd7994390", False, id="bsonobjectid: fewer"),
        pytest.param("bsonobjectid", "507f1f77bcf86cd79943901g", False, id="bsonobjectid: another letter"),
        pytest.param("byte", "YQ==", True, id="byte: padded base64"),
        pytest.param("byte", "YWI=", True, id="byte: base64 with one pad"),
        pytest.param("byte", "YWJj", True, id="byte: base64 without padding"),
        pytest.param("byte", "YQ", False, id="byte: padding is missing"),
        pytest.param("byte", "YW-_", False, id="byte: the alphabet of URLs"),
        pytest.param("byte", "", False, id="byte: nothing"),
        pytest.param("byte", "YWJj\n", False, id="byte: a line break"),
        pytest.param("password", "\x00", True, id="password: anything"),
        pytest.param("email", "Ann <ann@example.com>", True, id="email: an address with a name"),
        pytest.param("email", "ann", False, id="email: a name alone"),
        pytest.param("duration", "2 weeks", True, id="duration: number and unit"),
        pytest.param("duration", "weeks", False, id="duration: a unit alone"),
        pytest.param("mac", "01:23:45:67:89:ab", True, id="mac: six bytes"),
        pytest.param("mac", "01:23", False, id="mac: two bytes"),
        pytest.param("ipv6", "::1", True, id="ipv6: an address"),
        pytest.param("ipv6", "10.0.0.1", False, id="ipv6: an IPv4 address"),
        pytest.param("uuid", "123e4567-e89b-12d3-a456-426614174000", True, id="uuid: of any version"),
        pytest.param("uuid", "123E4567e89b-12d3a456426614174000", True, id="uuid: upper case, some dashes"),
        pytest.param("uuid", "123e-4567e89b12d3a456426614174000", False, id="uuid: a dash elsewhere"),
        pytest.param("uuid3", "123e4567-e89b-32d3-0456-426614174000", True, id="uuid3: version 3 of any variant"),
        pytest.param("uuid3", "123e4567-e89b-42d3-a456-426614174000", False, id="uuid3: version 4"),
        pytest.param("uuid4", "123e4567-e89b-42d3-B456-426614174000", True, id="uuid4: version 4"),
        pytest.param("uuid4", "123e4567-e89b-42d3-c456-426614174000", False, id="uuid4: another variant"),
        pytest.param("uuid5", "123e4567-e89b-52d3-8456-426614174000", True, id="uuid5: version 5"),
        pytest.param("uuid5", "123e4567-e89b-52d3-7456-426614174000", False, id="uuid5: another variant"),
        pytest.param("isbn", "3 401 01319 X", True, id="isbn: ten digits"),
        pytest.param("isbn", "978-0321751041", True, id="isbn: thirteen digits"),
        pytest.param("isbn", "978", False, id="isbn: three digits"),
        pytest.param("isbn10", "0-321-75104-3", True, id="isbn10: dashes"),
        pytest.param("isbn10", "0321751044", False, id="isbn10: another check digit"),
        pytest.param("isbn10", "340101319x", False, id="isbn10: a small x"),
        pytest.param("isbn10", "0321\v751043", False, id="isbn10: a vertical tab is no blank"),
        pytest.param("isbn10", "978-0321751041", False, id="isbn10: thirteen digits"),
        pytest.param("isbn13", "\t978 - 0321751041\n", True, id="isbn13: blanks anywhere"),
        pytest.param("isbn13", "978-0321751042", False, id="isbn13: another check digit"),
        pytest.param("isbn13", "0321751043", False, id="isbn13: ten digits"),
        pytest.param("creditcard", "4220855426222389", True, id="creditcard: a number"),
        pytest.param("creditcard", "my 4220-8554 2622-2389!", True, id="creditcard: anything around the digits"),
        pytest.param("creditcard", "4220855426222380", False, id="creditcard: another check digit"),
        pytest.param("creditcard", "30190239451016", False, id="creditcard: no issuer's number"),
        pytest.param("creditcard", "", False, id="creditcard: nothing"),
        pytest.param("ssn", "191-60 2869", True, id="ssn: dashes or blanks"),
        pytest.param("ssn", "191602869", False, id="ssn: neither"),
        pytest.param("ssn", "191-602-869", False, id="ssn: in other places"),
        pytest.param("hexcolor", "#FFf", True, id="hexcolor: three digits"),
        pytest.param("hexcolor", "00fF00", True, id="hexcolor: six digits, no hash"),
        pytest.param("hexcolor", "#ffff", False, id="hexcolor: four digits"),
        pytest.param("rgbcolor", "rgb(0,\t31 ,255)", True, id="rgbcolor: three numbers"),
        pytest.param("rgbcolor", "rgb(0,31,256)", False, id="rgbcolor: a number beyond a byte"),
        pytest.param("rgbcolor", "rgb(0,031,0)", False, id="rgbcolor: a leading zero"),
        pytest.param("rgbcolor", "RGB(0,0,0)", False, id="rgbcolor: upper case"),
        pytest.param("rgbcolor", "rgb(0,0,0)\n", False, id="rgbcolor: a line break"),
        pytest.param("date", "2024-02-29", True, id="date: a leap day"),
        pytest.param("date", "0000-02-29", True, id="date: the leap day of the year zero"),
        pytest.param("date", "2023-02-29", False, id="date: no leap year"),
        pytest.param("date", "1900-02-29", False, id="date: no leap year though divisible by four"),
        pytest.param("date", "2000-02-29", True, id="date: a leap year though divisible by a hundred"),
        pytest.param("date", "2024-04-31", False, id="date: a short month"),
        pytest.param("date", "2024-12-31", True, id="date: a long month"),
        pytest.param("date", "2024-13-01", False, id="date: a thirteenth month"),
        pytest.param("date", "2024-1-01", False, id="date: a month of one digit"),
        pytest.param("date", "\u0662024-01-01", False, id="date: a digit that is not ASCII"),
        pytest.param("datetime", "2014-12-15T19:30:20.000Z", True, id="datetime: in UTC"),
        pytest.param("datetime", "2014-12-15t19:30:20z", True, id="datetime: in lower case"),
        pytest.param("datetime", "2014-12-15T19:30:20-99:99", True, id="datetime: any offset"),
        pytest.param("datetime", "2014-12-15T19:30:20x5Z", True, id="datetime: any character before the fraction"),
        pytest.param("datetime", "2014-12-15T19:30:20\n5Z", False, id="datetime: but a line break"),
        pytest.param("datetime", "2014-12-15T19:30:20.Z", False, id="datetime: no fraction behind the dot"),
        pytest.param("datetime", "2014-12-15T19:30:20Ztea", True, id="datetime: anything behind a second T"),
        pytest.param("datetime", "2014-12-15T19:30:20", False, id="datetime: no offset"),
        pytest.param("datetime", "2014-12-15 19:30:20Z", False, id="datetime: a blank for the T"),
        pytest.param("datetime", "2014-12-32T19:30:20Z", False, id="datetime: no date"),
        pytest.param("datetime", "2014-12-15T24:00:00Z", False, id="datetime: a 25th hour"),
        pytest.param("datetime", "2014-12-15T23:59:60Z", False, id="datetime: a leap second"),
        pytest.param("hostname", "a-b.example.com", True, id="hostname: labels"),
        pytest.param("hostname", "a", True, id="hostname: one label"),
        pytest.param("hostname", "-a", False, id="hostname: a leading dash"),
        pytest.param("hostname", "a-", True, id="hostname: a trailing dash, where there is one label"),
        pytest.param("hostname", "a-.com", False, id="hostname: a trailing dash, where there are more"),
        pytest.param("hostname", "a_b", False, id="hostname: an underscore"),
        pytest.param("hostname", "a.b", False, id="hostname: a top-level domain of one letter"),
        pytest.param("hostname", "1.2.3.4", False, id="hostname: a top-level domain of digits"),
        pytest.param("hostname", "a.com.", False, id="hostname: a trailing dot"),
        pytest.param("hostname", "\u2603.n\u00ebt", True, id="hostname: symbols, and letters beyond ASCII"),
        pytest.param("hostname", f"{'a' * 63}.com", True, id="hostname: a label of 63 bytes"),
        pytest.param("hostname", f"{'a' * 62}\u00e4.com", False, id="hostname: a label of 63 letters but 64 bytes"),
        pytest.param("hostname", f"{'a' * 50}." * 5 + "com", False, id="hostname: more than 255 bytes"),
        pytest.param("k8s-short-name", "a-1", True, id="k8s-short-name: letters, digits and dashes"),
        pytest.param("k8s-short-name", "A", False, id="k8s-short-name: upper case"),
        pytest.param("k8s-short-name", "a-", False, id="k8s-short-name: a trailing dash"),
        pytest.param("k8s-short-name", "a.b", False, id="k8s-short-name: a dot"),
        pytest.param("k8s-short-name", "a" * 64, False, id="k8s-short-name: more than 63 characters"),
        pytest.param("k8s-long-name", f"{'a' * 64}.1-b", True, id="k8s-long-name: segments of any length"),
        pytest.param("k8s-long-name", "a..b", False, id="k8s-long-name: an empty segment"),
        pytest.param("k8s-long-name", "a-.b", False, id="k8s-long-name: a trailing dash in a segment"),
        pytest.param("k8s-long-name", "a" * 254, False, id="k8s-long-name: more than 253 characters"),
    ],
)
def test_a_format_accepts_and_rejects_texts(name: str, text: str, *, accepted: bool) -> None:
    check = stringformats.check(name, LATEST)
    assert check is not None
    assert check(text) is accepted


@pytest.mark.parametrize(
    ("name", "text", "versions"),
    [
        pytest.param("ipv4", "010.0.0.1", list(profile.KNOWN)[1:], id="leading zeros in an address"),
        pytest.param("cidr", "010.0.0.0/8", list(profile.KNOWN)[1:], id="leading zeros in a network"),
        pytest.param("uri", "http://a:1:2/", ["1.21", "1.32", "1.33", "1.34", "1.35"], id="several colons in a host"),
    ],
)
def test_some_texts_are_accepted_by_some_versions_only(name: str, text: str, versions: list[str]) -> None:
    checks = {version: stringformats.check(name, profile.named(version)) for version in profile.KNOWN}
    assert [version for version, check in checks.items() if check and check(text)] == versions


@pytest.mark.parametrize(
    ("name", "schema_type", "latest", "before_1_36"),
    [
        pytest.param("date", "string", True, True, id="a string format of strings"),
        pytest.param("date", "", True, True, id="a string format where there is no type"),
        pytest.param("date", "integer", False, True, id="a string format of numbers, which never applies"),
        pytest.param("date", "object", False, True, id="a string format of objects"),
        pytest.param("int32", "integer", True, False, id="an integer format"),
        pytest.param("int64", "integer", True, False, id="the other integer format"),
        pytest.param("int-32", "integer", False, False, id="an integer format with a dash"),
        pytest.param("float", "integer", False, False, id="a number format of integers"),
        pytest.param("float", "number", True, False, id="a number format"),
        pytest.param("double", "number", True, False, id="the other number format"),
        pytest.param("int32", "number", False, False, id="an integer format of numbers"),
        pytest.param("int32", "", False, False, id="an integer format where there is no type"),
    ],
)
def test_formats_are_recognized_by_type_since_1_36(
    name: str, schema_type: str, *, latest: bool, before_1_36: bool
) -> None:
    assert stringformats.is_recognized(name, schema_type, LATEST) is latest
    assert stringformats.is_recognized(name, schema_type, profile.named("1.35")) is before_1_36


def _string(name: str) -> JSONValue:
    return {"type": "string", "format": name}


@pytest.mark.parametrize(
    ("schema", "names"),
    [
        pytest.param({"type": "object"}, (), id="no format"),
        pytest.param({"type": "object", "format": ""}, (), id="an empty format"),
        pytest.param(_string("date"), (), id="a format that is checked"),
        pytest.param(_string("x"), ("x",), id="an unknown format"),
        pytest.param({"items": _string("x")}, ("x",), id="in items"),
        pytest.param({"items": [_string("x"), _string("y")]}, ("x", "y"), id="in a list of items"),
        pytest.param({"additionalProperties": _string("x")}, ("x",), id="in the values of a map"),
        pytest.param({"additionalProperties": True}, (), id="a boolean instead of a schema"),
        pytest.param({"not": _string("x")}, ("x",), id="in not"),
        pytest.param({"dependencies": {"a": _string("x"), "b": ["c"]}}, ("x",), id="in dependencies"),
        pytest.param({"additionalItems": _string("x")}, ("x",), id="in additional items"),
        pytest.param(
            {
                "definitions": {"a": _string("9")},
                "patternProperties": {"a": _string("8")},
                "properties": {"b": _string("7"), "a": _string("6")},
                "oneOf": [_string("5")],
                "anyOf": [_string("4")],
                "allOf": [_string("2"), _string("3")],
                "items": _string("1"),
                "format": "0",
                "type": "string",
            },
            tuple("0123456789"),
            id="in the order in which the server walks, properties by name",
        ),
        pytest.param({"properties": {"a": _string("x"), "b": _string("x")}}, ("x",), id="each once"),
    ],
)
def test_unrecognized_formats_are_found_in_all_subschemas(schema: JSONValue, names: tuple[str, ...]) -> None:
    assert stringformats.find_unrecognized(subschemas.walk(schema), LATEST) == names


def test_version_1_35_warns_about_string_formats_only() -> None:
    schema = {"properties": {"a": {"type": "integer", "format": "x"}, "b": {"format": "y"}, "c": _string("z")}}
    assert stringformats.find_unrecognized(subschemas.walk(schema), LATEST) == ("x", "y", "z")
    assert stringformats.find_unrecognized(subschemas.walk(schema), profile.named("1.35")) == ("z",)
    assert stringformats.find_unrecognized(subschemas.walk(schema), profile.named("1.32")) == ()


def test_warnings_name_each_new_format_once() -> None:
    schemas = [_string('a "b"'), _string("c"), _string("c"), _string("d")]
    expected = ('unrecognized format "a \\"b\\""', 'unrecognized format "c"')
    assert stringformats.warnings(schemas, LATEST, old=[_string("d"), _string("e")]) == expected
    assert stringformats.warnings(schemas[:1], LATEST) == expected[:1]
