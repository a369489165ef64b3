"""
A question that was asked of the engine, asked of a server too, and both answers held against each other.

The engine answers once more, under the names and the Kubernetes version of the server: so both are asked the same to the letter.
"""

from __future__ import annotations

import contextlib
import urllib.parse
from collections.abc import Callable, Mapping
from typing import Any, Final, NamedTuple

from pytest_crd.cases.model import Section
from pytest_crd.cases.questions import Question
from pytest_crd.engine import CustomResourceDefinition, Response, Version
from pytest_crd.engine.crds import declared
from pytest_crd.engine.metadata.requestmetadata import DELETION, SERVER_MADE
from pytest_crd.engine.requests import completion
from pytest_crd.engine.requests.requestbody import Body
from pytest_crd.live import client, facts, obstacles, structure
from pytest_crd.live.facts import Facts
from pytest_crd.live.objects import StoredObjects, namespace_of
from pytest_crd.live.renaming import replaced
from pytest_crd.live.stages import DisagreementError, NotAskedError, OwnStages, Stage, Stages

JSONValue = Any

_PASSES: Final = (Section.PRUNING, Section.DEFAULTING)
_DRY: Final = {"dryRun": "All"}
# What Go may list in another order each time.
_WITHOUT_ORDER: Final = ("causes", "warnings")
# Two neighbours of a Go map of at most eight entries change places in one of eight iterations.
_TIMES: Final = 64


class Exchange(NamedTuple):
    """
    What is sent, and what the engine says to it.

    Attributes:
        method: HTTP method.
        path: URL path.
        query: Parameters of the URL.
        sent: The body, a text or an object.
        response: The engine's answer.
        old: What is stored before.
    """

    method: str
    path: str
    query: Mapping[str, str]
    sent: JSONValue
    response: Response
    old: JSONValue = None


