"""Cases about whole objects: the smallest, the fullest, and separate writes of spec and status."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from pytest_crd import engine, synthesis
from pytest_crd.cases.sections import Section
from pytest_crd.generation.proposedcases import Proposal, bare
from pytest_crd.synthesis import objectplaces
from pytest_crd.synthesis.boundaries import Boundaries
from pytest_crd.synthesis.placement import STATUS


def propose(version: engine.CrdVersion, finder: Boundaries) -> Iterator[Proposal]:
    """Yield the cases about whole objects of *version*."""
    smallest = bare(finder.placer.start)
    yield Proposal(Section.CREATE, "the smallest object is accepted", (), smallest, is_exact=True)
    fullest = _fullest(version, finder)
    if fullest is not None and fullest != smallest:
        yield Proposal(Section.CREATE, "the fullest object is accepted", (), fullest, is_exact=True)
    if version.has_status and (placed := finder.existing((STATUS,))) is not None:
        yield from _propose_status(version, smallest, placed[0][STATUS])


def _fullest(version: engine.CrdVersion, finder: Boundaries) -> dict[str, Any] | None:
    """Return the fullest object; None if no object is accepted. Lists of texts and numbers have two equal items, unless they are sets."""
    try:
        fullest: Any = synthesis.example(version, full=True)
    except synthesis.NoExampleError:
        return None
    judge = finder.placer.judge(())
    for steps in list(objectplaces.all_steps(fullest)):
        value = objectplaces.get_value(fullest, steps)
        if isinstance(value, list) and len(value) == 1 and not isinstance(value[0], dict | list):
            doubled = objectplaces.replace_value(fullest, steps, value * 2)
            fullest = doubled if judge(doubled).accepted else fullest
    return bare(fullest)


def _changes(answer: engine.Response) -> dict[str, list[str]]:
    changes = {
        "pruned": answer.pruned,
        "defaulted": answer.defaulted,
        "nullsDropped": answer.nulls,
        "lost": answer.lost,
    }
    return {key: list(paths) for key, paths in changes.items() if paths}


def _propose_status(version: engine.CrdVersion, smallest: Mapping[str, Any], status: Any) -> Iterator[Proposal]:
    """Yield cases that show that the status is a subresource."""
    if version.unknown_when_stored:
        return
    place = (STATUS,)
    whole = {**smallest, STATUS: status}
    answer = version.create(whole)
    if STATUS in answer.stored:
        expectation = {"contains": {STATUS: answer.stored[STATUS]}, **_changes(answer)}
        yield Proposal(
            Section.CREATE, "status: a create replaces it by its default", place, whole, expectation=expectation
        )
    else:
        yield Proposal(Section.CREATE, "status: a create drops it", place, whole, expectation={"absent": [STATUS]})
    for section, name, sent, old in (
        (Section.UPDATE, "status: an update leaves it alone", smallest, whole),
        (Section.UPDATE_STATUS, "status: an update of the status is stored", whole, smallest),
    ):
        update = version.update if section is Section.UPDATE else version.update_status
        stored_status = update(sent, old=old).stored.get(STATUS)
        yield Proposal(
            section,
            name,
            place,
            sent,
            old,
            {"contains": {STATUS: stored_status}} if stored_status else {"accepted": True},
        )
