"""Objects of a run on a server: CRDs in groups of their own and a namespace, under a lease that is renewed until their removal."""

from __future__ import annotations

import contextlib
import secrets
import threading
from datetime import UTC, datetime
from typing import Final

from pytest_crd.engine.jsonvalue import JSONObject
from pytest_crd.live import client, lease, remnants
from pytest_crd.live.lease import Remnant
from pytest_crd.live.transport import NoAnswerError

_MERGE: Final = {"Content-Type": "application/merge-patch+json"}
_TIMES: Final = 5
_CREATED: Final = 201
_CONFLICT: Final = 409
_GONE: Final = (200, 404)


def now() -> datetime:
    """Return the current time in UTC, for leases."""
    return datetime.now(UTC)


class Sandbox:
    """
    The objects of one process of a run.

    Attributes:
        run: The label of the objects, the same in all processes of a run.
    """

    def __init__(self, server: client.Server, run: str) -> None:
        """Create it with the server and the label; send nothing."""
        self.run = run
        self._server = server
        self._kinds: dict[str, str] = {}  # by the URL path of each object
        self._namespace = ""
        self._lock, self._renewal_lock = threading.Lock(), threading.Lock()
        self._is_over = threading.Event()
        self._renewal: threading.Thread | None = None

    @property
    def namespace(self) -> str:
        """
        The namespace of all objects; the first access creates it.

        Raises:
            NoAnswerError: The server does not create it.
        """
        with self._server.worker_lock.holding(self._lock):
            if not self._namespace:
                name = f"{lease.PREFIX}{secrets.token_hex(5)}"
                self._create(lease.NAMESPACE, "/api/v1/namespaces", {"apiVersion": "v1", "kind": "Namespace"}, name)
                self._namespace = name
            return self._namespace

    def make_crd(self, manifest: JSONObject) -> client.ServerAnswer:
        """
        Create a CRD with a group of `make_group`, and return the answer.

        Raises:
            NoAnswerError: The server does not answer.
        """
        return self._create(lease.CRD, client.crd_path(manifest["apiVersion"]), manifest, manifest["metadata"]["name"])

    def replace_crd(self, manifest: JSONObject) -> client.ServerAnswer:
        """
        Replace a CRD of the sandbox, and return the answer.

        Raises:
            NoAnswerError: The server does not answer, the CRD is gone, or others keep changing it.
        """
        path = client.crd_path(manifest["apiVersion"], manifest["metadata"]["name"])
        for _ in range(_TIMES):
            current = self._server.ask("GET", path)
            if current.code != 200:
                raise NoAnswerError(f"GET {path}: {current.code} {current.message}")
            old_metadata = current.body["metadata"]
            metadata = {key: old_metadata[key] for key in ("name", "labels", "annotations", "resourceVersion")}
            answer = self._server.ask("PUT", path, {**manifest, "metadata": metadata})
            if answer.code != _CONFLICT:  # renewed leases and the server itself change the resourceVersion
                return answer
        raise NoAnswerError(f"PUT {path}: {answer.code} {answer.message}")

    def create(self, kind: str, manifest: JSONObject) -> client.ServerAnswer:
        """
        Create a Namespace, a policy or a binding for one case, with a name that begins with `lease.PREFIX`; return the answer.

        Raises:
            NoAnswerError: The server does not answer, or creates no Namespace.
        """
        return self._create(kind, remnants.COLLECTIONS[kind], manifest, manifest["metadata"]["name"])

    def remove(self, kind: str, name: str) -> None:
        """
        Remove an object of one case; it is tried again at the end if the server refuses.

        Raises:
            NoAnswerError: The server does not answer.
        """
        path = f"{remnants.COLLECTIONS[kind]}/{name}"
        if path in self._kinds and self._server.ask("DELETE", path).code in _GONE:
            del self._kinds[path]

    def renew(self) -> None:
        """Renew the lease of all objects."""
        patch = {"metadata": {"annotations": {lease.ANNOTATION: lease.until(now())}}}
        for path in tuple(self._kinds):
            with contextlib.suppress(NoAnswerError):
                self._server.ask("PATCH", path, patch, headers=_MERGE)

    def end(self) -> list[Remnant]:
        """
        Remove the objects, and return the ones that could not be removed.

        Raises:
            NoAnswerError: The server no longer answers.
        """
        self._is_over.set()
        if self._renewal is not None:
            self._renewal.join()
        existing = []
        for path, kind in self._kinds.items():
            answer = self._server.ask("GET", path)
            if answer.code == 200:
                existing.append(lease.remnant(kind, answer.body["metadata"]))
        remaining = remnants.remove(
            self._server, [remnant for remnant in existing if remnant.run == self.run and remnant.is_ours]
        )
        self._kinds = {remnants.path_of(remnant): remnant.kind for remnant in remaining}
        return remaining

    @property
    def kinds(self) -> list[str]:
        """The plurals of CRDs and Namespaces, and of the kinds of policies that exist: a server need not know others."""
        policies = {kind for kind in self._kinds.values() if kind in lease.POLICIES}
        paths = [remnants.COLLECTIONS[kind] for kind in (lease.CRD, lease.NAMESPACE, *sorted(policies))]
        return [path.rpartition("/")[2] for path in paths]

    @property
    def names(self) -> list[str]:
        """The objects that are not removed, by kubectl's names."""
        return [f"{kind}/{path.rpartition('/')[2]}" for path, kind in self._kinds.items()]

    def _create(self, kind: str, collection: str, body: JSONObject, name: str) -> client.ServerAnswer:
        # Recorded before the request: the object may exist even if the answer is lost.
        path = f"{collection.replace('/v1beta1/', '/v1/')}/{name}"
        self._kinds[path] = kind
        metadata = body.get("metadata") or {}
        marks = {key: {**(metadata.get(key) or {}), **own} for key, own in lease.marks(self.run, now()).items()}
        answer = self._server.ask("POST", collection, {**body, "metadata": {"name": name, **marks}})
        if answer.code != _CREATED:
            del self._kinds[path]
            if (
                kind == lease.NAMESPACE and answer.code != 404
            ):  # a server with CRDs only has no namespaces and needs none
                raise NoAnswerError(f"no namespace: {answer.code} {answer.message}")
        else:
            with self._server.worker_lock.holding(self._renewal_lock):
                if self._renewal is None:
                    self._renewal = threading.Thread(target=self._renew_always, name="pytest-crd leases", daemon=True)
                    self._renewal.start()
        return answer

    def _renew_always(self) -> None:
        while not self._is_over.wait(lease.RENEWED_EVERY):
            self.renew()


def make_group() -> str:
    """Return a new random group."""
    return f"{secrets.token_hex(5)}{lease.SUFFIX}"
