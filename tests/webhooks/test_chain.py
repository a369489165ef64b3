"""Admission by webhooks: order, patches, reinvocation, failures, and the versions of objects."""

from __future__ import annotations

import base64
import itertools
import json
from collections.abc import Mapping, Sequence

import pytest
from support import admissions
from support.admissions import NEWEST, OBJECT, RULE, configuration, webhook
from support.webhookreplies import FakeTransport, Reply

from pytest_crd.admission.chain import AdmissionChain
from pytest_crd.engine.cel.errors import UnsupportedExpressionError
from pytest_crd.engine.errors.refusal import Refusal
from pytest_crd.engine.jsonvalue import JSONObject, JSONValue
from pytest_crd.engine.registry.admission import AdmissionRequest, Admitted
from pytest_crd.engine.registry.requestbody import RefusedError
from pytest_crd.webhooks import webhookurls
from pytest_crd.webhooks.chain import UnknownTransportError, WebhookPlugin
from pytest_crd.webhooks.transport import TransportError, UnreachableWebhookError, WebhookReply

REQUEST = admissions.admission_request()


class Project:
    """Webhooks with one transport."""

    def __init__(self, reply: Reply, *manifests: JSONValue, kubernetes: str = "1.37") -> None:
        numbers = itertools.count(1)
        self.transport = FakeTransport(reply)
        self.plugin = WebhookPlugin(
            admissions.read(*manifests, kubernetes=kubernetes),
            lambda hook: (self.transport, webhookurls.server_url(hook.client_config, NEWEST)),
            lambda name: {"metadata": {"name": name}},
            lambda: f"uid-{next(numbers)}",
            NEWEST,
        )
        self.admission = AdmissionChain((self.plugin,))

    @property
    def called(self) -> str:
        """The first letters of the called webhooks."""
        return "".join(url.partition("example.com/")[2][0] for url in self.transport.urls)

    def mutate(self, request: AdmissionRequest = REQUEST) -> Admitted:
        return self.admission.mutate(request)

    def refusal(self, request: AdmissionRequest = REQUEST, stage: str = "mutate") -> Refusal:
        with pytest.raises(RefusedError) as error:
            getattr(self.admission, stage)(request)
        return error.value.refusal


def answer(review: JSONValue, **response: JSONValue) -> JSONValue:
    whole = {"uid": review["request"]["uid"], "allowed": True, **response}
    return {"apiVersion": review["apiVersion"], "kind": "AdmissionReview", "response": whole}


def allow(review: JSONValue) -> JSONValue:
    return answer(review)


def deny(review: JSONValue) -> JSONValue:
    return answer(review, allowed=False, warnings=["careful"])


def patching(*operations: JSONValue, patch_type: str = "JSONPatch") -> Reply:
    patch = base64.b64encode(json.dumps(operations).encode()).decode()
    return lambda review: answer(review, patch=patch, patchType=patch_type)


def setting(path: str, value: JSONValue) -> Reply:
    return patching({"op": "add", "path": path, "value": value})


def mutating(*webhooks: JSONValue) -> JSONValue:
    return configuration("Mutating", *webhooks)


def validating(*webhooks: JSONValue) -> JSONValue:
    return configuration("Validating", *webhooks)


FAILED = 'Internal error occurred: failed calling webhook "a.example.com":'


def test_webhooks_are_called_in_order_with_their_time_limit() -> None:
    project = Project(allow, mutating(webhook("b.example.com", timeoutSeconds=3), webhook()))
    assert project.mutate() == Admitted(OBJECT)
    assert project.transport.urls == [
        "https://hooks.example.com/b?timeout=3s",
        "https://hooks.example.com/a?timeout=10s",
    ]
    assert project.transport.timeouts == [3.0, 10.0]
    first, second = project.transport.reviews
    assert (first["request"]["uid"], second["request"]["uid"]) == ("uid-1", "uid-2")
    assert first["request"]["object"] == OBJECT


def test_a_patched_object_gets_defaults_and_goes_to_the_next_webhook() -> None:
    project = Project(setting("/spec/y", 2), mutating(webhook(), webhook("b.example.com")))
    assert project.mutate().object == {**OBJECT, "spec": {"x": 1, "y": 2, "d": "default"}}
    assert project.transport.reviews[1]["request"]["object"]["spec"] == {"x": 1, "y": 2, "d": "default"}


def test_an_empty_patch_changes_nothing() -> None:
    project = Project(patching(), mutating(webhook(reinvocationPolicy="IfNeeded"), webhook("b.example.com")))
    assert project.mutate() == Admitted(OBJECT)
    assert project.called == "ab"


