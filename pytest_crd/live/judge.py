"""
Comparison of the engine with a server: both answer the same question.

The engine answers again under the names and the Kubernetes version of the server, so that both get identical requests.
"""

from __future__ import annotations

import contextlib
from collections.abc import Callable
from typing import Final

from pytest_crd.cases.model import PATCHES
from pytest_crd.cases.questions import Question
from pytest_crd.cases.sections import Section
from pytest_crd.engine import CrdVersion, CustomResourceDefinition
from pytest_crd.engine.client import completion
from pytest_crd.engine.crds import declared
from pytest_crd.engine.jsonvalue import JSONObject, JSONValue
from pytest_crd.engine.schema import subschemas
from pytest_crd.live import answerfacts, client, exchange, obstacles
from pytest_crd.live.answerfacts import Facts
from pytest_crd.live.exchange import Exchange
from pytest_crd.live.grouprenaming import replaced
from pytest_crd.live.stages import DisagreementError, NotAskedError, OwnStages, Stage, Stages
from pytest_crd.live.temporaryobjects import StoredObjects, namespace_of

_PASSES: Final = (Section.PRUNING, Section.DEFAULTING)
# Lists without a fixed order in Go.
_WITHOUT_ORDER: Final = ("causes", "warnings")
# In Go, two neighbours in a map of at most eight entries are swapped in every eighth iteration on average.
_TIMES: Final = 64
# Keywords of structural schemas: types, fields, preserved fields and defaults.
_STRUCTURAL_KEYWORDS: Final = frozenset(
    {
        "additionalProperties",
        "default",
        "items",
        "nullable",
        "properties",
        "type",
        "x-kubernetes-embedded-resource",
        "x-kubernetes-int-or-string",
        "x-kubernetes-preserve-unknown-fields",
    }
)


