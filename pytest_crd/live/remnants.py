"""Objects that earlier runs have left on a server: found by label and name, and removed once their run is gone."""

from __future__ import annotations

import time
from collections.abc import Iterable, Iterator
from typing import Final

from pytest_crd.live import client, lease
from pytest_crd.live.lease import Remnant
from pytest_crd.live.transport import NoAnswerError

_CRDS: Final = "/apis/apiextensions.k8s.io/v1/customresourcedefinitions"
_NAMESPACES: Final = "/api/v1/namespaces"
_REGISTRATION: Final = "/apis/admissionregistration.k8s.io/v1"
COLLECTIONS: Final = {
    lease.CRD: _CRDS,
    lease.NAMESPACE: _NAMESPACES,
    **{kind: f"{_REGISTRATION}/{plural}" for kind, plural in lease.POLICIES.items()},
}
"""The URL paths of the collections by kind."""
# Metadata only: there may be hundreds of large CRDs.
_METADATA: Final = {"Accept": "application/json;as=PartialObjectMetadataList;g=meta.k8s.io;v=v1"}
_MERGE: Final = {"Content-Type": "application/merge-patch+json"}
_NO_FINALIZERS: Final = {"metadata": {"finalizers": None}}
_PATIENCE: Final = 30.0


def find_remnants(server: client.Server) -> list[Remnant]:
    """
    Return the objects that runs have created, and objects that look so.

    Raises:
        NoAnswerError: The server does not list them.
    """
    return [remnant for kind, path in COLLECTIONS.items() for remnant in _listed(server, kind, path)]


def _listed(server: client.Server, kind: str, path: str) -> Iterator[Remnant]:
    answer = server.ask("GET", path, headers=_METADATA)
    # A server may have no namespaces, and a user without the right to list policies is no reason to stop.
    if answer.code == 404 or (answer.code == 403 and kind in lease.POLICIES):
        return
    if answer.code != 200:
        raise NoAnswerError(f"GET {server.address}{path}: {answer.code} {answer.message}")
    for item in answer.body["items"] or ():
        remnant = lease.remnant(kind, item["metadata"])
        has_name = (lease.SUFFIX in remnant.name) if kind == lease.CRD else remnant.name.startswith(lease.PREFIX)
        if remnant.run or has_name:
            yield remnant


def remove(server: client.Server, remnants: Iterable[Remnant]) -> list[Remnant]:
    """
    Remove objects that runs have created, the objects of CRDs first; return the objects that still exist after half a minute.

    Raises:
        NoAnswerError: The server no longer answers.
    """
    remaining = list(remnants)
    for remnant in remaining:
        if remnant.kind == lease.CRD:
            _clear_finalizers(server, remnant.name)
        server.ask("DELETE", path_of(remnant), {"preconditions": {"uid": remnant.uid}})
    end = time.monotonic() + _PATIENCE
    # Namespaces end by themselves, but it takes the server too long to wait for them.
    remaining = [remnant for remnant in remaining if remnant.kind != lease.NAMESPACE or not _ends(server, remnant)]
    while (remaining := [remnant for remnant in remaining if _is_there(server, remnant)]) and time.monotonic() < end:
        server.rest(0.05)
    return remaining


def path_of(remnant: Remnant) -> str:
    """Return the URL path of a remnant."""
    return f"{COLLECTIONS[remnant.kind]}/{remnant.name}"


def _is_there(server: client.Server, remnant: Remnant) -> bool:
    answer = server.ask("GET", path_of(remnant))
    return answer.code == 200 and bool(answer.body["metadata"]["uid"] == remnant.uid)


def _ends(server: client.Server, remnant: Remnant) -> bool:
    answer = server.ask("GET", path_of(remnant))
    return answer.code == 404 or "deletionTimestamp" in answer.body.get("metadata", {})


def _clear_finalizers(server: client.Server, name: str) -> None:
    """Remove the finalizers of the objects of a CRD, which would block the removal of the CRD."""
    crd = server.ask("GET", f"{_CRDS}/{name}")
    if crd.code != 200:
        return
    spec = crd.body["spec"]
    version = next((version["name"] for version in spec["versions"] if version["served"]), "")
    path = f"/apis/{spec['group']}/{version}/{spec['names']['plural']}"
    answer = server.ask("GET", path)
    for item in (answer.body["items"] or ()) if answer.code == 200 else ():
        if item["metadata"].get("finalizers"):
            namespace = item["metadata"].get("namespace", "default")
            item_path = client.resource_path(crd.body, version, item["metadata"]["name"], namespace=namespace)
            server.ask("PATCH", item_path, _NO_FINALIZERS, headers=_MERGE)