@pytest.mark.parametrize(
    ("changing", "called"),
    [
        ("", "abc"),
        ("a", "abc"),
        ("b", "abca"),
        ("c", "abcab"),
        ("bc", "abcab"),
        ("abc", "abcab"),
    ],
)
def test_webhooks_are_called_again_after_later_changes(changing: str, called: str) -> None:
    numbers = itertools.count()

    def reply(review: JSONValue) -> JSONValue:
        letter = project.called[-1]
        changes = setting("/spec/n", next(numbers)) if letter in changing else patching()
        assert callable(changes)
        return changes(review)

    again = {"reinvocationPolicy": "IfNeeded"}
    hooks = [webhook(**again), webhook("b.example.com", **again), webhook("c.example.com")]
    project = Project(reply, mutating(*hooks))
    project.mutate()
    assert project.called == called


def test_warnings_of_all_webhooks_are_kept() -> None:
    project = Project(lambda review: answer(review, warnings=["w"]), mutating(webhook(), webhook("b.example.com")))
    assert project.mutate().warnings == ("w", "w")


def test_a_denial_ends_the_request_and_keeps_warnings() -> None:
    project = Project(deny, mutating(webhook(), webhook("b.example.com")))
    with pytest.raises(RefusedError) as error:
        project.mutate()
    words = 'admission webhook "a.example.com" denied the request without explanation'
    assert (error.value.refusal.code, error.value.refusal.message) == (400, words)
    assert error.value.warnings == ("careful",)
    assert project.called == "a"


def test_all_validating_webhooks_are_called_and_the_first_refusal_counts() -> None:
    project = Project(deny, validating(webhook(), webhook("b.example.com")))
    with pytest.raises(RefusedError, match=r'admission webhook "a\.example\.com" denied') as error:
        project.admission.validate(REQUEST)
    assert error.value.warnings == ("careful", "careful")
    assert [denial.by for denial in error.value.refusal.denials] == ["a.example.com", "b.example.com"]
    assert project.called == "ab"


def test_validating_webhooks_leave_the_object() -> None:
    project = Project(lambda review: answer(review, warnings=["w"]), validating(webhook()))
    assert project.admission.validate(REQUEST) == Admitted(OBJECT, ("w",))


@pytest.mark.parametrize(
    ("reply", "words"),
    [
        (
            TransportError("dial tcp: connect: connection refused"),
            'failed to call webhook: Post "https://hooks.example.com/a?timeout=10s": dial tcp: connect: connection refused',
        ),
        (
            WebhookReply(404, b"", "text/plain"),
            "failed to call webhook: the server could not find the requested resource",
        ),
        (b"{}", "received invalid webhook response: webhook response was absent"),
        (
            lambda review: answer(review, patch="e30=", patchType="JSONPatch"),
            "received undecodable patch in webhook response: json: cannot unmarshal object into Go value of type jsonpatch.Patch",
        ),
        (patching(None, patch_type="Merge"), 'unsupported patch type "Merge"'),
    ],
)
def test_failed_calls_refuse_or_are_ignored_by_the_policy(reply: Reply, words: str) -> None:
    refusal = Project(reply, mutating(webhook())).refusal()
    assert refusal.message == f"{FAILED} {words}"
    assert (refusal.code, refusal.reason) == (500, "InternalError")
    ignoring = Project(
        reply, mutating(webhook(failurePolicy="Ignore"), webhook("b.example.com", failurePolicy="Ignore"))
    )
    assert ignoring.mutate() == Admitted(OBJECT)
    assert ignoring.called == "ab"


def test_reviews_of_unknown_versions_cannot_be_created() -> None:
    project = Project(allow, configuration("Mutating", webhook(admissionReviewVersions=["v1beta1"]), version="v1"))
    hook = project.plugin.configurations.mutating[0]._replace(review_versions=("v2",))
    plugin = project.plugin._replace(configurations=project.plugin.configurations._replace(mutating=(hook,)))
    admission = AdmissionChain((plugin,))
    with pytest.raises(RefusedError, match="could not create admission objects: webhook does not accept known"):
        admission.mutate(REQUEST)


def test_patches_that_do_not_apply_are_internal_errors_whatever_the_policy() -> None:
    reply = setting("/a/b", 1)
    refusal = Project(reply, mutating(webhook(failurePolicy="Ignore"))).refusal()
    missing = 'add operation does not apply: doc is missing path: "/a/b": missing value'
    assert refusal.message == f"Internal error occurred: {missing}"


