"""
JSON decoding as in the API server: separate int64 and float64, the last of equal keys, U+FFFD for invalid Unicode.

Python's decoder is used with Go's rules. Positions and duplicate keys are looked up on demand.
"""

from __future__ import annotations

import json
import math
from typing import Any, Final, NamedTuple, cast

from pytest_crd import lazyre
from pytest_crd.engine import jsonvalue
from pytest_crd.engine.golang import printing
from pytest_crd.engine.jsonvalue import JSONValue
from pytest_crd.engine.yaml import yamlstream
from pytest_crd.engine.yaml.yamlnode import MappingNode, ScalarNode, SequenceNode, YamlNode
from pytest_crd.engine.yaml.yamlstream import UnreadableError

_TOKEN: Final = lazyre.compile(r'"(?:[^"\\]|\\.)*+"?|[\[\]{}]|[^\s\[\]{},:"]+')
_BLANK: Final = lazyre.compile(r"[ \t\r\n]*")
_ESCAPED_SURROGATE: Final = lazyre.compile(r"\\u[dD][89a-fA-F]")
_SURROGATE: Final = lazyre.compile("[\ud800-\udfff]")
_INT64_DIGITS: Final = 20
# Go collects at most this many strict errors.
_MAX_DUPLICATES: Final = 100


class Parsed(NamedTuple):
    """
    One JSON value of a text.

    Attributes:
        value: The value.
        start: Index of its first character in the text.
        end: Index behind its last character.
        has_duplicates: Whether an object in it has a key twice.
        problem: The error if it is valid JSON that the server cannot decode.
        has_floats: Whether a number has a point or an exponent, or is beyond int64.
    """

    value: JSONValue
    start: int
    end: int
    has_duplicates: bool
    problem: UnreadableError | None
    has_floats: bool = True


class DuplicateField(NamedTuple):
    """A field that was already set: the 1-based line of its key, the key, its path, and the server's message."""

    line: int
    key: str
    path: tuple[str | int, ...]
    message: str


def skip_blank(text: str, start: int) -> int:
    """Return the index of the first character from *start* on that is not JSON whitespace."""
    match = _BLANK.match(text, start)
    return match.end() if match else start


def parse(text: str, start: int = 0, *, is_whole: bool = False) -> Parsed:
    """
    Return the JSON value that begins at *start*.

    Args:
        text: Invalid UTF-8 bytes are lone surrogates.
        start: Index of the value, or of whitespace before it.
        is_whole: Whether the value is all of the text; otherwise text behind it is ignored.

    Raises:
        json.JSONDecodeError: It is not JSON, or other text follows.
        UnreadableError: It is nested too deep.

    Reference:
        sigs.k8s.io/json UnmarshalCaseSensitivePreserveInts.
    """
    start = skip_blank(text, start)
    lone = bool(_SURROGATE.search(text, start) or _ESCAPED_SURROGATE.search(text, start))
    duplicated = False

    def build(pairs: list[tuple[str, JSONValue]]) -> dict[str, JSONValue]:
        nonlocal duplicated
        result = {_replace(key): item for key, item in pairs} if lone else dict(pairs)
        duplicated = duplicated or len(result) != len(pairs)
        return result

    def integer(number: str) -> int | float:
        if len(number) <= _INT64_DIGITS and jsonvalue.MIN_INT64 <= (value := int(number)) <= jsonvalue.MAX_INT64:
            return value
        return real(number)

    def real(number: str) -> float:
        value = float(number)
        floats.append(number)
        return value

    floats: list[str] = []
    decoder = json.JSONDecoder(object_pairs_hook=build, parse_int=integer, parse_float=real, parse_constant=_refuse)
    try:
        value, end = decoder.raw_decode(text, start)
    except RecursionError:
        raise UnreadableError(0, yamlstream.TOO_DEEP) from None
    if type(value) in (int, float) and text[end : end + 1] in (".", "e", "E"):
        raise json.JSONDecodeError("Invalid number", text, end)
    if is_whole and skip_blank(text, end) < len(text):
        raise json.JSONDecodeError("Extra data", text, end)
    problem = None
    if beyond := next((number for number in floats if math.isinf(float(number))), ""):
        line = text.count("\n", 0, text.find(beyond, start)) + 1
        problem = UnreadableError(line, f"json: cannot unmarshal number {beyond} into Go value of type float64")
    _limit_depth(value, text, start, end)
    return Parsed(_replace(value) if lone else value, start, end, duplicated, problem, has_floats=bool(floats))


