"""Objects that are stored only while a dry update is sent."""

from __future__ import annotations

from typing import Final, Self

from pytest_crd.cases.questions import Question
from pytest_crd.engine import CrdVersion
from pytest_crd.engine.client import completion
from pytest_crd.engine.jsonvalue import JSONObject
from pytest_crd.engine.metadata.requestmetadata import DELETION
from pytest_crd.engine.metadata.systemmetadata import SERVER_MADE
from pytest_crd.engine.registry.requestbody import Body
from pytest_crd.live import answerfacts, client, obstacles
from pytest_crd.live.stages import NotAskedError, OwnStages, Stage, Stages, type_meta

_MERGE: Final = {"Content-Type": "application/merge-patch+json"}
_EXISTS: Final = 409
_NO_FINALIZERS: Final = {"metadata": {"finalizers": None}}


def namespace_of(question: Question) -> str:
    """Return the namespace in the URL of a question, under the project's names."""
    metadata = (question.old or {}).get("metadata") or {}
    return metadata.get("namespace") or completion.namespace(None, question.body)


class StoredObjects:
    """
    The object that a question updates, stored until the end of the `with` block.

    Attributes:
        stored: The object as the server has stored it.
    """

    stored: JSONObject

    def __init__(self, server: client.Server, stages: Stages, stage: Stage, question: Question) -> None:
        """
        Create it for a question; send nothing.

        Raises:
            NotAskedError: CRDs are those that are installed, so that nothing may be stored.
        """
        if not isinstance(stages, OwnStages):
            raise NotAskedError("an update needs a stored object, which might wake an operator")
        self._server, self._stages, self._stage, self._question = server, stages, stage, question
        self._path = ""
        self._is_replaced = False

    def __enter__(self) -> Self:
        """Store the object; then replace its CRD if the question is about a changed CRD."""
        try:
            self._store()
            self._replace()
        except BaseException:
            self.__exit__()
            raise
        return self

    def __exit__(self, *_: object) -> None:
        """Remove the object, after its old CRD is restored: a server cannot delete an object that its CRD cannot decode."""
        try:
            if self._is_replaced:
                self._stages.replace(self._stage, self._old_version.crd)
        finally:
            if self._path:
                self._remove()

    def set_owners(self) -> JSONObject:
        """
        Write the managedFields of the question into the stored object, and return it; without any, remove all owners.

        Raises:
            NotAskedError: The server refuses them.
            NoAnswerError: The server does not answer.
        """
        metadata = (self._question.old or {}).get("metadata") or {}
        renaming = self._stage.renaming
        entries = [renaming.of_object(entry, "") for entry in metadata.get("managedFields") or ()]
        # An empty entry removes all managedFields.
        wanted = {"metadata": {"managedFields": entries or [{}]}}
        answer = self._server.ask("PATCH", self._path, wanted, headers=_MERGE)
        obstacles.refuse_as_no_answer(answer)
        if answer.code != 200:
            raise NotAskedError(f"the server refuses the managed fields of the old object: {answer.message}")
        self.stored = answer.body
        return self.stored

    def _remove(self) -> None:
        self._server.ask("PATCH", self._path, _NO_FINALIZERS, headers=_MERGE)
        self._server.ask("DELETE", self._path)

    @property
    def _old_version(self) -> CrdVersion:
        return self._question.old_version or self._question.version

    def _store(self) -> None:
        old = self._question.old or {}
        metadata = old.get("metadata") or {}
        if being_deleted := [key for key in DELETION if key in metadata]:
            raise NotAskedError(f"no request stores an object with {' and '.join(being_deleted)}")
        renaming = self._stage.renaming
        version = self._version_of(old)
        sent = renaming.of_object(
            {**old, "metadata": {key: value for key, value in metadata.items() if key not in SERVER_MADE}},
            namespace_of(self._question),
        )
        sent = completion.with_default_name(completion.typed(Body(sent), type_meta(version))).value
        path = client.resource_path(self._stage.crd.declared, version.name, namespace=renaming.namespace)
        self._path = f"{path}/{sent['metadata'].get('name', '')}"
        answer = self._send("POST", path, sent, version, None)
        self.stored = answer
        self._path = f"{path}/{answer['metadata']['name']}"  # the name may be generated
        if "status" in sent and version.has_status:
            self.stored = self._send(
                "PUT", f"{self._path}/status", {**answer, "status": sent["status"]}, version, answer
            )

    def _send(
        self, method: str, path: str, sent: JSONObject, version: CrdVersion, old: JSONObject | None
    ) -> JSONObject:
        """
        Send a request that stores an object, and return the stored object.

        Raises:
            NotAskedError: The engine and the server both refuse the object.
            NoAnswerError: The server does not answer.
            DisagreementError: Their answers differ.
        """
        namespace = self._stage.renaming.namespace
        if old is None:
            response = version.create(sent, namespace=namespace)
        else:
            response = version.update_status(sent, old=old, namespace=namespace)
        answer = self._server.ask(method, path, sent)
        if answer.code == _EXISTS and old is None:  # left by an earlier question that lost its connection
            self._remove()
            answer = self._server.ask(method, path, sent)
        for pause in client.PAUSES:  # the server may not know the CRD yet
            if answer.code == response.code:
                break
            obstacles.refuse_as_no_answer(answer)
            if answer.code < 300 and old is None:
                self._path = f"{path}/{answer.body['metadata']['name']}"
                self._remove()
            self._server.rest(pause)
            answer = self._server.ask(method, path, sent)
        if answer.code != response.code:
            obstacles.refuse_as_no_answer(answer)
            self._stages.refuse_as_touched(self._stage)
            if old is not None:
                obstacles.refuse_as_touched(self._server, self._path, old)
            request = {"method": method, "path": path, "body": sent}
            whole = {
                "CRD": version.crd.declared,
                **({"old": answerfacts.without_server_made(old)} if old else {}),
                "request": request,
            }
            ours, theirs = answerfacts.of_engine(response, sent), answerfacts.of_server(answer, sent)
            raise self._stage.disagreement(whole, ours, theirs, namespace_of(self._question))
        if not response.accepted:
            message = self._stage.renaming.restore(answer.message, namespace_of(self._question))
            raise NotAskedError(f"the server refuses the old object: {message}")
        stored: JSONObject = answer.body
        return stored

    def _version_of(self, old: JSONObject) -> CrdVersion:
        """Return the served version, under the names of the stage, to send an object in: its own, else the question's, else the first."""
        crd = self._stage.crd
        if self._old_version.crd is not self._question.version.crd:
            crd = crd.altered(self._stage.renaming.of_crd(self._old_version.crd.declared))
        own_name = str(old.get("apiVersion", "")).rpartition("/")[2]
        served = [version for version in crd.versions if version.served]
        names = (own_name, self._old_version.name)
        return min(served, key=lambda version: names.index(version.name) if version.name in names else len(names))

    def _replace(self) -> None:
        old, new = self._old_version.crd, self._question.version.crd
        if old.declared == new.declared:
            return
        self._is_replaced = True
        answer = self._stages.replace(self._stage, new)
        if answer.code != 200:
            obstacles.refuse_as_no_answer(answer)
            raise NotAskedError(f"the server does not put the CRD in the place of the old one: {answer.message}")
