"""Generated parts of pages match the source."""

from __future__ import annotations

import itertools
from pathlib import Path

import pytest
from handbook import parts

PAGES = parts.pages()


@pytest.mark.parametrize("page", PAGES, ids=lambda path: path.relative_to(parts.ROOT).as_posix())
def test_every_generated_part_is_up_to_date(page: Path) -> None:
    text = page.read_text(encoding="utf-8")

    assert parts.current(text) == text, "`python -m handbook` writes it"


def test_every_generated_part_is_on_exactly_one_page() -> None:
    named = itertools.chain.from_iterable(parts.names(page.read_text(encoding="utf-8")) for page in PAGES)

    assert sorted(named) == sorted(parts.PARTS)
