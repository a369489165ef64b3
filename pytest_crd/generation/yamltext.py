"""YAML as a person would write it: on one line where it fits, in blocks where it does not, quoted where a reader could err."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping
from typing import Any, Final, NamedTuple

WIDTH: Final = 140

# Texts that need no quotes, whatever version of YAML a reader speaks: no number, date or indicator begins so.
_PLAIN: Final = re.compile(r"[A-Za-z_/$][A-Za-z0-9_/.@+$-]*(?: [A-Za-z0-9_/.@+$(-][A-Za-z0-9_/.@+$()-]*)*")
_RESERVED: Final = frozenset({"y", "n", "yes", "no", "on", "off", "true", "false", "null", "none", "nan", "inf"})
_SINGLE_QUOTED: Final = re.compile(r"[ -&(-~]*")
_ESCAPED: Final = re.compile(r"[\x7f-\xa0\ud800-\udfff\u2028\u2029\ufeff]")


class Alias(NamedTuple):
    """
    A value that stands elsewhere.

    Attributes:
        name: The name of its anchor.
    """

    name: str


def flow(value: Any) -> str:
    """Return a JSON value, in which there may be aliases, on one line."""
    if isinstance(value, Alias):
        return f"*{value.name}"
    if isinstance(value, Mapping):
        return "{" + ", ".join(f"{flow(key)}: {flow(item)}" for key, item in value.items()) + "}"
    if isinstance(value, list):
        return "[" + ", ".join(map(flow, value)) + "]"
    if isinstance(value, str):
        return _text(value)
    return json.dumps(value)


def _text(value: str) -> str:
    if _PLAIN.fullmatch(value) and value.lower() not in _RESERVED:
        return value
    if ('"' in value or "\\" in value) and _SINGLE_QUOTED.fullmatch(value):
        return f"'{value}'"
    quoted = json.dumps(value, ensure_ascii=False)
    return _ESCAPED.sub(lambda found: f"\\u{ord(found[0]):04x}", quoted)


def entry(key: str, value: Any, indent: str = "") -> Iterator[str]:
    """
    Yield the lines of a mapping's *key* and its *value*.

    Args:
        key: A text.
        value: A JSON value, in which there may be aliases.
        indent: What each line begins with.
    """
    line = f"{indent}{_text(key)}: {flow(value)}"
    if len(line) <= WIDTH or not value or not isinstance(value, Mapping | list):
        yield line
        return
    yield f"{indent}{_text(key)}:"
    if isinstance(value, Mapping):
        yield from block(value, f"{indent}  ")
    else:
        for item in value:
            yield from listed(item, indent)


def block(value: Mapping[str, Any], indent: str = "") -> Iterator[str]:
    """Yield the lines of a mapping, a key after the other."""
    for key, item in value.items():
        yield from entry(key, item, indent)


def listed(item: Any, indent: str = "") -> Iterator[str]:
    """Yield the lines of a list's *item*, whose dash has *indent* before it."""
    line = f"{indent}- {flow(item)}"
    if len(line) <= WIDTH or not item or not isinstance(item, Mapping | list):
        yield line
        return
    lines = block(item, f"{indent}  ") if isinstance(item, Mapping) else _items(item, f"{indent}  ")
    yield f"{indent}- {next(lines).removeprefix(indent + '  ')}"
    yield from lines


def _items(items: list[Any], indent: str) -> Iterator[str]:
    for item in items:
        yield from listed(item, indent)
