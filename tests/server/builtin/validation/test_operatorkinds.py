"""Validation of kinds that operators write besides workloads: limits, and updates that recordings do not have."""

from __future__ import annotations

from typing import Any

import pytest
from support import servers

CLAIMS = "/api/v1/namespaces/default/persistentvolumeclaims"
NETWORKING = "/apis/networking.k8s.io/v1/namespaces/default"
PRIORITIES = "/apis/scheduling.k8s.io/v1/priorityclasses"
RUNTIMES = "/apis/node.k8s.io/v1/runtimeclasses"
REVISIONS = "/apis/apps/v1/namespaces/default/controllerrevisions"
CLASSES = "/apis/storage.k8s.io/v1/storageclasses"
MERGE = {"mediaType": "application/merge-patch+json"}
NAME = {"metadata": {"name": "a"}}


def errors(answer: Any) -> list[tuple[str, str]]:
    """Return field and message of each cause of a refusal."""
    return [(cause["field"], cause["message"]) for cause in answer.value["details"]["causes"]]


def refuse(path: str, body: Any) -> list[tuple[str, str]]:
    """Return the errors of a create."""
    return errors(servers.ask(servers.api(), "POST", path, {**NAME, **body}))


@pytest.mark.parametrize(
    ("name", "fields", "problem"),
    [
        ("system-a", {}, "system-a is not a known system priority class"),
        ("system-node-critical", {"value": 1}, "value of system-node-critical PriorityClass must be 2000001000"),
        (
            "system-node-critical",
            {"value": 2000001000, "globalDefault": True},
            "globalDefault of system-node-critical PriorityClass must be false",
        ),
    ],
)
def test_names_of_priority_classes_with_a_prefix_are_reserved(name: str, fields: Any, problem: str) -> None:
    lead = "Forbidden: priority class names with 'system-' prefix are reserved for system use only. error: "
    assert refuse(PRIORITIES, {"metadata": {"name": name}, **fields}) == [("metadata.name", f"{lead}{problem}")]


def test_a_system_priority_class_is_created_as_it_is_defined() -> None:
    body = {"metadata": {"name": "system-cluster-critical"}, "value": 2000000000}
    assert servers.ask(servers.api(), "POST", f"{PRIORITIES}?dryRun=All", body).code in {201, 409}


@pytest.mark.parametrize(
    ("parameters", "most"),
    [({f"k{number}": "" for number in range(513)}, 512), ({"a": "é" * 131072}, 262144)],
)
def test_parameters_of_a_storage_class_are_limited(parameters: Any, most: int) -> None:
    body = {"provisioner": "a", "parameters": parameters}
    assert refuse(CLASSES, body) == [("parameters", f"Too long: may not be more than {most} bytes")]


def test_fields_of_a_storage_class_that_change_are_reported_after_other_errors() -> None:
    server = servers.api()
    servers.ask(server, "POST", CLASSES, {**NAME, "provisioner": "a"})
    changed = {"provisioner": "/b", "reclaimPolicy": "Retain"}
    immutable = "Invalid value: null: field is immutable"
    assert errors(servers.ask(server, "PATCH", f"{CLASSES}/a", changed, **MERGE)) == [
        ("provisioner", 'Invalid value: "/b": prefix part must be non-empty'),
        ("provisioner", immutable),
        ("reclaimPolicy", immutable),
    ]
    older = servers.api(kubernetes_version="1.34")
    servers.ask(older, "POST", CLASSES, {**NAME, "provisioner": "a"})
    assert errors(servers.ask(older, "PATCH", f"{CLASSES}/a", changed, **MERGE))[1:] == [
        ("provisioner", "Forbidden: updates to provisioner are forbidden."),
        ("reclaimPolicy", "Forbidden: updates to reclaimPolicy are forbidden."),
    ]


def _create_claim(server: Any, **spec: Any) -> None:
    body = {"accessModes": ["ReadWriteOnce"], "resources": {"requests": {"storage": "1Gi"}}, **spec}
    assert servers.ask(server, "POST", CLAIMS, {**NAME, "spec": body}).code == 201


