"""Built-in kinds: storage, locks, patches and applies, without validation."""

from __future__ import annotations

import json
from typing import Any

import pytest
from support import servers

from pytest_crd.server.api import Api

CORE = "/api/v1/namespaces/default"
DEPLOYMENTS = "/apis/apps/v1/namespaces/default/deployments"
POD: Any = {"spec": {"containers": [{"name": "a", "image": "i"}]}}
EVENTS = "/apis/events.k8s.io/v1/namespaces/default/events"
APPLY = "application/apply-patch+yaml"
STRATEGIC = "application/strategic-merge-patch+json"


def _deployment(image: str = "i") -> Any:
    containers = [{"name": "a", "image": image, "ports": [{"containerPort": 80}]}, {"name": "b", "image": "x"}]
    template = {"metadata": {"labels": {"app": "web"}}, "spec": {"containers": containers}}
    spec = {"replicas": 1, "selector": {"matchLabels": {"app": "web"}}, "template": template}
    return {"apiVersion": "apps/v1", "kind": "Deployment", "metadata": {"name": "web"}, "spec": spec}


def test_an_object_is_stored_in_the_form_of_its_go_type() -> None:
    server = servers.api()
    sent = {"metadata": {"name": "a", "labels": {}}, "data": {"x": "y"}, "new": 1, "binaryData": {}, "immutable": False}
    answer = servers.ask(server, "POST", f"{CORE}/configmaps", sent)

    assert (answer.unvalidated, answer.warnings, answer.dropped) == ("", ('unknown field "new"',), ("new",))
    assert answer.value.keys() == {"kind", "apiVersion", "metadata", "data", "immutable"}
    assert not answer.value["metadata"].keys() & {"generation", "labels"}
    (owned,) = answer.value["metadata"]["managedFields"]
    assert owned["fieldsV1"] == {"f:data": {".": {}, "f:x": {}}, "f:immutable": {}}
    listed = servers.ask(server, "GET", f"{CORE}/configmaps").value
    assert (listed["kind"], listed["items"][0].keys() & {"kind", "apiVersion"}) == ("ConfigMapList", set())
    stale = {"metadata": {"name": "a", "resourceVersion": "1"}}
    assert servers.ask(server, "PUT", f"{CORE}/configmaps/a", stale).value["reason"] == "Conflict"
    assert servers.ask(server, "POST", f"{CORE}/configmaps", []).code == 400
    assert servers.ask(server, "DELETE", f"{CORE}/configmaps/a").value["status"] == "Success"


def test_the_server_sets_its_own_fields() -> None:
    server = servers.api()
    secret = {"metadata": {"name": "s"}, "data": {"b": "Yg=="}, "stringData": {"a": "x"}}
    assert servers.ask(server, "POST", f"{CORE}/secrets", secret).value["data"] == {"b": "Yg==", "a": "eA=="}
    namespace = servers.ask(server, "POST", "/api/v1/namespaces", {"metadata": {"name": "team"}}).value
    assert namespace["metadata"]["labels"] == {"kubernetes.io/metadata.name": "team"}
    assert (namespace["spec"], namespace["status"]) == ({"finalizers": ["kubernetes"]}, {"phase": "Active"})
    deployed = servers.ask(server, "POST", DEPLOYMENTS, _deployment()).value
    assert deployed["metadata"]["generation"] == 1


def test_the_scale_of_a_replication_controller_has_its_labels_as_selector() -> None:
    server, path = servers.api(), f"{CORE}/replicationcontrollers"
    labels = {"tier": "x", "app": "web"}
    spec = {"selector": labels, "template": {"metadata": {"labels": labels}, **POD}}
    servers.ask(server, "POST", path, {"metadata": {"name": "a"}, "spec": spec})
    assert servers.ask(server, "GET", f"{path}/a/scale").value["status"] == {
        "replicas": 0,
        "selector": "app=web,tier=x",
    }


