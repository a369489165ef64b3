"""
Table rows of built-in kinds, as kube-apiserver prints them, with their columns from `builtincolumns.json`.

Rows include the defaults that kube-apiserver stores, since the objects here are stored without them.

Reference:
    kubernetes pkg/printers/internalversion/printers.go.
"""

from __future__ import annotations

import functools
import json
from collections.abc import Callable, Mapping, Sequence
from importlib import resources
from typing import Any, Final

from pytest_crd.engine.jsonvalue import JSONObject as Resource
from pytest_crd.engine.jsonvalue import JSONValue
from pytest_crd.server.builtin import labelselectors, podcells
from pytest_crd.server.protobuf import protofields
from pytest_crd.server.resourcetypes import TableColumn
from pytest_crd.server.tables import ages

_NONE: Final = "<none>"
_ACCESS_MODES: Final = {
    "ReadWriteOnce": "RWO",
    "ReadOnlyMany": "ROX",
    "ReadWriteMany": "RWX",
    "ReadWriteOncePod": "RWOP",
}
_CLASS: Final = "volume.beta.kubernetes.io/storage-class"
# The states of a Job by its conditions, in order of precedence; Terminating comes between the two lists.
_ENDED: Final = (("Complete", "Complete"), ("Failed", "Failed"))
_ONGOING: Final = (
    ("Suspended", "Suspended"),
    ("FailureTarget", "FailureTarget"),
    ("SuccessCriteriaMet", "SuccessCriteriaMet"),
)
_POD_ENDINGS: Final = {
    "Succeeded": "The pod has completed successfully.",
    "Failed": "The pod failed.",
}


@functools.cache
def _recorded_columns() -> Mapping[str, Sequence[Sequence[Any]]]:
    """Return the output of `python -m oracle record builtincolumns`."""
    text = resources.files(__package__).joinpath("builtincolumns.json").read_text(encoding="utf-8")
    columns: Mapping[str, Sequence[Sequence[Any]]] = json.loads(text)
    return columns


@functools.cache
def columns_of(resource: str) -> tuple[TableColumn, ...]:
    """Return the recorded columns of a resource; empty if none are recorded."""
    rows = _recorded_columns().get(resource, ())
    return tuple(
        TableColumn(name, type_, "", description, priority, form) for name, type_, form, priority, description in rows
    )


def row_cells(resource: str, object_: Resource) -> list[JSONValue]:
    """
    Return the cells of a row.

    Args:
        resource: `plural`, `plural.group/version` or `scale`.
        object_: The object.
    """
    return _ROWS[resource](object_)


def conditions(resource: str, object_: Resource) -> Sequence[JSONValue]:
    """Return the conditions of a row: `Completed` for a Pod that has ended."""
    status = object_.get("status") if resource == "pods" else None
    phase = status.get("phase") if isinstance(status, dict) else None
    if phase not in _POD_ENDINGS:
        return ()
    return ({"type": "Completed", "status": "True", "reason": phase, "message": _POD_ENDINGS[phase]},)


def _part(value: Any, *path: str) -> Any:
    """Return a nested object; empty if it is absent."""
    for name in path:
        value = value.get(name) or {}
    return value


def _name(object_: Resource) -> str:
    return str(object_["metadata"].get("name", ""))


def _age(object_: Resource) -> str:
    return _since(object_["metadata"].get("creationTimestamp"))


def _since(text: str | None) -> str:
    return ages.since(text) if text else "<unknown>"


def _field_or_default(object_: Resource, value: Any, default: JSONValue, nothing: JSONValue = "") -> Any:
    """Return the value of a field, or its default; *nothing* for a bookmark, which has no name."""
    if value is not None:
        return value
    return default if _name(object_) else nothing


def _containers(object_: Resource) -> list[JSONValue]:
    """Return the names and the images of the containers in the Pod template."""
    containers = _part(object_, "spec", "template", "spec").get("containers") or []
    return [",".join(container.get(key, "") for container in containers) for key in ("name", "image")]


def _selector(object_: Resource, invalid: str, nothing: str = "") -> str:
    try:
        return labelselectors.text_of(_part(object_, "spec", "selector")) or nothing
    except labelselectors.NoSelectorError:
        return invalid


def _pod(object_: Resource) -> list[JSONValue]:
    spec, status = _part(object_, "spec"), _part(object_, "status")
    summary = podcells.summary(object_, _field_or_default(object_, status.get("phase"), "Pending"))
    addresses = status.get("podIPs") or [{}]
    wide = (addresses[0].get("ip"), spec.get("nodeName"), status.get("nominatedNodeName"))
    gates = podcells.gates(spec, status)
    return [_name(object_), *summary, _age(object_), *(text or _NONE for text in (*wide, gates))]


def _deployment(object_: Resource) -> list[JSONValue]:
    status = _part(object_, "status")
    counts = [status.get(key, 0) for key in ("updatedReplicas", "availableReplicas")]
    return [
        _name(object_),
        _ready(object_),
        *counts,
        _age(object_),
        *_containers(object_),
        _selector(object_, "<invalid>"),
    ]


def _stateful_set(object_: Resource) -> list[JSONValue]:
    return [_name(object_), _ready(object_), _age(object_), *_containers(object_)]


def _ready(object_: Resource) -> str:
    replicas = _field_or_default(object_, _part(object_, "spec").get("replicas"), 1, 0)
    return f"{_part(object_, 'status').get('readyReplicas', 0)}/{replicas}"


