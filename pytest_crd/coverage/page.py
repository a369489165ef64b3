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
from pytest_crd.coverage.summary import Summary, Tally

# The section of a page in a folder, and the name of its file.
Page: TypeAlias = tuple[CrdSection, str]

MOST_OBJECTS: Final = 1000
"""The number of missing points for which objects are made; making one for a rule takes some time."""
INDEX: Final = "index.html"
"""The index file of a folder."""
_STATES: Final = {
    "all": "all points of the line are held",
    "some": "some points are held",
    "seen": "no point is held, but some are seen",
    "none": "no point is seen",
    "out": "excluded",
}
_LEGEND: Final = (
    f'<p class="key">{"".join(f"<span class={state!r}>{words}</span>" for state, words in _STATES.items())}</p>',
    '<p id="keys" hidden>Keys: <kbd>n</kbd> goes to the next line with missing points, <kbd>p</kbd> to the previous one.</p>',
    '<noscript><p class="soft">The keys need JavaScript.</p></noscript>',
)
_LONGEST_NAME: Final = 200
# The columns of the overview: their headings, and the attributes of a Tally in them.
_COLUMNS: Final = {
    "Points": "points",
    "Held": "held",
    "Seen": "seen",
    "Miss": "missed",
    "Left out": "left_out",
    "Kubernetes": "kubernetes_text",
    "Cover": "percent_text",
}
# Parts that are not needed at first are in `<noscript>` inside of their `<details>`: a browser with scripts treats them as
# text and creates no elements before they are opened, which the script does; a browser without scripts shows them.
STYLE: Final = """
:root{color-scheme:light dark;--text:#1f2328;--back:#fff;--soft:#656d76;--edge:#d1d9e0;--all:#dafbe1;--some:#fff3c4;--seen:#dbe9ff;--none:#ffdcd7;--out:#eaeef2}
@media(prefers-color-scheme:dark){:root{--text:#e6edf3;--back:#0d1117;--soft:#8d96a0;--edge:#30363d;--all:#12361f;--some:#3d3005;--seen:#14294a;--none:#4b1113;--out:#262c36}}
*{box-sizing:border-box}
body{margin:0 auto;max-width:90rem;padding:1rem 1.5rem 4rem;background:var(--back);color:var(--text);font:15px/1.5 system-ui,sans-serif}
h1{font-size:1.5rem}h2{display:inline;font-size:1.15rem;overflow-wrap:anywhere}a{color:inherit}
table{border-collapse:collapse}td,th{padding:.25rem .9rem .25rem 0;text-align:right;border-bottom:1px solid var(--edge)}
td:first-child,th:first-child{text-align:left;overflow-wrap:anywhere}
.key span{padding:.1rem .5rem;margin-right:.8rem;border-radius:3px}
.code,pre{font:13px/1.45 ui-monospace,SFMono-Regular,Menlo,Consolas,monospace}
.code{border:1px solid var(--edge);border-radius:6px;overflow-x:auto}
.block{content-visibility:auto;contain-intrinsic-size:auto 1900px}
.block>div{display:flex;white-space:pre;min-height:1.45em;counter-increment:line}
.block>div::before{content:counter(line);flex:none;width:5em;padding-right:1em;text-align:right;color:var(--soft)}
.all{background:var(--all)}.some{background:var(--some)}.seen{background:var(--seen)}.none{background:var(--none)}.out{background:var(--out)}
.block>div[id]{scroll-margin:40vh 0}.block>div:target{outline:2px solid var(--soft);outline-offset:-2px}
.why{margin:0 0 0 5em;padding:.1rem .8rem .3rem;border-left:3px solid var(--edge);white-space:normal;font-family:system-ui,sans-serif;color:var(--soft)}
.why li{color:var(--text)}.why summary,.all-missing summary{cursor:pointer;color:var(--soft)}
.why ul,.all-missing ul{margin:.3rem 0;padding-left:1.3rem}.why p{margin:.3rem 0}
pre{margin:.3rem 0 .6rem;padding:.5rem .8rem;border:1px solid var(--edge);border-radius:6px;overflow-x:auto;background:var(--back)}
.crd{margin-top:1.5rem}.crd>summary{cursor:pointer}.all-missing{margin:.6rem 0}
.fold>summary{padding-left:5em;cursor:pointer;color:var(--soft);background:var(--out);font-family:system-ui,sans-serif}
kbd{padding:0 .35rem;border:1px solid var(--edge);border-radius:3px}.soft{color:var(--soft)}
"""
SCRIPT: Final = """
(() => {
  const crds = [...document.querySelectorAll("details.crd")];
  const misses = crds.flatMap(crd => crd.dataset.missing.split(" ").filter(Boolean).map(line => `#c${crd.id.slice(4)}-${line}`));
  const draw = around => {
    for (const later of around.querySelectorAll("noscript"))
      if (later.closest("details") === around) later.outerHTML = later.textContent;
  };
  const open = around => {
    draw(around);
    around.open = true;
  };
  const prepare = hash => {
    const [, number, line] = /^#c(?:rd-)?(\\d+)(?:-(\\d+))?$/.exec(hash) || [];
    const crd = number && document.getElementById(`crd-${number}`);
    if (!crd) return null;
    open(crd);
    for (const fold of line ? crd.querySelectorAll(".fold") : [])
      if (+fold.dataset.first <= +line && +line <= +fold.dataset.last) open(fold);
    return document.getElementById(hash.slice(1));
  };
  const go = step => {
    const here = location.hash, known = misses.indexOf(here);
    const first = Math.max(0, misses.findIndex(miss => miss.startsWith(`${here.replace("rd-", "")}-`)));
    const next = misses[known >= 0 ? known + step : step > 0 ? first : misses.length - 1];
    const other = document.querySelector(step > 0 ? "a[rel=next]" : "a[rel=prev]");
    if (next) {
      prepare(next);
      location.replace(next);
    } else if (other) location.href = other.href + (step > 0 ? "#first" : "#last");
  };
  const arrive = () => {
    if (location.hash === "#first") go(1);
    else if (location.hash === "#last") go(-1);
    else prepare(location.hash)?.scrollIntoView();
  };
  crds.filter(crd => crd.open).forEach(draw);
  document.addEventListener("toggle", event => event.target.open && draw(event.target), true);
  document.addEventListener("click", event => prepare(event.target.closest("a[href^='#']")?.hash || ""));
  document.addEventListener("keydown", event => {
    if (event.ctrlKey || event.altKey || event.metaKey) return;
    if (event.key === "n") go(1);
    if (event.key === "p") go(-1);
  });
  addEventListener("hashchange", arrive);
  document.getElementById("keys").hidden = false;
  arrive();
})();
"""


