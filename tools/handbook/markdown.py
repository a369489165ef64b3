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


class Sentence(NamedTuple):
    """
    A sentence of a page.

    Attributes:
        line: The number of its first line.
        words: The text with `code` in the place of inline code.
        text: The text with its inline code.
    """

    line: int
    words: str
    text: str


def sentences(page: str) -> Iterator[Sentence]:
    """Yield the sentences of a page, without tables and tags; inline code counts as one word."""
    codes: list[str] = []

    def number(match: re.Match[str]) -> str:
        codes.append(match[0])
        return f"\x00{len(codes) - 1}\x00"

    prose = _BLOCK.sub(_without_text, page)
    prose = re.sub(r"^\|.*$", "", _TAG.sub(_without_text, prose), flags=re.MULTILINE)
    text = re.sub(r"\[([^\]]*)\]\([^)]*\)", r"\1", _CODE.sub(number, prose))
    end = 0
    for paragraph in re.split(r"\n\s*\n|^(?:- |\d+\. |#+ )|\n(?=- |\d+\. )", text, flags=re.MULTILINE):
        end = text.index(paragraph, end)
        starts = [end + match.start() for match in re.finditer(r"\S+", paragraph)]
        end += len(paragraph)
        for sentence in re.split(r"(?<=[.?!:])\s+", " ".join(paragraph.split())) if starts else ():
            line = text.count("\n", 0, starts[0]) + 1
            del starts[: len(sentence.split())]
            original = re.sub("\x00(\\d+)\x00", lambda match: codes[int(match[1])], sentence)
            yield Sentence(line, re.sub("\x00\\d+\x00", "code", sentence), original)


def _without_text(match: re.Match[str]) -> str:
    """Return the line breaks of a match."""
    return "\n" * match[0].count("\n")
