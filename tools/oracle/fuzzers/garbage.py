"""
Compare random histories of owned objects with a kube-apiserver and its garbage collector.

Both servers get the same steps. After each step the cluster has time to settle; then the objects of both must be equal: their
existence, owners, finalizers, and whether they are being deleted. Histories of a batch run in namespaces of their own, at the same time.
"""

from __future__ import annotations

import argparse
import json
import time
from collections.abc import Callable, Mapping
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
_API_VERSIONS: Final = {
    "configmaps": ("v1", "ConfigMap"),
    "secrets": ("v1", "Secret"),
    "deployments": ("apps/v1", "Deployment"),
}
_TEMPLATE: Final = {"metadata": {"labels": {"a": "b"}}, "spec": {"containers": [{"name": "c", "image": "i"}]}}
_SPECS: Final = {"deployments": {"selector": {"matchLabels": {"a": "b"}}, "template": _TEMPLATE}}
_MERGE, _JSON = "application/merge-patch+json", "application/json"
# Seconds without a change until a cluster has settled, and the longest wait.
_QUIET: Final = 1.5
_PATIENCE: Final = 20.0


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
    version, differing = options.kubernetes_version, 0
    with (
        kubeapiserver.at(options.server, version) as url,
        controllermanager.running(version, url, options.token),
    ):
        cluster = Cluster(url, options.token)
        for start in range(0, len(histories), options.batch):
            batch = histories[start : start + options.batch]
            differing += _compare(cluster, version, batch, start)
    print(f"{len(histories)} histories, {options.histories * options.length} steps, {differing} differ")
    return int(bool(differing))


def _compare(cluster: Cluster, version: str, histories: list[list[dict[str, Any]]], start: int) -> int:
    """Run a batch of histories, print the first difference of each, and return the number of differing ones."""
    api = Api(kubernetes_version=version, collects_garbage=True)
    worlds = [
        (_World(_ask_cluster(cluster), f"g{start + number}"), _World(_ask_api(api), f"g{start + number}"))
        for number in range(len(histories))
    ]
    differing: set[int] = set()
    for place in range(max(map(len, histories))):
        for number, (theirs, ours) in enumerate(worlds):
            if number not in differing:
                codes = theirs.take(histories[number][place]), ours.take(histories[number][place])
                if codes[0] != codes[1]:
                    differing.add(number)
                    _print(start + number, histories[number][: place + 1], *codes)
        _settle([theirs for number, (theirs, _) in enumerate(worlds) if number not in differing])
        for number, (theirs, ours) in enumerate(worlds):
            if number not in differing and theirs.state() != ours.state():
                differing.add(number)
                _print(start + number, histories[number][: place + 1], theirs.state(), ours.state())
    return len(differing)


def _print(number: int, steps: list[dict[str, Any]], theirs: object, ours: object) -> None:
    print(
        f"\nhistory {number}:", *map(json.dumps, steps), f"cluster: {theirs}", f"ours: {ours}", sep="\n  ", flush=True
    )


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

    def take(self, step: Mapping[str, Any]) -> int:
        """Send the request of a step; return the code, or 0 if its object never existed."""
        if "create" in step:
            return self._create(step)
        if "delete" in step:
            options = {"propagationPolicy": step["policy"]} if step["policy"] else {}
            return self._send("DELETE", step["delete"], {"kind": "DeleteOptions", "apiVersion": "v1", **options}, _JSON)
        if "own" in step:
            return self._send("PATCH", step["own"], {"metadata": {"ownerReferences": self._references(step)}}, _MERGE)
        object_ = self._get(step["release"])
        finalizers = [name for name in (object_ or {}).get("finalizers", ()) if name != "example.com/hold"]
        return self._send("PATCH", step["release"], {"metadata": {"finalizers": finalizers}}, _MERGE)

    def _create(self, step: Mapping[str, Any]) -> int:
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

    def _references(self, step: Mapping[str, Any]) -> list[dict[str, Any]]:
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