class LiveJudge:
    """Comparison of the engine with one server about custom resources."""

    def __init__(self, server: client.Server, stages: Stages, version: str) -> None:
        """Create it with the server, the CRDs that it serves, and its Kubernetes version."""
        self._server, self._stages, self._version = server, stages, version
        self._structure_versions: dict[CrdVersion, CrdVersion] = {}
        self._plain_versions: dict[CrdVersion, CrdVersion] = {}
        self._prepared: set[tuple[CrdVersion, CrdVersion | None]] = set()

    def judge(self, question: Question) -> list[str]:
        """Return notes about equal answers; see `Judge.judge` of `live.run`."""
        notes = self._judge_plain(self._without_webhooks(question))
        if question.version.admission is not None:
            notes.append("asked without the admission webhooks of the project")
        return notes

    def _judge_plain(self, question: Question) -> list[str]:
        """Compare the answers to a question to CRDs that call no webhooks, and return notes if they agree."""
        if question.section not in _PASSES:
            return self._judge(question)
        create = self._find_create(question)
        notes = self._judge(create)
        if create.version is question.version:
            return notes
        response = _under(create, self._version).answer()
        if not response.accepted:
            raise NotAskedError(f"no create stores the object: {response.message}")
        return [*notes, "asked of a CRD of the same structure that checks no values"]

    def prepare(self, question: Question) -> None:
        """Create the CRD that a question needs."""
        question = self._without_webhooks(question)
        if question.section not in _PASSES:
            key = (question.version, question.old_version)
            if key not in self._prepared:
                self._prepared.add(key)
                self._stage(question)
        elif question.version not in self._structure_versions:
            self._stage(self._find_create(question))

    def _without_webhooks(self, question: Question) -> Question:
        """Return a question without the webhooks of the project, which the server need not have."""
        old_version = question.old_version and self._plain_version(question.old_version)
        return question._replace(version=self._plain_version(question.version), old_version=old_version)

    def _plain_version(self, version: CrdVersion) -> CrdVersion:
        if version.crd.webhooks is None:
            return version
        if version not in self._plain_versions:
            self._plain_versions[version] = version.crd.with_webhooks(None).version(version.name)
        return self._plain_versions[version]

    def _find_create(self, question: Question) -> Question:
        """Return the create that shows a pass; if it stores nothing or drops the status, the same create for a CRD without validation."""
        create = question._replace(section=Section.CREATE)
        status_is_dropped = question.version.has_status and "status" in question.body.value
        if not status_is_dropped and _under(create, self._version).answer().accepted:
            return create
        if not isinstance(self._stages, OwnStages):
            raise NotAskedError("no create stores the object whole, and nothing else is made where CRDs are installed")
        create = create._replace(version=self._structure_version(question.version))
        passes, others = question.version.passes, create.version.passes
        value = question.body.value
        if passes.prune(value) != others.prune(value) or passes.default(value) != others.default(value):
            raise NotAskedError(
                "no create stores the object, and a CRD that checks no values prunes and defaults otherwise"
            )
        return create

    def _structure_version(self, version: CrdVersion) -> CrdVersion:
        """Return the same version of a CRD with the same structure and no validation; it is cached."""
        if version not in self._structure_versions:
            crd = version.crd
            if crd.api_version != declared.V1:
                raise NotAskedError("no create of the object stores it whole, and its CRD is none of v1")
            self._structure_versions[version] = crd.altered(reduce_to_structure(crd.declared)).version(version.name)
        return self._structure_versions[version]

    def _stage(self, question: Question) -> Stage:
        crd = question.version.crd
        if _is_converted(crd, question.version):
            raise NotAskedError("a webhook converts its objects, which is the project's, not the server's")
        old_crd = question.old_version.crd if question.old_version is not None else crd
        return self._stages.serve(crd, None if old_crd.manifest == crd.declared else old_crd)

    def _judge(self, question: Question) -> list[str]:
        stage = self._stage(question)
        with self._server.worker_lock.holding(stage.lock), contextlib.ExitStack() as stack:
            live = self._exchange(question, stage, stack)
            self._compare(question, live, stage)
        return [*filter(None, (stage.note,)), *self._notes(question, stage, live)]

    def _exchange(self, question: Question, stage: Stage, stack: contextlib.ExitStack) -> Exchange:
        """Store the old object of a question and return its last request; *stack* removes the object."""
        if question.applies:
            return self._applied(question, stage, stack)
        if question.old is None:
            return exchange.created(question, stage)
        stored = stack.enter_context(StoredObjects(self._server, self._stages, stage, question)).stored
        make_exchange = exchange.patched if question.section in PATCHES else exchange.updated
        return make_exchange(question, stage, stored)

    def _applied(self, question: Question, stage: Stage, stack: contextlib.ExitStack) -> Exchange:
        """Send all applies but the last and return the last; return the first refused one if there is one."""
        stored: JSONValue = None
        if question.old is not None:
            objects = stack.enter_context(StoredObjects(self._server, self._stages, stage, question))
            stored = objects.set_owners()
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
        of_engine, of_server = answerfacts.of_engine, answerfacts.of_server
        if live.has_owners:
            of_engine, of_server = answerfacts.of_engine_with_owners, answerfacts.with_owners
        ours = of_engine(live.response, live.sent)
        headers = {"Content-Type": live.media_type} if live.media_type else None

        def send() -> client.ServerAnswer:
            return self._server.ask(live.method, live.path, live.sent, query=live.query, headers=headers)

        try:
            return compare(self._server, send, ours, live.sent, read_facts=of_server)
        except DisagreementError as error:
            theirs = error.theirs
            plural = stage.crd.declared["spec"]["names"]["plural"]
            obstacles.refuse_as_changed(self._server, (stage.crd.group, plural), ours, theirs)
            self._stages.refuse_as_touched(stage)
            if live.old is not None and "dryRun" in live.query:  # else this run has changed the object itself
                obstacles.refuse_as_touched(
                    self._server, live.path.removesuffix(f"/{question.section.subresource}"), live.old
                )
            request = {"method": live.method, "path": live.path, "query": dict(live.query), "body": live.sent}
            old = {"old": answerfacts.without_server_made(live.old)} if live.old else {}
            whole = {"CRD": stage.crd.declared, **old, "request": request}
            raise stage.disagreement(whole, ours, theirs, namespace_of(question)) from None

    def _notes(self, question: Question, stage: Stage, live: Exchange) -> list[str]:
        """Return notes if the agreed answer differs from the one under the project's names or Kubernetes version."""
        sent = question.body.value if live.old is None else _without_generation(question.body.value)
        original = answerfacts.of_engine(question.answer(), sent)
        by_version = answerfacts.of_engine(_under(question, self._version).answer(), sent)
        restored = stage.renaming.restore(answerfacts.of_engine(live.response, sent), namespace_of(question))
        server_name, own_name = (live.old or {}).get("metadata", {}).get("name"), _own_name(question)
        if server_name not in (None, own_name):  # it may be generated
            restored = replaced(restored, {server_name: own_name})
        notes = []
        if not answerfacts.are_equal(original, by_version):
            notes.append(f"answered otherwise by Kubernetes {question.version.crd.kubernetes_version}")
        if not answerfacts.are_equal(restored, by_version):
            parts = [key for key in (*restored, *by_version) if restored.get(key) != by_version.get(key)]
            names = ", ".join(dict.fromkeys(parts))
            notes.append(f"compared under another name, under which the answer is another ({names})")
        return notes


