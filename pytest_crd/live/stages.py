"""CRDs that a server serves for questions: each under a group of its own, or as it is installed."""

from __future__ import annotations

import abc
import json
import secrets
import threading
from collections.abc import Mapping
from typing import Final, NamedTuple

from pytest_crd.engine import CrdVersion, CustomResourceDefinition, jsonvalue
from pytest_crd.engine.client import completion
from pytest_crd.engine.jsonvalue import JSONValue
from pytest_crd.live import answerfacts, client, obstacles, settling
from pytest_crd.live.answerfacts import Facts
from pytest_crd.live.grouprenaming import Renaming
from pytest_crd.live.sandbox import Sandbox, make_group
from pytest_crd.live.transport import NoAnswerError

_NOT_FOUND: Final = 404
_INSTALLED: Final = "/apis/apiextensions.k8s.io/v1/customresourcedefinitions"


class NotAskedError(Exception):
    """A question that cannot be sent; the message says why."""


class DisagreementError(Exception):
    """
    The server answers otherwise than the engine.

    Attributes:
        request: The request.
        ours: The engine's answer.
        theirs: The server's answer.
    """

    def __init__(self, request: Mapping[str, JSONValue], ours: Facts, theirs: Facts) -> None:
        super().__init__()
        self.request, self.ours, self.theirs = request, ours, theirs


class Stage(NamedTuple):
    """
    A CRD that a server serves.

    Attributes:
        crd: The CRD as it is served, under the server's Kubernetes version.
        original: The CRD of the project, under that version.
        renaming: The names of both.
        stored: The CRD as the server has stored it.
        lock: Held while objects are stored, because questions may use the same names.
        note: A note about the CRD; empty for none.
    """

    crd: CustomResourceDefinition
    original: CustomResourceDefinition
    renaming: Renaming
    stored: Mapping[str, JSONValue]
    lock: threading.Lock
    note: str = ""

    def disagreement(
        self, request: Mapping[str, JSONValue], ours: Facts, theirs: Facts, namespace: str
    ) -> DisagreementError:
        """Return the error to raise, with the project's names in place of the server's."""
        parts = (self.renaming.restore(part, namespace) for part in (request, ours, theirs))
        return DisagreementError(*parts)


def type_meta(version: CrdVersion) -> dict[str, JSONValue]:
    """Return the apiVersion and kind of the objects of a version."""
    return {"apiVersion": f"{version.crd.group}/{version.name}", "kind": version.crd.kind}


class Stages(abc.ABC):
    """The CRDs of a run; each is looked up or created at the first question about it."""

    # The metadata that change only if others change the CRD.
    _stable_keys: tuple[str, ...] = ("uid",)

    def __init__(self, server: client.Server, version: str) -> None:
        """Create it with the server and its Kubernetes version."""
        self._server, self._version = server, version
        self._lock = threading.Lock()
        self._locks: dict[str, threading.Lock] = {}
        self._stages: dict[str, Stage | Exception] = {}

    def serve(self, crd: CustomResourceDefinition, old: CustomResourceDefinition | None = None) -> Stage:
        """
        Return a CRD as it is served.

        Args:
            crd: The CRD.
            old: The CRD that *crd* replaces in the middle of each question; it is the first one to be served.

        Raises:
            NotAskedError: The CRD cannot be served.
            NoAnswerError: The server does not answer.
            DisagreementError: The server refuses the CRD, but the engine does not.
        """
        key = json.dumps([crd.declared, old and old.declared])
        with self._lock:
            lock = self._locks.setdefault(key, threading.Lock())
        with self._server.worker_lock.holding(lock):
            if key not in self._stages:
                try:
                    self._stages[key] = self._create_stage(crd, old)
                except (NotAskedError, DisagreementError) as error:
                    self._stages[key] = error
            stage = self._stages[key]
        if isinstance(stage, Exception):
            raise stage
        return stage

    @property
    def counts(self) -> tuple[int, int]:
        """The number of CRDs that are ready or refused, and the number of all requested ones."""
        return len(self._stages), len(self._locks)

    def refuse_as_touched(self, stage: Stage) -> None:
        """
        Check that a CRD was not changed or removed since it was looked up or created.

        Raises:
            NoAnswerError: The CRD was changed or removed.
        """
        obstacles.refuse_as_touched(self._server, f"{_INSTALLED}/{stage.crd.name}", stage.stored, self._stable_keys)

    @abc.abstractmethod
    def _create_stage(self, crd: CustomResourceDefinition, old: CustomResourceDefinition | None) -> Stage:
        """Look up or create a CRD that no question was about yet."""


