"""
Removal of cases from a file, with headings that become empty; everything else stays.

The new text is read again before it is written: apart from these cases, it must be unchanged.
"""

from __future__ import annotations

import codecs
from collections.abc import Collection, Iterator, Sequence
from typing import NamedTuple

from pytest_crd.casefiles import casetext, comments, yamlspans
from pytest_crd.casefiles.comments import Lost
from pytest_crd.casefiles.yamlspans import Edit, Span
from pytest_crd.cases.sections import Section
from pytest_crd.engine.jsonvalue import JSONValue
from pytest_crd.engine.yaml import yamlreader
from pytest_crd.engine.yaml.yamlstream import UnreadableError


class LeftCases(NamedTuple):
    """
    A case file without some of its cases.

    Attributes:
        content: The content of the file.
        lost: The comments and anchors lost with them, except headings, with their lines in the old file.
    """

    content: bytes
    lost: tuple[Lost, ...] = ()


def remove_cases(content: bytes, names: Collection[str], *, source: str) -> LeftCases | None:
    """
    Return a case file without the cases *names*; None if they cannot be removed.

    Args:
        content: The file, which has no mistakes apart from blanks.
        names: The names of the cases.
        source: The name of the file.
    """
    decoded = yamlreader.decode(content, source=source)
    documents = yamlreader.read(decoded, source=source)
    try:
        layout = yamlspans.find_spans(decoded.content)
        edits = [
            edit
            for document, root in zip(documents, layout.documents, strict=True)
            for edit in _edits(layout.text, document.value, root, names)
        ]
    except (UnreadableError, ValueError):
        return None
    mark = codecs.BOM_UTF8 if content.startswith(codecs.BOM_UTF8) else b""
    new = mark + yamlspans.apply_edits(decoded.content, layout, edits).encode()
    expected = [_drop_cases(document.value, names) for document in documents]
    if not casetext.has_values(new, expected, source=source):
        return None
    new_layout = yamlspans.find_spans(yamlreader.decode(new, source=source).content)
    headings = {f"# {place}" for name in names for place in _above(name)}
    lost = tuple(text_lost for text_lost in comments.find_lost(layout, new_layout) if text_lost.text not in headings)
    return LeftCases(new, lost)


def _edits(text: str, value: JSONValue, root: Span, names: Collection[str]) -> Iterator[Edit]:
    """Yield the edits that remove the cases from one document, in order."""
    edits = []
    for section in Section:
        cases, pair = value.get(section, []), root.own(section)
        removed = [index for index, case in enumerate(cases) if case["name"] in names]
        if removed and (pair is None or pair[1].kind != "list" or pair[1].is_flow):
            raise ValueError(section)
        if pair is not None and removed and len(removed) == len(cases):
            edits.append(Edit(_with_blank(text, _line_start(text, pair[0].start)), _line_end(text, pair[1].end), ""))
        elif pair is not None:
            edits += (_case(text, pair[1], index, cases[index]["name"]) for index in removed)
    return iter(_joined(text, sorted(edits)))


def _case(text: str, section: Span, index: int, name: str) -> Edit:
    """Return the edit that removes a case, with a heading of its own above it."""
    start = _line_start(text, section.items[index].start)
    above = _line_start(text, max(start - 1, 0))
    is_headed = text[above:start].strip() in {f"# {place}" for place in _above(name)}
    return Edit(above if is_headed else start, _line_end(text, section.items[index].end), "")


def _joined(text: str, edits: Sequence[Edit]) -> Iterator[Edit]:
    """Yield *edits* with adjacent ones joined: a heading stays if a case below it does."""
    run: Edit | None = None
    for edit in edits:
        if run is not None and run.end == edit.start:
            run = run._replace(end=edit.end)
            continue
        if run is not None:
            yield _settled(text, run)
        run = edit
    if run is not None:
        yield _settled(text, run)


def _settled(text: str, edit: Edit) -> Edit:
    """Return an edit that also removes an empty heading and the blank line above; a heading with cases is kept."""
    first = text[edit.start : text.index("\n", edit.start)].strip()
    if not first.startswith("#"):
        return edit
    following = text[edit.end : text.find("\n", edit.end)].strip()
    if following.startswith("-"):
        return edit._replace(start=text.index("\n", edit.start) + 1)
    return edit._replace(start=_with_blank(text, edit.start))


def _above(name: str) -> Iterator[str]:
    """Yield the places that a heading above a generated case may name: the place of the case, and those around it."""
    place = name.partition(": ")[0]
    while place:
        yield place
        place = place.rpartition(".")[0]


def _drop_cases(value: JSONValue, names: Collection[str]) -> JSONValue:
    result = dict(value)
    for section in Section:
        cases = [case for case in value.get(section, ()) if case["name"] not in names]
        if len(cases) < len(value.get(section, ())):
            result[section] = cases
            if not cases:
                del result[section]
    return result


def _line_start(text: str, index: int) -> int:
    return text.rfind("\n", 0, index) + 1


def _line_end(text: str, index: int) -> int:
    return text.index("\n", index) + 1


def _with_blank(text: str, start: int) -> int:
    """Return the begin of the blank line above *start*; or *start*."""
    above = _line_start(text, max(start - 1, 0))
    return above if not text[above:start].strip() else start
