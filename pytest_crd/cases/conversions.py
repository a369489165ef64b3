"""Running a case about a conversion between versions, and the form in which an old object is stored."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from pytest_crd.cases import caseresult, expectations, strays
from pytest_crd.cases.caseresult import CaseAnswer, CaseResult, Trace
from pytest_crd.cases.deviations import Accepted, MessageMismatch, Mismatch, Rejected
from pytest_crd.cases.model import ConvertCase
from pytest_crd.cases.subject import CaseSubject
from pytest_crd.engine import CrdLookupError, CrdVersion, Response, UnknownConversionError
from pytest_crd.engine.jsonvalue import JSONValue
from pytest_crd.engine.observer import ObservedRequest


def run(case: ConvertCase, input_: Mapping[str, JSONValue], subject: CaseSubject) -> CaseResult:
    """
    Return the result of a case about a conversion.

    Args:
        case: The case.
        input_: The stored object.
        subject: The CRD version of the file.

    Raises:
        CaseFileError: The CRD has no such version; both versions are the same; or it is not known how to call its webhook.
    """
    source = _subject(case, case.stored_as, "from", subject)
    target = _subject(case, case.to, "to", subject)
    if source.version.name == case.to:
        raise case.mistake(f"{case.title} converts nothing: `from` and `to` are {case.to}", "to")
    version = target.version
    try:
        response = version.crd.convert(input_, stored_as=source.version.name, to=case.to)
    except UnknownConversionError as error:
        raise case.mistake(f"{case.title} cannot be run: {error}") from None
    mismatches: list[Mismatch] = [*_compare_verdict(case, response)]
    if response.accepted and not mismatches:
        sent = {**version.strategy.type_meta, **input_}
        made_up = frozenset({"name"})
        mismatches += expectations.compare_object(case, response.stored, sent, version.schema, made_up=made_up)
    unmentioned = None if case.allows_unknown_fields else strays.find_in_conversion(case, input_, source)
    if unmentioned:
        mismatches.append(unmentioned)
    answer = CaseAnswer(response.code, response.kept, response.errors, (), input_, frozenset({"name"}))
    result = CaseResult(target.context, tuple(mismatches), Trace(), (), answer=answer)
    return _report(case, source.version, result) if response.accepted else result


def _report(case: ConvertCase, source: CrdVersion, result: CaseResult) -> CaseResult:
    """Report a successful conversion and its case to the observer of the first version, and return the result of the case."""
    if (listener := source.observer.request) is not None:
        listener(source, ObservedRequest("", case.input, converted_to=case.to))
    return caseresult.report_verdict(case, source, result)


def _subject(case: ConvertCase, name: str | None, key: str, subject: CaseSubject) -> CaseSubject:
    """Return the subject of a version of the CRD; raise CaseFileError for an unknown version."""
    if name is None or name == subject.version.name:
        return subject
    try:
        return CaseSubject(subject.version.crd.version(name))
    except CrdLookupError as error:
        raise case.mistake(f"`{key}` of {case.title}: {error}", key) from None


def _compare_verdict(case: ConvertCase, response: Response) -> Iterator[Mismatch]:
    if case.refused is None:
        if not response.accepted:
            yield Rejected(response.code, response.errors)
    elif response.accepted:
        yield Accepted(response.code, (), case.refused)
    elif case.refused not in response.message:
        yield MessageMismatch(case.refused, response.message, "refused")
