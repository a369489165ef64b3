"""
Words that several reports share, and the escapes of users' values in them.

Code hosts read commands in the lines of a log: `::error::…` after blanks, and `##[command]…` or `##vso[…]` anywhere in a line.

Reference:
    actions/runner src/Runner.Common/ActionCommand.cs, TryParseV2 and TryParse.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from typing import Final, TypeAlias

from pytest_crd import lazyre

_COMMAND: Final = "::"
_OLD_COMMAND: Final = lazyre.compile(r"##(?=[a-z]{0,20}\[)", re.IGNORECASE)
_KEPT: Final = frozenset("\t")
_KEPT_IN_LINES: Final = frozenset("\t\xa0")  # kubectl explain prints no-break spaces
_KEPT_IN_COLOUR: Final = frozenset("\t\x1b\xa0")

# Takes a text and the name of a style: `expected`, `actual`, `path`, `reason`, `title`.
Paint: TypeAlias = Callable[[str, str], str]


def plain(text: str, _style: str) -> str:
    """Return *text* unchanged, without colour."""
    return text


def counted(count: int, noun: str) -> str:
    """Return a count with its noun: `1 CRD`, `2 CRDs`."""
    return f"{count} {noun}{'' if count == 1 else 's'}"


def escape(text: str) -> str:
    """Return a user's value in one line, with escapes for line breaks, control characters, unusual spaces and commands of code hosts."""
    return _escape(text, _KEPT)


def escape_lines(text: str, *, is_coloured: bool = False) -> str:
    """Return a text of several lines with the escapes of `escape` in each, but for no-break spaces; a *coloured* text keeps its colours."""
    plain_chars = _KEPT_IN_COLOUR if is_coloured else _KEPT_IN_LINES
    return "\n".join(_escape(line, plain_chars) for line in text.split("\n"))


def _escape(line: str, plain_chars: frozenset[str]) -> str:
    if not line.isprintable():
        line = "".join(char if char.isprintable() or char in plain_chars else json.dumps(char)[1:-1] for char in line)
    if line.lstrip().startswith(_COMMAND):
        line = line.replace(_COMMAND, "\\u003a:", 1)
    return _OLD_COMMAND.sub(r"\\u0023#", line) if "##" in line else line
