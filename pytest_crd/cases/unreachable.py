"""
Fields and rules that a case names and its CRD does not have, so that expectations about them are pointless.

An `absent` with such a path would always hold, and is a mistake. Elsewhere it explains a mismatch.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, Final

from pytest_crd import lazyimport, suggestions
from pytest_crd.cases import builder, questions
from pytest_crd.cases.deviations import ErrorsMismatch, Mismatch, PathsMismatch
from pytest_crd.cases.model import Case
from pytest_crd.cases.parts import ExpectedError
from pytest_crd.cases.subject import CaseSubject
from pytest_crd.engine.inputerror import InputError, Mistake
from pytest_crd.engine.jsonvalue import JSONValue

if TYPE_CHECKING:
    from pytest_crd.cases import comparison, refusals
else:
    comparison = lazyimport.module("pytest_crd.cases.comparison")
    refusals = lazyimport.module("pytest_crd.cases.refusals")


# The variables of rules, which say nothing about a rule.
_SELVES: Final = ("self", "oldSelf")
# An error without a field, as the server prints it.
_NO_FIELD = "<nil>"
NO_WEBHOOKS: Final = "no webhook is called; set crd_webhooks, and call pytest-crd test with --webhooks"
"""The reason why no request is denied or mutated."""


def find_mistakes(case: Case, subject: CaseSubject, old_subject: CaseSubject) -> Iterator[Mistake]:
    """
    Yield a mistake for each path of `absent` without a field in the schemas and objects of *case*, and for each rule that names none.

    Args:
        case: The case.
        subject: The CRD version.
        old_subject: The CRD version under which its old object was stored.
    """
    subjects = (subject, old_subject)
    yield from _find_vague_rules(case, subject)
    if all(_is_declared(path, subjects) for path in case.absent or ()):
        return
    try:
        sent = questions.read(case).input
    except InputError:
        return  # reported when the case runs
    for index, path in enumerate(case.absent or ()):
        if hint := _hint(case, sent, path, subjects):
            message = f"'absent[{index}]' of {case.title} always holds: {path!r} {hint}"
            yield from case.mistake(message, "absent", index).mistakes


def _find_vague_rules(case: Case, subject: CaseSubject) -> Iterator[Mistake]:
    """Yield a mistake for each `rule` of an expected error that fits several rules and so names none."""
    for key in ("errors", "containsErrors"):
        for index, expected in enumerate(getattr(case, builder.ATTRIBUTES.get(key, key), None) or ()):
            if expected.rule is None:
                continue
            rules = {" ".join(rule.split()) for rule in subject.fields.rules}
            part = " ".join(expected.rule.split())
            count = 0 if part in rules else sum(part in rule for rule in rules)
            is_alone = expected._replace(type=None, rule=None) == ExpectedError()
            if part not in rules and (part in _SELVES or (count > 1 and (is_alone or count == len(rules)))):
                message = f"'{key}[{index}].rule' of {case.title} names no rule: {part!r} is a part of {count}; write more of the rule"
                yield from case.mistake(message, key, index, "rule").mistakes


def add_hints(
    case: Case, sent: JSONValue, mismatches: Sequence[Mismatch], subjects: Sequence[CaseSubject]
) -> list[Mismatch]:
    """
    Return *mismatches* with a hint for each path and rule that cannot exist.

    Args:
        case: The case.
        sent: The sent object.
        mismatches: The mismatches.
        subjects: The CRD version, and the one under which its old object was stored.

    Raises:
        CaseFileError: There is such a path or rule, and the case is an xfail: it would fail for a reason other than the stated one.
    """
    changed = [_with_hints(case, sent, mismatch, subjects) for mismatch in mismatches]
    hints = [mismatch.hints for mismatch in changed if isinstance(mismatch, PathsMismatch | ErrorsMismatch)]
    listed = "; ".join(f"{path!r} {hint}" for each in hints for path, hint in each.items())
    if listed and case.xfail is not None:
        raise case.mistake(f"{case.title} is expected to fail, but would for another reason: {listed}")
    return changed


def _with_hints(case: Case, sent: JSONValue, mismatch: Mismatch, subjects: Sequence[CaseSubject]) -> Mismatch:
    if isinstance(mismatch, PathsMismatch) and mismatch.key not in {"denied", "warnings"}:
        hints = _of_paths(case, sent, mismatch.missing, subjects)
        if mismatch.key == "mutated" and subjects[0].version.crd.webhooks is None:
            hints = dict.fromkeys(mismatch.missing, f"is a cause: {NO_WEBHOOKS}") | hints
        return mismatch._replace(hints=hints)
    if isinstance(mismatch, ErrorsMismatch):
        missing = [expected for expected, _ in mismatch.missing]
        fields = [expected.field for expected in missing if expected.field is not None and expected.field != _NO_FIELD]
        parts = [expected.rule for expected in missing if expected.rule is not None]
        rules = {part: "is in no rule of the CRD" for part in parts if not _is_in_a_rule(part, subjects)}
        return mismatch._replace(hints=_of_paths(case, sent, fields, subjects) | rules)
    return mismatch


def _of_paths(case: Case, sent: JSONValue, paths: Sequence[str], subjects: Sequence[CaseSubject]) -> dict[str, str]:
    return {path: hint for path in paths if (hint := _hint(case, sent, path.removeprefix("."), subjects))}


def _is_in_a_rule(part: str, subjects: Sequence[CaseSubject]) -> bool:
    """Return whether a schema has a rule with *part* in it."""
    return any(refusals.is_in_rule(part, rule) for subject in subjects for rule in subject.fields.rules)


def _hint(case: Case, sent: JSONValue, path: str, subjects: Sequence[CaseSubject]) -> str:
    """Return the reason why no value can be at *path*; empty if there can be one."""
    if _is_declared(path, subjects):
        return ""
    if any(True for value in (sent, *case.objects) for _ in comparison.find_places(value, path)):
        return ""
    return f"can be no field{suggestions.hint(subjects[0].fields.near(path))}"


def _is_declared(path: str, subjects: Sequence[CaseSubject]) -> bool:
    """Return whether a schema declares a field at *path*."""
    return any(subject.fields.can_have(path) for subject in subjects)