class OwnStages(Stages):
    """CRDs of the run, in groups of their own."""

    def __init__(self, server: client.Server, version: str, sandbox: Sandbox) -> None:
        """Create it with the server, its Kubernetes version, and the sandbox for the CRDs."""
        super().__init__(server, version)
        self._sandbox = sandbox

    def replace(self, stage: Stage, crd: CustomResourceDefinition) -> client.ServerAnswer:
        """
        Replace the CRD of a stage by another form, and return the answer once the change is in use.

        Raises:
            NoAnswerError: The server does not answer.
        """
        mark = f"pytest-crd-{secrets.token_hex(5)}"
        manifest = settling.marked(stage.renaming.of_crd(crd.declared), mark)
        answer = self._sandbox.replace_crd(manifest)
        if answer.code == 200:
            settling.wait_until_marked(self._server, manifest, mark)
        return answer

    def _create_stage(self, crd: CustomResourceDefinition, old: CustomResourceDefinition | None) -> Stage:
        original = crd.under(self._version)
        namespace = self._sandbox.namespace if crd.scope == "Namespaced" else ""
        renaming = Renaming(crd.group, make_group(), namespace)
        renamed = original.altered(renaming.of_crd(crd.declared))
        first = renamed if old is None else original.altered(renaming.of_crd(old.declared))
        response = first.response
        if response.code == _NOT_FOUND:
            raise NotAskedError(f"Kubernetes {self._version} serves no {crd.api_version}")
        if not response.accepted:
            message = renaming.restore(response.message, "")
            raise NotAskedError(f"no server of Kubernetes {self._version} takes its CRD: {message}")
        answer = self._sandbox.make_crd(first.manifest)
        if answer.code != response.code:
            obstacles.refuse_as_no_answer(answer)
            parts = ({"CRD": first.manifest}, answerfacts.of_crd(response), answerfacts.of_server(answer))
            raise DisagreementError(*(renaming.restore(part, "") for part in parts))
        stored = settling.wait_until_served(self._server, first.manifest)
        if not settling.is_established(stored):
            raise NotAskedError("its CRD is stored, but not served")
        return Stage(renamed, original, renaming, stored, threading.Lock())


class InstalledStages(Stages):
    """Installed CRDs, which are never changed; objects of any likely name may exist."""

    _stable_keys = ("uid", "generation")

    def __init__(self, server: client.Server, version: str) -> None:
        """Create it with the server and its Kubernetes version."""
        super().__init__(server, version)
        self._made_up_name = f"{completion.MADE_UP_NAME}-{secrets.token_hex(5)}"

    def _create_stage(self, crd: CustomResourceDefinition, old: CustomResourceDefinition | None) -> Stage:  # noqa: ARG002 - only installed CRDs count
        original = crd.under(self._version)
        answer = self._server.ask("GET", f"{_INSTALLED}/{crd.name}")
        if answer.code == _NOT_FOUND:
            raise NotAskedError(f"{crd.name} is not installed")
        if answer.code != 200:
            raise NoAnswerError(f"{crd.name}: {answer.code} {answer.message}")
        response = original.response
        is_same = response.accepted and jsonvalue.equal(
            jsonvalue.from_python(answer.body["spec"]), jsonvalue.from_python(response.stored["spec"])
        )
        note = "" if is_same else f"the {crd.name} that is installed is not that of the project"
        return Stage(
            original,
            original,
            Renaming(crd.group, crd.group, "", self._made_up_name),
            answer.body,
            threading.Lock(),
            note,
        )