def test_a_deleted_object_cannot_be_patched() -> None:
    request = admissions.admission_request(None, OBJECT, "DELETE")
    refusal = Project(setting("/spec/y", 1), mutating(webhook())).refusal(request)
    words = (
        'admission webhook "a.example.com" attempted to modify the object, which is not supported for this operation'
    )
    assert refusal.message == f"Internal error occurred: {words}"
    project = Project(allow, mutating(webhook()))
    assert project.mutate(request) == Admitted(None)
    assert project.transport.reviews[0]["request"]["oldObject"] == OBJECT


def test_a_dry_run_calls_no_webhook_with_side_effects() -> None:
    project = Project(
        allow, configuration("Mutating", webhook(sideEffects="Some"), version="v1beta1"), kubernetes="1.21"
    )
    assert project.mutate().object == OBJECT
    refusal = project.refusal(REQUEST._replace(dry_run=True))
    assert refusal.message == 'admission webhook "a.example.com" does not support dry run'
    assert Project(allow, mutating(webhook())).mutate(REQUEST._replace(dry_run=True)).object == OBJECT


def test_webhooks_that_do_not_match_are_not_called() -> None:
    foreign = webhook(rules=[{**RULE, "apiGroups": ["another"]}])
    project = Project(deny, mutating(foreign), validating(foreign))
    assert project.mutate() == project.admission.validate(REQUEST) == Admitted(OBJECT)
    exempt = REQUEST._replace(group="admissionregistration.k8s.io", kind="MutatingWebhookConfiguration")
    everything = webhook(rules=[{**RULE, "apiGroups": ["*"]}])
    project = Project(deny, mutating(everything), validating(everything))
    assert project.mutate(exempt) == project.admission.validate(exempt) == Admitted(OBJECT)


@pytest.mark.parametrize(("stage", "kind"), [("mutate", "Mutating"), ("validate", "Validating")])
def test_match_conditions_decide(stage: str, kind: str) -> None:
    def project(expression: str) -> Project:
        condition = {"name": "c", "expression": expression}
        return Project(allow, configuration(kind, webhook(matchConditions=[condition])))

    for expression, called in (("object.spec.x == 1", "a"), ("object.spec.x == 2", "")):
        chosen = project(expression)
        assert getattr(chosen.admission, stage)(REQUEST).object == OBJECT
        assert chosen.called == called
    refusal = project("object.y == 1").refusal(stage=stage)
    problem = "expression 'object.y == 1' resulted in error: no such key: y"
    assert refusal.message == f'tabs.example.com "one" is forbidden: {problem}'
    assert refusal.subject == {"name": "one", "group": "example.com", "kind": "tabs"}
    nameless = REQUEST._replace(name="", group="", object={**OBJECT, "apiVersion": "v1"})
    core = webhook(rules=[{**RULE, "apiGroups": ["*"]}], matchConditions=[{"name": "c", "expression": "object.y == 1"}])
    assert Project(allow, configuration(kind, core)).refusal(nameless, stage).message == f"tabs is forbidden: {problem}"
    with pytest.raises(UnsupportedExpressionError, match=r"\(webhook a\.example\.com, hooks\.yaml:2\)"):
        getattr(project("authorizer.path('/').check('get').allowed()").admission, stage)(REQUEST)


def test_webhooks_that_cannot_be_called_are_an_error() -> None:
    project = Project(allow, mutating(webhook(failurePolicy="Ignore")))
    admission = AdmissionChain((project.plugin._replace(transport_of=lambda _: None),))
    with pytest.raises(UnknownTransportError) as error:
        admission.mutate(REQUEST)
    words = "a request matches the webhook a.example.com, and it is not known how to call it"
    assert str(error.value) == f"hooks.yaml:2: {words}"


def test_a_server_that_is_not_there_is_an_error_if_the_policy_would_ignore_it() -> None:
    problem = UnreachableWebhookError("dial tcp 127.0.0.1:1: connect: connection refused")
    with pytest.raises(UnknownTransportError) as error:
        Project(problem, mutating(webhook(failurePolicy="Ignore"))).mutate()
    assert str(error.value) == (
        "hooks.yaml:2: the webhook a.example.com is not called, and its failurePolicy Ignore would hide it: Post "
        '"https://hooks.example.com/a?timeout=10s": dial tcp 127.0.0.1:1: connect: connection refused'
    )
    assert Project(problem, mutating(webhook())).refusal().message.endswith("connection refused")


