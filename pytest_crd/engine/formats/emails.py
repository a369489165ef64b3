"""
Parser of email addresses with the grammar of Go's `net/mail`: display names, comments, groups and encoded words.

Python's `email` package accepts and repairs invalid addresses, so it cannot serve as a check.
"""

from __future__ import annotations

import re
from typing import Final

from pytest_crd import lazyre
from pytest_crd.engine.formats import addresses

# Visible ASCII without the specials of RFC 5322, and all of non-ASCII (RFC 6532); patterns that allow a dot add it.
_ATOM_CHARACTER: Final = r"""[^\x00-\x20\x7f()<>\[\]:;@\\,".]"""
_DOT_ATOM: Final = lazyre.compile(rf"(?>{_ATOM_CHARACTER}+(?:\.{_ATOM_CHARACTER}+)*)(?!\.)")
_DOTTED: Final = lazyre.compile(rf"(?:{_ATOM_CHARACTER}|\.)+")
_QUOTED: Final = lazyre.compile(r'"((?:[^\x00-\x08\x0a-\x1f\x7f"\\]|\\[^\x00-\x08\x0a-\x1f\x7f])*)"')
_DOMAIN_LITERAL: Final = lazyre.compile(r"\[([^\x00-\x20\x7f\[\]\\]*)\]")
_BLANKS: Final = lazyre.compile(r"[ \t]*")
_COMMENT_END: Final = lazyre.compile(r"\\.|[()]", re.DOTALL)

_ENCODED_WORD: Final = lazyre.compile(r"=\?([^?]+)\?([BbQq])\?([^?]*)\?=")
_CHARSET: Final = lazyre.compile(r"utf-8|iso-8859-1|us-ascii", re.IGNORECASE)
_QUOTED_PRINTABLE: Final = lazyre.compile(r"(?:[\t\n\r -<>-~]|=[0-9A-Fa-f]{2})*")
_BASE64: Final = lazyre.compile(r"(?:[A-Za-z0-9+/]{4})*(?:[A-Za-z0-9+/]{2}==|[A-Za-z0-9+/]{3}=)?")


def is_address(text: str) -> bool:
    """
    Return whether *text* is exactly one address, such as `ann@example.com` or `Ann Lee <ann@example.com> (at work)`.

    Reference:
        Go's net/mail, ParseAddress.
    """
    parser = _Parser(text)
    try:
        count = parser.address(group=True)
        parser.skip_comments()
    except _SyntaxError:
        return False
    return count == 1 and parser.at_end


class _SyntaxError(Exception):
    """Violation of the address grammar."""


class _Parser:
    """Recursive descent parser: a text and the position up to which it is parsed."""

    def __init__(self, text: str) -> None:
        self._text = text
        self._position = 0

    @property
    def at_end(self) -> bool:
        return self._position == len(self._text)

    def address(self, *, group: bool) -> int:
        """
        Parse an address, or a group if *group* is true, and return the number of addresses.

        Raises:
            _SyntaxError: There is neither.
        """
        self._skip(_BLANKS)
        start = self._position
        try:
            self._address_spec()
        except _SyntaxError:
            self._position = start
        else:
            self._skip(_BLANKS)
            if self._take("("):
                self._display_comment()
            return 1
        if not self._sees("<"):
            self._phrase()
        self._skip(_BLANKS)
        if group and self._take(":"):
            return self._group()
        self._expect("<")
        self._address_spec()
        self._expect(">")
        return 1

    def skip_comments(self) -> None:
        """Skip blanks and comments in any order."""
        self._skip(_BLANKS)
        while self._take("("):
            self._comment()
            self._skip(_BLANKS)

    def _address_spec(self) -> None:
        self._skip(_BLANKS)
        quoted = self._skip(_QUOTED)
        if not (quoted[1] if quoted else self._skip(_DOT_ATOM)):
            raise _SyntaxError
        self._expect("@")
        self._skip(_BLANKS)
        literal = self._skip(_DOMAIN_LITERAL)
        if not (addresses.bits(literal[1]) if literal else self._skip(_DOT_ATOM)):
            raise _SyntaxError

    def _group(self) -> int:
        """Parse the addresses of a group after its colon and return their number."""
        self._skip(_BLANKS)
        count = 0
        if not self._take(";"):
            count = self.address(group=False)
            self.skip_comments()
            while not self._take(";"):
                self._expect(",")
                count += self.address(group=False)
                self.skip_comments()
        self.skip_comments()
        return count

    def _phrase(self) -> None:
        """Parse a display name: at least one word, or an encoded word that is not empty."""
        words, decoded = 0, False
        while True:
            if words:
                # Go joins consecutive encoded words first, and allows comments only after a plain word.
                self.skip_comments()
            self._skip(_BLANKS)
            if self.at_end:
                break
            if not (word := self._skip(_QUOTED) or self._skip(_DOTTED)):
                break
            encoded = _encoded_word(word[0])
            if encoded is None:
                words += 1
                continue
            charset, text = encoded
            if _CHARSET.fullmatch(charset) is None:
                break
            decoded = decoded or bool(text)
        if not words and not decoded:
            raise _SyntaxError

    def _display_comment(self) -> None:
        """Parse a comment that is a display name; raise _SyntaxError if it has a word in an unknown charset."""
        for word in re.split(r"[ \t]+", self._comment()):
            encoded = _encoded_word(word)
            if encoded and _CHARSET.fullmatch(encoded[0]) is None:
                raise _SyntaxError

    def _comment(self) -> str:
        """Parse a comment, nested ones included, after its opening parenthesis; return its text."""
        start, depth = self._position, 1
        for mark in _COMMENT_END.finditer(self._text, start):
            depth += {"(": 1, ")": -1}.get(mark[0], 0)
            if not depth:
                self._position = mark.end()
                return re.sub(r"\\(.)", r"\1", self._text[start : mark.start()], flags=re.DOTALL)
        raise _SyntaxError

    def _skip(self, pattern: re.Pattern[str]) -> re.Match[str] | None:
        match = pattern.match(self._text, self._position)
        if match:
            self._position = match.end()
        return match

    def _sees(self, char: str) -> bool:
        return self._text.startswith(char, self._position)

    def _take(self, char: str) -> bool:
        if is_next := self._sees(char):
            self._position += 1
        return is_next

    def _expect(self, char: str) -> None:
        if not self._take(char):
            raise _SyntaxError


def _encoded_word(word: str) -> tuple[str, str] | None:
    """Return charset and text of a well-formed encoded word of RFC 2047; None for any other word."""
    match = _ENCODED_WORD.fullmatch(word)
    if match is None:
        return None
    charset, encoding, text = match.groups()
    well_formed = (
        _QUOTED_PRINTABLE.fullmatch(text)
        if encoding in "Qq"
        else _BASE64.fullmatch(text.replace("\r", "").replace("\n", ""))
    )
    return (charset, text) if well_formed else None
