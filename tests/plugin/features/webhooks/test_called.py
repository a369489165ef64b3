"""Calls of the webhooks of a project in sessions, for cases, servers, checks and upgrades."""

from __future__ import annotations

import re

import pytest
from support.sessions import Folder

CRD = """\
apiVersion: apiextensions.k8s.io/v1
kind: CustomResourceDefinition
metadata: {name: timers.stories.example.com}
spec:
  group: stories.example.com
  scope: Namespaced
  names: {plural: timers, singular: timer, kind: Timer, listKind: TimerList}
  conversion:
    strategy: Webhook
    webhook:
      conversionReviewVersions: [v1]
      clientConfig: {service: {namespace: system, name: webhook, path: /convert}}
  versions:
  - name: v1
    served: true
    storage: true
    schema:
      openAPIV3Schema:
        type: object
        properties: {spec: {type: object, properties: {seconds: {type: integer}, owner: {type: string}}}}
  - name: v1alpha1
    served: true
    storage: false
    schema:
      openAPIV3Schema:
        type: object
        properties: {spec: {type: object, properties: {minutes: {type: integer}}}}
"""
CONFIGURATIONS = """\
apiVersion: admissionregistration.k8s.io/v1
kind: MutatingWebhookConfiguration
metadata: {name: mutating}
webhooks:
- name: mtimer.example.com
  admissionReviewVersions: [v1]
  sideEffects: None
  clientConfig: {service: {namespace: system, name: webhook, path: /mutate}}
  rules: [{apiGroups: [stories.example.com], apiVersions: [v1], resources: [timers], operations: [CREATE]}]
---
apiVersion: admissionregistration.k8s.io/v1
kind: ValidatingWebhookConfiguration
metadata: {name: validating}
webhooks:
- name: vtimer.example.com
  admissionReviewVersions: [v1]
  sideEffects: None
  clientConfig: {service: {namespace: system, name: webhook, path: /validate}}
  rules: [{apiGroups: [stories.example.com], apiVersions: [v1], resources: [timers], operations: ['*']}]
"""
CONFTEST = """\
import base64
import json


def convert(review):
    request = review["request"]
    objects = []
    for resource in request["objects"]:
        spec = resource["spec"]
        if request["desiredAPIVersion"].endswith("/v1"):
            spec = {"seconds": spec["minutes"] * 60}
        else:
            spec = {"minutes": spec["seconds"] // 60}
        objects.append({**resource, "apiVersion": request["desiredAPIVersion"], "spec": spec})
    return {"uid": request["uid"], "convertedObjects": objects, "result": {"status": "Success"}}


def mutate(review):
    patch = [{"op": "add", "path": "/spec/owner", "value": "webhook"}]
    return {
        "uid": review["request"]["uid"],
        "allowed": True,
        "patchType": "JSONPatch",
        "patch": base64.b64encode(json.dumps(patch).encode()).decode(),
    }


def validate(review):
    request = review["request"]
    new = request["object"]
    is_long = bool(new) and new["spec"].get("seconds", 0) > 3600
    return {"uid": request["uid"], "allowed": not is_long, "status": {"message": "at most an hour"}}


def pytest_crd_webhooks(config):
    return {"conversion": convert, "mtimer.example.com": mutate, "vtimer.example.com": validate}
"""
CASES = """\
crd: timers.stories.example.com
version: v1alpha1
convert:
- {name: minutes become seconds, to: v1, input: {spec: {minutes: 2}}, expected: {spec: {seconds: 120}}}
create:
- name: the owner of a timer is lost in v1alpha1
  input: {spec: {minutes: 2}}
  expected: {spec: {minutes: 2}}
  mutated: []
- {name: a timer of two hours is denied, input: {spec: {minutes: 120}}, denied: [{by: vtimer.example.com, message: an hour}]}
patch:
- name: an old object is converted
  old: {spec: {minutes: 2}}
  patch: {spec: {minutes: 3}}
  expected: {spec: {minutes: 3}}
---
crd: timers.stories.example.com
version: v1
create:
- {name: the webhook sets the owner, input: {spec: {seconds: 1}}, expected: {spec: {seconds: 1, owner: webhook}}, mutated: [spec.owner]}
"""

