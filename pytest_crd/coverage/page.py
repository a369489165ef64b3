"""
The page: a table of the CRDs, and the YAML of each, coloured by line; as one file, or as a folder with a file for each CRD.

Pages need nothing but themselves, are light or dark as the reader's system is, and can be read without JavaScript.
"""

from __future__ import annotations

import itertools
import re
from collections.abc import Iterable, Iterator, Sequence
from html import escape
from typing import Final, TypeAlias

from pytest_crd.coverage.crdsection import CrdSection, ShownObjects, Write
from pytest_crd.coverage.pageparts import SCRIPT, STYLE
from pytest_crd.coverage.summary import Summary, Tally

# What a page of a folder is about, and its file.
Page: TypeAlias = tuple[CrdSection, str]

MOST_OBJECTS: Final = 1000
"""For how many points an object is made: for those of rules, that takes some time."""
INDEX: Final = "index.html"
"""The file of a folder that names the others."""
_STATES: Final = {
    "all": "every point of the line is covered",
    "some": "some of its points are",
    "seen": "none of them is, but some are seen: no case states what follows",
    "none": "none of them is even seen",
    "out": "left out",
}
_LEGEND: Final = (
    f'<p class="key">{"".join(f"<span class={state!r}>{words}</span>" for state, words in _STATES.items())}</p>',
    '<p id="keys" hidden>Keys: <kbd>n</kbd> goes to the next line that misses something, <kbd>p</kbd> to the one before.</p>',
    '<noscript><p class="soft">Without JavaScript, no keys lead from miss to miss.</p></noscript>',
)
_LONGEST_NAME: Final = 200


def render(summary: Summary, write: Write, *, most: int = MOST_OBJECTS) -> str:
    """
    Return the page of all CRDs.

    Args:
        summary: What was reached.
        write: Writes an object.
        most: For how many points an object is made.
    """
    objects = ShownObjects(write, most)
    sections = _sections(summary, objects)
    links = [f"#crd-{number}" for number in range(1, len(sections) + 1)]
    lines = [*_overview(summary, sections, links), *_LEGEND]
    for number, section in enumerate(sections, 1):
        lines += section.lines(number, is_open=len(sections) == 1)
    return _document(_title(summary.tally), [*lines, *_told_of(objects)])


def render_folder(summary: Summary, write: Write, *, most: int = MOST_OBJECTS) -> Iterator[tuple[str, str]]:
    """
    Yield the name and the text of each file of a folder: one for each CRD, then the index, which links to them.

    Args:
        summary: What was reached.
        write: Writes an object.
        most: For how many points an object is made, on all pages together.
    """
    objects = ShownObjects(write, most)
    sections = _sections(summary, objects)
    names = _file_names([section.name for section in sections])
    pages = list(zip(sections, names, strict=True))
    for index, (section, name) in enumerate(pages):
        own = Summary(tuple(section.versions))
        body = (
            f'<p><a href="{INDEX}">All CRDs</a></p>',
            *_overview(own, [section], ["#crd-1"]),
            *_neighbours(pages[:index], pages[index + 1 :]),
            *_LEGEND,
            *section.lines(1, is_open=True),
            *_told_of(objects),
        )
        yield name, _document(f"{section.name}: {own.tally.shown}", body)
    body = (*_overview(summary, sections, names), *_neighbours([], pages), *_LEGEND)
    yield INDEX, _document(_title(summary.tally), body)


def _document(title: str, lines: Iterable[str]) -> str:
    """Return a page with these lines in its body."""
    head = (
        '<!doctype html>\n<html lang="en">\n<head>\n<meta charset="utf-8">',
        '<meta name="viewport" content="width=device-width,initial-scale=1">',
        f"<title>{escape(title)}</title>\n<style>{STYLE}</style>\n</head>\n<body>",
    )
    return "\n".join((*head, *lines, f"<script>{SCRIPT}</script>\n</body>\n</html>\n"))


def _title(tally: Tally) -> str:
    return f"Coverage of CRDs: {tally.shown}"


def _sections(summary: Summary, objects: ShownObjects) -> list[CrdSection]:
    """Return a section for each CRD; versions that stand in one text are in one."""
    grouped = itertools.groupby(summary.versions, key=lambda one: id(one.lines))
    return [CrdSection(list(versions), objects) for _, versions in grouped]


def _file_names(crds: Iterable[str]) -> list[str]:
    """Return the name of a file for each CRD, no two alike where capital letters do not count."""
    used = {INDEX}
    names: list[str] = []
    for crd in crds:
        plain = re.sub(r"[^A-Za-z0-9.-]", "_", crd)[:_LONGEST_NAME]
        variants = (f"{plain}{f'-{number}' if number > 1 else ''}.html" for number in itertools.count(1))
        names.append(next(name for name in variants if name.lower() not in used))
        used.add(names[-1].lower())
    return names


def _neighbours(before: Sequence[Page], behind: Sequence[Page]) -> Iterator[str]:
    """Yield links to the nearest pages that miss something, where the keys go on."""
    for relation, words, pages in (("prev", "Misses before", before[::-1]), ("next", "Misses behind", behind)):
        found = next(((section.name, name) for section, name in pages if section.missing), None)
        if found is not None:
            yield f'<p>{words}: <a rel="{relation}" href="{found[1]}">{escape(found[0])}</a></p>'


def _overview(summary: Summary, sections: Sequence[CrdSection], links: Sequence[str]) -> Iterator[str]:
    """Yield a table of the versions, each with the link of its CRD, and what is wrong."""
    yield f"<h1>{_title(summary.tally)}</h1>"
    yield "<table><thead><tr><th>Name</th><th>Points</th><th>Held</th><th>Seen</th><th>Miss</th><th>Left out</th><th>Cover</th></tr></thead><tbody>"
    for section, link in zip(sections, links, strict=True):
        for one in section.versions:
            yield _row(f'<a href="{link}">{escape(one.name)}</a>', one.tally)
    yield f"</tbody><tfoot>{_row('Total', summary.tally)}</tfoot></table>"
    yield from (f"<p>{escape(problem)}</p>" for problem in summary.problems)


def _row(name: str, tally: Tally) -> str:
    cells = (tally.points, tally.held, tally.seen, tally.missed, tally.left_out, tally.shown)
    return f"<tr><td>{name}</td>{''.join(f'<td>{cell}</td>' for cell in cells)}</tr>"


def _told_of(objects: ShownObjects) -> Iterator[str]:
    if objects.left <= 0:
        yield '<p class="soft">Objects were made for the first points that are missing; for those behind them, run again.</p>'
