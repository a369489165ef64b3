"""
The text of a case file with other expectations: what was meant, and nothing else, or the reason why it cannot be written.

Whatever is written is read again first: each value must be what was meant, and each other one what it was.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Final, NamedTuple

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
from pytest_crd.engine.yaml.unreadable import UnreadableError

_BOM: Final = b"\xef\xbb\xbf"


class Correction(NamedTuple):
    """
    What is to be written into a case.

    Attributes:
        name: The name of the case.
        values: The keys that it gets, with their values.
        removed: The keys that it loses.
        renamed: The name that it gets; empty where it stays.
    """

    name: str
    values: Mapping[str, JSONValue]
    removed: tuple[str, ...] = ()
    renamed: str = ""

    def of(self, case: Mapping[str, JSONValue]) -> dict[str, JSONValue]:
        """Return *case* with what is to be written."""
        name = {"name": self.renamed} if self.renamed else {}
        return {key: value for key, value in case.items() if key not in self.removed} | name | dict(self.values)


class WrittenCases(NamedTuple):
    """
    A case file with other expectations.

    Attributes:
        content: The file.
        lines: The 1-based line of each case, as it is now, by its name as it was.
        problems: Why a case was not, by its name.
        lost: The comments and anchors that are gone, with their lines in the file as it was.
    """

    content: bytes
    lines: Mapping[str, int]
    problems: Mapping[str, str]
    lost: tuple[Lost, ...] = ()


def written(content: bytes, corrections: Sequence[Correction], *, source: str) -> WrittenCases:
    """
    Return a case file with *corrections*.

    Args:
        content: The file, which has no mistakes but what may be filled in.
        corrections: At most one for each case; a case that there is not is our own mistake.
        source: The name of the file.
    """
    try:
        file = _File(content, source)
    except (UnreadableError, UnplacedError):
        return WrittenCases(
            content,
            {},
            {
                one.name: _by_hand(one, ", as only a part of the file is JSON, or YAML reads it otherwise")
                for one in corrections
            },
        )
    groups = [*sharing.groups(file.found, {one.name: one.of(file.found[one.name].value) for one in corrections})]
    by_name = {one.name: one for one in corrections}
    problems = {name: group.problem for group in groups if group.problem for name in group.names}
    fitting = file.fitting([group for group in groups if not group.problem], by_name)
    taken = {name for group in fitting for name in group.names}
    problems |= {one.name: file.problem(one) for one in corrections if one.name not in taken | problems.keys()}
    new = file.with_corrections([one for one in corrections if one.name in taken]) or content
    other = _File(new, source)
    gone = tuple(comments.lost(file.layout, other.layout))
    old = {by_name[name].renamed or name: name for name in taken}
    return WrittenCases(new, {old.get(name, name): one.line for name, one in other.found.items()}, problems, gone)


class UnplacedError(Exception):
    """A file of which it is not known what stands where."""


class _File:
    """
    A case file.

    Attributes:
        layout: What stands where in it.
        found: Its cases, by name.
    """

    def __init__(self, content: bytes, source: str) -> None:
        self._source = source
        decoded = yamlreader.decode(content, source=source)
        self._content = decoded.content
        self._mark = _BOM if content.startswith(_BOM) else b""
        self._documents = yamlreader.read(decoded, source=source)
        self.layout = yamlspans.layout(decoded.content)
        self._comments = comments.find(self.layout)
        self.found = {one.name: one for one in self._find()}

    def _find(self) -> Iterator[LocatedCase]:
        if len(self._documents) != len(self.layout.documents):
            raise UnplacedError
        for number, (document, root) in enumerate(zip(self._documents, self.layout.documents, strict=True)):
            for section in Section:
                pair = root.own(section)
                for index, value in enumerate(document.value.get(section, ())):
                    place = pair[1].meant.items[index].meant if pair else root
                    yield LocatedCase(number, section, index, value, place, root, document.line_of((section, index)))

    def fitting(
        self, groups: Sequence[sharing.Group], by_name: Mapping[str, Correction], taken: tuple[sharing.Group, ...] = ()
    ) -> tuple[sharing.Group, ...]:
        """Return those of *groups* that can be written beside each other and *taken*; halves are tried where all cannot."""
        names = [name for group in (*taken, *groups) for name in group.names]
        if not groups or self.with_corrections([by_name[name] for name in names]) is not None:
            return tuple(groups)
        if len(groups) == 1:
            return ()
        middle = len(groups) // 2
        left = self.fitting(groups[:middle], by_name, taken)
        return left + self.fitting(groups[middle:], by_name, taken + left)

    def with_corrections(self, corrections: Sequence[Correction]) -> bytes | None:
        """Return the file with *corrections*, without comments if need be; None where it would not mean what is meant."""
        meant = [jsonvalue.copy(document.value) for document in self._documents]
        new = {one.name: one.of(self.found[one.name].value) for one in corrections}
        shared = sharing.settled(self.found, new)
        splice = splicing.Splice(
            self.layout.text, is_json=self.layout.is_json, settled=shared.aliases, comments=self._comments
        )
        for name, case in new.items():
            found = self.found[name]
            meant[found.document][found.section][found.number] = case
            splice.change_case(found.place, found.value, case)
        for target, old, value in shared.targets:
            splice.change(target, old, value, in_flow=target.is_flow)
        # Where several begin at one place, the inner ones were found first.
        edits = sorted(splice.edits, key=lambda one: (one.start, one.end))
        free = {(index, key) for index, root in enumerate(self.layout.documents) for key in _touched(root, edits)}
        left = [one for one in self._comments if one not in splice.moved]
        for some in (comments.kept(self.layout, left, edits), edits):
            text = yamlspans.edited(self._content, self.layout, some)
            if self._is_meant(text, meant, free):
                return self._mark + text.encode()
        return None

    def _is_meant(self, text: str, meant: Sequence[JSONValue], free: set[tuple[int, str]]) -> bool:
        """Return whether *text* says what is meant; free keys in which something was written are places for anchors."""
        content = self._mark.decode() + text
        try:
            documents = yamlreader.read(content, source=self._source)
            loader.load(content, source=self._source, fills=True)
        except InputError:
            return False
        return len(documents) == len(meant) and all(
            jsonvalue.equal(_without(document.value, index, free), _without(value, index, free))
            for index, (document, value) in enumerate(zip(documents, meant, strict=True))
        )

    def problem(self, correction: Correction) -> str:
        """Return why *correction* cannot be written."""
        anchor = sharing.anchor_around(self.found[correction.name])
        return _by_hand(correction, f", as others share what is anchored by &{anchor}" if anchor else "")


def _by_hand(correction: Correction, why: str) -> str:
    lines = "".join(f"\n    {line}" for line in yamltext.block(dict(correction.values)))
    removed = f" and without {', '.join(correction.removed)}" if correction.removed else ""
    return f"it cannot be written in place{why}; write it yourself{removed}:{lines}"


def _touched(root: Span, edits: Iterable[yamlspans.Edit]) -> Iterator[str]:
    """Yield the free keys of a document in which something is edited."""
    for key, value in root.pairs:
        if key.key.startswith(FREE_PREFIX) and any(value.start <= one.start <= value.end for one in edits):
            yield key.key


def _without(value: JSONValue, index: int, free: set[tuple[int, str]]) -> JSONValue:
    return {key: item for key, item in value.items() if (index, key) not in free}
