"""The draft of a file: cases are answered, named, deduplicated and limited in number and length."""

from __future__ import annotations

import functools
import json
import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from typing import Final, NamedTuple

from pytest_crd import engine
from pytest_crd.cases.sections import Section
from pytest_crd.cases.subject import CaseSubject
from pytest_crd.engine.schema.schemamap import Place
from pytest_crd.generation import expectedanswers, words
from pytest_crd.generation.layout import ExpectedCase, Layout, group_of
from pytest_crd.generation.mergedcases import MOST_OPEN, CaseMerger
from pytest_crd.generation.proposedcases import Proposal

# Long enough for a text of 4,096 characters that has no repetition of one character, such as a URL.
_LONGEST_LINE: Final = 4_200
# An empty line and the heading.
_LINES_OF_HEADING: Final = 2
# Each kind of cases gets half of the room left by the kinds before it.
_SHARE: Final = 2
_RESERVED: Final = 0.6
# The part of the room that single cases of the kinds that protect may take.
_SINGLE: Final = 0.5
# The merged cases to which another case that protects may be added: more than of others, to fit all into the file.
_MOST_OPEN: Final = 12
_LONGEST_MERGED: Final = 120
# The lines of single cases that may wait for each line of room, as merged cases are shorter.
_MERGED: Final = 8


class Size(NamedTuple):
    """
    The size limits of a file.

    Attributes:
        lines: The number of lines of all cases.
        of_case: The number of lines of one case.
        further: The number of further lines for cases that protect.
    """

    lines: float
    of_case: int
    further: int = 0


