"""
What stands in the rows of tables of built-in kinds, as kube-apiserver prints it.

An object is told with the defaults that a server would have put in, as it is stored without them here.

Reference:
    kubernetes pkg/printers/internalversion/printers.go.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any, Final

from pytest_crd.engine.jsonvalue import JSONObject as Resource
from pytest_crd.engine.jsonvalue import JSONValue
from pytest_crd.server.builtin import labelselectors, podcells
from pytest_crd.server.protobuf import protofields
from pytest_crd.server.tables import ages

_NONE: Final = "<none>"
_ACCESS_MODES: Final = {
    "ReadWriteOnce": "RWO",
    "ReadOnlyMany": "ROX",
    "ReadWriteMany": "RWX",
    "ReadWriteOncePod": "RWOP",
}
_CLASS: Final = "volume.beta.kubernetes.io/storage-class"
# What a Job is by its conditions, what counts most first; one that is to be deleted comes between the second and the third.
_ENDED: Final = (("Complete", "Complete"), ("Failed", "Failed"))
_GOES_ON: Final = (
    ("Suspended", "Suspended"),
    ("FailureTarget", "FailureTarget"),
    ("SuccessCriteriaMet", "SuccessCriteriaMet"),
)
_ENDS: Final = {
    "Succeeded": "The pod has completed successfully.",
    "Failed": "The pod failed.",
}


def of_object(resource: str, shown: Resource) -> list[JSONValue]:
    """
    Return the cells of a row.

    Args:
        resource: What is shown, `plural` or `plural.group/version`; `scale`.
        shown: The object, which is of its Go type.
    """
    return _ROWS[resource](shown)


def conditions(resource: str, shown: Resource) -> Sequence[JSONValue]:
    """Return what is said of a row: that nothing more is to be expected of a Pod."""
    status = shown.get("status") if resource == "pods" else None
    phase = status.get("phase") if isinstance(status, dict) else None
    if phase not in _ENDS:
        return ()
    return ({"type": "Completed", "status": "True", "reason": phase, "message": _ENDS[phase]},)


def _part(value: Any, *path: str) -> Any:
    """Return an object in an object; empty where there is none."""
    for name in path:
        value = value.get(name) or {}
    return value


def _name(shown: Resource) -> str:
    return str(shown["metadata"].get("name", ""))


def _age(shown: Resource) -> str:
    return _since(shown["metadata"].get("creationTimestamp"))


def _since(text: str | None) -> str:
    return ages.since(text) if text else "<unknown>"


def _given(shown: Resource, found: Any, default: JSONValue, nothing: JSONValue = "") -> Any:
    """Return what a field says, or what it is by default; *nothing* of what is no object, but tells how far a watch is."""
    if found is not None:
        return found
    return default if _name(shown) else nothing


def _containers(shown: Resource) -> list[JSONValue]:
    """Return names and images of the containers that are made."""
    found = _part(shown, "spec", "template", "spec").get("containers") or []
    return [",".join(one.get(key, "") for one in found) for key in ("name", "image")]


def _selector(shown: Resource, invalid: str, nothing: str = "") -> str:
    try:
        return labelselectors.text_of(_part(shown, "spec", "selector")) or nothing
    except labelselectors.NoSelectorError:
        return invalid


def _pod(shown: Resource) -> list[JSONValue]:
    spec, status = _part(shown, "spec"), _part(shown, "status")
    summary = podcells.summary(shown, _given(shown, status.get("phase"), "Pending"))
    addresses = status.get("podIPs") or [{}]
    wide = (addresses[0].get("ip"), spec.get("nodeName"), status.get("nominatedNodeName"))
    gates = podcells.gates(spec, status)
    return [_name(shown), *summary, _age(shown), *(one or _NONE for one in (*wide, gates))]


def _deployment(shown: Resource) -> list[JSONValue]:
    status = _part(shown, "status")
    counts = [status.get(key, 0) for key in ("updatedReplicas", "availableReplicas")]
    return [_name(shown), _ready(shown), *counts, _age(shown), *_containers(shown), _selector(shown, "<invalid>")]


def _stateful_set(shown: Resource) -> list[JSONValue]:
    return [_name(shown), _ready(shown), _age(shown), *_containers(shown)]


def _ready(shown: Resource) -> str:
    wanted = _given(shown, _part(shown, "spec").get("replicas"), 1, 0)
    return f"{_part(shown, 'status').get('readyReplicas', 0)}/{wanted}"


def _job(shown: Resource) -> list[JSONValue]:
    spec, status = _part(shown, "spec"), _part(shown, "status")
    parallel = spec.get("parallelism", 1)
    completions = spec.get("completions")
    wanted = completions if completions is not None else f"1 of {parallel}" if parallel > 1 else 1
    cells = [
        _name(shown),
        _state_of_job(shown),
        f"{status.get('succeeded', 0)}/{wanted}",
        _duration(status),
        _age(shown),
    ]
    return [*cells, *_containers(shown), _selector(shown, "<error>", _NONE)]


def _duration(status: Resource) -> str:
    if not status.get("startTime"):
        return ""
    if not status.get("completionTime"):
        return ages.since(status["startTime"])
    return ages.between(status["startTime"], ages.moment(status["completionTime"]))


def _state_of_job(shown: Resource) -> str:
    told: dict[str, str] = {}
    for one in _part(shown, "status").get("conditions") or []:
        told.setdefault(one["type"], one["status"])
    going = [("", "Terminating")] if shown["metadata"].get("deletionTimestamp") else []
    states = (*_ENDED, *going, *_GOES_ON)
    return next((state for type_, state in states if not type_ or told.get(type_) == "True"), "Running")


def _service(shown: Resource) -> list[JSONValue]:
    spec = _part(shown, "spec")
    type_ = _given(shown, spec.get("type"), "ClusterIP")
    addresses = spec.get("clusterIPs") or [spec.get("clusterIP") or _NONE]
    selector = ",".join(f"{key}={value}" for key, value in sorted(_part(spec, "selector").items()))
    ports = ",".join(_port(one) for one in spec.get("ports") or [])
    outside = _external_address(spec, type_, _part(shown, "status"))
    return [_name(shown), type_, addresses[0], outside, ports or _NONE, _age(shown), selector or _NONE]


def _external_address(spec: Resource, type_: str, status: Resource) -> str:
    addresses = spec.get("externalIPs") or []
    if type_ in ("ClusterIP", "NodePort"):
        return ",".join(addresses) or _NONE
    if type_ == "LoadBalancer":
        given = {
            one.get("ip") or one.get("hostname") or "" for one in _part(status, "loadBalancer").get("ingress") or []
        }
        return ",".join([*sorted(given - {""}), *addresses]) or "<pending>"
    return str(spec.get("externalName", "")) if type_ == "ExternalName" else "<unknown>"


def _port(port: Resource) -> str:
    node = f":{port['nodePort']}" if port.get("nodePort") else ""
    return f"{port['port']}{node}/{port.get('protocol') or 'TCP'}"


def _event(shown: Resource) -> list[JSONValue]:
    first = _since(shown.get("firstTimestamp") or shown.get("eventTime"))
    last = _since(shown["lastTimestamp"]) if shown.get("lastTimestamp") else first
    count = shown.get("count") or 1
    if series := shown.get("series"):
        last, count = _since(series.get("lastObservedTime")), series.get("count", 0)
    about, source = _part(shown, "involvedObject"), _part(shown, "source")
    kind = about.get("kind", "").lower()
    target = f"{kind}/{about['name']}" if about.get("name") else kind
    reporters = (
        source.get("component") or shown.get("reportingComponent"),
        source.get("host") or shown.get("reportingInstance"),
    )
    told = f"{reporters[0] or ''}, {reporters[1]}" if reporters[1] else reporters[0] or ""
    message = shown.get("message", "").strip()
    texts = (shown.get("type", ""), shown.get("reason", ""), target, about.get("fieldPath", ""), told, message)
    return [last, *texts, first, count, _name(shown)]


def _claim(shown: Resource) -> list[JSONValue]:
    spec, status = _part(shown, "spec"), _part(shown, "status")
    is_going = bool(shown["metadata"].get("deletionTimestamp"))
    phase = "Terminating" if is_going else _given(shown, status.get("phase"), "Pending")
    volume, capacity, modes = spec.get("volumeName", ""), "", ""
    if volume:
        capacity = protofields.quantity(str(_part(status, "capacity").get("storage", "0")))
        modes = ",".join(short for mode, short in _ACCESS_MODES.items() if mode in (status.get("accessModes") or []))
    annotations = _part(shown, "metadata", "annotations")
    class_ = annotations[_CLASS] if _CLASS in annotations else spec.get("storageClassName") or ""
    attributes = spec.get("volumeAttributesClassName", "<unset>")
    mode = _given(shown, spec.get("volumeMode"), "Filesystem", "<unset>")
    return [_name(shown), phase, volume, capacity, modes, class_, attributes, _age(shown), mode]


def _lease(shown: Resource) -> list[JSONValue]:
    return [_name(shown), _part(shown, "spec").get("holderIdentity") or "", _age(shown)]


def _config_map(shown: Resource) -> list[JSONValue]:
    return [_name(shown), sum(len(_part(shown, key)) for key in ("data", "binaryData")), _age(shown)]


def _secret(shown: Resource) -> list[JSONValue]:
    return [_name(shown), _given(shown, shown.get("type"), "Opaque"), len(_part(shown, "data")), _age(shown)]


def _namespace(shown: Resource) -> list[JSONValue]:
    return [_name(shown), _part(shown, "status").get("phase", ""), _age(shown)]


def _scale(shown: Resource) -> list[JSONValue]:
    return [_name(shown), *(_part(shown, part).get("replicas", 0) for part in ("spec", "status")), _age(shown)]


_ROWS: Final[Mapping[str, Callable[[Resource], list[JSONValue]]]] = {
    "pods": _pod,
    "deployments.apps/v1": _deployment,
    "statefulsets.apps/v1": _stateful_set,
    "jobs.batch/v1": _job,
    "services": _service,
    "events": _event,
    "leases.coordination.k8s.io/v1": _lease,
    "configmaps": _config_map,
    "secrets": _secret,
    "serviceaccounts": lambda shown: [_name(shown), _age(shown)],
    "namespaces": _namespace,
    "persistentvolumeclaims": _claim,
    "scale": _scale,
}
