"""Label and field selectors."""

from __future__ import annotations

import re
from typing import Final, NamedTuple

from pytest_crd.engine.golang import printing
from pytest_crd.engine.metadata import labelselectors, names
from pytest_crd.engine.metadata.labelselectors import Requirement
from pytest_crd.engine.profile import Profile

_SYMBOLS: Final = re.compile(r"[=!(),><]")
_OPERATORS: Final = ("==", "=", "!=", ">", "<", "(", ")", ",", "!")
_KEYWORDS: Final = frozenset({"in", "notin"})
_BINARY: Final = "in, notin, =, ==, !=, gt, lt"


class SelectorError(Exception):
    """An unreadable selector, with the server's message."""


class FieldTerm(NamedTuple):
    """
    A term of a field selector.

    Attributes:
        field: The path of the field, `metadata.name`.
        value: The compared value.
        is_equal: True for equality, False for inequality.
    """

    field: str
    value: str
    is_equal: bool


def labels(text: str, profile: Profile) -> tuple[Requirement, ...]:
    """
    Return the requirements of a label selector; empty for an empty selector.

    Raises:
        SelectorError: The selector is malformed.

    Reference:
        apimachinery labels/selector.go, Parse.
    """
    return _LabelParser(text, profile).parse()


def fields(text: str) -> tuple[FieldTerm, ...]:
    """
    Return the terms of a field selector; empty for an empty selector.

    Raises:
        SelectorError: The selector is malformed.

    Reference:
        apimachinery fields/selector.go, ParseSelector.
    """
    return tuple(_field_term(term, text) for term in _split(text) if term)


def _split(text: str) -> list[str]:
    """Return the terms between unescaped commas."""
    return re.findall(r"(?:\\.|[^,\\]|\\\Z)+", text, re.DOTALL)


def _field_term(term: str, whole: str) -> FieldTerm:
    for index in range(len(term)):
        for operator in ("!=", "==", "="):
            if term.startswith(operator, index):
                value = _unescaped(term[index + len(operator) :])
                return FieldTerm(term[:index], value, operator != "!=")
    raise SelectorError(f"invalid selector: '{whole}'; can't understand '{term}'")


def _unescaped(value: str) -> str:
    chars = []
    rest = iter(value)
    for char in rest:
        if char == "\\":
            following = next(rest, "")
            if following not in ("\\", ",", "=") or not following:
                raise SelectorError(f"invalid field selector: invalid escape sequence: \\{following}")
            chars.append(following)
        elif char in ",=":
            raise SelectorError(f"invalid field selector: unescaped character in value: {ord(char)}")
        else:
            chars.append(char)
    return "".join(chars)


class _Token(NamedTuple):
    kind: str
    text: str