def _job(object_: Resource) -> list[JSONValue]:
    spec, status = _part(object_, "spec"), _part(object_, "status")
    parallel = spec.get("parallelism", 1)
    completions = spec.get("completions")
    total = completions if completions is not None else f"1 of {parallel}" if parallel > 1 else 1
    cells = [
        _name(object_),
        _state_of_job(object_),
        f"{status.get('succeeded', 0)}/{total}",
        _duration(status),
        _age(object_),
    ]
    return [*cells, *_containers(object_), _selector(object_, "<error>", _NONE)]


def _duration(status: Resource) -> str:
    if not status.get("startTime"):
        return ""
    if not status.get("completionTime"):
        return ages.since(status["startTime"])
    return ages.between(status["startTime"], ages.moment(status["completionTime"]))


def _state_of_job(object_: Resource) -> str:
    statuses: dict[str, str] = {}
    for condition in _part(object_, "status").get("conditions") or []:
        statuses.setdefault(condition["type"], condition["status"])
    terminating = [("", "Terminating")] if object_["metadata"].get("deletionTimestamp") else []
    states = (*_ENDED, *terminating, *_ONGOING)
    return next((state for type_, state in states if not type_ or statuses.get(type_) == "True"), "Running")


def _service(object_: Resource) -> list[JSONValue]:
    spec = _part(object_, "spec")
    type_ = _field_or_default(object_, spec.get("type"), "ClusterIP")
    addresses = spec.get("clusterIPs") or [spec.get("clusterIP") or _NONE]
    selector = ",".join(f"{key}={value}" for key, value in sorted(_part(spec, "selector").items()))
    ports = ",".join(_port(port) for port in spec.get("ports") or [])
    outside = _external_address(spec, type_, _part(object_, "status"))
    return [_name(object_), type_, addresses[0], outside, ports or _NONE, _age(object_), selector or _NONE]


def _external_address(spec: Resource, type_: str, status: Resource) -> str:
    addresses = spec.get("externalIPs") or []
    if type_ in ("ClusterIP", "NodePort"):
        return ",".join(addresses) or _NONE
    if type_ == "LoadBalancer":
        ingress_addresses = {
            ingress.get("ip") or ingress.get("hostname") or ""
            for ingress in _part(status, "loadBalancer").get("ingress") or []
        }
        return ",".join([*sorted(ingress_addresses - {""}), *addresses]) or "<pending>"
    return str(spec.get("externalName", "")) if type_ == "ExternalName" else "<unknown>"


def _port(port: Resource) -> str:
    node = f":{port['nodePort']}" if port.get("nodePort") else ""
    return f"{port['port']}{node}/{port.get('protocol') or 'TCP'}"


def _event(object_: Resource) -> list[JSONValue]:
    first = _since(object_.get("firstTimestamp") or object_.get("eventTime"))
    last = _since(object_["lastTimestamp"]) if object_.get("lastTimestamp") else first
    count = object_.get("count") or 1
    if series := object_.get("series"):
        last, count = _since(series.get("lastObservedTime")), series.get("count", 0)
    about, source = _part(object_, "involvedObject"), _part(object_, "source")
    kind = about.get("kind", "").lower()
    target = f"{kind}/{about['name']}" if about.get("name") else kind
    reporters = (
        source.get("component") or object_.get("reportingComponent"),
        source.get("host") or object_.get("reportingInstance"),
    )
    reporter = f"{reporters[0] or ''}, {reporters[1]}" if reporters[1] else reporters[0] or ""
    message = object_.get("message", "").strip()
    texts = (object_.get("type", ""), object_.get("reason", ""), target, about.get("fieldPath", ""), reporter, message)
    return [last, *texts, first, count, _name(object_)]


def _claim(object_: Resource) -> list[JSONValue]:
    spec, status = _part(object_, "spec"), _part(object_, "status")
    is_terminating = bool(object_["metadata"].get("deletionTimestamp"))
    phase = "Terminating" if is_terminating else _field_or_default(object_, status.get("phase"), "Pending")
    volume, capacity, modes = spec.get("volumeName", ""), "", ""
    if volume:
        capacity = protofields.quantity(str(_part(status, "capacity").get("storage", "0")))
        modes = ",".join(short for mode, short in _ACCESS_MODES.items() if mode in (status.get("accessModes") or []))
    annotations = _part(object_, "metadata", "annotations")
    class_ = annotations[_CLASS] if _CLASS in annotations else spec.get("storageClassName") or ""
    attributes = spec.get("volumeAttributesClassName", "<unset>")
    mode = _field_or_default(object_, spec.get("volumeMode"), "Filesystem", "<unset>")
    return [_name(object_), phase, volume, capacity, modes, class_, attributes, _age(object_), mode]


def _lease(object_: Resource) -> list[JSONValue]:
    return [_name(object_), _part(object_, "spec").get("holderIdentity") or "", _age(object_)]


def _config_map(object_: Resource) -> list[JSONValue]:
    return [_name(object_), sum(len(_part(object_, key)) for key in ("data", "binaryData")), _age(object_)]


def _secret(object_: Resource) -> list[JSONValue]:
    return [
        _name(object_),
        _field_or_default(object_, object_.get("type"), "Opaque"),
        len(_part(object_, "data")),
        _age(object_),
    ]


def _namespace(object_: Resource) -> list[JSONValue]:
    return [_name(object_), _part(object_, "status").get("phase", ""), _age(object_)]


def _scale(object_: Resource) -> list[JSONValue]:
    return [_name(object_), *(_part(object_, part).get("replicas", 0) for part in ("spec", "status")), _age(object_)]


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
    "serviceaccounts": lambda object_: [_name(object_), _age(object_)],
    "namespaces": _namespace,
    "persistentvolumeclaims": _claim,
    "scale": _scale,
}
