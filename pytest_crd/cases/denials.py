"""Comparison of the denials of a refusal with the expected ones."""

from __future__ import annotations

import json
from collections.abc import Iterator

from pytest_crd.cases.caseparts import ExpectedDenial
from pytest_crd.cases.caseresult import MessageMismatch, PathsMismatch
from pytest_crd.cases.model import RequestCase
from pytest_crd.engine import Response
from pytest_crd.engine.errors.refusal import Denial


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
    others = [describe(ExpectedDenial(*denial)) for denial in unasked]
    if not response.denials:
        yield from (MessageMismatch(expected.by, response.message, "denied") for expected in case.denied)
    elif missing or others:
        yield PathsMismatch("denied", tuple(missing), tuple(others), tuple(met))


def describe(denial: ExpectedDenial) -> str:
    """Return a denial as in a case file: `{by: v.example.com, message: "no"}`."""
    texts = {"message": denial.message, "reason": denial.reason}
    stated = [f"{key}: {json.dumps(text, ensure_ascii=False)}" for key, text in texts.items() if text is not None]
    return "{" + ", ".join((f"by: {denial.by}", *stated)) + "}"


def _meets(expected: ExpectedDenial, denial: Denial) -> bool:
    is_message = expected.message is None or expected.message in denial.message
    return expected.by == denial.by and is_message and expected.reason in (None, denial.reason)
