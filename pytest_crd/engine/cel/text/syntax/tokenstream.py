"""
Token stream of a text that may contain invalid tokens.

Reference:
    antlr4 runtime, Lexer, LexerATNSimulator, CommonTokenStream.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass
from typing import Final

from pytest_crd import lazyre
from pytest_crd.engine.cel.text import lexer
from pytest_crd.engine.cel.text.lexer import EOF

# Prefix of an invalid token, which extends to and includes the first character that cannot continue a token.
_BROKEN: Final = lazyre.compile(
    r"""
    ["'] (?: (?<=") (?:[^\\"\n\r]|ESCAPE)*+ | (?<=') (?:[^\\'\n\r]|ESCAPE)*+ )
      (?: \\ (?: [xX][0-9a-fA-F]? | u[0-9a-fA-F]{0,3} | U[0-9a-fA-F]{0,7} | [0-3][0-7]? )? )?+
    | ` [A-Za-z0-9_.\-/\ ]*+
    | [=&|]
    |
    """.replace("ESCAPE", lexer.ESCAPE),
    re.VERBOSE,
)
_HIDDEN: Final = lazyre.compile(r"[\t \r\n\f]++|//[^\n]*+")


@dataclass(frozen=True, slots=True)
class Token:
    """
    Token of an expression.

    Attributes:
        kind: Kind, as in lexer.Tokens.
        text: Text.
        offset: Offset of the first code point.
        index: Number among all tokens including blanks and comments; -1 for an inserted token.
    """

    kind: str
    text: str
    offset: int
    index: int


class TokenStream:
    """Tokens of a text, produced on demand."""

    def __init__(self, text: str, report: Callable[[int, str], None], *, escaped_identifiers: bool) -> None:
        """
        Create at the start of *text*.

        Args:
            text: The text.
            report: Takes the offset of an invalid token and the message.
            escaped_identifiers: Accept field names in backquotes.
        """
        self._text = text
        self._report = report
        self._escaped_identifiers = escaped_identifiers
        self._offset = 0
        self._texts: list[str] = []  # of all tokens including blanks and comments
        self._tokens: list[Token] = []
        self.position = 0

    def ahead(self, distance: int = 0) -> Token:
        """Return the token at *distance* from the current one; EOF beyond the end."""
        while len(self._tokens) <= self.position + distance:
            if self._tokens and self._tokens[-1].kind == EOF:
                return self._tokens[-1]
            self._read()
        return self._tokens[self.position + distance]

    def kind_ahead(self, distance: int) -> str:
        """Return the kind of the token at *distance* from the current one."""
        return self.ahead(distance).kind

    def before(self) -> Token | None:
        """Return the last consumed token, or None."""
        return self._tokens[self.position - 1] if self.position else None

    def consume(self) -> Token:
        """Consume a token and return it; EOF is never consumed."""
        token = self.ahead()
        if token.kind != EOF:
            self.position += 1
            self.ahead()
        return token

    def text_between(self, first: Token, last: Token) -> str:
        """Return the text from *first* to *last*, without invalid tokens."""
        return "".join(self._texts[first.index : last.index + 1])

    def _read(self) -> None:
        """Append the next token."""
        while True:
            hidden = _HIDDEN.match(self._text, self._offset)
            if hidden:
                self._texts.append(hidden[0])
                self._offset = hidden.end()
                continue
            if self._offset >= len(self._text):
                self._tokens.append(Token(EOF, EOF, len(self._text), len(self._texts)))
                return
            kind, text = lexer.match(self._text, self._offset, escaped_identifiers=self._escaped_identifiers)
            if kind:
                self._tokens.append(Token(kind, text, self._offset, len(self._texts)))
                self._texts.append(text)
                self._offset += len(text)
                return
            self._skip()

    def _skip(self) -> None:
        """Report an invalid token and skip it."""
        start = self._offset
        broken = _BROKEN.match(self._text, start) if self._escaped_identifiers or self._text[start] != "`" else None
        end = min((broken.end() if broken else start) + 1, len(self._text))
        self._report(start, f"token recognition error at: '{self._text[start:end]}'")
        self._offset = end
