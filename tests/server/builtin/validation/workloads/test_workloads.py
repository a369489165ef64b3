"""Validation of Pods and workloads: the commonest mistakes, and rules that recordings do not reach."""

from __future__ import annotations

from typing import Any

import pytest
from support import servers

APPS = "/apis/apps/v1/namespaces/default"
BATCH = "/apis/batch/v1/namespaces/default"
PODS = "/api/v1/namespaces/default/pods"
MERGE = {"mediaType": "application/merge-patch+json"}
CONTAINER = {"name": "a", "image": "i"}
LABELS = {"app": "web"}
IMMUTABLE = "field is immutable"


def _template(**spec: Any) -> Any:
    return {"metadata": {"labels": LABELS}, "spec": {"containers": [CONTAINER], **spec}}


def _workload(**spec: Any) -> Any:
    return {"metadata": {"name": "a"}, "spec": {"selector": {"matchLabels": LABELS}, "template": _template(), **spec}}


def _job(**spec: Any) -> Any:
    template = {"spec": {"restartPolicy": "Never", "containers": [CONTAINER]}}
    return {"metadata": {"name": "a"}, "spec": {"template": template, **spec}}


def _pod(**spec: Any) -> Any:
    return {"metadata": {"name": "a"}, "spec": {"containers": [CONTAINER], **spec}}


def causes(answer: Any) -> list[tuple[str, str]]:
    """Return field and message of each cause; an accepted request has no causes."""
    return [(cause["field"], cause["message"]) for cause in (answer.value.get("details") or {}).get("causes", ())]


def _fields(answer: Any) -> list[str]:
    return [field for field, _ in causes(answer)]


def test_a_selector_matches_the_template_and_does_not_change() -> None:
    server = servers.api()
    for plural in ("deployments", "replicasets", "statefulsets", "daemonsets"):
        refused = servers.ask(server, "POST", f"{APPS}/{plural}", _workload(selector={"matchLabels": {"app": "other"}}))
        message = 'Invalid value: {"app":"web"}: `selector` does not match template `labels`'
        assert causes(refused) == [("spec.template.metadata.labels", message)]
        assert servers.ask(server, "POST", f"{APPS}/{plural}", _workload()).code == 201
        wider = {"spec": {"selector": {"matchLabels": {"tier": "x"}}}}
        changed = servers.ask(server, "PATCH", f"{APPS}/{plural}/a", wider, **MERGE)
        immutable = f'Invalid value: {{"matchLabels":{{"app":"web","tier":"x"}}}}: {IMMUTABLE}'
        assert ("spec.selector", immutable) in causes(changed)


@pytest.mark.parametrize(
    ("containers", "fields"),
    [
        ([{"name": "a"}], ["image"]),
        ([{"image": "i"}], ["name"]),
        ([{"name": "A_", "image": "i"}], ["name"]),
        ([{**CONTAINER, "volumeMounts": [{"name": "none", "mountPath": "/a"}]}], ["volumeMounts[0].name"]),
        ([{**CONTAINER, "ports": [{"containerPort": 0}]}], ["ports[0].containerPort"]),
        ([{**CONTAINER, "resources": {"limits": {"cpu": "1"}, "requests": {"cpu": "2"}}}], ["resources.requests"]),
        ([{**CONTAINER, "livenessProbe": {}}], ["livenessProbe"]),
        ([{**CONTAINER, "env": [{"value": "x"}]}], ["env[0].name"]),
    ],
)
def test_a_container_of_each_workload_is_validated(containers: Any, fields: list[str]) -> None:
    server = servers.api()
    spec = {"containers": containers}
    deployment = servers.ask(server, "POST", f"{APPS}/deployments", _workload(template=_template(**spec)))
    assert _fields(deployment) == [f"spec.template.spec.containers[0].{field}" for field in fields]
    pod = servers.ask(server, "POST", PODS, _pod(**spec))
    assert _fields(pod) == [f"spec.containers[0].{field}" for field in fields]


def test_the_template_of_a_job_changes_only_while_it_is_suspended() -> None:
    server = servers.api()
    servers.ask(server, "POST", f"{BATCH}/jobs", _job())
    image = {"spec": {"template": {"spec": {"containers": [{"name": "a", "image": "j"}]}}}}
    refused = causes(servers.ask(server, "PATCH", f"{BATCH}/jobs/a", image, **MERGE))
    assert [(field, message[:26], message[-18:]) for field, message in refused] == [
        ("spec.template", 'Invalid value: {"labels":{', IMMUTABLE)
    ]
    servers.ask(server, "PATCH", f"{BATCH}/jobs/a", {"spec": {"suspend": True}}, **MERGE)
    nodes = {"spec": {"template": {"spec": {"nodeSelector": {"a": "b"}, "affinity": {"nodeAffinity": {}}}}}}
    assert servers.ask(server, "PATCH", f"{BATCH}/jobs/a", nodes, **MERGE).code == 200
    needs = [{**CONTAINER, "resources": {"limits": {"cpu": "1"}}}]
    resized = {"spec": {"template": {"spec": {"containers": needs}}}}
    assert servers.ask(server, "PATCH", f"{BATCH}/jobs/a", resized, **MERGE).code == 200
    assert _fields(servers.ask(server, "PATCH", f"{BATCH}/jobs/a", image, **MERGE)) == ["spec.template.spec"]


