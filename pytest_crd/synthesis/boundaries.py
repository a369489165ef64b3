"""
Boundaries: for a place in a schema and a keyword there, the nearest object that holds and the nearest that breaks it.

Both are whole objects that differ in that place alone. What is returned was judged: the one is accepted, the other refused because of
the keyword.
"""

from __future__ import annotations

import functools
from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from typing import Final

from pytest_crd import engine
from pytest_crd.engine import jsonvalue
from pytest_crd.engine.schema import schemamap
from pytest_crd.engine.schema.schemamap import RULES, Place
from pytest_crd.synthesis import boundaryvalues, objectplaces, repair
from pytest_crd.synthesis.demands import INT_OR_STRING, Demand
from pytest_crd.synthesis.objectchanges import Change, Mutation
from pytest_crd.synthesis.objectplaces import Steps
from pytest_crd.synthesis.placement import Placer
from pytest_crd.synthesis.repair import Judge, NotFoundError, Resource, Search
from pytest_crd.synthesis.rulesearch import RuleSearch

_JUNCTORS: Final = ("allOf", "anyOf", "oneOf", "not")
_REQUIRED: Final = "required"
# What is made up where an object leaves it out.
_OF_RESOURCE: Final = frozenset({("apiVersion",), ("kind",), ("metadata",)})
_MOST_TRIALS: Final = 150
# How many values that break a keyword are kept while the rest of the object is repaired.
_MOST_REPAIRED: Final = 2

# Keywords that say the type of a value beside the one that is told.
_ALSO_TOLD_OF: Final = {
    "type": ("type", "format", "x-kubernetes-int-or-string"),
    "format": ("format", "type"),
}


@dataclass(frozen=True, slots=True)
class Boundary:
    """
    A keyword at a place, and the objects on both sides of what it asks for.

    Attributes:
        place: Where in the schema: `spec.items[*].name`; empty for the whole object.
        keyword: `maximum`, `pattern` …; `required NAME` for each name; `x-kubernetes-validations[0]` for each rule.
        inside: The nearest object that holds it and is accepted; None where none was found.
        outside: The nearest that breaks it, and is refused for that, or of `nullable` loses its null; None where none was found.
        answer: What the server answers to `outside`; None where there is none.
        subresource: By which the objects are written: `status`, or empty for the objects themselves.
        old: What `outside` would replace, where it is the change that is refused; None where it is refused when created.
    """

    place: str
    keyword: str
    inside: Resource | None = None
    outside: Resource | None = None
    answer: engine.Response | None = None
    subresource: str = ""
    old: Resource | None = None


def boundaries(version: engine.Version) -> Iterator[Boundary]:
    """
    Yield the boundary of each keyword at each place of a version's schema, outer places first.

    Raises:
        NoExampleError: There is no object to begin with.
    """
    finder = Boundaries(version)
    for place, node in finder.places():
        for keyword in keywords(node):
            yield _to_be_handed_out(finder.find(place, keyword))


def boundary(version: engine.Version, place: str, keyword: str) -> Boundary:
    """
    Return the boundary of one keyword.

    Args:
        version: Of which version of a CRD.
        place: Where in the schema, as `Boundary` has it.
        keyword: As `Boundary` has it.

    Raises:
        LookupError: There is no such keyword at the place.
        NoExampleError: There is no object to begin with.
    """
    finder = Boundaries(version)
    for steps, node in finder.places():
        if schemamap.spelled(steps) == place and keyword in keywords(node):
            return _to_be_handed_out(finder.find(steps, keyword))
    raise LookupError(f"{version.crd.kind} {version.name} has no {keyword!r} at {place!r}")


def _to_be_handed_out(boundary: Boundary) -> Boundary:
    """Return a boundary whose objects share nothing with the schema, so that they may be changed."""
    inside, outside, old = (
        None if one is None else jsonvalue.copy(one) for one in (boundary.inside, boundary.outside, boundary.old)
    )
    return replace(boundary, inside=inside, outside=outside, old=old)


def keywords(node: Demand) -> Iterator[str]:
    """Yield the keywords of *node* that draw a boundary, as `Boundary` names them."""
    yield from boundaryvalues.keywords(node)
    yield from (f"{_REQUIRED} {name}" for name in node.required)
    # Of an int-or-string the junctors are those that say its two types.
    junctors = () if node.type == INT_OR_STRING else _JUNCTORS
    yield from (junctor for junctor in junctors if node.structure.get(junctor))
    yield from (f"{RULES}[{index}]" for index in range(len(node.structure.get(RULES) or ())))


class Boundaries:
    """Finds boundaries in one version, from one object on."""

    def __init__(self, version: engine.Version) -> None:
        """
        Make the object.

        Raises:
            NoExampleError: There is none.
        """
        self.placer = Placer(version)
        self.root = self.placer.root
        self.maker = self.placer.maker
        self.existing = self.placer.existing
        self.holding = self.placer.holding

    def places(self) -> Iterator[tuple[Place, Demand]]:
        """Yield each place of the schema with what is asked of the value there, the whole object first."""
        for node in self.placer.version.schema_map:
            if node.meta_of is None:
                yield node.place, self.placer.node(node.place)

    def find(self, place: Place, keyword: str) -> Boundary:
        """Return the boundary of a *keyword* at a *place*, both as they are given by `places` and `keywords`."""
        return _Search(self.placer, place, keyword).run()


