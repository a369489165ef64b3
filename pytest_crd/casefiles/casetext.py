"""
New text of a case file with other expectations, or the reason why it cannot be written.

The new text is read again before it is written: each corrected value must be as intended, and everything else
unchanged.
"""

from __future__ import annotations

import codecs
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from typing import NamedTuple

from pytest_crd.casefiles import comments, sharing, splicing, yamlspans, yamltext
from pytest_crd.casefiles.comments import Lost
from pytest_crd.casefiles.sharing import LocatedCase
from pytest_crd.casefiles.yamlspans import Span
from pytest_crd.cases import loader
from pytest_crd.cases.caseformat import FREE_PREFIX
from pytest_crd.cases.sections import Section
from pytest_crd.engine import jsonvalue
from pytest_crd.engine.inputerror import InputError
from pytest_crd.engine.jsonvalue import JSONValue
from pytest_crd.engine.yaml import yamlreader
from pytest_crd.engine.yaml.yamlstream import UnreadableError


class Correction(NamedTuple):
    """
    New expectations for a case.

    Attributes:
        name: The name of the case.
        values: The keys to set, with their values.
        removed: The keys to remove.
        renamed: The new name; empty if it stays.
    """

    name: str
    values: Mapping[str, JSONValue]
    removed: tuple[str, ...] = ()
    renamed: str = ""

    def apply(self, case: Mapping[str, JSONValue]) -> dict[str, JSONValue]:
        """Return *case* with the correction."""
        name = {"name": self.renamed} if self.renamed else {}
        return {key: value for key, value in case.items() if key not in self.removed} | name | dict(self.values)


class WrittenCases(NamedTuple):
    """
    A case file with other expectations.

    Attributes:
        content: The content of the file.
        lines: The 1-based line of each case in the new file, by its old name.
        problems: The reason why a case was not written, by its name.
        lost: The lost comments and anchors, with their lines in the old file.
    """

    content: bytes
    lines: Mapping[str, int]
    problems: Mapping[str, str]
    lost: tuple[Lost, ...] = ()


def write_corrections(content: bytes, corrections: Sequence[Correction], *, source: str) -> WrittenCases:
    """
    Return a case file with *corrections*.

    Args:
        content: The file, which has no mistakes apart from blanks.
        corrections: At most one for each case of the file.
        source: The name of the file.
    """
    try:
        file = _File(content, source)
    except (UnreadableError, UnplacedError):
        return WrittenCases(
            content,
            {},
            {
                item.name: _by_hand(item, ", as only a part of the file is JSON, or YAML reads it otherwise")
                for item in corrections
            },
        )
    groups = [
        *sharing.find_groups(file.cases, {item.name: item.apply(file.cases[item.name].value) for item in corrections})
    ]
    by_name = {item.name: item for item in corrections}
    problems = {name: group.problem for group in groups if group.problem for name in group.names}
    fitting = file.fitting([group for group in groups if not group.problem], by_name)
    fitting_names = {name for group in fitting for name in group.names}
    problems |= {
        item.name: file.problem(item) for item in corrections if item.name not in fitting_names | problems.keys()
    }
    new = file.with_corrections([item for item in corrections if item.name in fitting_names]) or content
    new_file = _File(new, source)
    gone = tuple(comments.find_lost(file.layout, new_file.layout))
    old = {by_name[name].renamed or name: name for name in fitting_names}
    return WrittenCases(new, {old.get(name, name): item.line for name, item in new_file.cases.items()}, problems, gone)


def has_values(
    content: bytes, values: Sequence[JSONValue], *, source: str, free: Collection[tuple[int, str]] = ()
) -> bool:
    """
    Return whether *content* is a case file with these values.

    Args:
        content: The file, which may have blanks.
        values: The values of its documents.
        source: The name of the file.
        free: The free keys that do not count, by the index of the document: anchors may have been edited there.
    """
    try:
        documents = yamlreader.read(content, source=source)
        loader.load(content, source=source, fills=True)
    except InputError:
        return False
    return len(documents) == len(values) and all(
        jsonvalue.equal(_without(document.value, index, free), _without(value, index, free))
        for index, (document, value) in enumerate(zip(documents, values, strict=True))
    )


class UnplacedError(Exception):
    """A file with cases that could not be located in its text."""


