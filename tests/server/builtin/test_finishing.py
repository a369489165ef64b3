"""Fields of built-in objects that a server sets after defaulting."""

from __future__ import annotations

import json
import re
from typing import Any

import pytest
from server.builtin.test_builtinkinds import KINDS, path_of, small
from support import servers

from pytest_crd.server.api import Api

PODS = path_of(KINDS["v1", "Pod"])
MERGE = {"mediaType": "application/merge-patch+json"}


def _created(api_version: str, kind: str, server: Api | None = None, **fields: Any) -> Any:
    sent = {**small(api_version, kind), **fields}
    answer = servers.ask(server or servers.api(), "POST", path_of(KINDS[api_version, kind]), sent)
    assert answer.code == 201, answer.value
    return answer.value


def _pod(**spec: Any) -> Any:
    return {
        "metadata": {"name": "a", "labels": {"app": "x"}},
        "spec": {"containers": [{"name": "a", "image": "a"}], **spec},
    }


def test_a_new_job_selects_its_pods() -> None:
    job = _created("batch/v1", "Job")
    uid = job["metadata"]["uid"]
    assert job["spec"]["selector"]["matchLabels"] == {"batch.kubernetes.io/controller-uid": uid}
    labels = job["spec"]["template"]["metadata"]["labels"]
    assert (labels["job-name"], labels["batch.kubernetes.io/controller-uid"], labels["app"]) == ("a", uid, "cook")
    assert job["metadata"]["labels"] == labels
    own = {**small("batch/v1", "Job")["spec"], "manualSelector": True, "selector": {"matchLabels": {"app": "cook"}}}
    assert _created("batch/v1", "Job", spec=own)["spec"]["selector"] == {"matchLabels": {"app": "cook"}}


def test_a_condition_of_a_pod_keeps_its_generation() -> None:
    server = servers.api()
    servers.ask(server, "POST", PODS, _pod())
    ready, own = {"type": "Ready", "status": "True"}, {"type": "example.com/own", "status": "True"}
    for conditions in ([{**ready, "observedGeneration": 1}], [own, ready]):
        pod = servers.ask(server, "PATCH", f"{PODS}/a/status", {"status": {"conditions": conditions}}, **MERGE).value
    assert [item.get("observedGeneration") for item in pod["status"]["conditions"]] == [None, 1]


@pytest.mark.parametrize("labels", [{}, None, {"app": "cook"}, {"b": "c"}])
@pytest.mark.parametrize("method", ["POST", "PATCH"])
def test_a_job_without_labels_gets_those_of_its_pods(labels: Any, method: str) -> None:
    path = path_of(KINDS["batch/v1", "Job"])
    sent = {**small("batch/v1", "Job"), "metadata": {"name": "a", "labels": labels}}
    apply = {"mediaType": "application/apply-patch+yaml"} if method == "PATCH" else {}
    at = f"{path}/a?fieldManager=m" if apply else path
    job = servers.ask(servers.api(), method, at, sent, **apply).value
    assert job["metadata"]["labels"] == (labels or job["spec"]["template"]["metadata"]["labels"])


def test_a_job_with_labels_keeps_its_selector() -> None:
    server = servers.api()
    job = _created("batch/v1", "Job", server, metadata={"name": "a", "labels": {"b": "c"}})
    path = f"{path_of(KINDS['batch/v1', 'Job'])}/a"
    patched = servers.ask(server, "PATCH", path, {"spec": {"suspend": True}}, **MERGE).value
    assert patched["spec"]["selector"] == job["spec"]["selector"]


@pytest.mark.parametrize(
    ("needs", "quality"),
    [
        ([{}], "BestEffort"),
        ([{"limits": {"cpu": "1", "memory": "1Gi"}}], "Guaranteed"),
        ([{"limits": {"cpu": "1"}}], "Burstable"),
        ([{"requests": {"cpu": "1", "memory": "1Gi"}}], "Burstable"),
        ([{"limits": {"example.com/a": "1"}}], "BestEffort"),
        ([{}, {"limits": {"cpu": "1", "memory": "1Gi"}}], "Burstable"),
    ],
)
def test_a_new_pod_has_a_quality_of_service(needs: list[Any], quality: str) -> None:
    containers = [{"name": f"c{number}", "image": "a", "resources": item} for number, item in enumerate(needs)]
    pod = servers.ask(servers.api(), "POST", PODS, _pod(containers=containers)).value
    assert pod["status"] == {"phase": "Pending", "qosClass": quality}


