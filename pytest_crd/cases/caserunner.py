"""
Running a case: the request of its section, and the comparison of the answer with the expectations.

An unknown answer is never a verdict: an old object that no server can have stored, or a rule that cannot be evaluated,
raises.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Final

from pytest_crd import lazyimport
from pytest_crd.cases import caseresult, expectations, questions, strays
from pytest_crd.cases.caseresult import CaseAnswer, CaseResult, Disregarded, Trace
from pytest_crd.cases.model import (
    OF_STORED,
    AnyCase,
    ApplyCase,
    Case,
    CaseFileError,
    ConvertCase,
    CreateCase,
    DefaultingCase,
    PolicyCase,
    PruningCase,
    RequestCase,
    UpdateCase,
)
from pytest_crd.cases.questions import Question, Sent
from pytest_crd.cases.subject import CaseSubject
from pytest_crd.engine import (
    CrdVersion,
    DecodeError,
    ErrorType,
    FieldError,
    Response,
    UnsupportedConstructError,
)
from pytest_crd.engine.golang import printing
from pytest_crd.engine.jsonvalue import JSONValue
from pytest_crd.engine.registry.request import OrderDependentError
from pytest_crd.engine.registry.requestbody import Body
from pytest_crd.engine.registry.response import Stored

if TYPE_CHECKING:
    from pytest_crd.cases import barewords, conversions, deviations, expectedowners, givenfacts, refusals, unreachable
    from pytest_crd.cases.deviations import Mismatch, NotReached, Strays
    from pytest_crd.engine.cel import errors as cel
else:
    deviations = lazyimport.module("pytest_crd.cases.deviations")
    unreachable = lazyimport.module("pytest_crd.cases.unreachable")
    givenfacts = lazyimport.module("pytest_crd.cases.givenfacts")
    barewords = lazyimport.module("pytest_crd.cases.barewords")
    conversions = lazyimport.module("pytest_crd.cases.conversions")
    cel = lazyimport.module("pytest_crd.engine.cel.errors")
    refusals = lazyimport.module("pytest_crd.cases.refusals")
    expectedowners = lazyimport.module("pytest_crd.cases.expectedowners")

_ABSENT: Final = object()
_NOT_FOUND: Final = 404
_NO_FACTS: Final = (None, None, None, None)


def run(case: AnyCase, subject: CaseSubject, *, old_subject: CaseSubject | None = None) -> CaseResult:
    """
    Run *case* and return its result.

    Args:
        case: The case.
        subject: The CRD version.
        old_subject: The CRD version under which the old object was stored; None for *subject*.

    Raises:
        CaseFileError: The input is a text that the server could not read; `old` is not valid under its CRD; a rule uses something
            unsupported; a webhook that cannot be called converts the object; facts for policies are given without policies.
    """
    sent = questions.read(case)
    try:
        if isinstance(case, PolicyCase):
            raise TypeError("a case of a policy has no CRD")
        if isinstance(case, RequestCase):
            result = _run_request(case, sent, subject, old_subject or subject)
        elif isinstance(case, ConvertCase):
            result = conversions.run(case, sent.input, subject)
        else:
            result = _run_pass(case, sent.input, subject)
    except DecodeError as error:
        result = CaseResult(subject.context, (deviations.NotReached(f"the server answers 400: {error}"),))
    except OrderDependentError as error:
        result = CaseResult(subject.context, (refuse_order(case, str(error)),))
    except UnsupportedConstructError as error:
        return not_served(subject, error)
    except cel.UnsupportedExpressionError as error:
        raise not_known(case, error) from None
    subjects = (subject, old_subject or subject)
    mismatches = result.mismatches and tuple(unreachable.add_hints(case, sent.input, result.mismatches, subjects))
    words: tuple[str, ...] = ()
    if case.lines.document.bare_booleans or case.files:
        words = tuple(dict.fromkeys(barewords.describe_in_case(case, subject.version)))
    if words:
        barewords.refuse_keys(case, subject.fields.is_named)
    return result._replace(mismatches=mismatches, barewords=words, version=subject.version)


def not_known(case: Case, error: cel.UnsupportedExpressionError) -> CaseFileError:
    """Return the error for a rule that uses something known to the server and unsupported by the engine."""
    return case.mistake(f"what the server answers to {case.title} is not known: {error}")


def refuse_order(case: Case, words: str) -> NotReached:
    """
    Return the mismatch for an answer that depends on the order of policies.

    Args:
        case: The case.
        words: Two orders with their answers.

    Raises:
        CaseFileError: The case is an xfail: it would fail for a reason other than the stated one.
    """
    if case.xfail is not None:
        raise case.mistake(f"{case.title} is expected to fail, but would for another reason: {words}")
    return deviations.NotReached(words)


def not_served(subject: CaseSubject, error: UnsupportedConstructError) -> CaseResult:
    """Return the result of any case about a CRD version that serves no objects."""
    message = f"{subject.version.crd.name} {subject.version.name} serves no objects: {error}"
    return CaseResult(subject.context, (deviations.NotReached(message),))


# The passes alone


def _run_pass(case: PruningCase | DefaultingCase, input_: Mapping[str, JSONValue], subject: CaseSubject) -> CaseResult:
    version = subject.version
    resource = _completed(input_, version)
    if problem := _another_type(resource, version):
        return CaseResult(subject.context, (deviations.NotReached(problem),))
    if isinstance(case, PruningCase):
        pruned = version.prune(resource)
        value, trace = pruned.value, Trace(pruned=pruned.dropped)
        unmentioned = strays.find_in_pruning(case, resource, pruned.paths, subject)
    else:
        defaulted = version.default(resource)
        value, trace = defaulted.value, Trace(nulls=defaulted.dropped, defaulted=defaulted.put_in)
        unmentioned = strays.find_in_defaulting(case, resource, subject)
    questions.report_question(Question(version, case.section, Body(resource)))
    in_object = [*expectations.compare_object(case, value, resource, version.schema)]
    if in_object and isinstance(case, PruningCase):
        trace = trace._replace(withheld=version.passes.default(value).put_in)
    result = _result(case, [*in_object, *expectations.compare_paths(case.listed, trace)], trace, subject, unmentioned)
    answer = CaseAnswer(0, Stored.from_value(value), (), (), input_, frozenset())
    return caseresult.report_verdict(case, version, result._replace(answer=answer))


def _another_type(resource: Mapping[str, JSONValue], version: CrdVersion) -> str:
    """Return the difference between the stated apiVersion and kind and those of *version*; may be empty."""
    own = _completed({}, version)
    wrong = [key for key in own if resource[key] != own[key]]
    return "; ".join(f"{key} is {printing.marshal(resource[key])}, not {printing.marshal(own[key])}" for key in wrong)


def _result(
    case: Case, mismatches: list[Mismatch], trace: Trace, subject: CaseSubject, unmentioned: Strays | None
) -> CaseResult:
    """
    Return the result of a case, including dropped fields that it does not mention.

    Raises:
        CaseFileError: There are such fields and the case is an xfail: it would fail for a reason other than the stated one.
    """
    notes = [
        reason.value for reason in dict.fromkeys(trace.disregarded.values()) if reason is Disregarded.DROPPED_ON_CREATE
    ]
    if unmentioned and case.allows_unknown_fields:
        notes += [words for words, _ in map(strays.describe, unmentioned.fields)]
    elif unmentioned and case.xfail is not None:
        listed = "; ".join(words for words, _ in map(strays.describe, unmentioned.fields))
        raise case.mistake(
            f"{case.title} is expected to fail, but would for another reason: {listed}; {unmentioned.remedy}"
        )
    elif unmentioned:
        mismatches = [*mismatches, unmentioned]
    if mismatches or case.is_open or case.blanks:
        near = ((str(path), subject.fields.near(path)) for path in trace.pruned)
        trace = trace._replace(suggestions={path: suggestion for path, suggestion in near if suggestion})
    return CaseResult(subject.context, tuple(mismatches), trace, tuple(notes))


def _completed(resource: JSONValue, version: CrdVersion) -> Mapping[str, JSONValue]:
    """Return *resource* with the apiVersion and kind that a case may leave out."""
    return {"apiVersion": f"{version.crd.group}/{version.name}", "kind": version.crd.kind, **resource}


# Whole requests


def _run_request(
    case: CreateCase | UpdateCase, sent: Sent, subject: CaseSubject, old_subject: CaseSubject
) -> CaseResult:
    has_facts = (case.user, case.namespace_object, case.params, case.authorizer) != _NO_FACTS
    if has_facts:
        subject = givenfacts.give(case, subject)
    if isinstance(case, UpdateCase) and case.old is not None:
        _refuse_invalid_old(case, old_subject)
    _refuse_unknown(case, subject.version.unknown_when_stored)
    responses = questions.ask_all(questions.question(case, sent.body, subject.version, old_subject.version))
    if has_facts:
        givenfacts.demand_uses(case, subject.version.crd.webhooks)
    if isinstance(case, ApplyCase):
        not_reached = _not_reached(case, responses)
        _refuse_another_reason(case, responses, not_reached, subject)
        if not_reached is not None:
            return CaseResult(subject.context, (not_reached,))
    return judge(case, sent.input, responses[-1], subject, made_up=questions.find_made_up_fields(case, sent.input))


def _refuse_unknown(case: RequestCase, unknown: str) -> None:
    """Raise CaseFileError if the case depends on a stored object that is unknown, for the reason *unknown*."""
    if unknown and case.lost is not None:
        raise case.mistake(f"'lost' cannot be checked: {unknown}", "lost")
    if unknown and isinstance(case, ApplyCase) and len(case.steps) > 1:
        raise case.mistake(f"the second step of {case.title} cannot be checked: {unknown}", "steps", 1)


def _refuse_another_reason(
    case: ApplyCase, responses: Sequence[Response], not_reached: NotReached | None, subject: CaseSubject
) -> None:
    """Raise CaseFileError if the applies of an xfail fail for a reason other than the stated one."""
    if case.xfail is None:
        return
    problems = strays.describe_undeclared(case, responses[-1], subject)
    if not_reached is not None:
        problems = problems or [not_reached.message]
    if problems:
        words = f"{case.title} is expected to fail, but would for another reason: {'; '.join(problems)}"
        raise case.mistake(words, "steps", len(responses) - 1)


def _not_reached(case: ApplyCase, responses: Sequence[Response]) -> NotReached | None:
    """Return the mismatch for a refused apply before the last one; None if they are accepted."""
    count, last = len(responses), responses[-1]
    if count == len(case.steps):
        return None
    step = f"step {count} of {len(case.steps)}, by {case.steps[count - 1].manager}, is refused"
    return deviations.NotReached(f"{step}: {last.code}: {last.message}")


def judge(
    case: RequestCase, input_: JSONValue, response: Response, subject: CaseSubject, *, made_up: frozenset[str]
) -> CaseResult:
    """
    Return the result of a case, given the response to its request.

    Args:
        case: The case.
        input_: The sent object, as far as the case states it.
        response: The server's response.
        subject: The CRD version.
        made_up: The fields of metadata that the case does not state.
    """
    version = subject.version
    changes = response.changes
    trace = Trace(
        changes.pruned,
        changes.nulls,
        changes.defaulted,
        changes.lost,
        _find_disregarded(case, input_, response),
        mutated=changes.mutated,
    )
    mismatches: list[Mismatch] = []
    if case.expects_refusal or not response.accepted:
        ratcheted = _ratcheted(case, response, subject) if response.accepted else ()
        hint = _hint(case, response, subject)
        mismatches += refusals.compare_response(case, response, hint=hint, ratcheted=ratcheted)
    if response.accepted and not mismatches:
        sent = _completed(input_, version)
        mismatches += expectations.compare_object(case, response.stored, sent, version.schema, made_up=made_up)
        mismatches += expectedowners.compare_managers(case, response) if isinstance(case, ApplyCase) else ()
    mismatches += expectations.compare_paths(case.listed, trace, response.warnings)
    unknown = version.unknown_when_stored if response.accepted else ""
    answer = CaseAnswer(
        response.code,
        response.kept,
        response.errors,
        response.warnings,
        input_,
        made_up,
        unknown,
        response.owned if isinstance(case, ApplyCase) else None,
        response.conflicts,
        response.denials,
    )
    result = _result(case, mismatches, trace, subject, strays.find_in_request(case, input_, response, subject))
    if unknown:
        result = result._replace(notes=(*result.notes, unknown))
        if not OF_STORED.isdisjoint(case.declared):
            about = f"{version.crd.name} {version.name}: cases state what is stored, but {unknown}"
            result = result._replace(warnings=(about,))
    return caseresult.report_verdict(case, version, result._replace(answer=answer))


def _refuse_invalid_old(case: UpdateCase, old_subject: CaseSubject) -> None:
    response = old_subject.store(case.old)
    if not response.accepted:
        raise case.mistake(
            f"'old' of {case.title} is not valid under its CRD, so no server has it stored: {response.message}",
            "old",
        )


def _hint(case: RequestCase, response: Response, subject: CaseSubject) -> str:
    if isinstance(case, ApplyCase) and (undeclared := strays.describe_undeclared(case, response, subject)):
        return "; ".join(undeclared)
    if case.denied and response.accepted and subject.version.crd.webhooks is None:
        return unreachable.NO_WEBHOOKS
    name, version = case.section.subresource, subject.version
    missing = {"status": not version.has_status, "scale": version.subresources.scale is None}
    is_missing = response.code == _NOT_FOUND and missing.get(name, False)
    return f"{version.name} has no {name} subresource" if is_missing else ""


def _ratcheted(case: RequestCase, response: Response, subject: CaseSubject) -> tuple[FieldError, ...]:
    """Return the errors of an updated object that are tolerated because the old object has them too."""
    errors = subject.store(response.stored).errors if isinstance(case, UpdateCase) else ()
    return tuple(error for error in errors if error.type is not ErrorType.REQUEST)


def _find_disregarded(case: RequestCase, input_: JSONValue, response: Response) -> dict[str, Disregarded]:
    """Return the parts of the input that do not count, whatever their values."""
    if not response.accepted or not isinstance(input_, dict) or case.section.subresource == "scale":
        return {}
    stored = response.stored
    if case.section.subresource == "status":
        return dict.fromkeys({*input_, *stored} - {"status"}, Disregarded.REST_ON_STATUS_UPDATE)
    sent_status, stored_status = input_.get("status", _ABSENT), stored.get("status", _ABSENT)
    if isinstance(case, ApplyCase) and sent_status is _ABSENT:
        return {}
    if isinstance(case, UpdateCase) and case.old is not None:
        is_kept = sent_status != stored_status and stored_status == case.old.get("status", _ABSENT)
        return {"status": Disregarded.STATUS_ON_UPDATE} if is_kept else {}
    is_dropped = (
        sent_status is not _ABSENT and stored_status is _ABSENT and "status" not in {*response.pruned, *response.nulls}
    )
    return {"status": Disregarded.DROPPED_ON_CREATE} if is_dropped else {}