class _File:
    """
    A case file.

    Attributes:
        layout: The spans of its text.
        cases: Its cases, by name.
    """

    def __init__(self, content: bytes, source: str) -> None:
        self._source = source
        decoded = yamlreader.decode(content, source=source)
        self._content = decoded.content
        self._mark = codecs.BOM_UTF8 if content.startswith(codecs.BOM_UTF8) else b""
        self._documents = yamlreader.read(decoded, source=source)
        self.layout = yamlspans.find_spans(decoded.content)
        self._comments = comments.find_comments(self.layout)
        self.cases = {case.name: case for case in self._find()}

    def _find(self) -> Iterator[LocatedCase]:
        if len(self._documents) != len(self.layout.documents):
            raise UnplacedError
        for number, (document, root) in enumerate(zip(self._documents, self.layout.documents, strict=True)):
            for section in Section:
                pair = root.own(section)
                for index, value in enumerate(document.value.get(section, ())):
                    place = pair[1].resolved.items[index].resolved if pair else root
                    yield LocatedCase(number, section, index, value, place, root, document.line_of((section, index)))

    def fitting(
        self,
        groups: Sequence[sharing.Group],
        by_name: Mapping[str, Correction],
        accepted: tuple[sharing.Group, ...] = (),
    ) -> tuple[sharing.Group, ...]:
        """Return the *groups* that can be written beside each other and *accepted*; if not all can, each half is tried."""
        names = [name for group in (*accepted, *groups) for name in group.names]
        if not groups or self.with_corrections([by_name[name] for name in names]) is not None:
            return tuple(groups)
        if len(groups) == 1:
            return ()
        middle = len(groups) // 2
        first_half = self.fitting(groups[:middle], by_name, accepted)
        return first_half + self.fitting(groups[middle:], by_name, accepted + first_half)

    def with_corrections(self, corrections: Sequence[Correction]) -> bytes | None:
        """Return the file with *corrections*, without comments if need be; None if the new text would not be as intended."""
        expected_values = [jsonvalue.copy(document.value) for document in self._documents]
        new = {item.name: item.apply(self.cases[item.name].value) for item in corrections}
        shared = sharing.find_settled(self.cases, new)
        splice = splicing.Splice(
            self.layout.text, is_json=self.layout.is_json, settled=shared.aliases, comments=self._comments
        )
        for name, case in new.items():
            located = self.cases[name]
            expected_values[located.document][located.section][located.number] = case
            splice.change_case(located.place, located.value, case)
        for target, old, value in shared.targets:
            splice.change(target, old, value, in_flow=target.is_flow)
        # Of edits with the same beginning, the inner ones come first.
        edits = sorted(splice.edits, key=lambda item: (item.start, item.end))
        free = {(index, key) for index, root in enumerate(self.layout.documents) for key in _touched(root, edits)}
        free_comments = [item for item in self._comments if item not in splice.moved]
        for some in (comments.keep_comments(self.layout, free_comments, edits), edits):
            text = yamlspans.apply_edits(self._content, self.layout, some)
            new_content = self._mark + text.encode()
            if has_values(new_content, expected_values, source=self._source, free=free):
                return new_content
        return None

    def problem(self, correction: Correction) -> str:
        """Return the reason why *correction* cannot be written."""
        anchor = sharing.find_anchor(self.cases[correction.name])
        return _by_hand(correction, f", as others share what is anchored by &{anchor}" if anchor else "")


def _by_hand(correction: Correction, why: str) -> str:
    lines = "".join(f"\n    {line}" for line in yamltext.block(dict(correction.values)))
    removed = f" and without {', '.join(correction.removed)}" if correction.removed else ""
    return f"it cannot be written in place{why}; write it yourself{removed}:{lines}"


def _touched(root: Span, edits: Iterable[yamlspans.Edit]) -> Iterator[str]:
    """Yield the free keys of a document with an edit inside."""
    for key, value in root.pairs:
        if key.key.startswith(FREE_PREFIX) and any(value.start <= edit.start <= value.end for edit in edits):
            yield key.key


def _without(value: JSONValue, index: int, free: Collection[tuple[int, str]]) -> JSONValue:
    return {key: item for key, item in value.items() if (index, key) not in free}
