"""Cases of policies on a live server: dry runs under other names, and nothing left afterwards. The server here is our own."""

from __future__ import annotations

import contextlib
import json
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from typing import Any

import pytest
from support import policycases as policies

from pytest_crd import engine
from pytest_crd.cases import objectsources
from pytest_crd.cases.model import PolicyCase
from pytest_crd.cases.policies import policyrunner
from pytest_crd.cases.questions import PolicyQuestion
from pytest_crd.engine.registry.admission import ADMINISTRATOR, User
from pytest_crd.live import client, remnants
from pytest_crd.live.policies import livepolicies, rehearsals
from pytest_crd.live.policies.livepolicies import PolicyJudge
from pytest_crd.live.policies.rehearsals import Rehearsal
from pytest_crd.live.run import LiveOutcome, LiveVerdict, Run, Target
from pytest_crd.live.sandbox import Sandbox
from pytest_crd.live.stages import NotAskedError
from pytest_crd.server.api import Api
from pytest_crd.server.http.httpmessages import HTTPAnswer, HTTPRequest
from pytest_crd.webhooks.httptransport import Reply

Interfere = Callable[[str, str, Any], Reply | None]

FEW = """
apiVersion: admissionregistration.k8s.io/v1
kind: ValidatingAdmissionPolicy
metadata: {name: few}
spec:
  paramKind: {apiVersion: v1, kind: ConfigMap}
  matchConstraints:
    resourceRules:
    - {apiGroups: [stories.example.com, apps], apiVersions: ['*'], operations: ['*'], resources: [gardens, deployments]}
    excludeResourceRules:
    - {apiGroups: [stories.example.com], apiVersions: ['*'], operations: [DELETE], resources: [gardens], resourceNames: [lost]}
  validations:
  - expression: object == null || object.spec.size <= int(params.data.most)
    messageExpression: "'at most ' + params.data.most + ' in ' + namespaceObject.metadata.name"
  - {expression: object != null, message: gardens stay}
---
apiVersion: admissionregistration.k8s.io/v1
kind: ValidatingAdmissionPolicyBinding
metadata: {name: few-here}
spec:
  policyName: few
  validationActions: [Deny]
  paramRef: {name: limits, namespace: default, parameterNotFoundAction: Deny}
  matchResources:
    namespaceSelector: {matchLabels: {environment: production}}
    resourceRules: [{apiGroups: [stories.example.com], apiVersions: [v1], operations: ['*'], resources: [gardens]}]
---
apiVersion: v1
kind: ConfigMap
metadata: {name: limits}
data: {most: "5"}
"""
TALL = """
apiVersion: admissionregistration.k8s.io/v1
kind: MutatingAdmissionPolicy
metadata: {name: tall}
spec:
  reinvocationPolicy: Never
  matchConstraints:
    resourceRules: [{apiGroups: [stories.example.com, '', apps], apiVersions: ['*'], operations: ['*'], resources: [gardens, configmaps, nodes, pods, deployments]}]
  mutations:
  - {patchType: ApplyConfiguration, applyConfiguration: {expression: "Object{metadata: Object.metadata{labels: {'by': 'tall'}}}"}}
---
apiVersion: admissionregistration.k8s.io/v1
kind: MutatingAdmissionPolicyBinding
metadata: {name: tall}
spec: {policyName: tall}
"""
NAMESPACE = "namespaceObject: {metadata: {name: shop, labels: {environment: production}, annotations: {a: b}}}"
GARDEN = "{apiVersion: stories.example.com/v1, kind: Garden, metadata: {name: rose, namespace: shop}, spec: {size: %s}}"