def test_scale_and_status_are_subresources() -> None:
    server = servers.api()
    servers.ask(server, "POST", DEPLOYMENTS, {**_deployment(), "status": {"replicas": 3}})
    assert servers.ask(server, "GET", f"{DEPLOYMENTS}/web").value["status"] == {}
    merge = {"mediaType": "application/merge-patch+json"}
    servers.ask(server, "PATCH", f"{DEPLOYMENTS}/web/status", {"status": {"replicas": 2}}, **merge)
    scaled = servers.ask(server, "PATCH", f"{DEPLOYMENTS}/web/scale", {"spec": {"replicas": 4}}, **merge).value

    assert (scaled["kind"], scaled["spec"], scaled["status"]) == (
        "Scale",
        {"replicas": 4},
        {"replicas": 2, "selector": "app=web"},
    )
    assert servers.ask(server, "GET", f"{DEPLOYMENTS}/web/scale").value["spec"] == {"replicas": 4}


@pytest.mark.parametrize(
    ("patch", "images"),
    [
        ([{"name": "b", "image": "y"}], {"a": "i", "b": "y"}),
        ([{"name": "c", "image": "z"}], {"a": "i", "b": "x", "c": "z"}),
        ([{"name": "a", "$patch": "delete"}], {"b": "x"}),
        ([{"name": "c", "$patch": "delete"}], {"a": "i", "b": "x"}),
        ([{"$patch": "replace"}, {"name": "d", "image": "w"}], {"d": "w"}),
    ],
)
def test_a_strategic_merge_patch_merges_lists_by_their_keys(patch: Any, images: Any) -> None:
    server = servers.api()
    servers.ask(server, "POST", DEPLOYMENTS, _deployment())
    body = {"spec": {"template": {"spec": {"containers": patch}}}}
    answer = servers.ask(server, "PATCH", f"{DEPLOYMENTS}/web", body, mediaType=STRATEGIC, agent="k/1")

    containers = answer.value["spec"]["template"]["spec"]["containers"]
    assert (answer.code, {item["name"]: item["image"] for item in containers}) == (200, images)


def test_a_strategic_merge_patch_obeys_its_directives() -> None:
    server = servers.api()
    whole = {**_deployment(), "metadata": {"name": "web", "finalizers": ["x/a", "x/b"], "labels": {"a": "b"}}}
    whole["spec"]["template"]["metadata"]["annotations"] = {"a": "b"}
    servers.ask(server, "POST", DEPLOYMENTS, whole)
    pod = {
        "$setElementOrder/containers": [{"name": "b"}, {"name": "a"}],
        "containers": [{"name": "a", "ports": None, "env": [{"name": "E", "value": "1"}]}],
        "volumes": [{"name": "v", "emptyDir": {}}],
        "nodeSelector": {"zone": "z"},
    }
    metadata = {
        "$setElementOrder/ownerReferences": [],
        "$deleteFromPrimitiveList/finalizers": ["x/a"],
        "$setElementOrder/finalizers": ["x/c", "x/b"],
        "finalizers": ["x/c", "x/b"],
        "labels": {"$patch": "replace", "c": "d"},
    }
    strategy = {"$retainKeys": ["type"], "type": "Recreate"}
    template = {"metadata": {"annotations": {"$patch": "delete"}}, "spec": pod}
    spec = {"replicas": None, "strategy": strategy, "template": template}
    answer = servers.ask(
        server, "PATCH", f"{DEPLOYMENTS}/web", {"metadata": metadata, "spec": spec}, mediaType=STRATEGIC
    ).value

    assert (answer["metadata"]["finalizers"], answer["metadata"]["labels"]) == (["x/c", "x/b"], {"c": "d"})
    assert answer["spec"]["strategy"] == {"type": "Recreate"}
    assert answer["spec"]["template"]["metadata"] == {"labels": {"app": "web"}}
    first, second = answer["spec"]["template"]["spec"]["containers"]
    env = [{"name": "E", "value": "1"}]
    assert (first["name"], second["env"], "ports" in second) == ("b", env, False)
    assert answer["spec"]["replicas"] == 1