def compare(
    server: client.Server,
    send: Callable[[], client.ServerAnswer],
    ours: Facts,
    sent: JSONValue,
    *,
    read_facts: Callable[..., Facts] = answerfacts.of_server,
) -> client.ServerAnswer:
    """
    Send a request until the server's answer is *ours*, and return it; give up when it is almost certain that it never will be.

    A replicated server, or one that is busy with other CRDs, may know a new CRD some seconds late.

    Args:
        server: The server.
        send: Sends the request.
        ours: The engine's answer.
        sent: The body of the request.
        read_facts: Returns the facts of a server's answer to that body.

    Raises:
        NoAnswerError: The reply is no answer to the request.
        DisagreementError: The answers differ.
    """
    answers: list[Facts] = []
    for times in range(_TIMES):
        answer = send()
        theirs = read_facts(answer, sent)
        if answerfacts.are_equal(ours, theirs):
            return answer
        obstacles.refuse_as_no_answer(answer)
        answers.append(theirs)
        if times < len(client.PAUSES) and not answerfacts.are_equal(
            answerfacts.in_order(ours, _WITHOUT_ORDER), answerfacts.in_order(theirs, _WITHOUT_ORDER)
        ):
            server.rest(client.PAUSES[times])
    parts = [key for key in _WITHOUT_ORDER if any(facts.get(key) != answers[0].get(key) for facts in answers)]
    wanted = answerfacts.in_order(ours, parts)
    if not any(answerfacts.are_equal(wanted, answerfacts.in_order(facts, parts)) for facts in answers):
        raise DisagreementError({}, ours, answers[0])
    return answer


def _is_converted(crd: CustomResourceDefinition, version: CrdVersion) -> bool:
    strategy = (crd.declared["spec"].get("conversion") or {}).get("strategy")
    return strategy == "Webhook" and not version.storage


def _under(question: Question, kubernetes_version: str) -> Question:
    """Return the question under another Kubernetes version."""
    crd = question.version.crd.under(kubernetes_version)
    return question._replace(version=crd.version(question.version.name))


def _own_name(question: Question) -> str:
    """Return the name of a question's object in the project."""
    for value in (question.old, question.body.value):
        metadata = value.get("metadata") if isinstance(value, dict) else None
        if isinstance(metadata, dict) and "name" in metadata:
            return str(metadata["name"])
    return completion.MADE_UP_NAME


def _without_generation(sent: JSONValue) -> JSONValue:
    """Return the body of an update without generateName, which only a create uses."""
    metadata = sent.get("metadata") if isinstance(sent, dict) else None
    if not isinstance(metadata, dict):
        return sent
    return {**sent, "metadata": {key: value for key, value in metadata.items() if key != "generateName"}}


def reduce_to_structure(manifest: JSONObject) -> dict[str, JSONValue]:
    """
    Return a v1 CRD without validation keywords, and without subresources, so that a create stores the status.

    Pruning and defaulting depend on the structure only.
    """
    spec = manifest["spec"]
    versions = [_reduce_version(version) for version in spec["versions"]]
    return {**manifest, "spec": {**spec, "versions": versions}}


def _reduce_version(version: JSONObject) -> JSONObject:
    schema = subschemas.without(
        version["schema"]["openAPIV3Schema"], lambda keyword, _: keyword not in _STRUCTURAL_KEYWORDS
    )
    names = ("name", "served", "storage")
    return {**{name: version[name] for name in names}, "schema": {"openAPIV3Schema": schema}}
