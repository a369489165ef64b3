"""Admission of the deletion that an eviction causes."""

from __future__ import annotations

import threading

from support import servers

from pytest_crd.engine.registry.admission import AdmissionRequest, Admitted, User
from pytest_crd.server.api import Api

PODS = "/api/v1/namespaces/default/pods"


class _Plugins:
    """Admission plugins that note the user of each deletion, and whether another client could write meanwhile."""

    def __init__(self, server: Api) -> None:
        self.deletions: list[tuple[str, bool]] = []
        self._server = server

    def mutate(self, request: AdmissionRequest) -> Admitted:
        return Admitted(request.object)

    def validate(self, request: AdmissionRequest) -> Admitted:
        if request.operation == "DELETE":
            lock = self._server.store.lock
            is_free: list[bool] = []

            def write() -> None:
                is_free.append(lock.acquire(timeout=1))
                if is_free[0]:
                    lock.release()

            client = threading.Thread(target=write)
            client.start()
            client.join()
            self.deletions.append((request.user.username, is_free[0]))
        return Admitted(request.object)


def test_an_eviction_is_admitted_as_its_user_and_without_the_lock() -> None:
    server = servers.api(token="admin")  # noqa: S106 - of a test
    plugins = _Plugins(server)
    type_ = server.catalog._by_path["", "v1", "pods"]
    server.catalog._by_path["", "v1", "pods"] = type_.on_server(server.store, plugins)
    token = server.access.users.add(User("ann", groups=("system:masters",)))
    headers = {"authorization": f"Bearer {token}"}
    pod = {"metadata": {"name": "p"}, "spec": {"containers": [{"name": "c", "image": "i"}]}}
    assert servers.ask(server, "POST", PODS, pod, headers=headers).code == 201
    eviction = {"apiVersion": "policy/v1", "kind": "Eviction", "metadata": {"name": "p"}}
    assert servers.ask(server, "POST", f"{PODS}/p/eviction", eviction, headers=headers).code == 201
    assert plugins.deletions == [("ann", True)]