@pytest.mark.parametrize("body", ["{", "[]"])
def test_a_malformed_strategic_merge_patch_is_refused(body: str) -> None:
    server = servers.api()
    servers.ask(server, "POST", DEPLOYMENTS, _deployment())
    assert servers.ask(server, "PATCH", f"{DEPLOYMENTS}/web", body, mediaType=STRATEGIC).code == 400
    assert servers.ask(server, "PATCH", f"{DEPLOYMENTS}/nope", "{}", mediaType=STRATEGIC).code == 404


def test_an_apply_owns_items_by_their_published_keys() -> None:
    server = servers.api()
    apply = {"mediaType": "application/apply-patch+yaml"}
    servers.ask(server, "PATCH", f"{DEPLOYMENTS}/web?fieldManager=one", _deployment(), **apply)
    second = _deployment("j")
    second["spec"]["template"]["spec"] = {"containers": [{"name": "c", "image": "k"}]}
    merged = servers.ask(server, "PATCH", f"{DEPLOYMENTS}/web?fieldManager=two", second, **apply)
    assert [item["name"] for item in merged.value["spec"]["template"]["spec"]["containers"]] == ["a", "b", "c"]
    refused = servers.ask(server, "PATCH", f"{DEPLOYMENTS}/web?fieldManager=two", _deployment("j"), **apply)
    assert refused.value["details"]["causes"][0]["field"] == '.spec.template.spec.containers[name="a"].image'


def test_events_of_both_groups_are_the_same_objects() -> None:
    server = servers.api()
    reporter = {"reportingController": "example.com/cook", "reportingInstance": "i", "action": "Cook", "type": "Normal"}
    about = {"regarding": {"kind": "Pod", "name": "p"}, "note": "hello", "reason": "Why"}
    event = {"metadata": {"name": "e"}, **about, **reporter, "eventTime": "2024-01-02T03:04:05.000000Z"}
    created = servers.ask(server, "POST", EVENTS, event).value
    assert (created["apiVersion"], created["note"]) == ("events.k8s.io/v1", "hello")
    core = servers.ask(server, "GET", f"{CORE}/events?fieldSelector=involvedObject.name%3Dp,reason%3DWhy").value
    assert (core["kind"], core["items"][0]["message"], core["items"][0]["involvedObject"]["name"]) == (
        "EventList", "hello", "p"
    )  # fmt: skip
    patch = json.dumps({"message": "bye"})
    servers.ask(server, "PATCH", f"{CORE}/events/e", patch, mediaType="application/merge-patch+json")
    assert servers.ask(server, "GET", f"{EVENTS}/e").value["note"] == "bye"
    assert servers.ask(server, "GET", f"{CORE}/events?fieldSelector=involvedObject.uid%3Dx").value["items"] == []


def test_a_deletion_of_some_kinds_shows_the_object() -> None:
    server = servers.api()
    servers.ask(server, "POST", f"{CORE}/services", {"metadata": {"name": "s"}, "spec": PORTS})
    assert servers.ask(server, "DELETE", f"{CORE}/services/s?dryRun=All").value["kind"] == "Service"
    assert servers.ask(server, "DELETE", f"{CORE}/services/s").value["kind"] == "Service"
    assert servers.ask(server, "GET", f"{CORE}/services/s").code == 404
    servers.ask(server, "POST", f"{CORE}/pods", {"metadata": {"name": "p", "finalizers": ["x/y"]}, **POD})
    marked = servers.ask(server, "DELETE", f"{CORE}/pods/p").value
    assert marked["metadata"]["generation"] == 2
    servers.ask(server, "POST", f"{CORE}/services", {"metadata": {"name": "h", "finalizers": ["x/y"]}, "spec": PORTS})
    blocked = servers.ask(server, "DELETE", f"{CORE}/services/h").value
    assert "generation" not in blocked["metadata"]
    table = servers.ask(server, "GET", f"{CORE}/pods", accept="application/json;as=Table;g=meta.k8s.io;v=v1").value
    assert [item["name"] for item in table["columnDefinitions"]][:3] == ["Name", "Ready", "Status"]
    shaped = servers.ask(
        server, "GET", f"{CORE}/pods", accept="application/json;as=PartialObjectMetadata;g=meta.k8s.io;v=v1"
    )
    assert "(*core.PodList)" in shaped.value["message"]


