"""
The section of a CRD on a page: its YAML line by line, with missing points in words and objects that reach them.

Lines far from all counted points are folded. Folded and closed parts are rendered when they are opened, so that pages of many CRDs open at
once. Lines are in blocks that a browser lays out when they come into view.
"""

from __future__ import annotations

import itertools
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from functools import cached_property
from html import escape
from typing import Any, Final, TypeAlias

from pytest_crd import wording
from pytest_crd.coverage.reachingobjects import Suggestion, Suggestions
from pytest_crd.coverage.summary import Counted, VersionCoverage

# Returns the lines of an object in readable YAML.
Write: TypeAlias = Callable[[Any], Iterable[str]]
# The number and the text of a line of a CRD.
Line: TypeAlias = tuple[int, str]

_BLOCK: Final = 100
# Longer lists would take more time to open than the text.
_MOST_LISTED: Final = 500
_MOST_WORST: Final = 8
# The number of lines to show around a point, and the least number of lines to fold.
_NEAR: Final = 3
_LEAST_FOLDED: Final = 10


class ShownObjects:
    """
    The objects on a page that reach missing points.

    Attributes:
        remaining: The number of points for which objects are still made; making one for a rule takes some time.
    """

    def __init__(self, write: Write, most: int) -> None:
        """Create the objects with *write* as formatter, for at most *most* points."""
        self._write = write
        self.remaining = most

    def render(self, suggestions: Suggestions, counted: Counted) -> str:
        """Return the HTML of an object that reaches a point; empty if the limit is spent."""
        if self.remaining <= 0:
            return ""
        self.remaining -= 1
        suggestion = suggestions.suggest(counted.point)
        if suggestion is None:
            return '<p class="soft">No object was found for this point.</p>'
        return f"<pre>{escape(self._format(suggestion))}</pre>"

    def _format(self, suggestion: Suggestion) -> str:
        if suggestion.old is not None:
            where = " to its status" if suggestion.subresource else ""
            return f"# sent{where} over the object below\n{self._write_object(suggestion.sent)}\n---\n{self._write_object(suggestion.old)}"
        where = "# sent to its status\n" if suggestion.subresource else ""
        return f"{where}{self._write_object(suggestion.sent)}"

    def _write_object(self, resource: Any) -> str:
        return "\n".join(self._write(resource))


