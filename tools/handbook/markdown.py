"""Markdown pages: blocks of code, headings with their anchors, links, sentences."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator
from typing import Final, NamedTuple

_BLOCK: Final = re.compile(r"^```(\w*)(?: title=\"([^\"\n]+)\")?\n(.*?)^```$", re.DOTALL | re.MULTILINE)
_CODE: Final = re.compile(r"`[^`\n]*`")
_LINK: Final = re.compile(r"\]\(([^()\s]+)\)")
_TAG: Final = re.compile(r"</?[a-z][^>]*>")
_HEADING: Final = re.compile(r"^#{1,6} (.+)$", re.MULTILINE)


class Block(NamedTuple):
    """
    A block of code.

    Attributes:
        kind: The language.
        title: The file name, or an empty string.
        text: The content.
    """

    kind: str
    title: str
    text: str


def blocks(page: str) -> list[Block]:
    """Return the blocks of code of a page."""
    return [Block(*match) for match in _BLOCK.findall(page)]


def section(page: str, heading: str) -> str:
    """
    Return the text below *heading*, up to the next heading of the same or a higher level.

    Raises:
        LookupError: The page has no such heading.
    """
    level = re.search(rf"^(#+) {re.escape(heading)}$", page, re.MULTILINE)
    if level is None:
        raise LookupError(f"no heading {heading!r}")
    rest = page[level.end() :]
    # A comment in a block of code looks like a heading.
    blanked = _BLOCK.sub(lambda found: re.sub(r"[^\n]", " ", found[0]), rest)
    end = re.search(rf"^#{{1,{len(level[1])}}} ", blanked, re.MULTILINE)
    return rest[: end.start()] if end else rest


def _prose(page: str) -> str:
    return _BLOCK.sub("", page)


def links(page: str) -> Iterator[str]:
    """Yield the targets of the links of a page."""
    yield from _LINK.findall(_CODE.sub("", _prose(page)))


def anchors(page: str) -> set[str]:
    """Return the anchors of a page's headings, named as code hosts and the site name them."""
    counts: Counter[str] = Counter()
    anchors_ = set()
    for heading in _HEADING.findall(_prose(page)):
        words = re.sub(r"\[([^\]]*)\]\([^)]*\)", r"\1", heading).replace("`", "").strip().lower()
        name = re.sub(r"[^\w\- ]", "", words).replace(" ", "-")
        anchors_.add(f"{name}-{counts[name]}" if counts[name] else name)
        counts[name] += 1
    return anchors_


def sentences(page: str) -> Iterator[str]:
    """Yield the sentences of a page, without tables and tags; inline code counts as one word."""
    prose = re.sub(r"^\|.*$", "", _TAG.sub("", _prose(page)), flags=re.MULTILINE)
    words = re.sub(r"\[([^\]]*)\]\([^)]*\)", r"\1", _CODE.sub("code", prose))
    for paragraph in re.split(r"\n\s*\n|^(?:- |\d+\. |#+ )|\n(?=- |\d+\. )", words, flags=re.MULTILINE):
        yield from re.split(r"(?<=[.?!:])\s+", " ".join(paragraph.split()))
