"""The words for a verdict that is not the expected one: accepted, refused, or refused with other errors."""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Final, NamedTuple, TypeAlias

from pytest_crd.cases.caseparts import ExpectedError
from pytest_crd.cases.caseresult import Accepted, ErrorsMismatch, MessageMismatch, NearMiss, Rejected
from pytest_crd.engine.errors.fielderror import FieldError

CaseVerdict: TypeAlias = "Rejected | Accepted | ErrorsMismatch | MessageMismatch"

# So many errors that are as expected are listed; more are counted, lest they hide the ones that are not.
_MOST_MET: Final = 2


class VerdictLine(NamedTuple):
    """
    One line about a verdict.

    Attributes:
        label: What the line is about, in a word; may be empty.
        text: What there is to say.
        style: How to paint the text: `expected`, `actual` or `reason`.
        brief: The same where it stands alone; empty for a line that only explains others.
        note: What is to be said beside; may be empty.
        details: Lines that explain it, to stand below; may be none.
        field: The field that it is about, as the server or the case spells it; empty where it is about none.
        source: Where the schema stands that decided, `file:line`; may be empty.
    """

    label: str
    text: str
    style: str
    brief: str = ""
    note: str = ""
    details: tuple[str, ...] = ()
    field: str = ""
    source: str = ""


def heading(verdict: CaseVerdict) -> str:
    """Return the line above those of *verdict*."""
    if isinstance(verdict, Rejected):
        return f"refused ({verdict.code}), but expected to be accepted"
    if isinstance(verdict, Accepted):
        return f"accepted ({verdict.code}), but expected to be refused"
    return verdict.key if isinstance(verdict, ErrorsMismatch) else "error"


def lines(verdict: CaseVerdict, *, verbosity: int = 0) -> Iterator[VerdictLine]:
    """
    Yield what there is to say about *verdict*; what counts first.

    Args:
        verdict: A verdict that is not the expected one.
        verbosity: 0 or less: of many errors that are as expected the number; more: each of them.
    """
    if isinstance(verdict, Rejected):
        yield from _rejected(verdict)
    elif isinstance(verdict, Accepted):
        yield from _accepted(verdict)
    elif isinstance(verdict, ErrorsMismatch):
        yield from _errors(verdict)
        yield from _met(verdict, verbosity)
    else:
        part = json.dumps(verdict.part, ensure_ascii=False)
        yield VerdictLine("missing", part, "expected", f"{part} is not in: {verdict.message}")
        yield VerdictLine("message", verdict.message, "actual")


def _rejected(verdict: Rejected) -> Iterator[VerdictLine]:
    for error in verdict.errors:
        yield _of_error("", error, f"refused: {error}")._replace(note=verdict.hint)


def _accepted(verdict: Accepted) -> Iterator[VerdictLine]:
    for expected in verdict.expected:
        text = described(expected)
        yield VerdictLine("missing", text, "expected", f"accepted, expected {text}", field=expected.field or "")
    if verdict.part is not None:
        part = json.dumps(verdict.part, ensure_ascii=False)
        yield VerdictLine("missing", part, "expected", f"accepted, expected {part}")
    for conflict in verdict.conflicts:
        text = described_conflict(conflict.manager, conflict.field)
        yield VerdictLine("missing", text, "expected", f"accepted, expected the conflict {text}", field=conflict.field)
    for error in verdict.ratcheted:
        yield VerdictLine("ratcheted", error.told, "actual", note="wrong in `old` too, so an update keeps it")


def _errors(verdict: ErrorsMismatch) -> Iterator[VerdictLine]:
    shown: set[int] = set()
    if verdict.refusal:
        yield VerdictLine("refused", verdict.refusal, "actual", f"refused {verdict.refusal}")
    searched = len(verdict.missing) - verdict.unsearched
    for index, (expected, near) in enumerate(verdict.missing):
        named = {expected.field: expected.field, expected.rule: repr(expected.rule)}
        note = "; ".join(f"{named[key]} {hint}" for key, hint in verdict.hints.items() if key in named)
        if index >= searched:
            note = "; ".join(filter(None, (note, "similar errors were not looked for, as there are too many")))
        text, source = described(expected), "" if near is None else near.error.source
        about = VerdictLine("missing", text, "expected", f"missing {text}", note)
        yield about._replace(field=expected.field or "", source=source)
        if near is not None:
            shown.add(id(near.error))
            yield _of_error("nearest", near.error, "")._replace(note=_near(near))
    label = "unasked" if verdict.key == "errors" else "besides"
    for error in verdict.unasked:
        if id(error) not in shown:
            brief = f"unasked {error}" if label == "unasked" else ""
            yield _of_error(label, error, brief)


def _met(verdict: ErrorsMismatch, verbosity: int) -> Iterator[VerdictLine]:
    count = len(verdict.met)
    if count > _MOST_MET and verbosity < 1:
        yield VerdictLine(
            "met", f"{count} of the {count + len(verdict.missing)} that are expected (-v lists them)", "reason"
        )
    else:
        yield from (VerdictLine("met", str(error), "reason") for error in verdict.met)


def _of_error(label: str, error: FieldError, brief: str) -> VerdictLine:
    explained = error.rule.lines if error.rule is not None else ()
    return VerdictLine(label, error.told, "actual", brief, "", explained, error.field, error.source)


def _near(near: NearMiss) -> str:
    return f"another {' and '.join(near.wrong)}" + (f": {near.error.type.value}" if "type" in near.wrong else "")


def described(expected: ExpectedError) -> str:
    """Return *expected* as a case file has it: `{field: spec.a, type: Invalid}`."""
    stated = {
        "field": expected.field,
        "type": None if expected.type is None else expected.type.value,
        **{
            key: None if text is None else json.dumps(text, ensure_ascii=False)
            for key, text in (
                ("message", expected.message),
                ("detail", expected.detail),
                ("matches", expected.matches),
                ("rule", expected.rule),
            )
        },
    }
    return "{" + ", ".join(f"{key}: {value}" for key, value in stated.items() if value is not None) + "}"


def described_conflict(manager: str, field: str) -> str:
    """Return a conflict as a case file has it: `{manager: gitops, field: spec.replicas}`."""
    return f"{{manager: {manager}, field: {field}}}"