def test_an_older_version_lets_only_the_scheduling_of_a_suspended_job_change() -> None:
    server = servers.api(kubernetes_version="1.34")
    servers.ask(server, "POST", f"{BATCH}/jobs", _job(suspend=True))
    nodes = {"spec": {"template": {"spec": {"nodeSelector": {"a": "b"}}}}}
    assert servers.ask(server, "PATCH", f"{BATCH}/jobs/a", nodes, **MERGE).code == 200
    needs = [{**CONTAINER, "resources": {"limits": {"cpu": "1"}}}]
    resized = {"spec": {"template": {"spec": {"containers": needs}}}}
    assert _fields(servers.ask(server, "PATCH", f"{BATCH}/jobs/a", resized, **MERGE)) == ["spec.template"]


def test_the_claims_of_a_stateful_set_do_not_change() -> None:
    claim = {"accessModes": ["ReadWriteOnce"], "resources": {"requests": {"storage": "1Gi"}}}
    patch = {"spec": {"volumeClaimTemplates": [{"metadata": {"name": "d"}, "spec": claim}], "replicas": 2}}
    newest, older = servers.api(), servers.api(kubernetes_version="1.34")
    for server in (newest, older):
        servers.ask(server, "POST", f"{APPS}/statefulsets", _workload())
    refused = servers.ask(newest, "PATCH", f"{APPS}/statefulsets/a", patch, **MERGE)
    assert _fields(refused) == ["spec.volumeClaimTemplates"]
    (cause,) = causes(servers.ask(older, "PATCH", f"{APPS}/statefulsets/a", patch, **MERGE))
    assert cause == (
        "spec",
        (
            "Forbidden: updates to statefulset spec for fields other than 'replicas', 'ordinals', 'template',"
            " 'updateStrategy', 'revisionHistoryLimit', 'persistentVolumeClaimRetentionPolicy' and 'minReadySeconds' are"
            " forbidden"
        ),
    )
    assert servers.ask(older, "PATCH", f"{APPS}/statefulsets/a", {"spec": {"replicas": 2}}, **MERGE).code == 200


def test_a_pod_changes_its_image_and_little_else() -> None:
    server = servers.api()
    servers.ask(server, "POST", PODS, _pod())
    image = {"spec": {"containers": [{"name": "a", "image": "j"}]}}
    assert servers.ask(server, "PATCH", f"{PODS}/a", image, **MERGE).code == 200
    ((field, message),) = causes(servers.ask(server, "PATCH", f"{PODS}/a", {"spec": {"hostname": "<b>"}}, **MERGE))[1:]
    assert field == "spec"
    assert message.startswith("Forbidden: pod updates may not change fields other than `spec.containers[*].image`,")
    assert '\n- "Hostname": "",\n+ "Hostname": "\\u003cb\\u003e",\n' in message


@pytest.mark.parametrize(
    ("schedule", "problem"),
    [
        ("* * * *", "expected exactly 5 fields, found 4: [* * * *]"),
        ("60 * * * *", "end of range (60) above maximum (59): 60"),
        ("*/0 * * * *", "step of range should be a positive number: */0"),
        ("a * * * *", 'failed to parse int from a: strconv.Atoi: parsing "a": invalid syntax'),
        ("@often", "unrecognized descriptor: @often"),
        ("@every x", 'failed to parse duration @every x: time: invalid duration "x"'),
        ("@every 5", 'failed to parse duration @every 5: time: missing unit in duration "5"'),
        ("@every 5x", 'failed to parse duration @every 5x: time: unknown unit "x" in duration "5x"'),
        ("@every 5m5", 'failed to parse duration @every 5m5: time: missing unit in duration "5m5"'),
        ("*/-5 * * * *", "negative number (-5) not allowed: -5"),
    ],
)
def test_a_cron_job_has_a_schedule_that_can_be_read(schedule: str, problem: str) -> None:
    spec = {"schedule": schedule, "jobTemplate": {"spec": _job()["spec"]}}
    refused = servers.ask(servers.api(), "POST", f"{BATCH}/cronjobs", {"metadata": {"name": "a"}, "spec": spec})
    assert causes(refused) == [
        ("spec.schedule", f'Invalid value: "{schedule}": {problem}'.replace(f'"{problem}', problem))
    ]


def test_a_cron_job_has_a_name_for_its_jobs_and_no_selector_of_pods() -> None:
    name, job = "a" * 53, {**_job()["spec"], "selector": {"matchLabels": LABELS}, "manualSelector": True}
    body = {"metadata": {"name": name}, "spec": {"schedule": "@daily", "jobTemplate": {"spec": job}}}
    place = "spec.jobTemplate.spec"
    assert causes(servers.ask(servers.api(), "POST", f"{BATCH}/cronjobs", body)) == [
        (f"{place}.selector", 'Invalid value: {"matchLabels":{"app":"web"}}: `selector` will be auto-generated'),
        (f"{place}.manualSelector", 'Unsupported value: true: supported values: "nil", "false"'),
        ("metadata.name", f'Invalid value: "{name}": must be no more than 52 characters'),
    ]