V2: JSONObject = {"rules": [{**RULE, "apiVersions": ["v2"]}]}


def versions(project: Project) -> Sequence[tuple[str, str]]:
    return [
        (review["request"]["object"]["apiVersion"], (review["request"]["oldObject"] or {}).get("apiVersion", ""))
        for review in project.transport.reviews
    ]


def test_webhooks_get_the_objects_in_their_version() -> None:
    hooks = [webhook(), webhook("b.example.com", **V2), webhook("c.example.com", **V2), webhook("d.example.com")]
    project = Project(setting("/spec/y", 1), mutating(*hooks))
    request = admissions.admission_request(OBJECT, OBJECT, "UPDATE")
    admitted = project.mutate(request).object
    assert admitted is not None
    assert admitted["apiVersion"] == "example.com/v1"
    v1, v2 = ("example.com/v1",) * 2, ("example.com/v2",) * 2
    assert versions(project) == [v1, v2, v2, v1]
    project = Project(allow, validating(*hooks))
    assert project.admission.validate(request).object == OBJECT
    assert versions(project) == [v1, v2, v2, v1]
    project = Project(allow, mutating(webhook(**V2)))
    assert project.mutate().object == OBJECT


def test_objects_that_cannot_be_converted_are_internal_errors() -> None:
    stuck = {**OBJECT, "spec": {"stuck": True}}
    request = admissions.admission_request(stuck)
    twice = "Internal error occurred: Internal error occurred: stuck"
    assert Project(allow, mutating(webhook(**V2))).refusal(request).message == twice
    condition: dict[str, JSONValue] = {"matchConditions": [{"name": "c", "expression": "true"}]}
    assert Project(allow, mutating(webhook(**V2, **condition))).refusal(request).message == twice
    assert (
        Project(allow, validating(webhook(**V2))).refusal(request, "validate").message
        == "Internal error occurred: stuck"
    )


@pytest.mark.parametrize(
    ("path", "value", "words"),
    [
        ("/spec/stuck", 1, ""),
        ("/apiVersion", "example.com/v2", ""),
        ("/apiVersion", "example.com/v3", "request to convert CR from an invalid group/version: example.com/v3"),
        (
            "/apiVersion",
            "v1",
            '/v1, Kind=Tab is unstructured and is not suitable for converting to "example.com/v1"',
        ),
        (
            "/apiVersion",
            "another.com/v1",
            'another.com/v1, Kind=Tab is unstructured and is not suitable for converting to "example.com/v1"',
        ),
    ],
)
def test_a_changed_version_is_converted_back(path: str, value: JSONValue, words: str) -> None:
    project = Project(setting(path, value), mutating(webhook()))
    if not words:
        admitted = project.mutate().object
        assert isinstance(admitted, Mapping)
        assert admitted["apiVersion"] == "example.com/v1"
        return
    refusal = project.refusal()
    assert (refusal.code, refusal.reason, refusal.message) == (500, "", words)


SCALE: JSONObject = {
    "apiVersion": "autoscaling/v1",
    "kind": "Scale",
    "metadata": {"name": "one"},
    "spec": {"replicas": 1},
}
TO_SCALE = admissions.admission_request(SCALE, SCALE, "UPDATE")._replace(kind="Scale", subresource="scale")


def test_a_scale_is_patched_without_defaults_and_decoded_at_the_end() -> None:
    operations = ({"op": "add", "path": "/spec/replicas", "value": 2}, {"op": "add", "path": "/x", "value": 1})
    project = Project(patching(*operations), mutating(webhook(**V2), webhook("b.example.com")))
    assert project.mutate(TO_SCALE).object == {**SCALE, "spec": {"replicas": 2}}
    assert project.transport.reviews[1]["request"]["object"] == {**SCALE, "spec": {"replicas": 2}, "x": 1}


@pytest.mark.parametrize(
    ("path", "value", "words"),
    [
        (
            "/spec/replicas",
            "x",
            "unable to convert unstructured object to autoscaling/v1, Kind=Scale: unrecognized type: int32",
        ),
        ("/kind", "X", 'no kind "X" is registered for version "autoscaling/v1" in scheme "pkg/runtime/scheme.go:111"'),
        ("/apiVersion", None, "Object 'apiVersion' is missing in 'unstructured object has no version'"),
    ],
)
def test_an_undecodable_scale_is_an_error(path: str, value: JSONValue, words: str) -> None:
    refusal = Project(setting(path, value), mutating(webhook())).refusal(TO_SCALE)
    assert (refusal.code, refusal.reason, refusal.message) == (500, "", words)
