"""
Tokens, read one by one from a text in which not everything need be one.

Reference:
    antlr4 runtime, Lexer, LexerATNSimulator, CommonTokenStream.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass
from typing import Final

from pytest_crd.engine.cel.text import lexer
from pytest_crd.engine.cel.text.lexer import EOF

# What begins like a token and is none: it goes on up to the first character that no token has there, which is passed too.
_BROKEN: Final = re.compile(
    r"""
    ["'] (?: (?<=") (?:[^\\"\n\r]|ESCAPE)*+ | (?<=') (?:[^\\'\n\r]|ESCAPE)*+ )
      (?: \\ (?: [xX][0-9a-fA-F]? | u[0-9a-fA-F]{0,3} | U[0-9a-fA-F]{0,7} | [0-3][0-7]? )? )?+
    | ` [A-Za-z0-9_.\-/\ ]*+
    | [=&|]
    |
    """.replace("ESCAPE", lexer.ESCAPE),
    re.VERBOSE,
)
_HIDDEN: Final = re.compile(r"[\t \r\n\f]++|//[^\n]*+")


@dataclass(frozen=True, slots=True)
class Token:
    """
    A token.

    Attributes:
        kind: Its kind, as in lexer.Tokens.
        text: Its text.
        offset: Where it begins.
        index: Its number among all tokens, blanks and comments included; -1 for one that was not there.
    """

    kind: str
    text: str
    offset: int
    index: int


class TokenStream:
    """The tokens of a text, as they are asked for."""

    def __init__(self, text: str, report: Callable[[int, str], None], *, escaped_identifiers: bool) -> None:
        """
        Read *text*.

        Args:
            text: The text.
            report: Told where something begins that is no token, and what is wrong with it.
            escaped_identifiers: Whether field names may stand in backquotes.
        """
        self._text = text
        self._report = report
        self._escaped_identifiers = escaped_identifiers
        self._offset = 0
        self._texts: list[str] = []  # of all tokens, also of blanks and comments
        self._tokens: list[Token] = []
        self.position = 0

    def ahead(self, distance: int = 0) -> Token:
        """Return the token that stands *distance* further; behind the end, the end."""
        while len(self._tokens) <= self.position + distance:
            if self._tokens and self._tokens[-1].kind == EOF:
                return self._tokens[-1]
            self._read()
        return self._tokens[self.position + distance]

    def kind_ahead(self, distance: int) -> str:
        """Return the kind of the token that stands *distance* further."""
        return self.ahead(distance).kind

    def before(self) -> Token | None:
        """Return the token that was passed last."""
        return self._tokens[self.position - 1] if self.position else None

    def consume(self) -> Token:
        """Pass a token and return it; the end is never passed."""
        token = self.ahead()
        if token.kind != EOF:
            self.position += 1
            self.ahead()
        return token

    def text_between(self, first: Token, last: Token) -> str:
        """Return the text from *first* to *last*, without what is no token."""
        return "".join(self._texts[first.index : last.index + 1])

    def _read(self) -> None:
        """Read up to the next token, and keep it."""
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
        """Report what is no token, and pass it."""
        start = self._offset
        broken = _BROKEN.match(self._text, start) if self._escaped_identifiers or self._text[start] != "`" else None
        end = min((broken.end() if broken else start) + 1, len(self._text))
        self._report(start, f"token recognition error at: '{self._text[start:end]}'")
        self._offset = end