def test_the_status_of_a_cron_job_has_no_rules() -> None:
    server, spec = servers.api(), {"schedule": "@daily", "jobTemplate": {"spec": _job()["spec"]}}
    servers.ask(server, "POST", f"{BATCH}/cronjobs", {"metadata": {"name": "a"}, "spec": spec})
    status = {"lastScheduleTime": "2026-01-01T00:00:00Z"}
    answer = servers.ask(server, "PATCH", f"{BATCH}/cronjobs/a/status", {"status": status}, **MERGE)
    assert answer.value["status"] == status


@pytest.mark.parametrize("plural", ["deployments", "replicasets", "statefulsets", "daemonsets"])
def test_the_pods_of_a_workload_run_without_end(plural: str) -> None:
    body = _workload(template=_template(restartPolicy="Never", activeDeadlineSeconds=5))
    called = {"statefulsets": "StatefulSet", "daemonsets": "DaemonSet"}.get(plural, "ReplicaSet")
    assert causes(servers.ask(servers.api(), "POST", f"{APPS}/{plural}", body)) == [
        ("spec.template.spec.restartPolicy", 'Unsupported value: "Never": supported values: "Always"'),
        ("spec.template.spec.activeDeadlineSeconds", f"Forbidden: activeDeadlineSeconds in {called} is not Supported"),
    ]


@pytest.mark.parametrize("plural", ["deployments", "statefulsets", "daemonsets"])
def test_the_count_of_collisions_only_grows(plural: str) -> None:
    server = servers.api()
    servers.ask(server, "POST", f"{APPS}/{plural}", _workload())
    status = {"collisionCount": 2, "currentNumberScheduled": 0, "numberMisscheduled": 0, "desiredNumberScheduled": 0}
    for count in (2, 1):
        body = {"status": {**status, "collisionCount": count}}
        answer = servers.ask(server, "PATCH", f"{APPS}/{plural}/a/status", body, **MERGE)
    assert causes(answer) == [("status.collisionCount", "Invalid value: 1: cannot be decremented")]


@pytest.mark.parametrize(
    ("plural", "field"),
    [("deployments", "strategy"), ("daemonsets", "updateStrategy"), ("statefulsets", "updateStrategy")],
)
def test_a_strategy_without_a_type_is_completed(plural: str, field: str) -> None:
    strategy = {"type": "", "rollingUpdate": None}
    created = servers.ask(servers.api(), "POST", f"{APPS}/{plural}", _workload(**{field: strategy})).value
    assert created["spec"][field]["type"] == "RollingUpdate"
    assert created["spec"][field]["rollingUpdate"]


def test_a_missing_schedule_is_reported_after_other_errors() -> None:
    spec = {"jobTemplate": {"spec": {"template": {"spec": {"containers": [CONTAINER]}}}}}
    body = {"metadata": {"name": "a"}, "spec": spec}
    newest = servers.ask(servers.api(), "POST", f"{BATCH}/cronjobs", body)
    assert _fields(newest) == ["spec.jobTemplate.spec.template.spec.restartPolicy", "spec.schedule"]
    older = servers.ask(servers.api(kubernetes_version="1.34"), "POST", f"{BATCH}/cronjobs", body)
    assert _fields(older) == ["spec.schedule", "spec.jobTemplate.spec.template.spec.restartPolicy"]


def test_doubtful_templates_are_warned_about_when_they_change() -> None:
    server = servers.api()
    twice = {"containers": [{**CONTAINER, "env": [{"name": "A", "value": "1"}, {"name": "A", "value": "2"}]}]}
    created = servers.ask(server, "POST", f"{APPS}/deployments", _workload(template=_template(**twice)))
    place = "spec.template.spec.containers[0].env[1]"
    assert created.warnings == (f'{place}: hides previous definition of "A", which may be dropped when using apply',)
    assert (
        servers.ask(server, "PATCH", f"{APPS}/deployments/a", {"metadata": {"labels": {"a": "b"}}}, **MERGE).warnings
        == ()
    )
    assert servers.ask(server, "PATCH", f"{APPS}/deployments/a", {"spec": {"replicas": 2}}, **MERGE).warnings


def test_the_generation_of_a_template_does_not_count_in_the_size_of_annotations() -> None:
    largest = 256 * 1024
    daemon_set = {
        "metadata": {"name": "a", "annotations": {"a": "x" * (largest - 1)}},
        "spec": {
            "selector": {"matchLabels": {"app": "a"}},
            "template": {
                "metadata": {"labels": {"app": "a"}},
                "spec": {"containers": [{"name": "a", "image": "a"}]},
            },
        },
    }

    server = servers.api()

    assert servers.ask(server, "POST", "/apis/apps/v1/namespaces/default/daemonsets", daemon_set).code == 201
