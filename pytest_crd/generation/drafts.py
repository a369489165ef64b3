"""The cases of a file in the making: each is answered, told apart from the others, and left out where it is too long to be read."""

from __future__ import annotations

import json
from collections.abc import Iterable, Sequence
from typing import Final

from pytest_crd import engine
from pytest_crd.cases.subject import CaseSubject
from pytest_crd.engine.schema.schemamap import Place
from pytest_crd.generation import expectations, words
from pytest_crd.generation.layout import Layout, StatedCase
from pytest_crd.generation.proposals import Proposal

_LONGEST_LINE: Final = 2000
_LONGEST_CASE: Final = 200


class Drafts:
    """
    Takes proposals.

    Attributes:
        statements: The cases so far.
        left_out: Why others are none, each with its name.
        set_places: The places at which an accepted object has something.
    """

    def __init__(self, versions: Sequence[engine.Version], layout: Layout, room: int) -> None:
        """
        Begin with no case.

        Args:
            versions: The version under each Kubernetes version for which the cases have to hold.
            layout: How they are written.
            room: How many lines there may be.
        """
        self.statements: list[StatedCase] = []
        self.left_out: list[str] = []
        self.set_places: set[Place] = set()
        self._versions = versions
        self._subjects = [CaseSubject(version) for version in versions]
        self._layout = layout
        self._room = room
        self._names: set[str] = set()
        self._seen: set[str] = set()

    @property
    def is_full(self) -> bool:
        """Whether there is no room for another."""
        return self._room <= 0

    def take(self, proposals: Iterable[Proposal]) -> None:
        """Take each of *proposals* that says something new, as long as there is room."""
        for proposal in proposals:
            key = json.dumps([proposal.section, proposal.input, proposal.old, bool(proposal.stated)], sort_keys=True)
            if key not in self._seen:
                self._seen.add(key)
                self._add(proposal)

    def _add(self, proposal: Proposal) -> None:
        if proposal.old is not None and not all(one.store(proposal.old).accepted for one in self._subjects):
            return  # no server has it stored
        answers = [expectations.of_answer(proposal, version) for version in self._versions]
        if any(answer != answers[0] for answer in answers[1:]):
            known = ", ".join(version.crd.kubernetes_version for version in self._versions)
            self.left_out.append(f"{proposal.name}: the answers of {known} differ")
            return
        statement = StatedCase(proposal, words.free(proposal.name, self._names), answers[0])
        lines = self._layout.case(statement)
        if len(lines) > _LONGEST_CASE or max(map(len, lines)) > _LONGEST_LINE:
            self.left_out.append(f"{statement.name}: too long to be read")
            return
        if self.is_full:
            self.left_out.append(statement.name)
            return
        self._room -= len(lines)
        self.statements.append(statement)
        if "errors" not in statement.stated and proposal.is_request:
            found = self._versions[0].schema_map.in_value(proposal.input)
            self.set_places.update(node.place for node in found)
