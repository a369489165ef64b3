"""CRDs as a server serves them for us: each under a group of its own, or as it is installed."""

from __future__ import annotations

import abc
import json
import secrets
import threading
from collections.abc import Mapping
from typing import Any, Final, NamedTuple

from pytest_crd.engine import CustomResourceDefinition, Version, jsonvalue
from pytest_crd.engine.requests import completion
from pytest_crd.live import answerfacts, client, obstacles, settling
from pytest_crd.live.answerfacts import Facts
from pytest_crd.live.grouprenaming import Renaming
from pytest_crd.live.sandbox import Sandbox, make_group
from pytest_crd.live.transport import NoAnswerError

JSONValue = Any

_NOT_FOUND: Final = 404
_INSTALLED: Final = "/apis/apiextensions.k8s.io/v1/customresourcedefinitions"


class NotAskedError(Exception):
    """What cannot be asked; the message says why."""


class DisagreementError(Exception):
    """
    The server answers otherwise than the engine.

    Attributes:
        request: What was sent.
        ours: The engine's answer.
        theirs: The server's.
    """

    def __init__(self, request: Mapping[str, JSONValue], ours: Facts, theirs: Facts) -> None:
        super().__init__()
        self.request, self.ours, self.theirs = request, ours, theirs


class Stage(NamedTuple):
    """
    A CRD that a server serves.

    Attributes:
        crd: As it is there, under the server's Kubernetes version.
        original: As the project has it, under that version.
        renaming: What is renamed.
        stored: What the server has stored.
        lock: Held while objects are stored, which might be in each other's way.
        note: What is worth to know of it; may be empty.
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
        """Return what to raise, under the names that the project has for the CRD and the namespace."""
        parts = (self.renaming.undone(part, namespace) for part in (request, ours, theirs))
        return DisagreementError(*parts)


def type_meta(version: Version) -> dict[str, JSONValue]:
    """Return the apiVersion and kind of the objects of a version."""
    return {"apiVersion": f"{version.crd.group}/{version.name}", "kind": version.crd.kind}


class Stages(abc.ABC):
    """All CRDs of a run, each looked for or made when somebody first asks about it."""

    # The metadata that stay the same for as long as nobody else changes a CRD.
    _kept: tuple[str, ...] = ("uid",)

    def __init__(self, server: client.Server, version: str) -> None:
        """Take the server, and its Kubernetes version."""
        self._server, self._version = server, version
        self._lock = threading.Lock()
        self._locks: dict[str, threading.Lock] = {}
        self._stages: dict[str, Stage | Exception] = {}

    def of(self, crd: CustomResourceDefinition, old: CustomResourceDefinition | None = None) -> Stage:
        """
        Return a CRD as it is served.

        Args:
            crd: The CRD.
            old: The CRD whose place it takes in the middle of each question; it is the one that is served first.

        Raises:
            NotAskedError: It cannot be there.
            NoAnswerError: The server does not say.
            DisagreementError: The server does not take it.
        """
        key = json.dumps([crd.declared, old and old.declared])
        with self._lock:
            lock = self._locks.setdefault(key, threading.Lock())
        with self._server.worker_lock.holding(lock):
            if key not in self._stages:
                try:
                    self._stages[key] = self._made(crd, old)
                except (NotAskedError, DisagreementError) as error:
                    self._stages[key] = error
            found = self._stages[key]
        if isinstance(found, Exception):
            raise found
        return found

    @property
    def counts(self) -> tuple[int, int]:
        """How many CRDs are there, or cannot be, of how many that somebody has asked about."""
        return len(self._stages), len(self._locks)

    def refuse_as_touched(self, stage: Stage) -> None:
        """
        Pass where nobody else has changed or removed a CRD since it was looked for or made.

        Raises:
            NoAnswerError: Somebody has.
        """
        obstacles.refuse_as_touched(self._server, f"{_INSTALLED}/{stage.crd.name}", stage.stored, self._kept)

    @abc.abstractmethod
    def _made(self, crd: CustomResourceDefinition, old: CustomResourceDefinition | None) -> Stage:
        """Return a CRD that nobody has asked about before."""


class OwnStages(Stages):
    """CRDs that are made, in groups of their own."""

    def __init__(self, server: client.Server, version: str, sandbox: Sandbox) -> None:
        """Take the server, its Kubernetes version, and where they are made."""
        super().__init__(server, version)
        self._sandbox = sandbox

    def replace(self, stage: Stage, crd: CustomResourceDefinition) -> client.ServerAnswer:
        """
        Put another form of a CRD on its stage, and return the answer when that counts.

        Raises:
            NoAnswerError: The server does not answer.
        """
        mark = f"pytest-crd-{secrets.token_hex(5)}"
        manifest = settling.marked(stage.renaming.of_crd(crd.declared), mark)
        answer = self._sandbox.replace_crd(manifest)
        if answer.code == 200:
            settling.wait_until_marked(self._server, manifest, mark)
        return answer

    def _made(self, crd: CustomResourceDefinition, old: CustomResourceDefinition | None) -> Stage:
        original = crd.under(self._version)
        namespace = self._sandbox.namespace if crd.scope == "Namespaced" else ""
        renaming = Renaming(crd.group, make_group(), namespace)
        renamed = original.altered(renaming.of_crd(crd.declared))
        first = renamed if old is None else original.altered(renaming.of_crd(old.declared))
        response = first.response
        if response.code == _NOT_FOUND:
            raise NotAskedError(f"Kubernetes {self._version} serves no {crd.api_version}")
        if not response.accepted:
            said = renaming.undone(response.message, "")
            raise NotAskedError(f"no server of Kubernetes {self._version} takes its CRD: {said}")
        answer = self._sandbox.make_crd(first.manifest)
        if answer.code != response.code:
            obstacles.refuse_as_no_answer(answer)
            parts = ({"CRD": first.manifest}, answerfacts.of_crd(response), answerfacts.stated(answer))
            raise DisagreementError(*(renaming.undone(part, "") for part in parts))
        stored = settling.wait_until_served(self._server, first.manifest)
        if not settling.is_established(stored):
            raise NotAskedError("its CRD is stored, but not served")
        return Stage(renamed, original, renaming, stored, threading.Lock())


class InstalledStages(Stages):
    """CRDs that are installed, and of which nothing is changed; there may be objects of any likely name."""

    _kept = ("uid", "generation")

    def __init__(self, server: client.Server, version: str) -> None:
        """Take the server, and its Kubernetes version."""
        super().__init__(server, version)
        self._made_up_name = f"{completion.MADE_UP_NAME}-{secrets.token_hex(5)}"

    def _made(self, crd: CustomResourceDefinition, old: CustomResourceDefinition | None) -> Stage:  # noqa: ARG002 - nor is that one
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
