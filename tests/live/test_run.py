"""Questions to a server beside the engine: agreed, disagreed, not asked, no answer."""

from __future__ import annotations

import contextlib
import json
from collections.abc import Callable, Iterator, Sequence
from typing import Any

import pytest
from live.fakeserver import CRDS, FakeServer
from live.loopback import Reply, serving

from pytest_crd.cases.questions import AnyQuestion, CrdQuestion, Question, SentApply
from pytest_crd.cases.sections import Section
from pytest_crd.engine import CrdVersion, CustomResourceDefinition
from pytest_crd.engine.api.context import CrdContext
from pytest_crd.engine.client import completion
from pytest_crd.engine.observer import Observer
from pytest_crd.engine.registry.requestbody import Body
from pytest_crd.live import client
from pytest_crd.live.policies.livepolicies import PolicyJudge
from pytest_crd.live.run import LiveOutcome, LiveVerdict, Run, Target

Ask = Callable[..., LiveVerdict]
GROUP = "g.example.com"
SUBRESOURCES = {
    "status": {},
    "scale": {"specReplicasPath": ".spec.replicas", "statusReplicasPath": ".status.replicas"},
}


def crd_of(version: str = "1.37", *, scope: str = "Namespaced", **parts: Any) -> CustomResourceDefinition:
    """Return a CRD about things with a size and a label."""
    properties = {
        "spec": {
            "type": "object",
            "properties": {
                "size": {"type": "integer", "maximum": 10},
                "label": {"type": "string", "default": "a"},
                "replicas": {"type": "integer"},
            },
        },
        "status": {"type": "object", "properties": {"phase": {"type": "string"}}},
    }
    schema = {"type": "object", "properties": properties, **parts.pop("root", {})}
    v1 = {"name": "v1", "served": True, "storage": True, "schema": {"openAPIV3Schema": schema}}
    v1 |= {"subresources": parts.pop("subresources", {"status": {}})}
    spec: dict[str, Any] = {"group": GROUP, "scope": scope, "names": {"plural": "things", "kind": "Thing"}}
    manifest = {
        "apiVersion": "apiextensions.k8s.io/v1",
        "kind": "CustomResourceDefinition",
        "metadata": {"name": f"things.{GROUP}"},
        "spec": spec | {"versions": [v1, *parts.pop("others", ())]} | parts,
    }
    return CustomResourceDefinition.from_manifest(manifest, kubernetes_version=version)


def question(section: Section, sent: Any, version: CrdVersion | None = None, **more: Any) -> Question:
    return Question(version or crd_of().version("v1"), section, completion.read(sent), **more)


@pytest.fixture
def fake(monkeypatch: pytest.MonkeyPatch) -> Iterator[FakeServer]:
    monkeypatch.setattr(client, "PAUSES", (0.0,) * len(client.PAUSES))
    fake = FakeServer()
    with serving(fake) as url:
        fake.url = url
        yield fake


@pytest.fixture
def ask(fake: FakeServer) -> Ask:
    """Return a function that sends questions in a new run, which must leave nothing on the server."""

    def asking(*questions: Question | CrdQuestion, installed: bool = False) -> LiveVerdict:
        server = client.Server(fake.url)
        run = Run(Target(server, f"1.{fake.minor}", "v", "kubectl"), PolicyJudge, installed=installed)
        with contextlib.closing(server):
            before = fake.names()
            verdict = run.verdict(questions)
            assert run.end(whole=True) == []
            assert fake.names() == before
        return verdict

    return asking


def _replying(method: str, part: str, *replies: Reply | None) -> Any:
    """Return an interceptor for requests with a part in their URL: it sends the replies in turn, and repeats the last."""
    remaining = list(replies)

    def interfere(asked: str, url: str, _: Any) -> Reply | None:
        if asked != method or part not in url:
            return None
        return remaining.pop(0) if len(remaining) > 1 else remaining[0]

    return interfere


def _status(code: int, message: str, fields: Sequence[str] = (), warnings: Sequence[str] = ()) -> Reply:
    causes = [{"reason": "FieldValueInvalid", "field": name, "message": "Invalid value: 1"} for name in fields]
    listed = ", ".join(f"{cause['field']}: {cause['message']}" for cause in causes)
    body = {"code": code, "message": message + listed, "reason": "Invalid", "details": {"causes": causes}}
    return Reply(code, json.dumps(body), tuple(("Warning", f'299 - "{text}"') for text in warnings))