class ApiTransport:
    """A connection to our own server, which others may interfere with."""

    address, is_trusted_blindly = "here", False

    def __init__(self) -> None:
        self.api = Api([], kubernetes_version="1.37")
        self.interfere: Interfere = lambda *_: None
        self.log: list[str] = []

    def send(self, method: str, url: str, data: bytes | None, headers: Mapping[str, str]) -> Reply:
        self.log.append(f"{method} {url}")
        if (reply := self.interfere(method, url, json.loads(data or b"null"))) is not None:
            return reply
        sent = {key.lower(): value for key, value in headers.items()}
        name, groups = sent.pop("impersonate-user", ""), (sent.pop("impersonate-group", ""), "system:authenticated")
        user = User(name, groups=groups) if name else ADMINISTRATOR
        answer = self.api.answer(HTTPRequest(method, url, sent, data or b"", user=user))
        assert isinstance(answer, HTTPAnswer)
        warnings = (("Warning", f"299 - {json.dumps(text)}") for text in answer.warnings)
        return Reply(answer.code, [*answer.headers, *warnings], answer.body)

    def close(self) -> None:
        self.api.close()

    def names(self) -> set[str]:
        """Return the paths of all objects."""
        store = self.api.store
        return {entry.key.path for resource in store.resources() for entry in store.entries(resource)}


@pytest.fixture
def server(monkeypatch: pytest.MonkeyPatch) -> Iterator[ApiTransport]:
    """Our own server, without pauses."""
    monkeypatch.setattr(client, "PAUSES", (0.0,) * 3)
    monkeypatch.setattr(livepolicies, "_PAUSE", 0.0)
    monkeypatch.setattr(rehearsals, "_PATIENCE", 0.4)
    with contextlib.closing(ApiTransport()) as transport:
        yield transport


def question(folder: Path, case: str, manifests: str = FEW) -> PolicyQuestion:
    """Return the question of a case."""
    name = "few" if "name: few-here" in manifests else "tall"
    case_file = policies.load(f"- name: a\n  {case}\n", name)
    resolved = objectsources.resolve(case_file.cases[0], folder)
    assert isinstance(resolved, PolicyCase)
    return PolicyQuestion(resolved, policies.subject_of(case_file, manifests, folder))


def judge(
    server: ApiTransport, *questions: PolicyQuestion, version: str = "1.37", installed: bool = False
) -> LiveVerdict:
    """Return the verdict on questions; nothing may be left on the server."""
    run = Run(Target(client.Server(server), version, "v", "kubectl"), PolicyJudge, installed=installed)
    before = server.names()
    run.prepare(questions)
    verdict = run.verdict(questions)
    assert run.end(whole=True) == []
    assert server.names() == before
    return verdict


AGREED = {
    "an accepted object": (f"{NAMESPACE}\n  input: {GARDEN % 5}\n  accepted: true", FEW),
    "a denied object": (f"{NAMESPACE}\n  input: {GARDEN % 6}\n  error: at most 5 in shop", FEW),
    "a param of the case": (
        f"{NAMESPACE}\n  params: [{{apiVersion: v1, kind: ConfigMap, metadata: {{name: limits, namespace: default}}, data: {{most: '7'}}}}]\n  input: {GARDEN % 7}\n  accepted: true",
        FEW,
    ),
    "an update": (f"{NAMESPACE}\n  old: {GARDEN % 4}\n  input: {GARDEN % 8}\n  error: at most 5", FEW),
    "a deletion": (f"{NAMESPACE}\n  operation: DELETE\n  old: {GARDEN % 4}\n  error: gardens stay", FEW),
    "no match": (f"input: {GARDEN % 9}\n  matched: false", FEW),
    "a mutation": (f"input: {GARDEN % 9}\n  contains: {{metadata: {{labels: {{by: tall}}}}}}", TALL),
    "a mutation of an update": (
        "old: {apiVersion: v1, kind: ConfigMap, metadata: {name: a, finalizers: [example.com/f]}}\n  input: {apiVersion: v1, kind: ConfigMap, metadata: {name: a}, data: {a: b}}\n  accepted: true",
        TALL,
    ),
}


@pytest.mark.parametrize(("case", "manifests"), AGREED.values(), ids=AGREED)
def test_the_server_answers_as_the_engine(tmp_path: Path, server: ApiTransport, case: str, manifests: str) -> None:
    assert judge(server, question(tmp_path, case, manifests)) == LiveVerdict(LiveOutcome.AGREED)
    assert any("dryRun=All" in line and "gardens" in line for line in server.log) or manifests == TALL


