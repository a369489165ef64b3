"""Cases about whole objects: the smallest, the fullest, and what becomes of spec and status apart."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from pytest_crd import engine, synthesis
from pytest_crd.cases.sections import Section
from pytest_crd.generation.proposedcases import Proposal, bare
from pytest_crd.synthesis.boundaries import Boundaries
from pytest_crd.synthesis.placement import STATUS


def find(version: engine.Version, finder: Boundaries) -> Iterator[Proposal]:
    """Yield the cases about objects of *version* as a whole."""
    smallest = bare(finder.placer.start)
    yield _stored(version, "the smallest object is accepted", smallest)
    fullest = _fullest(version)
    if fullest is not None and fullest != smallest:
        yield _stored(version, "the fullest object is accepted", fullest)
    if version.has_status and (held := finder.existing((STATUS,))) is not None:
        yield from _apart(version, smallest, held[0][STATUS])


def _fullest(version: engine.Version) -> dict[str, Any] | None:
    try:
        return bare(synthesis.example(version, full=True))
    except synthesis.NoExampleError:
        return None


def _stored(version: engine.Version, name: str, resource: Mapping[str, Any]) -> Proposal:
    answer = version.create(resource)
    stored = {"accepted": True} if version.unknown_when_stored else {"expected": bare(answer.stored)}
    return Proposal(Section.CREATE, name, (), resource, stated={**stored, **_changes(answer)})


def _changes(answer: engine.Response) -> dict[str, list[str]]:
    changes = {
        "pruned": answer.pruned,
        "defaulted": answer.defaulted,
        "nullsDropped": answer.nulls,
        "lost": answer.lost,
    }
    return {key: list(paths) for key, paths in changes.items() if paths}


def _apart(version: engine.Version, smallest: Mapping[str, Any], status: Any) -> Iterator[Proposal]:
    """Yield what shows that the status is a subresource."""
    if version.unknown_when_stored:
        return
    place = (STATUS,)
    whole = {**smallest, STATUS: status}
    answer = version.create(whole)
    if STATUS in answer.stored:
        stated = {"contains": {STATUS: answer.stored[STATUS]}, **_changes(answer)}
        yield Proposal(Section.CREATE, "status: a create replaces it by its default", place, whole, stated=stated)
    else:
        yield Proposal(Section.CREATE, "status: a create drops it", place, whole, stated={"absent": [STATUS]})
    for section, name, sent, old in (
        (Section.UPDATE, "status: an update leaves it alone", smallest, whole),
        (Section.UPDATE_STATUS, "status: an update of the status is stored", whole, smallest),
    ):
        update = version.update if section is Section.UPDATE else version.update_status
        kept = update(sent, old=old).stored.get(STATUS)
        yield Proposal(section, name, place, sent, old, {"contains": {STATUS: kept}} if kept else {"accepted": True})
