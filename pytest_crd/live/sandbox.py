"""What a run makes on a server: CRDs in groups of their own and a namespace, under a lease that is renewed until they are removed."""

from __future__ import annotations

import contextlib
import secrets
import threading
from collections.abc import Mapping
from datetime import UTC, datetime
from typing import Any, Final

from pytest_crd.live import client, lease, remnants
from pytest_crd.live.lease import Remnant
from pytest_crd.live.transport import NoAnswerError

JSONValue = Any
JSONObject = Mapping[str, JSONValue]

_MERGE: Final = {"Content-Type": "application/merge-patch+json"}
_TIMES: Final = 5
_CREATED: Final = 201
_CONFLICT: Final = 409


def now() -> datetime:
    """Return the time by which leases go."""
    return datetime.now(UTC)


class Sandbox:
    """
    The objects of one process of a run.

    Attributes:
        run: What their label says, that of all processes of a run.
    """

    def __init__(self, server: client.Server, run: str) -> None:
        """Take the server, and the label; nothing is written before something is made."""
        self.run = run
        self._server = server
        self._made: dict[str, str] = {}  # kinds, by the path of each thing
        self._namespace = ""
        self._lock, self._renewal_lock = threading.Lock(), threading.Lock()
        self._is_over = threading.Event()
        self._renewal: threading.Thread | None = None

    @property
    def namespace(self) -> str:
        """
        The namespace of all objects; made when somebody first asks.

        Raises:
            NoAnswerError: The server does not make it.
        """
        with self._server.worker_lock.holding(self._lock):
            if not self._namespace:
                name = f"{lease.PREFIX}{secrets.token_hex(5)}"
                self._make(lease.NAMESPACE, "/api/v1/namespaces", {"apiVersion": "v1", "kind": "Namespace"}, name)
                self._namespace = name
            return self._namespace

    def make_crd(self, manifest: JSONObject) -> client.ServerAnswer:
        """
        Return the answer to the POST of a CRD, whose group `make_group` has made.

        Raises:
            NoAnswerError: There is none.
        """
        return self._make(lease.CRD, client.crd_path(manifest["apiVersion"]), manifest, manifest["metadata"]["name"])

    def replace_crd(self, manifest: JSONObject) -> client.ServerAnswer:
        """
        Put a CRD in place of one that was made, and return the answer.

        Raises:
            NoAnswerError: There is none, the CRD is gone, or others change it all the time.
        """
        path = client.crd_path(manifest["apiVersion"], manifest["metadata"]["name"])
        for _ in range(_TIMES):
            found = self._server.ask("GET", path)
            if found.code != 200:
                raise NoAnswerError(f"GET {path}: {found.code} {found.message}")
            metadata = found.body["metadata"]
            kept = {key: metadata[key] for key in ("name", "labels", "annotations", "resourceVersion")}
            answer = self._server.ask("PUT", path, {**manifest, "metadata": kept})
            if answer.code != _CONFLICT:  # the lease is renewed, and the server itself writes, too
                return answer
        raise NoAnswerError(f"PUT {path}: {answer.code} {answer.message}")

    def renew(self) -> None:
        """Prolong the lease of all that was made."""
        patch = {"metadata": {"annotations": {lease.ANNOTATION: lease.until(now())}}}
        for path in tuple(self._made):
            with contextlib.suppress(NoAnswerError):
                self._server.ask("PATCH", path, patch, headers=_MERGE)

    def end(self) -> list[Remnant]:
        """
        Remove what was made, and return what is left all the same.

        Raises:
            NoAnswerError: The server does not answer any more.
        """
        self._is_over.set()
        if self._renewal is not None:
            self._renewal.join()
        found = []
        for path, kind in self._made.items():
            answer = self._server.ask("GET", path)
            if answer.code == 200:
                found.append(lease.remnant(kind, answer.body["metadata"]))
        left = remnants.remove(self._server, [one for one in found if one.run == self.run and one.is_ours])
        self._made = {remnants.path_of(one): one.kind for one in left}
        return left

    @property
    def names(self) -> list[str]:
        """What was made and not removed, as kubectl calls it."""
        return [f"{kind}/{path.rpartition('/')[2]}" for path, kind in self._made.items()]

    def _make(self, kind: str, collection: str, body: JSONObject, name: str) -> client.ServerAnswer:
        # Noted before it is there: what comes of a request whose answer is lost, nobody knows.
        path = f"{collection.replace('/v1beta1/', '/v1/')}/{name}"
        self._made[path] = kind
        answer = self._server.ask(
            "POST", collection, {**body, "metadata": {"name": name, **lease.marks(self.run, now())}}
        )
        if answer.code != _CREATED:
            del self._made[path]
            if kind == lease.NAMESPACE and answer.code != 404:  # a server of CRDs alone has none, and needs none
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
    """Return a group that nobody has."""
    return f"{secrets.token_hex(5)}{lease.SUFFIX}"
