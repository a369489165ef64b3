"""
Running a case of a suite: an update is a create, the update itself, and an update of the status if there is one.

The object before the update must be accepted. The last answer after it is compared with the expectations.
"""

from __future__ import annotations

from collections.abc import Mapping

from pytest_crd.cases import caserunner, questions
from pytest_crd.cases.caseresult import CaseResult
from pytest_crd.cases.model import RequestCase, UpdateCase
from pytest_crd.cases.openshift.suite import SuiteCase, SuiteCreate, SuiteUpdate
from pytest_crd.cases.questions import Question
from pytest_crd.cases.sections import Section
from pytest_crd.cases.subject import CaseSubject
from pytest_crd.engine import CrdVersion, Response, UnsupportedConstructError, UnsupportedExpressionError
from pytest_crd.engine.client import completion
from pytest_crd.engine.jsonvalue import JSONValue

# Fields of the stored object that a client sends back.
_FROM_STORED = ("name", "namespace")
_MADE_UP = frozenset({"name", "generateName"})


def run(suite_case: SuiteCase, subject: CaseSubject, *, old_subject: CaseSubject) -> CaseResult:
    """
    Run a case of a suite and return its result.

    Args:
        suite_case: The case.
        subject: The CRD version.
        old_subject: The CRD version under which the object of an update is created.

    Raises:
        CaseFileError: The object of an update cannot be created.
    """
    try:
        return _run(suite_case, subject, old_subject)
    except UnsupportedConstructError as error:
        return caserunner.not_served(subject, error)
    except UnsupportedExpressionError as error:
        raise caserunner.not_known(suite_case.case, error) from None


def _run(suite_case: SuiteCase, subject: CaseSubject, old_subject: CaseSubject) -> CaseResult:
    if isinstance(suite_case, SuiteCreate):
        return _judge(suite_case.case, _created(subject.version, suite_case.case.input), subject)
    return _run_update(suite_case, subject, old_subject)


def _run_update(suite_case: SuiteUpdate, subject: CaseSubject, old_subject: CaseSubject) -> CaseResult:
    case = suite_case.case
    stored = _stored(case, old_subject)
    status = case.input.get("status")
    sent = _sent(case.input, stored)
    question = Question(
        subject.version, Section.UPDATE, completion.read(sent), old=stored, old_version=old_subject.version
    )
    response = questions.ask(question)
    ends_here = case.error is not None or not response.accepted or status is None
    if ends_here:
        return _judge(case, response, subject)
    sent = {**response.stored, "status": status}
    return _judge(suite_case.status_case, _with_status(subject.version, sent, response.stored), subject)


def _judge(case: RequestCase, response: Response, subject: CaseSubject) -> CaseResult:
    return caserunner.judge(case, case.input, response, subject, made_up=_MADE_UP)


def _stored(case: UpdateCase, subject: CaseSubject) -> Mapping[str, JSONValue]:
    """Return the object that is stored before the update."""
    version = subject.version
    response = _accepted(case, _created(version, case.old))
    if "status" in case.old:
        sent = {**response.stored, "status": case.old["status"]}
        response = _accepted(case, _with_status(version, sent, response.stored))
    stored: Mapping[str, JSONValue] = response.stored
    return stored


def _created(version: CrdVersion, sent: JSONValue) -> Response:
    return questions.ask(Question(version, Section.CREATE, completion.read(sent)))


def _with_status(version: CrdVersion, sent: JSONValue, stored: Mapping[str, JSONValue]) -> Response:
    return questions.ask(Question(version, Section.UPDATE_STATUS, completion.read(sent), old=stored))


def _accepted(case: UpdateCase, response: Response) -> Response:
    if not response.accepted:
        raise case.mistake(f"'initial' of {case.title} is refused: {response.message}", "initial")
    return response


def _sent(updated: Mapping[str, JSONValue], stored: Mapping[str, JSONValue]) -> JSONValue:
    names = {key: stored["metadata"][key] for key in _FROM_STORED if key in stored["metadata"]}
    return {**updated, "metadata": {**updated["metadata"], **names}}
