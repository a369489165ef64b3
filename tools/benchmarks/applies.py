"""
The time of applies and patches relative to the Go packages, and its growth with a list.

Both sides get the same sequences of requests. The objects are those of `requests`, and one with a list of keyed items
in two sizes. Each request works on the result of the previous one: it is decoded, merged, defaulted and validated, and
managed fields are updated, without CEL rules. Times are processor times of one run, and both sides must store the same
object.
"""

from __future__ import annotations

import argparse
import copy
import functools
import time
from collections.abc import Callable, Iterator, Sequence
from typing import Any, Final, NamedTuple

from benchmarks import peers
from benchmarks.figures import Figure
from benchmarks.subjects import Subject, nodes, subjects
from pytest_crd import engine
from pytest_crd.engine import profile
from pytest_crd.engine.jsonvalue import JSONValue
from pytest_crd.engine.registry.request import USER_AGENT

_SIZES: Final = (1_000, 10_000)
_USER_METADATA: Final = ("name", "namespace", "labels", "annotations")
_ITEM: Final = {
    "type": "object",
    "required": ["name"],
    "properties": {"name": {"type": "string"}, "port": {"type": "integer"}},
}
_LIST: Final = {
    "type": "array",
    "x-kubernetes-list-type": "map",
    "x-kubernetes-list-map-keys": ["name"],
    "items": _ITEM,
}
_SPEC: Final = {"type": "object", "properties": {"ports": _LIST}}
_DOORS: Final = {
    "apiVersion": "apiextensions.k8s.io/v1",
    "kind": "CustomResourceDefinition",
    "metadata": {"name": "doors.example.com"},
    "spec": {
        "group": "example.com",
        "scope": "Namespaced",
        "names": {"plural": "doors", "singular": "door", "kind": "Door", "listKind": "DoorList"},
        "versions": [
            {
                "name": "v1",
                "served": True,
                "storage": True,
                "schema": {"openAPIV3Schema": {"type": "object", "properties": {"spec": _SPEC}}},
            }
        ],
    },
}


class Step(NamedTuple):
    """
    One request.

    Attributes:
        what: A title.
        verb: `create`, `apply`, `json-patch` or `merge-patch`.
        body: The body.
        manager: The field manager.
        force: Whether an apply takes over fields of other managers.
    """

    what: str
    verb: str
    body: JSONValue
    manager: str = USER_AGENT
    force: bool = False


class Series(NamedTuple):
    """
    Consecutive requests for one object.

    Attributes:
        crd: The manifest of the CRD.
        version: The version in the URL.
        namespace: The namespace of the object.
        steps: The requests; each works on the result of the previous one.
        rounds: The number of rounds.
        calls: How often each request is sent in a round.
    """

    crd: JSONValue
    version: str
    namespace: str
    steps: Sequence[Step]
    rounds: int
    calls: int


def series_of_subject(subject: Subject) -> Series:
    """Return typical requests for an object: a create, patches, a forced apply, and an apply by a second manager."""
    metadata = {key: value for key, value in subject.resource["metadata"].items() if key in _USER_METADATA}
    resource, name = {**subject.resource, "metadata": metadata}, metadata["name"]
    labelled = {**resource, "metadata": {**metadata, "labels": {**metadata.get("labels", {}), "team": "storage"}}}
    head = {"apiVersion": resource["apiVersion"], "kind": resource["kind"]}
    second = {**head, "metadata": {"name": name, "labels": {"on-call": "nobody"}}}
    steps = (
        Step("a create", "create", resource),
        Step("a merge patch", "merge-patch", {"metadata": {"labels": {"tier": "backend"}}}),
        Step("a JSON Patch", "json-patch", [{"op": "add", "path": "/metadata/labels/zone", "value": "a"}]),
        Step("an apply", "apply", labelled, "gitops", force=True),
        Step("the same apply again", "apply", labelled, "gitops"),
        Step("an apply of less", "apply", resource, "gitops", force=True),
        Step("an apply by another", "apply", second, "operator"),
    )
    version = resource["apiVersion"].rpartition("/")[2]
    return Series(subject.crd, version, subject.namespace, steps, rounds=7, calls=10)


