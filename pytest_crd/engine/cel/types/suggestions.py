"""
Names that are similar to an undeclared one, for messages.

Reference:
    cel-go common/env/catalog.go, Catalog.Find and EditDistance.
"""

from __future__ import annotations

from collections.abc import Collection, Sequence
from typing import Final

_MOST_NAMES: Final = 2
# Lengths of names in UTF-8 with a fixed number of edits; longer names may differ in a third of their length.
_SHORT, _MEDIUM = 3, 8
# Texts of this length are not compared if one is half as long again.
_LONG: Final = 16
_MOST_CELLS: Final = 64 * 64
_FAR: Final = 1 << 31


def describe(name: str, known: Collection[str]) -> str:
    """Return the end of a message about the undeclared *name*: up to two *known* names, or an empty text."""
    if name in known or not (names := find(name, known)):
        return ""
    quoted = " or ".join(f"'{similar}'" for similar in names)
    return f" (did you mean {quoted}?)"


def find(name: str, known: Collection[str]) -> Sequence[str]:
    """Return a known *name* alone, else the two nearest names, else the two shortest names that begin with it."""
    if name in known:
        return (name,)
    size = len(name.encode())
    most = 1 if size <= _SHORT else 2 if size <= _MEDIUM else size // 3
    candidates = [candidate for candidate in known if ("." in candidate) is ("." in name)]
    distances = {candidate: _count_edits(name, candidate) for candidate in candidates}
    least = min(distances.values(), default=_FAR)
    if least <= most:
        similar = [candidate for candidate, distance in distances.items() if distance == least]
    else:
        similar = [candidate for candidate in candidates if size > 1 and candidate.startswith(name)]
    return sorted(similar, key=lambda candidate: (len(candidate), candidate))[:_MOST_NAMES]


def _count_edits(first: str, second: str) -> int:
    """Return the number of insertions, deletions, substitutions and swaps between two names; a huge number if they differ too much."""
    longer, shorter = sorted((len(first), len(second)), reverse=True)
    if longer >= _LONG and 2 * longer >= 3 * shorter:
        return longer - shorter
    if longer * shorter > _MOST_CELLS:
        return _FAR
    before: list[int] = []
    row = list(range(len(second) + 1))
    for index, character in enumerate(first):
        above, row = row, [index + 1]
        for column, letter in enumerate(second):
            edits = min(above[column + 1] + 1, row[column] + 1, above[column] + (character != letter))
            if index and column and character == second[column - 1] and first[index - 1] == letter:
                edits = min(edits, before[column - 1] + 1)
            row.append(edits)
        if min(row) > longer // 3:
            return _FAR
        before = above
    return row[-1]
