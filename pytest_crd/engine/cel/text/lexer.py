"""
Lexer of expressions.

Reference:
    cel-go parser/gen/CEL.g4, the lexer rules.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Final

from pytest_crd import lazyre

IDENTIFIER: Final = "IDENTIFIER"
ESCAPED_IDENTIFIER: Final = "ESC_IDENTIFIER"
INT: Final = "NUM_INT"
UINT: Final = "NUM_UINT"
FLOAT: Final = "NUM_FLOAT"
STRING: Final = "STRING"
BYTES: Final = "BYTES"
EOF: Final = "<EOF>"
KEYWORDS: Final = frozenset({"in", "true", "false", "null"})

# Escape sequence in strings and bytes.
ESCAPE: Final = r"\\(?:[abfnrtv\"'\\?`]|[xX][0-9a-fA-F]{2}|u[0-9a-fA-F]{4}|U[0-9a-fA-F]{8}|[0-3][0-7][0-7])"
_STRING: Final = rf"""
    \"\"\"(?:[^\\]|{ESCAPE})*?\"\"\"
  | '''(?:[^\\]|{ESCAPE})*?'''
  | \"(?:[^\\\"\n\r]|{ESCAPE})*+\"
  | '(?:[^\\'\n\r]|{ESCAPE})*+'
  | [rR]\"\"\"(?s:.)*?\"\"\"
  | [rR]'''(?s:.)*?'''
  | [rR]\"[^\"\n\r]*+\"
  | [rR]'[^'\n\r]*+'
"""
# If two alternatives match, the longer one comes first.
_TOKEN: Final = lazyre.compile(
    rf"""
    (?:[\t\ \r\n\f]++|//[^\n]*+)*+
    (?:
        (?P<{BYTES}>[bB](?:{_STRING}))
      | (?P<{STRING}>{_STRING})
      | (?P<{IDENTIFIER}>[A-Za-z_][A-Za-z0-9_]*+)
      | (?P<{FLOAT}>[0-9]+(?:\.[0-9]+(?:[eE][+-]?[0-9]+)?|[eE][+-]?[0-9]+)|\.[0-9]+(?:[eE][+-]?[0-9]+)?)
      | (?P<{UINT}>(?:0x[0-9a-fA-F]++|[0-9]++)[uU])
      | (?P<{INT}>0x[0-9a-fA-F]++|[0-9]++)
      | (?P<{ESCAPED_IDENTIFIER}>`[A-Za-z0-9_.\-/\ ]++`)
      | (?P<SYMBOL>==|!=|<=|>=|&&|\|\||[<>\[\]{{}}().,\-!?:+*/%])
      | (?P<END>\Z)
      | (?P<UNKNOWN>(?s:.))
    )
    """,
    re.VERBOSE,
)


@dataclass(slots=True)
class Tokens:
    """
    Tokens of a text up to and including EOF, as three lists of equal length.

    Attributes:
        kinds: Kinds; the kind of a symbol or keyword is its text.
        texts: Texts.
        offsets: Offsets of the first code points.
    """

    kinds: list[str]
    texts: list[str]
    offsets: list[int]


def tokenize(text: str, *, escaped_identifiers: bool) -> Tokens | None:
    """
    Return the tokens of *text*; None if it contains an invalid token.

    Args:
        text: The text.
        escaped_identifiers: Accept field names in backquotes.
    """
    kinds: list[str] = []
    texts: list[str] = []
    offsets: list[int] = []
    matches = _TOKEN.finditer(text)
    kind = ""
    while kind != EOF:
        match_ = next(matches)
        kind, token = _classify(match_, escaped_identifiers=escaped_identifiers)
        if not kind:
            return None
        kinds.append(kind)
        texts.append(token)
        offsets.append(match_.end() - len(token) if kind != EOF else len(text))
    return Tokens(kinds, texts, offsets)


def match(text: str, offset: int, *, escaped_identifiers: bool) -> tuple[str, str]:
    """Return kind and text of the token at *offset*, which is not a blank; the kind is empty for an invalid token."""
    match_ = _TOKEN.match(text, offset)
    assert match_ is not None  # noqa: S101 - it matches anything
    return _classify(match_, escaped_identifiers=escaped_identifiers)


def _classify(match_: re.Match[str], *, escaped_identifiers: bool) -> tuple[str, str]:
    """Return kind and text of a match; the kind is empty for an invalid token."""
    kind = match_.lastgroup or ""
    token = match_[kind]
    if kind == "SYMBOL" or token in KEYWORDS:
        return token, token
    if kind == "END":
        return EOF, EOF
    if kind == "UNKNOWN" or (kind == ESCAPED_IDENTIFIER and not escaped_identifiers):
        return "", token
    return kind, token