def test_questions_in_namespaces_and_clusters_are_agreed_upon(ask: Ask, fake: FakeServer) -> None:
    cluster = crd_of(scope="Cluster").version("v1")
    old = {"metadata": {"name": "n", "namespace": "home", "uid": "u7", "resourceVersion": "9"}, "spec": {"size": 1}}
    updated = {"metadata": {"name": "n", "uid": "u7", "resourceVersion": "9"}, "spec": {"size": 2}}

    assert ask(
        question(Section.CREATE, {"spec": {"size": 1}}),
        question(Section.CREATE, {"metadata": {"generateName": "n-", "namespace": "home"}}),
        question(Section.CREATE, '{"apiVersion":"g.example.com/v1","kind":"Thing","metadata":{"name":"n"}}'),
        question(Section.CREATE, "apiVersion: g.example.com/v1\nkind: Thing\nmetadata: {name: n}\nspec: {size: 1.0}\n"),
        question(Section.CREATE, []),
        question(Section.CREATE, {}, cluster),
        question(Section.UPDATE, updated, old=old),
        question(Section.UPDATE, {"metadata": {"namespace": "away"}}, old=old),
        question(Section.UPDATE, {"metadata": []}, old=old),
        question(Section.UPDATE_STATUS, {"status": {"phase": "a"}}, old={"spec": {}, "status": {"phase": "b"}}),
        question(Section.UPDATE, {"spec": {"size": 3}}, cluster, old={"spec": {"size": 1}}),
        question(Section.UPDATE, {"spec": {"size": 3}}, old={"spec": {}, "status": {"phase": "b"}}),
        question(Section.UPDATE, {"spec": {"size": 11}}, old={"metadata": {"generateName": "n-"}, "spec": {}}),
        question(Section.UPDATE, {"metadata": {"generateName": "n-"}}, old={"metadata": {"generateName": "n-"}}),
    ) == LiveVerdict(LiveOutcome.AGREED)
    assert [line for line in fake.log if "u7" in line] == []


def applied(*applies: Any, section: Section = Section.APPLY, old: Any = None, **more: Any) -> Question:
    """Return a question about applies, each with its manager."""
    sent = tuple(SentApply(manager, completion.read_applied(body), *force) for manager, body, *force in applies)
    version = crd_of(subresources=SUBRESOURCES).version("v1")
    return Question(version, section, sent[-1].body, old=old, applies=sent, **more)


def test_patches_are_agreed_upon(ask: Ask, fake: FakeServer) -> None:
    version = crd_of(subresources=SUBRESOURCES).version("v1")
    old = {"metadata": {"name": "n", "namespace": "home", "uid": "u7"}, "spec": {"size": 1}}
    operations = [
        {"op": "replace", "path": "/apiVersion", "value": f"{GROUP}/v1"},
        {"op": "add", "path": "/metadata/namespace", "value": "home"},
        {"op": "add", "path": "/spec/label", "value": "b"},
    ]

    def patched(section: Section, patch: Any) -> Question:
        return Question(version, section, Body(patch), old=old)

    assert ask(
        patched(Section.PATCH, operations),
        patched(Section.PATCH, [{"op": "test", "path": "/spec/label", "value": "c"}]),
        patched(Section.PATCH, {"metadata": {"uid": "u7", "namespace": "home"}, "spec": {"size": 11}}),
        patched(Section.PATCH_STATUS, {"status": {"phase": "a"}}),
        patched(Section.PATCH_SCALE, {"spec": {"replicas": 3}}),
        patched(Section.PATCH_SCALE, {"spec": {"replica": 3}}),
    ) == LiveVerdict(LiveOutcome.AGREED)
    assert len([line for line in fake.log if line.startswith("PATCH") and "dryRun" in line]) == 6
    identity = patched(Section.PATCH, [{"op": "test", "path": "/metadata/uid", "value": "u7"}])
    assert ask(identity).reason == "a patch that states what only the server knows: /metadata/uid"


def test_applies_are_agreed_upon_step_by_step(ask: Ask, fake: FakeServer) -> None:
    entry = {"manager": "b", "operation": "Apply", "apiVersion": f"{GROUP}/v1", "fieldsType": "FieldsV1"}
    managed = {"managedFields": [{**entry, "fieldsV1": {"f:spec": {"f:size": {}}}}]}
    text = f"apiVersion: {GROUP}/v1\nkind: Thing\nmetadata: {{name: n}}\nspec: {{size: 1, size: 2}}\n"

    assert ask(
        applied(("a", {"spec": {"size": 1}})),
        applied(("a", {"spec": {"size": 1}}), ("b", {"spec": {"size": 2}})),
        applied(("a", {"spec": {"size": 1}}), ("b", {"spec": {"size": 2}}, True), ("a", {"spec": {}})),
        applied(("a", {"spec": {"size": 11}}), ("b", {})),
        applied(("a", text)),
        applied(("a", {"spec": {"size": 1}}), old={"spec": {"size": 1}}),
        applied(("b", {"spec": {"label": "c"}}), old={"metadata": managed, "spec": {"size": 1}}),
        applied(("a", {"status": {"phase": "x"}}), section=Section.APPLY_STATUS, old={"spec": {}}),
        applied(("a", {"spec": {"replicas": 1}}), section=Section.APPLY_SCALE, old={"spec": {"size": 1}}),
    ) == LiveVerdict(LiveOutcome.AGREED)
    written = [line.partition("?")[2] for line in fake.log if line.startswith("PATCH") and "fieldManager" in line]
    assert [line for line in written if "dryRun" not in line] == [
        "fieldValidation=Warn&fieldManager=a",
        "fieldValidation=Warn&fieldManager=a",
        "fieldValidation=Warn&fieldManager=b&force=true",
    ]