def test_the_resources_of_a_pod_decide_its_quality_of_service() -> None:
    pod = servers.ask(servers.api(), "POST", PODS, _pod(resources={"limits": {"cpu": "1"}})).value
    assert pod["status"]["qosClass"] == "Burstable"


def test_a_new_pod_tolerates_lost_nodes_for_five_minutes() -> None:
    server = servers.api()
    pod = servers.ask(server, "POST", PODS, _pod(schedulingGates=[{"name": "a"}])).value
    assert [item["tolerationSeconds"] for item in pod["spec"]["tolerations"]] == [300, 300]
    assert pod["status"]["conditions"][0]["reason"] == "SchedulingGated"
    servers.ask(server, "DELETE", f"{PODS}/a?gracePeriodSeconds=0")
    pod = servers.ask(server, "POST", PODS, _pod(tolerations=[{"operator": "Exists"}])).value
    assert pod["spec"]["tolerations"] == [{"operator": "Exists"}]


def test_a_pod_has_the_priority_of_its_class() -> None:
    server = servers.api()
    pod = servers.ask(server, "POST", PODS, _pod(priorityClassName="system-node-critical")).value
    assert (pod["spec"]["priority"], pod["spec"]["preemptionPolicy"]) == (2_000_001_000, "PreemptLowerPriority")
    changed = {**pod, "spec": {key: value for key, value in pod["spec"].items() if key != "priority"}}
    assert servers.ask(server, "PUT", f"{PODS}/a", changed).value["spec"]["priority"] == 2_000_001_000
    patched = servers.ask(server, "PATCH", f"{PODS}/a", {"metadata": {"labels": {"b": "c"}}}, **MERGE).value
    assert patched["spec"]["priority"] == 2_000_001_000


@pytest.mark.parametrize(
    ("spec", "words"),
    [
        ({"priorityClassName": "none"}, 'pods "a" is forbidden: no PriorityClass with name none was found'),
        ({"priority": 5}, "the integer value of priority (5) must not be provided in pod spec"),
        (
            {"preemptionPolicy": "Never"},
            "the string value of PreemptionPolicy (Never) must not be provided in pod spec",
        ),
    ],
)
def test_a_pod_with_another_priority_than_its_class_is_refused(spec: Any, words: str) -> None:
    answer = servers.ask(servers.api(), "POST", PODS, _pod(**spec))
    assert (answer.code, words in answer.value["message"]) == (403, True)


def test_the_default_class_gives_its_priority() -> None:
    server = servers.api()
    _created("scheduling.k8s.io/v1", "PriorityClass", server, globalDefault=True)
    pod = servers.ask(server, "POST", PODS, _pod()).value
    assert (pod["spec"]["priorityClassName"], pod["spec"]["priority"]) == ("a", 1000)