class Drafts:
    """
    A collector of proposals.

    Attributes:
        left_out: The names of rejected proposals, and the reasons.
        set_places: The places at which an accepted object has a value.
    """

    def __init__(self, versions: Sequence[engine.CrdVersion], layout: Layout, size: Size) -> None:
        """
        Create an empty draft.

        Args:
            versions: The version under each Kubernetes version for which the cases must pass.
            layout: The layout of the cases.
            size: The size limits.
        """
        self.left_out: list[str] = []
        self.set_places: set[Place] = set()
        self._versions = versions
        self._subjects = [CaseSubject(version) for version in versions]
        self._layout = layout
        self._size = size
        self._room = size.lines
        # The room for cases that wait, merged if they are many.
        self._reserve = 0 if math.isinf(self._room) else self._room * _RESERVED
        # The room left for the present kind of cases, and for cases that wait until all kinds had their share.
        self._share = self._waiting_room = self._room
        self._cases: dict[int, ExpectedCase] = {}
        self._waiting: dict[int, ExpectedCase] = {}
        self._too_long: list[ExpectedCase] = []
        self._headings: set[tuple[Section, Place]] = set()
        self._names: set[str] = set()
        self._keys: set[str] = set()
        self._lengths: dict[str, int] = {}
        self._noun = ""
        self._count = 0

    @property
    def statements(self) -> list[ExpectedCase]:
        """The cases so far, in the order of their proposals."""
        return [self._cases[number] for number in sorted(self._cases)]

    @property
    def is_full(self) -> bool:
        """Whether there is no room for another case."""
        return min(self._room, self._waiting_room) <= 0

    def begin(self, noun: str, *, protects: bool = False) -> None:
        """Begin another kind of cases, which gets a share of the room that is left; cases that protect all wait for `protect`."""
        self._noun = noun
        self._share = -math.inf if protects else (self._room - self._reserve) / _SHARE
        self._waiting_room = math.inf if protects else self._room * _MERGED

    def protect(self) -> None:
        """Add the waiting cases. If they need too much room, add all refusals and defaults, merged; the others wait on."""
        waiting, self._waiting = self._waiting, {}
        if sum(map(self._length, waiting.values())) > self._room * _SINGLE:
            accepted = {number: item for number, item in waiting.items() if not _protects(item)}
            refused = {number: item for number, item in waiting.items() if number not in accepted}
            waiting = self._merge(refused, _LONGEST_MERGED, _MOST_OPEN)
            self._waiting = accepted
        self._share = self._room + self._size.further
        for number, statement in sorted(waiting.items(), key=lambda item: self._length(item[1]) / item[1].parts):
            self._place(number, statement)
        self._reserve = 0 if math.isinf(self._room) else self._room * _RESERVED

    def take(self, proposals: Iterable[Proposal]) -> None:
        """Add each new proposal that has an answer; a case beyond the share of its kind waits."""
        for proposal in proposals:
            key = json.dumps(
                [proposal.section, proposal.input, proposal.old, bool(proposal.expectation), proposal.is_exact],
                sort_keys=True,
            )
            if key not in self._keys:
                self._keys.add(key)
                self._add(proposal)

    def fill(self) -> list[ExpectedCase]:
        """Add waiting cases while there is room, merged if they are many; return the rest, and the cases that are too long."""
        self._share = self._room
        waiting, self._waiting = self._waiting, {}
        if sum(map(self._length, waiting.values())) > self._room:
            waiting = self._merge(waiting, self._size.of_case)
        for number, statement in sorted(waiting.items(), key=lambda item: self._rank(item[1])):
            self._place(number, statement)
        return [*self._waiting.values(), *self._too_long]

    def _merge(
        self, waiting: Mapping[int, ExpectedCase], longest: int, most_open: int = MOST_OPEN
    ) -> dict[int, ExpectedCase]:
        """Return the waiting cases merged, up to *longest* lines; a merged case has the number of its first part."""
        if len(self._versions) > 1 or self._versions[0].unknown_when_stored:
            return dict(waiting)
        numbers = {id(statement.proposal.input): number for number, statement in waiting.items()}
        fits = functools.partial(self._is_short, longest=longest)
        merger = CaseMerger(self._versions[0].unobserved, self._layout.smallest or {}, fits)
        merged: dict[int, ExpectedCase] = {}
        for first, statement in merger.merge([*waiting.values()], most_open):
            name = words.make_unique(statement.name, self._names) if statement is not first else first.name
            merged[numbers[id(first.proposal.input)]] = replace(statement, name=name)
        return merged

    def _rank(self, statement: ExpectedCase) -> tuple[int, float]:
        """Return the rank of a waiting case: whole objects, merged cases by their lines per part, single cases, cases of the last kind."""
        if statement.proposal.is_exact:
            return 0, 0
        if statement.noun == self._noun:
            return 3, 0
        return (1, self._length(statement) / statement.parts) if statement.parts > 1 else (2, 0)

    def _length(self, statement: ExpectedCase) -> int:
        """Return the number of lines of a case with a final name."""
        if statement.name not in self._lengths:
            self._lengths[statement.name] = len(self._layout.case(statement))
        return self._lengths[statement.name]

    def _is_short(self, statement: ExpectedCase, longest: int) -> bool:
        lines = self._layout.case(statement)
        return len(lines) <= longest and max(map(len, lines)) <= _LONGEST_LINE

    def _add(self, proposal: Proposal) -> None:
        if proposal.old is not None and not all(subject.store(proposal.old).accepted for subject in self._subjects):
            return  # the old object cannot be stored
        answers = [expectedanswers.expect_answer(proposal, version) for version in self._versions]
        if any(answer != answers[0] for answer in answers[1:]):
            listed = ", ".join(version.crd.kubernetes_version for version in self._versions)
            self.left_out.append(f"{proposal.name}: the answers of {listed} differ")
            return
        if not answers[0]:
            return  # nothing to say
        statement = ExpectedCase(proposal, words.make_unique(proposal.name, self._names), answers[0], self._noun)
        is_protecting = self._share == -math.inf and _protects(statement)
        if not self._is_short(statement, max(self._size.of_case, _LONGEST_MERGED if is_protecting else 0)):
            self._too_long.append(statement)
            return
        self._count += 1
        self._place(self._count, statement)

    def _place(self, number: int, statement: ExpectedCase) -> None:
        """Add a case, or let it wait."""
        proposal = statement.proposal
        headings = {(proposal.section, ()), (proposal.section, group_of(proposal.place))}
        needed = self._length(statement) + _LINES_OF_HEADING * len(headings - self._headings)
        if needed > self._share:
            self._waiting[number] = statement
            self._waiting_room -= needed
            return
        self._share -= needed
        self._room -= needed
        self._headings |= headings
        self._cases[number] = statement
        if {"contains", "expected"} & statement.expectation.keys() and proposal.is_request:
            nodes = self._versions[0].schema_map.in_value(proposal.input)
            self.set_places.update(node.place for node in nodes)


def _protects(statement: ExpectedCase) -> bool:
    """Return True if a case shows a refusal or a default: its answer states the whole enum, the bound or the default."""
    return "errors" in statement.expectation or statement.proposal.section is Section.DEFAULTING
