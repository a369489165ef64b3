"""The request of a case as a question to the engine, and the object that the case states."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING

from pytest_crd import lazyimport
from pytest_crd.cases.model import ApplyCase, Case, CreateCase, PatchCase, UpdateCase
from pytest_crd.cases.questions import Question, SentApply
from pytest_crd.engine import CrdVersion
from pytest_crd.engine.client import completion
from pytest_crd.engine.inputerror import InputError
from pytest_crd.engine.jsonvalue import JSONValue
from pytest_crd.engine.registry.requestbody import Body
from pytest_crd.records import NamedTuple

if TYPE_CHECKING:
    from pytest_crd.cases import casepatch
else:
    casepatch = lazyimport.module("pytest_crd.cases.casepatch")


class Sent(NamedTuple):
    """
    The last request of a case.

    Attributes:
        body: The body of the request.
        input: The object as far as the case states it: the body, or the patched old object. Empty for requests to
            `/scale`, which send none, and for a patch that cannot be applied.
    """

    body: Body
    input: JSONValue


def question(case: CreateCase | UpdateCase, body: Body, version: CrdVersion, old_version: CrdVersion) -> Question:
    """
    Return the question of *case*.

    Args:
        case: A case about requests.
        body: The body of its last request.
        version: The CRD version.
        old_version: The CRD version under which the old object was stored.

    Raises:
        CaseFileError: The text of an earlier apply could not be read by the server.
    """
    result = Question(version, case.section, body, case.field_validation or "Warn")
    if isinstance(case, UpdateCase):
        result = result._replace(old=case.old, old_version=old_version)
    if isinstance(case, ApplyCase):
        bodies = [*(_applied(case, index) for index in range(len(case.steps) - 1)), body]
        steps = zip(case.steps, bodies, strict=True)
        result = result._replace(applies=tuple(SentApply(step.manager, sent, step.force) for step, sent in steps))
    return result


def read(case: Case) -> Sent:
    """
    Return the last request of *case*.

    Raises:
        CaseFileError: The input is a text that the server could not read.
    """
    body = _body(case)
    if case.section.subresource == "scale":
        return Sent(body, {})
    return Sent(body, casepatch.preview(case.old, body.value) if isinstance(case, PatchCase) else body.value)


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


def find_made_up_fields(case: CreateCase | UpdateCase, input_: JSONValue) -> frozenset[str]:
    """Return the fields of metadata that neither *input_*, the input of the case, nor its old object states."""
    resource = input_ if not isinstance(case, UpdateCase) or case.old is None else case.old
    metadata = resource.get("metadata") if isinstance(resource, Mapping) else None
    return frozenset() if isinstance(metadata, dict) and "name" in metadata else frozenset({"name"})