def test_a_bound_claim_keeps_its_requests() -> None:
    server = servers.api()
    _create_claim(server)
    servers.ask(server, "PATCH", f"{CLAIMS}/a/status", {"status": {"phase": "Bound"}}, **MERGE)
    refused = servers.ask(server, "PATCH", f"{CLAIMS}/a", {"spec": {"resources": None}}, **MERGE)
    assert [field for field, _ in errors(refused)] == [
        *("spec.resources[storage]", "spec", "spec.resources.requests.storage"),
    ]
    assert errors(refused)[1][1].endswith(
        '-  "Requests": {\n-   "storage": "1Gi"\n-  }\n+  "Requests": null\n  },\n  "VolumeName": "",\n  "StorageClassName": null,\n'
    )


def test_the_namespace_of_a_data_source_is_a_label() -> None:
    server = servers.api()
    _create_claim(server, dataSource={"kind": "PersistentVolumeClaim", "name": "b"})
    change = {"spec": {"dataSourceRef": {"namespace": "A_"}}}
    messages = dict(errors(servers.ask(server, "PATCH", f"{CLAIMS}/a", change, **MERGE)))
    assert messages["spec.dataSourceRef.namespace"].startswith('Invalid value: "A_": a lowercase RFC 1123 label')


def test_claims_with_equal_sizes_are_equal() -> None:
    server = servers.api()
    _create_claim(server)
    for size in ("1073741824", "1048576Ki"):
        change = {"spec": {"resources": {"requests": {"storage": size}}}}
        assert servers.ask(server, "PATCH", f"{CLAIMS}/a", change, **MERGE).code == 200


def test_the_class_of_a_new_ingress_is_that_of_its_annotation() -> None:
    note = {"metadata": {"name": "a", "annotations": {"kubernetes.io/ingress.class": "a"}}}
    backend = {"service": {"name": "s", "port": {"number": 80}}}
    assert refuse(
        f"{NETWORKING}/ingresses", {**note, "spec": {"ingressClassName": "b", "defaultBackend": backend}}
    ) == [
        (
            "annotations.kubernetes.io/ingress.class",
            'Invalid value: "a": must match `ingressClassName` when both are specified',
        )
    ]


def test_ranges_of_a_stored_policy_stay_valid() -> None:
    server, path = servers.api(), f"{NETWORKING}/networkpolicies"
    block = {"cidr": "10.0.0.0/8", "except": ["10.1.0.0/16"]}
    servers.ask(server, "POST", path, {**NAME, "spec": {"egress": [{"to": [{"ipBlock": block}, {"podSelector": {}}]}]}})
    change = {"spec": {"ingress": [{"from": [{"ipBlock": {"cidr": "10.1.0.0/16", "except": ["10.0.0.0/8", "x"]}}]}]}}
    assert errors(servers.ask(server, "PATCH", f"{path}/a", change, **MERGE)) == [
        (
            "spec.ingress[0].from[0].ipBlock.except[0]",
            'Invalid value: "10.0.0.0/8": must be a strict subset of `cidr`',
        ),
        (
            "spec.ingress[0].from[0].ipBlock.except[1]",
            'Invalid value: "x": must be a valid CIDR value, (e.g. 10.9.8.0/24 or 2001:db8::/64)',
        ),
    ]


@pytest.mark.parametrize(
    ("spec", "generation"),
    [
        ({"ingress": []}, 2),
        ({"policyTypes": []}, 1),
        ({"podSelector": {"matchLabels": {}}}, 2),
        ({"podSelector": {}}, 1),
    ],
)
def test_empty_lists_and_maps_count_for_the_generation_of_a_policy(spec: Any, generation: int) -> None:
    server, path = servers.api(), f"{NETWORKING}/networkpolicies"
    body = {**NAME, "spec": {"policyTypes": ["Ingress"], "podSelector": {}}}
    servers.ask(server, "POST", path, body)
    answer = servers.ask(server, "PUT", f"{path}/a", {**body, "spec": {"policyTypes": None, **spec}})
    assert answer.value["metadata"]["generation"] == generation


@pytest.mark.parametrize(("version", "times"), [("1.37", 1), ("1.34", 2)])
def test_older_versions_validate_a_changed_claim_twice(version: str, times: int) -> None:
    server = servers.api(kubernetes_version=version)
    _create_claim(server)
    refused = errors(servers.ask(server, "PATCH", f"{CLAIMS}/a", {"spec": {"storageClassName": "A_"}}, **MERGE))
    assert [field for field, _ in refused] == ["spec.storageClassName"] * times


