"""
Comments of a YAML text: their places, and their new places if the text around them is replaced.

A comment goes behind the replacement if that begins on its line, else on a line of its own above the replacement.
"""

from __future__ import annotations

import itertools
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from typing import Final, NamedTuple

from pytest_crd import lazyre
from pytest_crd.casefiles.yamlspans import Edit, Span, SpannedText

# With all line breaks of YAML 1.1; other parts of a layout count line feeds only.
_COMMENT: Final = lazyre.compile("(?<![^\\s\ufeff])#[^\n\r\x85\u2028\u2029]*")
_BLANKS: Final = lazyre.compile(" *")


class Comment(NamedTuple):
    """A comment: its index, and its text including the `#`."""

    start: int
    text: str


class Lost(NamedTuple):
    """A lost comment or anchor: its 1-based line in the old text, and its text."""

    line: int
    text: str


def find_comments(layout: SpannedText) -> tuple[Comment, ...]:
    """Return the comments of a text, in order."""
    scalars = sorted(_scalars(layout))
    # The text between scalars: there, a `#` behind a blank always begins a comment.
    ends = [0, *(end for _, end in scalars)]
    starts = [*(start for start, _ in scalars), len(layout.text)]
    return tuple(
        Comment(match.start(), match[0].rstrip())
        for start, end in zip(ends, starts, strict=True)
        for match in _COMMENT.finditer(layout.text, start, end)
    )


def keep_comments(layout: SpannedText, comments: Iterable[Comment], edits: Sequence[Edit]) -> list[Edit]:
    """
    Return *edits* with the comments that they would remove.

    Args:
        layout: The text.
        comments: The comments of the text that no edit moves.
        edits: Edits in order, without overlap.
    """
    new_edits = [*edits]
    closed_ranges = [*_find_closed_ranges(layout, edits)]
    for index, edit in enumerate(edits):
        inside = [item for item in comments if edit.start <= item.start < edit.end]
        if inside and _goes_behind(layout.text, edits, index, inside[0]):
            first, line_feed, rest = edit.text.partition("\n")
            new_edits[index] = edit._replace(text=f"{first} {inside.pop(0).text}{line_feed}{rest}")
        if inside:
            at = _line_above(layout.text, edit.start, closed_ranges)
            indent = _BLANKS.match(layout.text, at)[0]  # type: ignore[index] # the pattern matches anywhere
            new_edits.append(Edit(at, at, "".join(f"{indent}{item.text}\n" for item in inside)))
    return sorted(new_edits, key=lambda item: (item.start, item.end))


def find_lost(old: SpannedText, new: SpannedText) -> Iterator[Lost]:
    """Yield the comments and anchors of *old* that *new* lacks."""
    remaining = Counter(text for _, text in _find_markers(new))
    for start, text in sorted(_find_markers(old)):
        if not remaining[text]:
            yield Lost(old.text.count("\n", 0, start) + 1, text)
        remaining[text] = max(remaining[text] - 1, 0)


def _find_markers(layout: SpannedText) -> Iterator[tuple[int, str]]:
    yield from find_comments(layout)
    yield from ((span.start, f"&{span.anchor}") for span in _places(layout) if span.anchor)


def _places(layout: SpannedText) -> Iterator[Span]:
    return itertools.chain.from_iterable(root.walk() for root in layout.documents)


def _scalars(layout: SpannedText) -> Iterator[tuple[int, int]]:
    """Yield the begin and end of each scalar's text; that of a block scalar begins below its header."""
    for span in _places(layout):
        if span.kind == "scalar":
            start = span.inner if span.is_flow else layout.text.index("\n", span.inner)
            yield start, max(start, span.end)


def _find_closed_ranges(layout: SpannedText, edits: Iterable[Edit]) -> Iterator[tuple[int, int]]:
    """Yield the ranges in which no line with a comment alone can begin: scalars, brackets, and edits."""
    yield from ((item.inner, item.end) for item in _places(layout) if item.is_flow or item.kind == "scalar")
    yield from ((item.start, item.end - 1) for item in edits)


def _goes_behind(text: str, edits: Sequence[Edit], index: int, comment: Comment) -> bool:
    """Return whether a comment is on the line where an edit begins, and can stay at its end."""
    edit = edits[index]
    line = text.rfind("\n", 0, edit.start) + 1
    is_beside = text[line : edit.start].strip() and "\n" not in text[edit.start : comment.start]
    is_last = not text[edit.end : text.find("\n", edit.end)].strip() and all(
        later_edit.start != edit.end for later_edit in edits[index + 1 :]
    )
    return bool(is_beside and edit.text and ("\n" in edit.text or is_last))


def _line_above(text: str, index: int, closed_ranges: Iterable[tuple[int, int]]) -> int:
    """Return the begin of the last line up to *index* above which a line can be inserted."""
    at = text.rfind("\n", 0, index) + 1
    while around := [start for start, end in closed_ranges if start < at <= end]:
        at = text.rfind("\n", 0, min(around)) + 1
    return at
