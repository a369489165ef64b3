"""Admission of an eviction, and not of the deletion that it causes."""

from __future__ import annotations

import threading

from support import servers

from pytest_crd.engine.registry.admission import AdmissionRequest, Admitted, User
from pytest_crd.server.api import Api

PODS = "/api/v1/namespaces/default/pods"
EVICTION = {"apiVersion": "policy/v1", "kind": "Eviction", "metadata": {"name": "p"}}


class _Plugins:
    """Admission plugins that note the users of requests with their objects, and whether another client could write meanwhile."""

    def __init__(self, server: Api) -> None:
        self.requests: list[AdmissionRequest] = []
        self.were_free: list[bool] = []
        self._server = server

    def mutate(self, request: AdmissionRequest) -> Admitted:
        return Admitted(request.object)

    def validate(self, request: AdmissionRequest) -> Admitted:
        lock = self._server.store.lock

        def write() -> None:
            self.were_free.append(lock.acquire(timeout=1))
            if self.were_free[-1]:
                lock.release()

        client = threading.Thread(target=write)
        client.start()
        client.join()
        self.requests.append(request)
        return Admitted(request.object, ("careful",))


def test_an_eviction_is_admitted_as_its_user_and_without_the_lock() -> None:
    server = servers.api(token="admin")  # noqa: S106 - of a test
    pod = {"metadata": {"name": "p"}, "spec": {"containers": [{"name": "c", "image": "i"}]}}
    token = server.access.users.add(User("ann", groups=("system:masters",)))
    headers = {"authorization": f"Bearer {token}"}
    assert servers.ask(server, "POST", PODS, pod, headers=headers).code == 201
    plugins = _Plugins(server)
    server.catalog.wrap_admission(lambda _: plugins)

    answer = servers.ask(server, "POST", f"{PODS}/p/eviction", EVICTION, headers=headers)

    assert (answer.code, answer.warnings) == (201, ("careful",))
    (request,) = plugins.requests
    assert (request.operation, request.user.username, request.kind, request.kind_api_version) == (
        "CREATE",
        "ann",
        "Eviction",
        "policy/v1",
    )
    assert plugins.were_free == [True]
    assert servers.ask(server, "GET", f"{PODS}/p", headers=headers).code == 404