@pytest.mark.parametrize(
    ("version", "problem"), [("1.37", "Required value: is required"), ("1.34", 'Invalid value: ""')]
)
def test_a_condition_without_a_type_is_refused(version: str, problem: str) -> None:
    server, path = servers.api(kubernetes_version=version), "/apis/policy/v1/namespaces/default/poddisruptionbudgets"
    servers.ask(server, "POST", path, NAME)
    change = {
        "status": {"conditions": [{"status": "True", "reason": "A", "lastTransitionTime": "2024-01-02T03:04:05Z"}]}
    }
    refused = errors(servers.ask(server, "PATCH", f"{path}/a/status", change, **MERGE))
    assert refused[0][0] == "status.conditions[0].type"
    assert refused[0][1].startswith(problem)


AUTOSCALERS = "/apis/autoscaling/v2/namespaces/default/horizontalpodautoscalers"
AUTOSCALER = {"scaleTargetRef": {"apiVersion": "apps/v1", "kind": "Deployment", "name": "a"}, "maxReplicas": 3}


@pytest.mark.parametrize(
    ("version", "problem", "generation"),
    [
        ("1.37", ("spec.metrics", "Forbidden: must specify at least one Object or External metric"), 1),
        ("1.34", ("spec.minReplicas", "Invalid value: 0: must be greater than or equal to 1"), None),
    ],
)
def test_an_autoscaler_scales_to_zero_since_1_37(version: str, problem: tuple[str, str], generation: Any) -> None:
    server = servers.api(kubernetes_version=version)
    refused = errors(servers.ask(server, "POST", AUTOSCALERS, {**NAME, "spec": {**AUTOSCALER, "minReplicas": 0}}))
    assert refused[0][0] == problem[0]
    assert refused[0][1].startswith(problem[1])
    stored = servers.ask(server, "POST", AUTOSCALERS, {**NAME, "spec": AUTOSCALER}).value
    assert stored["metadata"].get("generation") == generation


def test_an_autoscaler_of_v1_is_validated_in_the_form_of_v2() -> None:
    path = "/apis/autoscaling/v1/namespaces/default/horizontalpodautoscalers"
    assert refuse(path, {"spec": {**AUTOSCALER, "targetCPUUtilizationPercentage": 0}}) == [
        ("spec.metrics[0].resource.target.averageUtilization", "Invalid value: 0: must be greater than 0")
    ]


def test_a_stored_target_without_group_stays_valid() -> None:
    server = servers.api()
    target = {"kind": "ReplicationController", "name": "a"}
    servers.ask(server, "POST", AUTOSCALERS, {**NAME, "spec": {**AUTOSCALER, "scaleTargetRef": target}})
    for kind, code in (("ReplicationController", 200), ("Other", 422)):
        change = {"spec": {"scaleTargetRef": {"kind": kind}, "maxReplicas": 5}}
        assert servers.ask(server, "PATCH", f"{AUTOSCALERS}/a", change, **MERGE).code == code


@pytest.mark.parametrize(("version", "count"), [("1.37", 1), ("1.34", 0)])
def test_rules_of_webhooks_for_reviews_have_warnings(version: str, count: int) -> None:
    rule = {"operations": ["CREATE"], "apiGroups": ["authentication.k8s.io"], "apiVersions": ["v1"]}
    webhook = {
        "name": "a.example.com",
        "clientConfig": {"url": "https://example.com"},
        "sideEffects": "None",
        "admissionReviewVersions": ["v1"],
        "rules": [{**rule, "resources": ["tokenreviews", "tokenreviews"]}, {**rule, "resources": ["*"]}],
    }
    path = "/apis/admissionregistration.k8s.io/v1/validatingwebhookconfigurations"
    answer = servers.ask(servers.api(kubernetes_version=version), "POST", path, {**NAME, "webhooks": [webhook]})
    assert answer.code == 201
    warning = (
        '299 - "webhooks[0].rules[0]: tokenreviews.authentication.k8s.io is excluded from admission webhooks;'
        ' this rule will have no effect"'
    )
    assert [value for name, value in answer.headers if name.lower() == "warning"] == [warning] * count


@pytest.mark.parametrize(
    ("version", "problems"),
    [("1.37", ["Required value"]), ("1.34", ["Invalid value: 0: must be greater than 0"])],
)
def test_an_autoscaler_has_a_highest_number_of_replicas(version: str, problems: list[str]) -> None:
    server = servers.api(kubernetes_version=version)
    refused = errors(servers.ask(server, "POST", AUTOSCALERS, {**NAME, "spec": {**AUTOSCALER, "maxReplicas": 0}}))
    small = "Invalid value: 0: must be greater than or equal to `minReplicas`"
    assert sorted(message for _, message in refused) == sorted([*problems, small])
    assert {field for field, _ in refused} == {"spec.maxReplicas"}