OWN_PARAMS = (
    FEW.replace("{apiVersion: v1, kind: ConfigMap}", "{apiVersion: stories.example.com/v1, kind: Garden}")
    .replace("apiVersion: v1\nkind: ConfigMap", "apiVersion: stories.example.com/v1\nkind: Garden")
    .replace('data: {most: "5"}', "spec: {size: 5}")
    .replace("int(params.data.most)", "params.spec.size")
    .replace("params.data.most", "string(params.spec.size)")
)


def test_params_of_a_crd_are_in_its_group(tmp_path: Path, server: ApiTransport) -> None:
    denied = question(tmp_path, f"{NAMESPACE}\n  input: {GARDEN % 6}\n  error: at most 5", OWN_PARAMS)
    assert judge(server, denied) == LiveVerdict(LiveOutcome.AGREED)


BY_USER = FEW.replace("'at most ' + params.data.most", "request.userInfo.username + ' may have ' + params.data.most")


def test_nothing_is_asked_before_the_params_of_a_policy_count(tmp_path: Path, server: ApiTransport) -> None:
    waiting = 2

    def interfere(method: str, url: str, body: Any) -> Reply | None:
        nonlocal waiting
        if method != "POST" or "configmaps?dryRun" not in url or not waiting:
            return None
        waiting -= 1
        return _status(403, f"policy '{body['metadata']['name']}' denied request: failed to configure policy")

    server.interfere = interfere
    accepted = question(
        tmp_path,
        f"{NAMESPACE}\n  input: {GARDEN % 5}\n  accepted: true",
        FEW.replace("spec:", "spec:\n  failurePolicy: Ignore", 1),
    )
    assert judge(server, accepted) == LiveVerdict(LiveOutcome.AGREED)
    probes = [number for number, line in enumerate(server.log) if "configmaps?dryRun" in line]
    assert len(probes) == 3
    assert next(number for number, line in enumerate(server.log) if "gardens?dryRun" in line) > probes[-1]


def test_answers_for_a_live_server_are_no_coverage(tmp_path: Path, server: ApiTransport) -> None:
    asked = question(tmp_path, f"{NAMESPACE}\n  input: {GARDEN % 6}\n  error: at most 5 in shop")
    listeners = asked.subject.admission.facts.listeners
    evaluations: list[Any] = []
    listeners.observe = listeners.observe_match = evaluations.append

    judge(server, asked)
    assert evaluations == []
    policyrunner.run(asked.case, asked.subject)
    assert evaluations


def test_a_user_is_impersonated(tmp_path: Path, server: ApiTransport) -> None:
    denied = question(
        tmp_path, f"user: {{username: ada}}\n  {NAMESPACE}\n  input: {GARDEN % 6}\n  error: ada may have 5", BY_USER
    )
    assert judge(server, denied) == LiveVerdict(LiveOutcome.AGREED)


def test_a_user_that_may_not_be_impersonated_is_not_asked(tmp_path: Path, server: ApiTransport) -> None:
    words = (
        'users "ada" is forbidden: User "me" cannot impersonate resource "users" in API group "" at the cluster scope'
    )
    server.interfere = _replying("POST", "gardens?dryRun", _status(403, words))
    denied = question(tmp_path, f"user: {{username: ada}}\n  {NAMESPACE}\n  input: {GARDEN % 6}\n  error: at most 5")
    assert judge(server, denied) == LiveVerdict(LiveOutcome.NOT_ASKED, words)


