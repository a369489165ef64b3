"""What tables say of a Pod: how many of its containers are ready, how it is, and how often they were started again."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Final, NamedTuple

from pytest_crd.engine.jsonvalue import JSONObject as Resource
from pytest_crd.server.tables import ages

_ENDED: Final = frozenset({"Succeeded", "Failed"})


class _Restarts(NamedTuple):
    """How often containers were started again, and when the last one ended that was."""

    number: int = 0
    last: str = ""

    def and_of(self, told: Resource) -> _Restarts:
        """Return these and those of one container more."""
        ended = (told.get("lastState") or {}).get("terminated") or {}
        finished = ended.get("finishedAt") or ""
        is_later = finished and (not self.last or ages.moment(finished) > ages.moment(self.last))
        return _Restarts(self.number + told.get("restartCount", 0), finished if is_later else self.last)

    @property
    def text(self) -> str:
        """What is said of them."""
        return f"{self.number} ({ages.since(self.last)} ago)" if self.number and self.last else str(self.number)


class _Progress(NamedTuple):
    """
    How far the containers are that are started before the others.

    Attributes:
        state: In words; empty when they have done what is waited for.
        ready: How many are ready of those that go on beside the others.
        restarts: How often they were started again.
        lasting: How often those were.
    """

    state: str
    ready: int
    restarts: _Restarts
    lasting: _Restarts


def summary(pod: Resource, phase: str) -> tuple[str, str, str]:
    """
    Return what stands under Ready, Status and Restarts.

    Args:
        pod: The Pod.
        phase: Its phase.
    """
    spec, status = pod.get("spec") or {}, pod.get("status") or {}
    beside = {one["name"] for one in spec.get("initContainers") or [] if one.get("restartPolicy") == "Always"}
    first = _initialized(status, beside, len(spec.get("initContainers") or []))
    ready, restarts = first.ready, first.restarts
    conditions = status.get("conditions") or []
    if not first.state or _first(conditions, "Initialized") == "True":
        own, are_ready, restarts = _running(status, first)
        ready += are_ready
    else:
        own = ""
    is_gated = any(one["type"] == "PodScheduled" and one.get("reason") == "SchedulingGated" for one in conditions)
    state = own or first.state or ("SchedulingGated" if is_gated else status.get("reason") or phase)
    if pod["metadata"].get("deletionTimestamp"):
        if status.get("reason") == "NodeLost":
            state = "Unknown"
        elif phase not in _ENDED:
            state = "Terminating"
    total = len(spec.get("containers") or []) + len(beside)
    return f"{ready}/{total}", state, restarts.text


def gates(spec: Resource, status: Resource) -> str:
    """Return what stands under Readiness Gates; empty where a Pod has none."""
    wanted = [one["conditionType"] for one in spec.get("readinessGates") or []]
    met = sum(_first(status.get("conditions") or [], one) == "True" for one in wanted)
    return f"{met}/{len(wanted)}" if wanted else ""


def _first(conditions: Sequence[Resource], type_: str) -> str:
    """Return the status of the first condition of a type; empty where there is none."""
    return next((str(one["status"]) for one in conditions if one["type"] == type_), "")


def _initialized(status: Resource, beside: set[str], total: int) -> _Progress:
    restarts = lasting = _Restarts()
    ready = 0
    for number, told in enumerate(status.get("initContainerStatuses") or []):
        restarts = restarts.and_of(told)
        goes_on = told["name"] in beside
        if goes_on:
            lasting = lasting.and_of(told)
        ended = _state(told, "terminated")
        if ended is not None and not ended.get("exitCode"):
            continue
        if goes_on and told.get("started"):
            ready += bool(told.get("ready"))
            continue
        waiting = (_state(told, "waiting") or {}).get("reason", "")
        if ended is not None:
            return _Progress(f"Init:{_ending(ended)}", ready, restarts, lasting)
        shown = waiting if waiting not in ("", "PodInitializing") else f"{number}/{total}"
        return _Progress(f"Init:{shown}", ready, restarts, lasting)
    return _Progress("", ready, restarts, lasting)


def _running(status: Resource, first: _Progress) -> tuple[str, int, _Restarts]:
    """Return the state of the containers, how many are ready, and how often they were started again."""
    state, failed, ready, restarts = "", "", 0, first.lasting
    for told in reversed(status.get("containerStatuses") or []):
        restarts = restarts.and_of(told)
        ended, waiting = _state(told, "terminated"), (_state(told, "waiting") or {}).get("reason")
        if waiting:
            state = waiting
        elif ended is not None:
            state = _ending(ended)
            failed = state if ended.get("exitCode") else failed
        elif told.get("ready") and _state(told, "running") is not None:
            ready += 1
    if state == "Completed":
        is_ready = any(one["type"] == "Ready" and one["status"] == "True" for one in status.get("conditions") or [])
        if ready and is_ready:
            return "Running", ready, restarts
        state = failed or ("NotReady" if ready else state)
    return state, ready, restarts


def _state(told: Resource, name: str) -> Any:
    return (told.get("state") or {}).get(name)


def _ending(ended: Resource) -> str:
    """Return how a container has ended, in a word."""
    if ended.get("reason"):
        return str(ended["reason"])
    return f"Signal:{ended['signal']}" if ended.get("signal") else f"ExitCode:{ended.get('exitCode', 0)}"
