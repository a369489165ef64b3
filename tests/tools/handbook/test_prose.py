"""Pages are in plain English: short sentences, common words."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Final

import pytest
from handbook import markdown, parts

# Generated parts use the words of the source.
PAGES: Final = [parts.ROOT / "README.md", parts.ROOT / "CONTRIBUTING.md", *sorted(parts.DOCS.rglob("*.md"))]
LONGEST: Final = 25
RARE: Final = re.compile(
    r"\b(whilst|lest|thereof|therein|whichever|whoever|whom|upon|shall|thus|hence|albeit|amongst|heretofore|aforementioned|utili[sz]e)\b",
    re.IGNORECASE,
)


@pytest.mark.parametrize("page", PAGES, ids=lambda path: path.relative_to(parts.ROOT).as_posix())
def test_sentences_are_short_and_words_common(page: Path) -> None:
    sentences = [*markdown.sentences(parts.without(page.read_text(encoding="utf-8")))]

    assert [sentence for sentence in sentences if len(sentence.split()) > LONGEST] == []
    assert [sentence for sentence in sentences if RARE.search(sentence)] == []
