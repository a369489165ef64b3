"""Cells of a Pod in tables: ready containers, status and restarts."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Final, NamedTuple

from pytest_crd.engine.jsonvalue import JSONObject as Resource
from pytest_crd.server.tables import ages

_ENDED: Final = frozenset({"Succeeded", "Failed"})


class _Restarts(NamedTuple):
    """Restart count of containers, with the end of the last terminated one."""

    number: int = 0
    last: str = ""

    def plus(self, status: Resource) -> _Restarts:
        """Return the sum with the restarts in the *status* of another container."""
        ended = (status.get("lastState") or {}).get("terminated") or {}
        finished = ended.get("finishedAt") or ""
        is_later = finished and (not self.last or ages.moment(finished) > ages.moment(self.last))
        return _Restarts(self.number + status.get("restartCount", 0), finished if is_later else self.last)

    @property
    def text(self) -> str:
        """The text of the Restarts column."""
        return f"{self.number} ({ages.since(self.last)} ago)" if self.number and self.last else str(self.number)


class _Progress(NamedTuple):
    """
    Progress of the init containers.

    Attributes:
        state: The status text; empty once the init containers are done.
        ready: The number of ready sidecars.
        restarts: The restarts of all init containers.
        lasting: The restarts of the sidecars.
    """

    state: str
    ready: int
    restarts: _Restarts
    lasting: _Restarts


def summary(pod: Resource, phase: str) -> tuple[str, str, str]:
    """
    Return the cells Ready, Status and Restarts.

    Args:
        pod: The Pod.
        phase: Its phase.
    """
    spec, status = pod.get("spec") or {}, pod.get("status") or {}
    sidecars = {
        container["name"]
        for container in spec.get("initContainers") or []
        if container.get("restartPolicy") == "Always"
    }
    first = _initialized(status, sidecars, len(spec.get("initContainers") or []))
    ready, restarts = first.ready, first.restarts
    conditions = status.get("conditions") or []
    if not first.state or _first(conditions, "Initialized") == "True":
        own, are_ready, restarts = _running(status, first)
        ready += are_ready
    else:
        own = ""
    is_gated = any(
        condition["type"] == "PodScheduled" and condition.get("reason") == "SchedulingGated" for condition in conditions
    )
    state = own or first.state or ("SchedulingGated" if is_gated else status.get("reason") or phase)
    if pod["metadata"].get("deletionTimestamp"):
        if status.get("reason") == "NodeLost":
            state = "Unknown"
        elif phase not in _ENDED:
            state = "Terminating"
    total = len(spec.get("containers") or []) + len(sidecars)
    return f"{ready}/{total}", state, restarts.text


def gates(spec: Resource, status: Resource) -> str:
    """Return the Readiness Gates cell; empty if the Pod has no gates."""
    gate_types = [gate["conditionType"] for gate in spec.get("readinessGates") or []]
    met = sum(_first(status.get("conditions") or [], gate_type) == "True" for gate_type in gate_types)
    return f"{met}/{len(gate_types)}" if gate_types else ""


def _first(conditions: Sequence[Resource], type_: str) -> str:
    """Return the status of the first condition of a type; empty without such a condition."""
    return next((str(condition["status"]) for condition in conditions if condition["type"] == type_), "")


def _initialized(status: Resource, sidecars: set[str], total: int) -> _Progress:
    restarts = lasting = _Restarts()
    ready = 0
    for number, container in enumerate(status.get("initContainerStatuses") or []):
        restarts = restarts.plus(container)
        is_sidecar = container["name"] in sidecars
        if is_sidecar:
            lasting = lasting.plus(container)
        ended = _state(container, "terminated")
        if ended is not None and not ended.get("exitCode"):
            continue
        if is_sidecar and container.get("started"):
            ready += bool(container.get("ready"))
            continue
        waiting = (_state(container, "waiting") or {}).get("reason", "")
        if ended is not None:
            return _Progress(f"Init:{_ending(ended)}", ready, restarts, lasting)
        reason = waiting if waiting not in ("", "PodInitializing") else f"{number}/{total}"
        return _Progress(f"Init:{reason}", ready, restarts, lasting)
    return _Progress("", ready, restarts, lasting)


def _running(status: Resource, first: _Progress) -> tuple[str, int, _Restarts]:
    """Return the status of the containers, the number of ready ones, and their restarts."""
    state, failed, ready, restarts = "", "", 0, first.lasting
    for container in reversed(status.get("containerStatuses") or []):
        restarts = restarts.plus(container)
        ended, waiting = _state(container, "terminated"), (_state(container, "waiting") or {}).get("reason")
        if waiting:
            state = waiting
        elif ended is not None:
            state = _ending(ended)
            failed = state if ended.get("exitCode") else failed
        elif container.get("ready") and _state(container, "running") is not None:
            ready += 1
    if state == "Completed":
        is_ready = any(
            condition["type"] == "Ready" and condition["status"] == "True"
            for condition in status.get("conditions") or []
        )
        if ready and is_ready:
            return "Running", ready, restarts
        state = failed or ("NotReady" if ready else state)
    return state, ready, restarts


def _state(container: Resource, name: str) -> Any:
    return (container.get("state") or {}).get(name)


def _ending(ended: Resource) -> str:
    """Return the reason, signal or exit code of a terminated container."""
    if ended.get("reason"):
        return str(ended["reason"])
    return f"Signal:{ended['signal']}" if ended.get("signal") else f"ExitCode:{ended.get('exitCode', 0)}"
