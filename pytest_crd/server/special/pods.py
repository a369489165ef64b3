"""
Bindings and evictions of Pods.

Reference:
    kubernetes pkg/registry/core/pod/storage, storage.go and eviction.go.
"""

from __future__ import annotations

import copy
import json
from collections.abc import Mapping
from typing import Any, Final

from pytest_crd.engine.jsonvalue import JSONObject as Resource
from pytest_crd.engine.metadata import labelselectors
from pytest_crd.engine.profile import Profile
from pytest_crd.server import reads
from pytest_crd.server.builtin import podplugins
from pytest_crd.server.http import negotiation, statuses
from pytest_crd.server.http.httpmessages import HTTPRequest
from pytest_crd.server.http.requestinfo import RequestInfo
from pytest_crd.server.http.statuses import ApiError
from pytest_crd.server.resourcetypes import ResourceType
from pytest_crd.server.special import sentobjects, specialadmission
from pytest_crd.server.special.specialcontext import SUCCESS, SpecialContext
from pytest_crd.server.store import generatedvalues
from pytest_crd.server.store.store import ObjectKey, Store, StoredObject

_PODS: Final = "pods"
_BUDGETS: Final = "poddisruptionbudgets.policy"
_TOO_MANY: Final = "TooManyRequests"
_VIOLATES: Final = "Cannot evict pod as it would violate the pod's disruption budget."
_CAUSE: Final = "DisruptionBudget"
_DELAY: Final = 10
_SEVERAL: Final = "This pod has more than one PodDisruptionBudget, which the eviction subresource does not support."
# Phases in which a Pod runs no container.
_IDLE: Final = frozenset({"Succeeded", "Failed", "Pending"})
_ALWAYS: Final = "AlwaysAllow"


def bind(context: SpecialContext, request: HTTPRequest, info: RequestInfo, type_: ResourceType) -> Resource:
    """
    Assign a Pod to a Node, for a Binding below the Pod or of its own.

    Raises:
        ApiError: The Binding is refused, or the Pod does not exist or has a Node.
    """
    binding = sentobjects.decode(request, type_, info.subresource)
    name = binding["metadata"].get("name", "")
    if info.name and name and info.name != name:
        raise statuses.bad_request("name in URL does not match name in Binding object")
    target = binding["target"]
    if target.get("kind", "") not in ("", "Node"):
        problem = f'target.kind: Unsupported value: "{target["kind"]}": supported values: "Node", "<empty>"'
        raise statuses.failure(500, "", problem)
    if not target.get("name"):
        raise statuses.failure(500, "", "target.name: Required value")
    labelled = _label(binding, context.store, type_.profile)
    binding = specialadmission.admit_create(context, request, info, type_, labelled)
    key = ObjectKey(_PODS, info.namespace, info.name or name)
    with context.store.lock:
        entry = _get(context.store, key)
        node = entry.value["spec"].get("nodeName")
        problem = (
            "is being deleted, cannot be assigned to a host" if "deletionTimestamp" in entry.value["metadata"] else ""
        )
        if problem or node:
            problem = problem or f'is already assigned to node "{node}"'
            raise statuses.conflict("pods/binding", "", key.name, f"pod {key.name} {problem}")
        if not sentobjects.is_dry_run(request):
            context.store.put(key, _bound(entry.value, binding, type_.profile))
    return SUCCESS


def _label(binding: dict[str, Any], store: Store, profile: Profile) -> dict[str, Any]:
    """Return a Binding with the topology labels of its Node, as the admission plugin PodTopologyLabels does."""
    target, metadata = binding["target"], binding["metadata"]
    labels = podplugins.find_topology(target["name"], store, profile) if target.get("kind") == "Node" else {}
    if not labels:
        return binding
    return {**binding, "metadata": {**metadata, "labels": {**(metadata.get("labels") or {}), **labels}}}


def _bound(pod: Resource, binding: Mapping[str, Any], profile: Profile) -> Resource:
    """Return a Pod with its Node and the metadata of the Binding."""
    added = {
        key: {**(pod["metadata"].get(key) or {}), **binding["metadata"][key]}
        for key in ("annotations", *(("labels",) if podplugins.has_bound_labels(profile) else ()))
        if binding["metadata"].get(key)
    }
    condition = {
        "type": "PodScheduled",
        "status": "True",
        "lastProbeTime": None,
        "lastTransitionTime": generatedvalues.now(),
    }
    others = [item for item in pod["status"].get("conditions") or () if item["type"] != condition["type"]]
    return {
        **pod,
        "metadata": {**pod["metadata"], **added},
        "spec": {**pod["spec"], "nodeName": binding["target"]["name"]},
        "status": {**pod["status"], "conditions": [*others, condition]},
    }


