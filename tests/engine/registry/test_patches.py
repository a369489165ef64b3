"""PATCH of custom resources and CRDs without recorded responses: arguments, limits and options."""

from __future__ import annotations

import json
from typing import Any

import pytest

from pytest_crd import engine
from pytest_crd.engine import profile
from pytest_crd.engine.errors.refusal import Refusal
from pytest_crd.engine.observer import ObservedRequest, Observer
from pytest_crd.engine.registry import handlers, requestoptions, scale
from pytest_crd.engine.registry.request import Request
from pytest_crd.engine.registry.requestbody import Body, RefusedError
from pytest_crd.engine.registry.subresources import Subresources

SPEC = {"type": "object", "x-kubernetes-preserve-unknown-fields": True, "properties": {"n": {"type": "integer"}}}
SCALE = {"specReplicasPath": ".spec.n", "statusReplicasPath": ".status.n", "labelSelectorPath": ".status.s"}
OLD = {"spec": {"n": 1, "l": [1]}}
REJECTED = "the server rejected our request due to an error in our request"


def _crd(kubernetes: str = "1.37", *, served: bool = True) -> engine.CustomResourceDefinition:
    schema = {
        "type": "object",
        "properties": {"spec": SPEC, "status": {**SPEC, "properties": {"s": {"type": "string"}}}},
    }
    version = {"name": "v1", "served": served, "storage": True, "schema": {"openAPIV3Schema": schema}}
    version["subresources"] = {"status": {}, "scale": SCALE}
    manifest = {
        "apiVersion": "apiextensions.k8s.io/v1",
        "kind": "CustomResourceDefinition",
        "metadata": {"name": "crons.example.com"},
        "spec": {
            "group": "example.com",
            "names": {"kind": "Cron", "plural": "crons"},
            "scope": "Namespaced",
            "versions": [version],
        },
    }
    return engine.CustomResourceDefinition.from_manifest(manifest, kubernetes_version=kubernetes)


V1 = _crd().version("v1")


@pytest.mark.parametrize(
    "patch",
    [
        {"spec": {"n": 2}},
        [{"op": "replace", "path": "/spec/n", "value": 2}],
        ({"op": "replace", "path": "/spec/n", "value": 2},),
        '{"spec": {"n": 2}}',
        "spec: {'n': 2}",
        "- {op: replace, path: /spec/n, value: 2}",
    ],
)
def test_the_type_of_a_patch_is_detected(patch: Any) -> None:
    answer = V1.patch(patch, old=OLD)
    assert answer.code == 200
    assert answer.stored["spec"] == {"n": 2, "l": [1]}
    assert "uid" not in answer.stored["metadata"]


@pytest.mark.parametrize("patch", ["1", "a text", 1, None])
def test_a_scalar_is_no_patch(patch: Any) -> None:
    with pytest.raises(TypeError, match="a patch is a mapping or a list of operations"):
        V1.patch(patch, old=OLD)


def test_a_text_with_a_media_type_is_sent_unchanged() -> None:
    answer = V1.patch("spec: {n: 2}", old=OLD, media_type=requestoptions.MERGE_PATCH)
    assert (answer.code, answer.message) == (400, "invalid JSON patch")


def test_responses_share_no_mutable_objects() -> None:
    first = V1.create({"spec": {"n": 1, "l": [1]}, "metadata": {"name": "a"}})
    for second in (
        V1.patch({"spec": {"n": 2}}, old=first),
        V1.apply({"spec": {"n": 1}}, manager="m", old=first),
        V1.patch({"status": {"n": 1}}, old=first, subresource="status"),
    ):
        second.stored["spec"]["l"].append(2)
        assert second.whole is not None
        assert second.whole.value["spec"]["l"] == [1]
    assert first.stored["spec"] == {"n": 1, "l": [1]}


@pytest.mark.parametrize(("text", "result"), [('{"spec": {"x": 1.0}}', 1), ('{"spec": {"x": "\\u0061"}}', "a")])
def test_unusual_spellings_are_normalized_in_the_store(text: str, result: object) -> None:
    stored = V1.patch(text, old=OLD).stored
    assert repr(stored["spec"]["x"]) == repr(result)


