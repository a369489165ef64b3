"""
JSON values as YAML, in the style of case files: on one line if short, else as a block.

A text is quoted if YAML 1.1 or 1.2 would read something else, or if a reader could mistake it for something else.
"""

from __future__ import annotations

import functools
import json
import re
from collections.abc import Iterator, Sequence
from typing import Final

from pytest_crd import lazyre
from pytest_crd.engine.jsonvalue import JSONValue
from pytest_crd.engine.yaml import yamlscalar

# The longest line that holds a whole collection.
WIDTH: Final = 120

STEP: Final = 2
# Longer lists take as few lines as possible, if at least two items fit on a line.
_LONG_LIST: Final = 20
# Words and paths; digits at the beginning must be followed by letters, as in 10Mi.
_PLAIN: Final = lazyre.compile(
    r"(?:[A-Za-z_/]|[0-9]+[A-DF-WYZa-df-wyz])[A-Za-z0-9_./+-]*(?: [A-Za-z0-9_(][A-Za-z0-9_./+()-]*)*"
)
# Characters to escape in quotes; no-break spaces are escaped to be visible.
_SPECIAL: Final = lazyre.compile("[\x00-\x1f\x7f-\xa0\u2028\u2029\ufeff\ufffe\uffff\ud800-\udfff]")
_LITERAL: Final = lazyre.compile(r"(?![ \n])(?:[^\n]*[^\n ])?(?:\n[^\n]*(?<! ))*")


def flow(value: JSONValue) -> str:
    """Return *value* on one line."""
    if isinstance(value, dict):
        return "{" + ", ".join(f"{_text(key)}: {flow(item)}" for key, item in value.items()) + "}"
    if isinstance(value, list):
        return "[" + ", ".join(map(flow, value)) + "]"
    return _scalar(value)


def json_flow(value: JSONValue) -> str:
    """Return *value* on one line, as JSON."""
    return json.dumps(value, ensure_ascii=False)


def entry(key: str, value: JSONValue, indent: int = 0, *, width: int = WIDTH) -> list[str]:
    """
    Return a key and its value as lines of a block mapping.

    Args:
        key: The key.
        value: Its value.
        indent: The number of blanks before the key.
        width: The longest line that holds a whole collection.
    """
    head = f"{' ' * indent}{_text(key)}:"
    if (line := _short(value, len(head) + 1, width)) is not None:
        return [f"{head} {line}"]
    if isinstance(value, str):
        first, *others = literal(value, indent + STEP)
        return [f"{head} {first}", *others]
    if isinstance(value, list) and len(value) >= _LONG_LIST and max(map(len, map(flow, value))) <= width // 2 - indent:
        return packed(head, value, width=width)
    return [head, *block(value, indent if isinstance(value, list) else indent + STEP, width=width)]


def packed(head: str, values: Sequence[JSONValue], *, width: int = WIDTH) -> list[str]:
    """Return *head* and the items of a list as lines, as many items a line as fit."""
    indent = " " * (len(head) - len(head.lstrip(" ")) + STEP)
    lines = [f"{head} ["]
    for index, value in enumerate(values):
        item = f"{flow(value)}{', ' if index + 1 < len(values) else ']'}"
        if len(lines[-1]) + len(item) > width and index:
            lines.append(indent)
        lines[-1] += item
    return [line.rstrip() for line in lines]


def block(value: JSONValue, indent: int = 0, *, width: int = WIDTH) -> list[str]:
    """
    Return *value* as a block: the lines of its keys or items; a single line for scalars and empty collections.

    Args:
        value: The value.
        indent: The number of blanks before each key, or before the dash of each item.
        width: The longest line that holds a whole collection.
    """
    if isinstance(value, dict) and value:
        return [line for key, item in value.items() for line in entry(key, item, indent, width=width)]
    if isinstance(value, list) and value:
        return [line for item in value for line in _item(item, indent, width)]
    return [" " * indent + flow(value)]


def literal(text: str, indent: int) -> list[str]:
    """Return a text of several lines in literal style below `|`; on one line if that is not possible."""
    if _SPECIAL.search(text.replace("\n", "")) or not _LITERAL.fullmatch(text) or text.endswith("\n\n"):
        return [_text(text)]
    lines = text.removesuffix("\n").split("\n")
    header = "|" if text.endswith("\n") else "|-"
    return [header, *(f"{' ' * indent}{line}" if line else "" for line in lines)]


def is_block(value: JSONValue, column: int, *, width: int = WIDTH) -> bool:
    """Return whether *value* is written as a block if *column* characters come before it on its line."""
    return not isinstance(value, str) and _short(value, column, width) is None


def _item(value: JSONValue, indent: int, width: int) -> Iterator[str]:
    dash = f"{' ' * indent}- "
    line = flow(value) if isinstance(value, str) else _short(value, len(dash), width)
    if line is not None:
        yield dash + line
        return
    first, *others = block(value, indent + STEP, width=width)
    yield dash + first.lstrip(" ")
    yield from others


def _short(value: JSONValue, column: int, width: int) -> str | None:
    """Return *value* on one line; None if it is too long, a text of several lines, or a list of mappings."""
    if isinstance(value, str):
        return None if "\n" in value else _text(value)
    if not value or not isinstance(value, dict | list):
        return flow(value)
    if isinstance(value, list) and any(isinstance(item, dict | list) and item for item in value):
        return None
    parts: list[str] = []
    return "".join(parts) if _write(value, width - column, parts) >= 0 else None


def _write(value: JSONValue, room: int, parts: list[str]) -> int:
    """Append the *parts* of *value* on one line and return the room that is left; a negative number stops the writing."""
    if isinstance(value, str) and "\n" in value:
        return -1
    if not value or not isinstance(value, dict | list):
        parts.append(flow(value))
        return room - len(parts[-1])
    is_mapping = isinstance(value, dict)
    room -= 2
    parts.append("{" if is_mapping else "[")
    separator = ""
    for key in value:
        head = f"{separator}{_text(key)}: " if is_mapping else separator
        parts.append(head)
        room -= len(head)
        if room < 0 or (room := _write(value[key] if is_mapping else key, room, parts)) < 0:
            return room
        separator = ", "
    parts.append("}" if is_mapping else "]")
    return room


def _scalar(value: JSONValue) -> str:
    if isinstance(value, str):
        return _text(value)
    if value is None:
        return "null"
    if isinstance(value, bool):
        return str(value).lower()
    written = repr(value)
    # YAML 1.1 reads 1e+21 as a text: there, a float has a dot.
    return written if "e" not in written or "." in written else written.replace("e", ".0e")


@functools.lru_cache(maxsize=1 << 12)  # the names of fields, again and again: a fifth of the time of a generated file
def _text(text: str) -> str:
    """Return a text on one line: plain if all readers agree on it, else in quotes."""
    if _PLAIN.fullmatch(text) and yamlscalar.resolve(text) == text:
        return text
    if _SPECIAL.search(text):
        return _SPECIAL.sub(_escaped, json.dumps(text, ensure_ascii=False))
    quoted = '"' in text or "\\" in text
    return "'" + text.replace("'", "''") + "'" if quoted else f'"{text}"'


def _escaped(match: re.Match[str]) -> str:
    return f"\\u{ord(match[0]):04X}"
