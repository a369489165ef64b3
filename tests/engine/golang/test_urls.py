"""URLs in Go's grammar."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pytest_crd.engine.golang import urls
from pytest_crd.engine.golang.urls import Url, UrlError


@pytest.mark.parametrize(
    ("text", "url"),
    [
        pytest.param("a:b", Url("a", opaque="b"), id="a scheme of one letter"),
        pytest.param("https://a.b/c", Url("https", host="a.b", path="/c"), id="a URL"),
        pytest.param("HTTPS://a:80", Url("https", host="a:80"), id="the scheme comes in lower case"),
        pytest.param(
            "https://u%20:p@a/?q=%z#f%41", Url("https", "u%20:p", "a", "q=%z", "fA", "/"), id="user, query and fragment"
        ),
        pytest.param("https:a/b", Url("https", opaque="a/b"), id="an opaque rest"),
        pytest.param("/a/b", Url(path="/a/b"), id="a path"),
        pytest.param("//a/b", Url(host="a", path="/b"), id="a host without a scheme"),
        pytest.param("///a", Url(path="///a"), id="a path that begins with slashes"),
        pytest.param("*", Url(path="*"), id="the asterisk"),
        pytest.param("a/b:c", Url(path="a/b:c"), id="a relative path"),
        pytest.param("1a", Url(path="1a"), id="no scheme begins with a digit"),
        pytest.param("https://[::1]:8/", Url("https", host="[::1]:8", path="/"), id="an address"),
        pytest.param(
            "https://[fe80::1%25en%200]/", Url("https", host="[fe80::1%en 0]", path="/"), id="an address with a zone"
        ),
        pytest.param("https://%C3%A9/", Url("https", host="é", path="/"), id="an escaped host"),
        pytest.param("db://a,b:1:2/", Url("db", host="a,b:1:2", path="/"), id="several hosts"),
    ],
)
def test_urls_are_split_into_their_parts(text: str, url: Url) -> None:
    assert urls.parse(text, strict_colons=True) == url


@pytest.mark.parametrize(
    ("text", "problem"),
    [
        (":a", 'parse ":a": missing protocol scheme'),
        ("a\n", 'parse "a\\n": net/url: invalid control character in URL'),
        ("a b:c", 'parse "a b:c": first path segment in URL cannot contain colon'),
        ("https://a/%z", 'parse "https://a/%z": invalid URL escape "%z"'),
        ("https://a/#%z", 'parse "https://a/#%z": invalid URL escape "%z"'),
        ("https://a b/", 'parse "https://a b/": invalid character " " in host name'),
        ("https://%41/", 'parse "https://%41/": invalid URL escape "%41"'),
        ("https://a:x/", 'parse "https://a:x/": invalid port ":x" after host'),
        ("https://a:1:2/", 'parse "https://a:1:2/": invalid port ":1:2" after host'),
        ('https://"@a/', 'parse "https://\\"@a/": net/url: invalid userinfo'),
        ("https://a[/", 'parse "https://a[/": invalid IP-literal'),
        ("https://[a/", "parse \"https://[a/\": missing ']' in host"),
        ("https://[::1]x/", 'parse "https://[::1]x/": invalid port "x" after host'),
        ("https://[1.2.3.4]/", 'parse "https://[1.2.3.4]/": invalid IP-literal'),
        ("https://[x]/", 'parse "https://[x]/": invalid host: ParseAddr("x"): unable to parse IP'),
        ("https://[::1%25%2f]/", 'parse "https://[::1%25%2f]/": invalid URL escape "%2f"'),
        ("https://[::1%25a b]/", 'parse "https://[::1%25a b]/": invalid character " " in host name'),
    ],
)
def test_invalid_urls_are_refused_with_gos_message(text: str, problem: str) -> None:
    with pytest.raises(UrlError) as raised:
        urls.parse(text, strict_colons=True)
    assert str(raised.value) == problem


@pytest.mark.parametrize(
    ("host", "parts"),
    [
        ("a", ("a", "")),
        ("a:", ("a", "")),
        ("a:80", ("a", "80")),
        ("[::1]", ("::1", "")),
        ("[::1]:80", ("::1", "80")),
        ("[::1%]x]", ("::1%]x", "")),
        ("", ("", "")),
    ],
)
def test_hosts_are_split_into_name_and_port(host: str, parts: tuple[str, str]) -> None:
    assert urls.split_host(host) == parts


def test_older_servers_check_only_the_port_after_the_last_colon() -> None:
    assert urls.parse("https://a:1:2/", strict_colons=False).host == "a:1:2"


@pytest.mark.parametrize(("text", "problem"), [("", "empty url"), ("a", "invalid URI for request")])
def test_request_uris_must_be_absolute(text: str, problem: str) -> None:
    with pytest.raises(UrlError, match=problem):
        urls.parse_request_uri(text, strict_colons=True)


def test_a_hash_in_a_request_uri_is_part_of_the_path() -> None:
    assert urls.parse_request_uri("https://a/#%41", strict_colons=True) == Url("https", host="a", path="/#%41")


def _is_request_uri(text: str, *, strict_colons: bool) -> bool:
    try:
        urls.parse_request_uri(text, strict_colons=strict_colons)
    except UrlError:
        return False
    return True


@pytest.mark.parametrize(
    ("text", "accepted"),
    [
        pytest.param("https://example.com/a?b=c#d", True, id="a URL"),
        pytest.param("/a/b", True, id="an absolute path"),
        pytest.param("///a", True, id="an absolute path that is no authority without a scheme"),
        pytest.param("a/b", False, id="a relative path"),
        pytest.param("", False, id="nothing"),
        pytest.param("*", True, id="an asterisk"),
        pytest.param("*?", False, id="more than an asterisk"),
        pytest.param("mailto:a@b", True, id="a scheme and anything"),
        pytest.param("a:", True, id="a scheme and nothing"),
        pytest.param("a+b-c.1:x", True, id="a scheme of all characters that it may have"),
        pytest.param("1a:b", False, id="a scheme that begins with a digit"),
        pytest.param(":a", False, id="an empty scheme"),
        pytest.param("a:%zz", True, id="the text after a scheme without a slash is not checked"),
        pytest.param("http:/%zz", False, id="a path with a bad escape"),
        pytest.param("http://h/%2", False, id="an escape that is cut off"),
        pytest.param("http://h/%2F\u00e4 |", True, id="a path of any characters"),
        pytest.param("http://h/?%zz", True, id="a query is not checked"),
        pytest.param("http://h?a?b", True, id="a query behind the host"),
        pytest.param("http://h/\n", False, id="a control character"),
        pytest.param("http://h/\x7f", False, id="a delete character"),
        pytest.param("http://", True, id="an empty host"),
        pytest.param("http://a b/", False, id="a blank in the host"),
        pytest.param("http://a#b", False, id="a hash in the host"),
        pytest.param("http://\u00e4.example/", True, id="a host beyond ASCII"),
        pytest.param('http://<a>"b"/', True, id="angle brackets and quotes in the host"),
        pytest.param("http://a%C3%A4/", True, id="an escape beyond ASCII in the host"),
        pytest.param("http://a%25/", True, id="an escaped percent sign in the host"),
        pytest.param("http://a%20b/", False, id="an escape of ASCII in the host"),
        pytest.param("http://h:80/", True, id="a port"),
        pytest.param("http://h:/", True, id="an empty port"),
        pytest.param("http://h:a/", False, id="a port that is no number"),
        pytest.param("http://u:p@h/", True, id="a user and a password"),
        pytest.param("http://u@v:p:q@h/", True, id="further separators in them"),
        pytest.param("http://u%41@h/", True, id="an escape in the user"),
        pytest.param("http://u%4@h/", False, id="a bad escape in the user"),
        pytest.param("http://\u00e4@h/", False, id="a user beyond ASCII"),
        pytest.param("http://[::1]/", True, id="an IPv6 address"),
        pytest.param("http://[::1]:80/", True, id="an IPv6 address and a port"),
        pytest.param("http://[::1]x/", False, id="an IPv6 address and no port"),
        pytest.param("http://[::1/", False, id="a bracket that is not closed"),
        pytest.param("http://x[::1]/", False, id="a bracket that is not the first character"),
        pytest.param("http://[1.2.3.4]/", False, id="an IPv4 address in brackets"),
        pytest.param("http://[::1%25en%65%20]/", True, id="a zone with escapes"),
        pytest.param("http://[fe80::1%25%25en0]/a", True, id="a zone with an escaped percent sign"),
        pytest.param("http://[::1%25]/", False, id="an empty zone"),
        pytest.param("http://[::1%25a%2F]/", False, id="an escaped character in the zone that a host cannot have"),
        pytest.param("http://[::1%en0]/", False, id="a zone behind a bare percent sign"),
    ],
)
def test_request_uris_are_absolute_uris_or_absolute_paths(text: str, *, accepted: bool) -> None:
    assert _is_request_uri(text, strict_colons=True) is accepted
    assert _is_request_uri(text, strict_colons=False) is accepted


@pytest.mark.parametrize(
    ("text", "strict", "lax"),
    [
        pytest.param("HTTPS://a:1:2/", False, True, id="not with https where colons are strict"),
        pytest.param("http://a:b:2/", False, True, id="not with http where colons are strict"),
        pytest.param("postgres://a:1,b:2/", True, True, id="with other schemes, for lists of hosts"),
        pytest.param("postgres://a:1,b:c/", False, False, id="if the last is a port"),
    ],
)
def test_strict_colons_refuse_several_colons_in_http_hosts(text: str, *, strict: bool, lax: bool) -> None:
    assert _is_request_uri(text, strict_colons=True) is strict
    assert _is_request_uri(text, strict_colons=False) is lax


@given(st.text(alphabet="ah:/?#[]@%2541. ", max_size=20))
def test_strict_colons_accept_a_subset_of_the_uris(text: str) -> None:
    assert _is_request_uri(text, strict_colons=False) or not _is_request_uri(text, strict_colons=True)
