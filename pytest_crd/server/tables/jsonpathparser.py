"""
JSONPath templates as kubectl and printer columns have them: `{.status.conditions[?(@.type=="Ready")].status}`.

A template is parsed into one step for each action and each text between actions.

Reference:
    client-go util/jsonpath/parser.go.
"""

from __future__ import annotations

import re
from typing import Final

from pytest_crd.server.tables import jsonpathsteps as steps
from pytest_crd.server.tables.jsonpathsteps import Bound, Step

_END: Final = ""
_TERMINATORS: Final = frozenset(" \t\r\n.,[]$@{}")
_KEY: Final = re.compile(r"'([^']*)'")
_SLICE: Final = re.compile(r"(-?[0-9]*)(:-?[0-9]*)?(:-?[0-9]*)?")
_COMPARISON: Final = re.compile(r"([^!<>=]++)([!<>=]++)(.*)")
_INT: Final = re.compile(r"[+-]?[0-9]+")
_ESCAPE: Final = re.compile(r"\\(x[0-9a-fA-F]{2}|u[0-9a-fA-F]{4}|U[0-9a-fA-F]{8}|[0-7]{3}|.)")
_CONTROLS: Final = {"a": "\a", "b": "\b", "f": "\f", "n": "\n", "r": "\r", "t": "\t", "v": "\v", "\\": "\\"}
_INT64: Final = 2**63


class JSONPathError(ValueError):
    """A template that cannot be parsed."""


def parse(template: str) -> list[Step]:
    """
    Return the steps of a template, in order; each is evaluated on the same value.

    Raises:
        JSONPathError: The template cannot be parsed.
    """
    return _Parser(template).parse()


class _Parser:
    """Parser of one template."""

    def __init__(self, template: str) -> None:
        self._template = template
        self._position = 0
        self._start = 0

    def parse(self) -> list[Step]:
        template_steps: list[Step] = []
        while self._position < len(self._template):
            brace = self._template.find("{", self._position)
            end = len(self._template) if brace < 0 else brace
            if end > self._position:
                template_steps.append(steps.constant(self._template[self._position : end]))
            self._position = end
            if brace >= 0:
                self._next()
                self._take()
                template_steps.append(self._action())
        return template_steps

    def _next(self) -> str:
        """Return the next character and advance; empty at the end."""
        if self._position >= len(self._template):
            return _END
        self._position += 1
        return self._template[self._position - 1]

    def _peek(self) -> str:
        return self._template[self._position : self._position + 1]

    def _take(self) -> str:
        """Return the text since the last call."""
        text = self._template[self._start : self._position]
        self._start = self._position
        return text

    def _action(self) -> Step:
        """Parse the inside of braces."""
        action: list[Step] = []
        while not self._template.startswith("}", self._position):
            if self._template.startswith("[?(", self._position):
                action.append(self._filter())
            elif self._template.startswith("..", self._position):
                if action and action[-1] is steps.descend:
                    raise JSONPathError("invalid multiple recursive descent")
                action += self._recursive()
            else:
                action += self._simple()
        self._next()
        self._take()
        return steps.chain(action)

    def _simple(self) -> list[Step]:
        char = self._next()
        if char in (_END, "\r", "\n"):
            raise JSONPathError("unclosed action")
        if char in " @$":
            self._take()
            return []
        if char == "[":
            return self._brackets()
        if char in "\"'":
            return [self._quoted(char)]
        if char == ".":
            return [self._field()]
        self._position -= 1
        if char in "+-" or char.isdigit():
            return [self._number()]
        if char == "_" or char.isalnum():
            return [self._identifier()]
        raise JSONPathError(f"unrecognized character in action: {char!r}")

    def _word(self, *, has_escapes: bool) -> str:
        """Return the text up to the next terminator."""
        while (char := self._peek()) != _END and char not in _TERMINATORS:
            self._next()
            if char == "\\" and has_escapes:
                self._next()
        return self._take()

    def _field(self) -> Step:
        self._take()
        word = self._word(has_escapes=True)
        return steps.wildcard if word == "*" else steps.field(word.replace("\\", ""))

    def _identifier(self) -> Step:
        word = self._word(has_escapes=False)
        return steps.constant(word == "true") if word in ("true", "false") else steps.identifier(word)

    def _recursive(self) -> list[Step]:
        self._position += 2
        self._take()
        char = self._peek()
        return [steps.descend, self._field()] if char == "_" or char.isalnum() else [steps.descend]

    def _number(self) -> Step:
        if self._peek() in "+-":
            self._next()
        while (char := self._peek()) == "." or char.isdigit():
            self._next()
        text = self._take()
        if _INT.fullmatch(text) and -_INT64 <= int(text) < _INT64:
            return steps.constant(int(text))
        try:
            return steps.constant(float(text))
        except ValueError:
            raise JSONPathError(f"cannot parse number {text}") from None

    def _quoted(self, quote: str) -> Step:
        while True:
            char = self._next()
            if char in (_END, "\n"):
                raise JSONPathError("unterminated quoted string")
            if char == quote and self._template[self._position - 2] != "\\":
                return steps.constant(_unquoted(self._take()))

    def _brackets(self) -> list[Step]:
        while (char := self._next()) != "]":
            if char in (_END, "\n"):
                raise JSONPathError("unterminated array")
        text = self._take()[1:-1]
        if text == "*":
            text = ":"
        if "," in text:
            return [steps.union([_parse_action(f"[{part.strip(' ')}]") for part in text.split(",")])]
        if key := _KEY.fullmatch(text):
            return [_parse_action(f".{key[1]}")]
        return [_slice(text)]

    def _filter(self) -> Step:
        self._position += len("[?(")
        self._take()
        self._skip_condition()
        if self._next() != "]":
            raise JSONPathError("unclosed array expect ]")
        text = self._take()[:-2]
        comparison = _COMPARISON.fullmatch(text)
        if comparison is None or (len(comparison[2]) == 1 and not comparison[3]):
            return steps.existing(_parse_action(text))
        left, operator, right = comparison.groups()
        if not right:
            operator, right = operator[:-1], operator[-1]
        return steps.compared(_parse_action(left), operator, _parse_action(right))

    def _skip_condition(self) -> None:
        """Advance past the parenthesis that closes a filter; quoted texts may contain others."""
        quote, is_closed = "", False
        while True:
            char = self._next()
            if char in (_END, "\n"):
                raise JSONPathError("unterminated filter")
            if char in "\"'":
                if not quote:
                    quote = char
                elif char == quote and self._template[self._position - 2] != "\\":
                    is_closed = True
            elif char == ")" and bool(quote) == is_closed:
                return


