"""
JSON values as YAML, as Go's yaml.v3 writes them.

OpenAPI documents in protobuf embed such YAML for extensions, defaults, enums and examples.
"""

from __future__ import annotations

import math
import re
from datetime import datetime
from typing import Final

from pytest_crd.engine import jsonvalue
from pytest_crd.engine.golang import printing
from pytest_crd.engine.jsonvalue import JSONValue

# The indentation of mapping entries, and of nested values in list items.
_INDENT, _IN_ITEM = 4, 2
# Longer keys, in bytes, are explicit keys with a question mark.
_LONGEST_KEY: Final = 128
# Line breaks; a text with the first one becomes a block scalar.
_BREAKS: Final = "\n\r\x85\u2028\u2029"
_BREAK: Final = re.compile(f"[{_BREAKS}]")
# Marks a line that already ended with another break; no text contains it.
_HAS_ENDED: Final = "\0"
_LINE_START: Final = re.compile(f"(^|[{_BREAKS}])(?=[^{_BREAKS}])")
_AFTER_BREAK: Final = re.compile(f"(?<=[{_BREAKS}])(?=[^{_BREAKS}])")
# Characters that need escapes in any text, and in quoted texts.
_UNPRINTABLE: Final = re.compile("[^\t\n -~\xa0-\ud7ff\ue000-\ufefe\uff00-\ufffd]")
_ESCAPED: Final = re.compile(f'[^\n -~\xa0-\ud7ff\ue000-\ufefe\uff00-\ufffd]|["\\\\{_BREAKS}]')
_ANY: Final = re.compile(".", re.DOTALL)
_ESCAPES: Final = {
    "\0": "0", "\a": "a", "\b": "b", "\t": "t", "\n": "n", "\v": "v", "\f": "f", "\r": "r", "\x1b": "e", '"': '"', "\\": "\\",
    "\x85": "N", "\xa0": "_", "\u2028": "L", "\u2029": "P",
}  # fmt: skip
# Patterns that cannot begin a plain scalar, and patterns that cannot occur in one.
_BEGINS_OTHERWISE: Final = re.compile(r"""[#,\[\]{}&*!|>'"%@`]|---|\.\.\.|[?:-](?=[ \t\n\r\x85\u2028\u2029]|$)""")
_MEANS_OTHERWISE: Final = re.compile(r"(?<!^):(?=[ \t\n\r\x85\u2028\u2029]|$)|(?<=[ \t\n\r\x85\u2028\u2029])#")
# Plain scalars with another type than string.
_WORDS: Final = frozenset(
    {
        "", "~", "null", "Null", "NULL", "true", "True", "TRUE", "false", "False", "FALSE", ".nan", ".NaN", ".NAN",
        *(f"{sign}.{word}" for sign in ("", "+", "-") for word in ("inf", "Inf", "INF")),
    }
)  # fmt: skip
_INTEGER: Final = re.compile(r"[+-]?(0[xX][0-9a-fA-F]+|0[bB][01]+|0[oO][0-7]+|0[0-7]*|[1-9][0-9]*)\Z")
# Go accepts signs in the middle of these.
_SIGNED_WITHIN: Final = re.compile(r"0(b[+-][01]{1,63}|o[+-][0-7]{1,21})\Z")
_FLOAT: Final = re.compile(r"[-+]?(\.[0-9]+|[0-9]+(\.[0-9]*)?)([eE][-+]?[0-9]+)?\Z")
_DAY: Final = r"([0-9]{4})-([0-9]{1,2})-([0-9]{1,2})"
_CLOCK: Final = r"([0-9]{1,2}):([0-9]{1,2}):([0-9]{1,2})(?:[.,][0-9]+)?"
_TIMESTAMP: Final = re.compile(rf"{_DAY}(?:[Tt]{_CLOCK}(?:Z|[-+](?:[01][0-9]|2[0-4]):(?:[0-5][0-9]|60))| {_CLOCK})?\Z")


def to_yaml(value: JSONValue) -> str:
    """
    Return a JSON value as YAML.

    Args:
        value: The JSON value; keys keep their order.

    Reference:
        gnostic-models compiler/helpers.go, Marshal; go.yaml.in/yaml/v3 encode.go and emitterc.go.
    """
    text = _nested(value, 0) if _is_nested(value) else _scalar(value, _INDENT)
    return f"{text}\n".replace(f"{_HAS_ENDED}\n", "")


def _is_nested(value: JSONValue) -> bool:
    return isinstance(value, dict | list) and bool(value)


def _nested(value: JSONValue, indent: int) -> str:
    """Return a list or object as YAML, indented from the second line on."""
    items = _items(value, indent) if isinstance(value, list) else _entries(value, indent)
    return ("\n" + " " * indent).join(items)