class _LabelParser:
    """Parser of a label selector."""

    def __init__(self, text: str, profile: Profile) -> None:
        self._profile = profile
        self._tokens = _tokens(text)
        self._next = 0

    def parse(self) -> tuple[Requirement, ...]:
        requirements: list[Requirement] = []
        while True:
            token = self._peek()
            if token.kind == "end":
                return tuple(requirements)
            if token.kind not in ("identifier", "!"):
                raise SelectorError(f"found '{token.text}', expected: !, identifier, or 'end of string'")
            try:
                requirements.append(self._requirement())
            except SelectorError as error:
                raise SelectorError(f"unable to parse requirement: {error}") from None
            token = self._take()
            if token.kind == "end":
                return tuple(requirements)
            if token.kind != ",":
                raise SelectorError(f"found '{token.text}', expected: ',' or 'end of string'")
            following = self._peek()
            if following.kind not in ("identifier", "!"):
                raise SelectorError(f"found '{following.text}', expected: identifier after ','")

    def _requirement(self) -> Requirement:
        token = self._take()
        is_denied = token.kind == "!"
        token = self._take() if is_denied else token
        if token.kind != "identifier":
            raise SelectorError(f"found '{token.text}', expected: identifier")
        key = token.text
        _demand(names.label_key(key, self._profile), "<nil>", key)
        if self._peek().kind in ("end", ","):
            return Requirement(key, "!" if is_denied else "exists")
        if is_denied:
            return Requirement(key, "!")
        return self._binary(key, self._take(is_value=False))

    def _binary(self, key: str, operator: _Token) -> Requirement:
        if operator.kind in _KEYWORDS:
            requirement = Requirement(key, operator.kind, self._values())
        elif operator.kind in ("=", "==", "!="):
            requirement = Requirement(key, "notin" if operator.kind == "!=" else "in", (self._value(),))
        elif operator.kind in (">", "<"):
            requirement = Requirement(key, operator.kind, (self._value(),))
            if labelselectors.int64(requirement.values[0]) is None:
                problem = "for 'Gt', 'Lt' operators, the value must be an integer"
                raise SelectorError(f"values[0]: Invalid value: {printing.quote(requirement.values[0])}: {problem}")
        else:
            raise SelectorError(f"found '{operator.text}', expected: {_BINARY}")
        for index, value in enumerate(requirement.values):
            _demand(names.label_value(value, self._profile), f"values[{index}][{key}]", value)
        return requirement

    def _values(self) -> tuple[str, ...]:
        token = self._take()
        if token.kind != "(":
            raise SelectorError(f"found '{token.text}' expected: '('")
        token = self._peek()
        if token.kind == ")":
            self._take()
            return ("",)
        if token.kind not in ("identifier", ","):
            raise SelectorError(f"found '{token.text}', expected: ',', ')' or identifier")
        items = self._list()
        self._take()  # the closing parenthesis
        return items

    def _list(self) -> tuple[str, ...]:
        items: dict[str, None] = {}
        while True:
            token, following = self._take(), self._peek()
            if token.kind == "identifier":
                items[token.text] = None
                if following.kind == ")":
                    return tuple(items)
                if following.kind != ",":
                    raise SelectorError(f"found '{following.text}', expected: ',' or ')'")
            elif token.kind == ",":
                if not items:
                    items[""] = None
                if following.kind == ")":
                    return (*items, "")
                if following.kind == ",":
                    self._take()
                    items[""] = None
                    if self._peek().kind == ")" and self._profile.reads_commas_in_selectors:
                        return tuple(items)
            else:
                raise SelectorError(f"found '{token.text}', expected: ',', or identifier")

    def _value(self) -> str:
        if self._peek().kind in ("end", ","):
            return ""
        token = self._take()
        if token.kind != "identifier":
            raise SelectorError(f"found '{token.text}', expected: identifier")
        return token.text

    def _peek(self, *, is_value: bool = True) -> _Token:
        token = self._tokens[min(self._next, len(self._tokens) - 1)]
        return _Token("identifier", token.text) if is_value and token.kind in _KEYWORDS else token

    def _take(self, *, is_value: bool = True) -> _Token:
        token = self._peek(is_value=is_value)
        self._next += 1
        return token


def _demand(problems: tuple[str, ...], path: str, value: str) -> None:
    if problems:
        messages = [f"{path}: Invalid value: {printing.quote(value)}: {problem}" for problem in problems]
        raise SelectorError(messages[0] if len(messages) == 1 else f"[{', '.join(messages)}]")


def _tokens(text: str) -> list[_Token]:
    tokens: list[_Token] = []
    place = 0
    while place < len(text):
        if text[place].isspace():
            place += 1
            continue
        word = next((operator for operator in _OPERATORS if text.startswith(operator, place)), "")
        kind = word
        if not word:
            end = re.compile(r"[=!(),><\s]|\Z").search(text, place)
            word = text[place : end.start() if end else len(text)]
            kind = word if word in _KEYWORDS else "identifier"
        tokens.append(_Token(kind, word))
        place += len(word)
    return [*tokens, _Token("end", "")]