def _parse_action(text: str) -> Step:
    """Return the first action of a template that has *text* in braces."""
    return parse(f"{{{text}}}")[0]


def _slice(text: str) -> Step:
    match = _SLICE.fullmatch(text)
    if match is None:
        raise JSONPathError(f"invalid array index {text}")
    first, last, stride = match.groups()
    start = _index(first)
    if last is None:
        return steps.sliced(
            start, Bound((start or 0) + 1, is_derived=True), None if stride is None else _index(stride[1:])
        )
    end = _index(last[1:])
    return steps.sliced(start, None if end is None else Bound(end), None if stride is None else _index(stride[1:]))


def _index(text: str) -> int | None:
    """Return an index as a number, or None if it is empty."""
    if not text:
        return None
    if not _INT.fullmatch(text) or not -_INT64 <= int(text) < _INT64:
        raise JSONPathError(f"array index {text} is not a number")
    return int(text)


def _unquoted(quoted: str) -> str:
    """Return the text in quotes, escapes resolved as in Go."""
    quote, text = quoted[0], quoted[1:-1]

    def resolved(match: re.Match[str]) -> str:
        escape = match[1]
        if escape in _CONTROLS:
            return _CONTROLS[escape]
        if escape == quote:
            return quote
        if len(escape) == 1:
            raise JSONPathError(f"unquote string {quoted} error invalid syntax")
        point = int(escape, 8) if escape[0].isdigit() else int(escape[1:], 16)
        if point > (0x10FFFF if escape[0] == "U" else 0xFFFF):
            raise JSONPathError(f"unquote string {quoted} error invalid syntax")
        return chr(point)

    return _ESCAPE.sub(resolved, text)
