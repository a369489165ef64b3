"""Report on an unexpected verdict: accepted, refused, or refused with other errors."""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Final, NamedTuple, TypeAlias

from pytest_crd import lazyre
from pytest_crd.cases.deviations import Accepted, ErrorsMismatch, MessageMismatch, NearMiss, Rejected
from pytest_crd.cases.parts import ExpectedError
from pytest_crd.engine.errors.fielderror import FieldError

CaseVerdict: TypeAlias = "Rejected | Accepted | ErrorsMismatch | MessageMismatch"

_NUMBER: Final = lazyre.compile(r"-?\d+(?:\.\d+)?")
# The most met errors to list; more are counted, so that they do not hide the others.
_MOST_MET: Final = 2


class VerdictLine(NamedTuple):
    """
    A line about a verdict.

    Attributes:
        label: The subject of the line, in a word; may be empty.
        text: The text of the line.
        style: The style of the text: `expected`, `actual` or `reason`.
        brief: The same as a line of its own; empty for a line that only explains others.
        note: A remark; may be empty.
        details: Lines with an explanation, shown below; may be empty.
        field: Its field, as the server or the case spells it; may be empty.
        source: The place of the deciding schema keyword, `file:line`; may be empty.
        decision: The reason of its error without values, and the expected error if another one is expected; may be empty.
    """

    label: str
    text: str
    style: str
    brief: str = ""
    note: str = ""
    details: tuple[str, ...] = ()
    field: str = ""
    source: str = ""
    decision: str = ""


def heading(verdict: CaseVerdict) -> str:
    """Return the heading of *verdict*."""
    if isinstance(verdict, Rejected):
        return f"refused ({verdict.code}), but expected to be accepted"
    if isinstance(verdict, Accepted):
        return f"accepted ({verdict.code}), but expected to be refused"
    return verdict.key


def lines(verdict: CaseVerdict, *, verbosity: int = 0) -> Iterator[VerdictLine]:
    """
    Yield the lines about *verdict*; the most important first.

    Args:
        verdict: An unexpected verdict.
        verbosity: 0 or less: the number of met errors if there are many; more: each of them.
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
    if not (verdict.expected or verdict.conflicts or verdict.denials) and verdict.part is None:
        # `errors` of the case are still to be filled in.
        yield VerdictLine("missing", "any error", "expected", "accepted, expected any error")
    for expected in verdict.expected:
        text = describe(expected)
        yield VerdictLine("missing", text, "expected", f"accepted, expected {text}", field=expected.field or "")
    if verdict.part is not None:
        part = json.dumps(verdict.part, ensure_ascii=False)
        yield VerdictLine("missing", part, "expected", f"accepted, expected {part}")
    for conflict in verdict.conflicts:
        text = describe_conflict(conflict.manager, conflict.field)
        yield VerdictLine("missing", text, "expected", f"accepted, expected the conflict {text}", field=conflict.field)
    for text in verdict.denials:
        yield VerdictLine("missing", text, "expected", f"accepted, expected the denial {text}", note=verdict.hint)
    for error in verdict.ratcheted:
        yield VerdictLine(
            "ratcheted", error.text_with_origin, "actual", note="wrong in `old` too, so an update keeps it"
        )


def _errors(verdict: ErrorsMismatch) -> Iterator[VerdictLine]:
    shown_ids: set[int] = set()
    if verdict.refusal:
        yield VerdictLine("refused", verdict.refusal, "actual", f"refused {verdict.refusal}")
    searched = len(verdict.missing) - verdict.unsearched
    for index, (expected, near) in enumerate(verdict.missing):
        named = {expected.field: expected.field, expected.rule: repr(expected.rule)}
        note = "; ".join(f"{named[key]} {hint}" for key, hint in verdict.hints.items() if key in named)
        if index >= searched:
            note = "; ".join(filter(None, (note, "similar errors were not looked for, as there are too many")))
        text, source = describe(expected), "" if near is None else near.error.source
        about = VerdictLine("missing", text, "expected", f"missing {text}", note)
        decision = "" if near is None else _decision(expected, near)
        yield about._replace(field=expected.field or "", source=source, decision=decision)
        if near is not None:
            shown_ids.add(id(near.error))
            yield _of_error("nearest", near.error, "")._replace(note=_near(near))
    label = "unasked" if verdict.key == "errors" else "besides"
    for error in verdict.unasked:
        if id(error) not in shown_ids:
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
    return VerdictLine(
        label, error.text_with_origin, "actual", brief, "", explained, error.field, error.source, error.decision
    )


def _decision(expected: ExpectedError, near: NearMiss) -> str:
    """Return the reason of the nearest error, and the expected error unless they differ in numbers only, as after a change of a bound."""
    texts, error = (expected.message, expected.detail), near.error
    without_numbers = _NUMBER.sub("", error.message)
    is_same = all(text is None or _NUMBER.sub("", text) in without_numbers for text in texts)
    is_about_numbers = is_same and {"message", "detail"}.issuperset(near.wrong)
    return error.decision if is_about_numbers else f"{error.decision} {describe(expected)}"


def _near(near: NearMiss) -> str:
    return f"another {' and '.join(near.wrong)}" + (f": {near.error.type.value}" if "type" in near.wrong else "")


def describe(expected: ExpectedError) -> str:
    """Return *expected* as in a case file: `{field: spec.a, type: Invalid}`."""
    texts = {
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
    return "{" + ", ".join(f"{key}: {value}" for key, value in texts.items() if value is not None) + "}"


def describe_conflict(manager: str, field: str) -> str:
    """Return a conflict as in a case file: `{manager: gitops, field: spec.replicas}`."""
    return f"{{manager: {manager}, field: {field}}}"
