"""Links inside the project, and the pages of the site."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from handbook import markdown, parts

PAGES = parts.pages()
# The anchors that choose a picture for a light or dark page.
_THEME_ANCHORS = (".svg#gh-light-mode-only", ".svg#gh-dark-mode-only")


@pytest.mark.parametrize("page", PAGES, ids=lambda path: path.relative_to(parts.ROOT).as_posix())
def test_every_link_leads_somewhere(page: Path) -> None:
    wrong = [link for link in markdown.links(page.read_text(encoding="utf-8")) if not _leads_somewhere(page, link)]

    assert wrong == []


def _leads_somewhere(page: Path, link: str) -> bool:
    if re.match(r"https?://", link):
        return True
    name, _, anchor = link.partition("#")
    target = (page.parent / name) if name else page
    if not target.exists() or not anchor or link.endswith(_THEME_ANCHORS):
        return target.exists()
    return anchor in markdown.anchors(target.read_text(encoding="utf-8"))


def test_the_site_has_every_page() -> None:
    listed = re.findall(r"([\w/-]+\.md)$", (parts.ROOT / "mkdocs.yml").read_text(encoding="utf-8"), re.MULTILINE)

    assert sorted(listed) == sorted(path.relative_to(parts.DOCS).as_posix() for path in parts.DOCS.rglob("*.md"))


def test_the_first_page_leads_to_every_other() -> None:
    first = parts.DOCS / "README.md"
    links = {link.partition("#")[0] for link in markdown.links(first.read_text(encoding="utf-8"))}
    linked = {(first.parent / link).resolve() for link in links if link.endswith(".md")}

    assert linked == {*parts.DOCS.rglob("*.md")} - {first}


def test_anchors_match_those_of_code_hosts() -> None:
    page = "# A `b`: c, d\n\n## Two\n```yaml\n# none\n```\n## Two\n### [x](y.md) z…\n"

    assert markdown.anchors(page) == {"a-b-c-d", "two", "two-1", "x-z"}


def test_a_section_ends_with_the_next_of_its_level() -> None:
    page = "# T\n## A\none\n```sh\n# no heading\n```\n### A1\ntwo\n## B\nthree\n"

    assert markdown.section(page, "A").strip() == "one\n```sh\n# no heading\n```\n### A1\ntwo"
    assert markdown.section(page, "B").strip() == "three"
    with pytest.raises(LookupError, match="no heading 'C'"):
        markdown.section(page, "C")
