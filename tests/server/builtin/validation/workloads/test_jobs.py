"""Validation of Jobs: the answers of kube-apiserver 1.37."""

from __future__ import annotations

from typing import Any

import pytest
from server.builtin.validation.workloads.test_workloads import BATCH, CONTAINER, LABELS, MERGE, causes
from support import servers

JOBS = f"{BATCH}/jobs"
INDEXED: Any = {"completionMode": "Indexed", "completions": 5}
CODES: Any = {"operator": "In", "values": [1]}
SUCCESS = "spec.successPolicy.rules[0]"
MANY = (
    "In Indexed Jobs with a number of completions higher than 10^5 and a parallelism higher than 10^4,"
    " Kubernetes might not be able to track completedIndexes when a big number of indexes fail"
)


def job(name: str = "a", labels: Any = None, restart: str = "Never", **spec: Any) -> Any:
    """Return a Job with one container."""
    pods = {"metadata": {"labels": labels or {}}, "spec": {"restartPolicy": restart, "containers": [CONTAINER]}}
    return {"metadata": {"name": name}, "spec": {"template": pods, **spec}}


def _create(body: Any) -> Any:
    return servers.ask(servers.api(), "POST", JOBS, body)


def _failing(*rules: Any) -> Any:
    return {"podFailurePolicy": {"rules": [*rules]}}


def _on_codes(**codes: Any) -> Any:
    return _failing({"action": "Count", "onExitCodes": {**CODES, **codes}})


def _succeeding(*rules: Any) -> Any:
    return {**INDEXED, "successPolicy": {"rules": [*rules]}}


