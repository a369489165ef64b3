"""Groups of the Kubernetes community, and the annotation that their APIs need."""

from __future__ import annotations

from typing import Any

import pytest

from pytest_crd.engine import profile
from pytest_crd.engine.crds import apiapproval
from pytest_crd.engine.crds.apiapproval import Approval

NEWEST = profile.named("1.37")
KEY = apiapproval.ANNOTATION
WORDS = f'protected groups must have approval annotation "{KEY}"'
SEE = "see https://github.com/kubernetes/enhancements/pull/1111"


def _metadata(annotation: str | None) -> dict[str, Any]:
    return {} if annotation is None else {"annotations": {KEY: annotation}}


@pytest.mark.parametrize(
    ("group", "answer"),
    [
        ("k8s.io", True),
        ("kubernetes.io", True),
        ("a.k8s.io", True),
        ("a.b.kubernetes.io", True),
        ("ak8s.io", False),
        ("k8s.io.example.com", False),
        ("", False),
    ],
)
def test_groups_of_the_community_and_below_are_protected(group: str, *, answer: bool) -> None:
    assert apiapproval.is_protected(group) is answer


@pytest.mark.parametrize(
    ("annotation", "approval", "words"),
    [
        (None, Approval.MISSING, f"{WORDS}, {SEE}"),
        ("", Approval.MISSING, f"{WORDS}, {SEE}"),
        ("unapproved: why", Approval.BYPASSED, 'not approved: "unapproved: why"'),
        ("https://a.b/1", Approval.APPROVED, "approved in https://a.b/1"),
        ("yes", Approval.INVALID, f'{WORDS} with either a URL or a reason starting with "unapproved", {SEE}'),
        ("/yes", Approval.INVALID, f'{WORDS} with either a URL or a reason starting with "unapproved", {SEE}'),
    ],
)
def test_the_annotation_says_what_is_approved(annotation: str | None, approval: Approval, words: str) -> None:
    assert apiapproval.find_state(_metadata(annotation), NEWEST) == (approval, words)


def test_a_missing_annotation_is_required_and_a_wrong_one_invalid() -> None:
    (missing,) = apiapproval.validate("k8s.io", {}, None, NEWEST)
    assert str(missing) == f"metadata.annotations[{KEY}]: Required value: {WORDS}, {SEE}"
    (wrong,) = apiapproval.validate("k8s.io", _metadata("yes"), None, NEWEST)
    assert str(wrong).startswith(f'metadata.annotations[{KEY}]: Invalid value: "yes": {WORDS} with')


@pytest.mark.parametrize("annotation", ["unapproved", "https://a.b"])
def test_an_approval_or_a_reason_is_enough(annotation: str) -> None:
    assert apiapproval.validate("k8s.io", _metadata(annotation), None, NEWEST) == ()


def test_other_groups_need_no_approval() -> None:
    assert apiapproval.validate("example.com", {}, None, NEWEST) == ()


def test_an_unchanged_invalid_annotation_is_accepted() -> None:
    assert apiapproval.validate("k8s.io", _metadata("other"), _metadata("yes"), NEWEST) == ()
    assert apiapproval.validate("k8s.io", {}, _metadata("https://a.b"), NEWEST) != ()