class LiveJudge:
    """Asks one server."""

    def __init__(self, server: client.Server, stages: Stages, version: str) -> None:
        """Take the server, its CRDs, and its Kubernetes version."""
        self._server, self._stages, self._version = server, stages, version
        self._of_structures: dict[Version, Version] = {}
        self._prepared: set[tuple[Version, Version | None]] = set()

    def judge(self, question: Question) -> list[str]:
        """
        Pass where the server answers as the engine does, and return what is worth to know.

        Raises:
            NotAskedError: It cannot be asked.
            NoAnswerError: The server does not answer.
            DisagreementError: It answers otherwise.
        """
        if question.section not in _PASSES:
            return self._judge(question)
        create = self._create_of(question)
        notes = self._judge(create)
        if create.version is question.version:
            return notes
        response = _under(create, self._version).answer()
        if not response.accepted:
            raise NotAskedError(f"no create stores the object: {response.message}")
        return [*notes, "asked of a CRD of the same structure that checks no values"]

    def prepare(self, question: Question) -> None:
        """Make the CRD that a question is asked of."""
        if question.section not in _PASSES:
            key = (question.version, question.old_version)
            if key not in self._prepared:
                self._prepared.add(key)
                self._stage(question)
        elif question.version not in self._of_structures:
            self._stage(self._create_of(question))

    def _create_of(self, question: Question) -> Question:
        """Return the create that shows a pass; of one that stores nothing, or not the status, that of a like CRD."""
        create = question._replace(section=Section.CREATE)
        status_is_dropped = question.version.has_status and "status" in question.body.value
        if not status_is_dropped and _under(create, self._version).answer().accepted:
            return create
        if not isinstance(self._stages, OwnStages):
            raise NotAskedError("no create stores the object whole, and nothing else is made where CRDs are installed")
        create = create._replace(version=self._of_structure(question.version))
        passes, others = question.version.passes, create.version.passes
        value = question.body.value
        if passes.prune(value) != others.prune(value) or passes.default(value) != others.default(value):
            raise NotAskedError(
                "no create stores the object, and a CRD that checks no values prunes and defaults otherwise"
            )
        return create

    def _of_structure(self, version: Version) -> Version:
        """Return the same version of a CRD that checks no values; the same one for all questions."""
        if version not in self._of_structures:
            crd = version.crd
            if crd.api_version != declared.V1:
                raise NotAskedError("no create of the object stores it whole, and its CRD is none of v1")
            self._of_structures[version] = crd.altered(structure.alone(crd.declared)).version(version.name)
        return self._of_structures[version]

    def _stage(self, question: Question) -> Stage:
        crd = question.version.crd
        if _is_converted(crd, question.version):
            raise NotAskedError("a webhook converts its objects, which is the project's, not the server's")
        old_crd = question.old_version.crd if question.old_version is not None else crd
        return self._stages.of(crd, None if old_crd.manifest == crd.declared else old_crd)

    def _judge(self, question: Question) -> list[str]:
        stage = self._stage(question)
        with self._server.worker_lock.holding(stage.lock), contextlib.ExitStack() as stack:
            if question.old is None:
                live = self._created(question, stage)
            else:
                objects = stack.enter_context(StoredObjects(self._server, self._stages, stage, question))
                live = self._updated(question, stage, objects.stored)
            self._compare(question, live, stage)
        return [*filter(None, (stage.note,)), *self._notes(question, stage, live)]

    def _created(self, question: Question, stage: Stage) -> Exchange:
        own = namespace_of(question)
        namespace = stage.renaming.namespace or own
        version = stage.crd.version(question.version.name)
        body = stage.renaming.of_body(question.body, own)
        body = completion.named(completion.typed(body, _type_meta(version)), stage.renaming.made_up_name)
        response = version.requests.create(body, namespace=namespace, field_validation=question.field_validation)
        path = client.resource_path(stage.crd.declared, version.name, namespace=urllib.parse.quote(namespace, safe=""))
        return Exchange("POST", path, _query(question), body.text or body.value, response)

    def _updated(self, question: Question, stage: Stage, stored: Mapping[str, JSONValue]) -> Exchange:
        old = question.old or {}
        own = namespace_of(question)
        version = stage.crd.version(question.version.name)
        body = stage.renaming.of_body(_without_identity(question.body, old), own)
        sent, stored_whole = completion.over(body, stored, _type_meta(version))
        is_status = question.section is Section.UPDATE_STATUS
        ask = version.requests.update_status if is_status else version.requests.update
        response = ask(
            sent, old=stored_whole, namespace=stage.renaming.namespace, field_validation=question.field_validation
        )
        name = stored["metadata"]["name"] + ("/status" if is_status else "")
        path = client.resource_path(stage.crd.declared, version.name, name, namespace=stage.renaming.namespace)
        return Exchange("PUT", path, _query(question), sent.text or sent.value, response, stored)

    def _compare(self, question: Question, live: Exchange, stage: Stage) -> None:
        ours = facts.of_engine(live.response, live.sent)

        def ask() -> client.ServerAnswer:
            return self._server.ask(live.method, live.path, live.sent, query=live.query)

        try:
            compare(self._server, ask, ours, live.sent)
        except DisagreementError as error:
            theirs = error.theirs
            plural = stage.crd.declared["spec"]["names"]["plural"]
            obstacles.refuse_as_changed(self._server, (stage.crd.group, plural), ours, theirs)
            self._stages.refuse_as_touched(stage)
            if live.old is not None:
                obstacles.refuse_as_touched(self._server, live.path.removesuffix("/status"), live.old)
            request = {"method": live.method, "path": live.path, "query": dict(live.query), "body": live.sent}
            old = {"old": facts.without_server_made(live.old)} if live.old else {}
            whole = {"CRD": stage.crd.declared, **old, "request": request}
            raise stage.disagreement(whole, ours, theirs, namespace_of(question)) from None

    def _notes(self, question: Question, stage: Stage, live: Exchange) -> list[str]:
        """Return where the answer, on which both agree, is another than that to the question as the project asks it."""
        sent = question.body.value if live.old is None else _without_generation(question.body.value)
        asked = facts.of_engine(question.answer(), sent)
        there = facts.of_engine(_under(question, self._version).answer(), sent)
        shown = stage.renaming.undone(facts.of_engine(live.response, sent), namespace_of(question))
        if live.old is not None:  # whose name may be generated
            own = ((question.old or {}).get("metadata") or {}).get("name", completion.MADE_UP_NAME)
            shown = replaced(shown, {live.old["metadata"]["name"]: own})
        notes = []
        if not facts.are_equal(asked, there):
            notes.append(f"answered otherwise by Kubernetes {question.version.crd.kubernetes_version}")
        if not facts.are_equal(shown, there):
            parts = [key for key in (*shown, *there) if shown.get(key) != there.get(key)]
            named = ", ".join(dict.fromkeys(parts))
            notes.append(f"compared under another name, under which the answer is another ({named})")
        return notes