@pytest.mark.parametrize("manager", ["a", "b", "c"])
def test_owners_that_differ_are_a_disagreement(ask: Ask, fake: FakeServer, manager: str) -> None:
    requests = applied(*((name, {"spec": {"size": 1}}) for name in "abc"))
    stored = {"metadata": {"name": "example", "uid": "u"}, "spec": {"size": 1, "label": "a"}, "kind": "Thing"}

    def interfere(_: str, url: str, given: Any) -> Reply | None:
        if f"fieldManager={manager}" not in url:
            return None
        return Reply(201 if manager == "a" else 200, json.dumps({**stored, "apiVersion": given["apiVersion"]}))

    fake.interfere = interfere

    verdict = ask(requests)

    assert verdict.outcome == LiveOutcome.DISAGREED
    assert "owners:" in verdict.differences


def test_applies_to_stored_objects_are_not_sent_for_installed_crds(ask: Ask, fake: FakeServer) -> None:
    crd = crd_of(subresources=SUBRESOURCES)
    name = f"{CRDS}/{crd.name}"
    fake.objects[name] = {**crd.manifest, "metadata": {"name": crd.name, "uid": "u", "generation": 1}}
    fake.objects[name]["spec"] = crd.response.stored["spec"]

    assert ask(applied(("a", {"spec": {"size": 1}})), installed=True) == LiveVerdict(LiveOutcome.AGREED)
    verdict = ask(applied(("a", {}), ("b", {})), installed=True)
    assert verdict.reason == "several applies need a stored object, which might wake an operator"
    verdict = ask(applied(("a", {}), old={"spec": {}}), installed=True)
    assert verdict.reason == "an update needs a stored object, which might wake an operator"


def test_managed_fields_that_the_server_refuses_are_not_compared(ask: Ask, fake: FakeServer) -> None:
    def interfere(method: str, url: str, _: Any) -> Reply | None:
        return _status(422, "no fields") if method == "PATCH" and "?" not in url else None

    fake.interfere = interfere
    verdict = ask(applied(("a", {}), old={"spec": {}}))

    assert verdict.reason == "the server refuses the managed fields of the old object: no fields"


def test_the_worst_of_several_answers_counts(ask: Ask, fake: FakeServer) -> None:
    webhook = crd_of(conversion={"strategy": "None"}).version("v1")
    fake.interfere = _replying("POST", "dryRun", _status(500, "panic"), None)

    verdict = ask(question(Section.CREATE, {}, webhook), question(Section.CREATE, {}))

    assert (verdict.outcome, verdict.reason) == (LiveOutcome.NO_ANSWER, "500 panic")
    assert ask() == LiveVerdict(LiveOutcome.NOT_ASKED, "the test itself asks nothing that has an answer")


def test_objects_converted_by_a_webhook_are_not_compared(ask: Ask) -> None:
    schema = {"openAPIV3Schema": {"type": "object"}}
    second = {"name": "v2", "served": True, "storage": False, "schema": schema}
    service = {"service": {"namespace": "a", "name": "b"}}
    conversion = {
        "strategy": "Webhook",
        "webhook": {"clientConfig": service, "conversionReviewVersions": ["v1"]},
    }
    crd = crd_of(others=[second], conversion=conversion)

    assert ask(question(Section.CREATE, {}, crd.version("v1"))).outcome == LiveOutcome.AGREED
    verdict = ask(question(Section.CREATE, {}, crd.version("v2")))

    assert verdict.outcome == LiveOutcome.NOT_ASKED
    assert verdict.reason == "a webhook converts its objects, which is the project's, not the server's"


def test_a_crd_that_every_server_refuses_is_not_compared(ask: Ask, fake: FakeServer) -> None:
    crd = crd_of(root={"properties": {"spec": {}}})

    verdict = ask(question(Section.CREATE, {}, crd.version("v1")), question(Section.CREATE, {}, crd.version("v1")))

    assert verdict.outcome == LiveOutcome.NOT_ASKED
    named = f'CustomResourceDefinition.apiextensions.k8s.io "things.{GROUP}" is invalid: '
    assert verdict.reason.startswith(f"no server of Kubernetes 1.37 takes its CRD: {named}")
    assert len([line for line in fake.log if line.startswith("POST")]) == 1  # for the namespace


def test_a_crd_that_the_server_alone_refuses_is_a_disagreement(ask: Ask, fake: FakeServer) -> None:
    fake.interfere = _replying("POST", CRDS, _status(422, "no CRDs"))

    verdict = ask(question(Section.CREATE, {}))

    assert verdict.outcome == LiveOutcome.DISAGREED
    assert "  server:     no CRDs" in verdict.differences
    assert f"name: things.{GROUP}" in verdict.recording
    fake.interfere = _replying("POST", CRDS, _status(403, "not you"))
    assert ask(question(Section.CREATE, {})).reason == "403 not you"


def test_a_crd_that_is_not_served_is_not_compared(ask: Ask, fake: FakeServer) -> None:
    conditions = [{"type": "NamesAccepted", "status": "False", "reason": "ListKindConflict", "message": "m"}]
    stored = {"spec": {"group": "g", "names": {}}, "status": {"conditions": conditions}, "metadata": {}}
    fake.interfere = _replying("GET", CRDS + "/", Reply(200, json.dumps(stored)), None)

    assert ask(question(Section.CREATE, {})).reason == "its CRD is stored, but not served"


