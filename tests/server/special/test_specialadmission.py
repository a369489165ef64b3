"""Admission of connections and of objects of subresources."""

from __future__ import annotations

import pytest
from support import servers

from pytest_crd.engine.errors import refusal
from pytest_crd.engine.registry.admission import AdmissionRequest, Admitted
from pytest_crd.engine.registry.requestbody import RefusedError
from pytest_crd.server.api import Api

PODS = "/api/v1/namespaces/default/pods"
POD = {"metadata": {"name": "p"}, "spec": {"containers": [{"name": "c", "image": "i"}]}}


class _Plugins:
    """Admission plugins that warn, note requests, and refuse those with `refuse` in their options or name."""

    def __init__(self) -> None:
        self.requests: list[AdmissionRequest] = []

    def mutate(self, request: AdmissionRequest) -> Admitted:
        return Admitted(request.object, ("first",))

    def validate(self, request: AdmissionRequest) -> Admitted:
        self.requests.append(request)
        if "refuse" in str(request.object):
            raise RefusedError(refusal.internal_error("refused"))
        return Admitted(request.object, ("second",))


@pytest.fixture
def plugins() -> _Plugins:
    return _Plugins()


@pytest.fixture
def server(plugins: _Plugins) -> Api:
    server = servers.api()
    assert servers.ask(server, "POST", PODS, POD).code == 201
    server.catalog.wrap_admission(lambda _: plugins)
    return server


@pytest.mark.parametrize(
    ("path", "options"),
    [
        ("p/exec", {"kind": "PodExecOptions", "command": None}),
        ("p/exec?command=a&command=b&tty=0&stdin", {"kind": "PodExecOptions", "command": ["a", "b"], "stdin": True}),
        ("p/attach?container=c", {"kind": "PodAttachOptions", "container": "c"}),
        ("p/portforward?ports=80&ports=90", {"kind": "PodPortForwardOptions", "ports": [80, 90]}),
        ("p/proxy/x/y", {"kind": "PodProxyOptions", "path": "/x/y"}),
    ],
)
def test_plugins_see_the_options_of_connections(server: Api, plugins: _Plugins, path: str, options: object) -> None:
    answer = servers.ask(server, "POST", f"{PODS}/{path}")

    (request,) = plugins.requests
    assert (answer.code, answer.warnings) == (400, ("first", "second"))
    assert {key: value for key, value in (request.object or {}).items() if key != "apiVersion"} == options
    assert (request.operation, request.name, request.namespace, request.options) == ("CONNECT", "p", "default", {})


@pytest.mark.parametrize(
    ("query", "problem"),
    [
        ("ports=x", 'cannot convert to []int32: strconv.ParseUint: parsing "x": invalid syntax'),
        ("ports=65536", 'cannot convert to []int32: strconv.ParseUint: parsing "65536": value out of range'),
        ("dryRun=All", "dryRun is not supported"),
    ],
)
def test_malformed_options_are_refused(server: Api, query: str, problem: str) -> None:
    answer = servers.ask(server, "POST", f"{PODS}/p/portforward?{query}")

    assert (answer.code, answer.value["message"]) == (400, problem)


def test_a_refused_binding_changes_nothing(server: Api) -> None:
    binding = {"apiVersion": "v1", "kind": "Binding", "metadata": {"name": "p"}, "target": {"name": "refuse"}}
    answer = servers.ask(server, "POST", f"{PODS}/p/binding", binding)

    assert (answer.code, answer.warnings) == (500, ("first",))
    assert "nodeName" not in servers.ask(server, "GET", f"{PODS}/p").value["spec"]


def test_a_binding_has_the_options_of_its_create(server: Api, plugins: _Plugins) -> None:
    binding = {"apiVersion": "v1", "kind": "Binding", "metadata": {"name": "p"}, "target": {"name": "n"}}
    answer = servers.ask(server, "POST", f"{PODS}/p/binding?dryRun=All&fieldManager=me", binding)

    (request,) = plugins.requests
    expected = {"kind": "CreateOptions", "apiVersion": "meta.k8s.io/v1", "dryRun": ["All"], "fieldManager": "me"}
    assert (answer.code, answer.warnings) == (201, ("first", "second"))
    assert (request.options, request.dry_run, request.kind_api_version) == (expected, True, "")