def compare(
    server: client.Server,
    ask: Callable[[], client.ServerAnswer],
    ours: Facts,
    sent: JSONValue,
    *,
    stated: Callable[..., Facts] = facts.stated,
) -> None:
    """
    Pass where a server answers *ours*; it is asked until it is as good as certain that it does not.

    A server that is one of several, or that has much to do with CRDs of others, may know ours some seconds later.

    Args:
        server: The server.
        ask: Asks it.
        ours: The engine's answer.
        sent: What is sent.
        stated: Returns the facts of an answer to that.

    Raises:
        NoAnswerError: What it says is no answer.
        DisagreementError: It answers otherwise.
    """
    seen: list[Facts] = []
    for times in range(_TIMES):
        answer = ask()
        theirs = stated(answer, sent)
        if facts.are_equal(ours, theirs):
            return
        obstacles.refuse_as_no_answer(answer)
        seen.append(theirs)
        if times < len(client.PAUSES) and not facts.are_equal(
            facts.in_order(ours, _WITHOUT_ORDER), facts.in_order(theirs, _WITHOUT_ORDER)
        ):
            server.rest(client.PAUSES[times])
    parts = [key for key in _WITHOUT_ORDER if any(one.get(key) != seen[0].get(key) for one in seen)]
    wanted = facts.in_order(ours, parts)
    if not any(facts.are_equal(wanted, facts.in_order(one, parts)) for one in seen):
        raise DisagreementError({}, ours, seen[0])


def _is_converted(crd: CustomResourceDefinition, version: Version) -> bool:
    strategy = (crd.declared["spec"].get("conversion") or {}).get("strategy")
    return strategy == "Webhook" and not version.storage


def _under(question: Question, kubernetes_version: str) -> Question:
    """Return the question as a server of another Kubernetes version is asked it."""
    crd = question.version.crd.under(kubernetes_version)
    return question._replace(version=crd.version(question.version.name))


def _type_meta(version: Version) -> dict[str, JSONValue]:
    return {"apiVersion": f"{version.crd.group}/{version.name}", "kind": version.crd.kind}


def _query(question: Question) -> dict[str, str]:
    return {**_DRY, "fieldValidation": question.field_validation}


def _without_generation(sent: JSONValue) -> JSONValue:
    """Return what an update sends without that of which only a create makes a name."""
    metadata = sent.get("metadata") if isinstance(sent, dict) else None
    if not isinstance(metadata, dict):
        return sent
    return {**sent, "metadata": {key: value for key, value in metadata.items() if key != "generateName"}}


def _without_identity(body: Body, old: Mapping[str, JSONValue]) -> Body:
    """Return the body without what a server has made of *old*, and will make anew."""
    metadata = body.value.get("metadata") if isinstance(body.value, dict) else None
    if not isinstance(metadata, dict):
        return body
    known = {"resourceVersion": "1", **(old.get("metadata") or {})}
    made = [key for key in (*SERVER_MADE, *DELETION) if key in metadata and metadata[key] == known.get(key)]
    if made and body.text:
        raise NotAskedError(f"a text that states what only the server knows: {', '.join(sorted(made))}")
    kept = {key: value for key, value in metadata.items() if key not in made}
    return Body({**body.value, "metadata": kept}, body.text) if made else body
