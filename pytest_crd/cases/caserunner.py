"""
Running a case: what its section asks of the engine, and how the answer is held against what it expects.

What is not known is never a verdict: an old object that no server has stored, or a rule that cannot be evaluated, raises.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Final

from pytest_crd.cases import (
    barewords,
    caseverdicts,
    expectations,
    expectedowners,
    questions,
    refusals,
    sending,
    strays,
    unreachable,
)
from pytest_crd.cases.caseresult import CaseAnswer, CaseResult, Disregarded, Mismatch, NotReached, Strays, Trace
from pytest_crd.cases.model import (
    OF_STORED,
    AnyCase,
    ApplyCase,
    Case,
    CaseFileError,
    CreateCase,
    DefaultingCase,
    PruningCase,
    RequestCase,
    UpdateCase,
)
from pytest_crd.cases.questions import Question
from pytest_crd.cases.sending import Sent
from pytest_crd.cases.subject import CaseSubject
from pytest_crd.engine import (
    DecodeError,
    ErrorType,
    FieldError,
    Response,
    UnsupportedConstructError,
    UnsupportedExpressionError,
    Version,
)
from pytest_crd.engine.errors.response import Stored
from pytest_crd.engine.golang import printing
from pytest_crd.engine.jsonvalue import JSONValue
from pytest_crd.engine.requests.requestbody import Body

_ABSENT: Final = object()
_NOT_FOUND: Final = 404


def run(case: AnyCase, subject: CaseSubject, *, old_subject: CaseSubject | None = None) -> CaseResult:
    """
    Run *case* and return its outcome.

    Args:
        case: The case.
        subject: The CRD version that it is about.
        old_subject: The CRD version under which its old object was stored; None where that is *subject*.

    Raises:
        CaseFileError: The input is a text that the server could not read; `old` is not valid under its CRD; a rule uses what
            is not supported.
    """
    sent = sending.read(case)
    try:
        if isinstance(case, RequestCase):
            result = _run_request(case, sent, subject, old_subject or subject)
        else:
            result = _run_pass(case, sent.given, subject)
    except DecodeError as error:
        result = CaseResult(subject.context, (NotReached(f"the server answers 400: {error}"),))
    except UnsupportedConstructError as error:
        return not_served(subject, error)
    except UnsupportedExpressionError as error:
        raise not_known(case, error) from None
    mismatches = unreachable.hinted(case, sent.given, result.mismatches, (subject, old_subject or subject))
    found = barewords.of_case(case, subject.version)
    words = tuple(dict.fromkeys(found))
    return result._replace(mismatches=tuple(mismatches), barewords=words, version=subject.version)


def not_known(case: Case, error: UnsupportedExpressionError) -> CaseFileError:
    """Return what to raise where a rule uses what the server knows and the engine does not."""
    return case.mistake(f"what the server answers to {case.title} is not known: {error}")


def not_served(subject: CaseSubject, error: UnsupportedConstructError) -> CaseResult:
    """Return the outcome of any case where the server serves no objects at all."""
    message = f"{subject.version.crd.name} {subject.version.name} serves no objects: {error}"
    return CaseResult(subject.context, (NotReached(message),))


# The passes alone


def _run_pass(case: PruningCase | DefaultingCase, given: Mapping[str, JSONValue], subject: CaseSubject) -> CaseResult:
    version = subject.version
    resource = _completed(given, version)
    if problem := _another_type(resource, version):
        return CaseResult(subject.context, (NotReached(problem),))
    if isinstance(case, PruningCase):
        pruned = version.prune(resource)
        value, trace = pruned.value, Trace(pruned=pruned.dropped)
        found = strays.of_pruning(case, resource, pruned.paths, subject)
    else:
        defaulted = version.default(resource)
        value, trace = defaulted.value, Trace(nulls=defaulted.dropped, defaulted=defaulted.put_in)
        found = strays.of_defaulting(case, resource, subject)
    questions.tell(Question(version, case.section, Body(resource)))
    in_object = [*expectations.of_object(case, value, resource, version.schema)]
    if in_object and isinstance(case, PruningCase):
        trace = trace._replace(withheld=version.passes.default(value).put_in)
    result = _result(case, [*in_object, *expectations.of_paths(case.listed, trace)], trace, subject, found)
    answer = CaseAnswer(0, Stored.of(value), (), (), given, frozenset())
    return caseverdicts.tell(case, version, result._replace(answer=answer))


def _another_type(resource: Mapping[str, JSONValue], version: Version) -> str:
    """Return what is wrong with the apiVersion and kind that a case states; empty where they are those of *version*."""
    own = _completed({}, version)
    wrong = [key for key in own if resource[key] != own[key]]
    return "; ".join(f"{key} is {printing.marshal(resource[key])}, not {printing.marshal(own[key])}" for key in wrong)


def _result(
    case: Case, mismatches: list[Mismatch], trace: Trace, subject: CaseSubject, found: Strays | None
) -> CaseResult:
    """
    Return what became of a case, with the fields of the input that it does not account for.

    Raises:
        CaseFileError: There are such fields, and the case is expected to fail: then it would, whatever its reason.
    """
    notes = [kept.value for kept in dict.fromkeys(trace.kept.values()) if kept is Disregarded.DROPPED_ON_CREATE]
    if found and case.allows_unknown_fields:
        notes += [words for words, _ in map(strays.described, found.fields)]
    elif found and case.xfail is not None:
        listed = "; ".join(words for words, _ in map(strays.described, found.fields))
        raise case.mistake(f"{case.title} is expected to fail, but would for another reason: {listed}; {found.remedy}")
    elif found:
        mismatches = [*mismatches, found]
    if mismatches or case.is_open or case.blanks:
        near = ((str(path), subject.fields.near(path)) for path in trace.pruned)
        trace = trace._replace(meant={path: meant for path, meant in near if meant})
    return CaseResult(subject.context, tuple(mismatches), trace, tuple(notes))


def _completed(resource: JSONValue, version: Version) -> Mapping[str, JSONValue]:
    """Return *resource* with the apiVersion and kind that the case may leave out."""
    return {"apiVersion": f"{version.crd.group}/{version.name}", "kind": version.crd.kind, **resource}


# Whole requests


def _run_request(
    case: CreateCase | UpdateCase, sent: Sent, subject: CaseSubject, old_subject: CaseSubject
) -> CaseResult:
    if isinstance(case, UpdateCase) and case.old is not None:
        _refuse_invalid_old(case, old_subject)
    _refuse_unknown(case, subject.version.unknown_when_stored)
    responses = questions.ask_all(sending.question(case, sent.body, subject.version, old_subject.version))
    if isinstance(case, ApplyCase):
        not_reached = _not_reached(case, responses)
        _refuse_another_reason(case, responses, not_reached, subject)
        if not_reached is not None:
            return CaseResult(subject.context, (not_reached,))
    return judge(case, sent.given, responses[-1], subject, made_up=sending.made_up(case, sent.given))


def _refuse_unknown(case: RequestCase, unknown: str) -> None:
    """Raise CaseFileError where a case depends on what is stored, of which nobody knows, for the reason given."""
    if unknown and case.lost is not None:
        raise case.mistake(f"'lost' cannot be held against anything: {unknown}", "lost")
    if unknown and isinstance(case, ApplyCase) and len(case.steps) > 1:
        raise case.mistake(f"what the second step of {case.title} finds cannot be told: {unknown}", "steps", 1)


def _refuse_another_reason(
    case: ApplyCase, responses: Sequence[Response], not_reached: NotReached | None, subject: CaseSubject
) -> None:
    """Raise CaseFileError where a case that is expected to fail would do so whatever its reason: its applies are wrong."""
    if case.xfail is None:
        return
    found = strays.of_refused_apply(case, responses[-1], subject)
    if not_reached is not None:
        found = found or [not_reached.message]
    if found:
        words = f"{case.title} is expected to fail, but would for another reason: {'; '.join(found)}"
        raise case.mistake(words, "steps", len(responses) - 1)


def _not_reached(case: ApplyCase, responses: Sequence[Response]) -> NotReached | None:
    """Return that one of the applies before the last is refused; None where none is."""
    count, last = len(responses), responses[-1]
    if count == len(case.steps):
        return None
    who = f"step {count} of {len(case.steps)}, by {case.steps[count - 1].manager}, is refused"
    return NotReached(f"{who}: {last.code}: {last.message}")


def judge(
    case: RequestCase, given: JSONValue, response: Response, subject: CaseSubject, *, made_up: frozenset[str]
) -> CaseResult:
    """
    Return the outcome of a case whose request has been answered.

    Args:
        case: What is expected.
        given: What was sent, as far as the case states it.
        response: The answer.
        subject: The CRD version that it is about.
        made_up: The fields of metadata that nobody stated.
    """
    version = subject.version
    changes = response.changes
    trace = Trace(changes.pruned, changes.nulls, changes.defaulted, changes.lost, _kept(case, given, response))
    ratcheted = _ratcheted(case, response, subject) if response.accepted and case.expects_refusal else ()
    mismatches = [*refusals.of_response(case, response, hint=_hint(case, response, subject), ratcheted=ratcheted)]
    if response.accepted and not mismatches:
        sent = _completed(given, version)
        mismatches += expectations.of_object(case, response.stored, sent, version.schema, made_up=made_up)
        mismatches += expectedowners.of_managers(case, response) if isinstance(case, ApplyCase) else ()
    mismatches += expectations.of_paths(case.listed, trace, response.warnings)
    unknown = version.unknown_when_stored if response.accepted else ""
    answer = CaseAnswer(
        response.code,
        response.kept,
        response.errors,
        response.warnings,
        given,
        made_up,
        unknown,
        response.owned if isinstance(case, ApplyCase) else None,
        response.conflicts,
    )
    result = _result(case, mismatches, trace, subject, strays.of_request(case, given, response, subject))
    if unknown:
        result = result._replace(notes=(*result.notes, unknown))
        if not OF_STORED.isdisjoint(case.declared):
            about = f"{version.crd.name} {version.name}: cases state what is stored, but {unknown}"
            result = result._replace(warnings=(about,))
    return caseverdicts.tell(case, version, result._replace(answer=answer))


def _refuse_invalid_old(case: UpdateCase, old_subject: CaseSubject) -> None:
    response = old_subject.store(case.old)
    if not response.accepted:
        raise case.mistake(
            f"'old' of {case.title} is not valid under its CRD, so no server has it stored: {response.message}",
            "old",
        )


def _hint(case: RequestCase, response: Response, subject: CaseSubject) -> str:
    if isinstance(case, ApplyCase) and (undeclared := strays.of_refused_apply(case, response, subject)):
        return "; ".join(undeclared)
    name, version = case.section.subresource, subject.version
    missing = {"status": not version.has_status, "scale": version.subresources.scale is None}
    is_missing = response.code == _NOT_FOUND and missing.get(name, False)
    return f"{version.name} has no {name} subresource" if is_missing else ""


def _ratcheted(case: RequestCase, response: Response, subject: CaseSubject) -> tuple[FieldError, ...]:
    """Return what is wrong with an object that an update stores all the same, as it was wrong before."""
    errors = subject.store(response.stored).errors if isinstance(case, UpdateCase) else ()
    return tuple(error for error in errors if error.type is not ErrorType.REQUEST)


def _kept(case: RequestCase, given: JSONValue, response: Response) -> dict[str, Disregarded]:
    """Return the parts of the input that do not count, whatever stands in them."""
    if not response.accepted or not isinstance(given, dict) or case.section.subresource == "scale":
        return {}
    stored = response.stored
    if case.section.subresource == "status":
        return dict.fromkeys({*given, *stored} - {"status"}, Disregarded.REST_ON_STATUS_UPDATE)
    sent, found = given.get("status", _ABSENT), stored.get("status", _ABSENT)
    if isinstance(case, ApplyCase) and sent is _ABSENT:
        return {}
    if isinstance(case, UpdateCase) and case.old is not None:
        is_kept = sent != found and found == case.old.get("status", _ABSENT)
        return {"status": Disregarded.STATUS_ON_UPDATE} if is_kept else {}
    is_dropped = sent is not _ABSENT and found is _ABSENT and "status" not in {*response.pruned, *response.nulls}
    return {"status": Disregarded.DROPPED_ON_CREATE} if is_dropped else {}
