"""
What a page says of a CRD: its YAML line by line, with what is missing in words and an object that reaches it.

Lines that are far from all points that count are folded. What is folded or closed is drawn when it is opened, so that a page of many CRDs
opens at once. Lines stand in blocks that a browser lays out when they come into sight.
"""

from __future__ import annotations

import itertools
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from functools import cached_property
from html import escape
from typing import Any, Final, TypeAlias

from pytest_crd.coverage.reachingobjects import Suggestion, Suggestions
from pytest_crd.coverage.summary import Counted, VersionCoverage

# Gives the lines of an object as a person writes it.
Write: TypeAlias = Callable[[Any], Iterable[str]]
# A line of a CRD's text, with its number.
Line: TypeAlias = tuple[int, str]

_BLOCK: Final = 100
# A list of many thousand takes longer to open than the text.
_MOST_LISTED: Final = 500
# How many lines around a point are shown, and how many lines behind each other without any are worth a fold.
_NEAR: Final = 3
_LEAST_FOLDED: Final = 10


class ShownObjects:
    """
    Objects that reach points, as a page shows them.

    Attributes:
        left: For how many points one is still made: for those of rules, that takes some time.
    """

    def __init__(self, write: Write, most: int) -> None:
        """Take what writes an object, and for how many points one is made."""
        self._write = write
        self.left = most

    def shown(self, suggestions: Suggestions, counted: Counted) -> str:
        """Return an object that reaches a point; empty where no more are made."""
        if self.left <= 0:
            return ""
        self.left -= 1
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


class CrdSection:
    """
    Writes what is said of a CRD.

    Attributes:
        name: The name of the CRD.
        versions: What was reached of each of its versions.
    """

    def __init__(self, versions: Sequence[VersionCoverage], objects: ShownObjects) -> None:
        """Take what was reached of each version, which all stand in one text, and the objects."""
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
        """The lines with a point that is not covered and should be."""
        return sorted({one.line for version in self.versions for one in version.missing})

    def lines(self, number: int, *, is_open: bool) -> Iterator[str]:
        """
        Yield the HTML.

        Args:
            number: Which CRD of the page it is, from 1 on.
            is_open: Whether it is drawn from the start.
        """
        names = escape(", ".join(one.version.name for one in self.versions))
        missing = " ".join(map(str, self.missing))
        yield f'<details class="crd" id="crd-{number}" data-missing="{missing}"{" open" if is_open else ""}>'
        yield f'<summary><h2>{escape(self.name)} {names} <span class="soft">{escape(self._lines.file)}</span></h2></summary>'
        yield from self._all_missing(number)
        yield '<div class="code">'
        suggestions = {one.version.name: Suggestions(one.version) for one in self.versions if one.missing}
        for is_far, lines in _parts(list(enumerate(self._lines.text, self._lines.before + 1)), self._is_near):
            if is_far:
                yield self._folded(lines)
            yield "<noscript>"
            for begin in range(0, len(lines), _BLOCK):
                yield from self._block(number, lines[begin : begin + _BLOCK], suggestions)
            yield "</noscript></details>" if is_far else "</noscript>"
        yield "</div></details>"

    def _is_near(self, line: int) -> bool:
        """Return whether a point that counts stands at a line, or near it."""
        around = range(line - _NEAR, line + _NEAR + 1)
        return any(not one.is_left_out for near in around for _, one in self._points.get(near, ()))

    def _all_missing(self, number: int) -> Iterator[str]:
        for version in self.versions:
            asked = "" if version.requests else " No test that passed has made a request to it."
            if version.missing:
                yield '<details class="all-missing">'
                yield f"<summary>{escape(version.version.name)}: {len(version.missing)} missing.{asked}</summary>"
                yield "<noscript><ul>"
                for one in version.missing[:_MOST_LISTED]:
                    yield f'<li><a href="#c{number}-{one.line}">{one.line}</a> {escape(one.text)}</li>'
                if (more := len(version.missing) - _MOST_LISTED) > 0:
                    yield f"<li>{more} more</li>"
                yield "</ul></noscript></details>"

    def _folded(self, lines: Sequence[Line]) -> str:
        """Return what is shown of lines that are far from any point that counts."""
        first, last = lines[0][0], lines[-1][0]
        count = sum(len(self._points.get(line, ())) for line, _ in lines)
        points = f"{count} point{'' if count == 1 else 's'} left out" if count else "no points"
        opened = f'<details class="fold" data-first="{first}" data-last="{last}">'
        return f"{opened}<summary>lines {first} to {last}: {points}</summary>"

    def _block(self, number: int, lines: Sequence[Line], suggestions: Mapping[str, Suggestions]) -> Iterator[str]:
        yield '<div class="block">'
        # Only a counter that begins inside of a block counts in it, for its browser may pass over its content.
        begin = f' style="counter-reset:line {lines[0][0] - 1}"'
        for line, text in lines:
            points = self._points.get(line, [])
            state = _state([counted for _, counted in points])
            anchor = f' class="{state}" id="c{number}-{line}"' if state else ""  # for links
            yield f"<div{anchor}{begin}>{escape(text, quote=False)}</div>"
            begin = ""
            missing = [(by, one) for by, one in points if not one.is_covered and not one.is_left_out]
            if missing:
                yield from self._why(missing, suggestions)
        yield "</div>"

    def _why(
        self, missing: Sequence[tuple[VersionCoverage, Counted]], suggestions: Mapping[str, Suggestions]
    ) -> Iterator[str]:
        """Yield what is missing at a line, and what reaches it."""
        shown = [self._objects.shown(suggestions[version.version.name], one) for version, one in missing]
        texts = [f"{self._of_version(version)}{escape(one.text)}" for version, one in missing]
        if len(missing) == 1 and not shown[0]:
            yield f'<p class="why">{texts[0]}</p>'
            return
        first = escape(missing[0][1].text)
        more = f" and {len(missing) - 1} more" if len(missing) > 1 else ""
        yield f'<details class="why"><summary>{first}{more}</summary><ul>'
        yield from (f"<li>{text}{found}</li>" for text, found in zip(texts, shown, strict=True))
        yield "</ul></details>"

    def _of_version(self, version: VersionCoverage) -> str:
        return f"{escape(version.version.name)}: " if len(self.versions) > 1 else ""


def _parts(lines: Sequence[Line], is_near: Callable[[int], bool]) -> Iterator[tuple[bool, list[Line]]]:
    """Yield the lines in parts, each with whether it is far from all points that count, and long enough to be folded."""
    far: dict[int, bool] = {}
    for near, run in itertools.groupby(lines, key=lambda one: is_near(one[0])):
        numbers = [line for line, _ in run]
        far |= dict.fromkeys(numbers, not near and len(numbers) >= _LEAST_FOLDED)
    for is_far, part in itertools.groupby(lines, key=lambda one: far[one[0]]):
        yield is_far, list(part)


def _state(points: Sequence[Counted]) -> str:
    """Return how a line with *points* is coloured; empty without any."""
    counting = [one for one in points if not one.is_left_out]
    if not counting:
        return "out" if points else ""
    covered = [one.is_covered for one in counting]
    if any(covered):
        return "all" if all(covered) else "some"
    return "seen" if any(one.state == "seen" for one in counting) else "none"
