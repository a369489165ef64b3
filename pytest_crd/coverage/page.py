"""
The page: the YAML of each CRD, coloured by line, with what is missing in words and an object that reaches it.

It is one file without scripts, light or dark as the reader's system is. Lines stand in blocks that a browser lays out when they come
into sight, so that a CRD of many thousand lines opens at once.
"""

from __future__ import annotations

import itertools
from collections.abc import Callable, Iterable, Iterator, Sequence
from html import escape
from typing import Any, Final, TypeAlias

from pytest_crd.coverage.suggestions import Suggestion, Suggestions
from pytest_crd.coverage.summary import Counted, Summary, Tally, VersionCoverage

# Gives the lines of an object as a person writes it.
Write: TypeAlias = Callable[[Any], Iterable[str]]

MOST_OBJECTS: Final = 1000
"""For how many points an object is made: for those of rules, that takes some time."""
_BLOCK: Final = 100
# A list of many thousand takes longer to open than the text.
_MOST_LISTED: Final = 500
_STATES: Final = {
    "all": "every point of the line is covered",
    "some": "some of its points are",
    "seen": "none of them is, but some are seen: no case states what follows",
    "none": "none of them is even seen",
    "out": "left out",
}
_STYLE: Final = """
:root{color-scheme:light dark;--text:#1f2328;--back:#fff;--soft:#656d76;--edge:#d1d9e0;--all:#dafbe1;--some:#fff3c4;--seen:#dbe9ff;--none:#ffdcd7;--out:#eaeef2}
@media(prefers-color-scheme:dark){:root{--text:#e6edf3;--back:#0d1117;--soft:#8d96a0;--edge:#30363d;--all:#12361f;--some:#3d3005;--seen:#14294a;--none:#4b1113;--out:#262c36}}
*{box-sizing:border-box}
body{margin:0 auto;max-width:90rem;padding:1rem 1.5rem 4rem;background:var(--back);color:var(--text);font:15px/1.5 system-ui,sans-serif}
h1{font-size:1.5rem}h2{font-size:1.15rem;margin-top:2.5rem;overflow-wrap:anywhere}a{color:inherit}
table{border-collapse:collapse}td,th{padding:.25rem .9rem .25rem 0;text-align:right;border-bottom:1px solid var(--edge)}
td:first-child,th:first-child{text-align:left;overflow-wrap:anywhere}
.key span{padding:.1rem .5rem;margin-right:.8rem;border-radius:3px}
.code,pre{font:13px/1.45 ui-monospace,SFMono-Regular,Menlo,Consolas,monospace}
.code{border:1px solid var(--edge);border-radius:6px;overflow-x:auto}
.block{content-visibility:auto;contain-intrinsic-size:auto 1900px}
.line{display:flex;white-space:pre;min-height:1.45em}
.line::before{content:attr(data-n);flex:none;width:5em;padding-right:1em;text-align:right;color:var(--soft)}
.all{background:var(--all)}.some{background:var(--some)}.seen{background:var(--seen)}.none{background:var(--none)}.out{background:var(--out)}
.line:target{outline:2px solid var(--soft);outline-offset:-2px}
.why{margin-left:5em;padding:.1rem .8rem .3rem;border-left:3px solid var(--edge);white-space:normal;font-family:system-ui,sans-serif}
.why summary,.all-missing summary{cursor:pointer;color:var(--soft)}
.why ul,.all-missing ul{margin:.3rem 0;padding-left:1.3rem}.why p{margin:.3rem 0}
pre{margin:.3rem 0 .6rem;padding:.5rem .8rem;border:1px solid var(--edge);border-radius:6px;overflow-x:auto;background:var(--back)}
.all-missing{margin:.6rem 0}.soft{color:var(--soft)}
"""


def render(summary: Summary, write: Write, *, most: int = MOST_OBJECTS) -> str:
    """
    Return the page.

    Args:
        summary: What was reached.
        write: Writes an object.
        most: For how many points an object is made.
    """
    return "\n".join(_Page(summary, write, most).lines()) + "\n"