def test_an_unknown_subresource_of_a_patch_is_a_usage_error() -> None:
    with pytest.raises(ValueError, match="subresource 'logs': one of status, scale, or none"):
        V1.patch({}, old=OLD, subresource="logs")  # type: ignore[arg-type]


def test_a_patch_to_a_version_that_is_not_served_is_not_found() -> None:
    assert _crd(served=False).version("v1").patch({}, old=OLD).code == 404


def test_the_error_explains_a_failing_operation() -> None:
    answer = V1.patch([{"op": "test", "path": "/spec/n", "value": 2}], old=OLD)
    assert (answer.code, answer.message) == (422, REJECTED)
    assert [error.text_with_origin for error in answer.errors] == [
        f"{REJECTED} (operation 0: testing value /spec/n failed: test failed)"
    ]


def test_a_panic_is_an_error() -> None:
    answer = V1.patch([{"op": "replace", "path": ""}], old=OLD)
    assert answer.code == 500
    assert "the server panics over operation 0" in answer.message


def test_a_patch_has_at_most_ten_thousand_operations() -> None:
    test = {"op": "test", "path": "/spec/n", "value": 1}
    assert V1.patch([test] * 10_000, old=OLD).code == 200
    answer = V1.patch([test] * 10_001, old=OLD)
    limit = "The allowed maximum operations in a JSON patch is 10000, got 10001"
    assert (answer.code, answer.message) == (413, f"Request entity too large: {limit}")


def test_a_patch_above_three_mebibytes_is_refused() -> None:
    answer = V1.patch({"spec": {"t": "x" * (3 << 20)}}, old=OLD)
    assert (answer.code, answer.message) == (413, "Request entity too large: limit is 3145728")


@pytest.mark.parametrize("media_type", [requestoptions.JSON_PATCH, requestoptions.MERGE_PATCH])
def test_a_patch_that_is_too_deep_is_refused(media_type: str) -> None:
    text = "[" * 300 + "]" * 300
    answer = V1.patch(text, old=OLD, media_type=media_type, field_validation="Ignore")
    assert answer.code == 400
    assert answer.message.startswith("error decoding patch: ")


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"force": True}, "force: Forbidden: may not be specified for non-apply patch"),
        ({"field_manager": "x" * 129}, "fieldManager: Too long: may not be more than 128 bytes"),
        ({"media_type": requestoptions.APPLY}, "fieldManager: Required value: is required for apply patch"),
        ({"media_type": requestoptions.APPLY, "field_manager": "m", "force": True}, ""),
        ({}, ""),
    ],
)
def test_invalid_options_of_a_patch_are_refused(options: Any, message: str) -> None:
    request = Request("patch", Body({}), **{"media_type": requestoptions.MERGE_PATCH, **options})
    refused = requestoptions.refuse(request, profile.named("1.37"))
    result = "" if refused is None else refused.message
    assert result == (f'PatchOptions.meta.k8s.io "" is invalid: {message}' if message else "")


def test_an_apply_needs_a_manager() -> None:
    answer = V1.patch({}, old=OLD, media_type=requestoptions.APPLY)
    assert (answer.code, (answer.status or {})["details"]["kind"]) == (422, "PatchOptions")
    answer = _crd().patch({}, media_type=requestoptions.APPLY)
    assert (answer.code, (answer.status or {})["details"]["kind"]) == (422, "PatchOptions")


def test_a_strategic_merge_patch_of_a_crd_can_be_a_mapping() -> None:
    answer = _crd().patch({"metadata": {"finalizers": ["a.b/c"]}}, media_type=requestoptions.STRATEGIC_MERGE_PATCH)
    assert answer.stored["metadata"]["finalizers"] == ["a.b/c"]
    deep = _crd().patch("[" * 300 + "]" * 300, media_type=requestoptions.STRATEGIC_MERGE_PATCH)
    assert deep.code == 400
    cut = {"spec": {"versions": [{"schema": {"openAPIV3Schema": {"additionalProperties": 5}}}]}}
    answer = _crd().patch(cut, media_type=requestoptions.STRATEGIC_MERGE_PATCH)
    assert answer.message.endswith("boolean or JSON schema expected")


