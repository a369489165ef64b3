"""Cases about constraints: for each keyword an object that just holds it and one that just breaks it, and for each rule."""

from __future__ import annotations

import itertools
from collections.abc import Iterator, Mapping
from typing import Any, Final

from pytest_crd import engine
from pytest_crd.cases.model import Section
from pytest_crd.engine.schema.schemamap import Each, Place
from pytest_crd.examples import limits, places
from pytest_crd.examples.boundaries import Boundaries, Boundary, keywords
from pytest_crd.examples.demands import INT_OR_STRING, Demand
from pytest_crd.examples.placement import STATUS, Held
from pytest_crd.examples.rulesearch import is_failed_evaluation
from pytest_crd.generation import proposals, words
from pytest_crd.generation.proposals import Proposal, bare

_OF_RESOURCE: Final = frozenset({"apiVersion", "kind", "metadata"})
_JUNCTORS: Final = ("allOf", "anyOf", "oneOf")
# How long a text and how many items or fields a case may show.
_MOST_OF_SIZE: Final = {
    **dict.fromkeys(("minLength", "maxLength"), 1024),
    **dict.fromkeys(("minItems", "maxItems", "minProperties", "maxProperties"), 128),
}


class Constraints:
    """
    Proposes the cases of one version.

    Attributes:
        finder: Finds the objects.
        smallest: The object from which the others are made, less what a case may leave out.
        left_out: What there is no case for, and why.
    """

    def __init__(self, version: engine.Version) -> None:
        """
        Make the object from which the others are made.

        Raises:
            NoExampleError: There is none.
        """
        self.left_out: list[str] = []
        self._version = version
        self.finder = Boundaries(version)
        self.smallest = bare(self.finder.existing(())[0])  # type: ignore[index] # the root is always there
        self._fields: dict[Place, Mapping[str, Demand]] = {
            place: node.properties for place, node in self.finder.places()
        }

    def find(self, place: Place, node: Demand) -> Iterator[Proposal]:
        """Yield the cases about what *node* asks of the value at *place*."""
        yield from self._of_types(place, node)
        for keyword in keywords(node):
            if keyword in {"type", "nullable"} and not _is_inner(place):
                continue  # those of fields are asked together, at the object that has them
            if _is_huge(node, keyword):
                self.left_out.append(f"{words.of_place(place)}: {keyword} is too large for a case that can be read")
                continue
            boundary = self.finder.find(place, keyword)
            if keyword != "type" and not keyword.startswith("required"):
                yield from self._inside(place, node, boundary)
            yield from self._outside(place, node, boundary)
        yield from self._alternatives(place, node)

    # Boundaries

    def _inside(self, place: Place, node: Demand, boundary: Boundary) -> Iterator[Proposal]:
        if boundary.keyword == "enum":
            for value in node.enum or ():
                yield from self._holding(place, value, f"{words.of_value(value)} is allowed")
        elif boundary.inside is not None:
            value = self._value(boundary.inside, place)
            name = words.of_boundary(boundary.keyword, node.structure, value, holds=True)
            if boundary.old is None:
                yield self._proposal(place, name, boundary.inside)
            else:
                yield self._proposal(place, f"{name} when nothing changes", boundary.old, boundary.old)

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
        yield self._proposal(place, name, boundary.outside, boundary.old)

    def _value(self, resource: Any, place: Place) -> Any:
        return proposals.at(resource, place, self._fields)

    def _holding(self, place: Place, value: Any, name: str) -> Iterator[Proposal]:
        held = self.finder.holding(place, value)
        if held is not None:
            yield self._proposal(place, name, held[0])

    def _alternatives(self, place: Place, node: Demand) -> Iterator[Proposal]:
        """Yield objects that take each branch of the junctors, and each type of an int-or-string."""
        if node.type == INT_OR_STRING:
            by_type = {type(value): value for value in reversed(list(self.finder.maker.find(node)))}
            for value in by_type.values():
                yield from self._holding(place, value, f"{words.of_value(value)} is allowed")
            return
        for junctor, branch in ((one, branch) for one in _JUNCTORS for branch in node.structure.get(one) or ()):
            plain = {key: value for key, value in node.structure.items() if key != junctor}
            values = itertools.islice(self.finder.maker.find(Demand((plain, branch))), 6)
            found = (self.finder.holding(place, value) for value in values)
            held = next(filter(None, found), None)
            if held is not None:
                shown = words.of_value(self._value(held[0], place))
                yield self._proposal(place, f"{shown} fits {junctor}", held[0])

    # Fields together

    def _of_types(self, place: Place, node: Demand) -> Iterator[Proposal]:
        """Yield an object whose fields all have a value of another type: each of them is refused."""
        fields = {
            name: limits.find(child, "type", self.finder.maker).outside[0]
            for name, child in node.properties.items()
            if child.type and not self._is_left_out(place, node, name)
        }
        held = self.finder.existing(place)
        if not fields or held is None:
            return
        resource, steps = held
        wrong = places.replaced(resource, steps, {**places.at(resource, steps), **fields})
        yield self._proposal(place, "values of a wrong type", wrong)

    def _is_left_out(self, place: Place, node: Demand, name: str) -> bool:
        of_object = (not place or node.is_embedded_resource) and name in _OF_RESOURCE
        return of_object or (not place and name == STATUS and self._version.has_status)

    # Objects as a whole

    def set(self, place: Place) -> Iterator[Proposal]:
        """Yield an object in which something stands at *place*."""
        held: Held | None = self.finder.existing(place)
        if held is not None:
            yield self._proposal(place, "may be set", held[0])

    def is_of_status(self, place: Place) -> bool:
        """Return whether what is at *place* is written by updates of the status alone."""
        return bool(place[:1] == (STATUS,) and self._version.has_status)

    def _proposal(self, place: Place, what: str, resource: Any, old: Any = None) -> Proposal:
        name = f"{words.of_place(place)}: {what}"
        if self.is_of_status(place):
            before = self.smallest if old is None else bare(old)
            return Proposal(Section.UPDATE_STATUS, name, place, bare(resource), before)
        if old is not None:
            return Proposal(Section.UPDATE, name, place, bare(resource), bare(old))
        return Proposal(Section.CREATE, name, place, bare(resource))


def _is_inner(place: Place) -> bool:
    """Return whether something else than a field of an object stands at *place*."""
    return bool(place) and isinstance(place[-1], Each)


def _is_huge(node: Demand, keyword: str) -> bool:
    """Return whether what lies at the boundary that *keyword* draws is more than a person reads."""
    most = _MOST_OF_SIZE.get(keyword)
    return most is not None and max(node.least(keyword), node.most(keyword) or 0) > most


def _with_format(node: Demand) -> Mapping[str, Any]:
    """Return what is declared at a place, with the format that a junctor may ask for."""
    return {"format": node.text.format, **node.structure}
