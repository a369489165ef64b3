"""In-memory API servers with the CRDs of the recorded conversations, called without a socket."""

from __future__ import annotations

import functools
import json
from typing import Any

from conformance import serverside
from oracle.generators import servergen

from pytest_crd.engine.api.customresourcedefinition import CustomResourceDefinition
from pytest_crd.server.accessor import CrdServer
from pytest_crd.server.api import Api
from pytest_crd.server.controls import ServerControls
from pytest_crd.server.faults import Faults
from pytest_crd.server.http.httpmessages import HTTPAnswer
from pytest_crd.server.http.requestlog import RequestLog
from pytest_crd.server.reaching import InProcess
from pytest_crd.server.watching import Stream

JOBS = "/apis/fuzz.example.com/v1/namespaces/default/jobs"
CRDS = "/apis/apiextensions.k8s.io/v1/customresourcedefinitions"


def crd(kind: str = "Thing", group: str = "example.com", **spec: Any) -> Any:
    """Return the manifest of a CRD with one version that accepts any object; *spec* overrides fields of its spec."""
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
    """Return an API with *crds*, or with the CRDs of the conversations if there are none."""
    manifests = json.dumps(crds or servergen.crds())
    return Api(_definitions(manifests), **options) if options else _started(manifests).fork()


@functools.lru_cache(maxsize=8)
def _definitions(manifests: str) -> list[CustomResourceDefinition]:
    return [*map(CustomResourceDefinition.from_manifest, json.loads(manifests))]


@functools.lru_cache(maxsize=8)
def _started(manifests: str) -> Api:
    """Return an API with CRDs, which tests fork before they change it."""
    return Api(_definitions(manifests))


def crd_server(api_: Api, log: RequestLog | None = None) -> CrdServer:
    """Return the access of a test to an API, without a socket."""
    log = log or RequestLog(api_.request_names)
    controls = ServerControls(api_, log, Faults(api_.request_names), lambda: None)
    return CrdServer(InProcess(api_), log, controls, url="https://127.0.0.1:1", kubeconfig="/k")


def ask(server: Api, method: str, path: str, body: Any = None, **rest: Any) -> HTTPAnswer:
    """Return the response to a request that is written as in conversations."""
    request = {"method": method, "path": path, **rest} | ({} if body is None else {"body": body})
    reply = server.answer(serverside.to_http(request))
    assert isinstance(reply, HTTPAnswer)
    return reply


def watch(server: Api, path: str, **rest: Any) -> Stream:
    """Return the stream of a watch that has started."""
    reply = server.answer(serverside.to_http({"method": "GET", "path": path, **rest}))
    assert isinstance(reply, Stream)
    return reply


def job(name: str, **metadata: Any) -> Any:
    """Return a `Job`, a custom resource of the conversations."""
    return {"apiVersion": "fuzz.example.com/v1", "kind": "Job", "metadata": {"name": name, **metadata}, "spec": {}}