def render(summary: Summary, write: Write, *, most: int = MOST_OBJECTS) -> str:
    """
    Return the page of all CRDs.

    Args:
        summary: The coverage summary.
        write: The formatter of objects.
        most: The maximal number of missing points for which an object is shown.
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
        most: The maximal number of missing points for which an object is shown, on all pages together.
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
    """Return a section for each CRD, with all its versions."""
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
    heads = "".join(f"<th>{head}</th>" for head in ("Name", *_COLUMNS))
    yield f"<table><thead><tr>{heads}</tr></thead><tbody>"
    for section, link in zip(sections, links, strict=True):
        for version in section.versions:
            yield _row(f'<a href="{link}">{escape(version.name)}</a>', version.tally)
    yield f"</tbody><tfoot>{_row('Total', summary.tally)}</tfoot></table>"
    yield from (f"<p>{escape(problem)}</p>" for problem in summary.problems)


def _row(name: str, tally: Tally) -> str:
    cells = "".join(f"<td>{getattr(tally, attribute)}</td>" for attribute in _COLUMNS.values())
    return f"<tr><td>{name}</td>{cells}</tr>"


def _limit_notice(objects: ShownObjects) -> Iterator[str]:
    if objects.remaining <= 0:
        yield '<p class="soft">The page has objects for the first missing points. Cover these and run again for more.</p>'