@pytest.mark.parametrize(
    ("spec", "expected"),
    [
        (
            {"restart": "Always"},
            ['spec.template.spec.restartPolicy: Required value: valid values: "OnFailure", "Never"'],
        ),
        (
            {"restart": "X"},
            [
                'spec.template.spec.restartPolicy: Unsupported value: "X": supported values: "Always", "OnFailure", "Never"',
                'spec.template.spec.restartPolicy: Unsupported value: "X": supported values: "OnFailure", "Never"',
            ],
        ),
        (
            {"restart": "OnFailure", **_on_codes()},
            [
                'spec.template.spec.restartPolicy: Invalid value: "OnFailure": only "Never" is supported when podFailurePolicy is specified'
            ],
        ),
        ({"managedBy": ""}, ["spec.managedBy: Required value"]),
        (
            {"managedBy": "acme.io"},
            ['spec.managedBy: Invalid value: "acme.io": must be a domain-prefixed path (such as "acme.io/foo")'],
        ),
        (
            {"managedBy": "acme.io/a b"},
            [
                "spec.managedBy: Invalid value: \"a b\": Invalid path (regex used for validation is '[A-Za-z0-9/\\-._~%!$&'()*+,;=:]+')"
            ],
        ),
        ({"managedBy": f"acme.io/{'x' * 56}"}, ["spec.managedBy: Too long: may not be more than 63 bytes"]),
        (
            {**INDEXED, "parallelism": 100_001},
            [
                "spec.parallelism: Invalid value: 100001: must be less than or equal to 100000 when completion mode is Indexed"
            ],
        ),
        (
            {**INDEXED, "maxFailedIndexes": 6, "backoffLimitPerIndex": 1},
            ["spec.maxFailedIndexes: Invalid value: 6: must be less than or equal to completions"],
        ),
        (
            {**INDEXED, "maxFailedIndexes": 1},
            ["spec.backoffLimitPerIndex: Required value: when maxFailedIndexes is specified"],
        ),
        (
            {**INDEXED, "completions": 100_001, "backoffLimitPerIndex": 1},
            ["spec.maxFailedIndexes: Required value: must be specified when completions is above 100000"],
        ),
        (
            {
                **INDEXED,
                "completions": 200_000,
                "backoffLimitPerIndex": 1,
                "parallelism": 10_001,
                "maxFailedIndexes": 100_001,
            },
            [
                "spec.maxFailedIndexes: Invalid value: 100001: must be less than or equal to 100000",
                "spec.parallelism: Invalid value: 10001: must be less than or equal to 10000 when completions are above 100000 and used with backoff limit per index",
                "spec.maxFailedIndexes: Invalid value: 100001: must be less than or equal to 10000 when completions are above 100000 and used with backoff limit per index",
            ],
        ),
        (
            {"maxFailedIndexes": 1, "backoffLimitPerIndex": 1},
            [
                "spec.backoffLimitPerIndex: Invalid value: 1: requires indexed completion mode",
                "spec.maxFailedIndexes: Invalid value: 1: requires indexed completion mode",
            ],
        ),
        (
            {"podReplacementPolicy": "TerminatingOrFailed", **_on_codes()},
            ['spec.podReplacementPolicy: Unsupported value: "TerminatingOrFailed": supported values: "Failed"'],
        ),
        (
            _failing(*[{"action": "Count", "onExitCodes": CODES}] * 21),
            ["spec.podFailurePolicy.rules: Too many: 21: must have at most 20 items"],
        ),
        (
            _failing({"action": "FailIndex", "onExitCodes": CODES}),
            [
                'spec.podFailurePolicy.rules[0].action: Invalid value: "FailIndex": requires the backoffLimitPerIndex to be set'
            ],
        ),
        ({**INDEXED, "backoffLimitPerIndex": 1, **_failing({"action": "FailIndex", "onExitCodes": CODES})}, []),
        (
            _failing({"onExitCodes": CODES}),
            [
                'spec.podFailurePolicy.rules[0].action: Required value: valid values: ["Count" "FailIndex" "FailJob" "Ignore"]'
            ],
        ),
        (
            _failing({"action": "X", "onExitCodes": CODES}),
            [
                'spec.podFailurePolicy.rules[0].action: Unsupported value: "X": supported values: "Count", "FailIndex", "FailJob", "Ignore"'
            ],
        ),
        (
            _failing({"action": "Count"}),
            [
                "spec.podFailurePolicy.rules[0]: Invalid value: specifying one of OnExitCodes and OnPodConditions is required"
            ],
        ),
        (
            _failing({"action": "Count", "onExitCodes": CODES, "onPodConditions": [{"type": "a", "status": "True"}]}),
            [
                "spec.podFailurePolicy.rules[0]: Invalid value: specifying both OnExitCodes and OnPodConditions is not supported"
            ],
        ),
        (
            _failing(
                {"action": "Count", "onPodConditions": [{"type": "a", "status": ""}, {"type": "a", "status": "X"}]}
            ),
            [
                'spec.podFailurePolicy.rules[0].onPodConditions[1].status: Unsupported value: "X": supported values: "False", "True", "Unknown"'
            ],
        ),
        (
            _failing({"action": "Count", "onPodConditions": [{"type": "a", "status": "True"}] * 21}),
            ["spec.podFailurePolicy.rules[0].onPodConditions: Too many: 21: must have at most 20 items"],
        ),
        (
            _on_codes(operator="", containerName="z"),
            [
                'spec.podFailurePolicy.rules[0].onExitCodes.operator: Required value: valid values: ["In" "NotIn"]',
                'spec.podFailurePolicy.rules[0].onExitCodes.containerName: Invalid value: "z": must be one of the container or initContainer names in the pod template',
            ],
        ),
        (
            _on_codes(operator="X", values=[2, 1, 1]),
            [
                'spec.podFailurePolicy.rules[0].onExitCodes.operator: Unsupported value: "X": supported values: "In", "NotIn"',
                "spec.podFailurePolicy.rules[0].onExitCodes.values[2]: Duplicate value: 1",
                "spec.podFailurePolicy.rules[0].onExitCodes.values: Invalid value: [2,1,1]: must be ordered",
            ],
        ),
        (
            _on_codes(values=[0, 1]),
            [
                "spec.podFailurePolicy.rules[0].onExitCodes.values[0]: Invalid value: 0: must not be 0 for the In operator"
            ],
        ),
        (
            _on_codes(values=[]),
            ["spec.podFailurePolicy.rules[0].onExitCodes.values: Invalid value: []: at least one value is required"],
        ),
        (
            _on_codes(values=None),
            ["spec.podFailurePolicy.rules[0].onExitCodes.values: Invalid value: null: at least one value is required"],
        ),
        (
            _on_codes(values=[*range(1, 257)]),
            ["spec.podFailurePolicy.rules[0].onExitCodes.values: Too many: 256: must have at most 255 items"],
        ),
        (
            {"successPolicy": {"rules": [{"succeededCount": 1}]}},
            [
                'spec.successPolicy: Invalid value: {"Rules":[{"SucceededIndexes":null,"SucceededCount":1}]}: requires indexed completion mode'
            ],
        ),
        (
            _succeeding(),
            [
                "spec.successPolicy.rules: Required value: at least one rules must be specified when the successPolicy is specified"
            ],
        ),
        (
            _succeeding(*[{"succeededCount": 1}] * 21),
            ["spec.successPolicy.rules: Too many: 21: must have at most 20 items"],
        ),
        (
            _succeeding({}),
            [
                "spec.successPolicy.rules[0]: Required value: at least one of succeededCount or succeededIndexes must be specified"
            ],
        ),
        (
            _succeeding({"succeededCount": -1}),
            ["spec.successPolicy.rules[0].succeededCount: Invalid value: -1: must be greater than or equal to 0"],
        ),
        (
            _succeeding({"succeededCount": 6}),
            [
                "spec.successPolicy.rules[0].succeededCount: Invalid value: 6: must be less than or equal to 5 (the number of specified completions)"
            ],
        ),
        (
            _succeeding({"succeededCount": 3, "succeededIndexes": "0-1"}),
            [
                "spec.successPolicy.rules[0].succeededCount: Invalid value: 3: must be less than or equal to 2 (the number of indexes in the specified succeededIndexes field)"
            ],
        ),
    ],
)
def test_the_spec_of_a_job_is_validated(spec: Any, expected: list[str]) -> None:
    assert [": ".join(cause) for cause in causes(_create(job(**spec)))] == expected