def test_an_observer_gets_the_result_of_a_patch() -> None:
    heard: list[ObservedRequest] = []
    version = V1.observed_by(Observer(lambda _, request: heard.append(request)))
    version.patch({"spec": {"n": 2}}, old=OLD)
    version.patch([{"op": "remove", "path": "/x"}], old=OLD)
    version.patch({"status": {"n": 2}}, old=OLD, subresource="status")
    assert [request.written for request in heard] == ["object", "", "status"]
    assert [request.sent and request.sent["spec"] for request in heard] == [
        {"n": 2, "l": [1]},
        None,
        {"n": 1, "l": [1]},
    ]


def test_a_scale_is_a_number_or_an_object() -> None:
    for wanted in (3, {"spec": {"replicas": 3}}):
        answer = V1.scale(OLD, wanted)
        assert (answer.code, answer.stored["spec"]["n"], answer.scale["spec"]) == (200, 3, {"replicas": 3})
    assert V1.scale(OLD, '{"spec": {"replicas": 3}}').code == 400
    assert (
        V1.scale(OLD, "[]").message
        == 'no kind is registered for the type v1.Scale in scheme "pkg/runtime/scheme.go:111"'
    )


def test_a_scale_shows_the_selector() -> None:
    answer = V1.patch({"spec": {"replicas": 2}}, old={**OLD, "status": {"s": "a=b", "n": 1}}, subresource="scale")
    assert answer.scale["status"] == {"replicas": 1, "selector": "a=b"}


def test_a_number_that_is_too_great_is_refused() -> None:
    answer = V1.patch('{"spec": {"n": 1e400}}', old=OLD, media_type=requestoptions.MERGE_PATCH)
    words = "error decoding patch: json: cannot unmarshal number 1e400 into Go value of type float64"
    assert (answer.code, answer.message) == (400, words)


def test_mistyped_replicas_have_no_scale() -> None:
    result = V1.subresources.read_scale({"spec": {"n": "many"}})
    assert result == Refusal(500, "", ".spec.n accessor error: many is of the type string, expected int64")


def test_a_scale_that_is_too_large_is_refused() -> None:
    assert V1.scale(OLD, {"x": "x" * (3 << 20)}).code == 413


def test_a_mistyped_status_has_no_scale() -> None:
    answer = V1.patch({"spec": {"replicas": 2}}, old={**OLD, "status": {"n": "many"}}, subresource="scale")
    assert (answer.code, answer.message) == (
        500,
        ".status.n accessor error: many is of the type string, expected int64",
    )


def test_replicas_need_a_parent_object() -> None:
    subresources = Subresources(scale={"specReplicasPath": ".spec.a.n", "statusReplicasPath": ".status.n"})
    with pytest.raises(RefusedError, match=r"value cannot be set because \.spec\.a is not a map"):
        scale.with_replicas({"spec": {"a": []}}, scale.DecodedScale({}, 1), subresources)


def test_the_scale_of_a_missing_object_is_not_found() -> None:
    answers = _crd()._answers
    strategy = answers.strategy(answers.schemas[0])
    sent = Body({**scale.TYPE_META, "metadata": {"name": "a"}, "spec": {"replicas": 1}})
    outcome = handlers.handle(None, Request("update", sent, name="a", subresource="scale"), strategy)
    assert (outcome.response.code, outcome.objects.returned) == (404, None)


def test_the_response_to_a_patch_of_a_crd_has_the_patched_crd() -> None:
    answer = _crd().patch([{"op": "add", "path": "/spec/names/shortNames", "value": ["cr"]}])
    assert answer.stored["spec"]["names"]["shortNames"] == ["cr"]
    assert json.dumps(answer.stored)


def test_a_malformed_patch_has_the_message_of_each_version() -> None:
    result = [
        _crd(version).version("v1").patch("nope", old=OLD, media_type=requestoptions.JSON_PATCH).message
        for version in ("1.37", "1.36", "1.21")
    ]
    wrong = "invalid character 'o' in literal null (expecting 'u')"
    assert result == ["invalid JSON patch", f"error decoding patch: {wrong}", wrong]
