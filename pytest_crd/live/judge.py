"""
A question that was asked of the engine, asked of a server too, and both answers held against each other.

The engine answers once more, under the names and the Kubernetes version of the server: so both are asked the same to the letter.
"""

from __future__ import annotations

import contextlib
from collections.abc import Callable
from typing import Any, Final

from pytest_crd.cases.model import PATCHES
from pytest_crd.cases.questions import Question
from pytest_crd.cases.sections import Section
from pytest_crd.engine import CustomResourceDefinition, Version
from pytest_crd.engine.crds import declared
from pytest_crd.engine.requests import completion
from pytest_crd.live import answerfacts, client, exchange, obstacles, structure
from pytest_crd.live.answerfacts import Facts
from pytest_crd.live.exchange import Exchange
from pytest_crd.live.grouprenaming import replaced
from pytest_crd.live.stages import DisagreementError, NotAskedError, OwnStages, Stage, Stages
from pytest_crd.live.temporaryobjects import StoredObjects, namespace_of

JSONValue = Any

_PASSES: Final = (Section.PRUNING, Section.DEFAULTING)
# What Go may list in another order each time.
_WITHOUT_ORDER: Final = ("causes", "warnings")
# Two neighbours of a Go map of at most eight entries change places in one of eight iterations.
_TIMES: Final = 64


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
            live = self._exchange(question, stage, stack)
            self._compare(question, live, stage)
        return [*filter(None, (stage.note,)), *self._notes(question, stage, live)]

    def _exchange(self, question: Question, stage: Stage, stack: contextlib.ExitStack) -> Exchange:
        """Return what is to be asked, with all before it asked, and what is to be stored stored, until *stack* ends."""
        if question.applies:
            return self._applied(question, stage, stack)
        if question.old is None:
            return exchange.created(question, stage)
        stored = stack.enter_context(StoredObjects(self._server, self._stages, stage, question)).stored
        ask = exchange.patched if question.section in PATCHES else exchange.updated
        return ask(question, stage, stored)

    def _applied(self, question: Question, stage: Stage, stack: contextlib.ExitStack) -> Exchange:
        """Return the last apply, or the first that is refused, with those before it made."""
        stored: JSONValue = None
        if question.old is not None:
            objects = stack.enter_context(StoredObjects(self._server, self._stages, stage, question))
            stored = objects.owned_as_stated()
        elif len(question.applies) > 1:
            self._refuse_to_store()
        for apply in question.applies[:-1]:
            live = exchange.applied(question, apply, stage, stored)
            if not live.response.accepted:
                return live
            if stored is None:
                stack.callback(self._server.ask, "DELETE", live.path)
            query = {key: value for key, value in live.query.items() if key != "dryRun"}
            stored = self._compare(question, live._replace(query=query), stage).body
        return exchange.applied(question, question.applies[-1], stage, stored)

    def _refuse_to_store(self) -> None:
        if not isinstance(self._stages, OwnStages):
            raise NotAskedError("several applies need a stored object, which might wake an operator")

    def _compare(self, question: Question, live: Exchange, stage: Stage) -> client.ServerAnswer:
        of_engine, stated = answerfacts.of_engine, answerfacts.stated
        if live.has_owners:
            of_engine, stated = answerfacts.of_engine_with_owners, answerfacts.with_owners
        ours = of_engine(live.response, live.sent)
        headers = {"Content-Type": live.media_type} if live.media_type else None

        def ask() -> client.ServerAnswer:
            return self._server.ask(live.method, live.path, live.sent, query=live.query, headers=headers)

        try:
            return compare(self._server, ask, ours, live.sent, stated=stated)
        except DisagreementError as error:
            theirs = error.theirs
            plural = stage.crd.declared["spec"]["names"]["plural"]
            obstacles.refuse_as_changed(self._server, (stage.crd.group, plural), ours, theirs)
            self._stages.refuse_as_touched(stage)
            if live.old is not None and "dryRun" in live.query:  # else we have changed it ourselves
                obstacles.refuse_as_touched(
                    self._server, live.path.removesuffix(f"/{question.section.subresource}"), live.old
                )
            request = {"method": live.method, "path": live.path, "query": dict(live.query), "body": live.sent}
            old = {"old": answerfacts.without_server_made(live.old)} if live.old else {}
            whole = {"CRD": stage.crd.declared, **old, "request": request}
            raise stage.disagreement(whole, ours, theirs, namespace_of(question)) from None

    def _notes(self, question: Question, stage: Stage, live: Exchange) -> list[str]:
        """Return where the answer, on which both agree, is another than that to the question as the project asks it."""
        sent = question.body.value if live.old is None else _without_generation(question.body.value)
        asked = answerfacts.of_engine(question.answer(), sent)
        there = answerfacts.of_engine(_under(question, self._version).answer(), sent)
        shown = stage.renaming.undone(answerfacts.of_engine(live.response, sent), namespace_of(question))
        there_named, own = (live.old or {}).get("metadata", {}).get("name"), _own_name(question)
        if there_named not in (None, own):  # which may be generated
            shown = replaced(shown, {there_named: own})
        notes = []
        if not answerfacts.are_equal(asked, there):
            notes.append(f"answered otherwise by Kubernetes {question.version.crd.kubernetes_version}")
        if not answerfacts.are_equal(shown, there):
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
    stated: Callable[..., Facts] = answerfacts.stated,
) -> client.ServerAnswer:
    """
    Return the answer of a server that is *ours*; it is asked until it is as good as certain that it does not.

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
        if answerfacts.are_equal(ours, theirs):
            return answer
        obstacles.refuse_as_no_answer(answer)
        seen.append(theirs)
        if times < len(client.PAUSES) and not answerfacts.are_equal(
            answerfacts.in_order(ours, _WITHOUT_ORDER), answerfacts.in_order(theirs, _WITHOUT_ORDER)
        ):
            server.rest(client.PAUSES[times])
    parts = [key for key in _WITHOUT_ORDER if any(one.get(key) != seen[0].get(key) for one in seen)]
    wanted = answerfacts.in_order(ours, parts)
    if not any(answerfacts.are_equal(wanted, answerfacts.in_order(one, parts)) for one in seen):
        raise DisagreementError({}, ours, seen[0])
    return answer


def _is_converted(crd: CustomResourceDefinition, version: Version) -> bool:
    strategy = (crd.declared["spec"].get("conversion") or {}).get("strategy")
    return strategy == "Webhook" and not version.storage


def _under(question: Question, kubernetes_version: str) -> Question:
    """Return the question as a server of another Kubernetes version is asked it."""
    crd = question.version.crd.under(kubernetes_version)
    return question._replace(version=crd.version(question.version.name))


def _own_name(question: Question) -> str:
    """Return the name of the object that a question is about, as the project asks it."""
    for value in (question.old, question.body.value):
        metadata = value.get("metadata") if isinstance(value, dict) else None
        if isinstance(metadata, dict) and "name" in metadata:
            return str(metadata["name"])
    return completion.MADE_UP_NAME


def _without_generation(sent: JSONValue) -> JSONValue:
    """Return what an update sends without that of which only a create makes a name."""
    metadata = sent.get("metadata") if isinstance(sent, dict) else None
    if not isinstance(metadata, dict):
        return sent
    return {**sent, "metadata": {key: value for key, value in metadata.items() if key != "generateName"}}
