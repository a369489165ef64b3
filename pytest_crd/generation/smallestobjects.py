"""Cases of objects without optional fields: a newly required field refuses them, and a new default changes them."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping
from dataclasses import replace
from typing import Any, Final, NamedTuple

from pytest_crd.casefiles import yamltext
from pytest_crd.engine.schema.schemamap import Each, Place, SchemaNode
from pytest_crd.generation.constraints import Constraints
from pytest_crd.generation.proposedcases import Proposal, bare
from pytest_crd.synthesis import objectplaces
from pytest_crd.synthesis.placement import STATUS, Placer

# The number of lines of an object with its answer that fit in a case.
_MOST_LINES: Final = 34
_WIDTH: Final = 140
# The object itself, beside the names of its fields.
_ITSELF: Final = Each.VALUE
STATEMENT: Final = "optional fields may be left out"


class _Grown(NamedTuple):
    """
    An accepted object that lacks optional fields.

    Attributes:
        resource: The object.
        lacking: The places of the fields that it lacks.
        lines_of_answer: The number of lines of the stored object; 0 if that is the same.
    """

    resource: Any
    lacking: set[Place]
    lines_of_answer: int


def propose(constraints: Constraints, places: Collection[Place]) -> Iterator[Proposal]:
    """
    Yield cases in which the objects at *places* have only required fields.

    Each case adds as many objects as fit; an object is in several cases if its inner objects are optional.
    """
    placer = constraints.finder.placer
    for is_of_status in (False, True):
        waiting = {
            place: {(*place, _ITSELF), *_optional_fields(placer, place)}
            for place in sorted(places, key=len, reverse=True)
            if placer.node(place).properties and (placer.subresource(place) == STATUS) is is_of_status
        }
        # An object counts like its optional fields: it has to be in a case even if it has none.
        wanted: set[Place] = {field for fields in waiting.values() for field in fields}
        while wanted:
            grown = _grow(placer, [place for place, fields in waiting.items() if fields & wanted], wanted)
            if grown is None:
                break
            wanted -= grown.lacking
            yield replace(constraints.proposal(_common_place(waiting), STATEMENT, grown.resource), is_exact=True)


def _common_place(places: Collection[Place]) -> Place:
    """Return the innermost place around all *places*, at least one."""
    common = min(places, key=len)
    while not all(place[: len(common)] == common for place in places):
        common = common[:-1]
    return common


def _grow(placer: Placer, places: Collection[Place], wanted: Collection[Place]) -> _Grown | None:
    """Return an object that has values at as many of *places* as fit, inner ones first; None if it lacks no *wanted* field."""
    best: _Grown | None = None
    resource: Any = placer.start
    for place in places:
        candidate = _add(placer, resource, place)
        if candidate is None:
            continue
        lines = _count_lines(candidate)
        # The answer is at least as long as that to the smaller object; counting lines costs less than asking for it.
        if lines + (best.lines_of_answer if best else 0) > _MOST_LINES:
            continue
        answer = placer.judge(place)(candidate)
        if not answer.accepted:
            continue
        lines_of_answer = 0 if bare(candidate) == bare(answer.stored) else _count_lines(answer.stored)
        if lines + lines_of_answer > _MOST_LINES:
            continue
        lacking = {*_lacking(placer.version.schema_map, candidate, answer.stored)} & {*wanted}
        if best is None or len(lacking) > len(best.lacking):
            best, resource = _Grown(candidate, lacking, lines_of_answer), candidate
    return best if best is not None and best.lacking else None


def _add(placer: Placer, resource: Any, place: Place) -> Any:
    """Return *resource* with the smallest accepted value at *place*; None if no value is accepted."""
    placed = placer.existing(place)
    if placed is None:
        return None
    example, steps = placed
    there, missing = objectplaces.split_path(resource, steps)
    if not missing:
        return resource
    if isinstance(missing[0], int):
        return objectplaces.replace_value(resource, there, objectplaces.get_value(example, there))
    added = (*there, missing[0])
    return objectplaces.replace_value(resource, added, objectplaces.get_value(example, added))


def _count_lines(resource: Any) -> int:
    """Return the number of lines of an object in a case."""
    return len(yamltext.entry("input", bare(resource), width=_WIDTH))


def _optional_fields(placer: Placer, place: Place) -> Iterator[Place]:
    node = placer.node(place)
    for name, child in node.properties.items():
        if (
            name not in node.required
            and child.default is None
            and (place or name not in {"apiVersion", "kind", "metadata"})
        ):
            yield (*place, name)


def _lacking(node: SchemaNode, sent: Any, stored: Any) -> Iterator[Place]:
    """Yield the places of objects, and of the declared fields that neither of two values has."""
    if isinstance(sent, Mapping) and isinstance(stored, Mapping):
        yield (*node.place, _ITSELF)
        yield from (child.place for name, child in node.properties.items() if name not in sent and name not in stored)
        steps: Any = sent.keys() & stored.keys()
    else:
        steps = range(min(len(sent), len(stored))) if isinstance(sent, list) and isinstance(stored, list) else ()
    for step in steps:
        if (child := node.child(step)) is not None:
            yield from _lacking(child, sent[step], stored[step])
