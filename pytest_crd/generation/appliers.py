"""Cases about field ownership: for each declared list or map type, two managers that apply values there."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, Final

from pytest_crd.cases import expectedowners
from pytest_crd.cases.sections import Section
from pytest_crd.engine import CrdVersion, Response
from pytest_crd.engine.errors.origin import Steps
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
# The name of such a case, independent of its outcome.
TWO_MANAGERS: Final = "two managers apply"


def has_type(node: SchemaNode) -> bool:
    """Return True if the schema declares a list type or an atomic map at *node*."""
    return node.meta_of is None and (LIST_TYPE in node.schema or ownertypes.is_atomic_map(node))


def propose(constraints: Constraints, version: CrdVersion, node: SchemaNode, demand: Demand) -> Iterator[Proposal]:
    """
    Yield a case in which two managers apply values at the place of *node*; nothing if no suitable objects are found.

    Args:
        constraints: The source of objects.
        version: The version of the objects.
        node: The schema at the place.
        demand: The demand on a value there.
    """
    placed = constraints.finder.existing(node.place)
    if placed is None or version.unknown_when_stored:
        return
    resource, steps = placed
    pair = _find_values(node, demand, objectplaces.get_value(resource, steps), constraints)
    second = None if pair is None else _isolate(version.schema_map, resource, steps, pair[1])
    if pair is None or second is None:
        return
    first = bare(objectplaces.replace_value(resource, steps, pair[0]))
    is_of_status = constraints.is_of_status(node.place)
    section = Section.APPLY_STATUS if is_of_status else Section.APPLY
    old = constraints.smallest if is_of_status else None
    name = f"{words.format_place(node.place)}: {TWO_MANAGERS}"
    yield Proposal(section, name, node.place, first, old, second=second)


def answer_second_apply(proposal: Proposal, version: CrdVersion) -> Response | None:
    """Return the answer to the second apply; None if the first one is refused."""
    subresource = proposal.section.subresource
    old = None if proposal.old is None else dict(proposal.old)
    first = version.apply(proposal.input, manager=FIRST, old=old, subresource=subresource)
    if not first.accepted:
        return None
    return version.apply(proposal.second or {}, manager=SECOND, old=first, subresource=subresource)


def owned_fields(answer: Response) -> dict[str, list[str]]:
    """Return the fields of the second manager as the `managers` key of a case."""
    return {SECOND: expectedowners.find_shortest_paths(answer.managers.get(SECOND, ()))}


def _find_values(node: SchemaNode, demand: Demand, value: Any, constraints: Constraints) -> tuple[Any, Any] | None:
    """Return the values of the two managers: one item each for a shared list, else a value and an empty one; None if there are none."""
    if ownertypes.is_shared_by_item(node):
        items = constraints.finder.maker.items(demand, 2)
        return (items[:1], items[1:]) if isinstance(items, list) and len(items) > 1 else None
    if not value and isinstance(value, list):
        value = constraints.finder.maker.items(demand, 1)
    return (value, type(value)()) if value else None


def _isolate(node: SchemaNode, value: Any, steps: Steps, wanted: Any) -> Any:
    """
    Return an object with only *wanted* at *steps*, and the keys of the items on the path.

    None if a parent on the path is atomic.
    """
    if not steps:
        return wanted
    step, *rest = steps
    child = node.child(step)
    if child is None or _is_atomic(node):
        return None
    inner = _isolate(child, value[step], tuple(rest), wanted)
    if inner is None:
        return None
    if isinstance(step, str):
        return {step: inner}
    keys = node.schema.get(LIST_MAP_KEYS, ())
    return [{**{key: value[step][key] for key in keys if key in value[step]}, **inner}]


def _is_atomic(node: SchemaNode) -> bool:
    """Return True if one manager owns everything inside a value; the items of a set are not shared either."""
    if ownertypes.is_list(node):
        return node.schema.get(LIST_TYPE) != "map"
    return ownertypes.is_atomic_map(node)
