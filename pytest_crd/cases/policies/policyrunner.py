"""
Running a case of a policy: its request to a server, and the comparison of the answer with the expectations.

A request that the policy does not match proves nothing, so it is an error unless the case states it.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from typing import Final, NamedTuple

from pytest_crd.admission.matching.matchcriteria import NamespaceOf
from pytest_crd.cases import barewords, caserunner, expectations, givenfacts, questions, refusals
from pytest_crd.cases.caseresult import CaseAnswer, CaseResult, Trace
from pytest_crd.cases.deviations import Mismatch, NotReached, PathsMismatch, Unstated
from pytest_crd.cases.model import PolicyCase
from pytest_crd.cases.policies import absentplugins, caserequests, caseserver, decidingvalues, unmatched
from pytest_crd.cases.policies.absentplugins import PluginFields
from pytest_crd.cases.policies.caserequests import CaseRequest
from pytest_crd.cases.policies.policysubjects import PolicySubject
from pytest_crd.cases.policies.recording import Recording
from pytest_crd.cases.questions import PolicyQuestion
from pytest_crd.engine import Response, UnsupportedExpressionError
from pytest_crd.engine.api.context import GivenFacts
from pytest_crd.engine.errors import fielderror
from pytest_crd.engine.jsonvalue import JSONObject, JSONValue
from pytest_crd.engine.registry.response import Stored
from pytest_crd.policies import givenuses
from pytest_crd.policies.definitions import MUTATING
from pytest_crd.server import namespaces
from pytest_crd.server.api import Api
from pytest_crd.server.http.httpmessages import HTTPAnswer
from pytest_crd.server.store.store import ObjectKey

_OK: Final = 200
_FIRST_ERROR: Final = 400
_ANNOTATIONS: Final = "auditAnnotations"
# The key of the audit annotation with failed validations.
_FAILURES: Final = "validation.policy.admission.k8s.io/validation_failure"
# An error in this field changes the message alone.
_MESSAGES: Final = "messageExpression"
_FAILED: Final = "Validation failed for "


class PolicyOutcome(NamedTuple):
    """
    The outcome of a request.

    Attributes:
        request: The request.
        response: The response of the server.
        recording: The record of the policy.
        notes: Remarks about the answer.
        namespace_of: Returns the Namespace with a name.
        plugin_effects: Fields that a plugin of a server would set, each with the other answer of the policy in words.
    """

    request: CaseRequest
    response: Response
    recording: Recording
    notes: tuple[str, ...]
    namespace_of: NamespaceOf
    plugin_effects: tuple[tuple[PluginFields, str], ...] = ()


def run(case: PolicyCase, subject: PolicySubject) -> CaseResult:
    """
    Run a case and return its result.

    Args:
        case: The case.
        subject: The policy.

    Raises:
        CaseFileError: The request cannot be sent, the policy does not match it, or the server refuses it before the policy is asked; the
            answer depends on roles that are not known.
        ManifestError: The server refuses an object of `crd_policies`.
    """
    kinds = {value.get("kind") for value in case.objects if isinstance(value, dict)}
    barewords.refuse_keys(case, lambda _: any(crd.kind in kinds for crd in subject.crds))
    try:
        outcome = ask(case, subject)
        outcome = outcome._replace(plugin_effects=tuple(_find_plugin_effects(case, subject, outcome)))
    except UnsupportedExpressionError as error:
        raise caserunner.not_known(case, error) from None
    questions.report_question(PolicyQuestion(case, subject))
    _demand_match(case, subject, outcome)
    _demand_uses(case, subject, outcome)
    recording, response = outcome.recording, outcome.response
    mismatches = (*_compare(case, subject, outcome), *_find_plugin_mismatches(outcome))
    answer = CaseAnswer(
        response.code,
        response.kept,
        response.errors,
        response.warnings,
        case.input,
        outcome.request.made_up,
        denials=response.denials,
        is_changed=subject.bound.policy.kind == MUTATING and outcome.request.sent is not None,
        audit_annotations=_spell_annotations(recording),
    )
    decisions = decidingvalues.describe(recording.evaluations) if mismatches else ()
    return CaseResult(
        subject.context,
        mismatches,
        Trace(mutated=recording.mutated),
        notes=(*outcome.notes, *_find_plugin_notes(outcome)),
        answer=answer,
        warnings=tuple(_find_warnings(subject, outcome)),
        decisions=decisions,
    )


def ask(case: PolicyCase, subject: PolicySubject, *, dry_run: bool = False) -> PolicyOutcome:
    """
    Return the outcome of the request of a case.

    Args:
        case: The case.
        subject: The policy.
        dry_run: Whether the request stores nothing.

    Raises:
        CaseFileError: The request cannot be sent.
        ManifestError: The server refuses an object of `crd_policies`.
        UnsupportedExpressionError: The answer depends on roles that are not known.
    """
    return _ask_server(case, subject, caserequests.make(case, caseserver.start(subject)), dry_run=dry_run)


def _ask_server(
    case: PolicyCase, subject: PolicySubject, request: CaseRequest, *, dry_run: bool = False
) -> PolicyOutcome:
    api = caseserver.open_server(case, subject)
    try:
        return _send(case, subject, request, api, dry_run=dry_run)
    finally:
        api.close()


def _send(case: PolicyCase, subject: PolicySubject, request: CaseRequest, api: Api, *, dry_run: bool) -> PolicyOutcome:
    caseserver.fill(api, case, subject, request)
    recording = caseserver.record(api, case, subject)
    answer = api.answer(request.for_server(api, case.user, dry_run=dry_run))
    assert isinstance(answer, HTTPAnswer)  # noqa: S101 - the request is no watch
    notes = (f"{answer.unvalidated} is not validated, only decoded",) if answer.unvalidated else ()
    response = _response(answer, recording)
    if request.operation == "CONNECT" and recording.requests and not recording.is_refused:
        response = Response(_OK, warnings=answer.warnings)  # without a kubelet, the server refuses it afterwards

    def namespace_of(name: str) -> JSONObject | None:
        entry = api.store.get(ObjectKey(namespaces.RESOURCE, "", name))
        return None if entry is None else entry.value

    return PolicyOutcome(request, response, recording, notes, namespace_of)


def _response(answer: HTTPAnswer, recording: Recording) -> Response:
    if answer.code < _FIRST_ERROR:
        return Response(answer.code, kept=Stored.from_value(answer.value), warnings=answer.warnings)
    status: dict[str, JSONValue] = answer.value if isinstance(answer.value, dict) else {}
    message = str(status.get("message", answer.body.decode(errors="replace")))
    errors = (fielderror.request(message),)
    return Response(answer.code, errors=errors, warnings=answer.warnings, status=status, denials=recording.denials)


def _find_plugin_effects(
    case: PolicyCase, subject: PolicySubject, outcome: PolicyOutcome
) -> Iterator[tuple[PluginFields, str]]:
    """Yield the fields that a plugin of a server would set if the policy answers otherwise with them, and the answer in words."""
    if not outcome.recording.requests:
        return
    for fields, request in absentplugins.find_requests(outcome.request, subject):
        completed = _ask_server(case, subject.unheard, request)
        if words := _describe_difference(outcome, completed):
            yield fields, words


def _describe_difference(outcome: PolicyOutcome, other: PolicyOutcome) -> str:
    """Return the difference of another outcome in words; empty if the policy decides the same."""
    response, recording = other.response, other.recording
    if recording.is_matched != outcome.recording.is_matched:
        return f"the policy {'matches' if recording.is_matched else 'does not match'}"
    if (response.code, response.denials) != (outcome.response.code, outcome.response.denials):
        return f"the answer is {response.code}{'' if response.accepted else f': {response.message}'}"
    if bool(recording.mutated) != bool(outcome.recording.mutated):
        return f"the policy changes {'some fields' if recording.mutated else 'nothing'}"
    facts, other_facts = (
        ([text for text in item.response.warnings if text.startswith(_FAILED)], item.recording.annotations)
        for item in (outcome, other)
    )
    return "" if facts == other_facts else "warnings or audit annotations differ"


def _find_plugin_mismatches(outcome: PolicyOutcome) -> Iterator[Unstated]:
    """Yield a mismatch for each plugin that makes the policy answer otherwise on all servers."""
    key = "input" if outcome.request.sent is not None else "old"
    for fields, words in outcome.plugin_effects:
        if not fields.condition:
            yield Unstated(
                key,
                f"a server's admission plugin {fields.plugin} sets {fields.words} first, and then {words}; write these fields in `{key}`",
            )


def _find_plugin_notes(outcome: PolicyOutcome) -> Iterator[str]:
    """Yield a note for each plugin that makes the policy answer otherwise in some clusters."""
    for fields, words in outcome.plugin_effects:
        if fields.condition:
            yield f"with {fields.condition}, the admission plugin {fields.plugin} sets {fields.words} first, and then {words}"


def _demand_match(case: PolicyCase, subject: PolicySubject, outcome: PolicyOutcome) -> None:
    """Raise CaseFileError if the policy is not asked, or does not match and the case does not state that."""
    policy, response = subject.bound.policy, outcome.response
    if not outcome.recording.requests:
        refusal = f"{response.code}: {response.message}"
        message = f"{case.title}: the server refuses the request before it asks the policy {policy.name}: {refusal}"
        raise case.mistake(message, "input" if "input" in case.declared else "name")
    if outcome.recording.is_matched or case.unmatched is not None:
        return

    reason = unmatched.explain(subject.bound, outcome.recording, outcome.namespace_of)
    message = f"{case.title}: the policy {policy.name} does not match the request, so it decides nothing: {reason}"
    remedy = unmatched.spell_causes(unmatched.find_causes(subject.bound, outcome.recording, outcome.namespace_of))
    raise case.mistake(f"{message}; if this is intended, write {remedy}", "name")


def _demand_uses(case: PolicyCase, subject: PolicySubject, outcome: PolicyOutcome) -> None:
    """Raise CaseFileError if a param or a rule of the case is read by nothing, or a list of changes is about a validating policy."""
    policy, uses = subject.bound.policy, outcome.recording.uses
    if case.mutated is not None and policy.kind != MUTATING:
        raise case.mistake(
            f"'mutated' of {case.title} always holds: the {policy.kind} {policy.name} changes nothing", "mutated"
        )
    if unmatched.PARAMS in (case.unmatched or ()):
        uses.has_problem = True  # no binding finds a param, as the case states
    facts = GivenFacts(params=case.params or (), rules=case.authorizer)
    givenfacts.refuse_unused(case, givenuses.find_unused(facts, uses, subject.admission.facts.is_granted))


def _compare(case: PolicyCase, subject: PolicySubject, outcome: PolicyOutcome) -> Iterator[Mismatch]:
    response, recording = outcome.response, outcome.recording
    if recording.order_dependence:
        yield caserunner.refuse_order(case, recording.order_dependence)
        return
    if case.unmatched is not None:
        if recording.is_matched:
            yield Unstated("matched", _describe_match(recording))
        elif not response.accepted:
            yield NotReached(f"the server answers {response.code}: {response.message}")
        else:
            yield from unmatched.compare_causes(case.unmatched, subject.bound, recording, outcome.namespace_of)
        return
    mismatches = [*refusals.compare_response(case, response)]
    if response.accepted and not mismatches and outcome.request.sent is not None:
        made_up = outcome.request.made_up
        mismatches += expectations.compare_object(case, response.stored, outcome.request.sent, None, made_up=made_up)
    yield from mismatches
    yield from expectations.compare_paths(case.listed, Trace(mutated=recording.mutated), response.warnings)
    is_mutating = subject.bound.policy.kind == MUTATING and outcome.request.sent is not None
    if (
        is_mutating
        and response.accepted
        and not recording.mutated
        and case.mutated is None
        and not _is_open(case, "mutated")
    ):
        yield Unstated("mutated", "no mutation applied; write `mutated: []` if this is intended")
    failed = tuple(warning for warning in response.warnings if warning.startswith(_FAILED))
    if case.warnings is None and response.accepted and failed and not _is_open(case, "warnings"):
        yield PathsMismatch("warnings", (), failed, ())
    yield from _compare_annotations(case, _spell_annotations(recording), is_accepted=response.accepted)


def _is_open(case: PolicyCase, key: str) -> bool:
    """Return whether the value of a key has yet to be filled in."""
    return case.is_open or key in case.blanks


def _compare_annotations(case: PolicyCase, actual: Mapping[str, str], *, is_accepted: bool) -> Iterator[PathsMismatch]:
    """Yield a mismatch for other audit annotations; an accepted case must state failed validations."""
    expected = case.audit_annotations
    if expected is None:
        if not is_accepted or _FAILURES not in actual or _is_open(case, _ANNOTATIONS):
            return
        expected, actual = {}, {_FAILURES: actual[_FAILURES]}
    wanted, actual_lines = (
        dict.fromkeys(_describe_annotation(*item) for item in side.items()) for side in (expected, actual)
    )
    missing, unasked, met = wanted.keys() - actual_lines, actual_lines.keys() - wanted, wanted.keys() & actual_lines
    if missing or unasked:
        yield PathsMismatch(_ANNOTATIONS, tuple(sorted(missing)), tuple(sorted(unasked)), tuple(sorted(met)))


def _describe_annotation(key: str, value: str) -> str:
    """Return an audit annotation as in a case file: `replicas: "3"`."""
    return f"{key}: {json.dumps(value, ensure_ascii=False)}"


def _describe_match(recording: Recording) -> str:
    """Return the bindings with which a policy matches, or the reason why it cannot be evaluated."""
    if recording.problems:
        return f"the policy matches: {recording.problems[0].message}"
    names = dict.fromkeys(item.binding.name for item in recording.invocations)
    return f"the policy matches, by its binding {' and '.join(names)}"


def _spell_annotations(recording: Recording) -> dict[str, str]:
    """Return the audit annotations, without the name of the policy in their keys."""
    names = {item.policy.name for item in recording.invocations}
    return {
        next((key.removeprefix(f"{name}/") for name in names if key.startswith(f"{name}/")), key): value
        for key, value in recording.annotations.items()
    }


def _find_warnings(subject: PolicySubject, outcome: PolicyOutcome) -> Iterator[str]:
    """Yield a warning for each error that the failure policy Ignore hides."""
    policy, recording = subject.bound.policy, outcome.recording
    if policy.failure_policy != "Ignore":
        return
    evaluated = (item.outcome.problem for item in recording.evaluations if item.part != _MESSAGES)
    problems = [*(item.message for item in recording.problems), *evaluated]
    for problem in dict.fromkeys(filter(None, problems)):
        yield f"{policy.kind} {policy.name}: its failurePolicy Ignore hides an error: {problem}"
