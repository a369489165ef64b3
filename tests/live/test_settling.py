"""Waiting until a CRD is served."""

from __future__ import annotations

import contextlib
import json
import time
from typing import Any

import pytest
from live.loopback import Reply, serving

from pytest_crd.live import client, settling

NAMES = {"type": "NamesAccepted", "status": "True", "reason": "NoConflicts"}
ESTABLISHED = {"type": "Established", "status": "True", "reason": "InitialNamesAccepted"}
CLASH = {"type": "NamesAccepted", "status": "False", "reason": "PluralConflict"}
NO_BUNDLE = {"type": "Established", "status": "False", "reason": "InvalidCABundle"}
APPROVED = {"type": "KubernetesAPIApprovalPolicyConformant", "status": "True", "reason": "ApprovedAnnotation"}


def _crd(group: str, *conditions: Any, **spec: Any) -> dict[str, Any]:
    versions = [{"name": "v1", "served": True}, {"name": "v2", "served": False}]
    return {
        "apiVersion": "apiextensions.k8s.io/v1",
        "metadata": {"name": f"things.{group}"},
        "spec": {"group": group, "names": {"plural": "things"}, **(spec or {"versions": versions})},
        "status": {"conditions": list(conditions)},
    }


@pytest.mark.parametrize(
    ("group", "states", "is_established"),
    [
        ("g.example.com", [(), (NAMES,), (NAMES, ESTABLISHED)], True),
        ("g.example.com", [(), (CLASH,)], False),
        ("g.example.com", [(NAMES, NO_BUNDLE)], False),
        ("g.k8s.io", [(NAMES, ESTABLISHED), (NAMES, ESTABLISHED, APPROVED)], True),
    ],
)
def test_a_crd_is_waited_for_until_its_conditions_are_final_and_its_urls_exist(
    group: str, states: list[Any], *, is_established: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(time, "sleep", lambda _: None)
    replies = [Reply(200, "busy"), *(Reply(200, json.dumps(_crd(group, *conditions))) for conditions in states)]
    urls = [Reply(404, "{}"), Reply(200, "{}")]
    requests = []

    def answering(_: str, url: str, __: object, ___: object) -> Reply:
        requests.append(url)
        return replies.pop(0) if "customresourcedefinitions" in url else urls.pop(0)

    with serving(answering) as url, contextlib.closing(client.Server(url)) as server:
        stored = settling.wait_until_served(server, _crd(group))

    assert stored["status"]["conditions"] == list(states[-1])
    assert settling.is_established(stored) is is_established
    assert replies == []
    assert requests[len(states) + 1 :] == [f"/apis/{group}/v1/things?limit=1"] * (2 if is_established else 0)


def test_a_crd_in_v1beta1_may_have_one_version() -> None:
    crd = _crd("g.example.com", NAMES, ESTABLISHED, version="v1")

    with (
        serving(lambda _, url, *__: Reply(200, json.dumps(crd) if "definitions" in url else "{}")) as url,
        contextlib.closing(client.Server(url)) as server,
    ):
        assert settling.wait_until_served(server, crd) == crd


def test_a_changed_crd_is_waited_for_until_all_its_versions_have_its_column() -> None:
    versions = [
        {"name": "v1", "served": True},
        {"name": "v2", "served": True, "additionalPrinterColumns": [{"name": "Age", "type": "date", "jsonPath": ".a"}]},
    ]
    crd = {**_crd("g.example.com", versions=versions), "apiVersion": "apiextensions.k8s.io/v1"}
    tables: list[Any] = ["busy", {}, {"columnDefinitions": [{"name": "Age"}]}]
    requests = []

    def answering(_: str, url: str, headers: dict[str, str], __: str) -> Reply:
        requests.append((url, headers["Accept"].partition(";g")[0]))
        columns = [{"name": "Age"}, {"name": "m1"}]
        return Reply(200, json.dumps(tables.pop(0) if tables else {"columnDefinitions": columns}))

    marked = settling.marked(crd, "m1")
    with serving(answering) as url, contextlib.closing(client.Server(url)) as server:
        settling.wait_until_marked(server, marked, "m1")

    names = [
        [column["name"] for column in version["additionalPrinterColumns"]] for version in marked["spec"]["versions"]
    ]
    assert names == [["m1"], ["Age", "m1"]]
    assert "additionalPrinterColumns" not in versions[0]
    table = "application/json;as=Table"
    urls = ["/apis/g.example.com/v1/things?limit=1"] * 4 + ["/apis/g.example.com/v2/things?limit=1"]
    assert requests == [(url, table) for url in urls]


def test_a_changed_crd_in_v1beta1_is_given_some_time(monkeypatch: pytest.MonkeyPatch) -> None:
    rested: list[float] = []
    monkeypatch.setattr(time, "sleep", rested.append)
    crd = {**_crd("g.example.com"), "apiVersion": "apiextensions.k8s.io/v1beta1"}
    with contextlib.closing(client.Server("http://127.0.0.1:1")) as server:
        marked = settling.marked(crd, "m1")
        settling.wait_until_marked(server, marked, "m1")

    assert marked == crd
    assert rested == [settling.TURNS_VISIBLE]
