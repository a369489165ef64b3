"""Servers for tests: an API with the CRDs of the conversations, asked without a socket."""

from __future__ import annotations

import copy
from typing import Any

from conformance import serverside
from oracle.generators import servergen

from pytest_crd.engine.api.customresourcedefinition import CustomResourceDefinition
from pytest_crd.server.api import Api
from pytest_crd.server.http.httpmessages import HTTPAnswer
from pytest_crd.server.watching import Stream

JOBS = "/apis/fuzz.example.com/v1/namespaces/default/jobs"
CRDS = "/apis/apiextensions.k8s.io/v1/customresourcedefinitions"


def crd(kind: str = "Thing", group: str = "example.com", **spec: Any) -> Any:
    """Return the manifest of a CRD of one version with any objects; *spec* goes over its own."""
    plural = f"{kind.lower()}s"
    versions = [{"name": "v1", "served": True, "storage": True, "schema": {"openAPIV3Schema": {"type": "object"}}}]
    whole = {"group": group, "scope": "Namespaced", "names": {"kind": kind, "plural": plural}, "versions": versions}
    return {
        "apiVersion": "apiextensions.k8s.io/v1",
        "kind": "CustomResourceDefinition",
        "metadata": {"name": f"{plural}.{group}"},
        "spec": {**whole, **spec},
    }


def api(*crds: Any, **options: Any) -> Api:
    """Return an API of these CRDs; of those of the conversations where there are none."""
    manifests = crds or servergen.crds()
    return Api([CustomResourceDefinition.from_manifest(copy.deepcopy(one)) for one in manifests], **options)


def ask(server: Api, method: str, path: str, body: Any = None, **rest: Any) -> HTTPAnswer:
    """Return the answer to a request, as conversations state it."""
    asked = {"method": method, "path": path, **rest} | ({} if body is None else {"body": body})
    reply = server.answer(serverside.to_http(asked))
    assert isinstance(reply, HTTPAnswer)
    return reply


def watch(server: Api, path: str, **rest: Any) -> Stream:
    """Return a watch that has begun."""
    reply = server.answer(serverside.to_http({"method": "GET", "path": path, **rest}))
    assert isinstance(reply, Stream)
    return reply


def job(name: str, **metadata: Any) -> Any:
    """Return a custom resource of the conversations."""
    return {"apiVersion": "fuzz.example.com/v1", "kind": "Job", "metadata": {"name": name, **metadata}, "spec": {}}
