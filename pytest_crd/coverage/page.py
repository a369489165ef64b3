"""
The HTML page: a table of the CRDs, and the YAML of each CRD, coloured by line; as one file, or as a folder with one file for each CRD.

Pages are self-contained, follow the light or dark mode of the system, and are readable without JavaScript.
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

# The section of a page in a folder, and the name of its file.
Page: TypeAlias = tuple[CrdSection, str]

MOST_OBJECTS: Final = 1000
"""The number of missing points for which objects are made; making one for a rule takes some time."""
INDEX: Final = "index.html"
"""The index file of a folder."""
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
        summary: The coverage summary.
        write: The formatter of objects.
        most: The number of points for which objects are made.
    """
    objects = ShownObjects(write, most)
    sections = _sections(summary, objects)
    links = [f"#crd-{number}" for number in range(1, len(sections) + 1)]
    lines = [*_overview(summary, sections, links), *_LEGEND]
    for number, section in enumerate(sections, 1):
        lines += section.lines(number, is_open=len(sections) == 1)
    return _document(_title(summary.tally), [*lines, *_limit_notice(objects)])


def render_folder(summary: Summary, write: Write, *, most: int = MOST_OBJECTS) -> Iterator[tuple[str, str]]:
    """
    Yield the name and the text of each file of a folder: one for each CRD, then the index with links.

    Args:
        summary: The coverage summary.
        write: The formatter of objects.
        most: The number of points for which objects are made, on all pages together.
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
            *_limit_notice(objects),
        )
        yield name, _document(f"{section.name}: {own.tally.percent_text}", body)
    body = (*_overview(summary, sections, names), *_neighbours([], pages), *_LEGEND)
    yield INDEX, _document(_title(summary.tally), body)


def _document(title: str, lines: Iterable[str]) -> str:
    """Return an HTML page with *lines* as body."""
    head = (
        '<!doctype html>\n<html lang="en">\n<head>\n<meta charset="utf-8">',
        '<meta name="viewport" content="width=device-width,initial-scale=1">',
        f"<title>{escape(title)}</title>\n<style>{STYLE}</style>\n</head>\n<body>",
    )
    return "\n".join((*head, *lines, f"<script>{SCRIPT}</script>\n</body>\n</html>\n"))


def _title(tally: Tally) -> str:
    return f"Coverage of CRDs: {tally.percent_text}"


def _sections(summary: Summary, objects: ShownObjects) -> list[CrdSection]:
    """Return a section for each CRD, with all versions that are in the same text."""
    grouped = itertools.groupby(summary.versions, key=lambda version: id(version.lines))
    return [CrdSection(list(versions), objects) for _, versions in grouped]


def _file_names(crds: Iterable[str]) -> list[str]:
    """Return a file name for each CRD; the names are unique also on case-insensitive file systems."""
    used = {INDEX}
    names: list[str] = []
    for crd in crds:
        plain = re.sub(r"[^A-Za-z0-9.-]", "_", crd)[:_LONGEST_NAME]
        variants = (f"{plain}{f'-{number}' if number > 1 else ''}.html" for number in itertools.count(1))
        names.append(next(name for name in variants if name.lower() not in used))
        used.add(names[-1].lower())
    return names


def _neighbours(before: Sequence[Page], behind: Sequence[Page]) -> Iterator[str]:
    """Yield links to the nearest pages with missing points, for the keys `n` and `p`."""
    for relation, words, pages in (("prev", "Misses before", before[::-1]), ("next", "Misses behind", behind)):
        neighbour = next(((section.name, name) for section, name in pages if section.missing), None)
        if neighbour is not None:
            yield f'<p>{words}: <a rel="{relation}" href="{neighbour[1]}">{escape(neighbour[0])}</a></p>'


def _overview(summary: Summary, sections: Sequence[CrdSection], links: Sequence[str]) -> Iterator[str]:
    """Yield a table of the versions with links to their CRDs, and the problems."""
    yield f"<h1>{_title(summary.tally)}</h1>"
    yield "<table><thead><tr><th>Name</th><th>Points</th><th>Held</th><th>Seen</th><th>Miss</th><th>Left out</th><th>Cover</th></tr></thead><tbody>"
    for section, link in zip(sections, links, strict=True):
        for version in section.versions:
            yield _row(f'<a href="{link}">{escape(version.name)}</a>', version.tally)
    yield f"</tbody><tfoot>{_row('Total', summary.tally)}</tfoot></table>"
    yield from (f"<p>{escape(problem)}</p>" for problem in summary.problems)


def _row(name: str, tally: Tally) -> str:
    cells = (tally.points, tally.held, tally.seen, tally.missed, tally.left_out, tally.percent_text)
    return f"<tr><td>{name}</td>{''.join(f'<td>{cell}</td>' for cell in cells)}</tr>"


def _limit_notice(objects: ShownObjects) -> Iterator[str]:
    if objects.remaining <= 0:
        yield '<p class="soft">Objects were made for the first points that are missing; for those behind them, run again.</p>'
