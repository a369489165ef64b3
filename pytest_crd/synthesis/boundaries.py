"""
Boundaries: for a keyword at a place of a schema, the nearest object that satisfies it and the nearest that violates it.

Both are whole objects that differ at that place only. The engine has judged both: one is accepted, the other is refused because of the
keyword.
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
from pytest_crd.synthesis.rulesearch import RuleSearch, RuleWrite

_JUNCTORS: Final = ("allOf", "anyOf", "oneOf", "not")
_REQUIRED: Final = "required"
# Fields that the server sets if an object lacks them.
_OF_RESOURCE: Final = frozenset({("apiVersion",), ("kind",), ("metadata",)})
_MOST_TRIALS: Final = 150
# The number of violating values that are kept while the rest of the object is repaired.
_MOST_REPAIRED: Final = 2

# Keywords that may be reported in place of another keyword.
_RELATED_KEYWORDS: Final = {
    "type": ("type", "format", "x-kubernetes-int-or-string"),
    "format": ("format", "type"),
}


@dataclass(frozen=True, slots=True)
class Boundary:
    """
    A keyword at a place, with objects on both sides of its limit.

    Attributes:
        place: The place in the schema: `spec.items[*].name`; empty for the whole object.
        keyword: `maximum`, `pattern` …; `required NAME` for each name; `x-kubernetes-validations[0]` for each rule.
        inside: The nearest accepted object that satisfies the keyword; None if none was found.
        outside: The nearest object that is refused because of the keyword, or whose null is dropped for `nullable`; None if none was found.
        answer: The server's answer to `outside`; None if there is none.
        subresource: The subresource through which the objects are written: `status`, or empty for the main resource.
        old: The object that `outside` replaces if the change is refused; None if `outside` is refused when created.
    """

    place: str
    keyword: str
    inside: Resource | None = None
    outside: Resource | None = None
    answer: engine.Response | None = None
    subresource: str = ""
    old: Resource | None = None


def boundaries(version: engine.CrdVersion) -> Iterator[Boundary]:
    """
    Yield the boundary of each keyword at each place of a version's schema, outer places first.

    Raises:
        NoExampleError: No accepted object is known.
    """
    finder = Boundaries(version)
    for place, node in finder.places():
        for keyword in keywords(node):
            yield _copy_objects(finder.find_boundary(place, keyword))


def boundary(version: engine.CrdVersion, place: str, keyword: str) -> Boundary:
    """
    Return the boundary of one keyword.

    Args:
        version: The version of a CRD.
        place: The place in the schema, spelled as in `Boundary`.
        keyword: The keyword, spelled as in `Boundary`.

    Raises:
        LookupError: The schema has no such keyword at the place.
        NoExampleError: No accepted object is known.
    """
    finder = Boundaries(version)
    for steps, node in finder.places():
        if schemamap.spelled(steps) == place and keyword in keywords(node):
            return _copy_objects(finder.find_boundary(steps, keyword))
    raise LookupError(f"{version.crd.kind} {version.name} has no {keyword!r} at {place!r}")


def _copy_objects(boundary: Boundary) -> Boundary:
    """Return *boundary* with copies of its objects, so that callers may change them."""
    inside, outside, old = (
        None if resource is None else jsonvalue.copy(resource)
        for resource in (boundary.inside, boundary.outside, boundary.old)
    )
    return replace(boundary, inside=inside, outside=outside, old=old)


def keywords(node: Demand) -> Iterator[str]:
    """Yield the keywords of *node* that have boundaries, spelled as in `Boundary`."""
    yield from boundaryvalues.keywords(node)
    yield from (f"{_REQUIRED} {name}" for name in node.required)
    # The junctors of an int-or-string declare its two types.
    junctors = () if node.type == INT_OR_STRING else _JUNCTORS
    yield from (junctor for junctor in junctors if node.structure.get(junctor))
    yield from (f"{RULES}[{index}]" for index in range(len(node.structure.get(RULES) or ())))


class Boundaries:
    """A finder of boundaries in one version."""

    def __init__(self, version: engine.CrdVersion) -> None:
        """
        Make the smallest object.

        Raises:
            NoExampleError: No accepted object is known.
        """
        self.placer = Placer(version)
        self.root = self.placer.root
        self.maker = self.placer.maker
        self.existing = self.placer.existing
        self.place_value = self.placer.place_value

    def places(self) -> Iterator[tuple[Place, Demand]]:
        """Yield each place of the schema with its demand, the whole object first."""
        for node in self.placer.version.schema_map:
            if node.meta_of is None:
                yield node.place, self.placer.node(node.place)

    def find_deciding(self, place: Place, index: int, boundary: Boundary) -> Iterator[RuleWrite]:
        """Yield writes that show what the parts of a rule decide and the objects of its *boundary* do not show."""
        placed = self.placer.existing(place)
        if placed is None:
            return
        tried = [
            RuleWrite(item, boundary.old)
            for item in (boundary.inside, boundary.outside, boundary.old)
            if item is not None
        ]
        yield from RuleSearch(self.placer, place, index, placed).find_deciding(tried)

    def find_deciding_write(self, place: Place, index: int, variant: int) -> RuleWrite | None:
        """Return a write for which one variant of a rule has another result; None if none was found."""
        placed = self.placer.existing(place)
        return None if placed is None else RuleSearch(self.placer, place, index, placed).find_deciding_write(variant)

    def find_boundary(self, place: Place, keyword: str, *, is_alone: bool = True) -> Boundary:
        """
        Return the boundary of a keyword from `keywords` at a place from `places`.

        Args:
            place: The place.
            keyword: The keyword.
            is_alone: Whether `outside` must have no errors elsewhere, such as of a rule that has the same limit.
        """
        return _Search(self.placer, place, keyword, is_alone=is_alone).run()


@dataclass(frozen=True)
class _Search:
    """The search for one boundary."""

    placer: Placer
    place: Place
    keyword: str
    is_alone: bool

    def run(self) -> Boundary:
        name, _, argument = self.keyword.partition(" ")
        if name == _REQUIRED:
            return self._find_required(argument)
        if name in _JUNCTORS:
            return self._find_junctor()
        if name.startswith(RULES):
            return self._find_rule(int(name[len(RULES) + 1 : -1]))
        return self._find_limit()

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

    def _find_limit(self) -> Boundary:
        sides = boundaryvalues.find_sides(self._node, self.keyword, self.placer.maker)
        placed = self.placer.place_first_value(self.place, sides.inside) or self.placer.existing(self.place)
        if placed is None or not self.place:
            return self._boundary(None if placed is None else placed[0])
        inside, steps = placed
        breaks = self._loses_null if self.keyword == "nullable" else self._breaks
        is_broken = functools.partial(breaks, steps=steps)
        broken = [objectplaces.replace_value(inside, steps, value) for value in sides.outside]
        outside = next((candidate for candidate in broken if is_broken(candidate)), None)
        if outside is None and self.keyword != "nullable":
            outside = next(
                filter(None, (self._repair_rest(candidate, steps) for candidate in broken[:_MOST_REPAIRED])), None
            )
        if outside is None and not self.is_alone:
            outside = next((candidate for candidate in broken if self._is_refused_at(candidate, steps)), None)
        return self._boundary(inside, outside)

    def _is_refused_at(self, resource: Resource, steps: Steps) -> bool:
        """Return True if the keyword is a reason to refuse the value at *steps*; other values may be refused too."""
        errors = filter(self._is_about_keyword, self._judge(resource).errors)
        return any(error.path is not None and error.path.steps == steps for error in errors)

    def _repair_rest(self, broken: Resource, steps: Steps) -> Resource | None:
        """Return *broken* with all other errors repaired; None if the value at *steps* does not cause the refusal in the end."""

        def distance(answer: engine.Response) -> tuple[int, ...] | None:
            others = sum(not self._is_about_keyword(error) for error in answer.errors)
            return (others,) if others or answer.accepted else None

        def mutations(resource: Resource, error: engine.FieldError | None) -> Iterator[Change]:
            is_other = error is not None and not self._is_about_keyword(error)
            return self.placer.mutator.find_changes(resource, error) if is_other else iter(())

        repaired = _run_search(Search(self._judge, distance, mutations, keep=repair.Keep(steps, within=True)), broken)
        return repaired if repaired is not None and self._breaks(repaired, steps) else None

    def _find_required(self, name: str) -> Boundary:
        place = (*self.place, name)
        if place in _OF_RESOURCE:
            return self._boundary(None)
        placed = self.placer.existing(place)
        if placed is None:
            return self._boundary(None)
        inside, steps = placed
        without = objectplaces.remove_value(inside, steps)
        return self._boundary(inside, without if self._breaks(without, steps) else None)

    def _find_junctor(self) -> Boundary:
        placed = self.placer.existing(self.place)
        if placed is None:
            return self._boundary(None)
        inside, steps = placed

        def mutations(resource: Resource) -> Iterator[Mutation]:
            for value in boundaryvalues.find_junctor_values(self._node, self.keyword, self.placer.maker):
                if steps:
                    yield Mutation(steps, value)
                elif isinstance(value, dict):
                    yield Mutation(steps, {**inside, **value})
            yield from self.placer.mutator.vary_value(resource, steps)

        return self._boundary(inside, self._search(self._judge, inside, self._distance_from_words, mutations))

    def _distance_from_words(self, answer: engine.Response) -> tuple[int, ...] | None:
        return None if self._reports_keyword(answer) else (len(answer.errors),)

    def _find_rule(self, index: int) -> Boundary:
        placed = self.placer.existing(self.place)
        if placed is None:
            return self._boundary(None)
        refused = RuleSearch(self.placer, self.place, index, placed).run()
        boundary = self._boundary(placed[0], refused.outside)
        return boundary if refused.old is None else replace(boundary, answer=refused.answer, old=refused.old)

    def _search(
        self,
        judge: Judge,
        inside: Resource,
        distance: repair.Distance,
        mutations: Callable[[Resource], Iterator[Mutation]],
    ) -> Resource | None:
        """Return the nearest object to *inside* with an answer of no *distance*, using *mutations* only; None if the search fails."""
        return _run_search(Search(judge, distance, lambda resource, _: mutations(resource)), inside)

    def _breaks(self, resource: Resource, steps: Steps) -> bool:
        """Return True if *resource* is refused because of the keyword at *steps*, and has no errors elsewhere."""
        answer = self._judge(resource)
        elsewhere = (not _may_be_caused_at(error, steps) for error in answer.errors)
        return not answer.accepted and self._reports_keyword(answer) and not any(elsewhere)

    def _reports_keyword(self, answer: engine.Response) -> bool:
        return any(map(self._is_about_keyword, answer.errors))

    def _is_about_keyword(self, error: engine.FieldError) -> bool:
        """Return True if *error* is about the keyword."""
        keyword, _, name = self.keyword.partition(" ")
        if error.origin is None or error.origin.keyword not in _RELATED_KEYWORDS.get(keyword, (keyword,)):
            return False
        return not name or (error.path is not None and error.path.steps[-1:] == (name,))

    def _loses_null(self, resource: Resource, steps: Steps) -> bool:
        """Return True if the null at *steps* is dropped or refused."""
        answer = self._judge(resource)
        if answer.accepted:
            return bool(answer.nulls)
        return any(error.path is not None and error.path.steps == steps for error in answer.errors)


def _run_search(search: Search, start: Resource) -> Resource | None:
    try:
        return search.run(start, most=_MOST_TRIALS)
    except NotFoundError:
        return None


def _may_be_caused_at(error: engine.FieldError, steps: Steps) -> bool:
    """Return True if an error is at *steps* or inside, or about a junctor of a parent."""
    if error.path is None:
        return True
    path = error.path.steps
    is_of_junctor = error.origin is not None and error.origin.keyword in _JUNCTORS
    return path[: len(steps)] == steps or (is_of_junctor and steps[: len(path)] == path)
