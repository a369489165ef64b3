"""Values of the fields of Pods and of kinds with a template of Pods, valid and invalid, for random writes."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Final

from oracle.generators import containerpools, podpools
from oracle.generators.validatedkinds import Kind

_Pool = Sequence[Any]

_PORTIONS: Final[_Pool] = (0, 1, -1, "25%", "0%", "101%", "x", "-5%", "5")
_COUNTS: Final[Mapping[str, _Pool]] = {
    f"status.{name}": containerpools.NUMBERS
    for name in (
        "replicas",
        "readyReplicas",
        "availableReplicas",
        "updatedReplicas",
        "collisionCount",
        "observedGeneration",
    )
}
DEPLOYMENT: Final[Mapping[str, _Pool]] = {
    **podpools.of_template("spec.template"),
    **_COUNTS,
    "spec.selector": podpools.SELECTORS,
    "spec.replicas": containerpools.NUMBERS,
    "spec.minReadySeconds": containerpools.NUMBERS,
    "spec.progressDeadlineSeconds": containerpools.NUMBERS,
    "spec.revisionHistoryLimit": containerpools.NUMBERS,
    "spec.strategy": ({"type": "Recreate"}, {"type": "x"}, {"type": "Recreate", "rollingUpdate": {"maxSurge": 1}}, {}),
    "spec.strategy.rollingUpdate.maxSurge": _PORTIONS,
    "spec.strategy.rollingUpdate.maxUnavailable": _PORTIONS,
    "spec.strategy.rollingUpdate": tuple({"maxSurge": surge, "maxUnavailable": missing} for surge in (0, "0%") for missing in (0, "0%", "200%")),
}  # fmt: skip
REPLICA_SET: Final[Mapping[str, _Pool]] = {
    **podpools.of_template("spec.template"),
    **_COUNTS,
    "status.fullyLabeledReplicas": containerpools.NUMBERS,
    "spec.selector": podpools.SELECTORS,
    "spec.replicas": containerpools.NUMBERS,
    "spec.minReadySeconds": containerpools.NUMBERS,
}
DAEMON_SET: Final[Mapping[str, _Pool]] = {
    **podpools.of_template("spec.template"),
    **{f"status.{name}": containerpools.NUMBERS for name in ("currentNumberScheduled", "numberReady", "collisionCount", "observedGeneration")},
    "spec.selector": podpools.SELECTORS,
    "spec.minReadySeconds": containerpools.NUMBERS,
    "spec.revisionHistoryLimit": containerpools.NUMBERS,
    "spec.updateStrategy": ({"type": "OnDelete"}, {"type": "x"}, {}),
    "spec.updateStrategy.rollingUpdate": tuple({"maxSurge": surge, "maxUnavailable": missing} for surge in _PORTIONS for missing in (0, 1, "x", "101%")),
}  # fmt: skip
_CLAIMS: Final[_Pool] = tuple(
    [{"metadata": {"name": name}, "spec": spec}]
    for name in ("v", "claim", "A_")
    for spec in (
        *(containerpools.CLAIM, {}, {**containerpools.CLAIM, "accessModes": ["x", "ReadWriteOncePod", "ReadWriteOnce"]}, {**containerpools.CLAIM, "volumeMode": "x"}),
        *({**containerpools.CLAIM, "resources": {"requests": {"storage": "0"}}}, {**containerpools.CLAIM, "storageClassName": "A_"}, {**containerpools.CLAIM, "selector": {"matchLabels": {"-": "b"}}}),
        *({**containerpools.CLAIM, "dataSource": {"kind": "x", "name": "n"}}, {**containerpools.CLAIM, "dataSourceRef": {"kind": "PersistentVolumeClaim", "name": "n", "namespace": "A_"}}),
        *({**containerpools.CLAIM, "resources": {"requests": {"storage": "-1Gi"}}}, {**containerpools.CLAIM, "resources": {"requests": {"storage": "100m"}}}, {**containerpools.CLAIM, "volumeAttributesClassName": "A_"}),
    )
)  # fmt: skip
STATEFUL_SET: Final[Mapping[str, _Pool]] = {
    **podpools.of_template("spec.template"),
    **_COUNTS,
    "status.currentReplicas": containerpools.NUMBERS,
    "spec.selector": podpools.SELECTORS,
    "spec.replicas": containerpools.NUMBERS,
    "spec.minReadySeconds": containerpools.NUMBERS,
    "spec.revisionHistoryLimit": containerpools.NUMBERS,
    "spec.serviceName": ("s", "S_", "other", ""),
    "spec.podManagementPolicy": ("Parallel", "OrderedReady", "x"),
    "spec.ordinals": ({"start": 1}, {"start": -1}, {}),
    "spec.volumeClaimTemplates": (*_CLAIMS, []),
    "spec.persistentVolumeClaimRetentionPolicy": ({"whenDeleted": "Delete"}, {"whenDeleted": "x"}, {}, {"whenScaled": "y"}),
    "spec.updateStrategy": (
        *({"type": "OnDelete"}, {"type": "x"}, {}, {"type": "OnDelete", "rollingUpdate": {"partition": 1}}),
        *({"type": "RollingUpdate", "rollingUpdate": {"partition": -1}}, {"type": "Recreate"}),
    ),
    "spec.updateStrategy.rollingUpdate.maxUnavailable": _PORTIONS,
}  # fmt: skip
_RULE: Final = {"action": "Ignore", "onPodConditions": [{"type": "DisruptionTarget"}]}
_CODES: Final = {"operator": "In", "values": [1, 2]}


def of_job(path: str) -> Mapping[str, _Pool]:
    """Return the values of the fields of a Job's spec at a path."""
    fields: Mapping[str, _Pool] = {
        "parallelism": (-1, 0, 2, 100_001),
        "completions": (-1, 0, 2, 100_001),
        "activeDeadlineSeconds": containerpools.NUMBERS,
        "backoffLimit": containerpools.NUMBERS,
        "ttlSecondsAfterFinished": containerpools.NUMBERS,
        "backoffLimitPerIndex": containerpools.NUMBERS,
        "maxFailedIndexes": (-1, 0, 1, 100_001),
        "managedBy": ("a.b/c", "x", "", "A_/b", "a/b c", "a.b/" + "x" * 64, "kubernetes.io/job-controller"),
        "completionMode": ("Indexed", "NonIndexed", "x"),
        "suspend": (True, False),
        "podReplacementPolicy": ("Failed", "TerminatingOrFailed", "x"),
        "manualSelector": (True, False),
        "selector": (containerpools.SELECTOR, {}, {"matchLabels": {"-": "b"}}),
        "podFailurePolicy": (
            *(
                {"rules": []},
                {"rules": [_RULE]},
                {"rules": [{}]},
                {"rules": [_RULE] * 21},
                {"rules": [{**_RULE, "action": "x"}]},
            ),
            *(
                {"rules": [{"action": "FailJob", "onExitCodes": codes}]}
                for codes in (
                    *(
                        _CODES,
                        {},
                        {**_CODES, "values": [2, 1, 1, 0]},
                        {**_CODES, "operator": "x"},
                        {**_CODES, "containerName": "none"},
                    ),
                    *({"operator": "NotIn", "values": [0]}, {**_CODES, "values": [*range(1, 258)]}),
                )
            ),
            *(
                {"rules": [{**_RULE, "onExitCodes": _CODES}]},
                {"rules": [{"action": "FailIndex", "onExitCodes": _CODES}]},
            ),
            {"rules": [{"action": "Count", "onPodConditions": [{"type": "a b", "status": "x"}]}]},
        ),
        "successPolicy": (
            *(
                {"rules": []},
                {"rules": [{}]},
                {"rules": [{"succeededCount": 1}]},
                {"rules": [{"succeededCount": 5, "succeededIndexes": "0-1"}]},
            ),
            *({"rules": [{"succeededIndexes": text}]} for text in ("0", "x", "1-0", "0-1-2", "0,5", "1,0", "")),
        ),
        "template.spec.restartPolicy": ("Never", "OnFailure", "Always", "x"),
    }
    return {**podpools.of_template(f"{path}.template"), **{f"{path}.{field}": values for field, values in fields.items()}}  # fmt: skip


