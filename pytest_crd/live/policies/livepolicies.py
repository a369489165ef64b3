"""
Cases of admission policies on a live server: a dry run of the request, beside the engine's answer to the same request.

The policy, its CRDs and its Namespaces have other names on the server, and the engine answers under the same names.
"""

from __future__ import annotations

import json
import threading
import time
from collections.abc import Iterator
from dataclasses import replace
from typing import Final

from pytest_crd.cases.model import PolicyCase
from pytest_crd.cases.policies import policyrunner, policysubjects
from pytest_crd.cases.policies.caserequests import CaseRequest
from pytest_crd.cases.policies.policyrunner import PolicyOutcome
from pytest_crd.cases.policies.policysubjects import PolicySubject
from pytest_crd.cases.questions import PolicyQuestion
from pytest_crd.engine import profile
from pytest_crd.engine.jsonvalue import JSONObject, JSONValue
from pytest_crd.engine.profile import UnknownVersionError
from pytest_crd.live import answerfacts, client, obstacles
from pytest_crd.live.answerfacts import Facts
from pytest_crd.live.policies import livenames
from pytest_crd.live.policies.livenames import LiveNames
from pytest_crd.live.policies.rehearsals import LABEL, Rehearsal
from pytest_crd.live.sandbox import Sandbox
from pytest_crd.live.stages import DisagreementError, NotAskedError, OwnStages, Stages
from pytest_crd.server import servedversions

_REVIEWS: Final = "/apis/authentication.k8s.io/v1/selfsubjectreviews"
_REVIEW: Final = {"apiVersion": "authentication.k8s.io/v1", "kind": "SelfSubjectReview"}
# No controller of a cluster starts anything for objects of these kinds.
_QUIET: Final = frozenset({"ConfigMap", "Secret", "ServiceAccount"})
_PAUSE: Final = 0.5
# A server allows everything to this group.
_ADMINISTRATORS: Final = "system:masters"
_NO_IMPERSONATION: Final = "cannot impersonate resource"