@pytest.mark.parametrize(
    ("indexes", "problem"),
    [
        ("", ""),
        ("0,2-4", ""),
        ("+1,2", ""),
        ("1-1", "non-increasing order, previous: 1, current: 1"),
        ("2,1", "non-increasing order, previous: 2, current: 1"),
        ("0,0", "non-increasing order, previous: 0, current: 0"),
        ("5", 'too large index: "5"'),
        ("9" * 20, f'cannot convert string to integer for index: "{"9" * 20}"'),
        ("-1", 'cannot convert string to integer for index: ""'),
        ("1,,2", 'cannot convert string to integer for index: ""'),
        (
            "1-2-3",
            "the fragment \"1-2-3\" violates the requirement that an index interval can have at most two parts separated by '-'",
        ),
    ],
)
def test_the_indexes_of_a_success_policy_can_be_read(indexes: str, problem: str) -> None:
    cause = f'Invalid value: "{indexes}": error parsing succeededIndexes: {problem}'
    expected = [(f"{SUCCESS}.succeededIndexes", cause)] if problem else []
    assert causes(_create(job(**_succeeding({"succeededIndexes": indexes})))) == expected


def test_the_indexes_of_a_success_policy_are_not_too_long() -> None:
    first = causes(_create(job(**_succeeding({"succeededIndexes": "0," * 32_769}))))[0]
    assert first == (f"{SUCCESS}.succeededIndexes", "Too long: may not be more than 65536 bytes")


def test_an_indexed_job_with_many_completions_is_warned_about() -> None:
    spec = {**INDEXED, "completions": 100_001, "parallelism": 10_001}
    assert _create(job(**spec)).warnings == (f"spec: {MANY}",)
    cron = {"metadata": {"name": "a"}, "spec": {"schedule": "@daily", "jobTemplate": {"spec": job(**spec)["spec"]}}}
    answer = servers.ask(servers.api(), "POST", f"{BATCH}/cronjobs", cron)
    assert answer.warnings == (f"spec.jobTemplate.spec: {MANY}",)


def test_an_indexed_job_has_a_name_for_its_pods() -> None:
    name = "a" * 62
    detail = f"will not able to create pod with invalid DNS label: {name}-4"
    assert causes(_create(job(name, **INDEXED))) == [("metadata.name", f'Invalid value: "{name}": {detail}')]
    assert _create(job(name)).code == 201


def test_the_labels_of_a_job_are_those_that_the_server_generates() -> None:
    ((field, message),) = causes(_create(job(labels={"job-name": "x", "b": "c"})))
    assert (field, message.rpartition(": ")[2]) == ("spec.template.metadata.labels[job-name]", "must be 'a'")
    assert message.startswith('Invalid value: {"b":"c","batch.kubernetes.io/controller-uid":"')
    ((field, message),) = causes(_create(job(labels=LABELS, selector={"matchLabels": LABELS})))
    assert (field, message.rpartition(": ")[2]) == ("spec.selector", "`selector` not auto-generated")


@pytest.mark.parametrize(
    ("stored", "changed", "expected"),
    [
        ({}, {"completions": 7}, ["spec.completions: Invalid value: 7: field is immutable"]),
        (INDEXED, {"completions": 6, "parallelism": 6}, []),
        (INDEXED, {"parallelism": 6}, []),
        (
            INDEXED,
            {"completions": 6},
            ["spec.completions: Invalid value: 6: can only be modified in tandem with spec.parallelism"],
        ),
        (INDEXED, {"completions": None}, ["spec.completions: Required value: when completion mode is Indexed"]),
        (
            INDEXED,
            {"completionMode": "NonIndexed", "managedBy": "a.b/c"},
            [
                'spec.completionMode: Invalid value: "NonIndexed": field is immutable',
                'spec.managedBy: Invalid value: "a.b/c": field is immutable',
            ],
        ),
    ],
)
def test_few_fields_of_a_job_change(stored: Any, changed: Any, expected: list[str]) -> None:
    server = servers.api()
    servers.ask(server, "POST", JOBS, job(**stored))
    answer = servers.ask(server, "PATCH", f"{JOBS}/a", {"spec": changed}, **MERGE)
    assert [": ".join(cause) for cause in causes(answer)] == expected


def test_a_suspended_job_gets_no_more_containers() -> None:
    server = servers.api()
    servers.ask(server, "POST", JOBS, job(suspend=True))
    more = {"spec": {"template": {"spec": {"containers": [CONTAINER, {**CONTAINER, "name": "b"}]}}}}
    ((field, message),) = causes(servers.ask(server, "PATCH", f"{JOBS}/a", more, **MERGE))
    assert (field, message[-18:]) == ("spec.template.spec", "field is immutable")
