"""Cases about constraints: for each keyword an object that just holds it and one that just breaks it, and for each rule."""

from __future__ import annotations

import enum
import itertools
from collections.abc import Container, Iterator, Mapping, Sequence
from typing import Any, Final

from pytest_crd import engine
from pytest_crd.cases.sections import Section
from pytest_crd.engine.schema.schemamap import RULES, Each, Place
from pytest_crd.generation import proposedcases, words
from pytest_crd.generation.proposedcases import Proposal, bare
from pytest_crd.synthesis import boundaryvalues, objectplaces
from pytest_crd.synthesis.boundaries import Boundaries, Boundary, keywords
from pytest_crd.synthesis.demands import INT_OR_STRING, Demand
from pytest_crd.synthesis.placement import STATUS, PlacedValue
from pytest_crd.synthesis.rulesearch import is_failed_evaluation

OF_RESOURCE: Final = frozenset({"apiVersion", "kind", "metadata"})
_NUMBERS: Final = frozenset({"integer", "number"})
# What any value shows that is accepted, as there is no boundary.
_HELD_BY_ANY: Final = frozenset({"format", "pattern"})
_OF_TYPES: Final = frozenset({"type", "nullable"})
SPEC: Final = "spec"
_MOST_NAMED: Final = 4
_JUNCTORS: Final = ("allOf", "anyOf", "oneOf")
# How long a text and how many items or fields a case may have: those of maps all have names of their own.
_MOST_OF_SIZE: Final = {
    **dict.fromkeys(("minLength", "maxLength"), 100_000),
    **dict.fromkeys(("minItems", "maxItems"), 2_000),
    **dict.fromkeys(("minProperties", "maxProperties"), 128),
}


class KeywordGroup(enum.StrEnum):
    """Keywords of one kind, by which cases are ordered; the value is what a reader calls them."""

    RULES = "rules"
    REQUIRED = "required fields"
    ENUMS = "enums"
    BOUNDS = "bounds"


def keywords_of(node: Demand, group: KeywordGroup) -> list[str]:
    """Return the keywords of *node*, as boundaries have them, that are one *group*."""
    return [keyword for keyword in keywords(node) if _group_of(node, keyword) is group]


def _group_of(node: Demand, keyword: str) -> KeywordGroup | None:
    """Return the group of a *keyword* of *node*; None where it says of which type a value is, as the format of a number does."""
    name = keyword.partition(" ")[0]
    if name in _OF_TYPES or (name == "format" and node.type in _NUMBERS):
        return None
    if name.startswith(RULES):
        return KeywordGroup.RULES
    return {"required": KeywordGroup.REQUIRED, "enum": KeywordGroup.ENUMS}.get(name, KeywordGroup.BOUNDS)


def says_types(place: Place, node: Demand) -> bool:
    """Return whether there are cases about types at *place*: those of fields are asked together, at the object that has them."""
    has_format = node.type in _NUMBERS and "format" in keywords(node)
    return bool(node.properties) or is_inner(place) or node.type == INT_OR_STRING or has_format


