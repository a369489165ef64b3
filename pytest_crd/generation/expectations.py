"""What the server answers to a proposed case, as a case states it."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from pytest_crd import engine
from pytest_crd.cases.model import Section
from pytest_crd.engine.errors.fielderror import ErrorType
from pytest_crd.engine.resources import rules
from pytest_crd.generation.proposals import Proposal


def of_answer(proposal: Proposal, version: engine.Version) -> Mapping[str, Any]:
    """Return the keys of a case that say what the server of *version* does with a proposed one."""
    if proposal.stated:
        return proposal.stated
    answer = _answer(proposal, version)
    if not answer.accepted:
        return {"errors": errors(answer)}
    changes = {"pruned": answer.pruned, "nullsDropped": answer.nulls, "lost": answer.lost}
    return {key: list(paths) for key, paths in changes.items() if paths} or {"accepted": True}


def _answer(proposal: Proposal, version: engine.Version) -> engine.Response:
    if proposal.section is Section.CREATE:
        return version.create(proposal.input)
    update = version.update_status if proposal.section is Section.UPDATE_STATUS else version.update
    return update(proposal.input, old=proposal.old or {})


def errors(answer: engine.Response) -> list[dict[str, str]]:
    """Return the errors of a refusal, each with its field, type and message; that rules were not run follows from the others."""
    listed = [error for error in answer.errors if not rules.is_notice(error)] or list(answer.errors)
    return [_error(error) for error in listed]


def _error(error: engine.FieldError) -> dict[str, str]:
    field = {} if error.type is ErrorType.REQUEST else {"field": error.field}
    return {**field, "type": error.type.value, "message": error.message}