UNASKED = {
    "a user with groups": (f"user: {{username: ada, groups: [a]}}\n  {NAMESPACE}\n  input: {GARDEN % 5}\n  accepted: true", FEW, "a user with groups"),
    "a user of the system": (f"user: {{username: 'system:serviceaccount:a:b'}}\n  {NAMESPACE}\n  input: {GARDEN % 5}\n  accepted: true", FEW, "or of the system"),
    "an authorizer": (f"authorizer: []\n  {NAMESPACE}\n  input: {GARDEN % 5}\n  accepted: true", FEW, "expressions ask the authorizer"),
    "an object of the cluster": ("input: {apiVersion: v1, kind: Node}\n  accepted: true", TALL, "objects without a namespace"),
    "an old object that starts something": (
        "old: {apiVersion: v1, kind: Pod, spec: {containers: [{name: c, image: i}]}}\n  input: {apiVersion: v1, kind: Pod, spec: {containers: [{name: c, image: i}]}}\n  accepted: true",
        TALL,
        "a stored Pod might start something on the server",
    ),
    "a connection": (
        "operation: CONNECT\n  subresource: exec\n  old: {apiVersion: v1, kind: Pod, spec: {containers: [{name: c, image: i}]}}\n  input: {}\n  matched: false",
        TALL,
        "a connection is no dry run",
    ),
}  # fmt: skip


@pytest.mark.parametrize(("case", "manifests", "reason"), UNASKED.values(), ids=UNASKED)
def test_a_case_that_no_dry_run_can_ask_is_counted(
    tmp_path: Path, server: ApiTransport, case: str, manifests: str, reason: str
) -> None:
    verdict = judge(server, question(tmp_path, case, manifests))
    assert (verdict.outcome, reason in verdict.reason) == (LiveOutcome.NOT_ASKED, True), verdict


def test_installed_crds_are_asked_no_policy(tmp_path: Path, server: ApiTransport) -> None:
    verdict = judge(server, question(tmp_path, f"input: {GARDEN % 9}\n  matched: false"), installed=True)
    assert "beside the CRDs that are installed" in verdict.reason
    assert server.log == []


def test_a_version_without_a_server_is_asked_nothing(tmp_path: Path, server: ApiTransport) -> None:
    verdict = judge(server, question(tmp_path, f"input: {GARDEN % 9}\n  matched: false"), version="1.21")
    assert "no server answers as Kubernetes 1.21" in verdict.reason


CLUSTER_PARAMS = FEW.replace("kind: ConfigMap", "kind: Namespace").replace(", namespace: default, param", ", param").replace('data: {most: "5"}', "").replace("int(params.data.most)", "5").replace("params.data.most", "'5'")  # fmt: skip


def test_params_that_others_see_are_not_made(tmp_path: Path, server: ApiTransport) -> None:
    verdict = judge(server, question(tmp_path, f"{NAMESPACE}\n  input: {GARDEN % 6}\n  error: at most", CLUSTER_PARAMS))
    assert (verdict.outcome, verdict.reason) == (LiveOutcome.NOT_ASKED, "a param is a Namespace, which others see, too")


def test_a_policy_decides_only_about_the_namespace_of_its_case(tmp_path: Path, server: ApiTransport) -> None:
    created: list[Any] = []

    def interfere(method: str, url: str, body: Any) -> None:
        if method == "POST" and url.endswith("admissionpolicies"):
            created.append(body)

    server.interfere = interfere
    for manifests in (FEW, TALL):
        judge(server, question(tmp_path, f"{NAMESPACE}\n  input: {GARDEN % 5}\n  accepted: true", manifests))

    assert len(created) == 4
    for policy in created:
        selector = policy["spec"]["matchConstraints"]["namespaceSelector"]
        assert list(selector["matchLabels"]) == [rehearsals.LABEL]


def _status(code: int, message: str, reason: str = "Forbidden") -> Reply:
    return Reply(code, [], json.dumps({"kind": "Status", "code": code, "message": message, "reason": reason}).encode())


def _replying(method: str, part: str, reply: Reply) -> Interfere:
    return lambda asked, url, _: reply if asked == method and part in url else None


def _refuse_data(_: str, url: str, body: Any) -> Reply | None:
    return _status(422, "no") if "configmaps" in url and "data" in (body or {}) else None


DENIED = f"{NAMESPACE}\n  input: {GARDEN % 6}\n  error: at most 5"