def test_terms_select_the_labels_that_they_name() -> None:
    selector = {"matchLabels": {"b": "c"}}
    term = {"labelSelector": selector, "topologyKey": "zone", "matchLabelKeys": ["app", "none"]}
    affinity = {
        "podAffinity": {
            "requiredDuringSchedulingIgnoredDuringExecution": [term, {"topologyKey": "zone"}],
            "preferredDuringSchedulingIgnoredDuringExecution": [{"weight": 1, "podAffinityTerm": term}],
        },
        "podAntiAffinity": {},
        "nodeAffinity": {
            "requiredDuringSchedulingIgnoredDuringExecution": {"nodeSelectorTerms": [{}]},
            "preferredDuringSchedulingIgnoredDuringExecution": [{"weight": 1, "preference": {}}],
        },
    }
    spread = {"maxSkew": 1, "topologyKey": "zone", "whenUnsatisfiable": "DoNotSchedule", "labelSelector": selector}
    pod = servers.ask(servers.api(), "POST", PODS, _pod(affinity=affinity, topologySpreadConstraints=[spread])).value
    terms = pod["spec"]["affinity"]["podAffinity"]
    new = [{"key": "app", "operator": "In", "values": ["x"]}]
    first = terms["requiredDuringSchedulingIgnoredDuringExecution"][0]
    second = terms["preferredDuringSchedulingIgnoredDuringExecution"][0]["podAffinityTerm"]
    assert first["labelSelector"]["matchExpressions"] == second["labelSelector"]["matchExpressions"] == new
    assert pod["spec"]["affinity"]["nodeAffinity"] == affinity["nodeAffinity"]
    assert pod["spec"]["topologySpreadConstraints"][0]["labelSelector"] == selector


def test_fields_of_disabled_features_of_volumes_are_dropped() -> None:
    items = [{"key": "a", "path": "b", "user": 1}]
    volumes = [
        {"emptyDir": {"mode": 2, "medium": "Memory"}},
        {"configMap": {"name": "a", "defaultUser": 1, "items": items}},
        {"secret": {"secretName": "a", "defaultUser": 1}},
        {
            "downwardAPI": {
                "defaultUser": 1,
                "items": [{"path": "a", "fieldRef": {"fieldPath": "metadata.name"}, "user": 1}],
            }
        },
        {"projected": {"defaultUser": 1, "sources": [{"serviceAccountToken": {"path": "a", "user": 1}}]}},
    ]
    listed = [{"name": f"v{number}", **volume} for number, volume in enumerate(volumes)]
    pod = _pod(volumes=listed, serviceAccountName="default")
    stored = _created("v1", "Pod", **pod)["spec"]["volumes"]
    assert stored[0] == {"name": "v0", "emptyDir": {"medium": "Memory"}}
    assert not re.search("user", json.dumps(stored), re.IGNORECASE)


def test_fields_of_disabled_features_of_containers_are_dropped() -> None:
    probe = {"httpGet": {"port": 1, "protocol": "HTTP2"}}
    container = {
        "name": "a",
        "image": "a",
        "livenessProbe": probe,
        "volumeMounts": [{"name": "v", "mountPath": "/a", "bindMountOptions": ["x"]}],
    }
    stored = _created("v1", "Pod", **_pod(containers=[container], volumes=[{"name": "v"}]))["spec"]["containers"][0]
    assert stored["livenessProbe"]["httpGet"] == {"path": "/", "port": 1, "scheme": "HTTP"}
    assert stored["volumeMounts"] == [{"name": "v", "mountPath": "/a"}]


def test_finalizers_protect_storage() -> None:
    assert _created("v1", "PersistentVolume")["metadata"]["finalizers"] == ["kubernetes.io/pv-protection"]
    assert _created("storage.k8s.io/v1", "VolumeAttributesClass")["metadata"]["finalizers"] == [
        "kubernetes.io/vac-protection"
    ]
    metadata = {"name": "a", "finalizers": ["kubernetes.io/pvc-protection"]}
    claim = _created("v1", "PersistentVolumeClaim", metadata=metadata)
    assert (claim["metadata"]["finalizers"], claim["status"]) == (metadata["finalizers"], {"phase": "Pending"})


@pytest.mark.parametrize(
    ("fields", "source", "reference"),
    [
        ({"dataSource": {"kind": "PersistentVolumeClaim", "name": "b"}}, "b", "b"),
        ({"dataSource": {"kind": "Other", "name": "b"}}, None, None),
        ({"dataSourceRef": {"kind": "Other", "name": "b", "apiGroup": "x.io"}}, "b", "b"),
        ({"dataSourceRef": {"kind": "Other", "name": "b", "namespace": "c"}}, None, None),
    ],
)
def test_both_fields_of_the_source_of_a_claim_agree(fields: Any, source: str | None, reference: str | None) -> None:
    spec = {**small("v1", "PersistentVolumeClaim")["spec"], **fields}
    claim = _created("v1", "PersistentVolumeClaim", spec=spec)["spec"]
    names = [claim.get(name, {}).get("name") for name in ("dataSource", "dataSourceRef")]
    assert names == [source, reference]


