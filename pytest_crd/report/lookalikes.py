"""Different texts that look alike, such as `ü` as one character and as two."""

from __future__ import annotations

import json
import unicodedata
from collections import Counter
from collections.abc import Sequence
from typing import Final

# Letters of other scripts, quotes and dashes, with the ASCII characters that they look like; NFKC has none of them.
_ALIKE: Final = str.maketrans(
    "АВЕЅІЈКМНОРСТХУаеорсухіјѕԁһΑΒΕΖΗΙΚΜΝΟΡΤΥΧονρ‐‑‒–—−‘’“”",  # noqa: RUF001 - this is the table of such characters
    "ABESIJKMHOPCTXYaeopcyxijsdhABEZHIKMNOPTYXovp------''\"\"",
)


def tell_apart(texts: Sequence[str]) -> list[str]:
    """Return *texts*, with escapes for all characters beyond ASCII in a text that looks like another one and differs."""
    if all(map(str.isascii, texts)):
        return [*texts]
    shapes = Counter(map(_shape, {*texts}))
    return [_escape(text) if shapes[_shape(text)] > 1 else text for text in texts]


def tell_lines_apart(diff: Sequence[str]) -> list[str]:
    """Return the lines of a unified diff, told apart as by `tell_apart` without their first characters."""
    bodies = tell_apart([line[1:] for line in diff])
    return [f"{line[:1]}{body}" for line, body in zip(diff, bodies, strict=True)]


def _shape(text: str) -> str:
    return unicodedata.normalize("NFKC", text).translate(_ALIKE)


def _escape(text: str) -> str:
    return "".join(char if char.isascii() else json.dumps(char)[1:-1] for char in text)