def test_another_answer_is_a_disagreement_under_the_names_of_the_project(tmp_path: Path, server: ApiTransport) -> None:
    policy = ""

    def interfere(method: str, url: str, body: Any) -> Reply | None:
        nonlocal policy
        if method == "POST" and url.endswith("validatingadmissionpolicies") and not policy:
            policy = body["metadata"]["name"]
        message = f"ValidatingAdmissionPolicy '{policy}' denied request: at most 4"
        return _status(422, message, "Invalid") if "gardens?dryRun" in url else None

    server.interfere = interfere
    verdict = judge(server, question(tmp_path, DENIED))

    assert verdict.outcome is LiveOutcome.DISAGREED
    assert "  server:     ValidatingAdmissionPolicy 'few' denied request: at most 4" in verdict.differences
    assert "**The policy** (as small as it may be):" in verdict.recording
    assert "pytest-crd-" not in verdict.recording.replace("pytest-crd answers", "").replace(rehearsals.LABEL, "")


ANSWERS = {
    "a foreign denial": (_replying("POST", "gardens?dryRun", _status(403, 'admission webhook "a" denied the request')), LiveOutcome.NO_ANSWER),
    "no right to create policies": (_replying("POST", "validatingadmissionpolicies", _status(403, "no")), LiveOutcome.NO_ANSWER),
    "a refused policy": (_replying("POST", "validatingadmissionpolicies", _status(422, "no", "Invalid")), LiveOutcome.DISAGREED),
    "no Namespace": (_replying("POST", "/api/v1/namespaces", _status(403, "no")), LiveOutcome.NO_ANSWER),
    "a refused param": (_refuse_data, LiveOutcome.NOT_ASKED),
    "a policy that never counts": (_replying("POST", "configmaps?dryRun", Reply(201, [], b"{}")), LiveOutcome.NO_ANSWER),
    "a refused probe": (_replying("POST", "configmaps?dryRun", _status(403, "no")), LiveOutcome.NO_ANSWER),
    "another refusal of a probe": (_replying("POST", "configmaps?dryRun", _status(422, "no")), LiveOutcome.NO_ANSWER),
    "an unknown user": (_replying("POST", "selfsubjectreviews", _status(404, "no")), LiveOutcome.NOT_ASKED),
}  # fmt: skip


@pytest.mark.parametrize(("interfere", "outcome"), ANSWERS.values(), ids=ANSWERS)
def test_a_server_that_does_not_answer_is_told_from_one_that_disagrees(
    tmp_path: Path, server: ApiTransport, interfere: Interfere, outcome: LiveOutcome
) -> None:
    server.interfere = interfere
    assert judge(server, question(tmp_path, DENIED)).outcome is outcome


def _store(server: ApiTransport, value: Any, path: str = "/api/v1/namespaces/default/pods") -> Any:
    connection = client.Server(server)
    with Rehearsal(connection, Sandbox(connection, "run")) as rehearsal:
        return rehearsal.store(path, value, "the old object")


POD = {
    "apiVersion": "v1",
    "kind": "Pod",
    "metadata": {"name": "a"},
    "spec": {"containers": [{"name": "c", "image": "i"}]},
}


def test_an_old_object_has_its_status(server: ApiTransport) -> None:
    stored = _store(server, {**POD, "status": {"phase": "Running", "qosClass": "BestEffort"}})

    assert stored["status"]["phase"] == "Running"
    assert not any("pods/a" in name for name in server.names())


def test_a_refused_status_is_named(server: ApiTransport) -> None:
    server.interfere = _replying("PUT", "/status", _status(422, "no"))
    with pytest.raises(NotAskedError, match="the server refuses the status of the old object: 422 no"):
        _store(server, {**POD, "status": {"phase": "Running"}})


def test_an_object_that_cannot_be_removed_is_tried_again_at_the_end(tmp_path: Path, server: ApiTransport) -> None:
    replies = [_status(500, "busy"), _status(500, "busy")]

    def interfere(method: str, url: str, _: Any) -> Reply | None:
        return replies.pop() if method == "DELETE" and "validatingadmissionpolicies" in url and replies else None

    server.interfere = interfere
    assert judge(server, question(tmp_path, DENIED)) == LiveVerdict(LiveOutcome.AGREED)
    assert replies == []