def nodes(text: str, start: int, end: int) -> YamlNode:
    """Return the root node of the JSON value between *start* and *end*, which was parsed before."""
    line = text.count("\n", 0, start) + 1
    position = start
    top: list[YamlNode] = []
    stack: list[list[YamlNode]] = [top]
    for token in _TOKEN.finditer(text, start, end):
        line += text.count("\n", position, token.start())
        position = token.start()
        mark = token[0][0]
        if mark in "]}":
            _close(stack)
            continue
        content = _SURROGATE.sub("\ufffd", json.loads(token[0])) if mark == '"' else token[0]
        node: YamlNode = ScalarNode(line, token.start(), content)
        if mark in "[{":
            node = SequenceNode(line) if mark == "[" else MappingNode(line)
        stack[-1].append(node)
        if mark in "[{":
            stack.append([])
    return top[0]


def duplicates(root: YamlNode) -> list[DuplicateField]:
    """
    Return the fields that were already set, each path once, in the server's order.

    Args:
        root: The root node of a JSON value.

    Reference:
        sigs.k8s.io/json kubernetes_patch.go, saveStrictError.
    """
    fields: dict[str, DuplicateField] = {}
    _collect(root, (), "", fields)
    return list(fields.values())[:_MAX_DUPLICATES]


def _close(stack: list[list[YamlNode]]) -> None:
    """Add the children of the innermost open list or object to it."""
    children = stack.pop()
    container = stack[-1][-1]
    if isinstance(container, SequenceNode):
        container.items.extend(children)
    else:
        cast("MappingNode", container).pairs.extend(zip(children[::2], children[1::2], strict=True))


def _collect(node: YamlNode, path: tuple[str | int, ...], field: str, fields: dict[str, DuplicateField]) -> None:
    if isinstance(node, SequenceNode):
        for index, item in enumerate(node.items):
            _collect(item, (*path, index), f"{field}[{index}]", fields)
    elif isinstance(node, MappingNode):
        keys: set[str] = set()
        for key_node, value_node in node.pairs:
            key = cast("ScalarNode", key_node).text
            name = f"{field}.{key}" if path else key
            if key in keys and name not in fields:
                message = f"duplicate field {printing.quote(name)}"
                fields[name] = DuplicateField(key_node.line, key, (*path, key), message)
            keys.add(key)
            _collect(value_node, (*path, key), name, fields)


def _refuse(word: str) -> None:
    raise json.JSONDecodeError(f"{word} is not JSON", word, 0)


def _limit_depth(value: JSONValue, text: str, start: int, end: int) -> None:
    may_be = text.count("[", start, end) + text.count("{", start, end) > jsonvalue.MAX_DEPTH
    if may_be and jsonvalue.is_too_deep(value):
        raise UnreadableError(0, yamlstream.TOO_DEEP)


def _replace(value: JSONValue) -> Any:
    """Return *value* with U+FFFD for every lone surrogate, as Go decodes invalid bytes and invalid escapes."""
    if isinstance(value, str):
        return _SURROGATE.sub("\ufffd", value)
    if isinstance(value, dict):
        return {_replace(key): _replace(item) for key, item in value.items()}
    if isinstance(value, list):
        return [_replace(item) for item in value]
    return value
