"""
Splicing: the smallest edits that turn one value into another in a YAML text.

Equal parts are not touched, so that their comments, anchors, quotes, order and indentation stay. New keys come last.
"""

from __future__ import annotations

import difflib
import json
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Final, NamedTuple

from pytest_crd import lazyre
from pytest_crd.casefiles import yamltext
from pytest_crd.casefiles.comments import Comment
from pytest_crd.casefiles.yamlspans import Edit, Span
from pytest_crd.engine import jsonvalue
from pytest_crd.engine.jsonvalue import JSONValue

# The anchor and the tag of a node, on one line.
_PROPERTIES: Final = lazyre.compile(r"[&!]\S*(?: +[&!]\S*)*")


class _Entry(NamedTuple):
    """The range of a key with its value, or of an item with its dash."""

    begin: int
    end: int


class Splice:
    """
    Edits of one text.

    Attributes:
        edits: The collected edits, unordered.
        moved: The comments that the edits contain.
    """

    def __init__(
        self,
        text: str,
        *,
        is_json: bool = False,
        settled: frozenset[int] = frozenset(),
        comments: Sequence[Comment] = (),
    ) -> None:
        """
        Create without edits.

        Args:
            text: The text of the layout.
            is_json: Whether the text is JSON.
            settled: The ids of aliases whose targets are edited, so that they stay as they are.
            comments: The comments of the text.
        """
        self._text = text
        self._flow: Callable[[JSONValue], str] = yamltext.json_flow if is_json else yamltext.flow
        self._settled = settled
        self._comments = comments
        self.edits: list[Edit] = []
        self.moved: set[Comment] = set()

    def change_case(self, place: Span, old: Mapping[str, JSONValue], new: Mapping[str, JSONValue]) -> None:
        """Add the edits that turn one case into another; new keys take the comments of removed ones."""
        if _has_places(place, old, new):
            self._change_mapping(place, old, new, is_case=True)
        else:
            self.change(place, old, new, in_flow=place.is_flow)

    def change(self, place: Span, old: JSONValue, new: JSONValue, *, key: Span | None = None, in_flow: bool) -> None:
        """
        Add the edits that turn *old* into *new*.

        Args:
            place: The span of *old*.
            old: The old value.
            new: The new value.
            key: The span of its key; None for a list item or a whole document.
            in_flow: Whether it is inside brackets.
        """
        if jsonvalue.equal(old, new) or id(place) in self._settled:
            return
        if isinstance(old, dict) and isinstance(new, dict) and _has_places(place, old, new):
            self._change_mapping(place, old, new)
        elif isinstance(old, list) and isinstance(new, list) and place.kind == "list" and old and new:
            self._change_list(place, old, new)
        else:
            self._replace(place, new, key, in_flow=in_flow)

    # Collections

    def _change_mapping(
        self, place: Span, old: Mapping[str, JSONValue], new: Mapping[str, JSONValue], *, is_case: bool = False
    ) -> None:
        removed = {
            index for index, (key, _) in enumerate(place.pairs) if key.kind == "scalar" and _is_gone(key, old, new)
        }
        added: dict[str, JSONValue] = {}
        for name, value in new.items():
            pair = place.own(name)
            if pair is not None:
                self.change(pair[1], old[name], value, key=pair[0], in_flow=place.is_flow)
            elif name not in old or not jsonvalue.equal(old[name], value):
                added[name] = value  # behind merged keys, to override them
        entries = [_Entry(key.start, value.end) for key, value in place.pairs]
        last_kept = max((index for index in range(len(entries)) if index not in removed), default=-1)
        if added:
            above = [*self._moved(place, [entries[index] for index in removed])] if is_case else []
            self._insert(place, entries, last_kept, [*above, *self._written(added, place)])
        self._remove(place, entries, removed)

    def _moved(self, place: Span, removed: Sequence[_Entry]) -> Iterator[str]:
        """Yield the comments of removed keys of a block, as lines above the new keys."""
        if place.is_flow:
            return
        for comment in self._comments:
            if any(entry.begin <= comment.start < self._line_end(entry.end) for entry in removed):
                self.moved.add(comment)
                yield " " * place.pairs[0][0].column + comment.text

    def _written(self, added: Mapping[str, JSONValue], place: Span) -> list[str]:
        """Return the lines of new keys for *place*; in brackets, one text for each key."""
        if place.is_flow:
            return [self._flow({name: value})[1:-1] for name, value in added.items()]
        column = place.pairs[0][0].column
        return [line for name, value in added.items() for line in yamltext.entry(name, value, column)]

    def _change_list(self, place: Span, old: Sequence[JSONValue], new: Sequence[JSONValue]) -> None:
        entries = [_Entry(begin, item.end) for begin, item in zip(self._begins(place), place.items, strict=True)]
        removed: set[int] = set()
        matcher = difflib.SequenceMatcher(None, [*map(_canonical, old)], [*map(_canonical, new)], autojunk=False)
        for tag, start, stop, new_start, new_stop in matcher.get_opcodes():
            common = min(stop - start, new_stop - new_start) if tag == "replace" else 0
            for offset in range(common):
                item = place.items[start + offset]
                self.change(item, old[start + offset], new[new_start + offset], in_flow=place.is_flow)
            if tag != "equal":
                removed.update(range(start + common, stop))
            if tag != "equal" and new_start + common < new_stop:
                self._insert(place, entries, start + common - 1, self._items(new[new_start + common : new_stop], place))
        self._remove(place, entries, removed)

    def _items(self, values: Sequence[JSONValue], place: Span) -> list[str]:
        return [*map(self._flow, values)] if place.is_flow else yamltext.block([*values], place.column)

    def _begins(self, place: Span) -> Iterator[int]:
        """Yield the begin of each list item, including its dash."""
        for item in place.items:
            yield item.start if place.is_flow else self._dash(place.inner, item.start)

    def _dash(self, start: int, end: int) -> int:
        """Return the index of the last dash between two indices that is not in a comment."""
        at = self._text.rindex("-", start, end)
        around = next(
            (comment.start for comment in self._comments if comment.start <= at < comment.start + len(comment.text)),
            None,
        )
        return at if around is None else self._dash(start, around)

    def _insert(self, place: Span, entries: Sequence[_Entry], after: int, lines: list[str]) -> None:
        """Insert new entries behind the entry with the number *after*, or before the first one if it is -1."""
        if place.is_flow and after < 0:
            self._edit(entries[0].begin, entries[0].begin, "".join(f"{line}, " for line in lines))
        elif place.is_flow:
            self._edit(entries[after].end, entries[after].end, "".join(self._behind(entries[after].begin, lines)))
        elif after < 0:
            indent = "\n" + " " * place.column
            self._edit(entries[0].begin, entries[0].begin, "\n".join(lines).lstrip(" ") + indent)
        else:
            at = self._line_end(entries[after].end)
            self._edit(at, at, "".join(f"{line}\n" for line in lines))

    def _behind(self, begin: int, lines: list[str]) -> Iterator[str]:
        """Yield the text to insert behind an entry in brackets: on new lines if the entry has its own line."""
        blanks = self._text[self._line_start(begin) : begin]
        end = self._text.find("\n", begin)
        has_line = not blanks.strip() and "#" not in self._text[begin:end]
        for line in lines:
            yield f",\n{blanks}{line}" if has_line else f", {line}"

    def _remove(self, place: Span, entries: Sequence[_Entry], removed: set[int]) -> None:
        last = max((index for index in range(len(entries)) if index not in removed), default=-1)
        begins_line = not entries or not self._text[self._line_start(entries[0].begin) : entries[0].begin].strip()
        first = next(index for index in range(len(entries) + 1) if index not in removed)
        for index in sorted(removed):
            begin, end = entries[index]
            if place.is_flow and index > last:
                begin = entries[index - 1].end
            elif place.is_flow or (not begins_line and index < first):
                end = entries[index + 1].begin
            else:
                begin, end = self._line_start(begin), self._line_end(end)
            self._edit(begin, end, "")

    # Single values

    def _replace(self, place: Span, new: JSONValue, key: Span | None, *, in_flow: bool) -> None:
        is_collection = isinstance(new, dict | list) and bool(new)
        was_block = not place.is_flow and place.kind != "scalar"
        if in_flow:
            self._edit(place.inner, place.end, self._flow(new))
        elif not place.is_flow and place.kind == "scalar" and isinstance(new, str) and key is not None:
            self._edit(place.inner, place.end, "\n".join(yamltext.literal(new, key.column + yamltext.STEP)))
        elif is_collection and was_block and (key is None or place.column > key.column):
            self._edit(place.inner, place.end, "\n".join(yamltext.block(new, place.column)).lstrip(" "))
        elif was_block and key is not None and not yamltext.is_block(new, key.column):
            self._replace_beside(place, new, key)
        elif not yamltext.is_block(new, place.column):
            self._edit(place.inner, place.end, self._flow(new))
        elif key is None and place.start == place.inner:
            self._edit(place.inner, place.end, "\n".join(yamltext.block(new, place.column)).lstrip(" "))
        elif key is None:
            self._replace_below(place, new, place.start - self._line_start(place.start))
        else:
            self._replace_below(place, new, key.column + (0 if isinstance(new, list) else yamltext.STEP))

    def _replace_beside(self, place: Span, new: JSONValue, key: Span) -> None:
        """Put a short value beside its key, in place of a block below it."""
        anchor = _PROPERTIES.match(self._text, place.start, place.inner)
        at = anchor.end() if anchor else self._text.index(":", key.end) + 1
        self._edit(at, at, f" {self._flow(new)}")
        self._edit(self._line_start(place.inner), self._line_end(place.end), "")

    def _replace_below(self, place: Span, new: JSONValue, indent: int) -> None:
        """Put a block below the line of its key or anchor; a comment on that line stays there."""
        lines = "".join(f"{line}\n" for line in yamltext.block(new, indent))
        line, end = self._line_start(place.inner), self._line_end(place.end)
        begin = len(self._text[: place.inner].rstrip(" "))
        if not self._text[line:begin].strip():
            self._edit(line, end, lines)
        elif self._text[place.end : end].strip():
            self._edit(begin, place.end, "")
            self._edit(end, end, lines)
        else:
            self._edit(begin, end, f"\n{lines}")

    def _edit(self, begin: int, end: int, text: str) -> None:
        self.edits.append(Edit(begin, end, text))

    def _line_start(self, index: int) -> int:
        """Return the index behind the line break before *index*."""
        return self._text.rfind("\n", 0, index) + 1

    def _line_end(self, index: int) -> int:
        """Return the index behind the line break after *index*."""
        return self._text.index("\n", index) + 1


def _has_places(place: Span, old: Mapping[str, JSONValue], new: Mapping[str, JSONValue]) -> bool:
    """Return whether a mapping can be changed key by key: some keys stay, and removed ones are not merged in."""
    return place.kind == "mapping" and bool(old.keys() & new.keys()) and all(map(place.own, old.keys() - new.keys()))


def _is_gone(key: Span, old: Mapping[str, JSONValue], new: Mapping[str, JSONValue]) -> bool:
    return key.key in old and key.key not in new


def _canonical(value: JSONValue) -> str:
    return json.dumps(value, sort_keys=True)