class CrdSection:
    """
    The section of a CRD.

    Attributes:
        name: The name of the CRD.
        versions: The coverage of its versions.
    """

    def __init__(self, versions: Sequence[VersionCoverage], objects: ShownObjects) -> None:
        """Create the section of a CRD with all *versions* in the same text."""
        self.name = versions[0].version.crd.name
        self.versions = versions
        self._objects = objects
        self._lines = versions[0].lines
        self._points: dict[int, list[tuple[VersionCoverage, Counted]]] = {}
        for version in versions:
            for counted in version.counted:
                self._points.setdefault(counted.line, []).append((version, counted))

    @cached_property
    def missing(self) -> list[int]:
        """The lines with missing points, in order."""
        return sorted({counted.line for version in self.versions for counted in version.missing})

    def lines(self, number: int, *, is_open: bool) -> Iterator[str]:
        """
        Yield the HTML of the section.

        Args:
            number: The number of the CRD on the page, from 1.
            is_open: Whether the section is open initially.
        """
        names = escape(", ".join(item.version.name for item in self.versions))
        missing = " ".join(map(str, self.missing))
        yield f'<details class="crd" id="crd-{number}" data-missing="{missing}"{" open" if is_open else ""}>'
        yield f'<summary><h2>{escape(self.name)} {names} <span class="soft">{escape(self._lines.file)}</span></h2></summary>'
        yield from self._worst_fields(number)
        yield from self._all_missing(number)
        yield '<div class="code">'
        suggestions = {item.version.name: Suggestions(item.version) for item in self.versions if item.missing}
        for is_far, lines in _parts(list(enumerate(self._lines.text, self._lines.before + 1)), self._is_near):
            if is_far:
                yield self._folded(lines)
            yield "<noscript>"
            for begin in range(0, len(lines), _BLOCK):
                yield from self._block(number, lines[begin : begin + _BLOCK], suggestions)
            yield "</noscript></details>" if is_far else "</noscript>"
        yield "</div></details>"

    def _is_near(self, line: int) -> bool:
        """Return True if a counted point is on a line or near it."""
        around = range(line - _NEAR, line + _NEAR + 1)
        return any(counted.is_counted for near in around for _, counted in self._points.get(near, ()))

    def _worst_fields(self, number: int) -> Iterator[str]:
        """Yield the HTML of the fields with the most missing points, the worst first."""
        by_field: dict[str, list[Counted]] = {}
        for version in self.versions:
            for counted in version.missing:
                by_field.setdefault(counted.point.path or "the object", []).append(counted)
        if by_field:
            yield '<noscript><p class="soft">Fields with the most missing points:</p><ul>'
            for path, missing in sorted(by_field.items(), key=lambda item: -len(item[1]))[:_MOST_WORST]:
                link = f'<a href="#c{number}-{missing[0].line}">{escape(path)}</a>'
                yield f"<li>{link}: {len(missing)} missing</li>"
            yield "</ul></noscript>"

    def _all_missing(self, number: int) -> Iterator[str]:
        for version in self.versions:
            reason = "" if version.requests else " No passing test has sent a request to it."
            if version.missing:
                yield '<details class="all-missing">'
                yield f"<summary>{escape(version.version.name)}: {len(version.missing)} missing.{reason}</summary>"
                yield "<noscript><ul>"
                for counted in version.missing[:_MOST_LISTED]:
                    yield f'<li><a href="#c{number}-{counted.line}">{counted.line}</a> {escape(counted.text)}</li>'
                if (more := len(version.missing) - _MOST_LISTED) > 0:
                    yield f"<li>{more} more</li>"
                yield "</ul></noscript></details>"

    def _folded(self, lines: Sequence[Line]) -> str:
        """Return the opening HTML of folded lines."""
        first, last = lines[0][0], lines[-1][0]
        count = sum(len(self._points.get(line, ())) for line, _ in lines)
        points = f"{wording.counted(count, 'point')} not counted" if count else "no points"
        opened = f'<details class="fold" data-first="{first}" data-last="{last}">'
        return f"{opened}<summary>lines {first} to {last}: {points}</summary>"

    def _block(self, number: int, lines: Sequence[Line], suggestions: Mapping[str, Suggestions]) -> Iterator[str]:
        yield '<div class="block">'
        # A counter must begin inside of a block, because the browser may skip the content of other blocks.
        begin = f' style="counter-reset:line {lines[0][0] - 1}"'
        for line, text in lines:
            points = self._points.get(line, [])
            state = _state([counted for _, counted in points])
            anchor = f' class="{state}" id="c{number}-{line}"' if state else ""  # for links
            yield f"<div{anchor}{begin}>{escape(text, quote=False)}</div>"
            begin = ""
            missing = [(version, item) for version, item in points if not item.is_covered and item.is_counted]
            if missing:
                yield from self._why(missing, suggestions)
        yield "</div>"

    def _why(
        self, missing: Sequence[tuple[VersionCoverage, Counted]], suggestions: Mapping[str, Suggestions]
    ) -> Iterator[str]:
        """Yield the HTML of the missing points of a line, with objects that reach them."""
        objects = [self._objects.render(suggestions[version.version.name], item) for version, item in missing]
        texts = [f"{self._version_prefix(version)}{escape(item.text)}" for version, item in missing]
        if len(missing) == 1 and not objects[0]:
            yield f'<p class="why">{texts[0]}</p>'
            return
        first = escape(missing[0][1].text)
        more = f" and {len(missing) - 1} more" if len(missing) > 1 else ""
        yield f'<details class="why"><summary>{first}{more}</summary><ul>'
        yield from (f"<li>{text}{html}</li>" for text, html in zip(texts, objects, strict=True))
        yield "</ul></details>"

    def _version_prefix(self, version: VersionCoverage) -> str:
        return f"{escape(version.version.name)}: " if len(self.versions) > 1 else ""


def _parts(lines: Sequence[Line], is_near: Callable[[int], bool]) -> Iterator[tuple[bool, list[Line]]]:
    """Yield the lines in runs, each with whether it is to be folded."""
    far: dict[int, bool] = {}
    for near, run in itertools.groupby(lines, key=lambda line: is_near(line[0])):
        numbers = [line for line, _ in run]
        far |= dict.fromkeys(numbers, not near and len(numbers) >= _LEAST_FOLDED)
    for is_far, part in itertools.groupby(lines, key=lambda line: far[line[0]]):
        yield is_far, list(part)


def _state(points: Sequence[Counted]) -> str:
    """Return the colour class of a line with *points*; empty for no points."""
    counting = [point for point in points if point.is_counted]
    if not counting:
        return "out" if points else ""
    covered = [point.is_covered for point in counting]
    if any(covered):
        return "all" if all(covered) else "some"
    return "seen" if any(point.state == "seen" for point in counting) else "none"
