"""What runs have left on a server: found by label and name, and removed where nobody is there any more to do so."""

from __future__ import annotations

import time
from collections.abc import Iterable, Iterator
from typing import Any, Final

from pytest_crd.live import client, lease
from pytest_crd.live.lease import Remnant
from pytest_crd.live.transport import NoAnswerError

JSONValue = Any

_CRDS: Final = "/apis/apiextensions.k8s.io/v1/customresourcedefinitions"
_NAMESPACES: Final = "/api/v1/namespaces"
# Without what stands in them: there may be hundreds of large CRDs.
_METADATA: Final = {"Accept": "application/json;as=PartialObjectMetadataList;g=meta.k8s.io;v=v1"}
_MERGE: Final = {"Content-Type": "application/merge-patch+json"}
_NO_FINALIZERS: Final = {"metadata": {"finalizers": None}}
_PATIENCE: Final = 30.0


def find(server: client.Server) -> list[Remnant]:
    """
    Return what runs have made, and what looks so.

    Raises:
        NoAnswerError: The server does not say.
    """
    return [*_listed(server, lease.CRD, _CRDS), *_listed(server, lease.NAMESPACE, _NAMESPACES)]


def _listed(server: client.Server, kind: str, path: str) -> Iterator[Remnant]:
    answer = server.ask("GET", path, headers=_METADATA)
    if answer.code == 404:
        return  # a server without namespaces
    if answer.code != 200:
        raise NoAnswerError(f"GET {server.address}{path}: {answer.code} {answer.message}")
    for item in answer.body["items"] or ():
        found = lease.remnant(kind, item["metadata"])
        looks_so = (lease.SUFFIX in found.name) if kind == lease.CRD else found.name.startswith(lease.PREFIX)
        if found.run or looks_so:
            yield found


def remove(server: client.Server, remnants: Iterable[Remnant]) -> list[Remnant]:
    """
    Remove what runs have made, objects of CRDs first, and return what is still there after half a minute.

    Raises:
        NoAnswerError: The server does not answer any more.
    """
    waiting = list(remnants)
    for one in waiting:
        if one.kind == lease.CRD:
            _let_objects_go(server, one.name)
        server.ask("DELETE", path_of(one), {"preconditions": {"uid": one.uid}})
    end = time.monotonic() + _PATIENCE
    # A namespace takes the server longer than anybody wants to wait, and comes to its end by itself.
    waiting = [one for one in waiting if one.kind == lease.CRD or not _ends(server, one)]
    while (waiting := [one for one in waiting if _is_there(server, one)]) and time.monotonic() < end:
        server.rest(0.05)
    return waiting


def path_of(one: Remnant) -> str:
    """Return the URL path of something that was made."""
    return f"{_CRDS if one.kind == lease.CRD else _NAMESPACES}/{one.name}"


def _is_there(server: client.Server, one: Remnant) -> bool:
    answer = server.ask("GET", path_of(one))
    return answer.code == 200 and bool(answer.body["metadata"]["uid"] == one.uid)


def _ends(server: client.Server, one: Remnant) -> bool:
    answer = server.ask("GET", path_of(one))
    return answer.code == 404 or "deletionTimestamp" in answer.body.get("metadata", {})


def _let_objects_go(server: client.Server, name: str) -> None:
    """Remove the finalizers of the objects of a CRD, with which it could not be removed."""
    crd = server.ask("GET", f"{_CRDS}/{name}")
    if crd.code != 200:
        return
    spec = crd.body["spec"]
    version = next((one["name"] for one in spec["versions"] if one["served"]), "")
    path = f"/apis/{spec['group']}/{version}/{spec['names']['plural']}"
    answer = server.ask("GET", path)
    for item in (answer.body["items"] or ()) if answer.code == 200 else ():
        if item["metadata"].get("finalizers"):
            namespace = item["metadata"].get("namespace", "default")
            of_item = client.resource_path(crd.body, version, item["metadata"]["name"], namespace=namespace)
            server.ask("PATCH", of_item, _NO_FINALIZERS, headers=_MERGE)