@pytest.mark.parametrize(("version", "end"), [("1.37", 79), ("1.34", 80)])
def test_a_range_of_ports_ends_after_its_begin(version: str, end: int) -> None:
    server = servers.api(kubernetes_version=version)
    ports = [{"port": 80, "endPort": 79}]
    body = {**NAME, "spec": {"podSelector": {}, "egress": [{"ports": ports}]}}
    assert errors(servers.ask(server, "POST", f"{NETWORKING}/networkpolicies", body)) == [
        ("spec.egress[0].ports[0].endPort", f"Invalid value: {end}: must be greater than or equal to `port`")
    ]


@pytest.mark.parametrize(
    ("fields", "expected"),
    [
        ({}, [("data", "Required value: data is mandatory")]),
        ({"data": [1]}, [("data", "Required value: data must be a valid JSON object")]),
        (
            {"data": {}, "revision": -1},
            [("revision", "Invalid value: -1: must be greater than or equal to 0")],
        ),
    ],
)
def test_a_revision_has_data(fields: Any, expected: Any) -> None:
    assert refuse(REVISIONS, {"revision": 1, **fields}) == expected


def test_the_data_of_a_revision_stay() -> None:
    server = servers.api()
    revision = {**NAME, "revision": 1, "data": {"a": "b"}}
    assert servers.ask(server, "POST", REVISIONS, revision).code == 201
    assert servers.ask(server, "PUT", f"{REVISIONS}/a", {**revision, "revision": 2}).code == 200
    changed = servers.ask(server, "PUT", f"{REVISIONS}/a", {**revision, "data": {"a": "c"}})
    assert errors(changed) == [("data", 'Invalid value: {"a":"c"}: field is immutable')]


@pytest.mark.parametrize(
    ("version", "handler", "expected"),
    [
        ("1.37", "x" * 64, "must be no more than 63 bytes"),
        ("1.34", "x" * 64, "must be no more than 63 characters"),
    ],
)
def test_the_handler_of_a_runtime_class_is_a_short_name(version: str, handler: str, expected: str) -> None:
    server = servers.api(kubernetes_version=version)
    answer = servers.ask(server, "POST", RUNTIMES, {**NAME, "handler": handler})
    assert errors(answer) == [("handler", f'Invalid value: "{handler}": {expected}')]


def test_the_handler_of_a_runtime_class_stays() -> None:
    server = servers.api()
    assert servers.ask(server, "POST", RUNTIMES, {**NAME, "handler": "a"}).code == 201
    immutable = ("handler", "Invalid value: null: field is immutable")
    changes = [servers.ask(server, "PATCH", f"{RUNTIMES}/a", {"handler": text}, **MERGE) for text in ("b", "")]
    assert list(map(errors, changes)) == [[immutable], [immutable, ("handler", "Required value")]]
    older = servers.api(kubernetes_version="1.34")
    assert servers.ask(older, "POST", RUNTIMES, {**NAME, "handler": "a"}).code == 201
    changed = servers.ask(older, "PATCH", f"{RUNTIMES}/a", {"handler": "b"}, **MERGE)
    assert errors(changed) == [("handler", 'Invalid value: "b": field is immutable')]


def test_each_toleration_of_a_runtime_class_occurs_once() -> None:
    tolerations = [{"key": "a", "operator": "Exists"}, {"key": "b", "operator": "Exists"}] * 2
    answer = refuse(RUNTIMES, {"handler": "a", "scheduling": {"tolerations": tolerations}})
    assert [field for field, _ in answer] == ["scheduling.tolerations[2]", "scheduling.tolerations[3]"]


def test_a_runtime_class_with_deprecated_labels_of_nodes_gets_warnings() -> None:
    selector = {"beta.kubernetes.io/os": "linux", "own": "x"}
    body = {**NAME, "handler": "a", "scheduling": {"nodeSelector": selector}}
    (warning,) = servers.ask(servers.api(), "POST", RUNTIMES, body).warnings
    assert warning.startswith("scheduling.nodeSelector: deprecated since v1.14")
