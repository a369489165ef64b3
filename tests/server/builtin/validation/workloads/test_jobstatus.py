"""Validation of the status of a Job: the answers of kube-apiserver 1.37."""

from __future__ import annotations

from typing import Any

import pytest
from server.builtin.validation.workloads.test_jobs import INDEXED, JOBS, job
from server.builtin.validation.workloads.test_workloads import MERGE, causes
from support import servers

FIRST, SECOND = "2026-01-01T00:00:00Z", "2026-01-02T00:00:00Z"
BY_INDEX = {**INDEXED, "backoffLimitPerIndex": 1}


def _conditions(*types: str, status: str = "True") -> Any:
    return {"conditions": [{"type": type_, "status": status} for type_ in types]}


ENDED = {"startTime": FIRST, **_conditions("Failed", "FailureTarget")}
DONE = {"startTime": FIRST, "completionTime": SECOND, **_conditions("SuccessCriteriaMet", "Complete")}


@pytest.mark.parametrize(
    ("spec", "statuses", "expected"),
    [
        (
            {},
            [{"active": -1, "terminating": -1}],
            [
                "status.active: Invalid value: -1: must be greater than or equal to 0",
                "status.terminating: Invalid value: -1: must be greater than or equal to 0",
            ],
        ),
        (
            {},
            [{"uncountedTerminatedPods": {"succeeded": ["a", ""], "failed": ["a"]}}],
            [
                'status.uncountedTerminatedPods.succeeded[1]: Invalid value: "": must not be empty',
                'status.uncountedTerminatedPods.failed[0]: Duplicate value: "a"',
            ],
        ),
        ({}, [DONE], []),
        (
            {},
            [{**DONE, **_conditions("SuccessCriteriaMet", "Complete", "Failed", "FailureTarget")}],
            [
                "status.conditions: Invalid value: cannot set Complete=True and Failed=true conditions",
                "status.conditions: Invalid value: cannot set Complete=True and FailureTarget=true conditions",
                "status.conditions: Invalid value: cannot set SuccessCriteriaMet=True and Failed=true conditions",
                "status.conditions: Invalid value: cannot set SuccessCriteriaMet=True and FailureTarget=true conditions",
            ],
        ),
        (
            {},
            [{"completionTime": FIRST}],
            [
                'status.completionTime: Invalid value: "2026-01-01T00:00:00Z": cannot set completionTime when there is no Complete=True condition'
            ],
        ),
        (
            {},
            [{**DONE, "completionTime": None}],
            ["status.completionTime: Required value: completionTime is required for Complete jobs"],
        ),
        (
            {},
            [{**DONE, "startTime": SECOND, "completionTime": FIRST}],
            ['status.completionTime: Invalid value: "2026-01-01T00:00:00Z": must be equal to or after `startTime`'],
        ),
        ({}, [ENDED], []),
        (
            {},
            [{**ENDED, **_conditions("Failed")}],
            [
                "status.conditions: Invalid value: cannot set Failed=True condition without the FailureTarget=true condition"
            ],
        ),
        (
            {},
            [{**DONE, **_conditions("Complete")}],
            [
                "status.conditions: Invalid value: cannot set Complete=True condition without the SuccessCriteriaMet=true condition"
            ],
        ),
        (
            {},
            [{**DONE, "active": 1, "terminating": 1}],
            [
                "status.active: Invalid value: 1: active>0 is invalid for finished job",
                "status.terminating: Invalid value: 1: terminating>0 is invalid for finished job",
            ],
        ),
        ({}, [DONE, {"active": 1}], ["status.active: Invalid value: 1: active>0 is invalid for finished job"]),
        (
            {},
            [{**DONE, "startTime": None}],
            ["status.startTime: Required value: startTime is required for finished job"],
        ),
        ({"suspend": True, "completions": 0}, [{**DONE, "startTime": None}], []),
        (
            {},
            [{**DONE, "uncountedTerminatedPods": {"succeeded": ["a"]}}],
            [
                'status.uncountedTerminatedPods: Invalid value: {"Succeeded":["a"],"Failed":null}: must be empty for finished job'
            ],
        ),
        (
            BY_INDEX,
            [{"completedIndexes": "x", "failedIndexes": "5"}],
            [
                'status.completedIndexes: Invalid value: "x": error parsing completedIndexes: cannot convert string to integer for index: "x"',
                'status.failedIndexes: Invalid value: "5": error parsing failedIndexes: too large index: "5"',
            ],
        ),
        (
            {"completions": 5},
            [{"completedIndexes": "1"}],
            [
                'status.completedIndexes: Invalid value: "1": cannot set non-empty completedIndexes when non-indexed completion mode'
            ],
        ),
        (
            INDEXED,
            [{"failedIndexes": ""}],
            [
                'status.failedIndexes: Invalid value: "": cannot set non-null failedIndexes when backoffLimitPerIndex is null'
            ],
        ),
        (BY_INDEX, [{"completedIndexes": "0,4", "failedIndexes": "1-3"}], []),
        (
            BY_INDEX,
            [{"completedIndexes": "0,2-4", "failedIndexes": "1,3"}],
            ['status.failedIndexes: Invalid value: "1,3": failedIndexes and completedIndexes overlap at index: 3'],
        ),
        (
            BY_INDEX,
            [{"completedIndexes": "0,3-4", "failedIndexes": "x,4,0-1"}],
            [
                'status.failedIndexes: Invalid value: "x,4,0-1": error parsing failedIndexes: cannot convert string to integer for index: "x"',
                'status.failedIndexes: Invalid value: "x,4,0-1": failedIndexes and completedIndexes overlap at index: 4',
            ],
        ),
        ({}, [{"ready": 2, "active": 1}], ["status.ready: Invalid value: 2: cannot set more ready pods than active"]),
        (
            {},
            [{**_conditions("SuccessCriteriaMet", "FailureTarget")}],
            ["status.conditions: Invalid value: cannot set SuccessCriteriaMet=True and FailureTarget=true conditions"],
        ),
        (
            {**INDEXED, "successPolicy": {"rules": [{"succeededCount": 1}]}},
            [{**DONE, **_conditions("Complete")}],
            [
                "status.conditions: Invalid value: cannot set Complete=True condition without the SuccessCriteriaMet=true condition",
                "status.conditions: Invalid value: cannot set Complete=True for Job with SuccessPolicy unless SuccessCriteriaMet=True",
            ],
        ),
        (
            {},
            [DONE, {"completionTime": None, **_conditions("SuccessCriteriaMet")}],
            ["status.conditions: Invalid value: cannot disable the terminal Complete=True condition"],
        ),
        (
            {},
            [ENDED, {"conditions": []}],
            [
                "status.conditions: Invalid value: cannot disable the terminal Failed=True condition",
                "status.conditions: Invalid value: cannot disable the terminal FailureTarget=True condition",
            ],
        ),
        (
            {},
            [{"failed": 2, "succeeded": 2}, {"failed": 1, "succeeded": 1}],
            [
                "status.failed: Invalid value: 1: cannot decrease the failed counter",
                "status.succeeded: Invalid value: 1: cannot decrease the succeeded counter",
            ],
        ),
        (
            {**INDEXED, "parallelism": 5},
            [{"failed": 2, "succeeded": 2}, {"failed": 1, "succeeded": 1}],
            ["status.failed: Invalid value: 1: cannot decrease the failed counter"],
        ),
        (
            {},
            [DONE, {"completionTime": "2026-01-03T00:00:00Z"}],
            ['status.completionTime: Invalid value: "2026-01-03T00:00:00Z": field is immutable'],
        ),
        (
            {},
            [{"startTime": FIRST}, {"startTime": SECOND}],
            [
                'status.startTime: Invalid value: "2026-01-02T00:00:00Z": field is immutable for unsuspended job once set'
            ],
        ),
        ({"suspend": True}, [{"startTime": FIRST}, {"startTime": SECOND}], []),
        (
            {},
            [
                {"startTime": FIRST, **_conditions("Suspended")},
                {"startTime": None, **_conditions("Suspended", status="False")},
            ],
            [],
        ),
        (
            {},
            [_conditions("SuccessCriteriaMet"), {"conditions": []}],
            ["status.conditions: Invalid value: cannot disable the SuccessCriteriaMet=True condition"],
        ),
    ],
)
def test_the_status_of_a_job_is_validated(spec: Any, statuses: list[Any], expected: list[str]) -> None:
    server = servers.api()
    servers.ask(server, "POST", JOBS, job(**spec))
    *earlier, last = [
        servers.ask(server, "PATCH", f"{JOBS}/a/status", {"status": status}, **MERGE) for status in statuses
    ]
    assert [answer.code for answer in earlier] == [200] * len(earlier)
    assert [": ".join(cause) for cause in causes(last)] == expected