def test_the_command_that_removes_everything_names_policies(tmp_path: Path, server: ApiTransport) -> None:
    server.interfere = _replying("DELETE", "", _status(500, "busy"))
    run = Run(Target(client.Server(server), "1.37", "v", "kubectl"), PolicyJudge)
    assert run.command.startswith("kubectl delete customresourcedefinitions,namespaces -l")
    run.verdict([question(tmp_path, DENIED)])
    kinds = "customresourcedefinitions,namespaces,validatingadmissionpolicies,validatingadmissionpolicybindings"
    assert run.command.startswith(f"kubectl delete {kinds} -l")
    server.interfere = lambda *_: None
    assert run.end(whole=True) == []


def test_remnants_of_other_runs_are_found(server: ApiTransport) -> None:
    connection = client.Server(server)
    Sandbox(connection, "other").create(
        "mutatingadmissionpolicybinding",
        {"apiVersion": "admissionregistration.k8s.io/v1", "kind": "MutatingAdmissionPolicyBinding", "metadata": {"name": rehearsals.make_name()}, "spec": {"policyName": "a"}},
    )  # fmt: skip
    assert [(item.kind, item.run) for item in remnants.find_remnants(connection)] == [
        ("mutatingadmissionpolicybinding", "other")
    ]


def test_an_answer_that_differs_by_the_users_groups_is_noted(tmp_path: Path, server: ApiTransport) -> None:
    by_name = FEW.replace("object == null || object.spec.size <= int(params.data.most)", "request.namespace == 'shop'")
    accepted = question(tmp_path, f"{NAMESPACE}\n  input: {GARDEN % 6}\n  accepted: true", by_name)
    verdict = judge(server, accepted)

    assert verdict.outcome is LiveOutcome.AGREED
    assert verdict.notes == (
        "compared under other names, as another user or another version, under which the answer is another",
    )


LIMITS = """
apiVersion: apiextensions.k8s.io/v1
kind: CustomResourceDefinition
metadata: {name: limits.stories.example.com}
spec:
  group: stories.example.com
  scope: Cluster
  names: {plural: limits, singular: limit, kind: Limit, listKind: LimitList}
  versions: [{name: v1, served: true, storage: true, schema: {openAPIV3Schema: {type: object, x-kubernetes-preserve-unknown-fields: true}}}]
"""
CLUSTER_LIMITS = (
    OWN_PARAMS.replace("paramKind: {apiVersion: stories.example.com/v1, kind: Garden}", "paramKind: {apiVersion: stories.example.com/v1, kind: Limit}")
    .replace(", namespace: default, param", ", param")
    .replace("kind: Garden\nmetadata: {name: limits}", "kind: Limit\nmetadata: {name: limits}")
)  # fmt: skip


def test_params_of_the_cluster_are_made_if_their_crd_is_of_the_run(tmp_path: Path, server: ApiTransport) -> None:
    tmp_path.joinpath("limits.yaml").write_text(LIMITS, encoding="utf-8")
    denied = question(tmp_path, DENIED, CLUSTER_LIMITS)
    limits = engine.load([tmp_path / "limits.yaml"])
    assert judge(
        server, denied._replace(subject=denied.subject._replace(crds=(*denied.subject.crds, *limits)))
    ) == LiveVerdict(LiveOutcome.AGREED)


def test_a_server_that_knows_a_param_late_is_asked_again(
    tmp_path: Path, server: ApiTransport, monkeypatch: pytest.MonkeyPatch
) -> None:
    early = [_status(403, "failed to configure binding"), _status(403, "failed to configure binding")]
    monkeypatch.setattr(client, "PAUSES", (5.0,))

    def interfere(method: str, url: str, _: Any) -> Reply | None:
        return early.pop() if "gardens?dryRun" in url and early else None

    server.interfere = interfere
    accepted = question(tmp_path, f"{NAMESPACE}\n  input: {GARDEN % 5}\n  accepted: true")
    assert judge(server, question(tmp_path, DENIED), accepted) == LiveVerdict(LiveOutcome.AGREED)
    assert early == []
    assert sum("selfsubjectreviews" in line for line in server.log) == 1
