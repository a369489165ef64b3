"""CRDs on a server: URL paths, deletion, and batches without name conflicts."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from pytest_crd.engine.jsonvalue import JSONValue
from pytest_crd.live import client


def collection(crd: JSONValue) -> str:
    """Return the URL path of POST requests for *crd*."""
    return client.crd_path(crd["apiVersion"])


def path_of(crd: JSONValue) -> str:
    """Return the URL path of *crd*."""
    return client.crd_path(crd["apiVersion"], crd["metadata"]["name"])


def delete(server: client.Server, crd: JSONValue) -> None:
    """Delete a CRD if it exists, and wait until it is gone."""
    where = path_of(crd)
    if server.ask("DELETE", where).code != 404:
        server.wait(where, lambda answer: answer.code == 404, f"the end of {where}")


def batches(crds: Iterable[JSONValue], size: int) -> Iterator[list[JSONValue]]:
    """Yield batches of at most *size* CRDs without duplicate names."""
    batch: dict[str, JSONValue] = {}
    for crd in crds:
        name = crd["metadata"]["name"]
        if name in batch or len(batch) == size:
            yield [*batch.values()]
            batch = {}
        batch[name] = crd
    yield [*batch.values()]
