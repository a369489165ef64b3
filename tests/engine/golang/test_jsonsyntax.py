"""Go's errors for invalid JSON."""

from __future__ import annotations

import pytest

from pytest_crd.engine.golang import jsonsyntax


@pytest.mark.parametrize(
    ("text", "problem"),
    [
        ("[" * 10_001, "invalid character '[' exceeded max depth"),
        ("nope", "invalid character 'o' in literal null (expecting 'u')"),
        ("tru", "invalid character ' ' in literal true (expecting 'e')"),
        ("-", "invalid character ' ' in numeric literal"),
        ('["\\', "invalid character ' ' in string escape code"),
        (" ", "unexpected end of JSON input"),
        ("[] x", "invalid character 'x' after top-level value"),
        ('[{"op":"add",}]', "invalid character '}' looking for beginning of object key string"),
        ("{'a':1}", r"invalid character '\'' looking for beginning of object key string"),
        ('{"a":"\t"}', r"invalid character '\t' in string literal"),
        ('{"a":"\\q"}', "invalid character 'q' in string escape code"),
        ('["\\u12"]', "invalid character '\"' in \\u hexadecimal character escape"),
        ('{"a":01}', "invalid character '1' after object key:value pair"),
        ("[1 2]", "invalid character '2' after array element"),
        ('{"a" 1}', "invalid character '1' after object key"),
        ("[é]", "invalid character 'Ã' looking for beginning of value"),
        ("\udc9e", r"invalid character '\u009e' looking for beginning of value"),
        ("\ud800", "invalid character 'í' looking for beginning of value"),
        ("-a", "invalid character 'a' in numeric literal"),
        ("1.a", "invalid character 'a' after decimal point in numeric literal"),
        ("1e+a", "invalid character 'a' in exponent of numeric literal"),
        ('"', "unexpected end of JSON input"),
        ('{"a":{"b":[]},"c":[1.5e+3,-0,"\\u1234\\n"]}', ""),
        ("[[],{}]", ""),
    ],
)
def test_invalid_json_is_refused_with_gos_message(text: str, problem: str) -> None:
    assert jsonsyntax.find_problem(text) == problem


def test_what_only_the_scanner_reads_is_valid() -> None:
    assert jsonsyntax.find_problem("[" * 9_000 + "]" * 9_000) == ""
    assert jsonsyntax.find_problem("NaN") == "invalid character 'N' looking for beginning of value"
