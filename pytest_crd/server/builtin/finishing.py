"""
Fields of built-in objects that a server sets between the mutating plugins and validation, so that no client owns them.

Reference:
    kubernetes pkg/registry, PrepareForCreate and PrepareForUpdate of each strategy.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, Final, NamedTuple, TypeAlias

from pytest_crd.engine import jsonvalue
from pytest_crd.engine.metadata import names
from pytest_crd.engine.profile import Profile
from pytest_crd.engine.registry.admission import User
from pytest_crd.server.builtin import autoscalerforms, podfinishing
from pytest_crd.server.builtin.builtinconversions import NAME_LABEL
from pytest_crd.server.builtin.builtinconversions import TEMPLATE_GENERATION as GENERATION
from pytest_crd.server.store import generatedvalues

_Object: TypeAlias = "dict[str, Any]"


_REQUESTS: Final = "certificatesigningrequests.certificates.k8s.io"
_RESERVED: Final = "pdb.kubernetes.io/deprecated-v1beta1-empty-selector-match"
# The selector of a PodDisruptionBudget that matches nothing.
_NOTHING: Final = {"matchExpressions": [{"key": _RESERVED, "operator": "Exists"}]}
# Data sources of claims that old clients may name.
_SOURCES: Final = frozenset({("PersistentVolumeClaim", ""), ("VolumeSnapshot", "snapshot.storage.k8s.io")})


class Writing(NamedTuple):
    """
    The write of an object.

    Attributes:
        old: The stored object in the version of the request; None on create.
        sent: The metadata of the request on create; empty on updates.
        uid: The uid of a new object.
        user: The user of the request.
        profile: The Kubernetes version.
        subresource: The subresource; empty for the object itself.
    """

    old: Mapping[str, Any] | None
    sent: Mapping[str, Any]
    uid: str
    user: User
    profile: Profile
    subresource: str = ""


def finish(resource: str, value: _Object, writing: Writing) -> _Object:
    """
    Return an object with the fields of the server.

    Args:
        resource: Its resource: `plural` or `plural.group`.
        value: The object.
        writing: The write.
    """
    if value["apiVersion"] == "autoscaling/v1":
        return autoscalerforms.protected(value, writing.old, writing.subresource)
    change = _FINISHES.get(resource)
    if resource == _REQUESTS and writing.subresource:
        return _finish_conditions(value, writing)
    if change is None or (writing.subresource and (resource, writing.subresource) not in _FINISHED_PARTS):
        return value
    return change(value, writing)


def _finish_conditions(request: _Object, writing: Writing) -> _Object:
    """Add the times of the conditions of a request for a certificate; its status keeps the approval, unless their number changes."""
    assert writing.old is not None  # noqa: S101 - a subresource of a stored object
    old = (writing.old.get("status") or {}).get("conditions") or ()
    conditions = [*(request.get("status", {}).get("conditions") or ())]
    for kind in ("Approved", "Denied") if writing.subresource == "status" else ():
        before = [item for item in old if item.get("type") == kind]
        places = [place for place, item in enumerate(conditions) if item.get("type") == kind]
        if len(places) == len(before):
            for place, item in zip(places, before, strict=True):
                conditions[place] = item
    now = generatedvalues.now()
    since = {(item["type"], item["status"]): item["lastTransitionTime"] for item in reversed(old)}
    conditions = [
        {
            **item,
            "lastUpdateTime": item.get("lastUpdateTime") or now,
            "lastTransitionTime": item.get("lastTransitionTime")
            or since.get((item.get("type"), item.get("status")), now),
        }
        for item in conditions
    ]
    return {**request, "status": {**request.get("status", {}), "conditions": conditions}} if conditions else request


def _daemon_set(daemon_set: _Object, writing: Writing) -> _Object:
    """Set the number of changes to the template, which no client sets."""
    number = 1
    if writing.old is not None:
        number = int(writing.old["metadata"]["annotations"][GENERATION])
        number += not jsonvalue.equal(daemon_set["spec"]["template"], writing.old["spec"]["template"])
    annotations = {**daemon_set["metadata"]["annotations"], GENERATION: str(number)}
    return {**daemon_set, "metadata": {**daemon_set["metadata"], "annotations": annotations}}


def _pod(pod: _Object, writing: Writing) -> _Object:
    if writing.subresource and writing.old is not None:
        return podfinishing.finish_status(pod, writing.old)
    if writing.old is None:
        return podfinishing.finish_created(pod, writing.profile)
    return podfinishing.finish_updated(pod, writing.old, writing.profile)


def _job(job: _Object, writing: Writing) -> _Object:
    """Add labels and the selector of a new Job, unless its selector is manual."""
    if writing.old is not None:
        return job
    job = {**job, "metadata": {**job["metadata"], "uid": writing.uid}}
    if job["spec"].get("manualSelector"):
        return job
    name, uid = job["metadata"].get("name", ""), writing.uid
    names = {"job-name": name, "batch.kubernetes.io/job-name": name}
    uids = {"controller-uid": uid, "batch.kubernetes.io/controller-uid": uid}
    spec, template = job["spec"], job["spec"]["template"]
    labels = {**names, **uids, **(template["metadata"].get("labels") or {})}
    selector = spec.get("selector") or {}
    match_labels = {"batch.kubernetes.io/controller-uid": uid, **(selector.get("matchLabels") or {})}
    new_template = {**template, "metadata": {**template["metadata"], "labels": labels}}
    new_spec = {**spec, "selector": {**selector, "matchLabels": match_labels}, "template": new_template}
    if template["metadata"].get("labels") and not writing.sent.get("labels"):
        # The Job has the labels of its template by default, and shares them.
        job = {**job, "metadata": {**job["metadata"], "labels": labels}}
    return {**job, "spec": new_spec}


def _namespace(namespace: _Object, writing: Writing) -> _Object:
    """Add the finalizer and the phase of a new namespace, and the label with a generated name."""
    finalizers = namespace.get("spec", {}).get("finalizers") or []
    if writing.old is not None:  # only `/finalize` changes the finalizers
        return {**namespace, "spec": writing.old.get("spec", {})}
    if "kubernetes" not in finalizers:
        finalizers = [*finalizers, "kubernetes"]
    metadata, name = namespace["metadata"], namespace["metadata"].get("name", "")
    if not names.label_value(name, writing.profile):  # an invalid name has errors of its own
        metadata = {**metadata, "labels": {**(metadata.get("labels") or {}), NAME_LABEL: name}}
    return {**namespace, "metadata": metadata, "spec": {"finalizers": finalizers}, "status": {"phase": "Active"}}


def _volume(volume: _Object, writing: Writing) -> _Object:
    if writing.old is not None:
        return volume
    return {**volume, "status": {"phase": "Pending", "lastPhaseTransitionTime": generatedvalues.now()}}


def _claim(claim: _Object, writing: Writing) -> _Object:
    old = None if writing.old is None else writing.old["spec"]
    return {**claim, "spec": _with_sources(claim["spec"], old)}


def _with_sources(spec: _Object, old: Mapping[str, Any] | None) -> _Object:
    """
    Return the spec of a claim with both fields of its data source.

    Reference:
        kubernetes pkg/api/persistentvolumeclaim/util.go.
    """
    source, reference = spec.get("dataSource"), spec.get("dataSourceRef")
    had_source, had_reference = ((old or {}).get(name) is not None for name in ("dataSource", "dataSourceRef"))
    if reference is not None and reference.get("namespace") and not had_reference:
        reference = None
    is_usual = source is not None and (source.get("kind"), source.get("apiGroup") or "") in _SOURCES
    if reference is None and not is_usual and not (had_source or had_reference):
        source = None
    if reference is None:
        reference = source
    elif source is None and not reference.get("namespace"):
        source = _local(reference)
    rest = {key: value for key, value in spec.items() if key not in ("dataSource", "dataSourceRef")}
    sources = {"dataSource": source, "dataSourceRef": reference}
    return {**rest, **{name: value for name, value in sources.items() if value is not None}}


def _local(reference: _Object) -> _Object:
    return {"apiGroup": None, **{key: value for key, value in reference.items() if key != "namespace"}}


def _budget(budget: _Object, writing: Writing) -> _Object:
    """Drop requirements for a reserved label from a new selector, except from the selector that matches nothing."""
    selector, old = budget["spec"].get("selector"), (writing.old or {}).get("spec", {}).get("selector")
    if not selector or selector in (_NOTHING, old):
        return budget
    requirements = [item for item in selector.get("matchExpressions") or () if item.get("key") != _RESERVED]
    rest = {key: value for key, value in selector.items() if key != "matchExpressions"}
    selector = {**rest, **({"matchExpressions": requirements} if requirements else {})}
    return {**budget, "spec": {**budget["spec"], "selector": selector}}


def _service_account(account: _Object, _: Writing) -> _Object:
    if not account.get("secrets"):
        return account
    secrets = [{key: item[key] for key in ("name",) if item.get(key)} for item in account["secrets"]]
    return {**account, "secrets": secrets}


def _signing_request(request: _Object, writing: Writing) -> _Object:
    """Add the user of a new request for a certificate; an update changes nothing but metadata."""
    if writing.old is not None:
        return {**request, "spec": writing.old["spec"]}
    user = writing.user
    spec = {key: value for key, value in request["spec"].items() if key not in ("username", "uid", "groups", "extra")}
    about = {"username": user.username, "uid": user.uid, "groups": [*user.groups]}
    extra = {"extra": {key: [*texts] for key, texts in user.extra.items()}}
    details = {key: value for key, value in {**about, **extra}.items() if value}
    return {**request, "spec": {**spec, **details}}


def _api_service(service: _Object, writing: Writing) -> _Object:
    """Mark a new local APIService as available."""
    if writing.old is not None or service["spec"].get("service") is not None:
        return service
    condition = {
        "type": "Available",
        "status": "True",
        "lastTransitionTime": generatedvalues.now(),
        "reason": "Local",
        "message": "Local APIServices are always available",
    }
    return {**service, "status": {"conditions": [condition]}}


_FINISHES: Final[Mapping[str, Callable[[_Object, Writing], _Object]]] = {
    "apiservices.apiregistration.k8s.io": _api_service,
    _REQUESTS: _signing_request,
    "daemonsets.apps": _daemon_set,
    "jobs.batch": _job,
    "namespaces": _namespace,
    "persistentvolumeclaims": _claim,
    "poddisruptionbudgets.policy": _budget,
    "persistentvolumes": _volume,
    "pods": _pod,
    "serviceaccounts": _service_account,
}
# Subresources with writes that are finished, too.
_FINISHED_PARTS: Final = frozenset({("daemonsets.apps", "status"), ("pods", "status")})
# Resources with fields that get their defaults when the server reads the stored object.
DEFAULTED: Final = frozenset({"jobs.batch", "persistentvolumeclaims"})