def _turning(causes: Sequence[Any], turns: Callable[[int], bool]) -> Any:
    """Return an interceptor that refuses dry runs with the causes in order; reversed if *turns* says so."""
    times = iter(range(1000))

    def interfere(method: str, url: str, given: Any) -> Reply | None:
        if method != "POST" or "dryRun" not in url:
            return None
        ordered = causes[::-1] if turns(next(times)) else causes
        reported = [{"reason": error.type.reason, "field": error.field, "message": error.message} for error in ordered]
        listed = ", ".join(f"{cause['field']}: {cause['message']}" for cause in reported)
        message = f'Thing.{given["apiVersion"].partition("/")[0]} "example" is invalid: [{listed}]'
        return Reply(422, json.dumps({"message": message, "reason": "Invalid", "details": {"causes": reported}}))

    return interfere


def test_answers_whose_order_changes_are_agreed_upon(ask: Ask, fake: FakeServer) -> None:
    request = question(Section.CREATE, {"spec": {"size": "a", "label": 1}})
    causes = request.answer().errors
    assert len(causes) == 2

    fake.interfere = _turning(causes, lambda times: times < 3)
    assert ask(request).outcome == LiveOutcome.AGREED  # the fourth answer equals the engine's
    fake.interfere = _turning(causes, lambda _: True)
    verdict = ask(request)
    assert verdict.outcome == LiveOutcome.DISAGREED  # every answer is reversed
    assert verdict.differences[0] == "message:"


def test_warnings_in_a_changing_order_are_agreed_upon(ask: Ask, fake: FakeServer) -> None:
    request = question(Section.CREATE, {"a": 1, "b": 2, "c": 3})
    orders = ["bca", "cab"]

    def interfere(method: str, url: str, given: Any) -> Reply | None:
        if method != "POST" or "dryRun" not in url:
            return None
        orders.reverse()
        stored = {key: value for key, value in given.items() if key not in "abc"}
        warnings = tuple(("Warning", f'299 - "unknown field \\"{name}\\""') for name in orders[0])
        return Reply(201, json.dumps(stored), warnings)

    fake.interfere = interfere

    assert ask(request).outcome == LiveOutcome.AGREED
    orders = ["bca", "bca"]
    assert ask(request).outcome == LiveOutcome.DISAGREED


def test_a_difference_that_a_webhook_may_have_caused_is_no_answer(ask: Ask, fake: FakeServer) -> None:
    fake.objects["/apis/admissionregistration.k8s.io/v1/mutatingwebhookconfigurations/all"] = {}
    items = [{"metadata": {"name": "all"}, "webhooks": [{"rules": [{"apiGroups": ["*"], "resources": ["*"]}]}]}]

    def interfere(method: str, url: str, given: Any) -> Reply | None:
        if url.endswith("mutatingwebhookconfigurations"):
            return Reply(200, json.dumps({"items": items}))
        if method == "POST" and "dryRun" in url:
            return Reply(201, json.dumps({**given, "spec": {"size": 7}}))
        return None

    fake.interfere = interfere

    verdict = ask(question(Section.CREATE, {}))

    assert verdict.outcome == LiveOutcome.NO_ANSWER
    assert verdict.reason == "the object, or the warnings, may be changed by mutatingwebhookconfigurations/all"


def test_an_old_object_that_no_request_stores_is_not_compared(ask: Ask) -> None:
    deleted = {"metadata": {"name": "n", "deletionTimestamp": "2026-01-01T00:00:00Z"}}
    required = crd_of(root={"required": ["status"]}).version("v1")

    verdict = ask(question(Section.UPDATE, {}, old=deleted))
    assert verdict.reason == "no request stores an object with deletionTimestamp"
    verdict = ask(question(Section.UPDATE, {}, required, old={"status": {"phase": "a"}}))
    assert verdict.outcome == LiveOutcome.NOT_ASKED
    assert verdict.reason.startswith(f'the server refuses the old object: Thing.{GROUP} "example" is invalid: ')


def test_an_old_object_that_the_server_alone_refuses_is_a_disagreement(ask: Ask, fake: FakeServer) -> None:
    request = question(Section.UPDATE, {}, old={"spec": {"size": 1}, "status": {"phase": "a"}})
    fake.interfere = _replying("POST", "/things", _status(422, "no things"))

    verdict = ask(request)

    assert verdict.outcome == LiveOutcome.DISAGREED
    assert "  server:     no things" in verdict.differences
    fake.interfere = _replying("PUT", "/status", _status(422, "no phases"))
    verdict = ask(request)
    assert "  server:     no phases" in verdict.differences
    assert "\nold:\n" in verdict.recording
    fake.interfere = _replying("POST", "/things", _status(403, "not you"))
    assert ask(request).outcome == LiveOutcome.NO_ANSWER


def test_a_leftover_object_of_an_earlier_question_is_replaced(ask: Ask, fake: FakeServer) -> None:
    fake.interfere = _replying("POST", "/things", _status(409, "already exists"), None)

    assert ask(question(Section.UPDATE, {}, old={"spec": {"size": 1}})).outcome == LiveOutcome.AGREED


