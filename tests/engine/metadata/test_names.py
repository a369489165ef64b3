from __future__ import annotations

import pytest

from pytest_crd.engine import profile
from pytest_crd.engine.metadata import names

NEW, OLD, OLDEST = profile.named("1.37"), profile.named("1.32"), profile.named("1.21")
LABEL = (
    "a lowercase RFC 1123 label must consist of lower case alphanumeric characters or '-', and must start and end with an"
    " alphanumeric character (e.g. 'my-name',  or '123-abc', regex used for validation is '[a-z0-9]([-a-z0-9]*[a-z0-9])?')"
)
SUBDOMAIN = (
    "a lowercase RFC 1123 subdomain must consist of lower case alphanumeric characters, '-' or '.', and must start and end"
    " with an alphanumeric character (e.g. 'example.com', regex used for validation is"
    r" '[a-z0-9]([-a-z0-9]*[a-z0-9])?(\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*')"
)
LABEL_1035 = (
    "a DNS-1035 label must consist of lower case alphanumeric characters or '-', start with an alphabetic character, and end"
    " with an alphanumeric character (e.g. 'my-name',  or 'abc-123', regex used for validation is"
    " '[a-z]([-a-z0-9]*[a-z0-9])?')"
)
KEY = (
    "must consist of alphanumeric characters, '-', '_' or '.', and must start and end with an alphanumeric character (e.g."
    " 'MyName',  or 'my.name',  or '123-abc', regex used for validation is '([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9]')"
)
VALUE = (
    "a valid label must be an empty string or consist of alphanumeric characters, '-', '_' or '.', and must start and end"
    " with an alphanumeric character (e.g. 'MyValue',  or 'my_value',  or '12345', regex used for validation is"
    " '(([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9])?')"
)


@pytest.mark.parametrize(
    ("text", "problems"),
    [
        pytest.param("a-1", (), id="letters, digits and dashes are a label"),
        pytest.param("1" * 63, (), id="63 characters are a label"),
        pytest.param("1" * 64, ("must be no more than 63 characters",), id="64 characters are too many"),
        pytest.param("A", (LABEL,), id="capitals are refused"),
        pytest.param("", (LABEL,), id="nothing is no label"),
        pytest.param("a\n", (LABEL,), id="a line break at the end is refused"),
        pytest.param("a.b", ("must not contain dots",), id="of a subdomain only the dots are wrong"),
        pytest.param(
            "a." * 32, ("must be no more than 63 characters", LABEL), id="a trailing dot is no mere matter of dots"
        ),
    ],
)
def test_dns_labels_are_validated(text: str, problems: tuple[str, ...]) -> None:
    assert names.dns1123_label(text, NEW) == problems


def test_older_versions_do_not_name_dots_in_labels() -> None:
    assert names.dns1123_label("a.b", OLDEST) == (LABEL,)


@pytest.mark.parametrize(
    ("text", "problems"),
    [
        pytest.param("a.b-c.1", (), id="labels joined by dots are a subdomain"),
        pytest.param("a" * 253, (), id="253 characters are a subdomain, even in one label"),
        pytest.param("a" * 254, ("must be no more than 253 characters",), id="254 characters are too many"),
        pytest.param("a..b", (SUBDOMAIN,), id="a label may not be empty"),
        pytest.param("é" * 127, ("must be no more than 253 characters", SUBDOMAIN), id="bytes are counted"),
    ],
)
def test_dns_subdomains_are_validated(text: str, problems: tuple[str, ...]) -> None:
    assert names.dns1123_subdomain(text) == problems


@pytest.mark.parametrize(
    ("text", "problems"),
    [
        pytest.param("a-1", (), id="a letter comes first"),
        pytest.param("1a", (LABEL_1035,), id="a digit may not come first"),
        pytest.param("-" * 64, ("must be no more than 63 characters", LABEL_1035), id="both problems are told"),
    ],
)
def test_rfc_1035_labels_are_validated(text: str, problems: tuple[str, ...]) -> None:
    assert names.dns1035_label(text) == problems