def series_of_list(size: int) -> Series:
    """Return requests for a list of *size* keyed items: overlapping applies by two managers, then patches."""
    items = [{"name": f"port-{number}", "port": number} for number in range(size)]
    steps = (
        Step("the first apply", "apply", _door(items), "a"),
        Step("another's of half the items", "apply", _door(items[: size // 2]), "b"),
        Step("the first's of three quarters", "apply", _door(items[size // 4 :]), "a"),
        Step("the same again", "apply", _door(items[size // 4 :]), "a"),
        Step("a JSON Patch of one item", "json-patch", [{"op": "replace", "path": "/spec/ports/7/port", "value": 1}]),
        Step("a merge patch of a label", "merge-patch", {"metadata": {"labels": {"tier": "backend"}}}),
    )
    return Series(_DOORS, "v1", "default", steps, rounds=3, calls=max(1, 2_000 // size))


def _door(items: list[JSONValue]) -> JSONValue:
    return {"apiVersion": "example.com/v1", "kind": "Door", "metadata": {"name": "front"}, "spec": {"ports": items}}


def ours(series: Series) -> tuple[dict[str, float], JSONValue]:
    """Return the seconds of the engine for each request, and the object stored by the last."""
    crd = engine.CustomResourceDefinition.from_manifest(series.crd, kubernetes_version=profile.DEFAULT)
    version = crd.version(series.version)
    seconds: dict[str, float] = {}
    stored: engine.Response | None = None
    for step in series.steps:
        send = functools.partial(_answer, version, step, stored, series.namespace)
        seconds[step.what], stored = _best(send, series)
    assert stored is not None
    assert stored.whole is not None
    return seconds, stored.whole.value


def _answer(version: engine.CrdVersion, step: Step, old: engine.Response | None, namespace: str) -> engine.Response:
    """Return the response to a request on the object stored by *old*; fail unless it is accepted."""
    if step.verb == "create":
        answer = version.create(step.body, namespace=namespace)
    elif step.verb == "apply":
        answer = version.apply(step.body, manager=step.manager, force=step.force, old=old, namespace=namespace)
    else:
        assert old is not None
        answer = version.patch(step.body, old=old, namespace=namespace)
    answer.assert_accepted()
    assert answer.whole is not None
    assert answer.whole.value["metadata"]["managedFields"]
    return answer


def _best(function: Callable[[], Any], series: Series) -> tuple[float, Any]:
    """Return the best processor time of one call in seconds, and the result of the last call."""
    best, result = float("inf"), None
    for _ in range(series.rounds):
        start = time.process_time()
        for _ in range(series.calls):
            result = function()
        best = min(best, (time.process_time() - start) / series.calls)
    return best, result


def theirs(series: Series, reference: peers.Reference, stored: JSONValue) -> dict[str, float]:
    """
    Return the seconds of the Go packages for each request.

    Raises:
        ValueError: They store a different object than the engine; generated metadata is ignored.
    """
    question = {**series._asdict(), "steps": [step._asdict() for step in series.steps]}
    answer = reference.call(question)
    if _without_generated(answer["stored"]) != _without_generated(stored):
        raise ValueError(f"the Go packages store {answer['stored']}, and the engine {stored}")
    return dict(zip([step.what for step in series.steps], answer["seconds"], strict=True))


def _without_generated(stored: JSONValue) -> JSONValue:
    generated = ("creationTimestamp", "uid", "resourceVersion")
    metadata = {key: value for key, value in stored["metadata"].items() if key not in generated}
    entries = [{**entry, "time": None} for entry in metadata["managedFields"]]
    return {**stored, "metadata": {**metadata, "managedFields": entries}}


def _figures(title: str, series: Series, reference: peers.Reference | None) -> tuple[dict[str, float], list[Figure]]:
    """Print the figures of a series; return the seconds of each request, and the ratios."""
    times, stored = ours(series)
    copied, _ = _best(lambda: copy.deepcopy(stored), series)
    peer, go = "copy.deepcopy", dict.fromkeys(times, copied)
    if reference is not None:
        peer, go = "the Go packages", theirs(series, reference, stored)
    print(f"{title}, {nodes(stored)} nodes; copy.deepcopy takes {copied * 1e3:.3g} ms")
    figures = [Figure(f"{name}, {title}", seconds / go[name], peer) for name, seconds in times.items()]
    for (name, seconds), figure in zip(times.items(), figures, strict=True):
        print(f"  {name}: {seconds * 1e3:.3g} ms, {figure.ratio:.2f} times {peer} ({go[name] * 1e3:.3g} ms)")
    return times, figures


def add_arguments(_: argparse.ArgumentParser) -> None:
    """Add no arguments."""


def main(_options: argparse.Namespace) -> Iterator[Figure]:
    """Measure all series."""
    with peers.reference(profile.DEFAULT, "sequences") as reference:
        for subject in subjects():
            kind = subject.crd["spec"]["names"]["kind"]
            yield from _figures(f"a {kind}", series_of_subject(subject), reference)[1]
        lists = [_figures(f"{size:,} items", series_of_list(size), reference) for size in _SIZES]
    for _, figures in lists:
        yield from figures
    few, many = (times for times, _ in lists)
    for name, seconds in few.items():
        print(f"{name}: ten times the items take {many[name] / seconds:.1f} times as long")
        yield Figure(f"{name}, {_SIZES[1]:,} items", many[name] / seconds, f"{_SIZES[0]:,} items")