@dataclass(frozen=True)
class _Search:
    """The search for one boundary."""

    placer: Placer
    place: Place
    keyword: str

    def run(self) -> Boundary:
        name, _, argument = self.keyword.partition(" ")
        if name == _REQUIRED:
            return self._of_required(argument)
        if name in _JUNCTORS:
            return self._of_junctor()
        if name.startswith(RULES):
            return self._of_rule(int(name[len(RULES) + 1 : -1]))
        return self._of_limit()

    @functools.cached_property
    def _node(self) -> Demand:
        return self.placer.node(self.place)

    @functools.cached_property
    def _judge(self) -> Judge:
        return self.placer.judge(self.place)

    def _boundary(self, inside: Resource | None, outside: Resource | None = None) -> Boundary:
        answer = None if outside is None else self._judge(outside)
        subresource = self.placer.subresource(self.place)
        return Boundary(schemamap.spelled(self.place), self.keyword, inside, outside, answer, subresource)

    def _of_limit(self) -> Boundary:
        sides = boundaryvalues.find(self._node, self.keyword, self.placer.maker)
        held = self.placer.first_holding(self.place, sides.inside) or self.placer.existing(self.place)
        if held is None or not self.place:
            return self._boundary(None if held is None else held[0])
        inside, steps = held
        breaks = self._loses_null if self.keyword == "nullable" else self._breaks
        is_broken = functools.partial(breaks, steps=steps)
        broken = [objectplaces.replaced(inside, steps, value) for value in sides.outside]
        outside = next((one for one in broken if is_broken(one)), None)
        if outside is None and self.keyword != "nullable":
            outside = next(filter(None, (self._alone(one, steps) for one in broken[:_MOST_REPAIRED])), None)
        return self._boundary(inside, outside)

    def _alone(self, broken: Resource, steps: Steps) -> Resource | None:
        """Return *broken* with whatever else is refused in it repaired; None where what is at *steps* is not the reason in the end."""

        def distance(answer: engine.Response) -> tuple[int, ...] | None:
            others = sum(not self._is_meant(error) for error in answer.errors)
            return (others,) if others or answer.accepted else None

        def mutations(resource: Resource, error: engine.FieldError | None) -> Iterator[Change]:
            is_other = error is not None and not self._is_meant(error)
            return self.placer.mutator.find(resource, error) if is_other else iter(())

        found = _found(Search(self._judge, distance, mutations, keep=repair.Keep(steps, within=True)), broken)
        return found if found is not None and self._breaks(found, steps) else None

    def _of_required(self, name: str) -> Boundary:
        place = (*self.place, name)
        if place in _OF_RESOURCE:
            return self._boundary(None)
        held = self.placer.existing(place)
        if held is None:
            return self._boundary(None)
        inside, steps = held
        without = objectplaces.removed(inside, steps)
        return self._boundary(inside, without if self._breaks(without, steps) else None)

    def _of_junctor(self) -> Boundary:
        held = self.placer.existing(self.place)
        if held is None:
            return self._boundary(None)
        inside, steps = held

        def mutations(resource: Resource) -> Iterator[Mutation]:
            for value in boundaryvalues.of_junctor(self._node, self.keyword, self.placer.maker):
                if steps:
                    yield Mutation(steps, value)
                elif isinstance(value, dict):
                    yield Mutation(steps, {**inside, **value})
            yield from self.placer.mutator.of_value(resource, steps)

        return self._boundary(inside, self._searched(self._judge, inside, self._distance_from_words, mutations))

    def _distance_from_words(self, answer: engine.Response) -> tuple[int, ...] | None:
        return None if self._says(answer) else (len(answer.errors),)

    def _of_rule(self, index: int) -> Boundary:
        held = self.placer.existing(self.place)
        if held is None:
            return self._boundary(None)
        found = RuleSearch(self.placer, self.place, index, held).run()
        boundary = self._boundary(held[0], found.outside)
        return boundary if found.old is None else replace(boundary, answer=found.answer, old=found.old)

    def _searched(
        self,
        judge: Judge,
        inside: Resource,
        distance: repair.Distance,
        mutations: Callable[[Resource], Iterator[Mutation]],
    ) -> Resource | None:
        """Return the nearest object to *inside* that is answered as *distance* wants it, by *mutations* alone."""
        return _found(Search(judge, distance, lambda one, _: mutations(one)), inside)

    def _breaks(self, resource: Resource, steps: Steps) -> bool:
        """Return whether *resource* is refused because of the keyword at *steps*, and for nothing elsewhere."""
        answer = self._judge(resource)
        elsewhere = (not _may_be_of(error, steps) for error in answer.errors)
        return not answer.accepted and self._says(answer) and not any(elsewhere)

    def _says(self, answer: engine.Response) -> bool:
        return any(map(self._is_meant, answer.errors))

    def _is_meant(self, error: engine.FieldError) -> bool:
        """Return whether the keyword is what *error* is about."""
        keyword, _, name = self.keyword.partition(" ")
        if error.origin is None or error.origin.keyword not in _ALSO_TOLD_OF.get(keyword, (keyword,)):
            return False
        return not name or (error.path is not None and error.path.steps[-1:] == (name,))

    def _loses_null(self, resource: Resource, steps: Steps) -> bool:
        """Return whether the null at *steps* is dropped, or refused."""
        answer = self._judge(resource)
        if answer.accepted:
            return bool(answer.nulls)
        return any(error.path is not None and error.path.steps == steps for error in answer.errors)


def _found(search: Search, start: Resource) -> Resource | None:
    try:
        return search.run(start, most=_MOST_TRIALS)
    except NotFoundError:
        return None


def _may_be_of(error: engine.FieldError, steps: Steps) -> bool:
    """Return whether an error is about what stands at *steps* or in it, or about a junctor of what is around it."""
    if error.path is None:
        return True
    path = error.path.steps
    of_junctor = error.origin is not None and error.origin.keyword in _JUNCTORS
    return path[: len(steps)] == steps or (of_junctor and steps[: len(path)] == path)