_TIMES: Final = ("2024-01-02T03:04:05Z", "2025-01-02T03:04:05Z", None)
_CONDITION: Final = {
    "status": "True",
    "lastTransitionTime": "2024-01-02T03:04:05Z",
    "lastProbeTime": "2024-01-02T03:04:05Z",
}
JOB: Final[Mapping[str, _Pool]] = {
    **of_job("spec"),
    "status.active": containerpools.NUMBERS,
    "status.ready": containerpools.NUMBERS,
    "status.succeeded": containerpools.NUMBERS,
    "status.failed": containerpools.NUMBERS,
    "status.terminating": containerpools.NUMBERS,
    "status.startTime": _TIMES,
    "status.completionTime": _TIMES,
    "status.completedIndexes": ("0", "x", "0-1", ""),
    "status.failedIndexes": ("0", "x", "1", ""),
    "status.uncountedTerminatedPods": ({"succeeded": ["a"]}, {"succeeded": ["a", "a", ""], "failed": ["a"]}, {}),
    "status.conditions": tuple(
        [{"type": type_, **_CONDITION} for type_ in types]
        for types in (
            *((), ("Complete",), ("Failed",), ("FailureTarget",), ("SuccessCriteriaMet",), ("Suspended",)),
            *(("Complete", "SuccessCriteriaMet"), ("Failed", "FailureTarget"), ("Complete", "Failed"), ("SuccessCriteriaMet", "Failed")),
        )
    ),
    "status": tuple(
        {"startTime": _TIMES[0], "completionTime": end, "conditions": [{"type": type_, **_CONDITION} for type_ in types]}
        for types in (("Complete", "SuccessCriteriaMet"), ("Failed", "FailureTarget"))
        for end in _TIMES
    ),
}  # fmt: skip
CRON_JOB: Final[Mapping[str, _Pool]] = {
    **of_job("spec.jobTemplate.spec"),
    "spec.schedule": (
        *("* * * * *", "", "x", "* * * *", "60 * * * *", "*/0 * * * *", "1-2-3 * * * *", "5-2 * * * *", "*/2/3 * * * *", "0 0 0 1 1"),
        *("a * * * *", "@daily", "@x", "@every 5m", "@every x", "@every 5", "TZ=UTC * * * * *", "CRON_TZ=Nope/X * * * * *", "TZ=UTC"),
        *("0 0 1 JAN mon", "0 0 1 1 7", "-1 * * * *", "? * * * *", "1,2,x * * * *", "99999999999999999999 * * * *", "@every 5x", "*/15 2-4 * * *"),
    ),
    "spec.timeZone": ("UTC", "", "Europe/Zurich", "Nope/X", "../x", "Local", "-x", "europe zurich", "Etc/UTC"),
    "spec.startingDeadlineSeconds": containerpools.NUMBERS,
    "spec.concurrencyPolicy": ("Forbid", "x", "Replace"),
    "spec.successfulJobsHistoryLimit": containerpools.NUMBERS,
    "spec.failedJobsHistoryLimit": containerpools.NUMBERS,
    "spec.suspend": (True, False),
}  # fmt: skip
_ADDRESSES: Final[_Pool] = (
    [{"ip": "10.0.0.1"}],
    [{"ip": "x"}],
    [{"ip": "10.0.0.1"}, {"ip": "10.0.0.2"}],
    [{"ip": "10.0.0.1"}, {"ip": "::1"}],
    [],
)
_STATES: Final[_Pool] = ({}, {"running": {}}, {"terminated": {"exitCode": 0}}, {"terminated": {"exitCode": 1}})
_STATE: Final = {"name": "c", "image": "i", "imageID": "x", "ready": False, "restartCount": 0}
PODS: Final[Mapping[str, _Pool]] = {
    # An admission plugin refuses the overhead of a Pod.
    **{path: values for path, values in podpools.of_spec("spec").items() if path != "spec.overhead"},
    "metadata.annotations": [item for item in podpools.ANNOTATIONS if not any("apparmor" in key for key in item)],
    "status.phase": ("Running", "x"),
    "status.conditions": ([{"type": "Ready", "status": "True"}], [{"type": "a b", "status": "True"}], [{"type": "x/y", "status": "x", "observedGeneration": -1}]),
    "status.qosClass": ("BestEffort", "Guaranteed"),
    "status.nominatedNodeName": ("n", "N_"),
    "status.observedGeneration": (-1, 1),
    "status.podIP": ("10.0.0.1", ""),
    "status.podIPs": _ADDRESSES,
    "status.hostIP": ("10.0.0.1", ""),
    "status.hostIPs": _ADDRESSES,
    "status.containerStatuses": tuple([{**_STATE, "state": state}] for state in _STATES),
}  # fmt: skip
TEMPLATES: Final = "v1 PodTemplate"
"""The kind that stands for all templates."""
CHANGES: Final[Mapping[str, Any]] = {
    "template.spec.containers": [{"name": "c", "image": "j"}],
    "jobTemplate.spec.template.spec.containers": [{"name": "c", "image": ""}],
    "containers": [{"name": "c", "image": "j"}, {"name": "d", "image": "j"}],
    "nodeName": "n",
    "template.metadata.labels": {"a": "c"},
}
"""Changes of the spec of some kinds."""


