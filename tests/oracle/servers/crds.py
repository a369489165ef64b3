"""CRDs on a server: where they are, and that they are gone."""

from __future__ import annotations

from typing import Any

from pytest_crd.live import client

JSONValue = Any


def collection(crd: JSONValue) -> str:
    """Return the URL path to which *crd* is POSTed."""
    return client.crd_path(crd["apiVersion"])


def path_of(crd: JSONValue) -> str:
    """Return the URL path of *crd*."""
    return client.crd_path(crd["apiVersion"], crd["metadata"]["name"])


def delete(server: client.Server, crd: JSONValue) -> None:
    """Delete a CRD where it is there, and wait until it is gone."""
    where = path_of(crd)
    if server.ask("DELETE", where).code != 404:
        server.wait(where, lambda answer: answer.code == 404, f"the end of {where}")