def test_a_new_node_is_tainted_until_it_is_ready() -> None:
    server = servers.api()
    taint = {"key": "node.kubernetes.io/not-ready", "effect": "NoSchedule"}
    assert _created("v1", "Node", server)["spec"]["taints"] == [taint]
    answer = servers.ask(server, "PATCH", "/api/v1/nodes/a", {"spec": {"taints": None}}, **MERGE).value
    assert answer["spec"] == {}
    assert _created("v1", "Node", spec={"taints": [taint]})["spec"]["taints"] == [taint]


def test_a_daemon_set_counts_changes_to_its_template() -> None:
    server, path = servers.api(), f"{path_of(KINDS['apps/v1', 'DaemonSet'])}/a"
    name = "deprecated.daemonset.template.generation"
    assert _created("apps/v1", "DaemonSet", server)["metadata"]["annotations"] == {name: "1"}
    patch = {"spec": {"template": {"metadata": {"annotations": {"a": "b"}}}}}
    assert servers.ask(server, "PATCH", path, patch, **MERGE).value["metadata"]["annotations"][name] == "2"
    annotated = {"metadata": {"annotations": {name: "x", "c": "d"}}}
    assert servers.ask(server, "PATCH", path, annotated, **MERGE).value["metadata"]["annotations"] == {
        name: "2",
        "c": "d",
    }


def test_a_signing_request_names_its_user() -> None:
    server = servers.api()
    kind = KINDS["certificates.k8s.io/v1", "CertificateSigningRequest"]
    spec = {**small(kind.api_version, kind.names.kind)["spec"], "username": "other", "groups": ["x"]}
    created = _created(kind.api_version, kind.names.kind, server, spec=spec)
    assert created["spec"]["username"] == "kubernetes-admin"
    assert "managedFields" not in created["metadata"]
    changed = servers.ask(server, "PATCH", f"{path_of(kind)}/a", {"spec": {"signerName": "b.io/c"}}, **MERGE).value
    assert changed["spec"] == created["spec"]


def test_other_kinds_are_finished() -> None:
    service = _created("apiregistration.k8s.io/v1", "APIService", spec={"group": "none.example.com", "version": "v1"})
    assert service["status"]["conditions"][0]["reason"] == "Local"
    account = _created("v1", "ServiceAccount", secrets=[{"name": "s", "uid": "x"}, {"namespace": "n"}])
    assert account["secrets"] == [{"name": "s"}, {}]
    namespace = _created("v1", "Namespace", metadata={"name": "b"}, spec={"finalizers": ["example.com/x"]})
    assert namespace["spec"]["finalizers"] == ["example.com/x", "kubernetes"]
    slices = _created("discovery.k8s.io/v1", "EndpointSlice", endpoints=[])
    assert slices["endpoints"] is None


def test_fields_of_disabled_features_are_dropped() -> None:
    container = {"name": "a", "image": "a", "lifecycle": {"stopSignal": "SIGTERM"}}
    server = servers.api()
    pod = servers.ask(server, "POST", PODS, _pod(containers=[container], schedulingGroup={})).value
    assert not pod["spec"].keys() & {"schedulingGroup"}
    assert "lifecycle" not in pod["spec"]["containers"][0]
    assert _created("coordination.k8s.io/v1", "Lease", server, spec={"strategy": "x"})["spec"] == {}


def test_a_namespace_with_a_generated_name_has_the_label_of_its_name() -> None:
    namespace = _created("v1", "Namespace", metadata={"generateName": "lab-", "labels": {"a": "b"}})
    name = namespace["metadata"]["name"]
    assert namespace["metadata"]["labels"] == {"a": "b", "kubernetes.io/metadata.name": name}
    assert name.startswith("lab-")