def is_shared(path: str) -> bool:
    """Return whether a field belongs to a template or to the spec of a Pod, except for its annotations."""
    return "template." in path or "emplate.spec" in path or path in {"spec", *podpools.of_spec("spec")}


_CORE: Final = "/api/v1/namespaces/{ns}"
_APPS: Final = "/apis/apps/v1/namespaces/{ns}"
_BATCH: Final = "/apis/batch/v1/namespaces/{ns}"
_WORKLOAD: Final = {"spec": {"selector": containerpools.SELECTOR, "template": containerpools.TEMPLATE}}
_JOB: Final = {"template": {"spec": {**containerpools.POD, "restartPolicy": "Never"}}}
_CRON: Final = {"spec": {"schedule": "* * * * *", "jobTemplate": {"spec": _JOB}}}
_STATUS: Final = ("status",)
_MUTATED: Final = 0.3
KINDS: Final[Mapping[str, Kind]] = {
    "v1 Pod": Kind(
        f"{_CORE}/pods",
        {"spec": containerpools.POD},
        PODS,
        ("status", "ephemeralcontainers", "resize"),
        mutated=_MUTATED,
    ),
    "v1 PodTemplate": Kind(
        f"{_CORE}/podtemplates",
        {"template": containerpools.TEMPLATE},
        podpools.of_template("template"),
        mutated=_MUTATED,
    ),
    "apps/v1 Deployment": Kind(f"{_APPS}/deployments", _WORKLOAD, DEPLOYMENT, _STATUS, mutated=_MUTATED),
    "apps/v1 ReplicaSet": Kind(f"{_APPS}/replicasets", _WORKLOAD, REPLICA_SET, _STATUS, mutated=_MUTATED),
    "apps/v1 DaemonSet": Kind(f"{_APPS}/daemonsets", _WORKLOAD, DAEMON_SET, _STATUS, mutated=_MUTATED),
    "apps/v1 StatefulSet": Kind(f"{_APPS}/statefulsets", _WORKLOAD, STATEFUL_SET, _STATUS, mutated=_MUTATED),
    "batch/v1 Job": Kind(f"{_BATCH}/jobs", {"spec": _JOB}, JOB, _STATUS, mutated=_MUTATED),
    "batch/v1 CronJob": Kind(f"{_BATCH}/cronjobs", _CRON, CRON_JOB, _STATUS, mutated=_MUTATED),
}