class PolicyJudge:
    """Comparison of the engine with one server about cases of admission policies, one case at a time."""

    def __init__(self, server: client.Server, stages: Stages, sandbox: Sandbox, version: str) -> None:
        """Create it with the server, the CRDs on it, the sandbox and the Kubernetes version."""
        self._server, self._stages, self._sandbox, self._version = server, stages, sandbox, version
        self._lock = threading.Lock()
        self._user: JSONObject | None = None

    def prepare(self, _question: PolicyQuestion) -> None:
        """Prepare nothing: all objects are made for one case."""

    def judge(self, question: PolicyQuestion) -> list[str]:
        """Return notes about equal answers; see `Judge.judge` of `live.run`."""
        case, subject = question.case, self._under(question.subject)
        plain = policyrunner.ask(case, subject)
        if reason := next(self._obstacles(case, subject, plain), ""):
            raise NotAskedError(reason)
        with self._server.worker_lock.holding(self._lock):
            names = livenames.choose(case, subject, plain.request, self._stages)
            try:
                ours = self._compare(case, plain.request, names)
            except DisagreementError as error:
                theirs, resource = error.theirs, plain.request.type_
                obstacles.refuse_as_changed(self._server, (resource.group, resource.names.plural), error.ours, theirs)
                parts = (names.restore(part) for part in (error.request, error.ours, theirs))
                raise DisagreementError(*parts) from None
        original = answerfacts.of_engine(policyrunner.ask(case, question.subject.unheard).response, plain.request.sent)
        if answerfacts.are_equal(original, names.restore(ours)):
            return []
        return ["compared under other names, as another user or another version, under which the answer is another"]

    def _under(self, subject: PolicySubject) -> PolicySubject:
        """Return a subject under the Kubernetes version of the server."""
        try:
            named = profile.named(servedversions.find_served(self._version))
        except UnknownVersionError as error:
            raise NotAskedError(str(error)) from None
        crds = tuple(crd.under(named.version).with_webhooks(None) for crd in subject.crds)
        return policysubjects.reread(subject, subject.manifests, crds, named)

    def _obstacles(self, case: PolicyCase, subject: PolicySubject, plain: PolicyOutcome) -> Iterator[str]:
        """Yield the reasons why no request asks the question of a case."""
        request = plain.request
        expressions = json.dumps([item.value["spec"] for item in subject.manifests])
        if not isinstance(self._stages, OwnStages):
            yield "a policy of the project would be created beside the CRDs that are installed"
        if case.user is not None and not _is_plain(case.user):
            yield "a user with groups, a uid or extra values, or of the system, cannot be impersonated with the right to send the request"
        if case.authorizer is not None or "authorizer" in expressions:
            yield "expressions ask the authorizer, which knows the roles of the server"
        if request.operation == "CONNECT":
            yield "a connection is no dry run"
        if not request.namespace:
            yield "a policy about objects without a namespace would decide about objects of others, too"
        own = {(crd.group, crd.kind) for crd in subject.crds}
        kind = (request.type_.group, request.type_.names.kind)
        if request.old is not None and kind not in own and kind[1] not in _QUIET:
            yield f"a stored {kind[1]} might start something on the server"

    def _compare(self, case: PolicyCase, request: CaseRequest, names: LiveNames) -> Facts:
        """Send the request of a case, and return the facts of both answers."""
        with Rehearsal(self._server, self._sandbox) as rehearsal:
            own_metadata = _with_label((case.namespace_object or {}).get("metadata") or {}, names.label)
            namespaces = {
                name: rehearsal.make_namespace(there, own_metadata if name == request.namespace else {})
                for name, there in names.namespaces.items()
            }
            namespace = namespaces[request.namespace]
            params = [rehearsal.store(path, value, "a param") for path, value in names.params]
            old = None if names.old is None else rehearsal.store(*names.old, "the old object")
            rehearsal.install(names.manifests, namespace)
            live_case = replace(
                case,
                input=names.sent,
                old=old and _without_version(old),
                params=tuple(map(_without_version, params)),
                namespace_object=_without_version(namespace),
                user=self._find_user() if case.user is None else {**case.user, "groups": [_ADMINISTRATORS]},
            )
            outcome = policyrunner.ask(live_case, names.subject, dry_run=True)
            return self._exchange(case, outcome, old, names)

    def _exchange(self, case: PolicyCase, outcome: PolicyOutcome, old: JSONObject | None, names: LiveNames) -> Facts:
        """Send a request until the answers are equal, and return their facts."""
        request = outcome.request
        user = case.user and {"Impersonate-User": case.user["username"], "Impersonate-Group": _ADMINISTRATORS}
        ours = answerfacts.of_engine(outcome.response, request.sent)
        sent = request.versioned(old["metadata"]["resourceVersion"]) if old else request.sent
        query = {"dryRun": "All", **({} if sent is None else {"fieldValidation": "Strict"})}
        end = time.monotonic() + sum(client.PAUSES)
        while True:
            answer = self._server.ask(request.method, request.path, sent, query=query, headers=user)
            theirs = answerfacts.of_server(answer, request.sent)
            if answerfacts.are_equal(ours, theirs):
                return ours
            if time.monotonic() > end:
                break
            self._server.rest(_PAUSE)
        if _NO_IMPERSONATION in answer.message:
            raise NotAskedError(answer.message)
        if names.policy not in answer.message:
            obstacles.refuse_as_no_answer(answer)
        described = {"method": request.method, "path": request.path, "query": query, "body": sent}
        whole = {"policy": list(names.manifests), "namespace": outcome.namespace_of(request.namespace)}
        raise DisagreementError({**whole, **({"old": old} if old else {}), "request": described}, ours, theirs)

    def _find_user(self) -> JSONObject:
        """Return the user of the kubeconfig."""
        if self._user is None:
            answer = self._server.ask("POST", _REVIEWS, _REVIEW)
            if answer.code != 201:
                raise NotAskedError(f"the server does not tell the user: {answer.code} {answer.message}")
            self._user = answer.body["status"]["userInfo"]
        return self._user


def _is_plain(user: JSONObject) -> bool:
    """Return whether a user has only a name, and no groups by its name."""
    return not any(user.get(key) for key in ("groups", "uid", "extra")) and not user["username"].startswith("system:")


def _with_label(metadata: JSONObject, label: str) -> JSONObject:
    """Return the metadata of a Namespace with the label of a case."""
    return {**metadata, "labels": {**(metadata.get("labels") or {}), LABEL: label}}


def _without_version(value: JSONValue) -> JSONObject:
    """Return a stored object without its resourceVersion, which no case states."""
    return {**value, "metadata": {key: item for key, item in value["metadata"].items() if key != "resourceVersion"}}
