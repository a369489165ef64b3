"""
Server of one case: a fork of a server that has the CRDs, the objects and the policy of the project already.

The objects of the case are stored without admission.
"""

from __future__ import annotations

import functools
from collections.abc import Iterator, Sequence
from typing import Final

from pytest_crd.cases import givenfacts
from pytest_crd.cases.model import PolicyCase
from pytest_crd.cases.policies.caserequests import CaseRequest
from pytest_crd.cases.policies.policysubjects import PolicySubject
from pytest_crd.cases.policies.recording import RecordedAdmission, Recording
from pytest_crd.engine.api.context import GivenParamError
from pytest_crd.engine.inputerror import InputError, Mistake
from pytest_crd.engine.jsonvalue import JSONObject, JSONValue
from pytest_crd.engine.registry.admission import AdmissionRequest, User
from pytest_crd.engine.registry.response import NotAcceptedError
from pytest_crd.engine.yaml.manifest import Manifest
from pytest_crd.server import installedparams, installedpolicies, installing, namespaces
from pytest_crd.server.api import Api
from pytest_crd.server.authorization.accesscontrol import AccessControl
from pytest_crd.server.http.httpmessages import HTTPRequest
from pytest_crd.server.http.requestinfo import RequestInfo
from pytest_crd.server.store.store import ObjectKey

# Servers of projects that a session keeps: cases of one file follow each other.
_MOST_SERVERS: Final = 16
# Fields that a server sets, and that a stored object may state.
_SET_BY_SERVER: Final = (
    "uid",
    "creationTimestamp",
    "deletionTimestamp",
    "deletionGracePeriodSeconds",
    "generation",
    "managedFields",
)


class _OpenAccess(AccessControl):
    """Access for each user: a case is about admission alone."""

    def authorize(self, user: User, request: HTTPRequest, info: RequestInfo | None) -> User:  # noqa: ARG002
        """Return the user."""
        return user


class _SameObjects:
    """Objects as a key of a cache, which are equal if they are the same objects."""

    __slots__ = ("ids", "objects")

    def __init__(self, *objects: object) -> None:
        self.objects = objects  # an id is unique as long as its object lives
        self.ids = tuple(map(id, objects))

    def __eq__(self, other: object) -> bool:
        return isinstance(other, _SameObjects) and self.ids == other.ids

    def __hash__(self) -> int:
        return hash(self.ids)


class _Project(_SameObjects):
    """The CRDs and the webhooks of a project, under a Kubernetes version."""

    def __init__(self, subject: PolicySubject) -> None:
        super().__init__(subject.profile, subject.admission.webhooks, *subject.crds)
        self.subject = subject


class _Installed(_SameObjects):
    """A policy with its bindings and the stored objects of its project."""

    def __init__(self, subject: PolicySubject, objects: Sequence[Manifest]) -> None:
        self.project = _Project(subject)
        self.stored = objects
        super().__init__(*self.project.objects, None, *objects, None, *subject.manifests)


def start(subject: PolicySubject) -> Api:
    """
    Return the server with the CRDs of a project and their conversion webhooks; cases send it no requests.

    Raises:
        InputError: A server refuses a CRD.
    """
    return _start(_Project(subject))


@functools.lru_cache(_MOST_SERVERS)
def _start(project: _Project) -> Api:
    subject = project.subject
    try:
        return installedparams.start(subject.crds, subject.admission.webhooks, subject.profile)
    except NotAcceptedError as error:
        raise InputError(
            [Mistake(subject.bound.policy.source, 0, f"no server has the CRDs of the project: {error}")]
        ) from None


@functools.lru_cache(_MOST_SERVERS)
def _install(installed: _Installed) -> Api:
    """Return a server with the objects of a project, then the policy and its bindings; cases send it no requests."""
    api = _start(installed.project).fork()
    with api.catalog.without_admission():
        installedpolicies.install(api, installed.stored)
        installedpolicies.install(api, installed.project.subject.manifests)
    return api


def open_server(case: PolicyCase, subject: PolicySubject) -> Api:
    """
    Return the server of a case: without the objects of `crd_policies` that the case replaces.

    Raises:
        InputError: A server refuses a CRD.
        ManifestError: The server refuses the policy, a binding or an object of `crd_policies`, or does not serve its kind.
    """
    objects = installedparams.find_unreplaced(subject.objects, case.params or ())
    api = _install(_Installed(subject, objects)).fork()
    api.access = _OpenAccess(api.access.users, api.catalog.authorizer, api.profile)
    return api


def fill(api: Api, case: PolicyCase, subject: PolicySubject, request: CaseRequest) -> None:
    """
    Store the objects of a case, without admission: params, the Namespace, the old object.

    Raises:
        CaseFileError: The server refuses an object of the case.
    """
    with api.catalog.without_admission():
        _fill(api, case, subject, request)