def test_an_invalid_generated_name_of_a_namespace_has_no_errors_about_its_label() -> None:
    answer = servers.ask(servers.api(), "POST", "/api/v1/namespaces", {"metadata": {"generateName": "a/b_"}})
    fields = [cause["field"] for cause in answer.value["details"]["causes"]]
    assert (answer.code, fields) == (422, ["metadata.generateName", "metadata.name"])


def test_an_update_of_a_pod_gets_missing_tolerations_again_and_is_no_change() -> None:
    server = servers.api()
    pod = servers.ask(server, "POST", PODS, _pod()).value
    bare = {key: value for key, value in pod["spec"].items() if key not in ("tolerations", "priority")}
    assert servers.ask(server, "PUT", f"{PODS}/a", {**pod, "spec": bare}).value == pod


def test_a_refusal_of_a_pod_names_the_prefix_of_its_generated_name() -> None:
    pod = {"metadata": {"generateName": "p-"}, "spec": {**_pod()["spec"], "priorityClassName": "nope"}}
    answer = servers.ask(servers.api(), "POST", PODS, pod).value
    assert answer["message"] == 'pods "p-" is forbidden: no PriorityClass with name nope was found'
    assert answer["details"] == {"name": "p-", "kind": "pods"}


def test_a_job_without_any_labels_gets_those_of_its_template_when_it_is_read_back() -> None:
    spec = {"template": {"spec": {"restartPolicy": "Never", "containers": [{"name": "a", "image": "a"}]}}}
    job = _created("batch/v1", "Job", metadata={"name": "a"}, spec=spec)
    assert job["metadata"]["labels"] == job["spec"]["template"]["metadata"]["labels"]


@pytest.mark.parametrize(
    ("kind", "class_", "mark", "field", "annotation"),
    [
        (
            ("v1", "PersistentVolumeClaim"),
            ("storage.k8s.io/v1", "StorageClass"),
            "storageclass.kubernetes.io/is-default-class",
            "storageClassName",
            "volume.beta.kubernetes.io/storage-class",
        ),
        (
            ("networking.k8s.io/v1", "Ingress"),
            ("networking.k8s.io/v1", "IngressClass"),
            "ingressclass.kubernetes.io/is-default-class",
            "ingressClassName",
            "kubernetes.io/ingress.class",
        ),
    ],
)
def test_a_new_object_without_a_class_gets_the_newest_default_class(
    kind: tuple[str, str], class_: tuple[str, str], mark: str, field: str, annotation: str
) -> None:
    server, path = servers.api(), path_of(KINDS[kind])
    clock = servers.crd_server(server).clock
    clock.freeze()
    spec = {key: value for key, value in small(*kind)["spec"].items() if key != field}
    before = _created(*kind, server, spec=spec)
    for name, default in (("z-old", "true"), ("b-new", "true"), ("a-new", "true"), ("other", "false")):
        _created(*class_, server, metadata={"name": name, "annotations": {mark: default}})
        clock.advance(2 * (name == "z-old"))

    def create(name: str, **fields: Any) -> Any:
        metadata = {"name": name, **fields.pop("metadata", {})}
        return _created(*kind, server, metadata=metadata, spec={**spec, **fields})["spec"].get(field)

    assert (before["spec"].get(field), create("b"), create("c", **{field: "own"})) == (None, "a-new", "own")
    assert create("d", metadata={"annotations": {annotation: "x"}}) is None
    patched = servers.ask(server, "PATCH", f"{path}/a", {"metadata": {"labels": {"b": "c"}}}, **MERGE).value
    assert field not in patched["spec"]


def test_a_namespace_keeps_the_finalizer_that_it_states() -> None:
    server = servers.api()
    body = {"metadata": {"name": "x"}, "spec": {"finalizers": ["kubernetes", "example.com/x"]}}
    created = servers.ask(server, "POST", "/api/v1/namespaces", body)
    assert (created.code, created.value["spec"]) == (201, {"finalizers": ["kubernetes", "example.com/x"]})
