"""
What applies and patches cost against the Go packages, the same sequences of requests on both sides, and how they grow with a list.

The objects are those of `requests`, and one with a list of keyed items in two sizes. Each request finds what those before it have stored, is
decoded, merged, owned, defaulted and validated, CEL rules left out. Times are processor times of one run, and both sides must store the same.
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
from pytest_crd.engine.registry.request import USER_AGENT

JSONValue = Any

_SIZES: Final = (1_000, 10_000)
_OF_USERS: Final = ("name", "namespace", "labels", "annotations")
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
        what: What it is.
        verb: How it is sent: `create`, `apply`, `json-patch` or `merge-patch`.
        body: What is sent.
        manager: Who applies it.
        force: Whether it takes what others own.
    """

    what: str
    verb: str
    body: JSONValue
    manager: str = USER_AGENT
    force: bool = False


class Series(NamedTuple):
    """
    Requests for one object, one after the other.

    Attributes:
        crd: The CRD.
        version: The version that they are sent to.
        namespace: Where the object is.
        steps: The requests; each finds what those before it have stored.
        rounds: How often it is measured.
        calls: How often each request is sent in a round.
    """

    crd: JSONValue
    version: str
    namespace: str
    steps: Sequence[Step]
    rounds: int
    calls: int


def of_subject(subject: Subject) -> Series:
    """Return the requests that a project's object sees: it is created, patched, taken over by an applier, and shared with another."""
    metadata = {key: value for key, value in subject.resource["metadata"].items() if key in _OF_USERS}
    resource, name = {**subject.resource, "metadata": metadata}, metadata["name"]
    labelled = {**resource, "metadata": {**metadata, "labels": {**metadata.get("labels", {}), "team": "storage"}}}
    head = {"apiVersion": resource["apiVersion"], "kind": resource["kind"]}
    other = {**head, "metadata": {"name": name, "labels": {"on-call": "nobody"}}}
    steps = (
        Step("a create", "create", resource),
        Step("a merge patch", "merge-patch", {"metadata": {"labels": {"tier": "backend"}}}),
        Step("a JSON Patch", "json-patch", [{"op": "add", "path": "/metadata/labels/zone", "value": "a"}]),
        Step("an apply", "apply", labelled, "gitops", force=True),
        Step("the same apply again", "apply", labelled, "gitops"),
        Step("an apply of less", "apply", resource, "gitops", force=True),
        Step("an apply by another", "apply", other, "operator"),
    )
    version = resource["apiVersion"].rpartition("/")[2]
    return Series(subject.crd, version, subject.namespace, steps, rounds=7, calls=10)


def of_list(size: int) -> Series:
    """Return requests for a list of so many keyed items: one applies it all, another half, the first three quarters; then it is patched."""
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
    """Return the seconds that the engine takes for each request, and what is stored after the last."""
    crd = engine.CustomResourceDefinition.from_manifest(series.crd, kubernetes_version=profile.DEFAULT)
    version = crd.version(series.version)
    took: dict[str, float] = {}
    stored: engine.Response | None = None
    for step in series.steps:
        ask = functools.partial(_answer, version, step, stored, series.namespace)
        took[step.what], stored = _best(ask, series)
    assert stored is not None
    assert stored.whole is not None
    return took, stored.whole.value


def _answer(version: engine.CrdVersion, step: Step, old: engine.Response | None, namespace: str) -> engine.Response:
    """Return the answer to a request, of which everything is known that is stored."""
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
    """Return the seconds of processor time of one call in the best of some rounds, and what one returns."""
    best, found = float("inf"), None
    for _ in range(series.rounds):
        start = time.process_time()
        for _ in range(series.calls):
            found = function()
        best = min(best, (time.process_time() - start) / series.calls)
    return best, found


def theirs(series: Series, reference: peers.Reference, stored: JSONValue) -> dict[str, float]:
    """
    Return the seconds that the Go packages take for each request.

    Raises:
        ValueError: They store something else than the engine; what servers make up aside.
    """
    question = {**series._asdict(), "steps": [step._asdict() for step in series.steps]}
    answer = reference.ask(question)
    if _compared(answer["stored"]) != _compared(stored):
        raise ValueError(f"the Go packages store {answer['stored']}, and the engine {stored}")
    return dict(zip([step.what for step in series.steps], answer["seconds"], strict=True))


def _compared(stored: JSONValue) -> JSONValue:
    made_up = ("creationTimestamp", "uid", "resourceVersion")
    metadata = {key: value for key, value in stored["metadata"].items() if key not in made_up}
    entries = [{**entry, "time": None} for entry in metadata["managedFields"]]
    return {**stored, "metadata": {**metadata, "managedFields": entries}}


def _figures(title: str, series: Series, reference: peers.Reference | None) -> tuple[dict[str, float], list[Figure]]:
    """Print what is found, and return the seconds of each request, with the ratios."""
    took, stored = ours(series)
    copied, _ = _best(lambda: copy.deepcopy(stored), series)
    peer, go = "copy.deepcopy", dict.fromkeys(took, copied)
    if reference is not None:
        peer, go = "the Go packages", theirs(series, reference, stored)
    print(f"{title}, {nodes(stored)} nodes; copy.deepcopy takes {copied * 1e3:.3g} ms")
    figures = [Figure(f"{what}, {title}", seconds / go[what], peer) for what, seconds in took.items()]
    for (what, seconds), figure in zip(took.items(), figures, strict=True):
        print(f"  {what}: {seconds * 1e3:.3g} ms, {figure.ratio:.2f} times {peer} ({go[what] * 1e3:.3g} ms)")
    return took, figures


def add_arguments(_: argparse.ArgumentParser) -> None:
    """Add nothing."""


def main(_options: argparse.Namespace) -> Iterator[Figure]:
    """Measure all series."""
    with peers.reference(profile.DEFAULT, "sequences") as reference:
        for subject in subjects():
            kind = subject.crd["spec"]["names"]["kind"]
            yield from _figures(f"a {kind}", of_subject(subject), reference)[1]
        lists = [_figures(f"{size:,} items", of_list(size), reference) for size in _SIZES]
    for _, figures in lists:
        yield from figures
    few, many = (took for took, _ in lists)
    for what, took in few.items():
        print(f"{what}: ten times the items take {many[what] / took:.1f} times as long")
        yield Figure(f"{what}, {_SIZES[1]:,} items", many[what] / took, f"{_SIZES[0]:,} items")