def test_a_namespace_that_waits_is_deleted_once() -> None:
    server = servers.api()
    servers.ask(server, "POST", "/api/v1/namespaces", {"metadata": {"name": "team"}})
    servers.ask(
        server, "POST", "/api/v1/namespaces/team/pods", {"metadata": {"name": "p", "finalizers": ["x/y"]}, **POD}
    )
    _, second, third = (servers.ask(server, "DELETE", "/api/v1/namespaces/team").value for _ in range(3))
    assert second == third
    assert servers.ask(server, "GET", "/api/v1/namespaces/team/pods/p").value["metadata"]["deletionTimestamp"]


LEASES = "/apis/coordination.k8s.io/v1/namespaces/default/leases"
MENU = {"apiVersion": "v1", "kind": "ConfigMap", "metadata": {"name": "menu"}, "data": {"monday": "soup"}}
CORE_EVENTS = "/api/v1/namespaces/default/events"


@pytest.mark.parametrize(
    ("path", "code"), [("/api/v1/namespaces/default/configmaps", 200), (CORE_EVENTS, 200), (LEASES, 422)]
)
def test_only_leases_need_a_resource_version_on_update(path: str, code: int) -> None:
    server = servers.api()
    servers.ask(server, "POST", path, {"metadata": {"name": "a"}})
    answer = servers.ask(server, "PUT", f"{path}/a", {"metadata": {"name": "a", "labels": {"x": "y"}}})

    assert answer.code == code


SERVICES = "/api/v1/namespaces/default/services"
PORTS = {"ports": [{"port": 80}]}


@pytest.mark.parametrize(
    ("path", "code"),
    [("/api/v1/namespaces/default/configmaps", 404), (CORE_EVENTS, 201), (LEASES, 201), (SERVICES, 201)],
)
def test_an_update_creates_events_leases_and_services(path: str, code: int) -> None:
    server = servers.api()
    spec = {"spec": PORTS} if path == SERVICES else {}
    answer = servers.ask(server, "PUT", f"{path}/a", {"metadata": {"name": "a", "resourceVersion": "5"}, **spec})

    assert answer.code == code
    assert servers.ask(server, "GET", f"{path}/a").code == (200 if code == 201 else 404)
    assert servers.ask(server, "PUT", f"{path}/b", {"metadata": {"name": "c"}}).code == 400
    nowhere = path.replace("/default/", "/nowhere/")
    assert servers.ask(server, "PUT", f"{nowhere}/a", {"metadata": {"name": "a"}}).code == 404


@pytest.mark.parametrize(
    ("path", "key"),
    [
        (CORE_EVENTS, "events/default/a"),
        (EVENTS, "events/default/a"),
        (LEASES, "leases/default/a"),
        (SERVICES, "services/specs/default/a"),
    ],
)
def test_an_update_with_a_uid_creates_nothing(path: str, key: str) -> None:
    """As kube-apiserver 1.37 answers."""
    server = servers.api()
    answer: Any = servers.ask(server, "PUT", f"{path}/a", {"metadata": {"name": "a", "uid": "u"}})

    problem = "Precondition failed: UID in precondition: u, UID in object meta: "
    expected = f"Code: 4, Key: /registry/{key}, ResourceVersion: 0, AdditionalErrorMsg: {problem}"
    assert answer.code == 409
    assert answer.value["message"].endswith(f": StorageError: invalid object, {expected}")
    assert servers.ask(server, "GET", f"{path}/a").code == 404


