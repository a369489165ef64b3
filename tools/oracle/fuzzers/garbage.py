"""
Compare random histories of owned objects with a kube-apiserver and its garbage collector.

Both servers get the same steps. After each step the cluster has time to settle; then the objects of both must be equal: their
existence, owners, finalizers, and whether they are being deleted. Histories of a batch run in namespaces of their own, at the same time.

Two causes of differences are known, and each has a predicate. The workers of a cluster's collector run at the same time, so that a few
histories end in one of several ways: a differing history runs again on the cluster, which must pass through all states of our server. And a
cluster looks again at an object with an owner of an unknown kind at growing intervals: it must come to the state of our server later.
"""

from __future__ import annotations

import argparse
import json
import time
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from random import Random, SystemRandom
from typing import Any, Final, NamedTuple

from oracle import options as shared
from oracle.generators import ownergen
from oracle.servers import controllermanager, kubeapiserver
from oracle.servers.dialogue import Cluster
from pytest_crd.server.api import Api
from pytest_crd.server.http.httpmessages import HTTPAnswer, HTTPRequest

# Sends a request; returns the code and the body as JSON.
_Ask = Callable[[str, str, Any, str], tuple[int, Any]]
_Step = Mapping[str, Any]
_API_VERSIONS: Final = {
    "configmaps": ("v1", "ConfigMap"),
    "secrets": ("v1", "Secret"),
    "deployments": ("apps/v1", "Deployment"),
}
_TEMPLATE: Final = {"metadata": {"labels": {"a": "b"}}, "spec": {"containers": [{"name": "c", "image": "i"}]}}
_SPECS: Final = {"deployments": {"selector": {"matchLabels": {"a": "b"}}, "template": _TEMPLATE}}
_COORDINATES: Final = ("apiVersion", "kind", "name")
_MERGE, _JSON = "application/merge-patch+json", "application/json"
# Seconds without a change until a cluster has settled, and the longest wait.
_QUIET: Final = 1.5
_PATIENCE: Final = 20.0
# Repetitions of a differing history.
_AGAIN: Final = 20
# Seconds until a cluster has looked again at an object with an owner of an unknown kind.
_LATER: Final = 120.0
_UNKNOWN_OWNERS: Final = frozenset({"kind", "apiVersion"})
_RACE: Final = "concurrent workers of the cluster"
_LATE: Final = "an owner of an unknown kind, at which the cluster looks again later"


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the counts, the seed, the version and the server."""
    parser.add_argument("--histories", type=int, default=200, help="number of histories (default: 200)")
    parser.add_argument("--length", type=int, default=14, help="number of steps in each (default: 14)")
    parser.add_argument("--batch", type=int, default=100, help="number of histories at the same time (default: 100)")
    parser.add_argument("--seed", type=int, default=SystemRandom().randrange(10**6))
    shared.add_version(parser)
    kubeapiserver.add_arguments(parser)


def main(options: argparse.Namespace) -> int:
    """Run the histories; return 1 if a state differs."""
    print(f"seed {options.seed}", flush=True)
    histories = [
        ownergen.history(Random(f"{options.seed}/{number}"), options.length)  # noqa: S311 - a seed repeats it
        for number in range(options.histories)
    ]
    version, causes = options.kubernetes_version, Counter[str]()
    with (
        kubeapiserver.at(options.server, version) as url,
        controllermanager.running(version, url, options.token),
    ):
        cluster = Cluster(url, options.token)
        for start in range(0, len(histories), options.batch):
            for difference in _compare(cluster, version, histories[start : start + options.batch], start):
                cause = difference.cause or (_RACE if _is_race(cluster, version, difference) else "")
                causes[cause] += 1
                _print(difference, cause)
    reasons = "".join(f", {count} by {cause}" for cause, count in causes.items() if cause)
    print(f"{len(histories)} histories, {options.histories * options.length} steps, {causes['']} differ{reasons}")
    return int(bool(causes[""]))


class _Difference(NamedTuple):
    """
    A difference between a cluster and our server.

    Attributes:
        number: The number of the history.
        steps: The steps up to the difference.
        theirs: The code or the state of the cluster.
        ours: The code or the state of our server.
        cause: The known cause; empty for none.
    """

    number: int
    steps: Sequence[_Step]
    theirs: object
    ours: object
    cause: str = ""


def _compare(cluster: Cluster, version: str, histories: Sequence[Sequence[_Step]], start: int) -> list[_Difference]:
    """Run a batch of histories, and return the first difference of each."""
    api = Api(kubernetes_version=version, collects_garbage=True)
    worlds = [
        (_World(_ask_cluster(cluster), f"g{start + number}"), _World(_ask_api(api), f"g{start + number}"))
        for number in range(len(histories))
    ]
    differing: dict[int, _Difference] = {}
    for place in range(max(map(len, histories))):
        for number, (theirs, ours) in enumerate(worlds):
            if number not in differing:
                steps = histories[number][: place + 1]
                codes = theirs.take(steps[-1]), ours.take(steps[-1])
                if codes[0] != codes[1]:
                    differing[number] = _Difference(start + number, steps, *codes)
        _settle([theirs for number, (theirs, _) in enumerate(worlds) if number not in differing])
        for number, (theirs, ours) in enumerate(worlds):
            if number not in differing and (states := (theirs.state(), ours.state()))[0] != states[1]:
                differing[number] = _Difference(start + number, histories[number][: place + 1], *states)
    return [
        difference._replace(cause=_LATE) if _is_late(*worlds[number], difference) else difference
        for number, difference in differing.items()
    ]


def _is_late(theirs: _World, ours: _World, difference: _Difference) -> bool:
    """Return whether the cluster comes to our state later, in a history with an owner of an unknown kind."""
    wrong = {owner.get("wrong") for step in difference.steps for owner in step.get("owners", ())}
    if not wrong & _UNKNOWN_OWNERS or not isinstance(difference.theirs, dict):
        return False
    until = time.monotonic() + _LATER
    while theirs.state() != ours.state():
        if time.monotonic() > until:
            return False
        time.sleep(0.5)
    return True


def _is_race(cluster: Cluster, version: str, difference: _Difference) -> bool:
    """Return whether the cluster passes through all states of our server when it takes the same steps again, some times."""
    number, steps = difference.number, difference.steps
    ours = _World(_ask_api(Api(kubernetes_version=version, collects_garbage=True)), f"g{number}")
    worlds = [_World(_ask_cluster(cluster), f"g{number}-{again}") for again in range(_AGAIN)]
    for step in steps:
        expected = ours.take(step), ours.state()
        codes = [world.take(step) for world in worlds]
        _settle(worlds)
        worlds = [world for world, code in zip(worlds, codes, strict=True) if (code, world.state()) == expected]
    return bool(worlds)


def _print(difference: _Difference, cause: str) -> None:
    number, steps, theirs, ours, _ = difference
    lines = [
        f"\nhistory {number}{f' ({cause})' if cause else ''}:",
        *map(json.dumps, steps),
        f"cluster: {theirs}",
        f"ours: {ours}",
    ]
    print(*lines, sep="\n  ", flush=True)


def _settle(worlds: list[_World]) -> None:
    """Wait until no object of the worlds changes any more."""
    until, last, since = time.monotonic() + _PATIENCE, None, time.monotonic()
    while time.monotonic() < until:
        states = [world.state() for world in worlds]
        if states != last:
            last, since = states, time.monotonic()
        elif time.monotonic() - since > _QUIET:
            return
        time.sleep(0.2)


class _Made(NamedTuple):
    """
    A created object.

    Attributes:
        kind: The plural of its kind.
        uid: The uid.
    """

    kind: str
    uid: str


class _World:
    """The objects of one history on one server."""

    def __init__(self, ask: _Ask, namespace: str) -> None:
        self._ask, self._namespace = ask, namespace
        self._objects: dict[str, _Made] = {}
        ask("POST", "/api/v1/namespaces", {"metadata": {"name": namespace}}, _JSON)

    def take(self, step: _Step) -> int:
        """Send the request of a step; return the code, or 0 if its object never existed."""
        if "create" in step:
            return self._create(step)
        if "delete" in step:
            options = {"propagationPolicy": step["policy"]} if step["policy"] else {}
            return self._send("DELETE", step["delete"], {"kind": "DeleteOptions", "apiVersion": "v1", **options}, _JSON)
        if "own" in step:
            return self._own(step)
        object_ = self._get(step["release"])
        finalizers = [name for name in (object_ or {}).get("finalizers", ()) if name != "example.com/hold"]
        return self._send("PATCH", step["release"], {"metadata": {"finalizers": finalizers}}, _MERGE)

    def _own(self, step: _Step) -> int:
        """
        Replace the owners of an object.

        A reference with the uid of an earlier one keeps its other coordinates: a cluster looks at such a change only after a restart of its
        collector, or when it tries an object of an unknown owner again, after a random time.
        """
        metadata = self._get(step["own"]) or {}
        before = {owner["uid"]: owner for owner in metadata.get("ownerReferences", ())}
        owners = [
            {**owner, **{key: before[owner["uid"]][key] for key in _COORDINATES}} if owner["uid"] in before else owner
            for owner in self._references(step)
        ]
        return self._send("PATCH", step["own"], {"metadata": {"ownerReferences": owners}}, _MERGE)

    def _create(self, step: _Step) -> int:
        name, kind = step["create"], step["kind"]
        metadata = {"name": name, "finalizers": step["finalizers"], "ownerReferences": self._references(step)}
        body = {"metadata": metadata, **({"spec": _SPECS[kind]} if kind in _SPECS else {})}
        code, value = self._ask("POST", self._path(kind), body, _JSON)
        if code == 201:
            self._objects[name] = _Made(kind, value["metadata"]["uid"])
        return code

    def state(self) -> dict[str, Any]:
        """Return owners, finalizers and the deletion of each object that exists, by name."""
        names = {created.uid: name for name, created in self._objects.items()}
        metadata_by_name = {name: self._get(name) for name in self._objects}
        return {
            name: (
                [
                    (names.get(owner["uid"], "?"), owner.get("blockOwnerDeletion"))
                    for owner in metadata.get("ownerReferences", ())
                ],
                metadata.get("finalizers", []),
                "deletionTimestamp" in metadata,
            )
            for name, metadata in metadata_by_name.items()
            if metadata is not None
        }

    def _references(self, step: _Step) -> list[dict[str, Any]]:
        return [self._reference(owner) for owner in step["owners"] if owner["name"] in self._objects]

    def _reference(self, owner: Mapping[str, Any]) -> dict[str, Any]:
        created = self._objects[owner["name"]]
        api_version, kind = _API_VERSIONS[created.kind]
        reference = {"apiVersion": api_version, "kind": kind, "name": owner["name"], "uid": created.uid}
        if owner["blocks"] is not None:
            reference["blockOwnerDeletion"] = owner["blocks"]
        wrong = {
            "uid": f"{self._namespace}-{owner['name']}",
            "kind": "Unknown",
            "name": "other",
            "apiVersion": "example.com/v1",
        }
        return reference | ({owner["wrong"]: wrong[owner["wrong"]]} if "wrong" in owner else {})

    def _get(self, name: str) -> dict[str, Any] | None:
        created = self._objects.get(name)
        if created is None:
            return None
        code, value = self._ask("GET", f"{self._path(created.kind)}/{name}", None, _JSON)
        return value["metadata"] if code == 200 and value["metadata"]["uid"] == created.uid else None

    def _send(self, method: str, name: str, body: Any, media_type: str) -> int:
        created = self._objects.get(name)
        return 0 if created is None else self._ask(method, f"{self._path(created.kind)}/{name}", body, media_type)[0]

    def _path(self, kind: str) -> str:
        api_version = _API_VERSIONS[kind][0]
        lead = f"/apis/{api_version}" if "/" in api_version else f"/api/{api_version}"
        return f"{lead}/namespaces/{self._namespace}/{kind}"


def _ask_cluster(cluster: Cluster) -> _Ask:
    def send(method: str, path: str, body: Any, media_type: str) -> tuple[int, Any]:
        code, text = cluster.request(method, path, body, {"content-type": media_type})
        return code, json.loads(text)

    return send


def _ask_api(api: Api) -> _Ask:
    def send(method: str, path: str, body: Any, media_type: str) -> tuple[int, Any]:
        sent = b"" if body is None else json.dumps(body).encode()
        reply = api.answer(HTTPRequest(method, path, {"content-type": media_type}, sent))
        assert isinstance(reply, HTTPAnswer)
        return reply.code, reply.value

    return send