@pytest.mark.parametrize(
    ("text", "problems"),
    [
        pytest.param("a", (), id="a name is a key"),
        pytest.param("A_b.c-D", (), id="a name may have capitals"),
        pytest.param("a.b/C", (), id="a prefix may stand before it"),
        pytest.param("", ("name part must be non-empty", f"name part {KEY}"), id="nothing is no key"),
        pytest.param("a/", ("name part must be non-empty", f"name part {KEY}"), id="a prefix is no key"),
        pytest.param("/a", ("prefix part must be non-empty",), id="an empty prefix is refused"),
        pytest.param("A/b", (f"prefix part {SUBDOMAIN}",), id="a prefix is a subdomain"),
        pytest.param("a" * 64, ("name part must be no more than 63 bytes",), id="64 bytes are too many"),
        pytest.param("a" * 254 + "/a", ("prefix part must be no more than 253 bytes",), id="a prefix may be too long"),
        pytest.param(
            "a/b/c",
            (f"a valid label key {KEY} with an optional DNS subdomain prefix and '/' (e.g. 'example.com/MyName')",),
            id="two slashes are no key at all",
        ),
    ],
)
def test_label_keys_are_validated(text: str, problems: tuple[str, ...]) -> None:
    assert names.label_key(text, NEW) == problems


@pytest.mark.parametrize(
    ("text", "beginning"),
    [
        pytest.param("a/b/c", "a qualified name must consist", id="a key is a qualified name"),
        pytest.param("a" * 64, "name part must be no more than 63 characters", id="names are counted in characters"),
        pytest.param(
            "a" * 254 + "/a", "prefix part must be no more than 253 characters", id="prefixes are counted in characters"
        ),
    ],
)
def test_older_versions_speak_of_qualified_names(text: str, beginning: str) -> None:
    assert names.label_key(text, OLD)[0].startswith(beginning)


@pytest.mark.parametrize(
    ("text", "problems"),
    [
        pytest.param("", (), id="nothing is a value"),
        pytest.param("A_b.c-D", (), id="a name is a value"),
        pytest.param("a b", (VALUE,), id="a blank is refused"),
        pytest.param("é" * 32, ("must be no more than 63 bytes", VALUE), id="bytes are counted"),
    ],
)
def test_label_values_are_validated(text: str, problems: tuple[str, ...]) -> None:
    assert names.label_value(text, NEW) == problems


def test_older_versions_count_characters_of_label_values() -> None:
    assert names.label_value("a" * 64, OLD) == ("must be no more than 63 characters",)


@pytest.mark.parametrize(
    ("text", "problems", "as_prefix"),
    [
        pytest.param("Any Name", (), (), id="nearly anything is a segment of a path"),
        pytest.param("", (), (), id="nothing is not refused"),
        pytest.param(".", ("may not be '.'",), (), id="a dot is none, but may begin one"),
        pytest.param("..", ("may not be '..'",), (), id="two dots are none, but may begin one"),
        pytest.param("a%/", *[("may not contain '/'", "may not contain '%'")] * 2, id="slash and percent are refused"),
    ],
)
def test_path_segments_are_validated(text: str, problems: tuple[str, ...], as_prefix: tuple[str, ...]) -> None:
    assert names.path_segment(text) == problems
    assert names.path_segment_prefix(text) == as_prefix


@pytest.mark.parametrize(
    ("text", "problems"),
    [
        pytest.param("a", (), id="a subdomain is a prefix of one"),
        pytest.param("a-", (), id="a dash at the end is no harm"),
        pytest.param("a/-", (), id="nor is what stands before it looked at"),
        pytest.param("a" * 253 + "-", (), id="the dash does not count"),
        pytest.param("é-", (SUBDOMAIN,), id="half a character is left of what stands before it"),
        pytest.param("-", (SUBDOMAIN,), id="a dash alone is refused"),
        pytest.param("a.", (SUBDOMAIN,), id="a dot at the end is refused"),
    ],
)
def test_prefixes_of_subdomains_are_validated(text: str, problems: tuple[str, ...]) -> None:
    assert names.dns1123_subdomain_prefix(text) == problems


@pytest.mark.parametrize(
    ("text", "lower"),
    [
        pytest.param("AÉ", "aé", id="letters become small"),
        pytest.param("\u0130", "i", id="a capital I with a dot becomes one letter"),
        pytest.param("\u212a", "k", id="the Kelvin sign becomes a k"),
    ],
)
def test_lower_case_follows_go(text: str, lower: str) -> None:
    assert names.lower(text) == lower
