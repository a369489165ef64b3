"""The server's answers to proposed cases, as the keys of a case."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final

from pytest_crd import engine
from pytest_crd.casefiles import yamltext
from pytest_crd.cases.sections import Section
from pytest_crd.engine.errors.fielderror import ErrorType
from pytest_crd.engine.registry import resourcerules
from pytest_crd.engine.schema.schemamap import Each, Place
from pytest_crd.engine.schema.structural import META_FIELDS
from pytest_crd.generation import appliers
from pytest_crd.generation.proposedcases import Proposal, bare

# The longest value at a place that is written out; longer ones are only stated to be present.
_LONGEST: Final = 80
# For longer messages, which contain a long value, only the detail after the value is expected.
_LONGEST_MESSAGE: Final = 600
# Longer values, which repeat themselves, are not written out.
_LONGEST_SHOWN: Final = 1024


def expect_answer(proposal: Proposal, version: engine.CrdVersion) -> Mapping[str, Any]:
    """Return the keys of a case that expect the answer of *version* to *proposal*; empty if it is not worth a case."""
    if proposal.expectation:
        return proposal.expectation
    if proposal.second is not None:
        return _expect_two_managers(proposal, version)
    answer = answer_of(proposal, version)
    if not answer.accepted:
        return {"errors": expect_errors(answer)}
    changes = {"pruned": answer.pruned, "nullsDropped": answer.nulls, "lost": answer.lost}
    expectation = {key: list(paths) for key, paths in changes.items() if paths}
    if version.unknown_when_stored:
        return expectation or {"accepted": True}
    if proposal.is_exact:
        return {"expected": bare(answer.stored), **expectation}
    return expectation or _expect_stored(proposal, answer.stored)


def _expect_two_managers(proposal: Proposal, version: engine.CrdVersion) -> Mapping[str, Any]:
    """Return the keys for two applies; empty if the first is refused or a field is lost."""
    answer = appliers.answer_second_apply(proposal, version)
    if answer is None or answer.lost:
        return {}
    if answer.accepted:
        return {**_expect_stored(proposal, answer.stored), "managers": appliers.owned_fields(answer)}
    if answer.conflicts:
        return {
            "conflicts": [{"manager": conflict.manager, "field": str(conflict.field)} for conflict in answer.conflicts]
        }
    return {"errors": expect_errors(answer)}


def _expect_stored(proposal: Proposal, stored: Mapping[str, Any]) -> Mapping[str, Any]:
    """Return the keys that expect the stored value at the place of *proposal*; lists are expected with all items."""
    place = proposal.place
    fields = dict(stored) if place else {key: value for key, value in stored.items() if key not in META_FIELDS}
    selected = _select_value(place, fields, proposal.shown_fields)
    return {"contains": selected} if selected and len(yamltext.flow(selected)) <= _LONGEST_SHOWN else {"accepted": True}


def _select_value(place: Place, value: Any, names: tuple[str, ...]) -> Any:
    if isinstance(value, list) and names:
        return [_select_value(place[1:], item, names) for item in value]
    if not isinstance(value, dict):
        return value
    if not place:
        if names:
            return {name: value[name] for name in names if name in value}
        return value if len(yamltext.flow(value)) <= _LONGEST else {}
    # Any entry of a map will do; declared fields come first, so the last one is taken.
    key = next(reversed(value), "") if place[0] is Each.VALUE else place[0]
    return {key: _select_value(place[1:], value[key], names)} if key in value else {}


def answer_of(proposal: Proposal, version: engine.CrdVersion) -> engine.Response:
    """Return the answer of *version* to the request of *proposal*."""
    if proposal.section is Section.CREATE:
        return version.create(proposal.input)
    update = version.update_status if proposal.section is Section.UPDATE_STATUS else version.update
    return update(proposal.input, old=proposal.old or {})


def expect_errors(answer: engine.Response) -> list[dict[str, str]]:
    """Return the expected errors of a refusal: field, type and message; notices about skipped rules are left out."""
    listed = [error for error in answer.errors if not resourcerules.is_notice(error)] or list(answer.errors)
    return [_error(error) for error in listed]


def _error(error: engine.FieldError) -> dict[str, str]:
    field = {} if error.type is ErrorType.REQUEST else {"field": error.field}
    if len(error.message) > _LONGEST_MESSAGE and 0 < len(error.detail) <= _LONGEST_MESSAGE:
        return {**field, "type": error.type.value, "detail": error.detail}
    return {**field, "type": error.type.value, "message": error.message}