def _items(items: list[JSONValue], indent: int) -> list[str]:
    within = indent + _IN_ITEM
    return [f"- {_nested(item, within) if _is_nested(item) else _scalar(item, within)}" for item in items]


def _entries(value: dict[str, JSONValue], indent: int) -> list[str]:
    return [_entry(key, item, indent) for key, item in value.items()]


def _entry(key: str, value: JSONValue, indent: int) -> str:
    within = _INDENT * (indent // _INDENT + 1)
    if _BREAK.search(key) or len(key.encode()) > _LONGEST_KEY:
        nested = _nested(value, within) if _is_nested(value) else _scalar(value, within)
        gap = " " * (within - indent - 1 if _is_nested(value) else 1)
        return f"? {_text(key, within)}\n{' ' * indent}:{gap}{nested}"
    if _is_nested(value):
        return f"{_text(key, within)}:\n{' ' * within}{_nested(value, within)}"
    return f"{_text(key, within)}: {_scalar(value, within)}"


def _scalar(value: JSONValue, indent: int) -> str:
    return _text(value, indent) if isinstance(value, str) else printing.marshal(value)


def _text(text: str, indent: int) -> str:
    """Return a text in the scalar style that it needs, indented from the second line on."""
    is_printable = not _UNPRINTABLE.search(text)
    has_break = bool(_BREAK.search(text))
    breaks_after_space = bool(re.search(f" [{_BREAKS}]", text))
    if "\n" in text:
        if not is_printable or breaks_after_space or text.endswith(" "):
            return _double_quoted(text)
        return _literal(text, indent)
    if _needs_quotes(text):
        return _double_quoted(text)
    ends_blank = has_break or text.startswith(" ") or text.endswith(" ")
    if (
        is_printable
        and "\t" not in text
        and not ends_blank
        and not _BEGINS_OTHERWISE.match(text)
        and not _MEANS_OTHERWISE.search(text)
    ):
        return text
    if not is_printable or "\t" in text or breaks_after_space or re.search(f"[{_BREAKS}] ", text):
        return _double_quoted(text)
    return "'" + _AFTER_BREAK.sub(" " * indent, text.replace("'", "''")) + "'"


def _literal(text: str, indent: int) -> str:
    hint = str(_INDENT) if text[0] in f" {_BREAKS}" else ""
    end = "" if _BREAK.match(text[-1]) else "-"
    if text[-1] in _BREAKS and (len(text) == 1 or text[-2] in _BREAKS):
        end = "+"
    lines = _LINE_START.sub(rf"\g<1>{' ' * indent}", text)
    ended = lines[:-1] if text[-1] == "\n" else f"{lines}{_HAS_ENDED if end != '-' else ''}"
    return f"|{hint}{end}\n{ended}"


def _double_quoted(text: str) -> str:
    # Go escapes every character of a text that begins with a byte order mark.
    escaped = _ANY if text.startswith("\ufeff") else _ESCAPED
    return f'"{escaped.sub(_escape, text)}"'


def _escape(match: re.Match[str]) -> str:
    char, code = match[0], ord(match[0])
    if char in _ESCAPES:
        return f"\\{_ESCAPES[char]}"
    return f"\\x{code:02X}" if code <= 0xFF else f"\\u{code:04X}" if code <= 0xFFFF else f"\\U{code:08X}"


def _needs_quotes(text: str) -> bool:
    """
    Return whether a text would have another type as a plain scalar.

    Reference:
        go.yaml.in/yaml/v3 resolve.go.
    """
    if text in _WORDS or _is_time(text):
        return True
    if text[0] == "_":
        return False
    plain = re.sub("(?<=[0-9])_(?=[0-9])" if text[0] == "." else "_", "", text)
    if _SIGNED_WITHIN.match(plain) or (_INTEGER.match(plain) and _fits(plain)):
        return True
    return bool(_FLOAT.match(plain)) and math.isfinite(float(plain))


def _fits(digits: str) -> bool:
    """Return whether an integer fits into int64 or uint64."""
    bare = digits.lstrip("+-")
    base = {"x": 16, "b": 2}.get(bare[1:2].lower(), 8 if bare.startswith("0") else 10)
    number = int(bare.lower().replace("o", "").replace("x", "", 1) if base == 16 else bare.lower().strip("ob"), base)
    most = (1 << 64) - 1 if digits[0].isdigit() else jsonvalue.MAX_INT64
    return number <= most + (digits[0] == "-")


def _is_time(text: str) -> bool:
    match = _TIMESTAMP.match(text)
    if match is None:
        return False
    numbers = [int(group) for group in match.groups() if group is not None]
    try:
        datetime(*numbers)  # type: ignore[arg-type] # noqa: DTZ001 - a check that the date exists
    except ValueError:
        return numbers[0] == 0 and _is_time(f"2000{text[4:]}")
    return True