@pytest.mark.parametrize(
    ("size", "answered"),
    [
        (1_500_000, (201, None)),
        (1_700_000, (500, "etcdserver: request is too large")),
    ],
)
def test_an_object_that_is_too_large_for_etcd_is_refused(size: int, answered: tuple[int, str | None]) -> None:
    deployment = _deployment()
    deployment["spec"]["template"]["spec"]["containers"][0]["env"] = [{"name": "a", "value": "x" * size}]
    answer: Any = servers.ask(servers.api(), "POST", DEPLOYMENTS, deployment)

    assert (answer.code, answer.value.get("message")) == answered


def test_a_namespace_with_empty_parts_gets_the_servers_values() -> None:
    answer: Any = servers.ask(
        servers.api(), "POST", "/api/v1/namespaces", {"metadata": {"name": "a"}, "spec": {}, "status": {}}
    )

    assert (answer.value["spec"], answer.value["status"]) == ({"finalizers": ["kubernetes"]}, {"phase": "Active"})


KNOWN_FORMS = "application/json, application/yaml, application/vnd.kubernetes.protobuf"
STREAMS = ", application/json;stream=watch, application/vnd.kubernetes.protobuf;stream=watch"


@pytest.mark.parametrize(
    ("method", "path", "expected"),
    [
        ("GET", "/api/v1/namespaces/default/configmaps", KNOWN_FORMS + STREAMS),
        ("GET", "/api/v1/namespaces/default/configmaps?watch=1", KNOWN_FORMS + STREAMS),
        ("GET", "/api/v1/namespaces/default/configmaps/a", KNOWN_FORMS),
        ("DELETE", "/api/v1/namespaces/default/configmaps", KNOWN_FORMS),
        ("GET", servers.CRDS, KNOWN_FORMS + STREAMS),
    ],
)
@pytest.mark.parametrize("accept", ["application/cbor", "text/*", "application/*"])
def test_unavailable_forms_are_refused_in_the_words_of_built_in_kinds(
    method: str, path: str, expected: str, accept: str
) -> None:
    answer: Any = servers.ask(servers.api(), method, path, accept=accept)

    assert (answer.code, answer.value["details"]) == (406, {})
    assert answer.value["message"] == f"406: Not Acceptable\n\nAvailable representations: {expected}"


def test_unsupported_patches_are_refused_in_the_words_of_built_in_kinds() -> None:
    server = servers.api()
    path = "/api/v1/namespaces/default/configmaps"
    servers.ask(server, "POST", path, {"metadata": {"name": "a"}})
    answer: Any = servers.ask(server, "PATCH", f"{path}/a", {}, mediaType="a/b")

    assert (answer.code, answer.value["message"], answer.value["details"]) == (415, "415: Unsupported Media Type", {})
    answer = servers.ask(server, "GET", f"{path}/a/status")
    assert (answer.code, answer.value["message"]) == (404, "the server could not find the requested resource")


@pytest.mark.parametrize(
    ("method", "media_type", "body"),
    [
        ("PUT", "application/json", MENU),
        ("PATCH", "application/merge-patch+json", {"data": MENU["data"]}),
        ("PATCH", "application/strategic-merge-patch+json", {"data": MENU["data"]}),
        ("PATCH", "application/json-patch+json", []),
    ],
)
def test_a_write_without_changes_causes_no_event(method: str, media_type: str, body: Any) -> None:
    """An operator's watch must not report its own write without changes."""
    server = servers.api()
    servers.ask(server, "POST", f"{CORE}/configmaps", MENU)
    watch = servers.watch(server, f"{CORE}/configmaps?watch=1")
    assert len(watch.watch.take()) == 1

    assert servers.ask(server, method, f"{CORE}/configmaps/menu", body, mediaType=media_type).code == 200
    assert watch.watch.take() == []


@pytest.mark.parametrize(
    ("path", "code"), [("/api/v1/namespaces/default/configmaps", 200), (CORE_EVENTS, 200), (LEASES, 422)]
)
def test_only_leases_refuse_an_apply_with_an_empty_version(path: str, code: int) -> None:
    server = servers.api()
    servers.ask(server, "POST", path, {"metadata": {"name": "a"}})
    stored: Any = servers.ask(server, "GET", f"{path}/a").value
    applied = {key: stored[key] for key in ("apiVersion", "kind")} | {"metadata": {"name": "a", "resourceVersion": ""}}
    answer = servers.ask(server, "PATCH", f"{path}/a?fieldManager=m", applied, mediaType=APPLY)

    assert answer.code == code


