"""
Lines of JSON values with equal parts, in a short form.

Each part that occurs twice or more has a line of its own, `{"part": ...}`, before the values. `{"$": 3}` stands for the
fourth part.
"""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Sequence
from typing import Any, Final

# Shorter parts are repeated.
_LEAST: Final = 48
_KEY: Final = "$"
_PART: Final = "part"


def write(values: Sequence[Any]) -> str:
    """Return the text of a file with *values*, in which no object has `$` alone."""
    counts: Counter[str] = Counter()
    _count([*values], counts)
    shortener = _Shortener({text for text, count in counts.items() if count > 1 and len(text) >= _LEAST})
    short = [shortener.shorten(value) for value in values]
    return "".join(f"{_text(line)}\n" for line in [*({_PART: part} for part in shortener.parts), *short])


def read(text: str) -> list[Any]:
    """Return the values in the text of a file."""
    parts: list[Any] = []
    values: list[Any] = []

    def whole(part: Any) -> Any:
        if isinstance(part, dict):
            return parts[part[_KEY]] if part.keys() == {_KEY} else {key: whole(item) for key, item in part.items()}
        return [whole(item) for item in part] if isinstance(part, list) else part

    for line in map(json.loads, text.rstrip("\n").split("\n") if text else ()):
        (parts if line.keys() == {_PART} else values).append(whole(line.get(_PART, line)))
    return values


class _Shortener:
    """Replaces repeated parts, and lists them."""

    def __init__(self, repeated: set[str]) -> None:
        self.parts: list[Any] = []
        self._repeated = repeated
        self._numbers: dict[str, int] = {}

    def shorten(self, value: Any) -> Any:
        """Return a value with numbers instead of repeated parts."""
        if not isinstance(value, (dict, list)):
            return value
        text = _text(value)
        if text not in self._repeated:
            return self._inside(value)
        if text not in self._numbers:
            self.parts.append(self._inside(value))
            self._numbers[text] = len(self.parts) - 1
        return {_KEY: self._numbers[text]}

    def _inside(self, value: Any) -> Any:
        if isinstance(value, dict):
            return {key: self.shorten(item) for key, item in value.items()}
        return [self.shorten(item) for item in value]


def _count(value: Any, counts: Counter[str]) -> None:
    """Count the parts of a value, without those of a part that is counted already."""
    if isinstance(value, (dict, list)):
        text = _text(value)
        counts[text] += 1
        if counts[text] == 1:
            for item in value.values() if isinstance(value, dict) else value:
                _count(item, counts)


def _text(value: Any) -> str:
    return json.dumps(value, ensure_ascii=False, separators=(",", ":"))
