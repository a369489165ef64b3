"""The cases of a file in the making: each is answered, told apart from the others, and left out where it is too long to be read."""

from __future__ import annotations

import json
from collections.abc import Iterable, Sequence
from typing import Final, NamedTuple

from pytest_crd import engine
from pytest_crd.cases.sections import Section
from pytest_crd.cases.subject import CaseSubject
from pytest_crd.engine.schema.schemamap import Place
from pytest_crd.generation import expectedanswers, words
from pytest_crd.generation.layout import Layout, StatedCase, group_of
from pytest_crd.generation.proposedcases import Proposal

_LONGEST_LINE: Final = 2000
# An empty line, and the heading.
_LINES_OF_HEADING: Final = 2
# Each kind of cases has half of the room that those before it have left.
_SHARE: Final = 2


class Size(NamedTuple):
    """
    How much a file may hold.

    Attributes:
        lines: How many lines its cases may have.
        of_case: How many lines one of them may have.
    """

    lines: float
    of_case: int


class Drafts:
    """
    Takes proposals.

    Attributes:
        left_out: Why some are no cases, each with its name.
        set_places: The places at which an accepted object has something.
    """

    def __init__(self, versions: Sequence[engine.Version], layout: Layout, size: Size) -> None:
        """
        Begin with no case.

        Args:
            versions: The version under each Kubernetes version for which the cases have to hold.
            layout: How they are written.
            size: How many lines there may be.
        """
        self.left_out: list[str] = []
        self.set_places: set[Place] = set()
        self._versions = versions
        self._subjects = [CaseSubject(version) for version in versions]
        self._layout = layout
        self._size = size
        self._room = size.lines
        # What is left of the room for cases of one kind, and for those that wait until all kinds have had theirs.
        self._share = self._waiting_room = self._room
        self._taken: dict[int, StatedCase] = {}
        self._waiting: dict[int, StatedCase] = {}
        self._too_long: list[StatedCase] = []
        self._headings: set[tuple[Section, Place]] = set()
        self._names: set[str] = set()
        self._seen: set[str] = set()
        self._noun = ""

    @property
    def statements(self) -> list[StatedCase]:
        """The cases so far, in the order in which they were proposed."""
        return [self._taken[number] for number in sorted(self._taken)]

    @property
    def is_full(self) -> bool:
        """Whether there is no room for another."""
        return min(self._room, self._waiting_room) <= 0

    def begin(self, noun: str) -> None:
        """Begin with another kind of cases, about a *noun*, which has its share of the room that is left."""
        self._noun = noun
        self._share = self._room / _SHARE
        self._waiting_room = self._room

    def take(self, proposals: Iterable[Proposal]) -> None:
        """Take each of *proposals* that says something new; what is beyond the share of its kind waits."""
        for proposal in proposals:
            key = json.dumps([proposal.section, proposal.input, proposal.old, bool(proposal.stated)], sort_keys=True)
            if key not in self._seen:
                self._seen.add(key)
                self._add(proposal)

    def fill(self) -> list[StatedCase]:
        """Take what waits, as long as there is room; return the rest, and what is too long to be read."""
        self._share = self._room
        waiting, self._waiting = self._waiting, {}
        for number, statement in waiting.items():
            self._place(number, statement)
        return [*self._waiting.values(), *self._too_long]

    def _add(self, proposal: Proposal) -> None:
        if proposal.old is not None and not all(one.store(proposal.old).accepted for one in self._subjects):
            return  # no server has it stored
        answers = [expectedanswers.of_answer(proposal, version) for version in self._versions]
        if any(answer != answers[0] for answer in answers[1:]):
            known = ", ".join(version.crd.kubernetes_version for version in self._versions)
            self.left_out.append(f"{proposal.name}: the answers of {known} differ")
            return
        if not answers[0]:
            return  # nothing to say
        statement = StatedCase(proposal, words.free(proposal.name, self._names), answers[0], self._noun)
        lines = self._layout.case(statement)
        if len(lines) > self._size.of_case or max(map(len, lines)) > _LONGEST_LINE:
            self._too_long.append(statement)
            return
        self._place(len(self._taken) + len(self._waiting), statement)

    def _place(self, number: int, statement: StatedCase) -> None:
        """Take a case, or let it wait."""
        proposal = statement.proposal
        headings = {(proposal.section, ()), (proposal.section, group_of(proposal.place))}
        needed = len(self._layout.case(statement)) + _LINES_OF_HEADING * len(headings - self._headings)
        if needed > self._share:
            self._waiting[number] = statement
            self._waiting_room -= needed
            return
        self._share -= needed
        self._room -= needed
        self._headings |= headings
        self._taken[number] = statement
        if {"contains", "expected"} & statement.stated.keys() and proposal.is_request:
            found = self._versions[0].schema_map.in_value(proposal.input)
            self.set_places.update(node.place for node in found)