class _Page:
    """Writes one page."""

    def __init__(self, summary: Summary, write: Write, most: int) -> None:
        self._summary = summary
        self._write = write
        self._left = most
        # Versions that stand in one text, which is shown once.
        grouped = itertools.groupby(summary.versions, key=lambda one: id(one.lines))
        self._crds = [list(versions) for _, versions in grouped]

    def lines(self) -> Iterator[str]:
        yield '<!doctype html>\n<html lang="en">\n<head>\n<meta charset="utf-8">'
        yield '<meta name="viewport" content="width=device-width,initial-scale=1">'
        yield f"<title>Coverage of CRDs: {self._summary.tally.shown}</title>\n<style>{_STYLE}</style>\n</head>\n<body>"
        yield from self._overview()
        for number, versions in enumerate(self._crds, 1):
            yield from self._crd(number, versions)
        if self._left <= 0:
            yield '<p class="soft">Objects were made for the first points that are missing; for those behind them, run again.</p>'
        yield "</body>\n</html>"

    def _overview(self) -> Iterator[str]:
        tally = self._summary.tally
        yield f"<h1>Coverage of CRDs: {tally.shown}</h1>"
        yield "<table><thead><tr><th>Name</th><th>Points</th><th>Held</th><th>Seen</th><th>Miss</th><th>Left out</th><th>Cover</th></tr></thead><tbody>"
        for number, versions in enumerate(self._crds, 1):
            for one in versions:
                yield _row(f'<a href="#crd-{number}">{escape(one.name)}</a>', one.tally)
        yield f"</tbody><tfoot>{_row('Total', tally)}</tfoot></table>"
        yield from (f"<p>{escape(problem)}</p>" for problem in self._summary.problems)
        keys = "".join(f'<span class="{state}">{words}</span>' for state, words in _STATES.items())
        yield f'<p class="key">{keys}</p>'

    def _crd(self, number: int, versions: Sequence[VersionCoverage]) -> Iterator[str]:
        lines = versions[0].lines
        names = ", ".join(one.version.name for one in versions)
        yield f'<h2 id="crd-{number}">{escape(versions[0].version.crd.name)} {escape(names)} <span class="soft">{escape(lines.file)}</span></h2>'
        yield from self._all_missing(number, versions)
        at_line: dict[int, list[tuple[VersionCoverage, Counted]]] = {}
        for version in versions:
            for counted in version.counted:
                at_line.setdefault(counted.line, []).append((version, counted))
        suggestions = {one.version.name: Suggestions(one.version) for one in versions if one.missing}
        yield '<div class="code">'
        numbered = list(enumerate(lines.text, lines.before + 1))
        for begin in range(0, len(numbered), _BLOCK):
            yield '<div class="block">'
            for line, text in numbered[begin : begin + _BLOCK]:
                points = at_line.get(line, [])
                yield _line(number, line, text, _state([counted for _, counted in points]))
                yield from self._why(points, suggestions, has_several=len(versions) > 1)
            yield "</div>"
        yield "</div>"

    def _all_missing(self, number: int, versions: Sequence[VersionCoverage]) -> Iterator[str]:
        for version in versions:
            asked = "" if version.requests else " No test that passed has made a request to it."
            if version.missing:
                yield '<details class="all-missing">'
                yield f"<summary>{escape(version.version.name)}: {len(version.missing)} missing.{asked}</summary><ul>"
                for one in version.missing[:_MOST_LISTED]:
                    yield f'<li><a href="#c{number}-{one.line}">{one.line}</a> {escape(one.text)}</li>'
                if (more := len(version.missing) - _MOST_LISTED) > 0:
                    yield f"<li>{more} more</li>"
                yield "</ul></details>"

    def _why(
        self,
        points: Sequence[tuple[VersionCoverage, Counted]],
        suggestions: dict[str, Suggestions],
        *,
        has_several: bool,
    ) -> Iterator[str]:
        """Yield what is missing at a line, and what reaches it."""
        missing = [(version, one) for version, one in points if not one.is_covered and not one.is_left_out]
        if not missing:
            return
        first = escape(missing[0][1].text)
        more = f" and {len(missing) - 1} more" if len(missing) > 1 else ""
        yield f'<details class="why"><summary>{first}{more}</summary><ul>'
        for version, one in missing:
            of_version = f"{escape(version.version.name)}: " if has_several else ""
            shown = self._object(suggestions[version.version.name], one)
            yield f"<li>{of_version}{escape(one.text)}{shown}</li>"
        yield "</ul></details>"

    def _object(self, suggestions: Suggestions, counted: Counted) -> str:
        if self._left <= 0:
            return ""
        self._left -= 1
        found = suggestions.find(counted.point)
        if found is None:
            return '<p class="soft">No object was found that reaches it.</p>'
        return f"<pre>{escape(self._text(found))}</pre>"

    def _text(self, found: Suggestion) -> str:
        if found.old is not None:
            where = " to its status" if found.subresource else ""
            return f"# sent{where} over the object below\n{self._written(found.sent)}\n---\n{self._written(found.old)}"
        where = "# sent to its status\n" if found.subresource else ""
        return f"{where}{self._written(found.sent)}"

    def _written(self, resource: Any) -> str:
        return "\n".join(self._write(resource))


def _row(name: str, tally: Tally) -> str:
    cells = (tally.points, tally.held, tally.seen, tally.missed, tally.left_out, tally.shown)
    return f"<tr><td>{name}</td>{''.join(f'<td>{cell}</td>' for cell in cells)}</tr>"


def _state(points: Sequence[Counted]) -> str:
    """Return how a line with *points* is coloured; empty without any."""
    counting = [one for one in points if not one.is_left_out]
    if not counting:
        return "out" if points else ""
    covered = [one.is_covered for one in counting]
    if any(covered):
        return "all" if all(covered) else "some"
    return "seen" if any(one.state == "seen" for one in counting) else "none"


def _line(number: int, line: int, text: str, state: str) -> str:
    """Return a line of the CRD, which can be linked to where it has points."""
    anchor = f' id="c{number}-{line}"' if state else ""
    colour = f" {state}" if state else ""
    return f'<div class="line{colour}"{anchor} data-n="{line}">{escape(text)}</div>'
