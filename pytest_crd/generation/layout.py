"""The text of a case file: its head, its sections in the order of a request, and their cases, grouped by field."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final

from pytest_crd.cases.model import UPDATES, Section
from pytest_crd.generation import patches, words, yamltext
from pytest_crd.generation.proposals import Proposal
from pytest_crd.generation.yamltext import Alias

# Deep enough to tell parts of a CRD apart, and not a heading for each field.
_DEPTH_OF_GROUP: Final = 2
_SMALLEST: Final = "smallest"


@dataclass(frozen=True, slots=True)
class Statement:
    """
    A case with what is expected of it.

    Attributes:
        proposal: The case.
        name: Its name, unique in the file.
        stated: What is expected, by the keys of a case.
    """

    proposal: Proposal
    name: str
    stated: Mapping[str, Any]


class Layout:
    """
    Writes cases that are made from one object.

    Attributes:
        smallest: The object, which has an anchor.
    """

    def __init__(self, smallest: Mapping[str, Any]) -> None:
        self.smallest = smallest

    def case(self, statement: Statement) -> list[str]:
        """Return the lines of a case."""
        proposal = statement.proposal
        keys: dict[str, Any] = {"name": statement.name}
        if proposal.section in UPDATES:
            keys |= self._object(proposal.old or {}, "old", "oldPatch")
        keys |= self._object(proposal.input, "input", "patch") if proposal.is_request else {"input": proposal.input}
        keys |= statement.stated
        # What holds reads as a table; what is refused wants its lines.
        if statement.stated == {"accepted": True} and len(line := f"- {yamltext.flow(keys)}") <= yamltext.WIDTH:
            return [line]
        lines = list(yamltext.block(keys, "  "))
        return [f"- {lines[0].removeprefix('  ')}", *lines[1:]]

    def _object(self, resource: Mapping[str, Any], key: str, patch: str) -> dict[str, Any]:
        changes = patches.between(self.smallest, resource)
        if changes is None:
            return {key: Alias(_SMALLEST)}
        if not self.smallest or len(yamltext.flow(changes)) > len(yamltext.flow(resource)):
            return {key: resource}
        return {key: Alias(_SMALLEST), patch: changes}

    def anchor(self) -> list[str]:
        """Return the lines that give the object its anchor."""
        line = f"x-{_SMALLEST}: &{_SMALLEST} {yamltext.flow(self.smallest)}"
        if len(line) <= yamltext.WIDTH or not self.smallest:
            return [line]
        return [f"x-{_SMALLEST}: &{_SMALLEST}", *yamltext.block(self.smallest, "  ")]

    def sections(self, statements: Sequence[Statement]) -> Iterator[str]:
        """Yield the lines of all sections, an empty one before each."""
        for section in Section:
            found = [one for one in statements if one.proposal.section is section]
            if found:
                yield ""
                yield f"{section.value}:"
                yield from self._cases(found)

    def _cases(self, statements: Sequence[Statement]) -> Iterator[str]:
        group: tuple[str, ...] = ()
        for index, statement in enumerate(statements):
            found = statement.proposal.place[:_DEPTH_OF_GROUP]
            if found != group:
                yield from ([""] if index else [])
                yield f"# {words.of_place(found)}"
            group = found
            yield from self.case(statement)