def _fill(api: Api, case: PolicyCase, subject: PolicySubject, request: CaseRequest) -> None:
    try:
        installedparams.store_given(api, case.params or (), [subject.bound.policy])
    except GivenParamError as error:
        raise givenfacts.refuse_param(case, error) from None
    if case.namespace_object is not None and not request.namespace:
        kind = request.type_.names.kind
        raise case.mistake(f"'namespaceObject' does nothing, as a {kind} has no namespace", "namespaceObject")
    installing.create_namespace(api, request.namespace)
    if case.namespace_object is not None:
        _amend_namespace(api, case.namespace_object, request.namespace)
    for value in (request.sent, request.old):
        if value is not None and (value.get("apiVersion"), value.get("kind")) == ("v1", "Pod"):
            _store_runtime_class(api, value.get("spec"))
    if request.old is not None:
        _store_old(api, case, request.old)


def _store_runtime_class(api: Api, spec: JSONValue) -> None:
    """Store the runtime class that a Pod names, with its overhead, unless the project has the class: a server refuses a Pod without it."""
    name = spec.get("runtimeClassName") if isinstance(spec, dict) else None
    type_ = installing.find_type(api, "node.k8s.io/v1", "RuntimeClass")
    assert type_ is not None  # noqa: S101 - each version serves it
    if name is not None and api.store.get(type_.key("", name)) is None:
        overhead = {"overhead": {"podFixed": spec["overhead"]}} if "overhead" in spec else {}
        installing.create(api, type_, {"metadata": {"name": name}, "handler": "a", **overhead})


def record(api: Api, case: PolicyCase, subject: PolicySubject) -> Recording:
    """Let the policy know the facts of a case, and return the record of its work from now on."""
    facts, rules = subject.admission.facts, case.authorizer
    recording = Recording(subject.bound.policy.kind, facts.listeners)
    granted = None if rules is None else functools.partial(facts.is_granted, rules)

    def complete(request: AdmissionRequest) -> AdmissionRequest:
        return request._replace(authorize=recording.uses.note_accesses(granted or facts.authorize))

    recording.listen(api.catalog.policy_listeners)
    api.catalog.wrap_admission(lambda admission: RecordedAdmission(admission, recording, complete))
    return recording


def _amend_namespace(api: Api, given: JSONObject, name: str) -> None:
    """Merge the fields of a case into a stored Namespace; keep the labels of the server."""
    key = ObjectKey(namespaces.RESOURCE, "", name)
    entry = api.store.get(key)
    stored: JSONObject = {} if entry is None else entry.value
    metadata = given.get("metadata") or {}
    labels = {**(stored["metadata"].get("labels") or {}), **(metadata.get("labels") or {})}
    merged = {**stored["metadata"], **metadata, "name": name, "labels": labels}
    api.store.put(key, {**stored, **given, "metadata": merged})


def _store_old(api: Api, case: PolicyCase, old: JSONObject) -> None:
    """
    Store the old object with its status, and with the metadata that only a server sets.

    Raises:
        CaseFileError: The server refuses it.
    """
    type_ = installing.find_type(api, old["apiVersion"], old["kind"])
    if type_ is None or not type_.is_stored:
        raise case.mistake(f"Kubernetes {api.profile.version} stores no {old['kind']} of {old['apiVersion']}", "old")
    metadata = {key: value for key, value in old["metadata"].items() if key not in {*_SET_BY_SERVER, "resourceVersion"}}
    sent = {**old, "metadata": metadata}
    for problem in _problems(api, sent, old):
        if problem:
            raise case.mistake(f"'old' of {case.title} is not valid, so no server has it stored: {problem}", "old")
    key = type_.key(metadata.get("namespace", ""), metadata["name"])
    entry = api.store.get(key)
    generated = {key: old["metadata"][key] for key in _SET_BY_SERVER if key in old["metadata"]}
    assert entry is not None  # noqa: S101 - it was just created
    stored = _without_taint(entry.value, old) if type_.resource == "nodes" else entry.value
    api.store.put(key, {**stored, "metadata": {**stored["metadata"], **generated}})


def _without_taint(stored: JSONObject, old: JSONObject) -> JSONObject:
    """Return a stored Node with the taints of the case alone: admission adds a taint to new nodes."""
    keys = {key for key in stored["spec"] if key != "taints" or key in (old.get("spec") or {})}
    spec = {key: value for key, value in stored["spec"].items() if key in keys}
    return {**stored, "spec": {**spec, **({"taints": old["spec"]["taints"]} if "taints" in keys else {})}}


def _problems(api: Api, sent: JSONObject, old: JSONObject) -> Iterator[str]:
    """Yield the refusals of the creation of an object, and of the update of its status; empty ones if it is stored."""
    type_ = installing.find_type(api, old["apiVersion"], old["kind"])
    assert type_ is not None  # noqa: S101 - checked before
    yield installing.create(api, type_, sent)
    if "status" in old and any(sub.name == "status" for sub in type_.subresources):
        yield installing.update_status(api, type_, sent)
