"""Comparison of the denials of a refusal with the expected ones."""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence

from pytest_crd.cases.caseparts import ExpectedDenial
from pytest_crd.cases.caseresult import MessageMismatch, PathsMismatch, Unstated
from pytest_crd.cases.model import RequestCase
from pytest_crd.engine import Response
from pytest_crd.engine.errors.refusal import Denial
from pytest_crd.engine.golang.regexp import patterns


def compare_denials(case: RequestCase, response: Response) -> Iterator[PathsMismatch | MessageMismatch]:
    """Yield a mismatch if the denials of a refusal are not as *case* expects; order does not count."""
    if case.denied is None:
        return
    unasked = [*response.denials]
    missing, met = [], []
    for expected in case.denied:
        denial = next((item for item in unasked if _meets(expected, item)), None)
        if denial is None:
            missing.append(describe(expected))
        else:
            unasked.remove(denial)
            met.append(describe(expected))
    others = [describe(ExpectedDenial(denial.by, denial.message, denial.reason)) for denial in unasked]
    if not response.denials:
        yield from (MessageMismatch(expected.by, response.message, "denied") for expected in case.denied)
    elif missing or others:
        yield PathsMismatch("denied", tuple(missing), tuple(others), tuple(met))


def find_unstated_failures(case: RequestCase, response: Response) -> Iterator[Unstated]:
    """Yield a mismatch for each policy that denies a request because it could not decide, if *case* does not state that failure."""
    for denial in response.denials:
        if denial.own_texts is None or _states_failure(case, denial, denial.own_texts, response.message):
            continue
        key = next((key for key in ("denied", "error") if key in case.declared), "errors")
        words = f"the policy {denial.by} could not decide: {denial.message}"
        yield Unstated(
            key, f"{words}; if this is intended, state a part of these words that is none of the policy's own texts"
        )


def _states_failure(case: RequestCase, denial: Denial, own_texts: Sequence[str], message: str) -> bool:
    """Return whether the case states words of the failure, or a reason, that no decision of the policy has."""
    expected = [item for item in case.denied or () if _meets(item, denial)]
    texts = [text for item in expected for text in (item.message, item.reason)]
    if case.error is not None and case.error not in message.replace(denial.message, ""):
        texts.append(case.error)
    for error in (*(case.errors or ()), *(case.contains_errors or ())):
        texts += [error.message, error.detail]
        if error.matches is not None:
            is_found = patterns.compile(error.matches)
            texts += (
                [denial.message] if not any(map(is_found, (*own_texts, message.replace(denial.message, "")))) else []
            )
    return any(text is not None and not any(text in own for own in own_texts) for text in texts)


def describe(denial: ExpectedDenial) -> str:
    """Return a denial as in a case file: `{by: v.example.com, message: "no"}`."""
    texts = {"message": denial.message, "reason": denial.reason}
    stated = [f"{key}: {json.dumps(text, ensure_ascii=False)}" for key, text in texts.items() if text is not None]
    return "{" + ", ".join((f"by: {denial.by}", *stated)) + "}"


def _meets(expected: ExpectedDenial, denial: Denial) -> bool:
    is_message = expected.message is None or expected.message in denial.message
    return expected.by == denial.by and is_message and expected.reason in (None, denial.reason)
