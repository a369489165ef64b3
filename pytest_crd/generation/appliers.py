"""Cases about who owns what: for each list or map type that the schema states, two managers who apply something there."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, Final

from pytest_crd.cases import expectedowners
from pytest_crd.cases.sections import Section
from pytest_crd.engine import Response, Version
from pytest_crd.engine.errors.failedrule import Steps
from pytest_crd.engine.schema import ownertypes
from pytest_crd.engine.schema.ownertypes import LIST_MAP_KEYS, LIST_TYPE
from pytest_crd.engine.schema.schemamap import SchemaNode
from pytest_crd.generation import words
from pytest_crd.generation.constraints import Constraints
from pytest_crd.generation.proposedcases import Proposal, bare
from pytest_crd.synthesis import objectplaces
from pytest_crd.synthesis.demands import Demand

FIRST: Final = "gitops"
SECOND: Final = "operator"
# What such a case is called, whatever comes of it.
TWO_MANAGERS: Final = "two managers apply"


def has_type(node: SchemaNode) -> bool:
    """Return whether a schema states how managers share what is at a place: a list type, or that a map has one owner."""
    return node.meta_of is None and (LIST_TYPE in node.schema or ownertypes.is_atomic_map(node))


def find(constraints: Constraints, version: Version, node: SchemaNode, demand: Demand) -> Iterator[Proposal]:
    """
    Yield the case in which two managers apply what they state at the place of a node; none where no such objects are found.

    Args:
        constraints: What makes objects.
        version: Their version.
        node: What the schema says of the place.
        demand: What is asked of a value there.
    """
    held = constraints.finder.existing(node.place)
    if held is None or version.unknown_when_stored:
        return
    resource, steps = held
    pair = _pair(node, demand, objectplaces.at(resource, steps), constraints)
    second = None if pair is None else _alone(version.schema_map, resource, steps, pair[1])
    if pair is None or second is None:
        return
    first = bare(objectplaces.replaced(resource, steps, pair[0]))
    is_of_status = constraints.is_of_status(node.place)
    section = Section.APPLY_STATUS if is_of_status else Section.APPLY
    old = constraints.smallest if is_of_status else None
    name = f"{words.of_place(node.place)}: {TWO_MANAGERS}"
    yield Proposal(section, name, node.place, first, old, second=second)


def answer(proposal: Proposal, version: Version) -> Response | None:
    """Return the answer to the second apply; None where the first one is refused."""
    subresource = proposal.section.subresource
    old = None if proposal.old is None else dict(proposal.old)
    first = version.apply(proposal.input, manager=FIRST, old=old, subresource=subresource)
    if not first.accepted:
        return None
    return version.apply(proposal.second or {}, manager=SECOND, old=first, subresource=subresource)


def owned(answer: Response) -> dict[str, list[str]]:
    """Return what the second manager owns, as a case states it."""
    return {SECOND: expectedowners.find_shortest_paths(answer.managers.get(SECOND, ()))}


def _pair(node: SchemaNode, demand: Demand, value: Any, constraints: Constraints) -> tuple[Any, Any] | None:
    """Return what each of the managers states at a place: an item each, or of what has one owner something and nothing."""
    if ownertypes.is_shared_by_item(node):
        two = constraints.finder.maker.items(demand, 2)
        return (two[:1], two[1:]) if isinstance(two, list) and len(two) > 1 else None
    if not value and isinstance(value, list):
        value = constraints.finder.maker.items(demand, 1)
    return (value, type(value)()) if value else None


def _alone(node: SchemaNode, value: Any, steps: Steps, wanted: Any) -> Any:
    """
    Return an object that has *wanted* at *steps* and nothing more, but the keys of items on the way.

    None where one manager owns something on the way as a whole.
    """
    if not steps:
        return wanted
    step, *rest = steps
    child = node.child(step)
    if child is None or _is_whole(node):
        return None
    inner = _alone(child, value[step], tuple(rest), wanted)
    if inner is None:
        return None
    if isinstance(step, str):
        return {step: inner}
    keys = node.schema.get(LIST_MAP_KEYS, ())
    return [{**{key: value[step][key] for key in keys if key in value[step]}, **inner}]


def _is_whole(node: SchemaNode) -> bool:
    """Return whether one manager owns all of what is in a value; items of a set, too, have nothing inside that is shared."""
    if ownertypes.is_list(node):
        return node.schema.get(LIST_TYPE) != "map"
    return ownertypes.is_atomic_map(node)
