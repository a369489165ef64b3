"""
The admission plugins of every server for new Pods.

Reference:
    kubernetes plugin/pkg/admission: priority, defaulttolerationseconds, runtimeclass and podtopologylabels;
    pkg/util/tolerations, MergeTolerations.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Final, TypeAlias

from pytest_crd.engine.cel.library import amounts
from pytest_crd.engine.errors.refusal import Refusal
from pytest_crd.engine.golang import printing
from pytest_crd.engine.metadata import names
from pytest_crd.engine.profile import Profile
from pytest_crd.engine.registry.requestbody import RefusedError
from pytest_crd.engine.registry.strategy import PendingWrite
from pytest_crd.server.store.store import ObjectKey, Store

_Object: TypeAlias = "dict[str, Any]"
_Stored: TypeAlias = Mapping[str, Any]

_CLASSES: Final = "priorityclasses.scheduling.k8s.io"
_RUNTIMES: Final = "runtimeclasses.node.k8s.io"
_LOWER: Final = "PreemptLowerPriority"
_PRIORITY: Final = ("priority", "preemptionPolicy")
_TAINTS: Final = ("node.kubernetes.io/not-ready", "node.kubernetes.io/unreachable")
_SECONDS: Final = 300
_TOPOLOGY: Final = ("topology.kubernetes.io/zone", "topology.kubernetes.io/region")
# The first minor version of Kubernetes 1 that gives Pods the topology labels of their Node.
_LABELLED_SINCE: Final = 35
_OTHER_OVERHEAD: Final = "pod rejected: Pod's Overhead doesn't match RuntimeClass's defined Overhead"
_NO_OVERHEAD: Final = "pod rejected: Pod Overhead set without corresponding RuntimeClass defined Overhead"


def complete(pod: _Object, old: _Stored | None, store: Store, profile: Profile) -> _Object:
    """
    Return a Pod with the fields of its priority class, its runtime class and its Node; an update keeps the priority.

    Raises:
        RefusedError: 403: a class does not exist or contradicts the Pod.
    """
    spec = pod["spec"]
    if old is not None:
        priority = {key: old["spec"][key] for key in _PRIORITY if key in old["spec"] and key not in spec}
        return {**pod, "spec": {**spec, **priority, "tolerations": _tolerate(spec.get("tolerations") or [])}}
    tolerated = {**spec, **_find_priority(pod, store), "tolerations": _tolerate(spec.get("tolerations") or [])}
    completed = {**pod, "spec": _run(pod, tolerated, store)}
    labels = find_topology(spec.get("nodeName") or "", store, profile)
    if not labels:
        return completed
    metadata = completed["metadata"]
    return {**completed, "metadata": {**metadata, "labels": {**(metadata.get("labels") or {}), **labels}}}


def validate_overhead(write: PendingWrite, store: Store, _profile: Profile) -> None:
    """
    Refuse a new Pod with overhead, even an empty one, if its runtime class has none; another overhead than that of its class is refused before.

    Raises:
        RefusedError: 403.
    """
    pod: _Stored = write.resource
    overhead = (_find_runtime(pod, store) or {}).get("overhead")
    own = pod["spec"].get("overhead")
    if overhead is None and (own is not None or write.read.decoded.sent["spec"].get("overhead") is not None):
        raise refuse(pod, _NO_OVERHEAD)


def find_topology(node_name: str, store: Store, profile: Profile) -> dict[str, str]:
    """Return the topology labels of a Node, which its Pods get; empty without a Node."""
    node = store.get(ObjectKey("nodes", "", node_name)) if node_name and profile.minor >= _LABELLED_SINCE else None
    labels = {} if node is None else node.value["metadata"].get("labels") or {}
    return {key: labels[key] for key in _TOPOLOGY if key in labels}


def has_bound_labels(profile: Profile) -> bool:
    """Return whether a Binding gives its labels to its Pod."""
    return profile.minor >= _LABELLED_SINCE


def refuse(pod: _Stored, problem: str) -> RefusedError:
    """Return the refusal of a Pod by a plugin."""
    metadata = pod["metadata"]
    name = metadata.get("name") or metadata.get("generateName") or "Unknown"  # admission precedes the generated name
    message = f"pods {printing.quote(name)} is forbidden: {problem}"
    return RefusedError(Refusal(403, "Forbidden", message, subject={"name": name, "kind": "pods"}))


def _find_priority(pod: _Object, store: Store) -> _Object:
    """
    Return the fields of the priority class.

    Raises:
        RefusedError: 403.
    """
    spec, name = pod["spec"], pod["spec"].get("priorityClassName", "")
    class_ = _find_class(name, store)
    if class_ is None and name:
        raise refuse(pod, f"no PriorityClass with name {name} was found")
    computed = {"value": 0, **(class_ or {})}
    if spec.get("priority", computed["value"]) != computed["value"]:
        problem = (
            f"the integer value of priority ({spec['priority']}) must not be provided in pod spec; "
            f"priority admission controller computed {computed['value']} from the given PriorityClass name"
        )
        raise refuse(pod, problem)
    policy = computed.get("preemptionPolicy", _LOWER)
    if spec.get("preemptionPolicy", policy) != policy:
        problem = (
            f"the string value of PreemptionPolicy ({spec['preemptionPolicy']}) must not be provided in pod spec; "
            f"priority admission controller computed {policy} from the given PriorityClass name"
        )
        raise refuse(pod, problem)
    named = {"priorityClassName": class_["metadata"]["name"]} if class_ is not None else {}
    return {**named, "priority": computed["value"], "preemptionPolicy": policy}


def _find_class(name: str, store: Store) -> _Stored | None:
    """Return a priority class by its name, or the default one with the lowest value for an empty name; None without one."""
    if name:
        entry = store.get(ObjectKey(_CLASSES, "", name))
        return None if entry is None else entry.value
    defaults = [entry.value for entry in store.entries(_CLASSES) if entry.value.get("globalDefault")]
    return min(defaults, key=lambda class_: class_["value"], default=None)


def _tolerate(tolerations: Sequence[_Object]) -> list[_Object]:
    """Add the tolerations of every Pod."""
    completed = [*tolerations]
    for taint in _TAINTS:
        if not any(
            item.get("key", "") in ("", taint) and item.get("effect", "") in ("", "NoExecute") for item in tolerations
        ):
            new = {"key": taint, "operator": "Exists", "effect": "NoExecute", "tolerationSeconds": _SECONDS}
            completed.append(new)
    return completed


def _find_runtime(pod: _Stored, store: Store) -> _Stored | None:
    """
    Return the runtime class of a Pod; None without a name.

    Raises:
        RefusedError: 403: it does not exist; 500: no object has such a name.
    """
    name = pod["spec"].get("runtimeClassName")
    if name is None:
        return None
    if not name:
        raise RefusedError(Refusal(500, "", "resource name may not be empty"))
    if problems := names.path_segment(name):
        text = f"invalid resource name {printing.quote(name)}: [{' '.join(problems)}]"
        raise RefusedError(Refusal(500, "", text))
    entry = store.get(ObjectKey(_RUNTIMES, "", name))
    if entry is None:
        raise refuse(pod, f"pod rejected: RuntimeClass {printing.quote(name)} not found")
    return entry.value


def _run(pod: _Stored, spec: _Object, store: Store) -> _Object:
    """
    Return the spec of a Pod with the overhead, node selector and tolerations of its runtime class.

    Raises:
        RefusedError: 403: the Pod has others.
    """
    class_ = _find_runtime(pod, store) or {}
    if (overhead := class_.get("overhead")) is not None:
        fixed, own = overhead.get("podFixed"), spec.get("overhead")
        if own and not _are_equal(fixed, own):
            raise refuse(pod, _OTHER_OVERHEAD)
        spec = {key: value for key, value in spec.items() if key != "overhead"}
        spec |= {} if fixed is None else {"overhead": fixed}
    if (scheduling := class_.get("scheduling")) is not None:
        wanted, selector = scheduling.get("nodeSelector") or {}, spec.get("nodeSelector") or {}
        for key, value in wanted.items():
            if selector.get(key, value) != value:
                theirs = f"runtimeClass.scheduling.nodeSelector[{key}] = {value}"
                raise refuse(pod, f"conflict: {theirs}; pod.spec.nodeSelector[{key}] = {selector[key]}")
        spec = spec if not wanted else {**spec, "nodeSelector": {**selector, **wanted}}
        spec = {**spec, "tolerations": _merge([*spec["tolerations"], *(scheduling.get("tolerations") or ())])}
    return spec


def _are_equal(first: Mapping[str, str] | None, second: Mapping[str, str] | None) -> bool:
    """Return whether two lists of resources have the same amounts."""
    first, second = first or {}, second or {}
    return first.keys() == second.keys() and all(
        amounts.compare(amounts.parse(text), amounts.parse(second[name])) == 0 for name, text in first.items()
    )


def _merge(tolerations: Sequence[_Object]) -> list[_Object]:
    """Return the tolerations that no wider one includes."""
    merged: list[_Object] = []
    for place, item in enumerate(tolerations):
        later = (wider for wider in tolerations[place + 1 :] if wider != item)
        if not any(_includes(wider, item) for wider in (*merged, *later)):
            merged.append(item)
    return merged


def _includes(wider: _Object, item: _Object) -> bool:
    """Return whether a toleration tolerates all that *item* does."""
    if wider == item:
        return True
    operator, effect = wider.get("operator", ""), wider.get("effect", "")
    has_key = item.get("key", "") == wider.get("key", "") or (not wider.get("key") and operator == "Exists")
    if not has_key or effect not in ("", item.get("effect", "")):
        return False
    seconds = wider.get("tolerationSeconds")
    if effect == "NoExecute" and seconds is not None and item.get("tolerationSeconds", seconds + 1) > seconds:
        return False
    if operator in ("", "Equal"):
        return item.get("operator") == "Equal" and item.get("value", "") == wider.get("value", "")
    return bool(operator == "Exists")
