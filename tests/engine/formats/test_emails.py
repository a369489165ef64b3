"""Email addresses in the grammar of Go's net/mail."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pytest_crd.engine.formats import emails


@pytest.mark.parametrize(
    ("text", "accepted"),
    [
        pytest.param("ann@example.com", True, id="a plain address"),
        pytest.param("a.b!#$%&'*+-/=?^_`{|}~c@d", True, id="all characters of an atom"),
        pytest.param("\u00e4@\u00f6", True, id="beyond ASCII"),
        pytest.param(" \ta@ \tb \t", True, id="blanks around and after the sign"),
        pytest.param("a @b", False, id="a blank before the sign"),
        pytest.param("a@b\n", False, id="a line break"),
        pytest.param("", False, id="nothing"),
        pytest.param("a", False, id="no sign"),
        pytest.param("a@", False, id="no domain"),
        pytest.param("@b", False, id="no local part"),
        pytest.param("a@b@c", False, id="two signs"),
        pytest.param(".a@b", False, id="a leading dot"),
        pytest.param("a.@b", False, id="a trailing dot"),
        pytest.param("a..b@c", False, id="two dots"),
        pytest.param("a@b.", False, id="a trailing dot in the domain"),
        pytest.param("a@b,", False, id="a comma behind"),
        pytest.param('"a b\\" \t"@c', True, id="a quoted local part"),
        pytest.param('""@c', False, id="an empty quoted local part"),
        pytest.param('"a\\"@c', False, id="a quote that is not closed"),
        pytest.param('"a\x01"@c', False, id="a control character in quotes"),
        pytest.param('"\\\x01"@c', False, id="even behind a backslash"),
        pytest.param("a@[127.0.0.1]", True, id="a domain that is an IPv4 address"),
        pytest.param("a@[::1]", True, id="a domain that is an IPv6 address"),
        pytest.param("a@[IPv6:::1]", False, id="as the standard spells it"),
        pytest.param("a@[b]", False, id="a name in brackets"),
        pytest.param("a@[::1", False, id="a bracket that is not closed"),
    ],
)
def test_an_address_has_a_local_part_and_a_domain(text: str, *, accepted: bool) -> None:
    assert emails.is_address(text) is accepted


@pytest.mark.parametrize(
    ("text", "accepted"),
    [
        pytest.param("<a@b>", True, id="no name"),
        pytest.param("Ann Lee <a@b>", True, id="words"),
        pytest.param("Ann. ..Lee. < a@b>", True, id="dots anywhere"),
        pytest.param('"Lee, Ann" L. <a@b>', True, id="quoted words"),
        pytest.param('"" <a@b>', True, id="an empty quoted word"),
        pytest.param('Ann "Lee <a@b>', False, id="a quote that is not closed"),
        pytest.param("Ann, Lee <a@b>", False, id="a comma"),
        pytest.param("Ann <a@b", False, id="a bracket that is not closed"),
        pytest.param("Ann <a>", False, id="no address"),
        pytest.param("Ann Lee", False, id="a name alone"),
        pytest.param("Ann <a@b> x", False, id="a word behind"),
        pytest.param(", <a@b>", False, id="no word at all"),
    ],
)
def test_a_display_name_precedes_an_address_in_angle_brackets(text: str, *, accepted: bool) -> None:
    assert emails.is_address(text) is accepted


@pytest.mark.parametrize(
    ("text", "accepted"),
    [
        pytest.param("=?UTF-8?q?=C3=A4?= <a@b>", True, id="quoted-printable"),
        pytest.param("=?iso-8859-1?B?5A==?= <a@b>", True, id="base64"),
        pytest.param("=?koi8-r?q?a?= <a@b>", False, id="a character set that Go lacks"),
        pytest.param("Ann =?koi8-r?q?a?= <a@b>", True, id="not looked at behind a word"),
        pytest.param("=?utf-8?q?a?= =?koi8-r?q?a?= <a@b>", True, id="nor behind an encoded one"),
        pytest.param("=?utf-8?q??= =?koi8-r?q?a?= <a@b>", False, id="but behind an empty one"),
        pytest.param("=?utf-8?q??= <a@b>", False, id="an empty one is no name"),
        pytest.param("=?koi8-r?q?=4?= <a@b>", True, id="bad quoted-printable is a plain word"),
        pytest.param("=?koi8-r?b?YQ?= <a@b>", True, id="bad base64 is a plain word"),
        pytest.param("=?koi8-r?x?a?= <a@b>", True, id="an unknown encoding is a plain word"),
        pytest.param("a@b (=?utf-8?q?a?= c)", True, id="in a comment behind"),
        pytest.param("a@b (c =?koi8-r?q?a?=)", False, id="in a comment behind, of a character set that Go lacks"),
        pytest.param("a@b (c) (=?koi8-r?q?a?=)", True, id="unless it is the second comment"),
        pytest.param("a@b (=?koi8-r?b?Y\r\nQ==?=)", False, id="line breaks in base64 are skipped"),
    ],
)
def test_a_display_name_may_have_encoded_words(text: str, *, accepted: bool) -> None:
    assert emails.is_address(text) is accepted


@pytest.mark.parametrize(
    ("text", "accepted"),
    [
        pytest.param("a@b (c (d) \\) e) (f)", True, id="behind an address, nested, escaped, several"),
        pytest.param("Ann (c) <a@b> (d)", True, id="behind a word and at the end"),
        pytest.param("=?utf-8?q?a?= (c) <a@b>", False, id="not behind an encoded word"),
        pytest.param("=?utf-8?q?a?= Ann (c) <a@b>", True, id="unless another word follows it"),
        pytest.param("(c) a@b", False, id="not at the beginning"),
        pytest.param("a@b (c", False, id="not closed"),
        pytest.param("a@b (c) (d", False, id="not closed at the end"),
        pytest.param("Ann (c <a@b>", False, id="not closed behind a word"),
        pytest.param("a@b (c\\", False, id="not closed behind a backslash"),
    ],
)
def test_comments_may_follow_words_and_addresses(text: str, *, accepted: bool) -> None:
    assert emails.is_address(text) is accepted


@pytest.mark.parametrize(
    ("text", "accepted"),
    [
        pytest.param("All: a@b;", True, id="one address"),
        pytest.param("All : Ann <a@b> (c) ; (d)", True, id="one address with a name and comments"),
        pytest.param("All:;", False, id="no address"),
        pytest.param("All: a@b, c@d;", False, id="two addresses"),
        pytest.param("All: a@b,;", False, id="an empty place"),
        pytest.param("All: a@b c@d;", False, id="no comma"),
        pytest.param("All: a@b", False, id="not closed"),
        pytest.param("All: Few: a@b;;", False, id="a group in a group"),
        pytest.param("All: a@b; x", False, id="a word behind"),
    ],
)
def test_a_group_with_one_address_is_an_address(text: str, *, accepted: bool) -> None:
    assert emails.is_address(text) is accepted


@given(st.text(alphabet='ab@.<>()[]:;,"\\ =?q', max_size=24))
def test_a_group_with_a_valid_address_is_valid(text: str) -> None:
    assert not emails.is_address(text) or emails.is_address(f"All: {text};") or ":" in text
