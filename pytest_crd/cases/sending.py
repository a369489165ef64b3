"""What a case sends, as a question to the engine, and what of the object it gives itself."""

from __future__ import annotations

from collections.abc import Mapping
from typing import NamedTuple

from pytest_crd.cases import jsonpatch
from pytest_crd.cases.model import ApplyCase, Case, CreateCase, PatchCase, UpdateCase
from pytest_crd.cases.questions import Question, SentApply
from pytest_crd.engine import Version
from pytest_crd.engine.inputerror import InputError
from pytest_crd.engine.jsonvalue import JSONValue
from pytest_crd.engine.requests import completion
from pytest_crd.engine.requests.requestbody import Body


class Sent(NamedTuple):
    """
    What a case sends, of several requests the last.

    Attributes:
        body: The body of the request.
        given: The object as far as the case gives it: the body, or what a patch makes of what is stored. Empty of requests to
            `/scale`, which send none, and of a patch that cannot be made.
    """

    body: Body
    given: JSONValue


def question(case: CreateCase | UpdateCase, body: Body, version: Version, old_version: Version) -> Question:
    """
    Return what *case* asks.

    Args:
        case: A case about requests.
        body: The body of its request, of several the last.
        version: The CRD version that is asked.
        old_version: That under which the old object was stored.

    Raises:
        CaseFileError: What is applied before is a text that the server could not read.
    """
    asked = Question(version, case.section, body, case.field_validation or "Warn")
    if isinstance(case, UpdateCase):
        asked = asked._replace(old=case.old, old_version=old_version)
    if isinstance(case, ApplyCase):
        bodies = [*(_applied(case, index) for index in range(len(case.steps) - 1)), body]
        steps = zip(case.steps, bodies, strict=True)
        asked = asked._replace(applies=tuple(SentApply(step.manager, sent, step.force) for step, sent in steps))
    return asked


def read(case: Case) -> Sent:
    """
    Return what *case* sends.

    Raises:
        CaseFileError: It is a text that the server could not read.
    """
    body = _body(case)
    if case.section.subresource == "scale":
        return Sent(body, {})
    return Sent(body, _patched(case.old, body.value) if isinstance(case, PatchCase) else body.value)


def _body(case: Case) -> Body:
    if isinstance(case, ApplyCase):
        return _applied(case, len(case.steps) - 1)
    if isinstance(case, PatchCase):
        return Body(case.input)
    try:
        return completion.read(case.input)
    except InputError as error:
        raise case.mistake(f"the input cannot be read: {error}", "input") from None


def _applied(case: ApplyCase, index: int) -> Body:
    try:
        return completion.read_applied(case.steps[index].input)
    except InputError as error:
        place = ("steps", index, "input")
        raise case.mistake(f"the input of step {index + 1} cannot be read: {error}", *place) from None


def _patched(old: JSONValue, patch: JSONValue) -> JSONValue:
    if not isinstance(patch, list):
        return jsonpatch.merge(old, patch, removes_nothing=True)
    try:
        return jsonpatch.apply(old, patch)
    except jsonpatch.PatchError:
        return {}  # which the answer tells


def made_up(case: CreateCase | UpdateCase, given: JSONValue) -> frozenset[str]:
    """Return the fields of metadata that neither the case, which gives *given*, nor its old object states."""
    stated = given if not isinstance(case, UpdateCase) or case.old is None else case.old
    metadata = stated.get("metadata") if isinstance(stated, Mapping) else None
    return frozenset() if isinstance(metadata, dict) and "name" in metadata else frozenset({"name"})