SERVER_TEST = """\
import pytest
from pytest_crd import RequestFailedError


def test_timers(crd_server):
    crd_server["timers/v1"].create({"metadata": {"name": "a"}, "spec": {"seconds": 120}})
    timers = crd_server["timers/v1alpha1"]
    assert timers.get("a")["spec"] == {"minutes": 2}
    assert crd_server["timers/v1"].get("a")["spec"] == {"seconds": 120, "owner": "webhook"}
    with pytest.raises(RequestFailedError, match="at most an hour"):
        timers.create({"metadata": {"name": "b"}, "spec": {"minutes": 200}})
"""

pytestmark = pytest.mark.session


OLD = CRD.partition("  - name: v1\n")[0] + "  - name: v1alpha1" + CRD.rpartition("  - name: v1alpha1")[2]
SAMPLE = "apiVersion: stories.example.com/v1\nkind: Timer\nmetadata: {name: a}\nspec: {seconds: 7200}\n"


@pytest.fixture(scope="module")
def timers(tmp_path_factory: pytest.TempPathFactory) -> pytest.RunResult:
    """The result of a session that calls webhooks, which are functions, for cases, a server, checks and an upgrade."""
    folder = Folder(tmp_path_factory.mktemp("timers"))
    folder.write("config/crd/bases/timers.yaml", CRD)
    folder.write("config/webhook/manifests.yaml", CONFIGURATIONS)
    folder.write("config/samples/timer.yaml", SAMPLE)
    folder.write("old/timers.yaml", OLD.replace("storage: false", "storage: true"))
    folder.write("conftest.py", CONFTEST)
    folder.write("tests/test_timers.crd.yaml", CASES)
    folder.write("tests/test_server.py", SERVER_TEST)
    folder.ini("crd_baseline = old", "crd_paths = config")
    return folder.run("--crd-checks", "-v")


def _outcomes(timers: pytest.RunResult, part: str) -> list[str]:
    """Return the outcomes of the tests with a part of an id."""
    matches = (re.search(r"^(\S.*::.*) ([A-Z]+)\s+\[", line) for line in timers.outlines)
    return [match[2] for match in matches if match and part in match[1]]


def test_cases_call_the_webhooks_of_the_project(timers: pytest.RunResult) -> None:
    assert _outcomes(timers, "test_timers.crd.yaml::") == ["PASSED"] * 5


def test_a_server_calls_the_webhooks_of_the_project(timers: pytest.RunResult) -> None:
    assert _outcomes(timers, "test_server.py::") == ["PASSED"]


def test_samples_call_the_webhooks_of_the_project(timers: pytest.RunResult) -> None:
    assert _outcomes(timers, "::samples[") == ["FAILED"]
    timers.stdout.fnmatch_lines(['*admission webhook "vtimer.example.com" denied the request: at most an hour*'])


def test_round_trips_call_the_webhooks_of_the_project(timers: pytest.RunResult) -> None:
    assert _outcomes(timers, "::roundtrip[") == ["FAILED"]
    timers.stdout.fnmatch_lines(
        [
            "*: roundtrip[[]Timer], Kubernetes 1.37",
            "objects differ after a round trip between versions:",
            "*the conversion v1 → v1alpha1 is refused: *conftest.py*: the function fails:",
            "      KeyError: 'spec'",
        ]
    )


def test_upgrades_read_stored_objects_through_the_webhook_of_the_project(timers: pytest.RunResult) -> None:
    timers.stdout.fnmatch_lines(["*stored as v1alpha1, it cannot be read as v1: *KeyError: 'spec'*"])
