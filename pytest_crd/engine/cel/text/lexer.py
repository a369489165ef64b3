"""
Expressions as tokens.

Reference:
    cel-go parser/gen/CEL.g4, the lexer rules.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Final

IDENTIFIER: Final = "IDENTIFIER"
ESCAPED_IDENTIFIER: Final = "ESC_IDENTIFIER"
INT: Final = "NUM_INT"
UINT: Final = "NUM_UINT"
FLOAT: Final = "NUM_FLOAT"
STRING: Final = "STRING"
BYTES: Final = "BYTES"
EOF: Final = "<EOF>"
KEYWORDS: Final = frozenset({"in", "true", "false", "null"})

# An escape in a string or in bytes.
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
# The longest alternative comes first wherever two match at one place.
_TOKEN: Final = re.compile(
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
    The tokens of a text, which end with EOF, as three lists of equal length.

    Attributes:
        kinds: Their kinds; that of a symbol or a keyword is its text.
        texts: Their texts.
        offsets: Where they begin.
    """

    kinds: list[str]
    texts: list[str]
    offsets: list[int]


def tokenize(text: str, *, escaped_identifiers: bool) -> Tokens | None:
    """
    Return the tokens of *text*; None where something in it is none.

    Args:
        text: The text.
        escaped_identifiers: Whether field names may stand in backquotes.
    """
    kinds: list[str] = []
    texts: list[str] = []
    offsets: list[int] = []
    matches = _TOKEN.finditer(text)
    kind = ""
    while kind != EOF:
        found = next(matches)
        kind, token = _classify(found, escaped_identifiers=escaped_identifiers)
        if not kind:
            return None
        kinds.append(kind)
        texts.append(token)
        offsets.append(found.end() - len(token) if kind != EOF else len(text))
    return Tokens(kinds, texts, offsets)


def match(text: str, offset: int, *, escaped_identifiers: bool) -> tuple[str, str]:
    """Return the kind and the text of the token that stands at *offset*, where there is no blank; no kind where there is none."""
    found = _TOKEN.match(text, offset)
    assert found is not None  # noqa: S101 - it matches anything
    return _classify(found, escaped_identifiers=escaped_identifiers)


def _classify(found: re.Match[str], *, escaped_identifiers: bool) -> tuple[str, str]:
    """Return the kind and the text of a match; no kind for what is no token."""
    kind = found.lastgroup or ""
    token = found[kind]
    if kind == "SYMBOL" or token in KEYWORDS:
        return token, token
    if kind == "END":
        return EOF, EOF
    if kind == "UNKNOWN" or (kind == ESCAPED_IDENTIFIER and not escaped_identifiers):
        return "", token
    return kind, token
