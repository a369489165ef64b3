"""
Comments of a YAML text: where they stand, and what becomes of those that stand in what is written anew.

A comment goes behind what replaces what it stood in, where that begins on its line; else on a line of its own above it.
"""

from __future__ import annotations

import itertools
import re
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from typing import Final, NamedTuple

from pytest_crd.casefiles.yamlspans import Edit, Span, SpannedText

# What ends a line in YAML 1.1, beside the line feed that all else of a layout counts by.
_COMMENT: Final = re.compile("(?<![^\\s\ufeff])#[^\n\r\x85\u2028\u2029]*")
_BLANKS: Final = re.compile(" *")


class Comment(NamedTuple):
    """A comment: the index where it begins, and its text, with the `#`."""

    start: int
    text: str


class Lost(NamedTuple):
    """What a text no longer has: the 1-based line where it stood, and its text, a comment's or an anchor's."""

    line: int
    text: str


def find(layout: SpannedText) -> tuple[Comment, ...]:
    """Return the comments of a text, in order."""
    scalars = sorted(_scalars(layout))
    # All that is no scalar, in parts; nothing else in YAML can have a `#` behind a blank that begins no comment.
    ends = [0, *(end for _, end in scalars)]
    starts = [*(start for start, _ in scalars), len(layout.text)]
    return tuple(
        Comment(match.start(), match[0].rstrip())
        for start, end in zip(ends, starts, strict=True)
        for match in _COMMENT.finditer(layout.text, start, end)
    )


def kept(layout: SpannedText, comments: Iterable[Comment], edits: Sequence[Edit]) -> list[Edit]:
    """
    Return *edits* with the comments that they would take away.

    Args:
        layout: The text.
        comments: Those of it that are not written elsewhere.
        edits: In order, and without overlap.
    """
    found = [*edits]
    held = [*_held(layout, edits)]
    for index, edit in enumerate(edits):
        inside = [one for one in comments if edit.start <= one.start < edit.end]
        if inside and _goes_behind(layout.text, edits, index, inside[0]):
            first, line_feed, rest = edit.text.partition("\n")
            found[index] = edit._replace(text=f"{first} {inside.pop(0).text}{line_feed}{rest}")
        if inside:
            at = _line_above(layout.text, edit.start, held)
            indent = _BLANKS.match(layout.text, at)[0]  # type: ignore[index] # which matches anywhere
            found.append(Edit(at, at, "".join(f"{indent}{one.text}\n" for one in inside)))
    return sorted(found, key=lambda one: (one.start, one.end))


def lost(old: SpannedText, new: SpannedText) -> Iterator[Lost]:
    """Yield the comments and anchors that *old* has more of than *new*."""
    left = Counter(text for _, text in _named(new))
    for start, text in sorted(_named(old)):
        if not left[text]:
            yield Lost(old.text.count("\n", 0, start) + 1, text)
        left[text] = max(left[text] - 1, 0)


def _named(layout: SpannedText) -> Iterator[tuple[int, str]]:
    yield from find(layout)
    yield from ((one.start, f"&{one.anchor}") for one in _places(layout) if one.anchor)


def _places(layout: SpannedText) -> Iterator[Span]:
    return itertools.chain.from_iterable(root.walk() for root in layout.documents)


def _scalars(layout: SpannedText) -> Iterator[tuple[int, int]]:
    """Yield where the text of each scalar begins and ends, that of a block below its header."""
    for one in _places(layout):
        if one.kind == "scalar":
            start = one.inner if one.is_flow else layout.text.index("\n", one.inner)
            yield start, max(start, one.end)


def _held(layout: SpannedText, edits: Iterable[Edit]) -> Iterator[tuple[int, int]]:
    """Yield between which places no line can begin that is a comment alone: in scalars, brackets, and what is edited."""
    yield from ((one.inner, one.end) for one in _places(layout) if one.is_flow or one.kind == "scalar")
    yield from ((one.start, one.end - 1) for one in edits)


def _goes_behind(text: str, edits: Sequence[Edit], index: int, comment: Comment) -> bool:
    """Return whether a comment stands on the line where an edit begins, and what it adds has an end of the line there too."""
    edit = edits[index]
    line = text.rfind("\n", 0, edit.start) + 1
    is_beside = text[line : edit.start].strip() and "\n" not in text[edit.start : comment.start]
    is_last = not text[edit.end : text.find("\n", edit.end)].strip() and all(
        other.start != edit.end for other in edits[index + 1 :]
    )
    return bool(is_beside and edit.text and ("\n" in edit.text or is_last))


def _line_above(text: str, index: int, held: Iterable[tuple[int, int]]) -> int:
    """Return where the last line begins, up to *index*, above which a line can stand."""
    at = text.rfind("\n", 0, index) + 1
    while around := [start for start, end in held if start < at <= end]:
        at = text.rfind("\n", 0, min(around)) + 1
    return at
