"""What the server answers to a proposed case, as a case states it."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final

from pytest_crd import engine
from pytest_crd.casefiles import yamltext
from pytest_crd.cases.sections import Section
from pytest_crd.engine.errors.fielderror import ErrorType
from pytest_crd.engine.requests import resourcerules
from pytest_crd.engine.schema.metafields import META_FIELDS
from pytest_crd.engine.schema.schemamap import Each, Place
from pytest_crd.generation import appliers
from pytest_crd.generation.proposedcases import Proposal

# How much of an object at a place is shown where that it is there is what counts.
_LONGEST: Final = 80
# Of a longer message, which has a long value in it, what stands behind that is expected.
_LONGEST_MESSAGE: Final = 600
# What repeats itself and is longer is not shown again.
_LONGEST_SHOWN: Final = 1024


def of_answer(proposal: Proposal, version: engine.Version) -> Mapping[str, Any]:
    """Return the keys of a case that say what the server of *version* does with a proposed one."""
    if proposal.stated:
        return proposal.stated
    if proposal.second is not None:
        return _of_two_managers(proposal, version)
    answer = _answer(proposal, version)
    if not answer.accepted:
        return {"errors": errors(answer)}
    changes = {"pruned": answer.pruned, "nullsDropped": answer.nulls, "lost": answer.lost}
    stated = {key: list(paths) for key, paths in changes.items() if paths}
    if version.unknown_when_stored:
        return stated or {"accepted": True}
    return stated or _stored(proposal, answer.stored)


def _of_two_managers(proposal: Proposal, version: engine.Version) -> Mapping[str, Any]:
    """Return what a case says of two applies: nothing where the first of them is refused, or nothing is left to share."""
    answer = appliers.answer(proposal, version)
    if answer is None or answer.lost:
        return {}
    if answer.accepted:
        return {**_stored(proposal, answer.stored), "managers": appliers.owned(answer)}
    if answer.conflicts:
        return {"conflicts": [{"manager": one.manager, "field": str(one.field)} for one in answer.conflicts]}
    return {"errors": errors(answer)}


def _stored(proposal: Proposal, stored: Mapping[str, Any]) -> Mapping[str, Any]:
    """Return what says what is stored at the place, and where that is; of a list all items, as it has to be."""
    place = proposal.place
    found = dict(stored) if place else {key: value for key, value in stored.items() if key not in META_FIELDS}
    shown = _led_to(place, found, proposal.shown)
    return {"contains": shown} if shown and len(yamltext.flow(shown)) <= _LONGEST_SHOWN else {"accepted": True}


def _led_to(place: Place, value: Any, names: tuple[str, ...]) -> Any:
    if isinstance(value, list) and names:
        return [_led_to(place[1:], item, names) for item in value]
    if not isinstance(value, dict):
        return value
    if not place:
        if names:
            return {name: value[name] for name in names if name in value}
        return value if len(yamltext.flow(value)) <= _LONGEST else {}
    # Of a map, any value will do; the fields that it names stand first.
    key = next(reversed(value), "") if place[0] is Each.VALUE else place[0]
    return {key: _led_to(place[1:], value[key], names)} if key in value else {}


def _answer(proposal: Proposal, version: engine.Version) -> engine.Response:
    if proposal.section is Section.CREATE:
        return version.create(proposal.input)
    update = version.update_status if proposal.section is Section.UPDATE_STATUS else version.update
    return update(proposal.input, old=proposal.old or {})


def errors(answer: engine.Response) -> list[dict[str, str]]:
    """Return the errors of a refusal, each with its field, type and message; that rules were not run follows from the others."""
    listed = [error for error in answer.errors if not resourcerules.is_notice(error)] or list(answer.errors)
    return [_error(error) for error in listed]


def _error(error: engine.FieldError) -> dict[str, str]:
    field = {} if error.type is ErrorType.REQUEST else {"field": error.field}
    if len(error.message) > _LONGEST_MESSAGE and 0 < len(error.detail) <= _LONGEST_MESSAGE:
        return {**field, "type": error.type.value, "detail": error.detail}
    return {**field, "type": error.type.value, "message": error.message}