def test_an_object_is_stored_under_its_old_crd_in_a_version_that_it_has(ask: Ask, fake: FakeServer) -> None:
    schema = {"openAPIV3Schema": {"type": "object", "x-kubernetes-preserve-unknown-fields": True}}
    second = {"name": "v2", "served": True, "storage": False, "schema": schema}
    old_crd, new_crd = crd_of(others=[second]), crd_of(others=[second], root={"required": ["spec"]})
    old = {"apiVersion": f"{GROUP}/v2", "metadata": {"name": "n"}, "spec": {"size": 1}}
    request = question(Section.UPDATE, {}, new_crd.version("v1"), old=old, old_version=old_crd.version("v1"))

    assert ask(request).outcome == LiveOutcome.AGREED
    stored = [line for line in fake.log if line.startswith("POST") and "/things" in line]
    assert [line.split("/")[3] for line in stored] == ["v2"]
    assert len([line for line in fake.log if line.startswith(f"PUT {CRDS}")]) == 2
    fake.interfere = _replying("PUT", CRDS, _status(422, "not this one"), None)
    verdict = ask(request)
    assert verdict.outcome == LiveOutcome.NOT_ASKED
    assert verdict.reason == "the server does not put the CRD in the place of the old one: not this one"


@pytest.mark.parametrize("lag", [0, 1, 3])
def test_a_replaced_crd_is_used_once_it_is_in_effect(ask: Ask, fake: FakeServer, lag: int) -> None:
    fake.lag = lag
    stricter = crd_of(root={"required": ["status"]})
    request = question(
        Section.UPDATE, {"spec": {}}, stricter.version("v1"), old={"spec": {}}, old_version=crd_of().version("v1")
    )

    assert ask(request, request) == LiveVerdict(LiveOutcome.AGREED)


