"""Options of deletions, as kube-apiserver 1.37 reads them."""

from __future__ import annotations

from typing import Any

import pytest
from support import servers

JOB = f"{servers.JOBS}/a"
UNSAFE = "ignoreStoreReadErrorWithClusterBreakingPotential"
UNSAFE_DELETION: dict[str, Any] = {UNSAFE: True}
FIELD = "json: cannot unmarshal {} into Go struct field DeleteOptions."


def _delete(path: str = JOB, kubernetes_version: str = "1.37", **options: Any) -> tuple[int, str]:
    server = servers.api(kubernetes_version=kubernetes_version)
    servers.ask(server, "POST", servers.JOBS, servers.job("a"))
    body = {"kind": "DeleteOptions", "apiVersion": "v1", **options} if options else None
    answer = servers.ask(server, "DELETE", path, body)
    return answer.code, answer.value.get("message", "")


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (
            {"preconditions": {"uid": 5}},
            "json: cannot unmarshal number into Go struct field Preconditions.preconditions.uid of type types.UID",
        ),
        ({"preconditions": 5}, FIELD.format("number") + "preconditions of type v1.Preconditions"),
        ({"gracePeriodSeconds": "x"}, FIELD.format("string") + "gracePeriodSeconds of type int64"),
        ({"gracePeriodSeconds": 1.5}, FIELD.format("number 1.5") + "gracePeriodSeconds of type int64"),
        ({"orphanDependents": "x"}, FIELD.format("string") + "orphanDependents of type bool"),
        ({"propagationPolicy": 5}, FIELD.format("number") + "propagationPolicy of type v1.DeletionPropagation"),
        ({"dryRun": "All"}, FIELD.format("string") + "dryRun of type []string"),
        ({"dryRun": [5]}, FIELD.format("number") + "dryRun of type string"),
    ],
)
def test_options_of_a_wrong_type_are_refused(options: dict[str, Any], message: str) -> None:
    assert _delete(**options) == (400, message)


def test_unknown_options_are_ignored() -> None:
    assert _delete(bogus=1)[0] == 200


def test_an_unsafe_deletion_of_a_readable_object_is_refused() -> None:
    problem = "unsafe deletion is not allowed because the object is decodable from storage"
    key = "Key: /registry/fuzz.example.com/jobs/default/a"
    message = (
        'Operation cannot be fulfilled on jobs.fuzz.example.com "a": StorageError: invalid object, Code: 4, '
        f"{key}, ResourceVersion: 0, AdditionalErrorMsg: {problem}"
    )
    assert _delete(**UNSAFE_DELETION) == (409, message)
    assert _delete(f"{JOB}?{UNSAFE}=true") == (409, message)
    assert _delete(ignoreStoreReadErrorWithClusterBreakingPotential=False)[0] == 200
    assert _delete(kubernetes_version="1.36", **UNSAFE_DELETION)[0] == 200


@pytest.mark.parametrize(
    ("path", "options", "problem"),
    [
        (JOB, {"preconditions": {"uid": "u"}}, "cannot be set together with .preconditions"),
        (JOB, {"gracePeriodSeconds": 0}, "cannot be set together with .gracePeriodSeconds"),
        (JOB, {"propagationPolicy": "Orphan"}, "cannot be set together with .propagationPolicy"),
        (servers.JOBS, {}, "is not allowed with DELETECOLLECTION, try again after removing the option"),
    ],
)
def test_unsafe_deletions_exclude_other_options(path: str, options: dict[str, Any], problem: str) -> None:
    message = f'DeleteOptions.meta.k8s.io "" is invalid: {UNSAFE}: Invalid value: true: {problem}'

    assert _delete(path, **UNSAFE_DELETION, **options) == (422, message)


@pytest.mark.parametrize(
    ("path", "code"),
    [
        (f"{JOB}?resourceVersion=1", 409),
        (f"{JOB}?uid=u", 409),
        (f"{servers.JOBS}?resourceVersion=0", 409),
        (f"{servers.JOBS}?resourceVersion=0&fieldSelector=metadata.name%3Db", 200),
    ],
)
def test_a_version_in_the_url_of_a_deletion_is_a_precondition(path: str, code: int) -> None:
    assert _delete(path)[0] == code