def evict(context: SpecialContext, request: HTTPRequest, info: RequestInfo, type_: ResourceType) -> Resource:
    """
    Delete a Pod if its disruption budget allows it. Admission plugins see the Eviction, and not the deletion.

    Raises:
        ApiError: The Eviction is refused, the Pod does not exist, or its budget does not allow a deletion: 429.
    """
    eviction = sentobjects.decode(request, type_, info.subresource)
    name = eviction["metadata"].get("name", "")
    if name and name != info.name:
        raise statuses.bad_request("name in URL does not match name in Eviction object")
    eviction = specialadmission.admit_create(context, request, info, type_, eviction)
    options = eviction.get("deleteOptions") or {}
    is_dry_run = sentobjects.is_dry_run(request) or bool(options.get("dryRun"))
    with context.store.lock:
        pod = _get(context.store, ObjectKey(_PODS, info.namespace, info.name)).value
        if not _ignores_budgets(pod):
            _use_budget(context.store, pod, is_dry_run=is_dry_run)
    body = {**options, **({"dryRun": ["All"]} if is_dry_run else {})}
    deletion = request._replace(
        method="DELETE",
        target=f"/api/v1/namespaces/{info.namespace}/pods/{info.name}",
        headers={**request.headers, "content-type": negotiation.JSON},
        body=json.dumps(body).encode(),
    )
    unplugged = copy.copy(type_)
    unplugged.plugins = None
    context.delete(deletion, info._replace(verb="delete", subresource=""), unplugged)
    return SUCCESS


def _get(store: Store, key: ObjectKey) -> StoredObject:
    """
    Return a stored Pod.

    Raises:
        ApiError: 404.
    """
    reads.demand_name(key.name)
    entry = store.get(key)
    if entry is None:
        raise statuses.not_found(_PODS, key.name)
    return entry


def _ignores_budgets(pod: Resource) -> bool:
    is_ending = bool(pod["metadata"].get("deletionTimestamp"))
    return is_ending or pod["status"].get("phase") in _IDLE


def _is_ready(pod: Resource) -> bool:
    conditions = pod["status"].get("conditions") or ()
    return any(item["type"] == "Ready" and item["status"] == "True" for item in conditions)


def _use_budget(store: Store, pod: Resource, *, is_dry_run: bool) -> None:
    """
    Take a disruption of the budget of a Pod.

    Raises:
        ApiError: 429: there is none left; 500: the Pod has several budgets.
    """
    budgets = [entry for entry in store.entries(_BUDGETS, pod["metadata"]["namespace"]) if _selects(entry.value, pod)]
    if len(budgets) > 1:
        raise statuses.failure(500, "", _SEVERAL)
    for entry in budgets:
        spec, status = entry.value["spec"], entry.value["status"]
        is_spare = (
            status.get("currentHealthy", 0) >= status.get("desiredHealthy", 0) and status.get("desiredHealthy", 0) > 0
        )
        if not _is_ready(pod) and (spec.get("unhealthyPodEvictionPolicy") == _ALWAYS or is_spare):
            continue
        _demand_allowed(entry)
        if not is_dry_run:
            store.put(entry.key, _with_disruption(entry.value, pod["metadata"]["name"]))


def _selects(budget: Resource, pod: Resource) -> bool:
    selector = budget["spec"].get("selector")
    labels = pod["metadata"].get("labels") or {}
    return selector is not None and labelselectors.is_match(labelselectors.requirements(selector), labels)


def _demand_allowed(entry: StoredObject) -> None:
    """
    Raise ApiError if a budget allows no disruption.

    Raises:
        ApiError: 429.
    """
    status, name = entry.value["status"], entry.key.name
    if status.get("observedGeneration", 0) < entry.value["metadata"].get("generation", 0):
        cause = {"reason": _CAUSE, "message": f"The disruption budget {name} is still being processed by the server."}
        raise _refusal({"causes": [cause], "retryAfterSeconds": _DELAY}, (("Retry-After", str(_DELAY)),))
    if status.get("disruptionsAllowed", 0) <= 0:
        healthy, current = status.get("desiredHealthy", 0), status.get("currentHealthy", 0)
        problem = f"The disruption budget {name} needs {healthy} healthy pods and has {current} currently"
        raise _refusal({"causes": [{"reason": _CAUSE, "message": problem}]})


def _refusal(details: Resource, headers: tuple[tuple[str, str], ...] = ()) -> ApiError:
    error = statuses.failure(429, _TOO_MANY, _VIOLATES, details)
    error.headers = headers
    return error


def _with_disruption(budget: Resource, pod_name: str) -> Resource:
    """Return a budget with one disruption less."""
    status, now = budget["status"], generatedvalues.now()
    remaining = status["disruptionsAllowed"] - 1
    disrupted = {**(status.get("disruptedPods") or {}), pod_name: now}
    condition = {
        "type": "DisruptionAllowed",
        "status": "False" if remaining == 0 else "True",
        "observedGeneration": status.get("observedGeneration", 0),
        "lastTransitionTime": now,
        "reason": "InsufficientPods" if remaining == 0 else "SufficientPods",
        "message": "",
    }
    conditions = [item for item in status.get("conditions") or () if item["type"] != condition["type"]]
    changed = {"disruptedPods": disrupted, "disruptionsAllowed": remaining, "conditions": [*conditions, condition]}
    return {**budget, "status": {**status, **changed}}
