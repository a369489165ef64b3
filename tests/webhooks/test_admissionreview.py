"""Admission reviews: requests, verified responses, and denials."""

from __future__ import annotations

import base64

import pytest
from support import admissions
from support.admissions import OBJECT

from pytest_crd.admission.matching import matchcriteria
from pytest_crd.engine.errors.refusal import Denial
from pytest_crd.engine.jsonvalue import JSONObject, JSONValue
from pytest_crd.webhooks import admissionreview
from pytest_crd.webhooks.admissionreview import ReviewError, ReviewResponse

V1 = admissionreview.choose(["v1"])
V1BETA1 = admissionreview.choose(["v2", "v1beta1", "v1"])
PATCH = base64.b64encode(b"[]").decode()


def review(**response: JSONValue) -> JSONObject:
    return {"apiVersion": "admission.k8s.io/v1", "kind": "AdmissionReview", "response": {"uid": "u", **response}}


def verify(answered: JSONObject, *, is_mutating: bool = True) -> ReviewResponse:
    return admissionreview.verify(answered, V1, "u", is_mutating=is_mutating)


def test_a_review_describes_the_request_in_both_versions() -> None:
    request = admissions.admission_request(old=OBJECT)._replace(operation="UPDATE", dry_run=True)
    described = admissionreview.describe(request, matchcriteria.invocation(request, "v2"))
    assert admissionreview.write(V1, "u", described, OBJECT, None) == {
        "kind": "AdmissionReview",
        "apiVersion": "admission.k8s.io/v1",
        "request": {
            "uid": "u",
            "kind": {"group": "example.com", "version": "v2", "kind": "Tab"},
            "resource": {"group": "example.com", "version": "v2", "resource": "tabs"},
            "requestKind": {"group": "example.com", "version": "v1", "kind": "Tab"},
            "requestResource": {"group": "example.com", "version": "v1", "resource": "tabs"},
            "name": "one",
            "namespace": "default",
            "operation": "UPDATE",
            "userInfo": {"username": "admin", "groups": ["g"], "extra": {"e": ["1", "2"]}},
            "object": OBJECT,
            "oldObject": None,
            "dryRun": True,
            "options": {"kind": "CreateOptions", "apiVersion": "meta.k8s.io/v1"},
        },
    }
    assert admissionreview.write(V1BETA1, "u", described, None, None)["apiVersion"] == "admission.k8s.io/v1beta1"


def test_a_review_of_a_scale_has_its_own_kind() -> None:
    request = admissions.admission_request()._replace(subresource="scale", kind="Scale", name="", dry_run=False)
    described = admissionreview.describe(request, matchcriteria.invocation(request, "v1"))
    kind = {"group": "autoscaling", "version": "v1", "kind": "Scale"}
    assert described["kind"] == described["requestKind"] == kind
    assert described["subResource"] == described["requestSubResource"] == "scale"
    assert "name" not in described
    assert described["dryRun"] is False


def test_unknown_versions_are_refused() -> None:
    with pytest.raises(ReviewError, match=r"webhook does not accept known AdmissionReview versions \(v1, v1beta1\)"):
        admissionreview.choose(["v2"])


def test_a_response_has_its_patch_warnings_and_annotations() -> None:
    answered = review(allowed=True, patch=PATCH, patchType="JSONPatch", warnings=["w"], auditAnnotations={"a": "b"})
    assert verify(answered) == ReviewResponse(
        is_allowed=True, patch=b"[]", patch_type="JSONPatch", warnings=("w",), audit_annotations={"a": "b"}
    )
    assert verify(review()) == ReviewResponse(is_allowed=False)


@pytest.mark.parametrize(
    ("answered", "is_mutating", "words"),
    [
        ({}, True, "webhook response was absent"),
        (review(uid="x"), True, 'expected response.uid="u", got "x"'),
        (
            {**review(), "kind": "X"},
            True,
            "expected webhook response of admission.k8s.io/v1, Kind=AdmissionReview, got admission.k8s.io/v1, Kind=X",
        ),
        (
            {"response": {"uid": "u"}},
            True,
            "expected webhook response of admission.k8s.io/v1, Kind=AdmissionReview, got /, Kind=",
        ),
        (review(patch=PATCH), True, "webhook returned response.patch but not response.patchType"),
        (review(patchType="JSONPatch"), True, "webhook returned response.patchType but not response.patch"),
        (review(patch=PATCH, patchType=""), True, 'webhook returned invalid response.patchType of ""'),
        (review(patch=PATCH), False, "validating webhook may not return response.patch"),
        (review(patchType="JSONPatch"), False, "validating webhook may not return response.patchType"),
    ],
)
def test_malformed_responses_are_refused(answered: JSONObject, words: str, *, is_mutating: bool) -> None:
    with pytest.raises(ReviewError) as error:
        verify(answered, is_mutating=is_mutating)
    assert str(error.value) == words


def test_less_is_checked_in_v1beta1() -> None:
    answered = {"response": {"allowed": True, "patch": PATCH}}
    assert admissionreview.verify(answered, V1BETA1, "u", is_mutating=True) == ReviewResponse(
        is_allowed=True, patch=b"[]", patch_type="JSONPatch"
    )
    assert admissionreview.verify(answered, V1BETA1, "u", is_mutating=False) == ReviewResponse(
        is_allowed=True, patch=b"", patch_type="JSONPatch"
    )
    assert admissionreview.verify({"response": {}}, V1BETA1, "u", is_mutating=True) == ReviewResponse(is_allowed=False)


DENIED = 'admission webhook "a.b.c" denied the request'


@pytest.mark.parametrize(
    ("status", "expected"),
    [
        (None, {"message": f"{DENIED} without explanation", "code": 400}),
        ({}, {"message": f"{DENIED} without explanation", "code": 400}),
        ({"message": "no", "code": 200, "status": "Success"}, {"message": f"{DENIED}: no", "code": 400}),
        (
            {"reason": "Because", "status": "Weird", "code": 499, "message": ""},
            {"message": f"{DENIED}: Because", "reason": "Because", "status": "Weird", "code": 499},
        ),
        (
            {"details": {"causes": [{"field": "f", "message": ""}], "name": ""}, "metadata": {"continue": "c"}},
            {
                "message": f"{DENIED} without explanation",
                "details": {"causes": [{"field": "f"}]},
                "metadata": {"continue": "c"},
                "code": 400,
            },
        ),
    ],
)
def test_a_denial_is_the_status_of_the_response(status: JSONObject | None, expected: JSONObject) -> None:
    refusal = admissionreview.denial("a.b.c", status)
    assert refusal.status == {"kind": "Status", "apiVersion": "v1", "metadata": {}, "status": "Failure", **expected}
    assert (refusal.code, refusal.message) == (expected["code"], expected["message"])
    message, reason = (status or {}).get("message", ""), (status or {}).get("reason", "")
    assert refusal.denials == (Denial("a.b.c", message, reason),)


def test_a_dry_run_with_side_effects_is_a_bad_request() -> None:
    refusal = admissionreview.no_dry_run("a.b.c")
    assert (refusal.code, refusal.message) == (400, 'admission webhook "a.b.c" does not support dry run')