SCALE = {"apiVersion": "autoscaling/v1", "kind": "Scale"}


def _scale(server: Api, metadata: dict[str, Any], replicas: int, *, manager: str = "m") -> tuple[int, str]:
    scale = {**SCALE, "metadata": {"name": "web", **metadata}, "spec": {"replicas": replicas}}
    answer: Any = servers.ask(
        server, "PATCH", f"{DEPLOYMENTS}/web/scale?force=true&fieldManager={manager}", scale, mediaType=APPLY
    )
    return answer.code, answer.value.get("message", "")


def _with_deployment() -> Api:
    server = servers.api()
    servers.ask(server, "POST", DEPLOYMENTS, _deployment())
    return server


def test_an_apply_to_the_scale_of_a_built_in_kind_sets_and_owns_the_replicas() -> None:
    server = _with_deployment()

    assert _scale(server, {}, 7) == (200, "")
    stored: Any = servers.ask(server, "GET", f"{DEPLOYMENTS}/web").value
    assert stored["spec"]["replicas"] == 7
    (entry,) = (item for item in stored["metadata"]["managedFields"] if item["manager"] == "m")
    assert (entry["subresource"], entry["apiVersion"]) == ("scale", "apps/v1")
    assert entry["fieldsV1"] == {"f:spec": {"f:replicas": {}}}


@pytest.mark.parametrize(
    ("metadata", "replicas", "code", "message"),
    [
        ({"name": "b"}, 1, 400, "the name of the object (b) does not match the name on the URL (web)"),
        ({"resourceVersion": "1"}, 1, 409, "Operation cannot be fulfilled on deployments.apps"),
        (
            *({}, -1, 422),
            'Scale.autoscaling "web" is invalid: spec.replicas: Invalid value: -1: must be greater than or equal to 0',
        ),
    ],
)
def test_an_apply_to_the_scale_is_refused_as_an_update_is(
    metadata: dict[str, Any], replicas: int, code: int, message: str
) -> None:
    refused = _scale(_with_deployment(), metadata, replicas)

    assert refused[0] == code
    assert refused[1].startswith(message)


def test_a_patch_of_the_scale_checks_the_uid() -> None:
    """As kube-apiserver 1.37 answers."""
    server = _with_deployment()
    path = f"{DEPLOYMENTS}/web"
    uid = servers.ask(server, "GET", path).value["metadata"]["uid"]
    merge = {"metadata": {"uid": "u"}, "spec": {"replicas": 4}}
    merged: Any = servers.ask(server, "PATCH", f"{path}/scale", merge, mediaType="application/merge-patch+json")

    problem = f"Precondition failed: UID in precondition: u, UID in object meta: {uid}"
    message = f'Operation cannot be fulfilled on deployments/scale.apps "web": {problem}'
    assert (merged.code, merged.value["message"]) == (409, message)
    assert merged.value["details"] == {"name": "web", "group": "apps", "kind": "deployments/scale"}
    assert _scale(server, {"uid": "u"}, 4) == (409, message)
    assert _scale(server, {"uid": uid}, 4) == (200, "")


def test_a_negative_scale_of_a_built_in_kind_is_refused_as_a_scale() -> None:
    server = _with_deployment()
    scale = {**SCALE, "metadata": {"name": "web"}, "spec": {"replicas": -1}}
    answer: Any = servers.ask(server, "PUT", f"{DEPLOYMENTS}/web/scale", scale)

    assert answer.value["details"] == {
        "name": "web",
        "group": "autoscaling",
        "kind": "Scale",
        "causes": [
            {
                "reason": "FieldValueInvalid",
                "message": "Invalid value: -1: must be greater than or equal to 0",
                "field": "spec.replicas",
            }
        ],
    }