class Constraints:
    """
    Proposes the cases of one version.

    Attributes:
        finder: Finds the objects.
        smallest: The object from which the others are made, less what a case may leave out: the smallest that has a spec.
        left_out: What there is no case for, and why.
        excluded: The places that nothing is stated of, not even together with others.
    """

    def __init__(self, version: engine.Version, excluded: Container[Place] = ()) -> None:
        """
        Make the object from which the others are made.

        Args:
            version: The version.
            excluded: The places that nothing is stated of, not even together with others.

        Raises:
            NoExampleError: There is none.
        """
        self.left_out: list[str] = []
        self._version = version
        self.excluded = excluded
        self.finder = Boundaries(version)
        # Few objects have no spec, even where the schema lets there be none.
        held = self.finder.existing((SPEC,)) if SPEC in self.finder.root.properties else None
        self.smallest: Mapping[str, Any] = bare(self.finder.placer.start if held is None else held[0])
        self._fields: dict[Place, Mapping[str, Demand]] = {
            place: node.properties for place, node in self.finder.places()
        }

    def find(self, place: Place, node: Demand, group: KeywordGroup) -> Iterator[Proposal]:
        """Yield the cases about one *group* of what *node* asks of the value at *place*."""
        names = (
            [keyword.partition(" ")[2] for keyword in keywords_of(node, group)]
            if group is KeywordGroup.REQUIRED
            else []
        )
        if (together := self._without(place, names)) is not None:
            yield together
            return
        for keyword in keywords_of(node, group):
            if _is_huge(node, keyword):
                self.left_out.append(
                    f"{words.of_place(place)}: {keyword} {_limit(node, keyword):,} is too large for a case"
                )
                continue
            boundary = self.finder.find_boundary(place, keyword)
            if boundary.outside is None and keyword in _MOST_OF_SIZE and (limit := _limit(node, keyword)):
                self.left_out.append(f"{words.of_place(place)}: {keyword} {limit:,}, beyond which no object was found")
                continue
            if group is not KeywordGroup.REQUIRED and keyword not in _HELD_BY_ANY:
                yield from self._inside(place, node, boundary)
            yield from self._outside(place, node, boundary)
        if group is KeywordGroup.BOUNDS:
            yield from self._branches(place, node)

    def types(self, place: Place, node: Demand) -> Iterator[Proposal]:
        """Yield the cases about the types of the fields of an object, of an item and of the value of a map."""
        yield from self._of_types(place, node)
        for keyword in keywords(node):
            if keyword == "format" and _group_of(node, keyword) is None:
                yield from self._outside(place, node, self.finder.find_boundary(place, keyword))
        if is_inner(place) and node.type:
            yield from self._outside(place, node, self.finder.find_boundary(place, "type"))
        yield from self._types_of_either(place, node)

    def null(self, place: Place, node: Demand) -> Iterator[Proposal]:
        """Yield what becomes of null for an item, or the value of a map; that of a field is asked of the object that has it."""
        if is_inner(place) and node.type:
            boundary = self.finder.find_boundary(place, "nullable")
            yield from self._outside(place, node, boundary)
            yield from self._inside(place, node, boundary)

    def null_of_required(self, place: Place, node: Demand) -> Iterator[Proposal]:
        """Yield that null is nothing for the fields that must be there of the object at *place*."""
        for name, child in node.properties.items():
            is_meta = not place and name in OF_RESOURCE
            is_lost = name in node.required and not is_meta and not child.is_nullable and child.default is None
            held = self.finder.existing((*place, name)) if is_lost else None
            if held is not None:
                yield self.proposal(place, f"{words.fit(name)} must not be null", objectplaces.replaced(*held, None))

    # Boundaries

    def _inside(self, place: Place, node: Demand, boundary: Boundary) -> Iterator[Proposal]:
        if boundary.keyword == "enum":
            for value in node.enum or ():
                yield from self._holding(place, value, f"{words.of_value(value)} is allowed")
        elif boundary.inside is not None:
            value = self._value(boundary.inside, place)
            name = words.of_boundary(boundary.keyword, node.structure, value, holds=True)
            if boundary.old is None:
                yield self.proposal(place, name, boundary.inside)
            else:
                yield self.proposal(place, f"{name} when nothing changes", boundary.old, boundary.old)

    def _outside(self, place: Place, node: Demand, boundary: Boundary) -> Iterator[Proposal]:
        if boundary.outside is None:
            return
        value = self._value(boundary.outside, place)
        name = words.of_boundary(boundary.keyword, _with_format(node), value, holds=False)
        answer = boundary.answer
        if answer is not None and answer.accepted:
            name = "null is dropped"  # as one is that may be left out
        elif answer is not None and any(map(is_failed_evaluation, answer.errors)):
            name = name.replace("breaks the rule", "cannot evaluate the rule", 1)
        yield self.proposal(place, name, boundary.outside, boundary.old)

    def _value(self, resource: Any, place: Place) -> Any:
        return proposedcases.at(resource, place, self._fields)

    def _holding(self, place: Place, value: Any, name: str) -> Iterator[Proposal]:
        held = self.finder.place_value(place, value)
        if held is not None:
            yield self.proposal(place, name, held[0])

    def _types_of_either(self, place: Place, node: Demand) -> Iterator[Proposal]:
        """Yield an object for each type of an int-or-string."""
        if node.type == INT_OR_STRING:
            by_type = {type(value): value for value in reversed(list(self.finder.maker.find_values(node)))}
            for value in by_type.values():
                yield from self._holding(place, value, f"{words.of_value(value)} is allowed")

    def _branches(self, place: Place, node: Demand) -> Iterator[Proposal]:
        """Yield objects that take each branch of the junctors."""
        if node.type == INT_OR_STRING:
            return
        for junctor, branch in ((one, branch) for one in _JUNCTORS for branch in node.structure.get(one) or ()):
            plain = {key: value for key, value in node.structure.items() if key != junctor}
            values = itertools.islice(self.finder.maker.find_values(Demand((plain, branch))), 6)
            found = (self.finder.place_value(place, value) for value in values)
            held = next(filter(None, found), None)
            if held is not None:
                shown = words.of_value(self._value(held[0], place))
                yield self.proposal(place, f"{shown} fits {junctor}", held[0])

    # Fields together

    def _without(self, place: Place, names: Sequence[str]) -> Proposal | None:
        """Return an object at whose *place* the fields *names*, several, are missing; None where not each of them is missed."""
        held = self.finder.existing(place) if len(names) > 1 and (place or not OF_RESOURCE & {*names}) else None
        if held is None or not isinstance(value := objectplaces.at(*held), Mapping):
            return None
        resource, steps = held
        without = objectplaces.replaced(resource, steps, {key: one for key, one in value.items() if key not in names})
        missed = [error.path.steps for error in self.finder.placer.judge(place)(without).errors if error.path]
        if sorted(missed) != sorted((*steps, name) for name in names):
            return None
        return self.proposal(place, f"{words.listed(names, _MOST_NAMED)} are missing", without)

    def _of_types(self, place: Place, node: Demand) -> Iterator[Proposal]:
        """Yield an object whose fields all have a value of another type: each of them is refused."""
        fields = {
            name: boundaryvalues.find_sides(child, "type", self.finder.maker).outside[0]
            for name, child in node.properties.items()
            if child.type and not self._is_left_out(place, node, name)
        }
        held = self.finder.existing(place)
        if not fields or held is None:
            return
        resource, steps = held
        wrong = objectplaces.replaced(resource, steps, {**objectplaces.at(resource, steps), **fields})
        yield self.proposal(place, "values of a wrong type", wrong)

    def _is_left_out(self, place: Place, node: Demand, name: str) -> bool:
        of_object = (not place or node.is_embedded_resource) and name in OF_RESOURCE
        return (
            of_object or (*place, name) in self.excluded or (not place and name == STATUS and self._version.has_status)
        )

    # Objects as a whole

    def set(self, place: Place) -> Iterator[Proposal]:
        """Yield an object in which something stands at *place*."""
        held: PlacedValue | None = self.finder.existing(place)
        if held is not None:
            yield self.proposal(place, "may be set", held[0])

    def is_of_status(self, place: Place) -> bool:
        """Return whether what is at *place* is written by updates of the status alone."""
        return bool(place[:1] == (STATUS,) and self._version.has_status)

    def proposal(self, place: Place, what: str, resource: Any, old: Any = None) -> Proposal:
        """Return the case in which *resource* is sent, *old* being stored before, if something is; *what* holds at *place*."""
        name = f"{words.of_place(place)}: {what}"
        if self.is_of_status(place):
            before = self.smallest if old is None else bare(old)
            return Proposal(Section.UPDATE_STATUS, name, place, bare(resource), before)
        if old is not None:
            return Proposal(Section.UPDATE, name, place, bare(resource), bare(old))
        return Proposal(Section.CREATE, name, place, bare(resource))


def is_inner(place: Place) -> bool:
    """Return whether something else than a field of an object stands at *place*."""
    return bool(place) and isinstance(place[-1], Each)


def _is_huge(node: Demand, keyword: str) -> bool:
    """Return whether what lies at the boundary that *keyword* draws is more than a person reads."""
    most = _MOST_OF_SIZE.get(keyword)
    return most is not None and _limit(node, keyword) > most


def _limit(node: Demand, keyword: str) -> int:
    """Return the limit of a size."""
    return max(node.least(keyword), node.most(keyword) or 0)


def _with_format(node: Demand) -> Mapping[str, Any]:
    """Return what is declared at a place, with the format that a junctor may ask for."""
    return {"format": node.text.format, **node.structure}