def test_a_replaced_crd_that_never_takes_effect_is_no_answer(
    ask: Ask, fake: FakeServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(client, "PATIENCE", 0.1)
    fake.lag = 9999
    old = crd_of(root={"required": ["spec"]}).version("v1")

    verdict = ask(question(Section.UPDATE, {}, old={"spec": {}}, old_version=old))

    assert verdict.outcome == LiveOutcome.NO_ANSWER
    assert verdict.reason.startswith("waited in vain for v1 as changed: 200 ")


def test_a_write_that_a_server_answers_too_early_is_repeated(ask: Ask, fake: FakeServer) -> None:
    early = _status(422, "the schema of yesterday")
    fake.interfere = _replying("POST", "/things", early, early, None)
    assert ask(question(Section.UPDATE, {}, old={"spec": {"size": 1}})) == LiveVerdict(LiveOutcome.AGREED)
    early_replies = [Reply(201, json.dumps({"metadata": {"name": "early"}})), None]
    fake.interfere = lambda method, url, _: early_replies.pop(0) if (method, url[-7:]) == ("POST", "/things") else None

    verdict = ask(question(Section.UPDATE, {}, old={"spec": {"size": 99}}))

    assert verdict.outcome == LiveOutcome.NOT_ASKED
    assert [line for line in fake.log if line.startswith("DELETE") and line.endswith("/things/early")]


def _then(fake: FakeServer, part: str, change: Callable[[dict[str, Any]], object], reply: Reply) -> Any:
    """Return an interceptor that changes objects with a path that ends in *part*, and refuses dry runs and status updates."""

    def interfere(method: str, url: str, _: Any) -> Reply | None:
        if "dryRun" not in url and not (method == "PUT" and url.endswith("/status")):
            return None
        for name in [name for name in fake.objects if name.endswith(part)]:
            change(fake.objects[name]["metadata"])
        return reply

    return interfere


@pytest.mark.parametrize("old", [None, {"spec": {}}, {"spec": {}, "status": {"phase": "a"}}])
@pytest.mark.parametrize("key", ["uid", "deletionTimestamp"])
def test_a_crd_changed_or_removed_by_others_gives_no_answer(ask: Ask, fake: FakeServer, key: str, old: Any) -> None:
    fake.interfere = _then(fake, ".com", lambda crd: crd.setdefault(key, "x"), _status(404, "no such thing"))
    section = Section.UPDATE if old else Section.CREATE

    verdict = ask(question(section, {}, old=old))

    if key == "deletionTimestamp":
        reason = "the customresourcedefinitions that is asked about was changed or removed meanwhile"
        assert (verdict.outcome, verdict.reason) == (LiveOutcome.NO_ANSWER, reason)
    else:
        assert verdict.outcome == LiveOutcome.DISAGREED  # the installed CRD is unchanged


@pytest.mark.parametrize("old", [{"spec": {}}, {"spec": {}, "status": {"phase": "a"}}])
def test_an_object_changed_by_others_gives_no_answer(ask: Ask, fake: FakeServer, old: Any) -> None:
    fake.interfere = _then(
        fake, "/example", lambda metadata: metadata.update(resourceVersion="x"), _status(409, "was modified")
    )

    verdict = ask(question(Section.UPDATE, {}, old=old))

    reason = "the things that is asked about was changed or removed meanwhile"
    assert (verdict.outcome, verdict.reason) == (LiveOutcome.NO_ANSWER, reason)


def test_an_installed_crd_that_is_changed_meanwhile_gives_no_answer(ask: Ask, fake: FakeServer) -> None:
    _install(fake, crd_of())
    fake.interfere = _then(
        fake, f".{GROUP}", lambda crd: crd.update(generation=2), _status(422, "the schema of tomorrow")
    )

    assert ask(question(Section.CREATE, {}), installed=True).outcome == LiveOutcome.NO_ANSWER


def test_a_text_with_server_metadata_is_not_sent(ask: Ask) -> None:
    text = 'apiVersion: g.example.com/v1\nkind: Thing\nmetadata: {name: example, resourceVersion: "1"}\n'

    verdict = ask(question(Section.UPDATE, text, old={"spec": {"size": 1}}))

    assert verdict.reason == "a text that states what only the server knows: resourceVersion"
    assert ask(question(Section.UPDATE, "metadata: {name: example}\n", old={})).outcome == LiveOutcome.AGREED


def test_answers_are_compared_under_the_version_of_the_server(ask: Ask, fake: FakeServer) -> None:
    root = {"x-kubernetes-validations": [{"rule": "self.spec.size < 5", "message": "too large"}]}
    version = crd_of("1.32", root=root).version("v1")

    verdict = ask(question(Section.CREATE, {"spec": {"size": 7}}, version))

    assert verdict == LiveVerdict(LiveOutcome.AGREED, notes=("answered otherwise by Kubernetes 1.32",))


def test_a_difference_caused_by_the_renaming_is_noted(ask: Ask) -> None:
    rule = {"rule": f"self.apiVersion == '{GROUP}/v1'", "message": "of another group"}
    version = crd_of(root={"x-kubernetes-validations": [rule]}).version("v1")

    verdict = ask(question(Section.CREATE, {"spec": {"size": 7}}, version))

    assert verdict.outcome == LiveOutcome.AGREED
    assert verdict.notes == (
        "compared under another name, under which the answer is another (code, reason, message, causes, stored)",
    )


def test_passes_of_a_v1beta1_crd_are_compared_if_a_create_stores_the_object(ask: Ask, fake: FakeServer) -> None:
    fake.minor = "21"
    manifest = {
        "apiVersion": "apiextensions.k8s.io/v1beta1",
        "kind": "CustomResourceDefinition",
        "metadata": {"name": f"things.{GROUP}"},
        "spec": {
            "group": GROUP,
            "version": "v1",
            "scope": "Namespaced",
            "preserveUnknownFields": False,
            "names": {"plural": "things", "kind": "Thing"},
            "validation": {
                "openAPIV3Schema": {"type": "object", "properties": {"a": {"type": "integer", "maximum": 1}}}
            },
        },
    }
    crd = CustomResourceDefinition.from_manifest(manifest, kubernetes_version="1.21")

    verdict = ask(question(Section.PRUNING, {"a": 2}, crd.version("v1")))

    assert verdict.reason == "no create of the object stores it whole, and its CRD is none of v1"
    fake.minor = "37"
    assert ask(question(Section.CREATE, {}, crd.version("v1"))).reason == (
        "Kubernetes 1.37 serves no apiextensions.k8s.io/v1beta1"
    )


def test_a_pass_that_depends_on_more_than_the_structure_is_not_compared(
    ask: Ask, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("pytest_crd.live.judge._STRUCTURAL_KEYWORDS", frozenset({"type", "properties"}))

    verdict = ask(question(Section.DEFAULTING, {"spec": {"size": 99}}))

    assert (
        verdict.reason == "no create stores the object, and a CRD that checks no values prunes and defaults otherwise"
    )


def test_a_question_without_an_engine_answer_for_the_servers_version_is_not_asked(
    ask: Ask, monkeypatch: pytest.MonkeyPatch
) -> None:
    from pytest_crd.engine import CrdError, Mistake

    def fail(*_: object) -> None:
        raise CrdError([Mistake("a.yaml", 1, "no")])

    monkeypatch.setattr(CustomResourceDefinition, "under", fail)

    assert ask(question(Section.CREATE, {})).reason == "what 1.37 answers is not known: a.yaml:1: no"


def test_crds_are_created_before_their_questions(fake: FakeServer) -> None:
    server = client.Server(fake.url)
    run = Run(Target(server, "1.37", "v", "kubectl"), PolicyJudge)
    version = crd_of().version("v1")
    refused = question(Section.CREATE, {}, crd_of(root={"properties": {"spec": {}}}).version("v1"))
    whole, bare = (question(Section.PRUNING, {"spec": {"size": size}}, version) for size in (1, 99))
    create = question(Section.CREATE, {}, version)
    requests: list[AnyQuestion] = [create, whole, bare, _of_crd("conditions"), _of_crd("accepted"), refused]

    run.prepare([*requests, *requests])
    run._makers.shutdown()

    created = [line for line in fake.log if line == f"POST {CRDS}"]
    assert len(created) == 2  # the second is the CRD without validation
    assert not any("dryRun" in line for line in fake.log)
    assert run.verdict(requests[:-1]).outcome == LiveOutcome.AGREED
    assert run.verdict(requests).outcome == LiveOutcome.NOT_ASKED
    assert [line for line in fake.log if line == f"POST {CRDS}"] == created
    assert run.end(whole=True) == []
    assert fake.names() == []


# CRDs themselves


def _of_crd(kind: str, crd: CustomResourceDefinition | None = None) -> CrdQuestion:
    crd = crd or crd_of()
    return CrdQuestion(crd, crd.manifest, kind)


def test_crds_are_compared_under_their_own_name(ask: Ask, fake: FakeServer) -> None:
    refused = crd_of(root={"properties": {"spec": {}}})

    assert ask(*map(_of_crd, ("accepted", "structural", "rules", "conditions"))) == LiveVerdict(LiveOutcome.AGREED)
    assert ask(_of_crd("accepted", refused)) == LiveVerdict(LiveOutcome.AGREED)
    verdict = ask(_of_crd("deployable"))
    assert (verdict.outcome, verdict.reason) == (
        LiveOutcome.NOT_ASKED,
        "no request asks what the check 'deployable' looks for",
    )


def test_an_existing_crd_is_compared_under_another_name(ask: Ask, fake: FakeServer) -> None:
    fake.objects[f"{CRDS}/things.{GROUP}"] = {"metadata": {"name": f"things.{GROUP}", "uid": "u"}, "spec": {}}

    assert ask(_of_crd("accepted")) == LiveVerdict(
        LiveOutcome.AGREED, notes=("compared under another name: the server already has a CRD of this name",)
    )


def test_a_crd_that_appears_and_disappears_meanwhile_is_compared_under_another_name(ask: Ask, fake: FakeServer) -> None:
    refused = _status(422, "the schema of yesterday")
    conflict = Reply(409, json.dumps({"reason": "AlreadyExists", "message": "already exists", "code": 409}))
    fake.interfere = _replying("POST", "dryRun", refused, conflict, None)

    assert ask(_of_crd("accepted")) == LiveVerdict(
        LiveOutcome.AGREED, notes=("compared under another name: the server already has a CRD of this name",)
    )


@pytest.mark.parametrize(
    ("kind", "status", "outcome"),
    [
        ("NamesAccepted", "False", LiveOutcome.NO_ANSWER),
        ("Terminating", "True", LiveOutcome.NO_ANSWER),
        ("NamesAccepted", "Unknown", LiveOutcome.DISAGREED),
    ],
)
def test_conditions_caused_by_others_are_no_answer(
    ask: Ask, fake: FakeServer, kind: str, status: str, outcome: LiveOutcome
) -> None:
    _install(fake, crd_of())
    conditions = fake.objects[f"{CRDS}/things.{GROUP}"]["status"]["conditions"]
    others = {"type": kind, "status": status, "reason": "r", "message": '"Thing" is already in use'}
    conditions[:] = [others, *(condition for condition in conditions if condition["type"] != kind)]

    verdict = ask(_of_crd("conditions"), installed=True)

    assert verdict.outcome == outcome
    if outcome == LiveOutcome.NO_ANSWER:
        assert verdict.reason == f'the CRD there has the condition {kind}={status}: "Thing" is already in use'


def test_a_crd_with_repeated_keys_is_not_compared(ask: Ask) -> None:
    crd = CustomResourceDefinition.from_value(
        crd_of().manifest,
        kubernetes_version="1.37",
        context=CrdContext(Observer()),
        duplicates=('line 1: key "a" already set in map',),
    )

    assert ask(_of_crd("accepted", crd)).reason == "the file sets a key twice: a request would send it once"


def test_a_different_answer_about_a_crd_is_a_disagreement(ask: Ask, fake: FakeServer) -> None:
    fake.interfere = _replying("POST", "dryRun", _status(422, "no CRDs"))

    verdict = ask(_of_crd("accepted"))

    assert verdict.outcome == LiveOutcome.DISAGREED
    assert "  server:     no CRDs" in verdict.differences
    assert f"  path: {CRDS}" in verdict.recording


def test_a_crd_that_a_webhook_may_have_changed_is_not_answered(ask: Ask, fake: FakeServer) -> None:
    rule = {"apiGroups": ["apiextensions.k8s.io"], "resources": ["customresourcedefinitions"]}
    items = [{"metadata": {"name": "all"}, "webhooks": [{"rules": [rule]}]}]

    def interfere(method: str, url: str, given: Any) -> Reply | None:
        if url.endswith("mutatingwebhookconfigurations"):
            return Reply(200, json.dumps({"items": items}))
        if method == "POST" and "dryRun" in url:
            return Reply(201, json.dumps({**given, "spec": {}}))
        return None

    fake.interfere = interfere

    verdict = ask(_of_crd("accepted"))

    assert verdict.reason == "the object, or the warnings, may be changed by mutatingwebhookconfigurations/all"


def test_a_different_answer_under_the_servers_version_is_noted(ask: Ask, fake: FakeServer) -> None:
    root = {"x-kubernetes-validations": [{"rule": "self.nothing"}]}

    verdict = ask(_of_crd("accepted", crd_of("1.32", root=root)))

    assert verdict == LiveVerdict(LiveOutcome.AGREED, notes=("answered otherwise by Kubernetes 1.32",))


def test_conditions_are_compared(ask: Ask, fake: FakeServer, monkeypatch: pytest.MonkeyPatch) -> None:
    approved = crd_of(group="g.k8s.io")
    manifest = {**approved.manifest, "metadata": {"name": "things.g.k8s.io"}}
    annotated = {"annotations": {"api-approved.kubernetes.io": "https://github.com/kubernetes/kubernetes/pull/1"}}
    manifest["metadata"] |= annotated
    crd = CustomResourceDefinition.from_manifest(manifest)

    assert ask(_of_crd("conditions", crd)).notes == (
        "compared under another name, under which the conditions are others",
    )
    wrong = [{"type": "Established", "status": "True", "reason": "InitialNamesAccepted", "message": "is it?"}]
    monkeypatch.setattr("live.fakeserver._CONDITIONS", wrong)
    verdict = ask(_of_crd("conditions"))
    assert verdict.outcome == LiveOutcome.DISAGREED
    assert verdict.differences[0] == "conditions:"


# Installed


def _install(fake: FakeServer, crd: CustomResourceDefinition) -> None:
    response = crd.response.stored
    metadata = {"name": crd.name, "uid": "u"}
    conditions = [
        {"type": condition.type, "status": condition.status, "reason": condition.reason, "message": condition.message}
        for condition in crd.conditions
    ]
    fake.objects[f"{CRDS}/{crd.name}"] = {
        "apiVersion": "apiextensions.k8s.io/v1",
        "kind": "CustomResourceDefinition",
        "metadata": metadata,
        "spec": response["spec"],
        "status": {"conditions": conditions},
    }


def test_installed_crds_are_compared_by_dry_runs_only(ask: Ask, fake: FakeServer) -> None:
    _install(fake, crd_of())
    home = {"metadata": {"name": "n", "namespace": "home"}}

    assert ask(
        question(Section.CREATE, {"spec": {"size": 1}}),
        question(Section.CREATE, home),
        question(Section.PRUNING, {"spec": {"size": 1, "a": 1}}),
        _of_crd("conditions"),
        installed=True,
    ) == LiveVerdict(LiveOutcome.AGREED)
    verdict = ask(question(Section.UPDATE, {}, old={}), installed=True)
    assert verdict.reason == "an update needs a stored object, which might wake an operator"
    verdict = ask(question(Section.PRUNING, {"spec": {"size": 99}}), installed=True)
    assert verdict.reason == "no create stores the object whole, and nothing else is made where CRDs are installed"
    assert fake.written() == []
    assert any(f"/apis/{GROUP}/v1/namespaces/home/things?" in line for line in fake.log)


def test_existing_objects_do_not_disturb_questions_about_installed_crds(ask: Ask, fake: FakeServer) -> None:
    root = {"x-kubernetes-validations": [{"rule": "self.metadata.name != 'example'", "message": "no example"}]}
    _install(fake, crd_of(root=root))
    fake.objects[f"/apis/{GROUP}/v1/namespaces/default/things/example"] = {"metadata": {"name": "example", "uid": "u"}}
    version = crd_of(root=root).version("v1")

    verdict = ask(question(Section.CREATE, {"spec": {"size": 99}}, version), installed=True)

    assert verdict.outcome == LiveOutcome.AGREED
    assert verdict.notes == ("compared under another name, under which the answer is another (message, causes)",)
    request = question(Section.CREATE, {"metadata": {"name": "example"}, "spec": {"size": 1}})
    verdict = ask(request, installed=True)
    assert (verdict.outcome, verdict.reason) == (LiveOutcome.NO_ANSWER, "409 'example' already exists")


def test_placeholder_names_differ_in_each_run(ask: Ask, fake: FakeServer) -> None:
    _install(fake, crd_of())
    names: list[str] = []

    def interfere(method: str, url: str, body: Any) -> None:
        if method == "POST" and "dryRun" in url:
            names.append(body["metadata"]["name"])

    fake.interfere = interfere

    for _ in range(2):
        assert ask(*[question(Section.CREATE, {"spec": {"size": 11}})] * 2, installed=True) == LiveVerdict(
            LiveOutcome.AGREED
        )

    assert len(names) == 4
    assert len({*names}) == 2


def test_an_installed_crd_that_differs_from_the_projects_is_compared_and_noted(ask: Ask, fake: FakeServer) -> None:
    _install(fake, crd_of(root={"description": "of yesterday"}))

    verdict = ask(question(Section.CREATE, {}), installed=True)

    assert verdict == LiveVerdict(
        LiveOutcome.AGREED, notes=(f"the things.{GROUP} that is installed is not that of the project",)
    )


def test_a_crd_that_is_not_installed_is_not_compared(ask: Ask, fake: FakeServer) -> None:
    assert ask(question(Section.CREATE, {}), installed=True).reason == f"things.{GROUP} is not installed"
    fake.interfere = _replying("GET", CRDS, _status(403, "not you"))
    verdict = ask(question(Section.CREATE, {}), installed=True)
    assert (verdict.outcome, verdict.reason) == (LiveOutcome.NO_ANSWER, f"things.{GROUP}: 403 not you")
